/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Who should be there and is not.
 */
#ifndef HL_MISSING_H
#define HL_MISSING_H

#include "report/problems.h"
#include "report/rows.h"

/* Adds a row for each task that step.json names and nothing else does: "lost"
 * where its node has no NODE.csv, else "not_seen".  Said, a line a node.
 * 0 or -ENOMEM. */
int hl_add_missing(struct hl_table *table, struct hl_step *step, struct hl_problems *problems);

/* After roles are settled: ranks between 0 and the highest that have no row. */
void hl_say_gaps(const struct hl_step *step, struct hl_problems *problems);

#endif
