/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * STAGING: root's directory on each node, in which every recorded step has one
 * directory of its user's while it runs.  Root makes and removes these names and
 * never looks into them.
 */
#ifndef HL_STAGING_H
#define HL_STAGING_H

#include "libheapline/error.h"
#include "spank/names.h"

#include <sys/types.h>

struct hl_staging {
    const char *base;  /* absolute */
    uid_t base_uid;    /* who the base must belong to: 0 */
    const char *node;  /* for the name; characters other than [A-Za-z0-9_-] become '_' */
    struct hl_ids ids; /* for the name */
    uid_t uid;         /* who gets the directory */
    gid_t gid;
};

/* Makes BASE/JOB.STEP.NODE.RANDOM, 0700, and gives it to the user; the base too,
 * 0711, if it is missing.  The base must belong to base_uid and be writable by
 * nobody else.  Writes the path to out (HL_DIR_ROOM).  0, or -errno with the
 * reason and what to do. */
int hl_staging_make(const struct hl_staging *staging, char *out, struct hl_error *err);

/* Removes path, one of hl_staging_make, if it is empty.  0 or -errno. */
int hl_staging_remove(const char *base, const char *path);

#endif
