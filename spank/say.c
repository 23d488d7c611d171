/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/say.h"

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void hl_say(const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    slurm_spank_log("heapline: %s", text ? text : "out of memory");
    free(text);
}

void hl_say_conf(bool serious, const char *text)
{
    if (serious)
        slurm_error("heapline: %s", text);
    else if (spank_context() == S_CTX_REMOTE)
        slurm_info("heapline: %s", text);
}
