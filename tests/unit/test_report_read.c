/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Records to rows, line by damaged line.
 */
#include "tests/unit/table.h"

#include <errno.h>

#define READ(text) read_bytes(text, sizeof(text) - 1)

static int64_t rank_at(size_t i)
{
    ck_assert_uint_lt(i, step->count);
    return step->recs[i]->row.cell[HL_C_RANK].i;
}

START_TEST(good_rows)
{
    ck_assert_int_eq(READ(HEADER_1 ROW_1(0, 100) ROW_1(1, 200)), 0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_int_eq(step->recs[1]->row.cell[HL_C_PEAK].i, 200);
    ck_assert_int_eq(step->recs[1]->row.cell[HL_C_PEAK_TIME].i, 500);
    ck_assert_uint_eq(step->recs[1]->place, 4);
    ck_assert_str_eq(step->recs[1]->row.cell[HL_C_SOURCE].s, "record");
    ck_assert_int_eq(step->recs[1]->row.cell[HL_C_TASK].i, -1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(records_one_after_the_other)
{
    ck_assert_int_eq(
        READ(HEADER_1 ROW_1(0, 1) HEADER_1 ROW_1(1, 1) "# heapline 5\nx\n" HEADER_1 ROW_1(2, 1)),
        0);
    ck_assert_uint_eq(step->count, 3);
    ck_assert_ptr_nonnull(strstr(said, "f:7: record version 5"));
    ck_assert_uint_eq(problems.damaged, 1);
}
END_TEST

START_TEST(dos_mark_and_missing_newline)
{
    ck_assert_int_eq(
        READ("\xef\xbb\xbf# heapline 1\r\n" KEYS_1
             "\r\n0,n1,1,,1.000,5,4,9,0.500,1,2,3\r\n\r\n1,n1,1,,1.000,5,4,9,0.500,1,2,3"),
        0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_str_eq(step->recs[0]->row.cell[HL_C_JOB].s, "");
    ck_assert_int_eq(step->recs[0]->row.cell[HL_C_VMRSS].i, 3);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_torn_quote_takes_one_line_only)
{
    ck_assert_int_eq(READ(HEADER_1 "0,\"n1,1,77\n" ROW_1(1, 1) ROW_1(2, 1)), 0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_int_eq(rank_at(0), 1);
    ck_assert_str_eq(said, "f:3: rank 0: row left out: a quote that nothing closes\n");
}
END_TEST

START_TEST(two_torn_quotes)
{
    ck_assert_int_eq(READ(HEADER_1 "0,\"n1,1,77\n" ROW_1(1, 1) "2,\"n1\n" ROW_1(3, 1)), 0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_int_eq(rank_at(0), 1);
    ck_assert_int_eq(rank_at(1), 3);
    ck_assert_uint_eq(problems.damaged, 2);
}
END_TEST

START_TEST(a_quoted_line_break_is_no_tear)
{
    ck_assert_int_eq(READ(HEADER_1 "0,\"n\n1\"\"\",1,77,1.000,5,4,9,0.500,1,2,3\n" ROW_1(1, 1)), 0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_str_eq(step->recs[0]->row.cell[HL_C_HOST].s, "n\n1\"");
    ck_assert_uint_eq(step->recs[1]->place, 5);
}
END_TEST

START_TEST(holes_between_lines)
{
    ck_assert_int_eq(READ(HEADER_1 "\0\0\0" ROW_1(0, 1) "\0\0\0\0\n" ROW_1(1, 1) "2,n\0,1,1\n"), 0);
    ck_assert_uint_eq(step->count, 2);
    ck_assert_uint_eq(problems.damaged, 2);
}
END_TEST

START_TEST(remarks)
{
    ck_assert_int_eq(READ("# heapline 1\n" KEYS_1 "\n# 3 profiles not kept\n" ROW_1(0, 1)), 0);
    ck_assert_uint_eq(step->remark_count, 1);
    ck_assert_str_eq(step->remarks[0].text, "3 profiles not kept");
    ck_assert_str_eq(step->remarks[0].node, "n1");
}
END_TEST

START_TEST(no_record_at_all)
{
    static char noise[256 * 1024];

    ck_assert_int_eq(READ(""), -EBADMSG);
    ck_assert_int_eq(READ("hello\n"), -EBADMSG);
    ck_assert_int_eq(READ("# heap"), -EBADMSG);
    memset(noise, 'x', sizeof(noise));
    ck_assert_int_eq(read_bytes(noise, sizeof(noise)), -EBADMSG);
    memset(noise, '\n', sizeof(noise));
    ck_assert_int_eq(read_bytes(noise, sizeof(noise)), -EBADMSG);
    ck_assert_uint_eq(step->count, 0);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(complaints_are_bounded)
{
    static char text[1024 * 1024];
    size_t n = strlen(HEADER_1);

    memcpy(text, HEADER_1, n);
    for (; n + 3 < sizeof(text); n += 3)
        memcpy(text + n, "x,\n", 3);
    ck_assert_int_eq(read_bytes(text, n), 0);
    ck_assert_uint_gt(problems.damaged, 300000);
    ck_assert_uint_lt(strlen(said), 4096);
    ck_assert_ptr_nonnull(strstr(said, "f: and "));
}
END_TEST

/* Rows repeat their strings: memory must not. */
START_TEST(strings_are_kept_once)
{
    ck_assert_int_eq(READ(HEADER_1 ROW_1(0, 1) ROW_1(1, 1)), 0);
    ck_assert_ptr_eq(step->recs[0]->row.cell[HL_C_HOST].s, step->recs[1]->row.cell[HL_C_HOST].s);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_read");

    tcase_add_checked_fixture(tests, open_table, close_table);
    tcase_add_test(tests, good_rows);
    tcase_add_test(tests, records_one_after_the_other);
    tcase_add_test(tests, dos_mark_and_missing_newline);
    tcase_add_test(tests, a_torn_quote_takes_one_line_only);
    tcase_add_test(tests, two_torn_quotes);
    tcase_add_test(tests, a_quoted_line_break_is_no_tear);
    tcase_add_test(tests, holes_between_lines);
    tcase_add_test(tests, remarks);
    tcase_add_test(tests, no_record_at_all);
    tcase_add_test(tests, complaints_are_bounded);
    tcase_add_test(tests, strings_are_kept_once);
    return run_case(tests, "report_read");
}
