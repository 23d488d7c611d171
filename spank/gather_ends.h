/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The ends: what slurmstepd knows of how the tasks ended (gather.h has the
 * format), as a table ordered by task.
 */
#ifndef HL_GATHER_ENDS_H
#define HL_GATHER_ENDS_H

#include "libheapline/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hl_task_end {
    int64_t task;
    int64_t pid;
    int64_t status; /* of wait(2), -1 unknown */
    int64_t end_unix_ms;
    int64_t maxrss_bytes; /* -1 unknown */
    bool oom;
    uint32_t arrival; /* number of its line */
    /* filled in later, by hl_images_settle and hl_earlier_resolve */
    uint32_t profiles; /* of processes of the task, its own process included */
    bool has_image;    /* its own process has a profile */
    bool in_earlier;   /* an earlier gather has written its row */
};

struct hl_ends {
    struct hl_task_end *at;
    size_t count;
    size_t capacity;
    size_t beyond;       /* task lines above HL_GATHER_TASKS_MAX */
    size_t damaged;      /* task or end lines that could not be read */
    int64_t end_unix_ms; /* of the end line, -1 none */
};

/* An empty table; hl_ends_fini frees it. */
void hl_ends_init(struct hl_ends *ends);
void hl_ends_fini(struct hl_ends *ends);

/* Takes one line, without its LF.  0 (also for lines of unknown kind, damaged
 * ones and those beyond the limit, which are counted) or -ENOMEM. */
int hl_ends_line(struct hl_ends *ends, const char *line);

/* Takes all lines from fd, if it is a pipe or a regular file (from its beginning), waiting at most
 * a few seconds for each piece; then orders the table by task; of two lines
 * for one task the later counts.  0 or -errno. */
int hl_ends_read(struct hl_ends *ends, int fd, struct hl_error *err);
void hl_ends_order(struct hl_ends *ends);

/* The end of this task, NULL if none is known.  Only after hl_ends_order. */
struct hl_task_end *hl_ends_of(struct hl_ends *ends, int64_t task);

#endif
