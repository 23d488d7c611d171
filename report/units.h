/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Numbers: parsed from fields, added without overflow, printed for people in
 * sacct's way.  Nothing here knows the locale.  Pure functions.
 */
#ifndef HL_UNITS_H
#define HL_UNITS_H

#include "libheapline/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole decimal number with an optional '-', nothing around it, that fits
 * into 64 bits.  False leaves *out alone. */
bool hl_parse_int(const char *text, size_t length, int64_t *out);

/* Seconds with up to nine decimals and a dot, to milliseconds; "-1" to -1. */
bool hl_parse_ms(const char *text, size_t length, int64_t *out);

/* a + b, kept within int64_t.  Unknown figures (negative) add nothing. */
int64_t hl_add(int64_t a, int64_t b);

/* a - b, kept within int64_t; a negative b (unknown) takes nothing. */
int64_t hl_less(int64_t a, int64_t b);

/* 850 -> 0.850 s; from a minute on as sacct's Elapsed: [D-]HH:MM:SS; -1 -> "-". */
void hl_text_duration(struct hl_text *out, int64_t ms);

/* Unix milliseconds as 2026-05-28 20:26:40 UTC; -1, or a time beyond the year
 * 9999, as "-". */
#define HL_UTC_MAX INT64_C(253402300799999)
void hl_text_utc(struct hl_text *out, int64_t ms);

/* A list of numbers as it grows, in ascending order: 0-3,7.  After a limit the
 * rest is only counted.  Begin with {.out = text}; end with hl_ranges_end. */
struct hl_ranges {
    struct hl_text *out;
    int64_t first, last; /* the open range */
    size_t ranges;       /* closed and open ones */
    size_t hidden;
};
void hl_ranges_add(struct hl_ranges *r, int64_t first, int64_t last);
void hl_ranges_end(struct hl_ranges *r);

#endif
