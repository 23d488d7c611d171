/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The record's two versions as they are written: what is frozen must not move.
 */
#include "libheapline/record.h"
#include "tests/unit/report.h"

#include <string.h>

static char buffer[HL_RECORD_LINE];
static struct hl_text text;
static struct hl_row row;

static void setup(void)
{
    hl_text_init(&text, buffer, sizeof(buffer));
    hl_row_init(&row);
}

#define KEYS_1                                                                   \
    "rank,host,pid,job,elapsed_s,allocs,frees,peak_heap_bytes,peak_heap_time_s," \
    "live_heap_at_exit_bytes,vmhwm_bytes,vmrss_at_exit_bytes"
#define KEYS_2                                                                               \
    ",step,node,task,world,role,ppid,image,exe,start_time_s,ended,exit_code,signal,threads," \
    "inherited_bytes,source,note"

START_TEST(headers_are_frozen)
{
    hl_record_header(&text, 1);
    ck_assert_str_eq(buffer, "# heapline 1\n" KEYS_1 "\n");
    setup();
    hl_record_header(&text, 2);
    ck_assert_str_eq(buffer, "# heapline 2\n" KEYS_1 KEYS_2 "\n");
    ck_assert_int_eq(HL_C_COUNT, 28);
}
END_TEST

START_TEST(unknown_is_minus_one_or_empty)
{
    hl_record_line(&text, &row, 1);
    ck_assert_str_eq(buffer, "-1,,-1,,-1,-1,-1,-1,-1,-1,-1,-1\n");
    setup();
    hl_record_line(&text, &row, 2);
    ck_assert_str_eq(buffer, "-1,,-1,,-1,-1,-1,-1,-1,-1,-1,-1,,,-1,,,-1,-1,,-1,,-1,-1,-1,-1,,\n");
}
END_TEST

START_TEST(the_example_of_the_specification)
{
    row.cell[HL_C_RANK].i = 3;
    row.cell[HL_C_HOST].s = "node-a";
    row.cell[HL_C_PID].i = 51234;
    row.cell[HL_C_JOB].s = "1655310";
    row.cell[HL_C_ELAPSED].i = 12480;
    row.cell[HL_C_ALLOCS].i = 4153;
    row.cell[HL_C_FREES].i = 4123;
    row.cell[HL_C_PEAK].i = 302268416;
    row.cell[HL_C_PEAK_TIME].i = 4211;
    row.cell[HL_C_LIVE].i = 483532;
    row.cell[HL_C_VMHWM].i = 331431936;
    row.cell[HL_C_VMRSS].i = 9175040;
    hl_record_line(&text, &row, 1);
    ck_assert_str_eq(
        buffer,
        "3,node-a,51234,1655310,12.480,4153,4123,302268416,4.211,483532,331431936,9175040\n");
}
END_TEST

START_TEST(quotes_only_where_needed)
{
    row.cell[HL_C_EXE].s = "/opt/na,me";
    row.cell[HL_C_NOTE].s = "two\nlines \"x\"";
    hl_record_line(&text, &row, 2);
    ck_assert_ptr_nonnull(strstr(buffer, ",\"/opt/na,me\",-1,"));
    ck_assert_ptr_nonnull(strstr(buffer, ",\"two\nlines \"\"x\"\"\"\n"));
}
END_TEST

START_TEST(every_column_is_described)
{
    for (int c = 0; c < HL_C_COUNT; c++) {
        ck_assert(*hl_columns[c].key && *hl_columns[c].doc);
        ck_assert_int_eq(hl_columns[c].since, c < HL_C_COUNT_V1 ? 1 : 2);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("record");

    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, headers_are_frozen);
    tcase_add_test(tests, unknown_is_minus_one_or_empty);
    tcase_add_test(tests, the_example_of_the_specification);
    tcase_add_test(tests, quotes_only_where_needed);
    tcase_add_test(tests, every_column_is_described);
    return run_case(tests, "record");
}
