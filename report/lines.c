/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See lines.h.
 */
#include "report/lines.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY (64 * 1024)

int hl_lines_init(struct hl_lines *lines, int fd)
{
    *lines = (struct hl_lines){.fd = fd, .number = 1, .capacity = FIRST_CAPACITY};
    lines->buffer = malloc(lines->capacity);
    return lines->buffer ? 0 : -ENOMEM;
}

void hl_lines_fini(struct hl_lines *lines)
{
    free(lines->buffer);
    lines->buffer = NULL;
}

static int make_room(struct hl_lines *lines)
{
    char *bigger;

    assert(lines->capacity);
    if (lines->end < lines->capacity)
        return 0;
    if (lines->start > lines->capacity / 2) {
        lines->end -= lines->start;
        memmove(lines->buffer, lines->buffer + lines->start, lines->end);
        lines->start = 0;
        return 0;
    }
    bigger = realloc(lines->buffer, lines->capacity * 2);
    if (!bigger)
        return -ENOMEM;
    lines->buffer = bigger;
    lines->capacity *= 2;
    return 0;
}

/* Reads some more.  1, 0 at the end of the file, or -errno. */
static int fill(struct hl_lines *lines)
{
    ssize_t n;
    int rc = make_room(lines);

    if (rc || lines->eof)
        return rc;
    do
        n = read(lines->fd, lines->buffer + lines->end, lines->capacity - lines->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    lines->eof = n == 0;
    lines->end += (size_t)n;
    return n > 0;
}

int hl_lines_peek(struct hl_lines *lines, size_t ahead, size_t *bytes)
{
    size_t seen = 0;

    for (;;) {
        const char *from = lines->buffer + lines->start + ahead;
        size_t there = lines->end - lines->start - ahead;
        const char *newline = memchr(from + seen, '\n', there - seen);
        int rc;

        if (newline) {
            *bytes = (size_t)(newline - from) + 1;
            return ahead + *bytes > HL_LINE_MAX ? -E2BIG : 1;
        }
        if (ahead + there > HL_LINE_MAX)
            return -E2BIG;
        seen = there;
        rc = fill(lines);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            *bytes = there;
            return there > 0;
        }
    }
}

void hl_lines_skip(struct hl_lines *lines, size_t bytes, uint64_t count)
{
    lines->start += bytes;
    lines->number += count;
    if (lines->start == lines->end)
        lines->start = lines->end = 0;
}

int hl_lines_skip_long(struct hl_lines *lines)
{
    for (;;) {
        size_t there = lines->end - lines->start;
        const char *newline = memchr(lines->buffer + lines->start, '\n', there);
        int rc;

        if (newline) {
            hl_lines_skip(lines, (size_t)(newline - lines->buffer) + 1 - lines->start, 1);
            return 0;
        }
        lines->start = lines->end = 0;
        rc = fill(lines);
        if (rc <= 0) {
            lines->number++;
            return rc;
        }
    }
}
