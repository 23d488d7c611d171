/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * STAGING's names, the order in them, and the notes for the gather.  Runs as
 * anybody: the base's owner is then that one instead of root. */
#include "spank/notes.h"
#include "spank/order.h"
#include "spank/staging.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64], base[128], out[HL_DIR_ROOM];
static struct hl_error err;
static struct hl_staging staging;

static void setup(void)
{
    (void)snprintf(top, sizeof(top), "/tmp/heapline-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    (void)snprintf(base, sizeof(base), "%s/base", top);
    staging = (struct hl_staging){.base = base,
                                  .base_uid = geteuid(),
                                  .node = "n1/../x",
                                  .ids = {.job = 12, .step = 3},
                                  .uid = geteuid(),
                                  .gid = getegid()};
    (void)umask(022);
}

static void teardown(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf %s", top);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(makes_base_and_name)
{
    char expected[256];
    struct stat st;

    (void)umask(077);
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), 0);
    (void)snprintf(expected, sizeof(expected), "%s/12.3.n1____x.", base);
    ck_assert_int_eq(strncmp(out, expected, strlen(expected)), 0);
    ck_assert_uint_eq(strlen(out), strlen(expected) + 32);
    ck_assert_int_eq(stat(base, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0711);
    ck_assert_int_eq(stat(out, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0700);
}
END_TEST

START_TEST(gives_it_away)
{
    struct stat st;

    if (geteuid() != 0)
        return;
    staging.uid = staging.gid = 65534;
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), 0);
    ck_assert_int_eq(stat(out, &st), 0);
    ck_assert_uint_eq(st.st_uid, 65534);
    ck_assert_uint_eq(st.st_gid, 65534);
    ck_assert_int_eq(stat(base, &st), 0);
    ck_assert_uint_eq(st.st_uid, 0);
}
END_TEST

START_TEST(names_differ)
{
    char other[HL_DIR_ROOM];

    ck_assert_int_eq(hl_staging_make(&staging, out, &err), 0);
    ck_assert_int_eq(hl_staging_make(&staging, other, &err), 0);
    ck_assert_str_ne(out, other);
}
END_TEST

START_TEST(refuses_unsafe_base)
{
    ck_assert_int_eq(mkdir(base, 0700), 0);
    ck_assert_int_eq(chmod(base, 01777), 0);
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -EPERM);
    ck_assert_ptr_nonnull(strstr(err.text, "mode 1777"));
    ck_assert_ptr_nonnull(strstr(err.text, "name a directory of its own"));
    ck_assert_int_eq(chmod(base, 0770), 0);
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -EPERM);
    ck_assert_int_eq(chmod(base, 0755), 0);
    staging.base_uid = geteuid() + 1;
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -EPERM);
    staging.base_uid = geteuid();
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), 0);
}
END_TEST

START_TEST(refuses_other_bases)
{
    ck_assert_int_eq(symlink(top, base), 0);
    ck_assert_int_lt(hl_staging_make(&staging, out, &err), 0);
    ck_assert_int_eq(unlink(base), 0);
    ck_assert_int_ge(creat(base, 0600), 0);
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -ENOTDIR);
    staging.base = "/nonexistent/heapline";
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -ENOENT);
}
END_TEST

START_TEST(too_long_a_path_makes_nothing)
{
    char *padded = malloc(HL_DIR_ROOM);
    size_t length = strlen(base);

    ck_assert_int_eq(mkdir(base, 0711), 0);
    memset(padded, '/', HL_DIR_ROOM);
    memcpy(padded, base, length);
    padded[HL_DIR_ROOM - 1 - 40] = '\0'; /* can be opened, but not with a name behind it */
    staging.base = padded;
    ck_assert_int_eq(hl_staging_make(&staging, out, &err), -ENAMETOOLONG);
    ck_assert_ptr_nonnull(strstr(err.text, "set a shorter staging="));
    ck_assert_int_eq(rmdir(base), 0); /* empty */
    free(padded);
}
END_TEST

START_TEST(removes_only_empty)
{
    char file[HL_DIR_ROOM + 8];

    ck_assert_int_eq(hl_staging_make(&staging, out, &err), 0);
    (void)snprintf(file, sizeof(file), "%s/1", out);
    ck_assert_int_ge(creat(file, 0600), 0);
    ck_assert_int_eq(hl_staging_remove(base, out), -ENOTEMPTY);
    ck_assert_int_eq(unlink(file), 0);
    ck_assert_int_eq(hl_staging_remove(base, out), 0);
    ck_assert_int_ne(access(out, F_OK), 0);
    ck_assert_int_eq(hl_staging_remove(base, out), -ENOENT);
}
END_TEST

static void check_file(int fd, const char *expected)
{
    char text[1024];
    ssize_t got = read(fd, text, sizeof(text) - 1);

    text[got > 0 ? got : 0] = '\0';
    ck_assert_str_eq(text, expected);
    (void)close(fd);
}

START_TEST(order_is_written_once)
{
    struct hl_step_order order = {
        .ids = {.job = 12, .step = 3}, .node = "n1", .stepdir = "/d/12/3"};
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/order", top);
    ck_assert_int_eq(hl_order_write(top, &order, &err), 1);
    order.node = "n2";
    ck_assert_int_eq(hl_order_write(top, &order, &err), 0);
    check_file(open(path, O_RDONLY), "format heapline-order 1\njob 12\nstep 3\nnode n1\n"
                                     "stepdir /d/12/3\n");
    ck_assert_int_eq(hl_order_write("/nonexistent", &order, &err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent"));
}
END_TEST

START_TEST(notes_are_lines)
{
    struct hl_notes notes = {0};
    struct hl_note note = {0, 100, 9, 1, 1780000000123, 4096};

    check_file(hl_notes_file(&notes, 5), "end 5\n");
    ck_assert_int_eq(hl_notes_add(&notes, &note), 0);
    note = (struct hl_note){-1, -1, -1, -1, 7, -1};
    ck_assert_int_eq(hl_notes_add(&notes, &note), 0);
    check_file(hl_notes_file(&notes, 1780000000456), "task 0 100 9 1 1780000000123 4096\n"
                                                     "task -1 -1 -1 -1 7 -1\n"
                                                     "end 1780000000456\n");
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(hl_notes_add(&notes, &note), 0);
    ck_assert_uint_eq(notes.count, 1002);
    free(notes.at);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("staging");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_checked_fixture(test, setup, teardown);
    tcase_add_test(test, makes_base_and_name);
    tcase_add_test(test, gives_it_away);
    tcase_add_test(test, names_differ);
    tcase_add_test(test, refuses_unsafe_base);
    tcase_add_test(test, refuses_other_bases);
    tcase_add_test(test, too_long_a_path_makes_nothing);
    tcase_add_test(test, removes_only_empty);
    tcase_add_test(test, order_is_written_once);
    tcase_add_test(test, notes_are_lines);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
