/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See collate.h.
 */
#include "report/collate.h"

#include "report/merge.h"
#include "report/missing.h"
#include "report/roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum hl_column step_key[] = {HL_C_JOB, HL_C_STEP};

static int by_step(const void *a, const void *b)
{
    const struct hl_rec *ra = *(struct hl_rec *const *)a, *rb = *(struct hl_rec *const *)b;
    int order = hl_rec_compare(ra, rb, step_key, 2);

    return order ? order : (ra->sequence > rb->sequence) - (ra->sequence < rb->sequence);
}

static struct hl_step *new_loose_step(struct hl_table *table, const struct hl_rec *first)
{
    struct hl_step *step = hl_table_step(table, "");

    if (step) {
        step->job = first->row.cell[HL_C_JOB].s;
        step->step = first->row.cell[HL_C_STEP].s;
    }
    return step;
}

/* Loose rows, wherever they were read, belong together by job and step. */
static int sort_loose(struct hl_table *table)
{
    struct hl_step *loose = table->loose, *step = NULL;

    if (loose->count)
        qsort(loose->recs, loose->count, sizeof(*loose->recs), by_step);
    for (size_t i = 0; i < loose->count; i++) {
        struct hl_rec *rec = loose->recs[i];

        if (!step || hl_rec_compare(loose->recs[i - 1], rec, step_key, 2) != 0)
            step = new_loose_step(table, rec);
        if (!step || hl_step_add(step, rec))
            return -ENOMEM;
        if (loose->remark_count) { /* of all of them: shown with the first */
            step->remarks = loose->remarks;
            step->remark_count = loose->remark_count;
            loose->remarks = NULL;
            loose->remark_count = 0;
        }
    }
    loose->count = 0;
    return 0;
}

/* What a step directory is called: by its manifest, else by its rows. */
static void name_step(struct hl_step *step)
{
    if (step->manifest) {
        step->job = step->manifest->job;
        step->step = step->manifest->step;
    } else if (*step->dir && step->count) {
        step->job = step->recs[0]->row.cell[HL_C_JOB].s;
        step->step = step->recs[0]->row.cell[HL_C_STEP].s;
    }
}

static int collate_step(struct hl_table *table, struct hl_step *step, struct hl_problems *problems)
{
    int rc;

    name_step(step);
    hl_drop_duplicates(step, problems);
    hl_merge_profiles(step, problems);
    rc = hl_add_missing(table, step, problems);
    if (rc == 0)
        rc = hl_settle_roles(step, problems);
    if (rc == 0)
        hl_say_gaps(step, problems);
    if (rc == 0 && step->count == 0)
        hl_damage(problems, step->dir, 0, "no usable row in this step");
    return rc;
}

int hl_collate(struct hl_table *table, struct hl_problems *problems)
{
    int rc = sort_loose(table);

    for (size_t s = 0; s < table->step_count && rc == 0; s++)
        rc = collate_step(table, table->steps[s], problems);
    return rc;
}
