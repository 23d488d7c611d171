/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Bounded text: every number, size and field that a record or report prints.
 */
#include "libheapline/text.h"
#include "tests/unit/report.h"

#include <string.h>

static char buffer[256];
static struct hl_text text;

static void setup(void)
{
    memset(buffer, 'x', sizeof(buffer));
    hl_text_init(&text, buffer, sizeof(buffer));
}

static const struct {
    int64_t bytes;
    const char *want;
} sizes[] = {
    {-1, "-"},
    {0, "0"},
    {1, "1"},
    {1023, "1023"},
    {1024, "1.00K"},
    {1536, "1.50K"},
    {1029, "1.00K"},
    {1030, "1.01K"},
    {1000000, "976.56K"},
    {1048575, "1.00M"},
    {1048576, "1.00M"},
    {1073741823, "1.00G"},
    {302268416, "288.27M"},
    {INT64_MAX, "8.00E"},
    {INT64_MIN, "-"},
};

START_TEST(size)
{
    hl_text_size(&text, sizes[_i].bytes);
    ck_assert_str_eq(buffer, sizes[_i].want);
    ck_assert(!text.cut);
}
END_TEST

static const struct {
    int64_t ms;
    const char *want;
} times[] = {
    {-1, "-1"},        {0, "0.000"},      {7, "0.007"},
    {12480, "12.480"}, {60000, "60.000"}, {INT64_MAX, "9223372036854775.807"},
    {INT64_MIN, "-1"},
};

START_TEST(seconds)
{
    hl_text_seconds(&text, times[_i].ms);
    ck_assert_str_eq(buffer, times[_i].want);
}
END_TEST

START_TEST(integers)
{
    hl_text_int(&text, INT64_MIN);
    hl_text_string(&text, " ");
    hl_text_int(&text, INT64_MAX);
    hl_text_string(&text, " ");
    hl_text_int(&text, 0);
    ck_assert_str_eq(buffer, "-9223372036854775808 9223372036854775807 0");
}
END_TEST

static const struct {
    const char *bytes, *want;
} fields[] = {
    {"", ""},
    {"plain", "plain"},
    {" blanks ", " blanks "},
    {"na,me", "\"na,me\""},
    {"a\"b", "\"a\"\"b\""},
    {"\"", "\"\"\"\""},
    {"a\nb", "\"a\nb\""},
    {"a\rb", "\"a\rb\""},
    {"=cmd()", "=cmd()"},
    {"\xff\xfe", "\xff\xfe"},
};

START_TEST(field)
{
    hl_text_field(&text, fields[_i].bytes);
    ck_assert_str_eq(buffer, fields[_i].want);
}
END_TEST

START_TEST(cuts_and_ends_with_nul)
{
    char small[4] = "zzz";

    hl_text_init(&text, small, sizeof(small));
    hl_text_string(&text, "abc");
    ck_assert(!text.cut);
    hl_text_string(&text, "d");
    ck_assert(text.cut);
    ck_assert_str_eq(small, "abc");
    ck_assert_uint_eq(text.length, 3);
}
END_TEST

static const struct {
    const char *string;
    int64_t want;
} numbers[] = {
    {"0", 0},   {"12", 12}, {"007", 7}, {"", -1},   {"-1", -1},
    {" 1", -1}, {"1 ", -1}, {"1x", -1}, {"+1", -1}, {"99999999999999999999", -1},
};

START_TEST(number)
{
    ck_assert_int_eq(hl_text_number(numbers[_i].string), numbers[_i].want);
}
END_TEST

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

int main(void)
{
    TCase *tests = tcase_create("text");

    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_loop_test(tests, size, 0, COUNT(sizes));
    tcase_add_loop_test(tests, seconds, 0, COUNT(times));
    tcase_add_test(tests, integers);
    tcase_add_loop_test(tests, field, 0, COUNT(fields));
    tcase_add_test(tests, cuts_and_ends_with_nul);
    tcase_add_loop_test(tests, number, 0, COUNT(numbers));
    return run_case(tests, "text");
}
