/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * /proc/self/cgroup read: v1, v2, hybrid, and what is no job's.  That the kernel
 * counts as expected only a real cluster shows. */
#include "spank/cgroup.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "/sys/fs/cgroup"

static struct hl_cgroup cgroup;

START_TEST(version_1)
{
    hl_cgroup_parse("9:name=systemd:/\n"
                    "6:freezer:/slurm_n1/uid_7/job_12\n"
                    "4:memory:/slurm_n1/uid_7/job_12/step_0\n"
                    "1:cpu,cpuacct:/\n"
                    "0::/\n",
                    &cgroup);
    ck_assert_str_eq(cgroup.tasks, ROOT "/memory/slurm_n1/uid_7/job_12/step_0/task_");
    ck_assert_str_eq(cgroup.events, "memory.oom_control");
    ck_assert_str_eq(cgroup.leave[0], ROOT "/freezer/cgroup.procs");
    ck_assert_str_eq(cgroup.leave[1], ROOT "/memory/cgroup.procs");
    ck_assert_ptr_null(cgroup.leave[2]);
}
END_TEST

START_TEST(version_2)
{
    hl_cgroup_parse("0::/system.slice/slurmstepd.scope/job_12/step_0/slurm", &cgroup);
    ck_assert_str_eq(cgroup.tasks, ROOT "/system.slice/slurmstepd.scope/job_12/step_0/user/task_");
    ck_assert_str_eq(cgroup.events, "memory.events");
    ck_assert_str_eq(cgroup.leave[0], ROOT "/cgroup.procs");
    ck_assert_ptr_null(cgroup.leave[1]);
}
END_TEST

static const char *const nothing[] = {
    "",
    "\n\n",
    "x",
    "0::/",
    "0::/system.slice/slurmd.service",
    "4:memory:/system.slice/slurmd.service\n0::/x",
    "4:memory:/job",
};

START_TEST(leaves_others_alone)
{
    hl_cgroup_parse(nothing[_i], &cgroup);
    ck_assert_str_eq(cgroup.tasks, "");
    ck_assert_ptr_null(cgroup.leave[0]);
    ck_assert_int_eq(hl_cgroup_oom(&cgroup, 0), -1);
}
END_TEST

START_TEST(bounds)
{
    static char text[64 * 1024];
    size_t length = 0;

    for (int i = 0; i < 40; i++)
        length += (size_t)sprintf(text + length, "%d:c%d:/job_1\n", i, i);
    length += (size_t)sprintf(text + length, "99:memory:/job_1/");
    memset(text + length, 'a', 2000);
    hl_cgroup_parse(text, &cgroup);
    ck_assert_str_eq(cgroup.leave[HL_CGROUP_LEAVE_MAX - 1], ROOT "/c11/cgroup.procs");
    ck_assert_ptr_null(cgroup.leave[HL_CGROUP_LEAVE_MAX]);
    ck_assert_str_eq(cgroup.tasks, "");
}
END_TEST

START_TEST(reads_own)
{
    hl_cgroup_read(&cgroup);
    ck_assert(cgroup.tasks[0] == '\0' || cgroup.tasks[0] == '/');
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cgroup");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_add_test(test, version_1);
    tcase_add_test(test, version_2);
    tcase_add_loop_test(test, leaves_others_alone, 0, sizeof(nothing) / sizeof(nothing[0]));
    tcase_add_test(test, bounds);
    tcase_add_test(test, reads_own);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
