/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Worlds and roles: which one of the processes that carry a rank's number is
 * the rank.
 */
#ifndef HL_ROLES_H
#define HL_ROLES_H

#include "report/problems.h"
#include "report/rows.h"

/* Is this executable one of those that only start others? */
bool hl_is_helper(const char *exe);

/* Settles world and role of every row of a step (design of the record, "role")
 * and sorts the rows.  Roles that were settled before are kept.  A rank that
 * two processes on different nodes claim is said.  0 or -ENOMEM. */
int hl_settle_roles(struct hl_step *step, struct hl_problems *problems);

#endif
