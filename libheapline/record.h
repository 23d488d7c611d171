/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * THE RECORD: one row of figures per process image, as CSV.  Columns come
 * from metrics.def; doc/record-format.md describes both versions.  No malloc,
 * no stdio: the library writes version 1 with it inside the user's process,
 * heapline-gather and heapline-report write version 2.
 */
#ifndef HL_RECORD_H
#define HL_RECORD_H

#include "libheapline/text.h"

#include <stdint.h>

enum hl_column {
#define HL_COLUMN(ID, key, kind, merge, since, doc) HL_C_##ID,
#include "libheapline/metrics.def"
    HL_C_COUNT
};
#define HL_C_COUNT_V1 12

enum hl_kind { HL_KIND_INT, HL_KIND_MS, HL_KIND_STR, HL_KIND_WORD };
enum hl_merge { HL_MERGE_NONE, HL_MERGE_SUM, HL_MERGE_MAX, HL_MERGE_MIN };

struct hl_column_info {
    const char *key;
    enum hl_kind kind;
    enum hl_merge merge;
    int since; /* record version */
    const char *doc;
};
extern const struct hl_column_info hl_columns[HL_C_COUNT];

/* The words of the WORD columns (role, ended, source); "" where undecided. */
#define HL_ENDED_EXIT "exit"
#define HL_ENDED_EXEC "exec"
#define HL_ENDED_SIGNAL "signal"
#define HL_ENDED_OOM "oom"
#define HL_ENDED_RUNNING "running"
#define HL_ENDED_VANISHED "vanished"
#define HL_ENDED_LOST "lost"
#define HL_ENDED_NOT_SEEN "not_seen"
#define HL_ROLE_RANK "rank"
#define HL_ROLE_CHILD "child"
#define HL_ROLE_HELPER "helper"
#define HL_SOURCE_PROFILE "profile"
#define HL_SOURCE_RECORD "record"
#define HL_SOURCE_PLUGIN "plugin"
#define HL_SOURCE_MANIFEST "manifest"

/* A cell: i for INT and MS (milliseconds), s for STR and WORD.  Strings belong
 * to whoever filled the row in and must outlive it. */
union hl_cell {
    int64_t i;
    const char *s;
};

struct hl_row {
    union hl_cell cell[HL_C_COUNT];
};

/* Everything unknown: -1 and "". */
void hl_row_init(struct hl_row *row);

/* "# heapline N" and the header line, each ended by LF.  version: 1 or 2. */
void hl_record_header(struct hl_text *out, int version);
/* The row as one line, ended by LF. */
void hl_record_line(struct hl_text *out, const struct hl_row *row, int version);

/* Longest line of version 2 that heapline itself writes, bytes. */
#define HL_RECORD_LINE 16384

#endif
