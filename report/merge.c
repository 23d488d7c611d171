/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See merge.h.
 */
#include "report/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What makes an image one and the same. */
static const enum hl_column identity[] = {
    HL_C_PID, HL_C_START, HL_C_HOST, HL_C_NODE, HL_C_IMAGE,
    HL_C_EXE, HL_C_TASK,  HL_C_RANK, HL_C_JOB,  HL_C_STEP,
};
/* Version 1 has no start time: where neither rank nor job vouch for a row, its
 * process id may just have come again, and all figures must agree, too. */
static const enum hl_column figures[] = {
    HL_C_ELAPSED, HL_C_ALLOCS, HL_C_FREES, HL_C_PEAK, HL_C_PEAK_TIME, HL_C_LIVE,
};
/* A profile and its row: heapline-gather may have set image and task. */
static const enum hl_column process[] = {HL_C_PID, HL_C_START, HL_C_HOST};

static int by_sequence(const struct hl_rec *a, const struct hl_rec *b)
{
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static int compare_duplicates(const struct hl_rec *a, const struct hl_rec *b)
{
    int order = (a->bits & HL_REC_PROFILE) - (b->bits & HL_REC_PROFILE);

    if (order == 0)
        order = hl_rec_compare(a, b, identity, COUNT(identity));
    if (order == 0 && a->row.cell[HL_C_START].i < 0 &&
        (a->row.cell[HL_C_RANK].i < 0 || !*a->row.cell[HL_C_JOB].s))
        order = hl_rec_compare(a, b, figures, COUNT(figures));
    return order;
}

static int sort_duplicates(const void *a, const void *b)
{
    const struct hl_rec *ra = *(struct hl_rec *const *)a, *rb = *(struct hl_rec *const *)b;
    int order = compare_duplicates(ra, rb);

    return order ? order : by_sequence(ra, rb);
}

static void say_duplicate(struct hl_problems *problems, const struct hl_rec *rec,
                          const struct hl_rec *first)
{
    const union hl_cell *cell = rec->row.cell;
    const char *kind = rec->bits & HL_REC_PROFILE ? "byte " : "";

    hl_damage(problems, rec->file, rec->bits & HL_REC_PROFILE ? 0 : rec->place,
              "rank %" PRId64 ": duplicate of %s:%s%" PRIu64 " (pid %" PRId64 " on %s): left out",
              cell[HL_C_RANK].i, first->file, kind, first->place, cell[HL_C_PID].i,
              hl_rec_node(rec));
}

void hl_drop_duplicates(struct hl_step *step, struct hl_problems *problems)
{
    const struct hl_rec *first = NULL;

    if (step->count)
        qsort(step->recs, step->count, sizeof(*step->recs), sort_duplicates);
    for (size_t i = 0; i < step->count; i++) {
        struct hl_rec *rec = step->recs[i];

        if (first && compare_duplicates(first, rec) == 0) {
            say_duplicate(problems, rec, first);
            rec->bits |= HL_REC_DROPPED;
        } else {
            first = rec;
        }
    }
    hl_step_sweep(step);
    hl_problems_done(problems);
}

static int sort_process(const void *a, const void *b)
{
    const struct hl_rec *ra = *(struct hl_rec *const *)a, *rb = *(struct hl_rec *const *)b;
    int order = hl_rec_compare(ra, rb, process, COUNT(process));

    if (order == 0)
        order = (ra->bits & HL_REC_PROFILE) - (rb->bits & HL_REC_PROFILE);
    return order ? order : by_sequence(ra, rb);
}

static bool has_csv(const struct hl_step *step, const struct hl_rec *profile)
{
    const char *name = strrchr(profile->file, '/');

    name = name ? name + 1 : profile->file;
    for (size_t f = 0; f < step->file_count; f++) {
        size_t n = strlen(step->files[f].node);

        if (step->files[f].csv && strncmp(name, step->files[f].node, n) == 0 && name[n] == '.')
            return true;
    }
    return false;
}

static void say_unmatched(const struct hl_step *step, const struct hl_rec *rec,
                          struct hl_problems *problems)
{
    const union hl_cell *cell = rec->row.cell;

    if (has_csv(step, rec))
        hl_damage(problems, rec->file, 0,
                  "byte %" PRIu64 ": rank %" PRId64 ", pid %" PRId64
                  ": no row in the CSV file beside it; shown as the profile has it",
                  rec->place, cell[HL_C_RANK].i, cell[HL_C_PID].i);
}

/* The images of one process: its rows, then its profiles, each in order. */
static void merge_process(struct hl_step *step, size_t from, size_t to,
                          struct hl_problems *problems)
{
    size_t row = from, profile = from;

    while (profile < to && !(step->recs[profile]->bits & HL_REC_PROFILE))
        profile++;
    for (size_t rows = profile; profile < to; profile++) {
        struct hl_rec *from_profile = step->recs[profile];

        if (row < rows && from_profile->row.cell[HL_C_START].i >= 0) {
            step->recs[row++]->bits |= from_profile->bits & HL_REC_MPI;
            from_profile->bits |= HL_REC_DROPPED;
        } else {
            say_unmatched(step, from_profile, problems);
        }
    }
}

void hl_merge_profiles(struct hl_step *step, struct hl_problems *problems)
{
    size_t from = 0;

    if (step->count)
        qsort(step->recs, step->count, sizeof(*step->recs), sort_process);
    for (size_t i = 1; i <= step->count; i++) {
        if (i < step->count &&
            hl_rec_compare(step->recs[from], step->recs[i], process, COUNT(process)) == 0)
            continue;
        merge_process(step, from, i, problems);
        from = i;
    }
    hl_step_sweep(step);
    hl_problems_done(problems);
}
