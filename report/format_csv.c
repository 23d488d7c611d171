/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * CSV: the rows, as records of version 2; nothing for people.
 */
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void put(struct hl_output *out, const struct hl_text *text)
{
    (void)fwrite(text->at, 1, text->length, out->file);
}

static void header(struct hl_output *out)
{
    char buffer[2048];
    struct hl_text text;

    hl_text_init(&text, buffer, sizeof(buffer));
    hl_record_header(&text, 2);
    put(out, &text);
    out->begun = true;
}

/* The most that the row's line can take: every byte of a string a quote. */
static size_t line_bound(const struct hl_row *row)
{
    size_t bytes = 2;

    for (int c = 0; c < HL_C_COUNT; c++)
        bytes += hl_columns[c].kind == HL_KIND_INT || hl_columns[c].kind == HL_KIND_MS
                     ? 26
                     : 2 * strlen(row->cell[c].s) + 3;
    return bytes;
}

static int record(struct hl_output *out, const struct hl_row *row)
{
    size_t bound = line_bound(row);
    char buffer[4096], *line = bound <= sizeof(buffer) ? buffer : malloc(bound);
    struct hl_text text;

    if (!line)
        return -ENOMEM;
    if (!out->begun)
        header(out);
    hl_text_init(&text, line, bound);
    hl_record_line(&text, row, 2);
    put(out, &text);
    if (line != buffer)
        free(line);
    return 0;
}

const struct hl_format hl_format_csv = {
    .name = "csv",
    .records = true,
    .record = record,
};
