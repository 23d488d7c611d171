/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Runs heapline-gather for one node of one step, as the user, and says what came
 * of it.
 */
#ifndef HL_GATHERING_H
#define HL_GATHERING_H

#include "spank/child.h"
#include "spank/notes.h"
#include "spank/plugconf.h"

#include <stdbool.h>

struct hl_gathering {
    const struct hl_plugconf *conf;
    const char *staging; /* STAGING/NAME */
    const char *stepdir;
    const char *node;
    const struct hl_notes *notes;
    bool again; /* an earlier run was cut short: this is the last one, with less time */
    struct hl_child_user user;
};

/* As root, from slurmstepd.  Removes STAGING/NAME unless something is left in it.
 * False if it was cut short, so that another run may get further; else there is
 * nothing more to be done here.  Said in one line unless all went well. */
bool hl_gathering_run(const struct hl_gathering *gathering);

#endif
