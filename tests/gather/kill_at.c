/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Kills a program at its Nth system call, for every N a test likes:
 *
 *     kill_at N PROGRAM [ARG...]
 *
 * Exit status: 137 killed there; the program's own if it made fewer calls; 99
 * if it cannot be traced.  It shows what SIGKILL leaves, not what a machine
 * that loses power leaves.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_to_call(pid_t child, long stop_at)
{
    /* each system call stops twice, at its beginning and at its end */
    for (long stops = 0;; stops++) {
        int status;

        if (waitpid(child, &status, 0) != child)
            return 99;
        if (WIFEXITED(status))
            return WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            return 128 + WTERMSIG(status);
        if (stops == 2 * stop_at) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            return 137;
        }
        if (ptrace(PTRACE_SYSCALL, child, NULL, NULL))
            return 99;
    }
}

int main(int argc, char **argv)
{
    pid_t child;

    if (argc < 3)
        return 2;
    child = fork();
    if (child < 0)
        return 99;
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            (void)execv(argv[2], argv + 2);
        _exit(99);
    }
    return run_to_call(child, strtol(argv[1], NULL, 10));
}
