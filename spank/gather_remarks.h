/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Remarks for people: the lines "# ..." that follow the header of NODE.csv.
 */
#ifndef HL_GATHER_REMARKS_H
#define HL_GATHER_REMARKS_H

#include <stdbool.h>
#include <stddef.h>

#define HL_REMARKS_MAX 24
#define HL_REMARK_BYTES 384

struct hl_remarks {
    char text[HL_REMARKS_MAX][HL_REMARK_BYTES];
    size_t count;
    size_t more; /* that found no room */
};

/* Adds a remark (without "# " and LF; control bytes become '?'), unless it is
 * there already.  Beyond HL_REMARKS_MAX they are only counted. */
void hl_remark(struct hl_remarks *remarks, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
