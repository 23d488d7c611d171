/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * step.json: exact bytes, and that no text of the user's breaks it. */
#include "config/config.h"

#include "spank/manifest.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char top[64], text[8192];
static struct hl_error err;

static void setup(void)
{
    (void)snprintf(top, sizeof(top), "/tmp/heapline-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
}

static void teardown(void)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/step.json", top);
    (void)unlink(path);
    ck_assert_int_eq(rmdir(top), 0); /* nothing else was left there */
}

static void read_back(void)
{
    char path[128];
    int fd;
    ssize_t got;

    (void)snprintf(path, sizeof(path), "%s/step.json", top);
    fd = open(path, O_RDONLY);
    got = read(fd, text, sizeof(text) - 1);
    ck_assert_int_gt(got, 0);
    text[got] = '\0';
    (void)close(fd);
}

START_TEST(writes_all)
{
    uint32_t tasks[] = {0, 2}, other[] = {1};
    char n1[] = "n1", n2[] = "n2", app[] = "./app", flag[] = "-x";
    char *argv[] = {app, flag};
    struct hl_manifest_node nodes[] = {{n1, tasks, 2}, {n2, other, 1}};
    const struct hl_manifest m = {.slurm = "22.05.8",
                                  .job = 1234,
                                  .step = 0,
                                  .user = "nobody",
                                  .uid = 65534,
                                  .job_name = "x",
                                  .argv = argv,
                                  .argc = 2,
                                  .start_unix_ms = 1780000000007,
                                  .tasks = 3,
                                  .nodes = nodes,
                                  .node_count = 2,
                                  .mem_per_node_bytes = -1,
                                  .mem_per_cpu_bytes = 1048576,
                                  .time_limit_s = 60,
                                  .dir = "/abs/DIR"};

    ck_assert_int_eq(hl_manifest_write(&m, top, &err), 0);
    read_back();
    ck_assert_str_eq(text,
                     "{\"format\":\"heapline-step\",\"version\":1,\n"
                     "\"heapline\":\"" PACKAGE_VERSION "\",\n\"slurm\":\"22.05.8\",\n"
                     "\"job\":\"1234\",\"step\":\"0\",\n\"user\":\"nobody\",\n\"uid\":65534,\n"
                     "\"job_name\":\"x\",\n\"command\":[\"./app\",\"-x\"],\n"
                     "\"start_time_s\":1780000000.007,\n\"tasks\":3,\n\"nodes\":[\n"
                     " {\"node\":\"n1\",\"tasks\":[0,2]},\n {\"node\":\"n2\",\"tasks\":[1]}],\n"
                     "\"limits\":{\"mem_per_node_bytes\":null,\"mem_per_cpu_bytes\":1048576,"
                     "\"time_limit_s\":60},\n\"dir\":\"/abs/DIR\"}\n");
}
END_TEST

struct row {
    const char *name;
    const char *json;
};

static const struct row rows[] = {
    {"", "\"\""},
    {"plain", "\"plain\""},
    {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
    {"\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\""},
    {"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
    {"\xff|\xc3", "\"\\ufffd|\\ufffd\""},
    {"\xc0\xaf", "\"\\ufffd\\ufffd\""}, /* overlong */
    {"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* surrogate */
    {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    {"\xe2\x82", "\"\\ufffd\\ufffd\""}, /* cut */
};

START_TEST(escapes)
{
    const struct hl_manifest m = {.slurm = "", .user = "", .job_name = rows[_i].name, .dir = "/"};
    char expected[256];

    ck_assert_int_eq(hl_manifest_write(&m, top, &err), 0);
    read_back();
    (void)snprintf(expected, sizeof(expected), "\"job_name\":%s,\n", rows[_i].json);
    ck_assert_ptr_nonnull(strstr(text, expected));
}
END_TEST

START_TEST(says_what_fails)
{
    const struct hl_manifest m = {.slurm = "", .user = "", .job_name = "", .dir = "/"};

    ck_assert_int_eq(hl_manifest_write(&m, "/nonexistent", &err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/step.json"));
    if (access("/dev/full", W_OK) == 0) {
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/step.json.new", top);
        ck_assert_int_eq(symlink("/dev/full", path), 0);
        ck_assert_int_eq(hl_manifest_write(&m, top, &err), -ENOSPC);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("manifest");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_checked_fixture(test, setup, teardown);
    tcase_add_test(test, writes_all);
    tcase_add_loop_test(test, escapes, 0, sizeof(rows) / sizeof(rows[0]));
    tcase_add_test(test, says_what_fails);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
