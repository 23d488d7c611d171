/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What slurmstepd learns of each task when it ends, and the text in which the
 * gather gets it on its standard input.
 */
#ifndef HL_NOTES_H
#define HL_NOTES_H

#include <stddef.h>
#include <stdint.h>

/* -1: unknown. */
struct hl_note {
    int64_t task; /* global id */
    int64_t pid;
    int64_t status; /* as from wait(2) */
    int64_t oom;    /* kernel OOM kills in its cgroup */
    int64_t end_unix_ms;
    int64_t maxrss_bytes;
};

/* Zeroed is empty. */
struct hl_notes {
    struct hl_note *at;
    size_t count;
    size_t room;
};

/* Copies note.  0 or -ENOMEM. */
int hl_notes_add(struct hl_notes *notes, const struct hl_note *note);

/* A file in memory, at its start, to be read as
 *   task TASK PID STATUS OOM END_UNIX_MS MAXRSS_BYTES
 * for each note, then "end UNIX_MS".  A descriptor above 2 that is closed by
 * exec and that the caller closes, or -errno. */
int hl_notes_file(const struct hl_notes *notes, int64_t now_unix_ms);

#endif
