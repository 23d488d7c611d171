/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * LD_PRELOAD composed: ours first and once, the user's in order. */
#include "spank/preload.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define OURS "/opt/lib/libheapline.so"

struct row {
    const char *old;
    const char *added;
    const char *removed;
    bool has;
};

static const struct row rows[] = {
    {NULL, OURS, "", false},
    {"", OURS, "", false},
    {" : :", OURS, "", false},
    {"libtcmalloc.so", OURS ":libtcmalloc.so", "libtcmalloc.so", false},
    {"/a.so:/b.so", OURS ":/a.so:/b.so", "/a.so:/b.so", false},
    {"/a.so /b.so", OURS ":/a.so:/b.so", "/a.so:/b.so", false},
    {"::/a.so:: /b.so:", OURS ":/a.so:/b.so", "/a.so:/b.so", false},
    {"/b.so:/a.so:/b.so", OURS ":/b.so:/a.so:/b.so", "/b.so:/a.so:/b.so", false},
    {OURS, OURS, "", true},
    {OURS ":" OURS, OURS, "", true},
    {"/a.so:" OURS, OURS ":/a.so", "/a.so", true},
    {"/a.so " OURS " /b.so", OURS ":/a.so:/b.so", "/a.so:/b.so", true},
    {OURS "x", OURS ":" OURS "x", OURS "x", false},
    {"x" OURS, OURS ":x" OURS, "x" OURS, false},
    {"/opt/lib", OURS ":/opt/lib", "/opt/lib", false},
};

START_TEST(composes)
{
    const struct row *row = &rows[_i];
    char *added = hl_preload_add(row->old, OURS);
    char *removed = hl_preload_remove(row->old, OURS);

    ck_assert_str_eq(added, row->added);
    ck_assert_str_eq(removed, row->removed);
    ck_assert(hl_preload_has(row->old, OURS) == row->has);
    free(added);
    free(removed);
}
END_TEST

START_TEST(twice_is_once)
{
    char *once = hl_preload_add("/a.so", OURS);
    char *twice = hl_preload_add(once, OURS);

    ck_assert_str_eq(once, twice);
    free(once);
    free(twice);
}
END_TEST

START_TEST(long_list_survives)
{
    size_t length = 300000;
    char *old = malloc(length + 1), *added;

    memset(old, 'a', length);
    for (size_t i = 100; i < length; i += 100)
        old[i] = ':';
    old[length] = '\0';
    added = hl_preload_add(old, OURS);
    ck_assert_uint_eq(strlen(added), length + strlen(OURS) + 1);
    ck_assert_str_eq(added + strlen(OURS) + 1, old);
    free(added);
    free(old);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("preload");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_loop_test(test, composes, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(test, twice_is_once);
    tcase_add_test(test, long_list_survives);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
