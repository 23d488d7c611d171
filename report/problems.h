/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What is wrong with the input, said while the rest goes on: one line each,
 * to whoever set say.  Counts what changes the exit status.
 */
#ifndef HL_PROBLEMS_H
#define HL_PROBLEMS_H

#include <stddef.h>
#include <stdint.h>

struct hl_problems {
    void (*say)(void *context, const char *line); /* line: raw bytes, no LF */
    void *context;
    size_t damaged;    /* input damaged, duplicate or unusable so far: status 1 */
    const char *where; /* the file that the last lines were about */
    size_t here;       /* lines about it */
};

/* "WHERE:LINE: text"; line 0: "WHERE: text".  where must live until the next
 * call.  After some lines about one file the rest is counted and said by
 * hl_problems_done. */
void hl_damage(struct hl_problems *problems, const char *where, uint64_t line, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* The same for what must be said but is no error. */
void hl_say(struct hl_problems *problems, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says how many lines were held back about the last file. */
void hl_problems_done(struct hl_problems *problems);

#endif
