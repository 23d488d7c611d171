/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Makes DIR/JOB/STEP, as whoever calls: srun's user.  Never for root on behalf
 * of another.
 */
#ifndef HL_JOBDIR_H
#define HL_JOBDIR_H

#include "libheapline/error.h"
#include "spank/names.h"

/* Makes dir (absolute) and what is missing above it, DIR/JOB and DIR/JOB/STEP.
 * The last two must be directories of the caller's; a STEP that holds something
 * already is left alone and STEP.2, STEP.3, ... taken instead: ret_try tells
 * which.  Writes the path to stepdir (HL_DIR_ROOM).  0, or -errno with the
 * reason and what to do; directories made up to then stay. */
int hl_jobdir_make(const char *dir, const struct hl_ids *ids, char *stepdir, unsigned *ret_try,
                   struct hl_error *err);

#endif
