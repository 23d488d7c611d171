/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Paths of the command line to rows: files, directories of them, step and job
 * directories.  Only regular files are read, symbolic links to directories are
 * followed only where the user named them.
 */
#ifndef HL_SCAN_H
#define HL_SCAN_H

#include "report/problems.h"
#include "report/rows.h"

/* Adds what path holds.  0 whatever was wrong with it (it has been said), or
 * -ENOMEM. */
int hl_scan(struct hl_table *table, const char *path, struct hl_problems *problems);

#endif
