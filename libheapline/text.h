/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Bounded text without stdio, locale or malloc: usable inside malloc, in a
 * signal handler and after fork.  Text that does not fit is cut and `cut` set;
 * the buffer always ends with NUL.
 */
#ifndef HL_TEXT_H
#define HL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hl_text {
    char *at;        /* caller's buffer */
    size_t capacity; /* its size, at least 1 */
    size_t length;   /* bytes in use without the NUL */
    bool cut;        /* something did not fit */
};

void hl_text_init(struct hl_text *t, char *buffer, size_t capacity);
void hl_text_bytes(struct hl_text *t, const char *bytes, size_t length);
void hl_text_string(struct hl_text *t, const char *string);
void hl_text_int(struct hl_text *t, int64_t value);
/* milliseconds as seconds with three decimals and a dot: 12480 -> 12.480; -1 -> -1 */
void hl_text_seconds(struct hl_text *t, int64_t ms);
/* A CSV field: quoted by RFC 4180 only where it must be, bytes as they are. */
void hl_text_field(struct hl_text *t, const char *string);
/* sacct's way: 1023 -> 1023, 1536 -> 1.50K, 1048576 -> 1.00M; -1 -> "-" */
void hl_text_size(struct hl_text *t, int64_t bytes);

/* Whole decimal number in [0, INT64_MAX], nothing around it; else -1. */
int64_t hl_text_number(const char *string);

#endif
