/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The figures of a step: nothing wraps, nothing unknown counts as zero.
 */
#include "report/collate.h"
#include "report/summary.h"
#include "tests/unit/table.h"

static struct hl_summary summary;

static void work_out(const char *text)
{
    ck_assert_int_eq(read_bytes(text, strlen(text)), 0);
    ck_assert_int_eq(hl_collate(&table, &problems), 0);
    ck_assert_int_eq(hl_summary_init(&summary, step), 0);
}

static void teardown(void)
{
    hl_summary_fini(&summary);
    close_table();
}

START_TEST(odd_and_even_medians)
{
    work_out(HEADER_1 ROW_1(0, 100) ROW_1(1, 400) ROW_1(2, 200));
    ck_assert_int_eq(summary.peak.median, 200);
    hl_summary_fini(&summary);
    work_out(HEADER_1 ROW_1(3, 300));
    ck_assert_int_eq(summary.peak.median, 250);
    ck_assert_int_eq(summary.peak.min, 100);
    ck_assert_int_eq(summary.peak.max, 400);
    ck_assert_int_eq(summary.peak.highest->row.cell[HL_C_RANK].i, 1);
    ck_assert_double_eq_tol(hl_imbalance(&summary.peak), 1.6, 1e-9);
}
END_TEST

START_TEST(huge_figures)
{
    work_out(HEADER_1 ROW_1(0, 9223372036854775807) ROW_1(1, 9223372036854775807));
    ck_assert_int_eq(summary.peak.median, INT64_MAX);
    ck_assert_int_eq(summary.peak.sum, INT64_MAX);
    ck_assert_double_eq_tol(hl_imbalance(&summary.peak), 1.0, 1e-9);
}
END_TEST

START_TEST(unknown_figures_do_not_count)
{
    work_out(HEADER_1 ROW_1(0, -1) ROW_1(1, 50) ROW_1(4, 0));
    ck_assert_uint_eq(summary.peak.count, 2);
    ck_assert_int_eq(summary.peak.min, 0);
    ck_assert_uint_eq(summary.subject_count, 3);
    ck_assert_uint_eq(summary.expected, 5);
    ck_assert_ptr_nonnull(strstr(said, "ranks 2-3 of 0-4: no row"));
}
END_TEST

START_TEST(nothing_known)
{
    work_out(HEADER_1 ROW_1(0, -1));
    ck_assert_uint_eq(summary.peak.count, 0);
    ck_assert_ptr_null(summary.peak.highest);
    ck_assert_double_eq(hl_imbalance(&summary.peak), 0);
}
END_TEST

START_TEST(no_rows)
{
    ck_assert_int_eq(hl_summary_init(&summary, step), 0);
    ck_assert_uint_eq(summary.subject_count, 0);
    ck_assert_uint_eq(summary.node_count, 0);
}
END_TEST

START_TEST(endings)
{
    struct hl_rec rec = {.bits = 0};

    hl_row_init(&rec.row);
    ck_assert(!hl_ended_badly(&rec));
    rec.row.cell[HL_C_ENDED].s = "exec";
    ck_assert(!hl_ended_badly(&rec));
    rec.row.cell[HL_C_ENDED].s = "running";
    ck_assert(!hl_ended_badly(&rec));
    rec.row.cell[HL_C_ENDED].s = "oom";
    ck_assert(hl_ended_badly(&rec));
    rec.row.cell[HL_C_ENDED].s = "exit";
    ck_assert(!hl_ended_badly(&rec));
    rec.row.cell[HL_C_EXIT_CODE].i = 1;
    ck_assert(hl_ended_badly(&rec));
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_summary");

    tcase_add_checked_fixture(tests, open_table, teardown);
    tcase_add_test(tests, odd_and_even_medians);
    tcase_add_test(tests, huge_figures);
    tcase_add_test(tests, unknown_figures_do_not_count);
    tcase_add_test(tests, nothing_known);
    tcase_add_test(tests, no_rows);
    tcase_add_test(tests, endings);
    return run_case(tests, "report_summary");
}
