/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Formats: how a report is written.  Views hand over titles, fields, tables and
 * rows and know nothing of how they look; formats know no metric.
 */
#ifndef HL_FORMAT_H
#define HL_FORMAT_H

#include "libheapline/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum hl_value_kind {
    HL_VALUE_TEXT,
    HL_VALUE_COUNT, /* a whole number, -1 unknown */
    HL_VALUE_BYTES,
    HL_VALUE_MS, /* seconds with three decimals */
};

struct hl_value {
    enum hl_value_kind kind;
    int64_t number;
    const char *text;
};

struct hl_head {
    const char *title;
    enum hl_value_kind kind;
};

struct hl_output;

struct hl_format {
    const char *name;
    bool records; /* shows whole records and nothing else */
    void (*title)(struct hl_output *out, const char *text);
    void (*field)(struct hl_output *out, const char *label, const char *text);
    void (*table)(struct hl_output *out, const struct hl_head *heads, size_t count);
    void (*row)(struct hl_output *out, const struct hl_value *values);
    void (*table_end)(struct hl_output *out);
    void (*line)(struct hl_output *out, const char *text);
    int (*record)(struct hl_output *out, const struct hl_row *row);
};

/* A report being written.  file is the caller's; a failure to write shows in
 * its error flag. */
struct hl_output {
    const struct hl_format *format;
    FILE *file;
    bool begun;
    /* the table that is being collected */
    const struct hl_head *heads;
    size_t head_count;
    char **cells;
    size_t cell_count, cell_capacity;
    bool no_memory;
};

/* NULL: no such format. */
const struct hl_format *hl_format_find(const char *name);

extern const struct hl_format hl_format_text;
extern const struct hl_format hl_format_csv;

/* Values for rows. */
struct hl_value hl_text_value(const char *text);
struct hl_value hl_number_value(enum hl_value_kind kind, int64_t number);

#endif
