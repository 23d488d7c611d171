/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Records (CSV) of version 1 and 2 to rows: RFC 4180, also several records one
 * after the other and many rows under one header.  Damaged lines are named and
 * left out, and never shift the ones after them.
 */
#ifndef HL_RECORD_READ_H
#define HL_RECORD_READ_H

#include "report/source.h"

#define HL_FIELD_MAX (64 * 1024) /* longest string in a row */

/* Adds the file's rows to source->step.  0 whatever was damaged (it has been
 * said); -EBADMSG: this is no record at all (not said); -ENOMEM. */
int hl_record_read(const struct hl_source *source);

#endif
