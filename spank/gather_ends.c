/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_ends.h"

#include "spank/gather.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A pipe whose writer sleeps must not hang a gather that was started by hand. */
#define WAIT_MS 3000

void hl_ends_init(struct hl_ends *ends)
{
    memset(ends, 0, sizeof(*ends));
    ends->end_unix_ms = -1;
}

void hl_ends_fini(struct hl_ends *ends)
{
    free(ends->at);
    hl_ends_init(ends);
}

/* Reads " NUMBER" at *at: -1 or a decimal that fits; moves *at behind it. */
static bool read_number(const char **at, int64_t *out)
{
    const char *p = *at;
    int64_t value = 0;

    if (*p++ != ' ')
        return false;
    if (strncmp(p, "-1", 2) == 0) {
        *out = -1;
        *at = p + 2;
        return true;
    }
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*p - '0');
    }
    *out = value;
    *at = p;
    return true;
}

static bool parse_task(const char *p, struct hl_task_end *end)
{
    int64_t oom = 0;

    memset(end, 0, sizeof(*end));
    if (!read_number(&p, &end->task) || !read_number(&p, &end->pid) ||
        !read_number(&p, &end->status) || !read_number(&p, &oom) ||
        !read_number(&p, &end->end_unix_ms) || !read_number(&p, &end->maxrss_bytes))
        return false;
    end->oom = oom == 1;
    return (*p == '\0' || *p == ' ') && end->task >= 0 && end->status <= 0xffff;
}

static int add_task(struct hl_ends *ends, const struct hl_task_end *end)
{
    if (ends->count == HL_GATHER_TASKS_MAX) {
        ends->beyond++;
        return 0;
    }
    if (ends->count == ends->capacity) {
        size_t capacity = ends->capacity ? 2 * ends->capacity : 64;
        void *grown = reallocarray(ends->at, capacity, sizeof(*ends->at));

        if (!grown)
            return -ENOMEM;
        ends->at = grown;
        ends->capacity = capacity;
    }
    ends->at[ends->count] = *end;
    ends->at[ends->count].arrival = (uint32_t)ends->count;
    ends->count++;
    return 0;
}

int hl_ends_line(struct hl_ends *ends, const char *line)
{
    struct hl_task_end end;
    int64_t now;

    if (strncmp(line, "task ", 5) == 0) {
        if (parse_task(line + 4, &end))
            return add_task(ends, &end);
        ends->damaged++;
    } else if (strncmp(line, "end ", 4) == 0) {
        line += 3;
        if (read_number(&line, &now) && (*line == '\0' || *line == ' '))
            ends->end_unix_ms = now;
        else
            ends->damaged++;
    }
    return 0;
}

/* Hands each whole line in buffer to hl_ends_line and moves the rest to the
 * front; a line that fills the buffer is none of ours and is cut. */
static int take_lines(struct hl_ends *ends, char *buffer, size_t *used, size_t capacity)
{
    char *line = buffer, *end;
    int rc;

    while ((end = memchr(line, '\n', *used - (size_t)(line - buffer)))) {
        *end = '\0';
        rc = hl_ends_line(ends, line);
        if (rc)
            return rc;
        line = end + 1;
    }
    *used -= (size_t)(line - buffer);
    memmove(buffer, line, *used);
    if (*used == capacity) {
        ends->damaged++;
        *used = 0;
    }
    return 0;
}

static int read_lines(struct hl_ends *ends, int fd)
{
    char buffer[4096];
    size_t used = 0;

    for (;;) {
        struct pollfd waiting = {.fd = fd, .events = POLLIN};
        ssize_t n;
        int rc = poll(&waiting, 1, WAIT_MS);

        if (rc == 0)
            return 0;
        n = rc < 0 ? -1 : read(fd, buffer + used, sizeof(buffer) - used);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return -errno;
        if (n == 0) {
            ends->damaged += used > 0; /* the last line has no LF: cut short */
            return 0;
        }
        used += (size_t)n;
        rc = take_lines(ends, buffer, &used, sizeof(buffer));
        if (rc)
            return rc;
    }
}

int hl_ends_read(struct hl_ends *ends, int fd, struct hl_error *err)
{
    struct stat st;
    int rc = 0;

    if (fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode))) {
        (void)lseek(fd, 0, SEEK_SET); /* a memfd is handed over as it was written */
        rc = read_lines(ends, fd);
    }
    hl_ends_order(ends);
    if (rc)
        return hl_fail(err, rc, "cannot read the tasks' ends from standard input: %s",
                       strerror(-rc));
    return 0;
}

static int compare_task(const void *a, const void *b)
{
    const struct hl_task_end *x = a, *y = b;

    return (x->task > y->task) - (x->task < y->task);
}

static int compare_arrival(const void *a, const void *b)
{
    const struct hl_task_end *x = a, *y = b;
    int by_task = compare_task(a, b);

    return by_task ? by_task : (x->arrival > y->arrival) - (x->arrival < y->arrival);
}

void hl_ends_order(struct hl_ends *ends)
{
    size_t kept = 0;

    if (ends->count == 0)
        return;
    qsort(ends->at, ends->count, sizeof(*ends->at), compare_arrival);
    for (size_t i = 1; i < ends->count; i++) {
        if (ends->at[i].task != ends->at[kept].task)
            kept++;
        ends->at[kept] = ends->at[i];
    }
    ends->count = kept + 1;
}

struct hl_task_end *hl_ends_of(struct hl_ends *ends, int64_t task)
{
    struct hl_task_end key = {.task = task};

    if (ends->count == 0)
        return NULL;
    return bsearch(&key, ends->at, ends->count, sizeof(key), compare_task);
}
