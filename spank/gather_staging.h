/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * STAGING/NAME, seen by its owner at the step's end: opened, locked, searched,
 * read and emptied.  Everything goes through the directory's descriptor, never
 * follows a symlink and never waits for a fifo.
 */
#ifndef HL_GATHER_STAGING_H
#define HL_GATHER_STAGING_H

#include "libheapline/error.h"
#include "libheapline/profile_read.h"
#include "spank/gather_images.h"
#include "spank/gather_order.h"
#include "spank/gather_remarks.h"

#include <stdbool.h>
#include <stddef.h>

struct hl_staging {
    int fd;
    unsigned long long id; /* its inode: a number that names it on this node */
    /* one profile at a time, 8-byte aligned */
    _Alignas(8) char buffer[HL_PROFILE_BYTES];
};

/* Opens and locks (until closed) the directory, which must be the caller's and
 * writable by nobody else.  0 or -errno: -EBUSY another gather is at it. */
int hl_staging_open(struct hl_staging *staging, const char *path, struct hl_error *err);
void hl_staging_close(struct hl_staging *staging);

/* Reads and parses its order.  0 or -errno. */
int hl_staging_order(struct hl_staging *staging, struct hl_order *order, struct hl_error *err);

/* "PID" or "PID.n" as the library writes it (no leading zero, n > 0). */
bool hl_profile_name_parse(const char *name, int64_t *pid, int64_t *suffix);
#define HL_PROFILE_NAME_BYTES 48
void hl_profile_name_format(char name[HL_PROFILE_NAME_BYTES], int64_t pid, int64_t suffix);

/* Adds an entry for each profile to images (not settled yet); a remark for
 * each that is of no use.  0 or -errno (no memory, directory unreadable). */
int hl_staging_scan(struct hl_staging *staging, struct hl_images *images,
                    struct hl_remarks *remarks, struct hl_error *err);

/* Reads the image's file into the buffer, folds it into *profile and sets its
 * inode, used_bytes.  0, or -errno as of open and read, or as hl_profile_fold. */
int hl_staging_read(struct hl_staging *staging, struct hl_image *image, struct hl_profile *profile,
                    struct hl_error *err);

/* Removes what has been gathered (see struct hl_image; a process' first image
 * first: what is left if this is cut short still ends as it did) and whatever else lies
 * there but profiles that came since and the order; the order, too, if nothing
 * is left then.  Returns how many names are left; *waiting: among them are
 * profiles of processes that still run, or that have come since. */
size_t hl_staging_clean(struct hl_staging *staging, const struct hl_images *images, bool *waiting);

#endif
