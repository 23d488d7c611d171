/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Rows as read to steps as they were: profiles and the rows made from them put
 * together, duplicates left out, tasks that left nothing added, loose rows
 * sorted into steps, worlds and roles settled.
 */
#ifndef HL_COLLATE_H
#define HL_COLLATE_H

#include "report/problems.h"
#include "report/rows.h"

/* For each step; what is missing or twice is said.  Afterwards a step's rows
 * stand in the order of records.csv: by world and rank, those of a rank
 * together with its rank row first, those outside MPI last.  0 or -ENOMEM. */
int hl_collate(struct hl_table *table, struct hl_problems *problems);

#endif
