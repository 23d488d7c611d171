/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Reads profiles: bytes from disk, possibly damaged or hostile, to figures.
 * For the tools; pure functions over a buffer, no allocation, no I/O, no state.
 * Bytes outside [data, data + length) are never touched, whatever is in them.
 */
#ifndef HL_PROFILE_READ_H
#define HL_PROFILE_READ_H

#include "libheapline/error.h"
#include "libheapline/profile.h"
#include "libheapline/record.h"

#include <stddef.h>

/* A profile's figures, folded over its slots.  Strings are copies that end
 * with NUL whatever the file held; control bytes in them are kept. */
struct hl_profile {
    int64_t metrics[HL_M_COUNT];
    struct hl_identity identity;
    uint64_t calls[HL_F_COUNT];
    uint64_t bytes[HL_F_COUNT];
    uint64_t failed[HL_F_COUNT];
    uint64_t classes[HL_CLASS_COUNT];
    uint64_t allocs;
    uint64_t frees;
    int64_t live_bytes; /* inherited_bytes included */
    int64_t peak_bytes;
    int64_t peak_time_ns; /* since start, -1 when nothing was allocated */
};

/* Length of the profile that starts at data, so that the next of a NODE.profiles
 * can be found: used_bytes rounded up to 8.  data must be 8-byte aligned.
 * 0, or -EBADMSG (no profile here), -EPROTONOSUPPORT (version or byte order of
 * another), -ENODATA (cut short: *length says what it should have been). */
int hl_profile_length(const void *data, size_t length, size_t *profile_bytes, struct hl_error *err);

/* Checks and folds the profile at data.  Errors as above; then *out is not set.
 * used_bytes beyond length is an error, slots beyond used_bytes are not read. */
int hl_profile_fold(const void *data, size_t length, struct hl_profile *out, struct hl_error *err);

/* The row of a profile: everything but role; ended by the profile's own word
 * (exit, else vanished), elapsed until then, or -1 where it has no end time.
 * Strings point into *profile, except the fixed words. */
void hl_profile_row(const struct hl_profile *profile, struct hl_row *row);

#endif
