/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/around.h"

#include "libheapline/env.h"

#include <stdlib.h>
#include <unistd.h>

int hl_around_decide(const struct hl_options *options, const struct hl_plugconf *conf, char *dir,
                     struct hl_error *err)
{
    char cwd[HL_DIR_ROOM];
    struct hl_surroundings around = {
        .disable = getenv(HL_ENV_DISABLE),
        .slurm_dir = getenv(HL_ENV_SLURM_DIR),
        .cwd = getcwd(cwd, sizeof(cwd)),
        .site_dir = conf->dir,
        .site_on = conf->default_on,
    };

    return hl_options_decide(options, &around, dir, err);
}
