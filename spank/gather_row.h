/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Rows of NODE.csv: a profile's own figures, put right by what the order, the
 * ends and the other images know.  Pure.
 */
#ifndef HL_GATHER_ROW_H
#define HL_GATHER_ROW_H

#include "libheapline/profile_read.h"
#include "libheapline/record.h"
#include "spank/gather_ends.h"
#include "spank/gather_images.h"
#include "spank/gather_order.h"

/* The row of an image.  end: of its task if image->own, else NULL.
 * now_boot_ns: CLOCK_BOOTTIME.  Strings point into profile and order. */
void hl_gather_row(const struct hl_profile *profile, const struct hl_image *image,
                   const struct hl_task_end *end, const struct hl_order *order, int64_t now_boot_ns,
                   struct hl_row *row);

/* The row of a task whose own process has no profile.  note: room for its
 * text.  Strings point to note, host and order. */
#define HL_NOTE_BYTES 256
void hl_gather_row_not_seen(const struct hl_task_end *end, const struct hl_order *order,
                            const char *host, char note[HL_NOTE_BYTES], struct hl_row *row);

#endif
