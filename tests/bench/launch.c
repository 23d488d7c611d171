/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Starts a program and measures it from outside, for `make bench`.
 *
 *     launch TIMES [NAME=VALUE...] PROGRAM [ARGUMENT...]
 *
 * runs it TIMES times, one after the other, without input and output, and prints
 * user CPU, system CPU (sums with all waited-for descendants) and elapsed time
 * (median of the single runs), in microseconds.
 *
 *     launch rest [NAME=VALUE...] PROGRAM [ARGUMENT...]
 *
 * waits until it stops itself, prints its resident memory in KiB, and kills it.
 * NAME=VALUE is put into its environment only: never preloaded itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMES_MAX 100000

extern char **environ;

static posix_spawn_file_actions_t quiet;

static _Noreturn void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "launch: %s: %s\n", what, why);
    exit(1);
}

static void quiet_init(void)
{
    int flags[] = {O_RDONLY, O_WRONLY, O_WRONLY};

    (void)posix_spawn_file_actions_init(&quiet);
    for (int fd = 0; fd < 3; fd++)
        (void)posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", flags[fd], 0);
}

/* environ with the NAME=VALUE in front; *argv moves on to the program. */
static char **environment(char ***argv)
{
    size_t n = 0, ours = 0;
    char **both;

    while (environ[n])
        n++;
    while ((*argv)[ours] && strchr((*argv)[ours], '='))
        ours++;
    both = calloc(n + ours + 1, sizeof(*both));
    if (!both)
        die("environment", strerror(errno));
    memcpy(both, *argv, ours * sizeof(*both));
    memcpy(both + ours, environ, n * sizeof(*both));
    *argv += ours;
    return both;
}

static pid_t start(char **argv, char **env)
{
    pid_t pid;
    int rc = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, env);

    if (rc)
        die(argv[0], strerror(rc));
    return pid;
}

static int64_t now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t microseconds(const struct timeval *t)
{
    return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static int64_t run_once(char **argv, char **env)
{
    int64_t begin = now_us();
    pid_t pid = start(argv, env);
    int status;

    if (waitpid(pid, &status, 0) < 0)
        die(argv[0], strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        die(argv[0], WIFEXITED(status) ? "it failed" : strsignal(WTERMSIG(status)));
    return now_us() - begin;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void measure_times(unsigned times, char **argv, char **env)
{
    int64_t *elapsed = calloc(times, sizeof(*elapsed));
    struct rusage used;

    if (!elapsed)
        die("times", strerror(errno));
    for (unsigned i = 0; i < times; i++)
        elapsed[i] = run_once(argv, env);
    qsort(elapsed, times, sizeof(*elapsed), compare);
    (void)getrusage(RUSAGE_CHILDREN, &used);
    (void)printf("%lld %lld %lld\n", (long long)microseconds(&used.ru_utime),
                 (long long)microseconds(&used.ru_stime), (long long)elapsed[times / 2]);
    free(elapsed);
}

static long resident_kib(pid_t pid)
{
    char path[64], line[128];
    long kib = -1;
    FILE *status;

    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
    status = fopen(path, "r");
    if (!status)
        die(path, strerror(errno));
    while (fgets(line, sizeof(line), status))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    (void)fclose(status);
    return kib;
}

static void measure_rest(char **argv, char **env)
{
    pid_t pid = start(argv, env);
    int status;
    long kib;

    if (waitpid(pid, &status, WUNTRACED) < 0)
        die(argv[0], strerror(errno));
    if (!WIFSTOPPED(status))
        die(argv[0], "it ended before it was at rest");
    kib = resident_kib(pid);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, &status, 0);
    (void)printf("%ld\n", kib);
}

int main(int argc, char **argv)
{
    unsigned long times;
    char **env;

    if (argc < 3)
        die("usage", "launch TIMES|rest [NAME=VALUE...] PROGRAM [ARGUMENT...]");
    times = strtoul(argv[1], NULL, 10);
    argv += 2;
    env = environment(&argv);
    if (!argv[0] || times > TIMES_MAX)
        die("usage", "no program, or too many times");
    quiet_init();
    if (times)
        measure_times((unsigned)times, argv, env);
    else
        measure_rest(argv, env);
    free(env);
    return 0;
}
