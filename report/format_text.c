/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Text for a terminal, never wider than 80 columns and free of control bytes.
 */
#include "report/clean.h"
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 80
#define INDENT 2
#define LABEL 13 /* columns of a field's label, blanks behind it included */
#define GAP 2    /* between columns of a table */
#define HEADS_MAX 12
#define TEXT_MAX 4096

static void blanks(struct hl_output *out, size_t count)
{
    (void)fprintf(out->file, "%*s", (int)count, "");
}

/* Breaks a clean text at blanks into lines that begin behind indent columns. */
static void wrap(struct hl_output *out, const char *text, size_t indent)
{
    size_t room = WIDTH - indent;

    while (*text) {
        size_t n = hl_bytes_within(text, room), cut = n;

        if (text[n]) {
            while (cut > 0 && text[cut] != ' ')
                cut--;
            n = cut > 0 ? cut : n;
        }
        (void)fwrite(text, 1, n, out->file);
        (void)fputc('\n', out->file);
        text += n;
        text += strspn(text, " ");
        if (*text)
            blanks(out, indent);
    }
}

static void title(struct hl_output *out, const char *text)
{
    char clean[TEXT_MAX];

    (void)hl_clean(text, clean, sizeof(clean));
    if (out->begun)
        (void)fputc('\n', out->file);
    out->begun = true;
    wrap(out, clean, 0);
}

static void field(struct hl_output *out, const char *label, const char *text)
{
    char clean[TEXT_MAX];

    (void)hl_clean(text, clean, sizeof(clean));
    (void)fprintf(out->file, "%*s%-*s", INDENT, "", LABEL, label);
    wrap(out, *clean ? clean : "-", INDENT + LABEL);
}

static void line(struct hl_output *out, const char *text)
{
    char clean[TEXT_MAX];

    (void)hl_clean(text, clean, sizeof(clean));
    blanks(out, *clean ? INDENT : 0);
    wrap(out, clean, INDENT);
    if (!*clean)
        (void)fputc('\n', out->file);
}

static void table(struct hl_output *out, const struct hl_head *heads, size_t count)
{
    out->heads = heads;
    out->head_count = count;
    out->cell_count = 0;
}

/* 9.22e18: no column for figures gets wider than 10. */
static void render_huge(struct hl_text *text, int64_t number)
{
    int exponent = 0;

    for (; number >= 1000; number /= 10)
        exponent++;
    hl_text_int(text, number / 100);
    hl_text_string(text, ".");
    hl_text_int(text, number / 10 % 10);
    hl_text_int(text, number % 10);
    hl_text_string(text, "e");
    hl_text_int(text, exponent + 2);
}

static void render_number(struct hl_text *text, const struct hl_value *value)
{
    int64_t number = value->kind == HL_VALUE_MS ? value->number / 1000 : value->number;

    if (value->kind == HL_VALUE_BYTES)
        hl_text_size(text, value->number);
    else if (number > (value->kind == HL_VALUE_MS ? INT64_C(999999) : INT64_C(9999999999)))
        render_huge(text, number);
    else if (value->kind == HL_VALUE_COUNT)
        hl_text_int(text, number);
    else
        hl_text_seconds(text, value->number);
}

static void render(const struct hl_value *value, char *cell, size_t capacity)
{
    struct hl_text text;

    hl_text_init(&text, cell, capacity);
    if (value->kind == HL_VALUE_TEXT)
        (void)hl_clean_fit(*value->text ? value->text : "-", WIDTH - INDENT, cell, capacity);
    else if (value->number < 0)
        hl_text_string(&text, "-");
    else
        render_number(&text, value);
}

static bool keep_cell(struct hl_output *out, const char *cell)
{
    if (out->cell_count == out->cell_capacity) {
        size_t capacity = out->cell_capacity ? out->cell_capacity * 2 : 64;
        char **cells = reallocarray(out->cells, capacity, sizeof(*cells));

        if (!cells)
            return false;
        out->cells = cells;
        out->cell_capacity = capacity;
    }
    out->cells[out->cell_count] = strdup(cell);
    return out->cells[out->cell_count] && ++out->cell_count;
}

static void row(struct hl_output *out, const struct hl_value *values)
{
    char cell[TEXT_MAX];

    for (size_t i = 0; i < out->head_count && !out->no_memory; i++) {
        render(&values[i], cell, sizeof(cell));
        out->no_memory = !keep_cell(out, cell);
    }
}

static void measure(const struct hl_output *out, size_t *widths)
{
    for (size_t i = 0; i < out->head_count; i++)
        widths[i] = strlen(out->heads[i].title);
    for (size_t i = 0; out->head_count && i < out->cell_count; i++) {
        size_t w = hl_columns_of(out->cells[i]), *widest = &widths[i % out->head_count];

        *widest = w > *widest ? w : *widest;
    }
}

/* Takes columns from the widest text until the table fits. */
static void squeeze(const struct hl_output *out, size_t *widths)
{
    size_t total = INDENT - GAP;

    for (size_t i = 0; i < out->head_count; i++)
        total += GAP + widths[i];
    while (total > WIDTH) {
        size_t widest = out->head_count;

        for (size_t i = 0; i < out->head_count; i++)
            if (out->heads[i].kind == HL_VALUE_TEXT && widths[i] > 4 &&
                (widest == out->head_count || widths[i] > widths[widest]))
                widest = i;
        if (widest == out->head_count)
            return;
        widths[widest]--;
        total--;
    }
}

static void put_cell(struct hl_output *out, const char *cell, size_t width, bool left, bool last)
{
    char text[TEXT_MAX];
    size_t columns = hl_clean_fit(cell, width, text, sizeof(text));
    size_t pad = width > columns ? width - columns : 0;

    blanks(out, left ? 0 : pad);
    (void)fputs(text, out->file);
    if (!last)
        blanks(out, (left ? pad : 0) + GAP);
}

static void put_line(struct hl_output *out, char *const *cells, const size_t *widths)
{
    blanks(out, INDENT);
    for (size_t i = 0; i < out->head_count; i++)
        put_cell(out, cells ? cells[i] : out->heads[i].title, widths[i],
                 out->heads[i].kind == HL_VALUE_TEXT, i + 1 == out->head_count);
    (void)fputc('\n', out->file);
}

static void table_end(struct hl_output *out)
{
    size_t widths[HEADS_MAX] = {0};
    size_t rows = out->head_count ? out->cell_count / out->head_count : 0;

    (void)fputc('\n', out->file);
    measure(out, widths);
    squeeze(out, widths);
    put_line(out, NULL, widths);
    for (size_t r = 0; r < rows; r++)
        put_line(out, out->cells + r * out->head_count, widths);
    for (size_t i = 0; i < out->cell_count; i++)
        free(out->cells[i]);
    free(out->cells);
    out->cells = NULL;
    out->cell_count = out->cell_capacity = 0;
}

const struct hl_format hl_format_text = {
    .name = "text",
    .title = title,
    .field = field,
    .table = table,
    .row = row,
    .table_end = table_end,
    .line = line,
};
