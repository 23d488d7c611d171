/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPORT_FD 3   /* in the child, closed by a successful exec */
#define GRACE_MS 1000 /* for a killed child to go away */
#define PAUSE_MAX_NS 20000000L
#define FD_LIMIT 1048576L

enum stage {
    STAGE_PIPE,
    STAGE_FORK,
    STAGE_FDS,
    STAGE_DROP,
    STAGE_EXEC,
};

static const char *const stage_names[] = {"pipe", "fork", "setting up files", "changing user",
                                          "exec"};

struct failure {
    int32_t stage;
    int32_t code;
};

/* ---- in the child: system calls only ---- */

static void write_file(const char *path, const char *text, size_t length)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, text, length) < 0) { /* then it stays where it is: still limited in time */
    }
    (void)close(fd);
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        (void)sigaction(i, &action, NULL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(int first)
{
    struct rlimit limit;
    long end = FD_LIMIT;

#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
        return;
#endif
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FD_LIMIT)
        end = (long)limit.rlim_cur;
    for (long fd = first; fd < end; fd++)
        (void)close((int)fd);
}

/* Gives the child fds[0..2] and report at REPORT_FD, and nothing else. */
static int set_fds(const int fds[3], int report)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), copies[3];

    if (null < 0)
        return -1;
    /* first out of the way of 0 to 3, then into place */
    report = fcntl(report, F_DUPFD_CLOEXEC, REPORT_FD + 1);
    for (int i = 0; i < 3; i++)
        copies[i] = fcntl(fds[i] < 0 ? null : fds[i], F_DUPFD_CLOEXEC, REPORT_FD + 1);
    for (int i = 0; i < 3; i++)
        if (copies[i] < 0 || dup2(copies[i], i) < 0)
            return -1;
    if (report < 0 || dup3(report, REPORT_FD, O_CLOEXEC) < 0)
        return -1;
    close_from(REPORT_FD + 1);
    return 0;
}

/* The raw calls: glibc's wrappers would do it in all threads of a process that
 * has only this one. */
static int set_ids(const struct hl_child_user *user)
{
    if (syscall(SYS_setgroups, user->group_count, user->groups) < 0 ||
        syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0 ||
        syscall(SYS_setresuid, user->uid, user->uid, user->uid) < 0)
        return -1;
    return 0;
}

static int verify_ids(const struct hl_child_user *user)
{
    uid_t r, e, s;
    gid_t rg, eg, sg;

    errno = EPERM;
    if (getresuid(&r, &e, &s) < 0 || r != user->uid || e != user->uid || s != user->uid)
        return -1;
    if (getresgid(&rg, &eg, &sg) < 0 || rg != user->gid || eg != user->gid || sg != user->gid)
        return -1;
    if (user->uid != 0 && syscall(SYS_setresuid, -1, 0, -1) == 0)
        return -1;
    return 0;
}

static int drop(const struct hl_child_user *user)
{
    const struct rlimit no_core = {0, 0};

    if (set_ids(user) < 0 || verify_ids(user) < 0)
        return -1;
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)umask(user->umask);
    return chdir("/");
}

__attribute__((noreturn)) static void child_fail(int report, enum stage stage)
{
    struct failure failure = {stage, errno};

    if (write(report, &failure, sizeof(failure)) < 0) { /* the exit status is left */
    }
    _exit(127);
}

__attribute__((noreturn)) static void child_main(const struct hl_child *child, int report)
{
    reset_signals();
    if (child->user) {
        /* the end of the job, which proctrack/linuxproc has sent to all children of
         * slurmstepd; there is the limit, and SIGKILL still works */
        (void)signal(SIGTERM, SIG_IGN);
        for (size_t i = 0; child->leave_files && child->leave_files[i]; i++)
            write_file(child->leave_files[i], "0", 1);
        write_file("/proc/self/oom_score_adj", "0", 1);
    }
    if (set_fds(child->fds, report) < 0)
        child_fail(report, STAGE_FDS);
    if (child->user && drop(child->user) < 0)
        child_fail(REPORT_FD, STAGE_DROP);
    (void)execve(child->path, child->argv, child->envp);
    child_fail(REPORT_FD, STAGE_EXEC);
}

/* ---- in the parent ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 1 ended with *status, 0 not within limit_ms, -errno it cannot be waited for. */
static int wait_for(pid_t pid, long limit_ms, int *status)
{
    struct timespec pause = {0, 200000};
    int64_t end = now_ms() + limit_ms;

    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);

        if (got == pid)
            return 1;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (now_ms() >= end)
            return 0;
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < PAUSE_MAX_NS)
            pause.tv_nsec = pause.tv_nsec * 3 / 2;
    }
}

static struct hl_child_end unstarted(enum stage stage, int code)
{
    return (struct hl_child_end){HL_CHILD_UNSTARTED, code, stage_names[stage]};
}

/* How a child ended that reported nothing. */
static struct hl_child_end ended(int status)
{
    if (WIFSIGNALED(status))
        return (struct hl_child_end){HL_CHILD_KILLED, WTERMSIG(status), NULL};
    return (struct hl_child_end){HL_CHILD_EXITED, WEXITSTATUS(status), NULL};
}

static struct hl_child_end await(pid_t pid, int report, long limit_ms)
{
    struct failure failure;
    int status = 0, rc;

    rc = wait_for(pid, limit_ms, &status);
    if (rc == 0) {
        (void)kill(pid, SIGKILL);
        return (struct hl_child_end){HL_CHILD_TIMEOUT, wait_for(pid, GRACE_MS, &status) == 0, NULL};
    }
    /* never blocks, and the child, the only writer, is gone */
    if (read(report, &failure, sizeof(failure)) == (ssize_t)sizeof(failure))
        return unstarted((enum stage)failure.stage, failure.code);
    if (rc < 0) /* no kill: its id may be another's by now */
        return (struct hl_child_end){HL_CHILD_LOST, -rc, NULL};
    return ended(status);
}

/* fork with every signal blocked until the child has reset its handlers: those
 * of the parent may write to files that the child still shares. */
static pid_t fork_quietly(const struct hl_child *child, int report)
{
    sigset_t all, old;
    pid_t pid;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    pid = fork();
    if (pid == 0)
        child_main(child, report);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return pid;
}

struct hl_child_end hl_child_run(const struct hl_child *child)
{
    struct hl_child_end end;
    int report[2];
    pid_t pid;

    if (pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0)
        return unstarted(STAGE_PIPE, errno);
    pid = fork_quietly(child, report[1]);
    end = unstarted(STAGE_FORK, errno);
    (void)close(report[1]);
    if (pid > 0)
        end = await(pid, report[0], child->limit_ms);
    (void)close(report[0]);
    return end;
}
