/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Runs one program as a child and waits for it, with a limit: the gather from
 * slurmstepd (root, threaded; the child becomes the user for good) and the
 * report from srun.
 *
 * Everything is prepared before the fork; between fork and exec the child makes
 * system calls and nothing else.  The wait is for that child's own id only:
 * slurmstepd's tasks are its children too.  Not reentrant, not for signal
 * handlers.
 */
#ifndef HL_CHILD_H
#define HL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct hl_child_user {
    uid_t uid;
    gid_t gid;
    const gid_t *groups;
    size_t group_count;
    mode_t umask;
};

struct hl_child {
    const char *path;
    char *const *argv;
    char *const *envp;
    int fds[3]; /* for the child's 0, 1, 2; -1: /dev/null */
    /* NULL: stay who we are, where we are.  Else, in this order: SIGTERM ignored,
     * leave_files, groups, ids, no core files, umask, cwd / */
    const struct hl_child_user *user;
    /* cgroup.procs of the cgroups to move to first; NULL-ended, or NULL */
    char *const *leave_files;
    long limit_ms;
};

enum hl_child_how {
    HL_CHILD_EXITED,   /* value: exit status */
    HL_CHILD_KILLED,   /* value: signal */
    HL_CHILD_TIMEOUT,  /* killed at the limit; value: 0 gone, 1 abandoned (it holds nothing) */
    HL_CHILD_LOST,     /* another wait took it, or none can: nobody knows; value: errno */
    HL_CHILD_UNSTARTED /* value: errno; what: the call that failed */
};

struct hl_child_end {
    enum hl_child_how how;
    int value;
    const char *what;
};

struct hl_child_end hl_child_run(const struct hl_child *child);

#endif
