/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A pid alone says little: it may have been given again, or be one of another
 * pid namespace and mean something else here.  The mapping is what counts. */
#include "spank/gather_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int64_t hl_process_start_ns(const char *stat)
{
    const char *p = strrchr(stat, ')'); /* comm may hold anything */
    unsigned long long ticks;
    long hertz = sysconf(_SC_CLK_TCK);
    char state;

    if (!p || hertz <= 0 ||
        sscanf(p + 1,
               " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &state, &ticks) != 2)
        return -1;
    if (state == 'Z' || state == 'X' || ticks > (unsigned long long)INT64_MAX / 1000000000)
        return -1;
    return (int64_t)ticks * (1000000000 / hertz);
}

/* The beginning of a file of a process, as text.  False if it cannot be read. */
static bool read_text(int proc, const char *name, char *text, size_t capacity)
{
    int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd >= 0) {
        n = read(fd, text, capacity - 1);
        close(fd);
    }
    text[n < 0 ? 0 : n] = '\0';
    return n > 0;
}

static int64_t read_start_ns(int proc)
{
    char text[1024];

    return read_text(proc, "stat", text, sizeof(text)) ? hl_process_start_ns(text) : -1;
}

/* /proc/N is there for the id of a thread, too. */
static bool is_process(int proc, int64_t pid)
{
    char text[1024];
    const char *group;

    if (!read_text(proc, "status", text, sizeof(text)))
        return false;
    group = strstr(text, "\nTgid:");
    return group && strtoll(group + 6, NULL, 10) == pid;
}

bool hl_process_maps(int fd, ino_t inode, bool *any)
{
    FILE *in = fdopen(fd, "re");
    bool found = false, at_start = true;
    char line[512];

    *any = false;
    if (!in) {
        close(fd);
        return false;
    }
    while (!found && fgets(line, sizeof(line), in)) {
        unsigned long long number;

        /* a long path comes in several pieces; only the first has the inode */
        if (at_start && sscanf(line, "%*x-%*x %*s %*x %*x:%*x %llu", &number) == 1) {
            *any = true;
            found = number == inode;
        }
        at_start = strchr(line, '\n') != NULL;
    }
    (void)fclose(in);
    return found;
}

static enum hl_life look_at_maps(int proc, const struct hl_image *image)
{
    struct stat st;
    bool found, any;
    int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        found = hl_process_maps(fd, image->inode, &any);
        if (any)
            return found ? HL_LIFE_RUNS : HL_LIFE_REPLACED;
    }
    /* no right to see them; any other error: a process without memory */
    if (fd < 0 && (errno == EACCES || errno == EPERM) && fstat(proc, &st) == 0 &&
        st.st_uid == geteuid())
        return HL_LIFE_RUNS;
    return HL_LIFE_GONE;
}

static bool start_fits(int64_t start_ns, const struct hl_image *first)
{
    const int64_t slack_ns = 20000000;

    if (start_ns < 0 || start_ns > first->start_boot_ns + slack_ns)
        return false;
    return first->process_start_boot_ns < 0 ||
           llabs(start_ns - first->process_start_boot_ns) <= slack_ns;
}

enum hl_life hl_process_life(const struct hl_image *image, const struct hl_image *first)
{
    enum hl_life life = HL_LIFE_GONE;
    char path[32];
    int proc;

    if (image->pid <= 0 || image->pid > INT_MAX)
        return HL_LIFE_GONE;
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)image->pid);
    proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* this process, not a later one */
    if (proc < 0)
        return HL_LIFE_GONE;
    if (is_process(proc, image->pid) && start_fits(read_start_ns(proc), first))
        life = look_at_maps(proc, image);
    close(proc);
    return life;
}
