/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Strings for terminals: nothing that moves a cursor gets through.
 */
#include "report/clean.h"
#include "tests/unit/report.h"

#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof((list)[0])))

static const struct {
    const char *bytes, *want;
    size_t columns;
} texts[] = {
    {"", "", 0},
    {"plain ~text", "plain ~text", 11},
    {"\x1b[31mred\x07", "?[31mred?", 9},
    {"a\tb\nc\rd\x7f", "a?b?c?d?", 8},
    {"gr\u00f6\u00dfe", "gr\u00f6\u00dfe", 5},
    {"\u65e5\u672c", "\u65e5\u672c", 4},
    {"\xc2\x9b"
     "31m",
     "?31m", 4}, /* C1 control sequence introducer in UTF-8 */
    {"\x9b"
     "31m",
     "?31m", 4},            /* and as a single byte */
    {"a\u202eb", "a?b", 3}, /* right-to-left override */
    {"a\u200bb", "a?b", 3}, /* zero width */
    {"\xff\xfe", "??", 2},
    {"\xc3", "?", 1}, /* cut at the end */
    {"\xe6\x97", "??", 2},
    {"\xc0\xaf", "??", 2}, /* overlong */
    {"\xe0\x80\x80", "???", 3},
    {"\xed\xa0\x80", "???", 3},      /* surrogate */
    {"\xf4\x90\x80\x80", "????", 4}, /* beyond Unicode */
};

START_TEST(clean)
{
    char out[64];

    ck_assert_uint_eq(hl_clean(texts[_i].bytes, out, sizeof(out)), texts[_i].columns);
    ck_assert_str_eq(out, texts[_i].want);
    ck_assert_uint_eq(hl_columns_of(out), texts[_i].columns);
}
END_TEST

START_TEST(clean_never_overruns)
{
    for (int i = 0; i < COUNT(texts); i++) {
        for (size_t capacity = 1; capacity < 24; capacity++) {
            char *out = malloc(capacity);

            ck_assert_ptr_nonnull(out);
            hl_clean(texts[i].bytes, out, capacity);
            ck_assert_uint_lt(strlen(out), capacity);
            for (size_t columns = 0; columns < 12; columns++) {
                size_t got = hl_clean_fit(texts[i].bytes, columns, out, capacity);

                ck_assert_uint_le(got, columns);
                ck_assert_uint_lt(strlen(out), capacity);
            }
            free(out);
        }
    }
}
END_TEST

static const struct {
    const char *bytes;
    size_t columns;
    const char *want;
} fits[] = {
    {"n0001", 5, "n0001"},
    {"node-in-rack-00017", 10, "node..0017"},
    {"node-in-rack-00017", 9, "nod..0017"},
    {"node-in-rack-00017", 3, "nod"},
    {"node-in-rack-00017", 0, ""},
    {"\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 8, "\u65e5..\u8a9e"},
    {"a\x1b[31mbcdefgh", 8, "a?[..fgh"},
};

START_TEST(fit)
{
    char out[64];

    hl_clean_fit(fits[_i].bytes, fits[_i].columns, out, sizeof(out));
    ck_assert_str_eq(out, fits[_i].want);
}
END_TEST

static const struct {
    const char *node, *want;
} nodes[] = {
    {"n1", "n1"},
    {"n1.cluster", "n1.cluster"},
    {"compute-0001.cluster.example.org", "compute-0001"},
    {"2001:db8:0:0:0:0:0:1.2.3", "2001:db8:0:0:0:0:0:1.2.3"},
    {".begins.with.a.dot.and.is.long", ".begins.with.a.dot.and.is.long"},
};

START_TEST(node_names)
{
    char out[64];

    hl_node_name(nodes[_i].node, out, sizeof(out));
    ck_assert_str_eq(out, nodes[_i].want);
}
END_TEST

START_TEST(base_names)
{
    ck_assert_str_eq(hl_base_name("/usr/bin/app"), "app");
    ck_assert_str_eq(hl_base_name("app"), "app");
    ck_assert_str_eq(hl_base_name("/"), "");
    ck_assert_str_eq(hl_base_name(""), "");
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_clean");

    tcase_add_loop_test(tests, clean, 0, COUNT(texts));
    tcase_add_test(tests, clean_never_overruns);
    tcase_add_loop_test(tests, fit, 0, COUNT(fits));
    tcase_add_loop_test(tests, node_names, 0, COUNT(nodes));
    tcase_add_test(tests, base_names);
    return run_case(tests, "report_clean");
}
