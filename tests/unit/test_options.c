/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * --heapline[=DIR]: values, and who wins. */
#include "spank/options.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNSET "unset" /* no call at all, where NULL is a value */

struct row {
    const char *form; /* Slurm's environment form */
    const char *line; /* command line */
    struct hl_surroundings around;
    int on;
    const char *dir;
};

#define CWD .cwd = "/home/ada"

static const struct row rows[] = {
    {UNSET, UNSET, {CWD}, 0, ""},
    /* the command line */
    {UNSET, "/x", {CWD}, 1, "/x"},
    {UNSET, "x/%j", {CWD}, 1, "/home/ada/x/%j"},
    {UNSET, "./x//", {CWD}, 1, "/home/ada/x"},
    {UNSET, ".//x", {CWD}, 1, "/home/ada/x"},
    {UNSET, "/", {CWD}, 1, "/"},
    {UNSET, NULL, {CWD}, 1, "/home/ada/heapline"},
    {UNSET, "", {CWD}, 1, "/home/ada/heapline"},
    {UNSET, "(null)", {CWD}, 1, "/home/ada/heapline"},
    {UNSET, NULL, {CWD, .site_dir = "/scratch/%u"}, 1, "/scratch/%u"},
    {UNSET, NULL, {CWD, .site_dir = ""}, 1, "/home/ada/heapline"},
    {UNSET, "off", {CWD, .site_on = true, .site_dir = "/s"}, 0, ""},
    {UNSET, "x", {.cwd = "/home/100%/j"}, 1, "/home/100%%/j/x"},
    {UNSET, "x", {.cwd = NULL}, -ENOENT, ""},
    {UNSET, "/x", {.cwd = NULL}, 1, "/x"},
    /* inherited */
    {"/a", UNSET, {CWD}, 1, "/a"},
    {"a", UNSET, {CWD, .slurm_dir = "/submit/a"}, 1, "/submit/a"},
    {"a", UNSET, {CWD}, 1, "/home/ada/a"},
    {"(null)", UNSET, {CWD, .slurm_dir = "/submit/heapline"}, 1, "/submit/heapline"},
    {"(null)", UNSET, {CWD}, 1, "/home/ada/heapline"},
    {"off", UNSET, {CWD, .slurm_dir = "/a", .site_on = true, .site_dir = "/s"}, 0, ""},
    {UNSET, UNSET, {CWD, .slurm_dir = "/a"}, 1, "/a"},
    {UNSET, UNSET, {CWD, .slurm_dir = "a"}, 0, ""},
    {UNSET, UNSET, {CWD, .slurm_dir = ""}, 0, ""},
    /* the command line before what is inherited */
    {"/a", "/x", {CWD, .slurm_dir = "/a"}, 1, "/x"},
    {"a", NULL, {CWD, .slurm_dir = "/submit/a"}, 1, "/home/ada/heapline"},
    {"/a", "off", {CWD, .slurm_dir = "/a"}, 0, ""},
    {"off", "x", {CWD}, 1, "/home/ada/x"},
    /* the site's default */
    {UNSET, UNSET, {CWD, .site_on = true, .site_dir = "/s/%u"}, 1, "/s/%u"},
    {UNSET, UNSET, {CWD, .site_on = true, .site_dir = "s"}, 1, "/home/ada/s"},
    {UNSET, UNSET, {CWD, .site_on = false, .site_dir = "/s"}, 0, ""},
    {"/a", UNSET, {CWD, .site_on = true, .site_dir = "/s"}, 1, "/a"},
    /* before everything */
    {"/a", "/x", {CWD, .disable = "1", .site_on = true, .site_dir = "/s"}, 0, ""},
    {UNSET, "/x", {CWD, .disable = "0"}, 1, "/x"},
    {UNSET, "/x", {CWD, .disable = ""}, 1, "/x"},
};

START_TEST(decides)
{
    static struct hl_options options;
    const struct row *row = &rows[_i];
    char dir[HL_DIR_ROOM] = "";
    struct hl_error err;
    bool form = !row->form || strcmp(row->form, UNSET) != 0;

    hl_options_init(&options, form ? row->form : NULL);
    if (form)
        ck_assert_int_eq(hl_options_take(&options, row->form, &err), 0);
    if (!row->line || strcmp(row->line, UNSET) != 0)
        ck_assert_int_eq(hl_options_take(&options, row->line, &err), 0);
    ck_assert_int_eq(hl_options_decide(&options, &row->around, dir, &err), row->on);
    if (row->on > 0)
        ck_assert_str_eq(dir, row->dir);
}
END_TEST

START_TEST(last_one_counts)
{
    static struct hl_options options;
    const struct hl_surroundings around = {CWD};
    char dir[HL_DIR_ROOM];
    struct hl_error err;

    hl_options_init(&options, NULL);
    ck_assert_int_eq(hl_options_take(&options, "off", &err), 0);
    ck_assert_int_eq(hl_options_take(&options, "/a", &err), 0);
    ck_assert_int_eq(hl_options_take(&options, "/b", &err), 0);
    ck_assert_int_eq(hl_options_decide(&options, &around, dir, &err), 1);
    ck_assert_str_eq(dir, "/b");
    ck_assert_int_eq(hl_options_take(&options, NULL, &err), 0);
    ck_assert_int_eq(hl_options_decide(&options, &around, dir, &err), 1);
    ck_assert_str_eq(dir, "/home/ada/heapline");
}
END_TEST

START_TEST(refuses)
{
    static struct hl_options options;
    const struct hl_surroundings around = {CWD};
    char dir[HL_DIR_ROOM];
    struct hl_error err;

    hl_options_init(&options, NULL);
    ck_assert_int_eq(hl_options_take(&options, "/a", &err), 0);
    ck_assert_int_eq(hl_options_take(&options, "/a/%N", &err), -EINVAL);
    ck_assert_int_eq(hl_options_take(&options, "/a\n/b", &err), -EINVAL);
    ck_assert_int_eq(hl_options_decide(&options, &around, dir, &err), 1);
    ck_assert_str_eq(dir, "/a");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("options");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_loop_test(test, decides, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(test, last_one_counts);
    tcase_add_test(test, refuses);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
