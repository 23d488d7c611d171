/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "libheapline/record.h"

const struct hl_column_info hl_columns[HL_C_COUNT] = {
#define HL_COLUMN(ID, key, kind, merge, since, doc) \
    [HL_C_##ID] = {#key, HL_KIND_##kind, HL_MERGE_##merge, since, doc},
#include "libheapline/metrics.def"
};

static int column_count(int version)
{
    return version == 1 ? HL_C_COUNT_V1 : HL_C_COUNT;
}

void hl_row_init(struct hl_row *row)
{
    for (int c = 0; c < HL_C_COUNT; c++) {
        if (hl_columns[c].kind == HL_KIND_INT || hl_columns[c].kind == HL_KIND_MS)
            row->cell[c].i = -1;
        else
            row->cell[c].s = "";
    }
}

void hl_record_header(struct hl_text *out, int version)
{
    hl_text_string(out, "# heapline ");
    hl_text_int(out, version);
    hl_text_string(out, "\n");
    for (int c = 0; c < column_count(version); c++) {
        hl_text_string(out, c ? "," : "");
        hl_text_string(out, hl_columns[c].key);
    }
    hl_text_string(out, "\n");
}

void hl_record_line(struct hl_text *out, const struct hl_row *row, int version)
{
    for (int c = 0; c < column_count(version); c++) {
        const union hl_cell *cell = &row->cell[c];

        hl_text_string(out, c ? "," : "");
        switch (hl_columns[c].kind) {
        case HL_KIND_INT:
            hl_text_int(out, cell->i);
            break;
        case HL_KIND_MS:
            hl_text_seconds(out, cell->i);
            break;
        case HL_KIND_STR:
        case HL_KIND_WORD:
            hl_text_field(out, cell->s);
            break;
        }
    }
    hl_text_string(out, "\n");
}
