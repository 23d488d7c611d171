/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * One child, run and waited for.  Changing user needs root: those tests say so
 * and pass elsewhere, where the cluster tests are left to show it. */
#include "spank/child.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char shell[] = "/bin/sh", flag[] = "-c";
static char *const envp[] = {NULL};

static struct hl_child_end run(const char *script, int out, const struct hl_child_user *user,
                               long limit_ms)
{
    char text[512];
    char *argv[] = {shell, flag, text, NULL};
    struct hl_child child = {.path = "/bin/sh",
                             .argv = argv,
                             .envp = envp,
                             .fds = {-1, out, -1},
                             .user = user,
                             .limit_ms = limit_ms};

    (void)snprintf(text, sizeof(text), "%s", script);
    return hl_child_run(&child);
}

/* What script prints; out has 512. */
static struct hl_child_end output(const char *script, const struct hl_child_user *user, char *out)
{
    int fd = memfd_create("output", MFD_CLOEXEC);
    struct hl_child_end end = run(script, fd, user, 5000);
    ssize_t got = pread(fd, out, 511, 0);

    out[got > 0 ? got : 0] = '\0';
    (void)close(fd);
    return end;
}

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

START_TEST(tells_exit_status)
{
    struct hl_child_end end = run("exit 11", -1, NULL, 5000);

    ck_assert_int_eq(end.how, HL_CHILD_EXITED);
    ck_assert_int_eq(end.value, 11);
}
END_TEST

START_TEST(tells_signal)
{
    struct hl_child_end end = run("kill -SEGV $$", -1, NULL, 5000);

    ck_assert_int_eq(end.how, HL_CHILD_KILLED);
    ck_assert_int_eq(end.value, SIGSEGV);
}
END_TEST

START_TEST(tells_missing_program)
{
    char name[] = "x";
    char *argv[] = {name, NULL};
    struct hl_child child = {.path = "/nonexistent/x",
                             .argv = argv,
                             .envp = envp,
                             .fds = {-1, -1, -1},
                             .limit_ms = 5000};
    struct hl_child_end end = hl_child_run(&child);

    ck_assert_int_eq(end.how, HL_CHILD_UNSTARTED);
    ck_assert_int_eq(end.value, ENOENT);
    ck_assert_str_eq(end.what, "exec");
}
END_TEST

START_TEST(stops_at_limit)
{
    double start = now();
    struct hl_child_end end = run("trap '' TERM; exec sleep 20", -1, NULL, 300);

    ck_assert_int_eq(end.how, HL_CHILD_TIMEOUT);
    ck_assert_int_eq(end.value, 0);
    ck_assert(now() - start >= 0.3);
    ck_assert(now() - start < 1.5);
}
END_TEST

/* Whoever ignores SIGCHLD, or waits for any child, takes the status from us: it
 * must not pass for success, and what the child has reported still counts. */
START_TEST(lost_status_is_no_success)
{
    char name[] = "x", *argv[] = {name, NULL};
    struct hl_child missing = {.path = "/nonexistent/x",
                               .argv = argv,
                               .envp = envp,
                               .fds = {-1, -1, -1},
                               .limit_ms = 5000};
    double start = now();
    struct hl_child_end end, unstarted;

    (void)signal(SIGCHLD, SIG_IGN);
    end = run("sleep 0.3; exit 0", -1, NULL, 5000);
    unstarted = hl_child_run(&missing);
    (void)signal(SIGCHLD, SIG_DFL);
    ck_assert_int_eq(end.how, HL_CHILD_LOST);
    ck_assert_int_eq(end.value, ECHILD);
    ck_assert(now() - start >= 0.3);
    ck_assert_int_eq(unstarted.how, HL_CHILD_UNSTARTED);
    ck_assert_int_eq(unstarted.value, ENOENT);
}
END_TEST

START_TEST(leaves_other_children_alone)
{
    pid_t other = fork();
    int status;

    if (other == 0)
        _exit(3);
    ck_assert_int_eq(run("exit 0", -1, NULL, 5000).how, HL_CHILD_EXITED);
    ck_assert_int_eq(waitpid(other, &status, 0), other);
    ck_assert_int_eq(WEXITSTATUS(status), 3);
}
END_TEST

START_TEST(resets_signals)
{
    char out[512], expected[] = "SigBlk:\t0000000000000000";
    const char *ignored;
    sigset_t block, old, after;

    (void)sigemptyset(&block);
    (void)sigaddset(&block, SIGINT);
    (void)sigaddset(&block, SIGTERM);
    (void)sigprocmask(SIG_SETMASK, &block, &old);
    (void)signal(SIGPIPE, SIG_IGN);
    output("while read l; do case $l in SigBlk*|SigIgn*) echo \"$l\";; esac; done"
           " </proc/self/status",
           NULL, out);
    (void)sigprocmask(SIG_SETMASK, &old, &after);
    ck_assert_int_eq(strncmp(out, expected, strlen(expected)), 0);
    ck_assert_ptr_nonnull(ignored = strstr(out, "SigIgn:"));
    /* 32 and 33 are glibc's own, which posix_spawn leaves ignored */
    ck_assert_uint_eq(strtoull(ignored + 8, NULL, 16) & ~UINT64_C(0x180000000), 0);
    ck_assert_int_eq(sigismember(&after, SIGINT), 1);
    ck_assert_int_eq(sigismember(&after, SIGHUP), 0);
}
END_TEST

START_TEST(closes_files)
{
    char out[512];
    int low = open("/dev/null", O_RDONLY), high = fcntl(low, F_DUPFD, 300);

    ck_assert_int_ge(high, 300);
    output("for f in 3 4 5 6 7 8 9 300; do [ -e /proc/self/fd/$f ] && echo $f; done; echo end",
           NULL, out);
    ck_assert_str_eq(out, "end\n");
    (void)close(low);
    (void)close(high);
}
END_TEST

/* Whatever numbers the caller's files have. */
START_TEST(survives_missing_standard_files)
{
    int fd = memfd_create("output", MFD_CLOEXEC), keep[3];
    struct hl_child_end end;
    char out[64] = "";

    for (int i = 0; i < 3; i++)
        keep[i] = fcntl(i, F_DUPFD_CLOEXEC, 50);
    for (int i = 0; i < 3; i++)
        (void)close(i);
    end = run("echo out; echo err >&2", fd, NULL, 5000);
    for (int i = 0; i < 3; i++)
        if (keep[i] >= 0)
            (void)dup2(keep[i], i);
    ck_assert_int_eq(end.how, HL_CHILD_EXITED);
    ck_assert_int_eq(end.value, 0);
    (void)pread(fd, out, sizeof(out) - 1, 0);
    ck_assert_str_eq(out, "out\n");
}
END_TEST

START_TEST(leaks_no_files)
{
    int before = open("/dev/null", O_RDONLY), after;

    (void)close(before);
    (void)run("exit 0", -1, NULL, 5000);
    (void)run("exec sleep 9", -1, NULL, 50);
    after = open("/dev/null", O_RDONLY);
    ck_assert_int_eq(before, after);
    (void)close(after);
}
END_TEST

START_TEST(becomes_the_user)
{
    static const gid_t groups[] = {65533, 4242};
    const struct hl_child_user user = {65534, 65534, groups, 2, 027};
    char out[512];

    if (geteuid() != 0)
        return;
    output("while read k v; do case $k in Uid:|Gid:|Groups:|CapPrm:|CapEff:|NoNewPrivs:)"
           " echo $k $v;; esac; done </proc/self/status; umask; pwd; ulimit -c",
           &user, out);
    ck_assert_str_eq(out, "Uid: 65534 65534 65534 65534\nGid: 65534 65534 65534 65534\n"
                          "Groups: 4242 65533\nCapPrm: 0000000000000000\n"
                          "CapEff: 0000000000000000\nNoNewPrivs: 1\n0027\n/\n0\n");
    ck_assert_int_eq(geteuid(), 0);
}
END_TEST

START_TEST(ends_by_its_own_or_at_the_limit)
{
    const struct hl_child_user user = {65534, 65534, NULL, 0, 077};
    char out[512];

    if (geteuid() != 0)
        return;
    output("kill -TERM $$; echo still here", &user, out);
    ck_assert_str_eq(out, "still here\n");
    ck_assert_int_eq(run("exec sleep 20", -1, &user, 200).how, HL_CHILD_TIMEOUT);
}
END_TEST

START_TEST(does_not_run_undropped)
{
    const struct hl_child_user user = {geteuid() + 1, getegid() + 1, NULL, 0, 077};
    struct hl_child_end end;

    if (geteuid() == 0)
        return;
    end = run("exit 0", -1, &user, 5000);
    ck_assert_int_eq(end.how, HL_CHILD_UNSTARTED);
    ck_assert_int_eq(end.value, EPERM);
    ck_assert_str_eq(end.what, "changing user");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child");
    TCase *test = tcase_create("all");
    SRunner *runner = srunner_create(suite);

    suite_add_tcase(suite, test);
    tcase_set_timeout(test, 30);
    tcase_add_test(test, tells_exit_status);
    tcase_add_test(test, tells_signal);
    tcase_add_test(test, tells_missing_program);
    tcase_add_test(test, stops_at_limit);
    tcase_add_test(test, lost_status_is_no_success);
    tcase_add_test(test, leaves_other_children_alone);
    tcase_add_test(test, resets_signals);
    tcase_add_test(test, closes_files);
    tcase_add_test(test, survives_missing_standard_files);
    tcase_add_test(test, leaks_no_files);
    tcase_add_test(test, becomes_the_user);
    tcase_add_test(test, ends_by_its_own_or_at_the_limit);
    tcase_add_test(test, does_not_run_undropped);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
