/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * DIR's patterns. */
#include "spank/patterns.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct hl_pattern_values plain = {
    .ids = {.job = 1234, .step = 5, .array_job = 99, .array_task = HL_NO_ID},
    .user = "ada",
    .job_name = "run a/b",
};
static const struct hl_pattern_values array = {
    .ids = {.job = 1240, .step = 0, .array_job = 1234, .array_task = 7},
    .user = "ada",
    .job_name = "..",
};

struct good {
    const struct hl_pattern_values *values;
    const char *text;
    const char *expanded;
};

static const struct good good[] = {
    {&plain, "", ""},
    {&plain, "/x/y", "/x/y"},
    {&plain, "/x/%j", "/x/1234"},
    {&plain, "/x/%j.%s", "/x/1234.5"},
    {&plain, "/x/%u/%x", "/x/ada/run a_b"},
    {&plain, "%A-%a", "1234-0"},
    {&array, "%A-%a-%j", "1234-7-1240"},
    {&array, "/x/%x/y", "/x/__/y"},
    {&plain, "/x/%6j", "/x/001234"},
    {&plain, "/x/%2j", "/x/1234"},
    {&plain, "/x/%99j", "/x/0000001234"},
    {&plain, "/x/%99999999999999999999s", "/x/0000000005"},
    {&plain, "/x/%5u", "/x/ada"},
    {&plain, "100%%", "100%"},
    {&plain, "%%j", "%j"},
    {&plain, "\xff/\xc3\xa9", "\xff/\xc3\xa9"},
};

START_TEST(expands)
{
    char out[256];
    struct hl_error err = {""};

    ck_assert_int_eq(hl_patterns_check(good[_i].text, &err), 0);
    ck_assert_int_eq(hl_patterns_expand(good[_i].text, good[_i].values, out, sizeof(out), &err), 0);
    ck_assert_str_eq(out, good[_i].expanded);
}
END_TEST

struct bad {
    const char *text;
    const char *said; /* is in the message */
};

static const struct bad bad[] = {
    {"/x/%N", "%N"},        {"/x/%n", "%n"},    {"%t", "%t"},        {"/x/%5t", "%t"},
    {"/x/%q", "%q"},        {"/x/%J", "%J"},    {"/x/%", "lone"},    {"/x/%12", "lone"},
    {"/x\ny", "control"},   {"/x/%\n", "lone"}, {"\x7f", "control"}, {"/x/\x1b[2J", "control"},
    {"/ok/%j/%u/%N", "%N"},
};

START_TEST(refuses)
{
    char out[256];
    struct hl_error err = {""};

    ck_assert_int_eq(hl_patterns_check(bad[_i].text, &err), -EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, bad[_i].said));
    ck_assert_int_eq(hl_patterns_expand(bad[_i].text, &plain, out, sizeof(out), &err), -EINVAL);
    ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(knows_its_limits)
{
    char text[4096], out[64];
    struct hl_error err;

    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(hl_patterns_check(text, &err), -EINVAL);
    text[100] = '\0';
    ck_assert_int_eq(hl_patterns_check(text, &err), 0);
    ck_assert_int_eq(hl_patterns_expand(text, &plain, out, sizeof(out), &err), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("patterns");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_loop_test(test, expands, 0, sizeof(good) / sizeof(good[0]));
    tcase_add_loop_test(test, refuses, 0, sizeof(bad) / sizeof(bad[0]));
    tcase_add_test(test, knows_its_limits);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
