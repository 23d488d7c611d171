/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Which rows are of one and the same process image.
 */
#ifndef HL_MERGE_H
#define HL_MERGE_H

#include "report/problems.h"
#include "report/rows.h"

/* Drops rows that describe an image for a second time; each is said. */
void hl_drop_duplicates(struct hl_step *step, struct hl_problems *problems);

/* Puts each profile together with the CSV row that was made from it: the row
 * stays and learns from the profile what CSV has no column for.  Profiles
 * without a row stay rows of their own; where their node has a NODE.csv, which
 * should have had one, that is said. */
void hl_merge_profiles(struct hl_step *step, struct hl_problems *problems);

#endif
