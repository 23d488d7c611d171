/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A whole gather: from an opened STAGING to NODE.profiles and NODE.csv.
 */
#ifndef HL_GATHER_WRITE_H
#define HL_GATHER_WRITE_H

#include "spank/gather_earlier.h"
#include "spank/gather_ends.h"
#include "spank/gather_images.h"
#include "spank/gather_order.h"
#include "spank/gather_out.h"
#include "spank/gather_remarks.h"
#include "spank/gather_staging.h"

struct hl_gather {
    struct hl_staging staging;
    struct hl_order order;
    struct hl_ends ends;
    struct hl_images images; /* settled */
    struct hl_remarks remarks;
    struct hl_earlier earlier;
    int stepdir; /* descriptor */
    char host[256];
    size_t kept_bytes; /* of NODE.profiles */
    size_t not_kept;   /* profiles for which there was no room */
};

/* Writes both files, each under another name, and then renames them, the
 * profiles first: whatever happens in between, a repeated gather finds each
 * profile in STAGING and knows it again.  If there is nothing new, earlier
 * files stay as they are.  0 or -errno: STEPDIR cannot be written, or earlier
 * files in it are damaged; nothing is removed then. */
int hl_gather_write(struct hl_gather *g, struct hl_error *err);

/* NODE.profiles alone, into out: what of the earlier file has not come again,
 * then the images' in their order, the tasks' own processes first in line for
 * the room that there is.  Sets keep, kept_bytes, not_kept.  0 or -errno. */
int hl_gather_write_profiles(struct hl_gather *g, struct hl_out *out, struct hl_error *err);

/* NODE.csv alone, into out. */
int hl_gather_write_rows(struct hl_gather *g, struct hl_out *out, struct hl_error *err);

#endif
