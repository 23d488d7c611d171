/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The environment of a task about to be executed: our library in, or out.  As
 * the user, from task_init.
 */
#ifndef HL_INJECT_H
#define HL_INJECT_H

#include "libheapline/error.h"
#include "spank/plugconf.h"

#include <slurm/spank.h>

/* A variable of the job's environment, whatever its length; NULL if it is not
 * set or there is no memory.  The caller frees it. */
char *hl_inject_getenv(spank_t spank, const char *name);

/* Puts the library in front of LD_PRELOAD and profiles into staging.  0, or
 * -errno with the reason (the library cannot be read here): nothing is changed. */
int hl_inject_add(spank_t spank, const struct hl_plugconf *conf, const char *staging,
                  struct hl_error *err);

/* For a step that is not recorded: what an enclosing step has put in, and the
 * environment brought along, is taken out again. */
void hl_inject_remove(spank_t spank, const struct hl_plugconf *conf);

#endif
