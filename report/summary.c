/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See summary.h.
 */
#include "report/summary.h"

#include "report/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_role(const struct hl_rec *rec, const char *role)
{
    return strcmp(rec->row.cell[HL_C_ROLE].s, role) == 0;
}

static bool is_ended(const struct hl_rec *rec, const char *ended)
{
    return strcmp(rec->row.cell[HL_C_ENDED].s, ended) == 0;
}

bool hl_ended_badly(const struct hl_rec *rec)
{
    static const char *const bad[] = {HL_ENDED_SIGNAL, HL_ENDED_OOM, HL_ENDED_VANISHED,
                                      HL_ENDED_LOST, HL_ENDED_NOT_SEEN};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (is_ended(rec, bad[i]))
            return true;
    return rec->row.cell[HL_C_EXIT_CODE].i > 0;
}

double hl_imbalance(const struct hl_figures *f)
{
    return f->count && f->mean > 0 ? (double)f->max / f->mean : 0;
}

static int by_number(const void *a, const void *b)
{
    int64_t na = *(const int64_t *)a, nb = *(const int64_t *)b;

    return (na > nb) - (na < nb);
}

/* Of a step with ranks these; else all processes but helpers; else all. */
static void choose_subjects(struct hl_summary *s)
{
    const struct hl_step *step = s->step;
    const char *role = s->ranks ? HL_ROLE_RANK : step->count > s->helpers ? HL_ROLE_CHILD : "";

    for (size_t i = 0; i < step->count; i++)
        if (!*role || is_role(step->recs[i], role))
            s->subjects[s->subject_count++] = step->recs[i];
}

static void count_roles(struct hl_summary *s)
{
    for (size_t i = 0; i < s->step->count; i++) {
        s->ranks |= is_role(s->step->recs[i], HL_ROLE_RANK);
        s->children += is_role(s->step->recs[i], HL_ROLE_CHILD);
        s->helpers += is_role(s->step->recs[i], HL_ROLE_HELPER);
    }
}

static int64_t figure(const struct hl_rec *rec, enum hl_column column)
{
    return column == HL_C_PEAK || column == HL_C_LIVE ? hl_rec_own(rec, column)
                                                      : rec->row.cell[column].i;
}

static void figures_of(const struct hl_summary *s, enum hl_column column, int64_t *room,
                       struct hl_figures *f)
{
    for (size_t i = 0; i < s->subject_count; i++) {
        int64_t value = figure(s->subjects[i], column);

        if (value < 0)
            continue;
        if (!f->highest || value > f->max) {
            f->max = value;
            f->highest = s->subjects[i];
        }
        f->sum = hl_add(f->sum, value);
        f->mean += (double)value;
        room[f->count++] = value;
    }
    if (f->count == 0)
        return;
    f->mean /= (double)f->count;
    qsort(room, f->count, sizeof(*room), by_number);
    f->min = room[0];
    /* the mean of the two in the middle, without their sum */
    f->median = room[(f->count - 1) / 2] + (room[f->count / 2] - room[(f->count - 1) / 2]) / 2;
}

static int by_peak(const void *a, const void *b)
{
    const struct hl_rec *ra = *(const struct hl_rec *const *)a;
    const struct hl_rec *rb = *(const struct hl_rec *const *)b;
    int64_t pa = hl_rec_own(ra, HL_C_PEAK), pb = hl_rec_own(rb, HL_C_PEAK);

    if (pa != pb)
        return pa > pb ? -1 : 1;
    return (ra->row.cell[HL_C_RANK].i > rb->row.cell[HL_C_RANK].i) -
           (ra->row.cell[HL_C_RANK].i < rb->row.cell[HL_C_RANK].i);
}

/* Without a word of its end a child may well have called _exit, as those of every
 * shell and pool of workers do: that is not counted as bad. */
static bool child_ended_badly(const struct hl_rec *rec)
{
    return hl_ended_badly(rec) && !is_ended(rec, HL_ENDED_VANISHED);
}

static void list_subjects(struct hl_summary *s)
{
    for (size_t i = 0; i < s->subject_count; i++) {
        const struct hl_rec *rec = s->subjects[i];

        s->heaviest[i] = rec;
        if (hl_ended_badly(rec))
            s->bad[s->bad_count++] = rec;
        s->seen += strcmp(rec->row.cell[HL_C_SOURCE].s, HL_SOURCE_MANIFEST) != 0 &&
                   !is_ended(rec, HL_ENDED_NOT_SEEN);
        if (rec->row.cell[HL_C_THREADS].i > s->threads)
            s->threads = rec->row.cell[HL_C_THREADS].i;
    }
    if (s->subject_count)
        qsort(s->heaviest, s->subject_count, sizeof(*s->heaviest), by_peak);
    for (size_t i = 0; i < s->step->count; i++)
        s->bad_others += child_ended_badly(s->step->recs[i]);
    for (size_t i = 0; i < s->bad_count; i++)
        s->bad_others -= child_ended_badly(s->bad[i]);
}

/* Ranks 0 to the highest of each world; rows stand by world and rank. */
static void expect_ranks(struct hl_summary *s)
{
    const char *world = NULL;
    int64_t expected = 0, highest = -1;

    for (size_t i = 0; s->ranks && i < s->subject_count; i++) {
        const union hl_cell *cell = s->subjects[i]->row.cell;

        if (!world || strcmp(world, cell[HL_C_WORLD].s) != 0) {
            expected = hl_add(expected, hl_add(highest, 1));
            s->worlds++;
        }
        world = cell[HL_C_WORLD].s;
        highest = cell[HL_C_RANK].i;
    }
    s->expected = (size_t)hl_add(expected, hl_add(highest, 1));
}

static void measure_time(struct hl_summary *s)
{
    int64_t end = -1;

    s->start_ms = s->elapsed_ms = -1;
    for (size_t i = 0; i < s->step->count; i++) {
        const union hl_cell *cell = s->step->recs[i]->row.cell;
        int64_t start = cell[HL_C_START].i, elapsed = cell[HL_C_ELAPSED].i;

        if (elapsed > s->elapsed_ms)
            s->elapsed_ms = elapsed;
        if (start < 0)
            continue;
        if (s->start_ms < 0 || start < s->start_ms)
            s->start_ms = start;
        if (elapsed >= 0 && hl_add(start, elapsed) > end)
            end = hl_add(start, elapsed);
    }
    if (end > s->start_ms && s->start_ms >= 0 && end - s->start_ms > s->elapsed_ms)
        s->elapsed_ms = end - s->start_ms;
}

static int by_node(const void *a, const void *b)
{
    const struct hl_rec *ra = *(const struct hl_rec *const *)a;
    const struct hl_rec *rb = *(const struct hl_rec *const *)b;
    const char *na = hl_rec_node(ra), *nb = hl_rec_node(rb);

    return na == nb ? 0 : strverscmp(na, nb);
}

static void add_to_node(struct hl_node *node, const struct hl_rec *rec)
{
    int64_t peak = hl_rec_own(rec, HL_C_PEAK);

    node->subjects++;
    node->bad += hl_ended_badly(rec);
    node->sum_vmhwm = hl_add(node->sum_vmhwm, rec->row.cell[HL_C_VMHWM].i);
    node->allocs = hl_add(node->allocs, rec->row.cell[HL_C_ALLOCS].i);
    if (peak < 0)
        return;
    if (!node->highest || peak < node->min_peak)
        node->min_peak = peak;
    if (!node->highest || peak > node->max_peak) {
        node->max_peak = peak;
        node->highest = rec;
    }
    node->sum_peak = hl_add(node->sum_peak, peak);
}

static bool is_subject(const struct hl_summary *s, const struct hl_rec *rec)
{
    if (s->ranks)
        return is_role(rec, HL_ROLE_RANK);
    return s->subject_count == s->step->count || is_role(rec, HL_ROLE_CHILD);
}

/* recs: all of the step's rows, sorted by_node. */
static int add_nodes(struct hl_summary *s, const struct hl_rec *const *recs, size_t count)
{
    size_t nodes = 0;

    for (size_t i = 0; i < count; i++)
        nodes += i == 0 || by_node(&recs[i - 1], &recs[i]) != 0;
    s->nodes = calloc(nodes + 1, sizeof(*s->nodes));
    if (!s->nodes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        struct hl_node *node;

        if (i == 0 || by_node(&recs[i - 1], &recs[i]) != 0)
            s->nodes[s->node_count++].name = hl_rec_node(recs[i]);
        node = &s->nodes[s->node_count - 1];
        if (is_subject(s, recs[i]))
            add_to_node(node, recs[i]);
        else
            node->others++;
    }
    return 0;
}

static int list_nodes(struct hl_summary *s)
{
    size_t count = s->step->count;
    const struct hl_rec **recs = calloc(count + 1, sizeof(*recs));
    int rc;

    if (!recs)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        recs[i] = s->step->recs[i];
    if (count)
        qsort(recs, count, sizeof(*recs), by_node);
    rc = add_nodes(s, recs, count);
    free(recs);
    return rc;
}

int hl_summary_init(struct hl_summary *s, const struct hl_step *step)
{
    size_t room = step->count + 1;
    int64_t *numbers = calloc(room, sizeof(*numbers));

    memset(s, 0, sizeof(*s));
    s->step = step;
    s->subjects = calloc(room, sizeof(*s->subjects));
    s->heaviest = calloc(room, sizeof(*s->heaviest));
    s->bad = calloc(room, sizeof(*s->bad));
    if (!numbers || !s->subjects || !s->heaviest || !s->bad) {
        free(numbers);
        return -ENOMEM;
    }
    count_roles(s);
    choose_subjects(s);
    list_subjects(s);
    expect_ranks(s);
    measure_time(s);
    figures_of(s, HL_C_PEAK, numbers, &s->peak);
    figures_of(s, HL_C_LIVE, numbers, &s->live);
    figures_of(s, HL_C_VMHWM, numbers, &s->vmhwm);
    figures_of(s, HL_C_ALLOCS, numbers, &s->allocs);
    figures_of(s, HL_C_FREES, numbers, &s->frees);
    free(numbers);
    return list_nodes(s);
}

void hl_summary_fini(struct hl_summary *s)
{
    free(s->subjects);
    free(s->heaviest);
    free(s->bad);
    free(s->nodes);
    memset(s, 0, sizeof(*s));
}
