/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Which profiles are images of one process, and how each ended. */
#include "spank/gather_images.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define S INT64_C(1000000000)
#define UNIX_S INT64_C(1700000000)

static struct hl_images images;
static struct hl_ends ends;
static enum hl_life life_of_all;
static int asked;

static enum hl_life life(const struct hl_image *image, const struct hl_image *first)
{
    ck_assert_int_eq(image->pid, first->pid);
    asked++;
    return life_of_all;
}

static void setup(void)
{
    hl_images_init(&images);
    hl_ends_init(&ends);
    life_of_all = HL_LIFE_GONE;
    asked = 0;
}

static void teardown(void)
{
    hl_images_fini(&images);
    hl_ends_fini(&ends);
}

/* A profile: file pid.suffix, of task, loaded start_s after boot, in a process
 * that began process_s after boot (-1: its first image). */
static void add(int64_t pid, int64_t suffix, int64_t task, int64_t start_s, int64_t process_s)
{
    struct hl_image image = {
        .file_pid = pid,
        .suffix = suffix,
        .pid = pid,
        .task = task,
        .start_unix_ns = (UNIX_S + start_s) * S,
        .start_boot_ns = start_s * S,
        .process_start_boot_ns = process_s < 0 ? -1 : process_s * S,
        .elapsed_ms = -1,
        .used_bytes = 8192,
        .inode = (ino_t)(pid * 100 + suffix),
    };

    ck_assert_int_eq(hl_images_add(&images, &image), 0);
}

static void settle(void)
{
    hl_ends_order(&ends);
    hl_images_settle(&images, &ends, life);
}

static void check(size_t index, int64_t suffix, int number, enum hl_image_fate fate,
                  int64_t elapsed_ms)
{
    const struct hl_image *image = &images.at[index];

    ck_assert_int_eq(image->suffix, suffix);
    ck_assert_int_eq(image->number, number);
    ck_assert_int_eq(image->fate, fate);
    ck_assert_int_eq(image->elapsed_ms, elapsed_ms);
}

START_TEST(three_images_of_a_task)
{
    add(70, 2, 0, 30, 9);
    add(70, 0, 0, 10, -1);
    add(70, 1, 0, 20, 9);
    ck_assert_int_eq(hl_ends_line(&ends, "task 0 70 9 0 1700000034500 -1"), 0);
    settle();
    check(0, 0, 0, HL_FATE_EXEC, 10000);
    check(1, 1, 1, HL_FATE_EXEC, 10000);
    check(2, 2, 2, HL_FATE_WAIT, 4500);
    ck_assert(images.at[0].own && images.at[1].own && images.at[2].own);
    ck_assert(ends.at[0].has_image);
    ck_assert_uint_eq(ends.at[0].profiles, 3);
    ck_assert_int_eq(asked, 0);
}
END_TEST

START_TEST(a_pid_given_again)
{
    add(70, 0, 0, 10, -1);
    add(70, 1, 0, 20, 19);
    settle();
    check(0, 0, 0, HL_FATE_VANISHED, -1);
    check(1, 1, 0, HL_FATE_VANISHED, -1);
}
END_TEST

START_TEST(the_slack_is_twenty_ms)
{
    add(70, 0, 0, 10, -1);
    add(70, 1, 0, 20, 10);
    images.at[1].process_start_boot_ns += 20000000;
    settle();
    check(1, 1, 1, HL_FATE_VANISHED, -1);

    teardown();
    setup();
    add(71, 0, 0, 10, -1);
    add(71, 1, 0, 20, 10);
    images.at[1].process_start_boot_ns += 20000001;
    settle();
    check(1, 1, 0, HL_FATE_VANISHED, -1);
}
END_TEST

START_TEST(an_exit_is_no_exec)
{
    add(70, 0, 0, 10, -1);
    images.at[0].said_exit = true;
    add(70, 1, 0, 20, -1);
    settle();
    check(0, 0, 0, HL_FATE_EXIT, -1);
    check(1, 1, 0, HL_FATE_VANISHED, -1);
}
END_TEST

/* Containers: each rank is pid 2 in a namespace of its own. */
START_TEST(pid_namespaces)
{
    add(2, 0, 0, 10, -1);
    add(2, 1, 1, 11, 10);
    add(2, 2, 0, 12, 10);
    add(2, 3, 1, 13, 10);
    settle();
    check(0, 0, 0, HL_FATE_EXEC, 2000);
    check(1, 1, 0, HL_FATE_EXEC, 2000);
    check(2, 2, 1, HL_FATE_VANISHED, -1);
    check(3, 3, 1, HL_FATE_VANISHED, -1);
    ck_assert_uint_eq(images.at[0].next, 2);
    ck_assert_uint_eq(images.at[3].first, 1);
}
END_TEST

START_TEST(a_running_process_keeps_all_its_files)
{
    life_of_all = HL_LIFE_RUNS;
    add(70, 0, 3, 10, -1);
    add(70, 1, 3, 20, 9);
    settle();
    check(0, 0, 0, HL_FATE_EXEC, 10000);
    check(1, 1, 1, HL_FATE_RUNNING, -1);
    ck_assert(images.at[0].process_runs && images.at[1].process_runs);
    ck_assert_int_eq(asked, 1);
}
END_TEST

START_TEST(replaced_by_an_unseen_image)
{
    life_of_all = HL_LIFE_REPLACED;
    add(70, 0, 3, 10, -1);
    settle();
    check(0, 0, 0, HL_FATE_EXEC, -1);
    ck_assert(images.at[0].unseen);
    ck_assert(!images.at[0].process_runs);
}
END_TEST

START_TEST(the_vanished_end_with_the_step)
{
    add(70, 0, 0, 10, -1);
    add(80, 0, 0, 15, -1);
    ck_assert_int_eq(hl_ends_line(&ends, "task 0 70 -1 0 1700000020000 -1"), 0);
    ck_assert_int_eq(hl_ends_line(&ends, "end 1700000040250"), 0);
    settle();
    check(0, 0, 0, HL_FATE_VANISHED, 10000); /* its own end was noticed earlier */
    check(1, 0, 0, HL_FATE_VANISHED, 25250);
    ck_assert(images.at[0].own && !images.at[1].own);
    ck_assert_uint_eq(ends.at[0].profiles, 2);
}
END_TEST

/* The task's pid was had before by its prolog and afterwards by a stranger. */
START_TEST(the_task_is_the_last_that_had_started)
{
    add(70, 0, 5, 10, -1);
    add(70, 1, 5, 20, 19);
    add(70, 2, 5, 40, 39);
    ck_assert_int_eq(hl_ends_line(&ends, "task 5 70 0 0 1700000030000 -1"), 0);
    settle();
    check(0, 0, 0, HL_FATE_VANISHED, -1);
    check(1, 1, 0, HL_FATE_WAIT, 10000);
    check(2, 2, 0, HL_FATE_VANISHED, -1);
}
END_TEST

START_TEST(another_tasks_process_is_not_it)
{
    add(70, 0, 4, 10, -1);
    ck_assert_int_eq(hl_ends_line(&ends, "task 5 70 0 0 1700000030000 -1"), 0);
    settle();
    ck_assert(!images.at[0].own);
    ck_assert(!ends.at[0].has_image);
}
END_TEST

START_TEST(one_profile_twice)
{
    add(70, 0, 0, 10, -1);
    add(70, 1, 0, 10, -1);
    settle();
    ck_assert_int_eq(images.at[1].state, HL_IMAGE_DUPLICATE);
    ck_assert_uint_eq(images.usable, 1);
    ck_assert_uint_eq(images.at[0].next, HL_NO_IMAGE);
}
END_TEST

START_TEST(damaged_ones_are_left_out)
{
    struct hl_image bad = {.file_pid = 70, .pid = -1, .task = -1, .state = HL_IMAGE_DAMAGED};

    ck_assert_int_eq(hl_images_add(&images, &bad), 0);
    add(70, 1, 0, 10, 9);
    settle();
    ck_assert_uint_eq(images.usable, 1);
    check(1, 1, 0, HL_FATE_VANISHED, -1);
}
END_TEST

START_TEST(absurd_profiles)
{
    static struct hl_profile profile;
    struct hl_image image = {.file_pid = 1};

    for (int i = 0; i < 64; i++) {
        profile.identity.pid = i % 2 ? INT64_MIN : INT64_MAX;
        profile.identity.task = i % 3 ? INT64_MAX : INT64_MIN;
        profile.identity.start_boot_ns = INT64_MAX - i % 5;
        profile.identity.start_unix_ns = i % 7 ? INT64_MIN : INT64_MAX;
        profile.identity.process_start_boot_ns = i % 4 ? INT64_MAX : -2;
        hl_image_describe(&image, &profile);
        image.suffix = i;
        ck_assert_int_eq(hl_images_add(&images, &image), 0);
    }
    ck_assert_int_eq(hl_ends_line(&ends, "task 0 9223372036854775799 0 0 9223372036854775799 -1"),
                     0);
    settle(); /* for the sanitizers */
    ck_assert_uint_gt(images.usable, 0);
}
END_TEST

START_TEST(finding_a_pid)
{
    size_t low, high;

    for (int pid = 10; pid < 30; pid += 2)
        for (int suffix = 0; suffix < 3; suffix++)
            add(pid, suffix, 0, 100 + suffix, 1000);
    settle();
    hl_images_of_pid(&images, 14, &low, &high);
    ck_assert_uint_eq(low, 6);
    ck_assert_uint_eq(high, 9);
    hl_images_of_pid(&images, 15, &low, &high);
    ck_assert_uint_eq(low, high);
    hl_images_of_pid(&images, 99, &low, &high);
    ck_assert_uint_eq(low, images.count);
    ck_assert_uint_eq(high, images.count);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gather_images");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, three_images_of_a_task);
    tcase_add_test(tcase, a_pid_given_again);
    tcase_add_test(tcase, the_slack_is_twenty_ms);
    tcase_add_test(tcase, an_exit_is_no_exec);
    tcase_add_test(tcase, pid_namespaces);
    tcase_add_test(tcase, a_running_process_keeps_all_its_files);
    tcase_add_test(tcase, replaced_by_an_unseen_image);
    tcase_add_test(tcase, the_vanished_end_with_the_step);
    tcase_add_test(tcase, the_task_is_the_last_that_had_started);
    tcase_add_test(tcase, another_tasks_process_is_not_it);
    tcase_add_test(tcase, one_profile_twice);
    tcase_add_test(tcase, damaged_ones_are_left_out);
    tcase_add_test(tcase, absurd_profiles);
    tcase_add_test(tcase, finding_a_pid);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
