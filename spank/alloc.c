/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/alloc.h"

#include "libheapline/env.h"
#include "spank/around.h"
#include "spank/say.h"

#include <stdlib.h>

int hl_alloc_option(const struct hl_options *options, const struct hl_plugconf *conf)
{
    char dir[HL_DIR_ROOM];
    struct hl_error err;
    int on = hl_around_decide(options, conf, dir, &err);

    if (on < 0) {
        hl_say("--heapline: %s", err.text);
        return -1;
    }
    if (on > 0)
        (void)setenv(HL_ENV_SLURM_DIR, dir, 1);
    else
        (void)unsetenv(HL_ENV_SLURM_DIR);
    return 0;
}
