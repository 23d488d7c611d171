/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Where results go: STEPDIR, and files in it that appear under their name only
 * when they are whole.
 */
#ifndef HL_GATHER_OUT_H
#define HL_GATHER_OUT_H

#include "libheapline/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Opens STEPDIR, made with its parents where it is missing.  The last `own`
 * parts of the path must be directories (no symlinks) of the caller; own is 1
 * or 2.  *shared: it has a step.json.  The descriptor or -errno. */
int hl_stepdir_open(const char *path, int own, bool *shared, struct hl_error *err);

struct hl_out {
    int dir; /* not owned */
    int fd;
    int error; /* first one, -errno; later writes do nothing */
    size_t used;
    char temporary[256];
    char buffer[32768];
};

/* Begins a file under the temporary name ".NAME.ID" in dir.  What an earlier
 * gather of the same STAGING (ID) has left under it is replaced; its lock
 * guarantees that this one is dead.  Mode 0666 less umask.  0 or -errno. */
int hl_out_begin(struct hl_out *out, int dir, const char *name, unsigned long long id);

/* Appends; errors are kept for hl_out_commit. */
void hl_out_write(struct hl_out *out, const void *data, size_t length);

/* Finishes the file; it is still under its temporary name.  0 or -errno, then
 * it is removed. */
int hl_out_close(struct hl_out *out);

/* Gives it its name, replacing an earlier file.  0 or -errno, then it is
 * removed. */
int hl_out_rename(struct hl_out *out, const char *name);

/* Removes the temporary file, if there is one.  At any time. */
void hl_out_discard(struct hl_out *out);

#endif
