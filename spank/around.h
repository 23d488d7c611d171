/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What surrounds srun, sbatch or salloc: gathered for hl_options_decide.
 */
#ifndef HL_AROUND_H
#define HL_AROUND_H

#include "spank/options.h"
#include "spank/plugconf.h"

/* hl_options_decide with this process' environment and working directory. */
int hl_around_decide(const struct hl_options *options, const struct hl_plugconf *conf, char *dir,
                     struct hl_error *err);

#endif
