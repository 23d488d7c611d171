/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * JOB and STEP, and what a node takes for its own. */
#include "spank/names.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct hl_ids plain = {.job = 1234, .step = 0, .array_task = HL_NO_ID};
static const struct hl_ids array = {.job = 1240, .step = 3, .array_job = 1234, .array_task = 7};
static const struct hl_ids again = {.job = 1234, .step = 0, .array_task = HL_NO_ID, .restarts = 1};

START_TEST(names)
{
    char out[HL_NAME_ROOM];

    hl_names_job(&plain, out);
    ck_assert_str_eq(out, "1234");
    hl_names_job(&array, out);
    ck_assert_str_eq(out, "1234_7");
    hl_names_job(&again, out);
    ck_assert_str_eq(out, "1234-r1");
    hl_names_step(&array, 1, out);
    ck_assert_str_eq(out, "3");
    hl_names_step(&array, 2, out);
    ck_assert_str_eq(out, "3.2");
}
END_TEST

struct row {
    const struct hl_ids *ids;
    const char *path;
    bool match;
};

static const struct row rows[] = {
    {&plain, "/x/1234/0", true},
    {&plain, "/1234/0", true},
    {&plain, "/x/1234/0.2", true},
    {&plain, "/x/1234/0.17", true},
    {&plain, "/x/1234-r1/0", true},
    {&again, "/x/1234-r1/0", true},
    {&again, "/x/1234/0", true},
    {&array, "/x/1234_7/3", true},
    {&array, "/x/1234_7-r2/3", true},
    {&array, "/x/1240/3", true},
    {&array, "/x/1234/3", false},
    {&array, "/x/1234_8/3", false},
    {&array, "/x/1234_77/3", false},
    {&plain, "", false},
    {&plain, "/", false},
    {&plain, "//", false},
    {&plain, "0", false},
    {&plain, "1234/0", false},
    {&plain, "x/1234/0", false},
    {&plain, "/x/1234/1", false},
    {&plain, "/x/1234/00", false},
    {&plain, "/x/1234/0.", false},
    {&plain, "/x/1234/0.x", false},
    {&plain, "/x/1234/0.02", false},
    {&plain, "/x/1234/0/", false},
    {&plain, "/x/12345/0", false},
    {&plain, "/x/01234/0", false},
    {&plain, "/x/1234-r/0", false},
    {&plain, "/x/1234-r0/0", false},
    {&plain, "/x/1234-r1x/0", false},
    {&plain, "/x/\n/1234/0", false},
};

START_TEST(matches)
{
    ck_assert(hl_names_match(rows[_i].ids, rows[_i].path) == rows[_i].match);
}
END_TEST

START_TEST(refuses_long)
{
    static char path[2 * HL_DIR_ROOM];

    memset(path, 'a', sizeof(path) - 1);
    path[0] = '/';
    memcpy(path + sizeof(path) - 9, "/1234/0", 8);
    ck_assert(!hl_names_match(&plain, path));
    ck_assert(hl_names_match(&plain, path + sizeof(path) - 9));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("names");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_test(test, names);
    tcase_add_loop_test(test, matches, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(test, refuses_long);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
