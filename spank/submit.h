/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * srun's side: DIR/JOB/STEP and the manifest before the step starts, the report
 * after it has ended.
 */
#ifndef HL_SUBMIT_H
#define HL_SUBMIT_H

#include "spank/options.h"
#include "spank/plugconf.h"

#include <slurm/spank.h>

/* From local_user_init.  Sets SLURM_HEAPLINE_STEPDIR for the tasks' side if the
 * step is to be recorded, else takes a foreign one away.  What goes wrong is
 * said in one line, and the step runs unrecorded. */
void hl_submit_start(spank_t spank, const struct hl_options *options,
                     const struct hl_plugconf *conf);

/* From exit: the report, if the step was started and recorded. */
void hl_submit_end(const struct hl_plugconf *conf);

#endif
