/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Lines about tasks' ends: good, bad, many, in pieces through a pipe. */
#include "spank/gather.h"
#include "spank/gather_ends.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hl_ends ends;

static void setup(void)
{
    hl_ends_init(&ends);
}

static void teardown(void)
{
    hl_ends_fini(&ends);
}

START_TEST(a_task_line)
{
    const struct hl_task_end *end;

    ck_assert_int_eq(hl_ends_line(&ends, "task 3 51234 256 0 1700000000123 4096"), 0);
    ck_assert_int_eq(hl_ends_line(&ends, "task 2 51233 -1 1 -1 -1 later fields"), 0);
    ck_assert_int_eq(hl_ends_line(&ends, "end 1700000000500"), 0);
    hl_ends_order(&ends);
    ck_assert_uint_eq(ends.count, 2);
    ck_assert_uint_eq(ends.damaged, 0);
    ck_assert_int_eq(ends.end_unix_ms, 1700000000500);
    end = hl_ends_of(&ends, 3);
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(end->pid, 51234);
    ck_assert_int_eq(end->status, 256);
    ck_assert(!end->oom);
    ck_assert_int_eq(end->end_unix_ms, 1700000000123);
    ck_assert_int_eq(end->maxrss_bytes, 4096);
    end = hl_ends_of(&ends, 2);
    ck_assert_int_eq(end->status, -1);
    ck_assert(end->oom);
    ck_assert_ptr_null(hl_ends_of(&ends, 0));
}
END_TEST

static const char *const damaged[] = {
    "task ",
    "task 1",
    "task 1 2 3 0 5",
    "task 1 2 3 0 5 x",
    "task 1 2 3 0 5 6x",
    "task  1 2 3 0 5 6",
    "task -1 2 3 0 5 6",
    "task -2 2 3 0 5 6",
    "task 1 2 65536 0 5 6",
    "task 99999999999999999999 2 3 0 5 6",
    "task 1 0x2 3 0 5 6",
    "end ",
    "end x",
    "end 12x",
};

START_TEST(damaged_lines_are_counted)
{
    ck_assert_int_eq(hl_ends_line(&ends, damaged[_i]), 0);
    ck_assert_uint_eq(ends.damaged, 1);
    ck_assert_uint_eq(ends.count, 0);
    ck_assert_int_eq(ends.end_unix_ms, -1);
}
END_TEST

START_TEST(unknown_lines_are_ignored)
{
    ck_assert_int_eq(hl_ends_line(&ends, ""), 0);
    ck_assert_int_eq(hl_ends_line(&ends, "tasks 1 2 3 0 5 6"), 0);
    ck_assert_int_eq(hl_ends_line(&ends, "node n1"), 0);
    ck_assert_uint_eq(ends.damaged, 0);
    ck_assert_uint_eq(ends.count, 0);
    hl_ends_order(&ends);
    ck_assert_ptr_null(hl_ends_of(&ends, 0));
}
END_TEST

START_TEST(the_later_line_counts)
{
    for (int i = 0; i < 100; i++) {
        char line[64];

        (void)snprintf(line, sizeof(line), "task %d %d 0 0 5 6", i % 3, 1000 + i);
        ck_assert_int_eq(hl_ends_line(&ends, line), 0);
    }
    hl_ends_order(&ends);
    ck_assert_uint_eq(ends.count, 3);
    ck_assert_int_eq(hl_ends_of(&ends, 0)->pid, 1099);
    ck_assert_int_eq(hl_ends_of(&ends, 1)->pid, 1097);
    ck_assert_int_eq(hl_ends_of(&ends, 2)->pid, 1098);
}
END_TEST

START_TEST(the_limit_is_counted)
{
    for (int i = 0; i < HL_GATHER_TASKS_MAX + 3; i++) {
        char line[64];

        (void)snprintf(line, sizeof(line), "task %d %d 0 0 5 6", i, i);
        ck_assert_int_eq(hl_ends_line(&ends, line), 0);
    }
    hl_ends_order(&ends);
    ck_assert_uint_eq(ends.count, HL_GATHER_TASKS_MAX);
    ck_assert_uint_eq(ends.beyond, 3);
    ck_assert_int_eq(hl_ends_of(&ends, HL_GATHER_TASKS_MAX - 1)->pid, HL_GATHER_TASKS_MAX - 1);
}
END_TEST

/* More than a buffer full, cut at odd places, with an endless line in it. */
START_TEST(through_a_pipe)
{
    int pipes[2], status;
    pid_t child;

    ck_assert_int_eq(pipe(pipes), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        FILE *out = fdopen(pipes[1], "w");

        (void)setvbuf(out, NULL, _IOFBF, 113);
        for (int i = 0; i < 5000; i++)
            (void)fprintf(out, "task %d %d 9 1 17 18\n", i, 100000 + i);
        for (int i = 0; i < 10000; i++)
            (void)fputs("task ", out);
        (void)fprintf(out, "\nend 77\ntask 9 9 9");
        (void)fclose(out);
        _exit(0);
    }
    close(pipes[1]);
    ck_assert_int_eq(hl_ends_read(&ends, pipes[0], NULL), 0);
    close(pipes[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_uint_eq(ends.count, 5000);
    ck_assert_int_eq(hl_ends_of(&ends, 4999)->pid, 104999);
    ck_assert_int_eq(ends.end_unix_ms, 77);
    ck_assert_uint_gt(ends.damaged, 0);
}
END_TEST

/* A memfd is handed over with its offset at the end. */
START_TEST(a_file_is_read_from_its_beginning)
{
    FILE *file = tmpfile();

    ck_assert_ptr_nonnull(file);
    (void)fputs("task 0 5 0 0 1 2\nend 3\n", file);
    ck_assert_int_eq(fflush(file), 0);
    ck_assert_int_eq(hl_ends_read(&ends, fileno(file), NULL), 0);
    (void)fclose(file);
    ck_assert_uint_eq(ends.count, 1);
    ck_assert_int_eq(ends.end_unix_ms, 3);
}
END_TEST

START_TEST(a_silent_pipe_does_not_hang)
{
    int pipes[2];

    ck_assert_int_eq(pipe(pipes), 0);
    ck_assert_int_eq(write(pipes[1], "end 4\n", 6), 6);
    ck_assert_int_eq(hl_ends_read(&ends, pipes[0], NULL), 0); /* pipes[1] is still open */
    ck_assert_int_eq(ends.end_unix_ms, 4);
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gather_ends");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 20);
    tcase_add_test(tcase, a_task_line);
    tcase_add_loop_test(tcase, damaged_lines_are_counted, 0, sizeof(damaged) / sizeof(damaged[0]));
    tcase_add_test(tcase, unknown_lines_are_ignored);
    tcase_add_test(tcase, the_later_line_counts);
    tcase_add_test(tcase, the_limit_is_counted);
    tcase_add_test(tcase, through_a_pipe);
    tcase_add_test(tcase, a_file_is_read_from_its_beginning);
    tcase_add_test(tcase, a_silent_pipe_does_not_hang);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
