/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The node's side of a step, in slurmstepd: a directory in STAGING before the
 * tasks start, the library into each task, what is known of each task's end,
 * and the gather at the last of them.  Other steps than those of srun (batch,
 * interactive, extern) are left alone.
 *
 * Runs as root but for hl_step_task_init; touches nothing of the user's.  The
 * state is one step's: a slurmstepd has only one.
 */
#ifndef HL_STEP_H
#define HL_STEP_H

#include "spank/plugconf.h"

#include <slurm/spank.h>

/* From init_post_opt, as root. */
void hl_step_start(spank_t spank, const struct hl_plugconf *conf);

/* From task_init, as the user, in each task's process before its exec. */
void hl_step_task_init(spank_t spank, const struct hl_plugconf *conf);

/* From task_exit, as root, once for each task. */
void hl_step_task_exit(spank_t spank, const struct hl_plugconf *conf);

/* From exit, as root: gathers what could not be gathered before. */
void hl_step_end(spank_t spank, const struct hl_plugconf *conf);

#endif
