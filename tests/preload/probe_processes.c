/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * fork, vfork, exec and how they end.  Each case prints what the profile of
 * its first process must say; the script looks at the other profiles. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *keep(void *block)
{
    __asm__ volatile("" : "+r"(block));
    return block;
}

static void wait_for(pid_t child, int status)
{
    int got;

    probe_require(child > 0, "a child was made");
    probe_require(waitpid(child, &got, 0) == child && got == status, "the child's status");
}

static void work_in_child(void)
{
    void *inherited = keep(malloc(40000));
    void *own = keep(malloc(500000));

    free(own);
    free(inherited);
    (void)!keep(malloc(1000));
}

static void child_of_fork(void)
{
    void *p = probe_gave(keep(malloc(100000)));
    pid_t child = fork();

    if (child == 0) {
        work_in_child();
        exit(7);
    }
    wait_for(child, 7 << 8);
    free(probe_took(p));
    probe_expect_truth();
    probe_expect("live", 0);
}

/* A child that no handler of fork's has seen; it releases first. */
static void child_of_raw_fork(void)
{
    void *p = probe_gave(keep(malloc(100000)));
    pid_t child = (pid_t)syscall(SYS_fork);

    if (child == 0) {
        free(p);
        work_in_child();
        _exit(0);
    }
    wait_for(child, 0);
    free(probe_took(p));
    probe_expect_truth();
}

static void fork_quietly(void)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    wait_for(child, 0);
    probe_expect("allocs", 0);
}

static void *volatile left_by_child;

static void child_of_vfork(void)
{
    void *p = probe_gave(keep(malloc(1000)));
    pid_t child = vfork();

    if (child == 0) {
        left_by_child = malloc(5000000);
        free(left_by_child);
        _exit(0);
    }
    wait_for(child, 0);
    free(probe_took(probe_gave(keep(malloc(300)))));
    free(probe_took(p));
    probe_expect_truth();
}

static void vfork_fails_to_exec(void)
{
    for (volatile int i = 0; i < 100; i++) {
        pid_t child = vfork();

        if (child == 0) {
            static char name[] = "none";
            char *const argv[] = {name, NULL};

            execv("/nonexistent", argv);
            _exit(errno == ENOENT ? 3 : 4);
        }
        wait_for(child, 3 << 8);
    }
    probe_expect("allocs", 0);
}

static void vfork_execs(void)
{
    pid_t child = vfork();

    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(9);
    }
    wait_for(child, 0);
    probe_expect("allocs", 0);
}

static void exec_chain(void)
{
    const char *left = getenv("PROBE_LEFT");
    int n = left ? atoi(left) : 5;
    char next[8] = {(char)('0' + n - 1), '\0'};

    (void)!keep(malloc(1000 * (size_t)n));
    if (!left)
        probe_expect("ended", 0);
    if (n > 0) {
        (void)setenv("PROBE_LEFT", next, 1);
        execl("/proc/self/exe", "probe", "exec_chain", (char *)NULL);
        _exit(9);
    }
}

static void killed(void)
{
    (void)!probe_gave(keep(malloc(200000)));
    free(probe_took(probe_gave(keep(malloc(3000000)))));
    probe_expect_truth();
    probe_expect("ended", 0);
    (void)raise(SIGKILL);
}

static void quits(void)
{
    (void)!probe_gave(keep(malloc(200000)));
    probe_expect_truth();
    probe_expect("ended", 0);
    _exit(5);
}

static void aborts(void)
{
    (void)!probe_gave(keep(malloc(200000)));
    probe_expect_truth();
    abort();
}

static void closes_everything(void)
{
    for (int fd = 0; fd < 1024; fd++)
        if (fd != 1)
            (void)close(fd);
    (void)!probe_gave(keep(malloc(200000)));
    probe_expect_truth();
    (void)close(1);
}

/* Whatever is not needed to write the result and to end is death.  Called
 * through prctl and through syscall, which are watched. */
static void seccomp(int through_syscall)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    free(probe_took(probe_gave(keep(malloc(1))))); /* glibc's own first-time calls */
    probe_require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    if (through_syscall)
        probe_require(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0, "seccomp");
    else
        probe_require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "prctl");
    for (int i = 0; i < 1000; i++)
        (void)!probe_gave(keep(malloc(1000)));
    probe_expect_truth();
    probe_expect("ended", 1);
}

static void seccomp_prctl(void)
{
    seccomp(0);
}

static void seccomp_syscall(void)
{
    seccomp(1);
}

/* A filter that a child installs is the child's; the parent goes on. */
static void seccomp_in_raw_child(void)
{
    pid_t child = (pid_t)syscall(SYS_fork);

    if (child == 0) {
        seccomp(0);
        _exit(0);
    }
    wait_for(child, 0);
}

/* Whoever execs under a filter that kills for what our start does. */
static void exec_under_filter(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    probe_expect("ended", 0);
    probe_require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
    probe_require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "prctl");
    execl("/bin/true", "true", (char *)NULL);
    _exit(9);
}

/* Questions and calls that fail install nothing. */
static void seccomp_refused(void)
{
    unsigned action = SECCOMP_RET_ALLOW;

    (void)syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
    probe_require(prctl(PR_SET_SECCOMP, 77, NULL) == -1 && errno == EINVAL, "prctl refuses");
    probe_require(syscall(SYS_seccomp, 1, 77, NULL) == -1 && errno == EINVAL, "seccomp refuses");
    probe_expect("metric.flags", 0);
    probe_expect("metric.vmhwm_bytes.min", 1);
    probe_expect("ended", 1);
}

/* malloc is no cancellation point, whatever we do in it. */
static void *malloc_with_cancel_pending(void *done)
{
    void *block;

    (void)pthread_cancel(pthread_self());
    for (int i = 0; i < 40; i++) {
        const struct timespec part = {0, 50000000};

        block = keep(malloc((size_t)1000000 << (i / 4))); /* new peaks for two seconds */
        free(block);
        (void)syscall(SYS_nanosleep, &part, NULL);
    }
    *(int *)done = 1;
    pthread_testcancel();
    return NULL;
}

static void not_cancelled(void)
{
    pthread_t thread;
    int done = 0;

    probe_require(pthread_create(&thread, NULL, malloc_with_cancel_pending, &done) == 0, "thread");
    (void)pthread_join(thread, NULL);
    probe_require(done, "the thread was cancelled in malloc");
    probe_expect("metric.vmhwm_bytes.min", 1);
}

/* What a raw clone's child inherits is what is there now, not at an earlier
 * fork. */
static void raw_fork_after_fork(void)
{
    void *p;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    wait_for(child, 0);
    p = probe_gave(keep(malloc(10000000)));
    child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
        (void)!keep(malloc(100));
        _exit(0);
    }
    wait_for(child, 0);
    free(p);
    probe_expect("live", 0);
}

static void *fork_in_thread(void *gate)
{
    pid_t child;

    (void)!keep(malloc(100));
    (void)pthread_barrier_wait(gate); /* all have their slots */
    (void)pthread_barrier_wait(gate);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 100; i++)
            free(keep(malloc(1000)));
        _exit(0);
    }
    wait_for(child, 0);
    (void)pthread_barrier_wait(gate);
    return NULL;
}

/* Threads of high slots fork; the script gives a file system that is full. */
static void forks_in_high_slots(void)
{
    enum { THREADS = 12 };
    pthread_t threads[THREADS];
    pthread_barrier_t gate;

    (void)pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        probe_require(pthread_create(&threads[i], NULL, fork_in_thread, &gate) == 0, "thread");
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    probe_expect("calls.malloc.min", THREADS);
}

/* syscall(2) as ours: six arguments, errors, and a value that is no error. */
static void system_calls(void)
{
    errno = 0;
    probe_require(syscall(SYS_close, -1) == -1 && errno == EBADF, "syscall sets errno");
    probe_require(syscall(SYS_getpid) == getpid(), "syscall returns");
    probe_require(syscall(SYS_mmap, 0, 4096, 3, 0x22, -1, 0) > 0, "syscall takes six arguments");
    errno = 0;
    probe_require(prctl(-5, 0, 0, 0, 0) == -1 && errno == EINVAL, "prctl sets errno");
    probe_require(prctl(PR_SET_NAME, "renamed", 0, 0, 0) == 0, "prctl works");
    probe_expect("allocs", 0);
}

static void *churn(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
        free(keep(malloc(100)));
    return NULL;
}

/* Forks while other threads are in the middle of everything. */
static void forks_among_threads(void)
{
    pthread_t threads[4];
    int stop = 0;

    for (int i = 0; i < 4; i++)
        probe_require(pthread_create(&threads[i], NULL, churn, &stop) == 0, "thread");
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();

        if (child == 0) {
            free(keep(malloc(100)));
            _exit(0);
        }
        wait_for(child, 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(threads[i], NULL);
    probe_expect("calls.malloc.min", 4);
}

const struct probe_case probe_processes[] = {
    {"child_of_fork", child_of_fork},
    {"child_of_raw_fork", child_of_raw_fork},
    {"fork_quietly", fork_quietly},
    {"child_of_vfork", child_of_vfork},
    {"vfork_fails_to_exec", vfork_fails_to_exec},
    {"vfork_execs", vfork_execs},
    {"exec_chain", exec_chain},
    {"killed", killed},
    {"quits", quits},
    {"aborts", aborts},
    {"closes_everything", closes_everything},
    {"seccomp_prctl", seccomp_prctl},
    {"seccomp_syscall", seccomp_syscall},
    {"seccomp_in_raw_child", seccomp_in_raw_child},
    {"exec_under_filter", exec_under_filter},
    {"seccomp_refused", seccomp_refused},
    {"not_cancelled", not_cancelled},
    {"raw_fork_after_fork", raw_fork_after_fork},
    {"forks_in_high_slots", forks_in_high_slots},
    {"system_calls", system_calls},
    {"forks_among_threads", forks_among_threads},
    {NULL, NULL},
};
