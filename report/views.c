/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The list of views: a new one is a file view_NAME.c and a line here.
 */
#include "report/view.h"

#include "report/units.h"

#include <errno.h>

static hl_view_f *const views[] = {
    hl_view_summary, hl_view_ended, hl_view_nodes, hl_view_ranks, hl_view_notes,
};

void hl_name_subject(struct hl_text *out, const struct hl_summary *s, const struct hl_rec *rec)
{
    const union hl_cell *cell = rec->row.cell;

    hl_text_string(out, s->ranks ? "rank " : "pid ");
    hl_text_int(out, cell[s->ranks ? HL_C_RANK : HL_C_PID].i);
    if (s->worlds > 1) {
        hl_text_string(out, " of ");
        hl_text_string(out, *cell[HL_C_WORLD].s ? cell[HL_C_WORLD].s : "no world");
    }
}

static int show_records(struct hl_output *out, const struct hl_step *step)
{
    int rc = 0;

    for (size_t i = 0; i < step->count && rc == 0; i++)
        rc = out->format->record(out, &step->recs[i]->row);
    return rc;
}

static int show_step(struct hl_output *out, const struct hl_step *step,
                     const struct hl_view_options *options)
{
    struct hl_summary summary;
    int rc = hl_summary_init(&summary, step);

    for (size_t v = 0; v < sizeof(views) / sizeof(views[0]) && rc == 0; v++) {
        views[v](out, &summary, options);
        if (out->no_memory)
            rc = -ENOMEM;
    }
    hl_summary_fini(&summary);
    return rc;
}

int hl_show(struct hl_output *out, struct hl_step *const *steps, size_t count,
            const struct hl_view_options *options)
{
    int rc = count > 1 && !out->format->records ? hl_view_steps(out, steps, count) : 0;

    for (size_t s = 0; s < count && rc == 0; s++) {
        if (steps[s]->count == 0)
            continue;
        rc = out->format->records ? show_records(out, steps[s]) : show_step(out, steps[s], options);
    }
    return rc;
}
