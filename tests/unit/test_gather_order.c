/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Orders good and bad, names of nodes, names of profiles. */
#include "spank/gather_order.h"
#include "spank/gather_staging.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "format heapline-order 1\n"
#define REST "job 12_7\nstep 0\nnode n1+1\nstepdir /d/12_7/0\n"

static int parse(const char *text, struct hl_order *order)
{
    struct hl_error err = {.text = ""};
    int rc = hl_order_parse(text, strlen(text), order, &err);

    ck_assert((rc == 0) == (err.text[0] == '\0'));
    return rc;
}

START_TEST(good_order)
{
    struct hl_order order;

    ck_assert_int_eq(parse(FIRST REST, &order), 0);
    ck_assert_str_eq(order.job, "12_7");
    ck_assert_str_eq(order.step, "0");
    ck_assert_str_eq(order.node, "n1+1");
    ck_assert_str_eq(order.stepdir, "/d/12_7/0");
}
END_TEST

START_TEST(unknown_keys_are_ignored)
{
    struct hl_order order;

    ck_assert_int_eq(parse(FIRST "jobs 3\ncolour\n\n" REST "nodelist a b c\n", &order), 0);
    ck_assert_str_eq(order.job, "12_7");
}
END_TEST

START_TEST(a_value_may_have_blanks)
{
    struct hl_order order;

    ck_assert_int_eq(parse(FIRST "job 1\nstep 0\nnode n\nstepdir /my results/1/0\n", &order), 0);
    ck_assert_str_eq(order.stepdir, "/my results/1/0");
}
END_TEST

static const char *const bad_orders[] = {
    "",
    "format heapline-order 1",
    "format heapline-order 2\n" REST,
    REST,
    FIRST,
    FIRST "job 1\nstep 0\nnode n1\n",
    FIRST "job 1\nstep 0\nnode n1\nstepdir /d/1/0",
    FIRST "job 1\nstep 0\nnode n1\nstepdir d/1/0\n",
    FIRST "job \nstep 0\nnode n1\nstepdir /d/1/0\n",
    FIRST "job\nstep 0\nnode n1\nstepdir /d/1/0\n",
    FIRST "job 1\nstep 0\nnode ../n1\nstepdir /d/1/0\n",
    FIRST "job 1\nstep 0\nnode ..\nstepdir /d/1/0\n",
    FIRST "job 1\nstep 0\nnode n\x01\nstepdir /d/1/0\n",
    FIRST "job 1\nstep 0\nnode n1\nstepdir /d\t/1/0\n",
    FIRST REST "job 2\n",
    FIRST "job 0123456789012345678901234567890123456789012345678901234567890123\n"
          "step 0\nnode n1\nstepdir /d/1/0\n",
};

START_TEST(bad_order)
{
    struct hl_order order;

    ck_assert_int_eq(parse(bad_orders[_i], &order), -EBADMSG);
}
END_TEST

START_TEST(nul_in_an_order)
{
    static const char text[] = FIRST "job 1\0x\nstep 0\nnode n\nstepdir /d/1/0\n";
    struct hl_order order;

    ck_assert_int_eq(hl_order_parse(text, sizeof(text) - 1, &order, NULL), -EBADMSG);
}
END_TEST

START_TEST(node_names)
{
    char longest[HL_NODE_NAME_MAX + 2];

    ck_assert(hl_order_node_valid("n1"));
    ck_assert(hl_order_node_valid("n-1.site+2"));
    ck_assert(!hl_order_node_valid(""));
    ck_assert(!hl_order_node_valid("."));
    ck_assert(!hl_order_node_valid(".n1"));
    ck_assert(!hl_order_node_valid("a/b"));
    ck_assert(!hl_order_node_valid("a\nb"));
    ck_assert(!hl_order_node_valid("a\x7f"));
    memset(longest, 'n', sizeof(longest));
    longest[HL_NODE_NAME_MAX + 1] = '\0';
    ck_assert(!hl_order_node_valid(longest));
    longest[HL_NODE_NAME_MAX] = '\0';
    ck_assert(hl_order_node_valid(longest));
}
END_TEST

static const struct {
    const char *name;
    int64_t pid; /* 0: no name of a profile */
    int64_t suffix;
} names[] = {
    {"1", 1, 0},
    {"51234", 51234, 0},
    {"51234.1", 51234, 1},
    {"7.12", 7, 12},
    {"2147483647", 2147483647, 0},
    {"2147483648", 0, 0},
    {"", 0, 0},
    {"0", 0, 0},
    {"01", 0, 0},
    {"1.", 0, 0},
    {"1.0", 0, 0},
    {"1.01", 0, 0},
    {"1.1.1", 0, 0},
    {"-1", 0, 0},
    {"+1", 0, 0},
    {"1 ", 0, 0},
    {".1", 0, 0},
    {"order", 0, 0},
    {"99999999999999999999", 0, 0},
    {"1.99999999999", 0, 0},
};

START_TEST(profile_names)
{
    int64_t pid = -7, suffix = -7;
    char back[HL_PROFILE_NAME_BYTES];
    bool is = hl_profile_name_parse(names[_i].name, &pid, &suffix);

    ck_assert_int_eq(is, names[_i].pid != 0);
    if (!is) {
        ck_assert(pid == -7 && suffix == -7);
        return;
    }
    ck_assert_int_eq(pid, names[_i].pid);
    ck_assert_int_eq(suffix, names[_i].suffix);
    hl_profile_name_format(back, pid, suffix);
    ck_assert_str_eq(back, names[_i].name);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gather_order");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, good_order);
    tcase_add_test(tcase, unknown_keys_are_ignored);
    tcase_add_test(tcase, a_value_may_have_blanks);
    tcase_add_loop_test(tcase, bad_order, 0, sizeof(bad_orders) / sizeof(bad_orders[0]));
    tcase_add_test(tcase, nul_in_an_order);
    tcase_add_test(tcase, node_names);
    tcase_add_loop_test(tcase, profile_names, 0, sizeof(names) / sizeof(names[0]));
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
