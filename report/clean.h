/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Strings from files made fit for a terminal: what is in a record was written
 * by somebody else and may hold escape sequences.
 */
#ifndef HL_CLEAN_H
#define HL_CLEAN_H

#include <stddef.h>

/* Writes text into out (capacity bytes, at least 1, NUL-terminated, cut where
 * too long) with every byte that is no printable UTF-8 as '?': C0 and C1
 * controls, DEL, broken sequences, marks that turn the direction of writing.
 * Returns the columns that it takes on a terminal. */
size_t hl_clean(const char *text, char *out, size_t capacity);

/* The same, never wider than columns: the middle of a longer one becomes "..". */
size_t hl_clean_fit(const char *text, size_t columns, char *out, size_t capacity);

/* Columns that a clean string takes. */
size_t hl_columns_of(const char *clean);

/* The longest start of a clean string that takes at most columns; bytes. */
size_t hl_bytes_within(const char *clean, size_t columns);

/* A node's name for a table: without its domain where that makes it long. */
void hl_node_name(const char *node, char *out, size_t capacity);

/* Last component of a path, never NULL. */
const char *hl_base_name(const char *path);

#endif
