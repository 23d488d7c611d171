/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Who this process is: rank, job, node, program.  From its environment and
 * arguments and a few system calls at start; no name service is ever asked. */
#include "libheapline/env.h"
#include "libheapline/process.h"
#include "libheapline/sys.h"

#include <string.h>

extern void *__libc_stack_end; /* of the dynamic linker: where the kernel put argc */
extern char **environ;

#define ARGC_SANE 1000000

struct hl_start hl_start_find(void)
{
    struct hl_start start = {NULL, environ};
    long *stack = __libc_stack_end;
    long argc = stack ? stack[0] : 0;
    char **argv = (char **)(stack + 1);

    if (argc > 0 && argc < ARGC_SANE && argv[argc] == NULL) {
        start.argv = argv;
        start.envp = argv + argc + 1;
    }
    return start;
}

const char *hl_start_env(const struct hl_start *start, const char *name)
{
    size_t length = strlen(name);

    for (char **e = start->envp; e && *e; e++)
        if (strncmp(*e, name, length) == 0 && (*e)[length] == '=')
            return *e + length + 1;
    return NULL;
}

static void copy(char *to, size_t capacity, const char *from)
{
    struct hl_text t;

    hl_text_init(&t, to, capacity);
    if (from)
        hl_text_string(&t, from);
}

static int64_t number(const char *text)
{
    return text ? hl_text_number(text) : -1;
}

/* The record's order (doc/record-format.md). */
static int64_t rank_of(const struct hl_start *start)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int64_t rank = number(hl_start_env(start, names[i]));

        if (rank >= 0)
            return rank;
    }
    return -1;
}

static void fill_host(char *host, size_t capacity)
{
    struct utsname names;

    if (hl_uname(&names) != 0)
        return;
    copy(host, capacity, names.nodename);
    for (char *c = host; *c; c++)
        if (*c == ',' || *c == '"' || *c == '\n' || *c == '\r')
            *c = '_';
}

static void fill_args(struct hl_identity *id, char **argv)
{
    size_t used = 0;

    for (; argv && *argv && used < sizeof(id->args); argv++) {
        size_t length = strlen(*argv) + 1;

        if (length > sizeof(id->args) - used)
            length = sizeof(id->args) - used;
        memcpy(id->args + used, *argv, length);
        used += length;
    }
    id->args_bytes = (int64_t)used;
}

static void fill_exe(struct hl_identity *id, char **argv)
{
    long length = hl_readlink("/proc/self/exe", id->exe, sizeof(id->exe) - 1);

    if (length <= 0)
        copy(id->exe, sizeof(id->exe), argv ? argv[0] : NULL);
    else
        id->exe[length] = '\0';
}

void hl_identity_renew(struct hl_identity *id)
{
    id->pid = hl_getpid();
    id->ppid = hl_getppid();
    id->start_unix_ns = hl_clock_ns(CLOCK_REALTIME);
    id->start_boot_ns = hl_clock_ns(CLOCK_BOOTTIME);
    id->process_start_boot_ns = -1;
}

void hl_identity_fill(struct hl_identity *id, const struct hl_start *start)
{
    hl_identity_renew(id);
    id->rank = rank_of(start);
    id->task = number(hl_start_env(start, "SLURM_PROCID"));
    copy(id->job, sizeof(id->job), hl_start_env(start, "SLURM_JOB_ID"));
    copy(id->step, sizeof(id->step), hl_start_env(start, "SLURM_STEP_ID"));
    copy(id->node, sizeof(id->node), hl_start_env(start, "SLURMD_NODENAME"));
    copy(id->world, sizeof(id->world), hl_start_env(start, "PMIX_NAMESPACE"));
    fill_host(id->host, sizeof(id->host));
    fill_exe(id, start->argv);
    fill_args(id, start->argv);
}

/* Field 22 of /proc/self/stat, counted behind the command's last ')'. */
static int64_t stat_start_ticks(const char *stat)
{
    const char *at = strrchr(stat, ')');
    int64_t ticks = 0;

    for (int field = 2; at && field < 22; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    for (; at && *at >= '0' && *at <= '9'; at++)
        ticks = ticks * 10 + (*at - '0');
    return at ? ticks : -1;
}

int64_t hl_process_start_boot_ns(void)
{
    char stat[1024];
    int fd = hl_open("/proc/self/stat", O_RDONLY, 0);
    long got;
    int64_t ticks;

    if (fd < 0)
        return -1;
    got = hl_read(fd, stat, sizeof(stat) - 1);
    (void)hl_close(fd);
    if (got <= 0)
        return -1;
    stat[got] = '\0';
    ticks = stat_start_ticks(stat);
    return ticks < 0 ? -1 : ticks * (1000000000 / 100); /* USER_HZ */
}
