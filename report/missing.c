/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See missing.h.
 */
#include "report/missing.h"

#include "report/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    int64_t na = *(const int64_t *)a, nb = *(const int64_t *)b;

    return (na > nb) - (na < nb);
}

/* The tasks that there are rows of, sorted; *count of them.  NULL: no memory. */
static int64_t *tasks_seen(const struct hl_step *step, size_t *count)
{
    int64_t *tasks = calloc(step->count + 1, sizeof(*tasks));

    *count = 0;
    if (!tasks)
        return NULL;
    for (size_t i = 0; i < step->count; i++) {
        const union hl_cell *cell = step->recs[i]->row.cell;
        int64_t task = cell[HL_C_TASK].i >= 0 ? cell[HL_C_TASK].i : cell[HL_C_RANK].i;

        if (task >= 0)
            tasks[(*count)++] = task;
    }
    qsort(tasks, *count, sizeof(*tasks), by_number);
    return tasks;
}

/* A node of a heterogeneous job is called NODE+COMPONENT in file names. */
static bool is_file_of(const struct hl_node_file *file, const char *node)
{
    size_t n = strlen(node);

    return strncmp(file->node, node, n) == 0 && (file->node[n] == '\0' || file->node[n] == '+');
}

/* step->files are few and this is asked once a node. */
static const struct hl_node_file *file_of(const struct hl_step *step, const char *node)
{
    for (size_t f = 0; f < step->file_count; f++)
        if (is_file_of(&step->files[f], node))
            return &step->files[f];
    return NULL;
}

struct adding {
    struct hl_table *table;
    struct hl_step *step;
    const char *node;
    const struct hl_node_file *file;
};

static int add_row(const struct adding *a, int64_t task)
{
    const struct hl_manifest *m = a->step->manifest;
    bool lost = !a->file || !a->file->csv;
    bool node_gone = !a->file || !a->file->profiles;
    struct hl_row row;

    hl_row_init(&row);
    row.cell[HL_C_RANK].i = task;
    row.cell[HL_C_TASK].i = task;
    row.cell[HL_C_JOB].s = m->job;
    row.cell[HL_C_STEP].s = m->step;
    row.cell[HL_C_NODE].s = a->node;
    row.cell[HL_C_ENDED].s = lost ? HL_ENDED_LOST : HL_ENDED_NOT_SEEN;
    row.cell[HL_C_SOURCE].s = HL_SOURCE_MANIFEST;
    row.cell[HL_C_NOTE].s = lost && node_gone  ? "nothing came from this node"
                            : lost             ? "the CSV file of its node is missing"
                            : a->file->damaged ? "its row may be one that was damaged"
                                               : "nothing came from this task";
    return hl_table_add(a->table, a->step, &row, "step.json", 0) ? 0 : -ENOMEM;
}

static void say_missing(const struct adding *a, const char *ranks, size_t count,
                        struct hl_problems *problems)
{
    const char *where = *a->step->dir ? a->step->dir : NULL;
    bool lost = !a->file || !a->file->csv;

    hl_say(problems, where, "%s %s of node %s: %s", count == 1 ? "rank" : "ranks", ranks, a->node,
           lost && a->file ? "no CSV file of this node, counted as lost"
           : lost ? "nothing came from this node, counted as lost; look for what heapline said on "
                    "the job's stderr"
                  : "no row in the node's file, counted as not seen");
}

static int compare_expected(const void *a, const void *b)
{
    const struct hl_expected *ea = a, *eb = b;

    if (ea->node != eb->node)
        return ea->node < eb->node ? -1 : 1;
    return (ea->task > eb->task) - (ea->task < eb->task);
}

/* Tasks [*at, ...) of one node. */
static int add_node(struct hl_table *table, struct hl_step *step, size_t *at, const int64_t *seen,
                    size_t seen_count, struct hl_problems *problems)
{
    const struct hl_manifest *m = step->manifest;
    size_t node = m->tasks[*at].node, added = 0;
    struct adding adding = {table, step, m->nodes[node], file_of(step, m->nodes[node])};
    char text[512];
    struct hl_text list;
    struct hl_ranges ranges = {.out = &list};

    hl_text_init(&list, text, sizeof(text));
    for (; *at < m->task_count && m->tasks[*at].node == node; ++*at) {
        int64_t task = m->tasks[*at].task;

        if (bsearch(&task, seen, seen_count, sizeof(*seen), by_number))
            continue;
        if (add_row(&adding, task))
            return -ENOMEM;
        hl_ranges_add(&ranges, task, task);
        added++;
    }
    hl_ranges_end(&ranges);
    if (added)
        say_missing(&adding, text, added, problems);
    return 0;
}

int hl_add_missing(struct hl_table *table, struct hl_step *step, struct hl_problems *problems)
{
    struct hl_manifest *m = step->manifest;
    size_t seen_count, at = 0;
    int64_t *seen;
    int rc = 0;

    if (!m || m->task_count == 0)
        return 0;
    seen = tasks_seen(step, &seen_count);
    if (!seen)
        return -ENOMEM;
    qsort(m->tasks, m->task_count, sizeof(*m->tasks), compare_expected);
    while (rc == 0 && at < m->task_count)
        rc = add_node(table, step, &at, seen, seen_count, problems);
    free(seen);
    return rc;
}

static void say_gap(const struct hl_step *step, const char *world, const struct hl_text *list,
                    int64_t highest, struct hl_problems *problems)
{
    const char *where = *step->dir ? step->dir : NULL;
    bool one = strspn(list->at, "0123456789") == list->length;

    if (list->length)
        hl_say(problems, where, "%s%s%s %s of 0-%lld: no row", world, *world ? ": " : "",
               one ? "rank" : "ranks", list->at, (long long)highest);
}

/* Rows are sorted by world and rank, those without a rank last. */
void hl_say_gaps(const struct hl_step *step, struct hl_problems *problems)
{
    size_t i = 0;

    while (i < step->count && step->recs[i]->row.cell[HL_C_RANK].i >= 0) {
        const char *world = step->recs[i]->row.cell[HL_C_WORLD].s;
        int64_t next = 0, highest = -1;
        char text[512];
        struct hl_text list;
        struct hl_ranges ranges = {.out = &list};

        hl_text_init(&list, text, sizeof(text));
        for (; i < step->count && strcmp(step->recs[i]->row.cell[HL_C_WORLD].s, world) == 0; i++) {
            const union hl_cell *cell = step->recs[i]->row.cell;

            if (strcmp(cell[HL_C_ROLE].s, HL_ROLE_RANK) != 0)
                continue;
            if (cell[HL_C_RANK].i > next)
                hl_ranges_add(&ranges, next, cell[HL_C_RANK].i - 1);
            highest = cell[HL_C_RANK].i;
            next = hl_add(highest, 1);
        }
        hl_ranges_end(&ranges);
        say_gap(step, world, &list, highest, problems);
    }
}
