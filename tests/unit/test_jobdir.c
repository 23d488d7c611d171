/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * DIR/JOB/STEP made and refused, in a temporary directory. */
#include "spank/jobdir.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct hl_ids ids = {.job = 12, .step = 0, .array_task = HL_NO_ID};
static char top[64], stepdir[HL_DIR_ROOM];
static struct hl_error err;
static unsigned try;

static char *path(const char *below)
{
    static char text[HL_DIR_ROOM];

    (void)snprintf(text, sizeof(text), "%s%s", top, below);
    return text;
}

static void setup(void)
{
    (void)snprintf(top, sizeof(top), "/tmp/heapline-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    try = 0;
    err.text[0] = '\0';
}

static void teardown(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

static int make(const char *below)
{
    char dir[HL_DIR_ROOM];

    (void)snprintf(dir, sizeof(dir), "%s%s", top, below);
    return hl_jobdir_make(dir, &ids, stepdir, &try, &err);
}

START_TEST(makes_what_is_missing)
{
    struct stat st;

    ck_assert_int_eq(make("/a/b/c"), 0);
    ck_assert_str_eq(stepdir, path("/a/b/c/12/0"));
    ck_assert_uint_eq(try, 1);
    ck_assert_int_eq(stat(stepdir, &st), 0);
    ck_assert(S_ISDIR(st.st_mode));
    /* empty: taken again */
    ck_assert_int_eq(make("/a/b/c"), 0);
    ck_assert_uint_eq(try, 1);
}
END_TEST

START_TEST(leaves_a_used_step_alone)
{
    ck_assert_int_eq(make("/d"), 0);
    ck_assert_int_ge(creat(path("/d/12/0/n1.csv"), 0600), 0);
    ck_assert_int_eq(make("/d"), 0);
    ck_assert_str_eq(stepdir, path("/d/12/0.2"));
    ck_assert_uint_eq(try, 2);
    ck_assert_int_ge(creat(path("/d/12/0.2/n1.csv"), 0600), 0);
    ck_assert_int_eq(make("/d"), 0);
    ck_assert_str_eq(stepdir, path("/d/12/0.3"));
}
END_TEST

START_TEST(refuses_links_and_files)
{
    ck_assert_int_eq(mkdir(path("/d"), 0700), 0);
    ck_assert_int_eq(symlink("/tmp", path("/d/12")), 0);
    ck_assert_int_lt(make("/d"), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "cannot use"));
    ck_assert_int_eq(unlink(path("/d/12")), 0);
    ck_assert_int_ge(creat(path("/d/12"), 0600), 0);
    ck_assert_int_eq(make("/d"), -ENOTDIR);
    ck_assert_int_ge(creat(path("/f"), 0600), 0);
    ck_assert_int_eq(make("/f"), -ENOTDIR);
    ck_assert_int_eq(make("/f/x"), -ENOTDIR);
    ck_assert_ptr_nonnull(strstr(err.text, "--heapline=DIR"));
}
END_TEST

START_TEST(takes_a_linked_dir)
{
    ck_assert_int_eq(mkdir(path("/real"), 0700), 0);
    ck_assert_int_eq(symlink("real", path("/link")), 0);
    ck_assert_int_eq(make("/link"), 0);
    ck_assert_int_eq(access(path("/real/12/0"), F_OK), 0);
}
END_TEST

START_TEST(refuses_another_users)
{
    if (geteuid() != 0) /* cannot make one; the cluster tests do */
        return;
    ck_assert_int_eq(mkdir(path("/d"), 0777), 0);
    ck_assert_int_eq(mkdir(path("/d/12"), 0777), 0);
    ck_assert_int_eq(chown(path("/d/12"), 65534, 65534), 0);
    ck_assert_int_eq(make("/d"), -EPERM);
    ck_assert_ptr_nonnull(strstr(err.text, "belongs to user id 65534"));
    ck_assert_int_eq(chown(path("/d/12"), 0, 0), 0);
    ck_assert_int_eq(mkdir(path("/d/12/0"), 0777), 0);
    ck_assert_int_eq(chown(path("/d/12/0"), 65534, 65534), 0);
    ck_assert_int_eq(make("/d"), -EPERM);
    ck_assert_int_ne(access(path("/d/12/0.2"), F_OK), 0);
}
END_TEST

START_TEST(refuses_long)
{
    static char dir[HL_DIR_ROOM + 10];

    memset(dir, 'a', sizeof(dir) - 1);
    dir[0] = '/';
    ck_assert_int_eq(hl_jobdir_make(dir, &ids, stepdir, &try, &err), -ENAMETOOLONG);
    dir[HL_DIR_ROOM - 100] = '\0';
    ck_assert_int_eq(hl_jobdir_make(dir, &ids, stepdir, &try, &err), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobdir");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_checked_fixture(test, setup, teardown);
    tcase_add_test(test, makes_what_is_missing);
    tcase_add_test(test, leaves_a_used_step_alone);
    tcase_add_test(test, refuses_links_and_files);
    tcase_add_test(test, takes_a_linked_dir);
    tcase_add_test(test, refuses_another_users);
    tcase_add_test(test, refuses_long);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
