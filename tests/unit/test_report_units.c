/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Numbers as they come in, add up and go out.
 */
#include "report/units.h"
#include "tests/unit/report.h"

#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static const struct {
    const char *text;
    bool good;
    int64_t want;
} ints[] = {
    {"0", true, 0},
    {"-1", true, -1},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775807", true, -INT64_MAX},
    {"9223372036854775808", false, 0},
    {"99999999999999999999999", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+1", false, 0},
    {"1.0", false, 0},
    {" 1", false, 0},
    {"0x10", false, 0},
    {"1e3", false, 0},
};

START_TEST(parse_int)
{
    int64_t value = 42;
    bool good = hl_parse_int(ints[_i].text, strlen(ints[_i].text), &value);

    ck_assert_int_eq(good, ints[_i].good);
    ck_assert_int_eq(value, good ? ints[_i].want : 42);
}
END_TEST

static const struct {
    const char *text;
    bool good;
    int64_t want;
} times[] = {
    {"12.480", true, 12480},
    {"0.000", true, 0},
    {"-1", true, -1},
    {"7", true, 7000},
    {"7.5", true, 7500},
    {"7.123456789", true, 7123},
    {"9223372036854775.807", true, INT64_MAX},
    {"9223372036854775.808", false, 0},
    {"9223372036854776.0", false, 0},
    {"18446744073709552.0", false, 0},
    {"12,480", false, 0},
    {".5", false, 0},
    {"5.", false, 0},
    {"-2", false, 0},
    {"-0.5", false, 0},
    {"1.1234567890", false, 0},
    {"nan", false, 0},
    {"", false, 0},
};

START_TEST(parse_ms)
{
    int64_t value = 42;
    bool good = hl_parse_ms(times[_i].text, strlen(times[_i].text), &value);

    ck_assert_int_eq(good, times[_i].good);
    if (good)
        ck_assert_int_eq(value, times[_i].want);
}
END_TEST

START_TEST(sums_do_not_wrap)
{
    ck_assert_int_eq(hl_add(1, 2), 3);
    ck_assert_int_eq(hl_add(1, -1), 1);
    ck_assert_int_eq(hl_add(INT64_MAX, 1), INT64_MAX);
    ck_assert_int_eq(hl_less(5, 3), 2);
    ck_assert_int_eq(hl_less(5, -1), 5);
    ck_assert_int_eq(hl_less(INT64_MIN, INT64_MAX), INT64_MIN);
}
END_TEST

static const struct {
    int64_t ms;
    const char *duration, *utc;
} clocks[] = {
    {-1, "-", "-"},
    {0, "0.000 s", "1970-01-01 00:00:00 UTC"},
    {59999, "59.999 s", "1970-01-01 00:00:59 UTC"},
    {60000, "00:01:00", "1970-01-01 00:01:00 UTC"},
    {93784100, "1-02:03:04", "1970-01-02 02:03:04 UTC"},
    {HL_UTC_MAX, "2932896-23:59:59", "9999-12-31 23:59:59 UTC"},
    {HL_UTC_MAX + 1, "2932897-00:00:00", "-"},
    {INT64_MAX, "106751991167-07:12:55", "-"},
};

START_TEST(clock_texts)
{
    char buffer[64];
    struct hl_text text;

    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_duration(&text, clocks[_i].ms);
    ck_assert_str_eq(buffer, clocks[_i].duration);
    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_utc(&text, clocks[_i].ms);
    ck_assert_str_eq(buffer, clocks[_i].utc);
}
END_TEST

START_TEST(ranges)
{
    char buffer[256];
    struct hl_text text;
    struct hl_ranges r = {.out = &text};

    hl_text_init(&text, buffer, sizeof(buffer));
    hl_ranges_end(&r);
    ck_assert_str_eq(buffer, "");
    hl_ranges_add(&r, 0, 0);
    hl_ranges_add(&r, 1, 1);
    hl_ranges_add(&r, 2, 3);
    hl_ranges_add(&r, 3, 3);
    hl_ranges_add(&r, 7, 7);
    hl_ranges_add(&r, 9, INT64_MAX);
    hl_ranges_add(&r, INT64_MAX, INT64_MAX);
    hl_ranges_end(&r);
    ck_assert_str_eq(buffer, "0-3,7,9-9223372036854775807");
}
END_TEST

START_TEST(ranges_are_bounded)
{
    char buffer[256];
    struct hl_text text;
    struct hl_ranges r = {.out = &text};

    hl_text_init(&text, buffer, sizeof(buffer));
    for (int64_t n = 0; n < 100000; n += 2)
        hl_ranges_add(&r, n, n);
    hl_ranges_end(&r);
    ck_assert_str_eq(buffer, "0,2,4,6,8,10,12,14,16,18,20,22,...");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_units");

    tcase_add_loop_test(tests, parse_int, 0, COUNT(ints));
    tcase_add_loop_test(tests, parse_ms, 0, COUNT(times));
    tcase_add_test(tests, sums_do_not_wrap);
    tcase_add_loop_test(tests, clock_texts, 0, COUNT(clocks));
    tcase_add_test(tests, ranges);
    tcase_add_test(tests, ranges_are_bounded);
    return run_case(tests, "report_units");
}
