/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Slurm's filename patterns in DIR: %j job id, %A id of the array, %a index in
 * it (0 outside an array; %A is then the job id), %s step id, %u user name, %x
 * job name, %% a percent sign; digits in between pad numbers with zeros, as in
 * Slurm (%4a).  Pure text.
 */
#ifndef HL_PATTERNS_H
#define HL_PATTERNS_H

#include "libheapline/error.h"
#include "spank/names.h"

struct hl_pattern_values {
    struct hl_ids ids;
    const char *user;
    const char *job_name; /* any bytes: '/' and control characters become '_' */
};

/* 0, or -EINVAL with the reason: an unknown pattern (%N, %n and %t too: DIR is
 * one for all nodes and tasks), a control character, too long. */
int hl_patterns_check(const char *text, struct hl_error *err);

/* Writes text with its patterns replaced into out (room bytes, set in any
 * case).  0, -EINVAL as above, -ENAMETOOLONG. */
int hl_patterns_expand(const char *text, const struct hl_pattern_values *values, char *out,
                       size_t room, struct hl_error *err);

#endif
