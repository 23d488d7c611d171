/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * plugstack.conf's arguments. */
#include "spank/plugconf.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static unsigned serious_count, other_count;
static char last[1024];

static void say(bool serious, const char *text)
{
    if (serious)
        serious_count++;
    else
        other_count++;
    (void)strncpy(last, text, sizeof(last) - 1);
}

static void reset(void)
{
    serious_count = other_count = 0;
    memset(last, 0, sizeof(last));
}

static void load(struct hl_plugconf *conf, const char *argument)
{
    char copy[2048];
    char *argv[] = {copy};

    (void)strncpy(copy, argument, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    hl_plugconf_load(conf, 1, argv, say);
}

START_TEST(has_defaults)
{
    static struct hl_plugconf conf;

    hl_plugconf_load(&conf, 0, NULL, say);
    ck_assert_str_eq(conf.library, HL_LIBRARY_PATH);
    ck_assert_str_eq(conf.gather, HL_GATHER_PATH);
    ck_assert_str_eq(conf.report, HL_REPORT_PATH);
    ck_assert_str_eq(conf.staging, "/run/heapline");
    ck_assert_str_eq(conf.dir, "");
    ck_assert(!conf.default_on);
    ck_assert(!conf.quiet);
    ck_assert_int_eq(conf.gather_timeout_s, 10);
    ck_assert_int_eq(conf.report_timeout_s, 60);
    ck_assert_uint_eq(serious_count + other_count, 0);
}
END_TEST

START_TEST(takes_all)
{
    static struct hl_plugconf conf;
    char text[][40] = {"library=/l.so",    "gather=/g",           "report=/r",
                       "dir=/d/%u/a=b",    "default=on",          "quiet",
                       "gather_timeout=3", "report_timeout=3600", "staging=/s/heapline"};
    char *argv[9];

    for (int i = 0; i < 9; i++)
        argv[i] = text[i];
    hl_plugconf_load(&conf, 9, argv, say);
    ck_assert_uint_eq(serious_count + other_count, 0);
    ck_assert_str_eq(conf.library, "/l.so");
    ck_assert_str_eq(conf.gather, "/g");
    ck_assert_str_eq(conf.report, "/r");
    ck_assert_str_eq(conf.dir, "/d/%u/a=b");
    ck_assert_str_eq(conf.staging, "/s/heapline");
    ck_assert(conf.default_on);
    ck_assert(conf.quiet);
    ck_assert_int_eq(conf.gather_timeout_s, 3);
    ck_assert_int_eq(conf.report_timeout_s, 3600);
}
END_TEST

static const char *const bad[] = {
    "library=lib.so",
    "library=/a:b.so",
    "library=",
    "library",
    "gather=g",
    "report=",
    "staging=run",
    "dir=",
    "dir",
    "dir=/x/%N",
    "dir=/x/%",
    "default=yes",
    "default",
    "default=ON",
    "quiet=yes",
    "gather_timeout=0",
    "gather_timeout=x",
    "gather_timeout=-1",
    "gather_timeout=10s",
    "gather_timeout=3601",
    "report_timeout=",
    "report_timeout=1e3",
    "default=on",
};

START_TEST(keeps_default_for_bad_values)
{
    static struct hl_plugconf conf, start;

    hl_plugconf_load(&start, 0, NULL, say);
    load(&conf, bad[_i]);
    ck_assert_uint_eq(serious_count, 1);
    ck_assert_uint_eq(other_count, 0);
    ck_assert_int_eq(memcmp(&conf, &start, sizeof(conf)), 0);
    ck_assert_ptr_nonnull(strstr(last, "kept"));
}
END_TEST

static const char *const unknown[] = {"", "=", "librar=/x", "libraryy=/x", "LIBRARY=/x", "x"};

START_TEST(ignores_unknown)
{
    static struct hl_plugconf conf, start;

    hl_plugconf_load(&start, 0, NULL, say);
    load(&conf, unknown[_i]);
    ck_assert_uint_eq(serious_count, 0);
    ck_assert_uint_eq(other_count, 1);
    ck_assert_int_eq(memcmp(&conf, &start, sizeof(conf)), 0);
}
END_TEST

START_TEST(bounds_length)
{
    static struct hl_plugconf conf;
    char text[2000] = "library=/";

    memset(text + 9, 'a', sizeof(text) - 10);
    load(&conf, text);
    ck_assert_uint_eq(serious_count, 1);
    ck_assert_str_eq(conf.library, HL_LIBRARY_PATH);
}
END_TEST

static const struct {
    long timeout, first, again;
} limits[] = {{1, 1, 1}, {5, 5, 5}, {6, 6, 5}, {15, 15, 5}, {3600, 3600, 5}};

START_TEST(second_gather_is_short)
{
    static struct hl_plugconf conf;

    conf.gather_timeout_s = limits[_i].timeout;
    ck_assert_int_eq(hl_plugconf_gather_limit_s(&conf, false), limits[_i].first);
    ck_assert_int_eq(hl_plugconf_gather_limit_s(&conf, true), limits[_i].again);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plugconf");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_checked_fixture(test, reset, NULL);
    tcase_add_test(test, has_defaults);
    tcase_add_test(test, takes_all);
    tcase_add_loop_test(test, keeps_default_for_bad_values, 0, sizeof(bad) / sizeof(bad[0]));
    tcase_add_loop_test(test, ignores_unknown, 0, sizeof(unknown) / sizeof(unknown[0]));
    tcase_add_test(test, bounds_length);
    tcase_add_loop_test(test, second_gather_is_short, 0, sizeof(limits) / sizeof(limits[0]));
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
