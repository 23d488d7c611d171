/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_remarks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hl_remark(struct hl_remarks *remarks, const char *format, ...)
{
    char text[HL_REMARK_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    for (size_t r = 0; r < remarks->count; r++)
        if (strcmp(remarks->text[r], text) == 0)
            return;
    if (remarks->count == HL_REMARKS_MAX)
        remarks->more++;
    else
        memcpy(remarks->text[remarks->count++], text, sizeof(text));
}
