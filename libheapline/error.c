/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "libheapline/error.h"

#include <stdarg.h>
#include <stdio.h>

int hl_fail(struct hl_error *err, int code, const char *format, ...)
{
    va_list args;

    if (!err)
        return code;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    return code;
}
