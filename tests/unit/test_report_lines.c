/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Lines of any length, ahead and on, in bounded memory.
 */
#include "report/lines.h"
#include "tests/unit/report.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct hl_lines lines;
static int fd;

static void setup(void)
{
    fd = memfd_create("lines", 0);
    ck_assert_int_ge(fd, 0);
}

static void teardown(void)
{
    hl_lines_fini(&lines);
    close(fd);
}

static void put(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, bytes, length);

        ck_assert_int_gt(n, 0);
        bytes += n;
        length -= (size_t)n;
    }
}

static void begin(void)
{
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    ck_assert_int_eq(hl_lines_init(&lines, fd), 0);
}

START_TEST(looks_ahead_and_goes_back)
{
    size_t n;

    put("one\ntwo\nlast", 12);
    begin();
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 1);
    ck_assert_uint_eq(n, 4);
    ck_assert_int_eq(hl_lines_peek(&lines, 4, &n), 1);
    ck_assert_int_eq(hl_lines_peek(&lines, 8, &n), 1);
    ck_assert_uint_eq(n, 4);
    ck_assert_int_eq(hl_lines_peek(&lines, 12, &n), 0);
    hl_lines_skip(&lines, 4, 1);
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 1);
    ck_assert_mem_eq(lines.buffer + lines.start, "two\n", 4);
    ck_assert_uint_eq(lines.number, 2);
}
END_TEST

START_TEST(empty_file)
{
    size_t n;

    begin();
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 0);
}
END_TEST

START_TEST(long_lines_are_skipped)
{
    static char block[64 * 1024];
    size_t n;

    memset(block, 'x', sizeof(block));
    for (size_t total = 0; total <= 4 * HL_LINE_MAX; total += sizeof(block))
        put(block, sizeof(block));
    put("\nnext\n", 6);
    begin();
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), -E2BIG);
    ck_assert_int_eq(hl_lines_skip_long(&lines), 0);
    ck_assert_uint_eq(lines.number, 2);
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 1);
    ck_assert_mem_eq(lines.buffer + lines.start, "next\n", 5);
    ck_assert_uint_le(lines.capacity, 4 * HL_LINE_MAX);
}
END_TEST

START_TEST(many_lines)
{
    size_t n;

    for (int i = 0; i < 30000; i++)
        put("0123456789\n", 11);
    begin();
    for (int i = 0; i < 30000; i++) {
        ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 1);
        ck_assert_mem_eq(lines.buffer + lines.start, "0123456789\n", 11);
        hl_lines_skip(&lines, n, 1);
    }
    ck_assert_int_eq(hl_lines_peek(&lines, 0, &n), 0);
    ck_assert_uint_le(lines.capacity, 256 * 1024);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_lines");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, looks_ahead_and_goes_back);
    tcase_add_test(tests, empty_file);
    tcase_add_test(tests, long_lines_are_skipped);
    tcase_add_test(tests, many_lines);
    return run_case(tests, "report_lines");
}
