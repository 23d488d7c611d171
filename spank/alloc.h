/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * sbatch's and salloc's side: the option is handed on to the sruns inside.
 */
#ifndef HL_ALLOC_H
#define HL_ALLOC_H

#include "spank/options.h"
#include "spank/plugconf.h"

/* After each call of the option's callback: SLURM_HEAPLINE_DIR in this process'
 * environment, which becomes the job's, is set as the option says.  0, or -1
 * where DIR cannot be made out; that has been said then. */
int hl_alloc_option(const struct hl_options *options, const struct hl_plugconf *conf);

#endif
