/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The file "order" in STAGING/NAME: what the gather is to do.  Written by the
 * first task of a node that gets there, as the user and in the user's own
 * directory; kept there, so that its owner can run the gather by hand later.
 */
#ifndef HL_ORDER_H
#define HL_ORDER_H

#include "libheapline/error.h"
#include "spank/names.h"

struct hl_step_order {
    struct hl_ids ids;
    const char *node;
    const char *stepdir; /* absolute, no control characters */
};

/* Writes staging/order unless it is there.  It appears complete or not at all,
 * even when the writer is killed, where the file system has O_TMPFILE.
 * 1 written, 0 there already, or -errno with the reason. */
int hl_order_write(const char *staging, const struct hl_step_order *order, struct hl_error *err);

#endif
