/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Lines of a file of any size in bounded memory, with a look ahead so that a
 * row that turns out to be torn can be given up at its first line.
 */
#ifndef HL_LINES_H
#define HL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HL_LINE_MAX (1024 * 1024) /* longest look ahead, bytes */

struct hl_lines {
    int fd;
    char *buffer;
    size_t start, end, capacity;
    uint64_t number; /* of the line at start, from 1 */
    bool eof;
};

/* Reads fd from where it stands; fd stays the caller's.  0 or -ENOMEM. */
int hl_lines_init(struct hl_lines *lines, int fd);
void hl_lines_fini(struct hl_lines *lines);

/* The line that begins ahead bytes after the current one: *bytes is its length
 * with its LF (the last one may have none).  1; 0 at the end of the file;
 * -E2BIG where it would go beyond HL_LINE_MAX; or the error of read.  It is at
 * lines->buffer + lines->start + ahead until the next call. */
int hl_lines_peek(struct hl_lines *lines, size_t ahead, size_t *bytes);

/* Goes on by count whole lines of bytes in all, as peeked. */
void hl_lines_skip(struct hl_lines *lines, size_t bytes, uint64_t count);

/* Goes on behind the current line however long it is.  0 or the error of read. */
int hl_lines_skip_long(struct hl_lines *lines);

#endif
