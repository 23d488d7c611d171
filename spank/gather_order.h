/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The order: what STAGING says about the step that it belongs to (gather.h has
 * the format).  Pure: text in, struct out.
 */
#ifndef HL_GATHER_ORDER_H
#define HL_GATHER_ORDER_H

#include "libheapline/error.h"

#include <stdbool.h>
#include <stddef.h>

#define HL_NODE_NAME_MAX 200 /* leaves room for what is put around it in file names */

struct hl_order {
    char job[64];
    char step[64];
    char node[HL_NODE_NAME_MAX + 1];
    char stepdir[4096]; /* absolute */
};

/* Parses the text of an order.  0, or -EBADMSG with the line's fault in err;
 * then *out is not to be used. */
int hl_order_parse(const char *text, size_t length, struct hl_order *out, struct hl_error *err);

/* True if NODE.csv is a plain name in a directory: not empty, no '/', no
 * control byte, no leading dot, not too long. */
bool hl_order_node_valid(const char *node);

#endif
