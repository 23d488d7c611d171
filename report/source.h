/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What a reader of one file gets: where to read and where rows and complaints go.
 */
#ifndef HL_SOURCE_H
#define HL_SOURCE_H

#include "report/problems.h"
#include "report/rows.h"

struct hl_source {
    int fd;           /* a regular file, at its start */
    const char *path; /* for people; lives as long as the table */
    const char *node; /* NODE of NODE.csv in a step directory, else "" */
    struct hl_table *table;
    struct hl_step *step;
    struct hl_problems *problems;
};

#endif
