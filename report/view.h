/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Views: what is shown of a step.  They choose figures and words, and hand
 * them to whatever format writes them.
 */
#ifndef HL_VIEW_H
#define HL_VIEW_H

#include "report/format.h"
#include "report/summary.h"

struct hl_view_options {
    bool all; /* every node and rank, not only the heaviest */
};

typedef void hl_view_f(struct hl_output *out, const struct hl_summary *summary,
                       const struct hl_view_options *options);

hl_view_f hl_view_summary;
hl_view_f hl_view_ended;
hl_view_f hl_view_nodes;
hl_view_f hl_view_ranks;
hl_view_f hl_view_notes;

/* A line a step, for more than one.  0 or -ENOMEM. */
int hl_view_steps(struct hl_output *out, struct hl_step *const *steps, size_t count);

/* The whole report of these steps.  0 or -ENOMEM; failures to write show in
 * out->file. */
int hl_show(struct hl_output *out, struct hl_step *const *steps, size_t count,
            const struct hl_view_options *options);

/* "rank 3", or "pid 1234" outside MPI; with its world where there are several. */
void hl_name_subject(struct hl_text *out, const struct hl_summary *s, const struct hl_rec *rec);

#endif
