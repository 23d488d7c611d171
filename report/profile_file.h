/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Files of profiles to rows: a single one as a process maps it, or many back to
 * back as heapline-gather copies them.
 */
#ifndef HL_PROFILE_FILE_H
#define HL_PROFILE_FILE_H

#include "report/source.h"

/* Adds a row (HL_REC_PROFILE) per profile to source->step.  0 whatever was
 * damaged (it has been said), or -ENOMEM. */
int hl_profile_file_read(const struct hl_source *source);

#endif
