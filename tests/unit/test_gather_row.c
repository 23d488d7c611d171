/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A profile's row put right; rows of an earlier NODE.csv read back; what /proc
 * says of a process. */
#include "spank/gather_earlier.h"
#include "spank/gather_process.h"
#include "spank/gather_row.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct hl_profile profile;
static struct hl_image image;
static struct hl_order order;
static struct hl_task_end end;
static struct hl_row row;

static void setup(void)
{
    memset(&profile, 0, sizeof(profile));
    profile.identity.pid = 70;
    profile.identity.task = 4;
    profile.identity.start_boot_ns = 5000000000;
    profile.identity.start_unix_ns = 1700000000123000000;
    strcpy(profile.identity.job, "99");
    strcpy(profile.identity.exe, "/bin/app, \"x\"\n");
    profile.metrics[HL_M_VMRSS] = 4096;
    profile.metrics[HL_M_END_TIME] = -1;
    profile.metrics[HL_M_EXIT_CODE] = -1;
    memset(&image, 0, sizeof(image));
    hl_image_describe(&image, &profile);
    image.keep = true;
    image.number = 2;
    image.elapsed_ms = 7777;
    strcpy(order.job, "12_7");
    strcpy(order.step, "0");
    strcpy(order.node, "n1");
    memset(&end, 0, sizeof(end));
}

static void said_exit(int code)
{
    profile.metrics[HL_M_END] = HL_END_EXIT;
    profile.metrics[HL_M_EXIT_CODE] = code;
    profile.metrics[HL_M_END_TIME] = 3000000000;
    image.said_exit = true;
}

static void check_end(const char *ended, int64_t exit_code, int64_t number, int64_t elapsed_ms,
                      int64_t vmrss)
{
    ck_assert_str_eq(row.cell[HL_C_ENDED].s, ended);
    ck_assert_int_eq(row.cell[HL_C_EXIT_CODE].i, exit_code);
    ck_assert_int_eq(row.cell[HL_C_SIGNAL].i, number);
    ck_assert_int_eq(row.cell[HL_C_ELAPSED].i, elapsed_ms);
    ck_assert_int_eq(row.cell[HL_C_VMRSS].i, vmrss);
}

static void make_row(enum hl_image_fate fate, int64_t status, bool oom)
{
    image.fate = fate;
    end.status = status;
    end.oom = oom;
    hl_gather_row(&profile, &image, &end, &order, 6500000000, &row);
}

START_TEST(the_order_wins)
{
    make_row(HL_FATE_VANISHED, -1, false);
    ck_assert_str_eq(row.cell[HL_C_JOB].s, "12_7");
    ck_assert_str_eq(row.cell[HL_C_NODE].s, "n1");
    ck_assert_int_eq(row.cell[HL_C_TASK].i, 4);
    ck_assert_int_eq(row.cell[HL_C_IMAGE].i, 2);
    check_end("vanished", -1, -1, 7777, -1);
}
END_TEST

START_TEST(fates)
{
    make_row(HL_FATE_EXEC, -1, false);
    check_end("exec", -1, -1, 7777, -1);
    make_row(HL_FATE_RUNNING, -1, false);
    check_end("running", -1, -1, 1500, -1);
    make_row(HL_FATE_WAIT, 9, false);
    check_end("signal", -1, 9, 7777, -1);
    make_row(HL_FATE_WAIT, 9, true);
    check_end("oom", -1, 9, 7777, -1);
    make_row(HL_FATE_WAIT, 15, true);
    check_end("signal", -1, 15, 7777, -1);
    make_row(HL_FATE_WAIT, 0x8b, false); /* with a core */
    check_end("signal", -1, 11, 7777, -1);
    make_row(HL_FATE_WAIT, 3 << 8, false);
    check_end("exit", 3, 0, 7777, -1);
    ck_assert_str_ne(row.cell[HL_C_NOTE].s, "");
    make_row(HL_FATE_WAIT, 0x137f, false); /* stopped: no end */
    check_end("vanished", -1, -1, 7777, -1);
}
END_TEST

START_TEST(exits_by_their_own_word)
{
    said_exit(5);
    make_row(HL_FATE_EXIT, -1, false);
    check_end("exit", 5, 0, 3000, 4096);
    ck_assert_str_eq(row.cell[HL_C_NOTE].s, "");
    make_row(HL_FATE_WAIT, 6 << 8, false); /* _exit in an atexit handler */
    check_end("exit", 6, 0, 3000, 4096);
    make_row(HL_FATE_WAIT, 11, false); /* crashed while exiting */
    check_end("signal", -1, 11, 7777, -1);
}
END_TEST

START_TEST(not_kept_is_noted)
{
    image.keep = false;
    make_row(HL_FATE_VANISHED, -1, false);
    ck_assert_ptr_nonnull(strstr(row.cell[HL_C_NOTE].s, "not kept"));
}
END_TEST

START_TEST(not_seen)
{
    char note[HL_NOTE_BYTES];
    struct hl_task_end seen = {.task = 6, .pid = 81, .status = 256, .maxrss_bytes = 123};

    seen.profiles = 2;
    hl_gather_row_not_seen(&seen, &order, "host", note, &row);
    check_end("not_seen", 1, 0, -1, -1);
    ck_assert_int_eq(row.cell[HL_C_RANK].i, 6);
    ck_assert_int_eq(row.cell[HL_C_TASK].i, 6);
    ck_assert_int_eq(row.cell[HL_C_PID].i, 81);
    ck_assert_int_eq(row.cell[HL_C_VMHWM].i, 123);
    ck_assert_int_eq(row.cell[HL_C_PEAK].i, -1);
    ck_assert_str_eq(row.cell[HL_C_SOURCE].s, "plugin");
    ck_assert_ptr_nonnull(strstr(row.cell[HL_C_NOTE].s, "static"));
    ck_assert_ptr_nonnull(strstr(row.cell[HL_C_NOTE].s, "; 2 of other processes"));
    seen.status = 9;
    seen.oom = true;
    hl_gather_row_not_seen(&seen, &order, "host", note, &row);
    check_end("not_seen", -1, 9, -1, -1);
    ck_assert_ptr_nonnull(strstr(row.cell[HL_C_NOTE].s, "out of memory"));
    seen.status = -1;
    hl_gather_row_not_seen(&seen, &order, "host", note, &row);
    check_end("not_seen", -1, -1, -1, -1);
    ck_assert_uint_lt(strlen(note), HL_NOTE_BYTES - 1);
}
END_TEST

START_TEST(a_row_read_back)
{
    char line[HL_RECORD_LINE];
    struct hl_text text;
    struct hl_earlier_row back;

    make_row(HL_FATE_RUNNING, -1, false);
    hl_text_init(&text, line, sizeof(line));
    hl_record_line(&text, &row, 2);
    ck_assert_uint_eq(hl_csv_line_length(line, text.length), text.length);
    ck_assert_uint_eq(hl_csv_line_length(line, text.length - 1), 0);
    ck_assert_int_eq(hl_earlier_row_parse(line, text.length, &back), 0);
    ck_assert_int_eq(back.pid, 70);
    ck_assert_int_eq(back.task, 4);
    ck_assert_int_eq(back.image, 2);
    ck_assert_int_eq(back.start_ms, 1700000000123);
    ck_assert(back.running && !back.not_seen);
    ck_assert_int_eq(hl_earlier_row_parse(line, text.length - 1, &back), -EBADMSG);
    line[0] = ','; /* one column more */
    ck_assert_int_eq(hl_earlier_row_parse(line, text.length, &back), -EBADMSG);
    ck_assert_int_eq(hl_earlier_row_parse("1,2,3\n", 6, &back), -EBADMSG);
    ck_assert_int_eq(hl_earlier_row_parse("", 0, &back), -EBADMSG);
}
END_TEST

START_TEST(start_of_a_process)
{
    int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);

    ck_assert_int_eq(hl_process_start_ns("7 (a) b) (c) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 "
                                         "17 18 12345 20 21"),
                     12345 * tick_ns);
    ck_assert_int_eq(hl_process_start_ns("7 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "
                                         "12345 20 21"),
                     -1);
    ck_assert_int_eq(hl_process_start_ns("7 (a) R 1 2"), -1);
    ck_assert_int_eq(hl_process_start_ns(""), -1);
}
END_TEST

START_TEST(this_process_and_no_process)
{
    struct hl_image here = {.pid = getpid(), .process_start_boot_ns = -1, .inode = 1};
    struct timespec now;

    ck_assert_int_eq(clock_gettime(CLOCK_BOOTTIME, &now), 0);
    here.start_boot_ns = now.tv_sec * 1000000000 + now.tv_nsec;
    ck_assert_int_eq(hl_process_life(&here, &here), HL_LIFE_REPLACED); /* maps no inode 1 */
    here.start_boot_ns = 1000000000; /* this process began later */
    ck_assert_int_eq(hl_process_life(&here, &here), HL_LIFE_GONE);
    here.pid = 0;
    ck_assert_int_eq(hl_process_life(&here, &here), HL_LIFE_GONE);
    here.pid = INT64_MAX;
    ck_assert_int_eq(hl_process_life(&here, &here), HL_LIFE_GONE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gather_row");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, the_order_wins);
    tcase_add_test(tcase, fates);
    tcase_add_test(tcase, exits_by_their_own_word);
    tcase_add_test(tcase, not_kept_is_noted);
    tcase_add_test(tcase, not_seen);
    tcase_add_test(tcase, a_row_read_back);
    tcase_add_test(tcase, start_of_a_process);
    tcase_add_test(tcase, this_process_and_no_process);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
