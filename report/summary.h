/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The figures of a step that the views show.  Worked out once, in one pass and
 * a sort; points into the step's rows.
 */
#ifndef HL_SUMMARY_H
#define HL_SUMMARY_H

#include "report/rows.h"

/* One column over the subjects that have it (a figure of -1 is none). */
struct hl_figures {
    size_t count;
    int64_t min, median, max, sum;
    double mean;
    const struct hl_rec *highest; /* NULL where count is 0 */
};

/* What is summed up on one node. */
struct hl_node {
    const char *name;
    size_t subjects, others; /* ranks; children and helpers */
    size_t bad;
    int64_t min_peak, max_peak, sum_peak, sum_vmhwm, allocs;
    const struct hl_rec *highest;
};

struct hl_summary {
    const struct hl_step *step;
    bool ranks;                     /* the subjects are ranks; else processes outside MPI */
    const struct hl_rec **subjects; /* in the order of the step's rows */
    size_t subject_count;
    size_t seen;     /* subjects that something was read of */
    size_t expected; /* ranks that there should be; 0 unknown */
    size_t worlds;   /* launches with ranks in them */
    size_t children, helpers;
    const struct hl_rec **heaviest; /* subjects by falling peak */
    const struct hl_rec **bad;      /* subjects that ended badly */
    size_t bad_count, bad_others;
    struct hl_node *nodes; /* by name; strverscmp */
    size_t node_count;
    struct hl_figures peak, live, vmhwm, allocs, frees;
    int64_t start_ms, elapsed_ms;
    int64_t threads; /* most in one subject */
};

/* 0 or -ENOMEM; fini accepts what init refused. */
int hl_summary_init(struct hl_summary *summary, const struct hl_step *step);
void hl_summary_fini(struct hl_summary *summary);

/* Did this process end in a way that its user should know of? */
bool hl_ended_badly(const struct hl_rec *rec);

/* max / mean of a figure, 0 where there is none. */
double hl_imbalance(const struct hl_figures *figures);

#endif
