/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See problems.h.
 */
#include "report/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES_PER_FILE 20

static void say(struct hl_problems *p, const char *where, uint64_t line, const char *format,
                va_list args)
{
    char *text = NULL, *whole = NULL;
    int n;

    if (vasprintf(&text, format, args) < 0)
        return;
    if (!where)
        n = asprintf(&whole, "%s", text);
    else if (line)
        n = asprintf(&whole, "%s:%llu: %s", where, (unsigned long long)line, text);
    else
        n = asprintf(&whole, "%s: %s", where, text);
    free(text);
    if (n < 0)
        return;
    p->say(p->context, whole);
    free(whole);
}

void hl_problems_done(struct hl_problems *p)
{
    char text[64];
    size_t more = p->here > LINES_PER_FILE ? p->here - LINES_PER_FILE : 0;
    const char *where = p->where;

    p->where = NULL;
    p->here = 0;
    if (more) {
        (void)snprintf(text, sizeof(text), "and %zu more of these", more);
        hl_say(p, where, "%s", text);
    }
}

void hl_damage(struct hl_problems *p, const char *where, uint64_t line, const char *format, ...)
{
    va_list args;

    p->damaged++;
    if (where != p->where)
        hl_problems_done(p);
    p->where = where;
    if (where && ++p->here > LINES_PER_FILE)
        return;
    va_start(args, format);
    say(p, where, line, format, args);
    va_end(args);
}

void hl_say(struct hl_problems *p, const char *where, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(p, where, 0, format, args);
    va_end(args);
}
