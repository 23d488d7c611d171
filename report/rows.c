/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See rows.h.
 */
#include "report/rows.h"

#include "report/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (256 * 1024)
#define REMARKS_MAX 1000

struct hl_chunk {
    struct hl_chunk *next;
    size_t used, capacity;
    max_align_t data[];
};

int hl_table_init(struct hl_table *table)
{
    memset(table, 0, sizeof(*table));
    table->loose = calloc(1, sizeof(*table->loose));
    if (!table->loose)
        return -ENOMEM;
    table->loose->dir = table->loose->job = table->loose->step = "";
    return 0;
}

static void step_free(struct hl_step *step)
{
    if (!step)
        return;
    free(step->recs);
    free(step->remarks);
    free(step->files);
    free(step);
}

void hl_table_fini(struct hl_table *table)
{
    for (size_t s = 0; s < table->step_count; s++)
        step_free(table->steps[s]);
    free(table->steps);
    step_free(table->loose);
    while (table->chunks) {
        struct hl_chunk *next = table->chunks->next;

        free(table->chunks);
        table->chunks = next;
    }
    memset(table, 0, sizeof(*table));
}

void *hl_keep(struct hl_table *table, size_t bytes)
{
    struct hl_chunk *chunk = table->chunks;
    size_t need = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    void *at;

    if (!chunk || chunk->capacity - chunk->used < need) {
        size_t capacity = need > CHUNK_BYTES ? need : CHUNK_BYTES;

        chunk = calloc(1, sizeof(*chunk) + capacity);
        if (!chunk)
            return NULL;
        chunk->capacity = capacity;
        chunk->next = table->chunks;
        table->chunks = chunk;
    }
    at = (char *)chunk->data + chunk->used;
    chunk->used += need;
    return at;
}

static size_t hash(const char *bytes, size_t length)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)bytes[i]) * 16777619u;
    return (h ^ h >> 16) & 255;
}

const char *hl_keep_string(struct hl_table *table, const char *bytes, size_t length)
{
    const char **recent = &table->recent[hash(bytes, length)];
    char *copy;

    if (length == 0)
        return "";
    if (*recent && strlen(*recent) == length && memcmp(*recent, bytes, length) == 0)
        return *recent;
    copy = hl_keep(table, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, length);
    return *recent = copy;
}

/* An array with room for one more entry than count, at powers of two moved to
 * one of twice the size; NULL: no memory, and old is as it was. */
static void *grown(void *old, size_t entry_bytes, size_t count)
{
    if (count && (count & (count - 1)))
        return old;
    return reallocarray(old, count ? count * 2 : 1, entry_bytes);
}

int hl_step_add(struct hl_step *step, struct hl_rec *rec)
{
    if (step->count == step->capacity) {
        size_t capacity = step->capacity ? step->capacity * 2 : 16;
        struct hl_rec **recs = reallocarray(step->recs, capacity, sizeof(*recs));

        if (!recs)
            return -ENOMEM;
        step->recs = recs;
        step->capacity = capacity;
    }
    step->recs[step->count++] = rec;
    return 0;
}

struct hl_rec *hl_table_add(struct hl_table *table, struct hl_step *step, const struct hl_row *row,
                            const char *file, uint64_t place)
{
    struct hl_rec *rec = hl_keep(table, sizeof(*rec));

    if (!rec || hl_step_add(step, rec))
        return NULL;
    rec->row = *row;
    rec->file = file;
    rec->place = place;
    rec->world = row->cell[HL_C_WORLD].s;
    rec->sequence = table->row_count++;
    return rec;
}

struct hl_step *hl_table_step(struct hl_table *table, const char *dir)
{
    struct hl_step **steps = grown(table->steps, sizeof(struct hl_step *), table->step_count);
    struct hl_step *step;

    if (!steps)
        return NULL;
    table->steps = steps;
    step = calloc(1, sizeof(*step));
    if (!step)
        return NULL;
    step->dir = dir;
    step->job = step->step = "";
    steps[table->step_count++] = step;
    return step;
}

int hl_step_remark(struct hl_table *table, struct hl_step *step, const char *node, const char *text,
                   size_t length)
{
    struct hl_remark *remarks;
    const char *copy;

    if (step->remark_count >= REMARKS_MAX)
        return 0;
    copy = hl_keep_string(table, text, length);
    remarks = grown(step->remarks, sizeof(*remarks), step->remark_count);
    if (remarks)
        step->remarks = remarks;
    if (!copy || !remarks)
        return -ENOMEM;
    remarks[step->remark_count++] = (struct hl_remark){node, copy};
    return 0;
}

struct hl_node_file *hl_step_file(struct hl_table *table, struct hl_step *step, const char *node)
{
    struct hl_node_file *files;
    const char *copy;

    /* files come sorted by name, so that a node's two are neighbours */
    if (step->file_count && strcmp(step->files[step->file_count - 1].node, node) == 0)
        return &step->files[step->file_count - 1];
    copy = hl_keep_string(table, node, strlen(node));
    files = grown(step->files, sizeof(*files), step->file_count);
    if (files)
        step->files = files;
    if (!copy || !files)
        return NULL;
    step->files[step->file_count] = (struct hl_node_file){.node = copy};
    return &step->files[step->file_count++];
}

void hl_step_sweep(struct hl_step *step)
{
    size_t kept = 0;

    for (size_t i = 0; i < step->count; i++)
        if (!(step->recs[i]->bits & HL_REC_DROPPED))
            step->recs[kept++] = step->recs[i];
    step->count = kept;
}

static int compare_cell(const struct hl_rec *a, const struct hl_rec *b, enum hl_column column)
{
    const union hl_cell *ca = &a->row.cell[column], *cb = &b->row.cell[column];
    enum hl_kind kind = hl_columns[column].kind;

    if (kind == HL_KIND_STR || kind == HL_KIND_WORD)
        return ca->s == cb->s ? 0 : strcmp(ca->s, cb->s);
    return (ca->i > cb->i) - (ca->i < cb->i);
}

int hl_rec_compare(const struct hl_rec *a, const struct hl_rec *b, const enum hl_column *columns,
                   size_t count)
{
    int order = 0;

    for (size_t c = 0; c < count && order == 0; c++)
        order = compare_cell(a, b, columns[c]);
    return order;
}

const char *hl_rec_node(const struct hl_rec *rec)
{
    const char *node = rec->row.cell[HL_C_NODE].s;

    return *node ? node : rec->row.cell[HL_C_HOST].s;
}

int64_t hl_rec_own(const struct hl_rec *rec, enum hl_column column)
{
    int64_t bytes = rec->row.cell[column].i;
    int64_t own = hl_less(bytes, rec->row.cell[HL_C_INHERITED].i);

    return bytes < 0 ? -1 : own < 0 ? 0 : own;
}
