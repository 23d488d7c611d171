/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Directories for results, made as the user: by srun before the step, and by
 * the gather on a node that does not see them.
 */
#ifndef HL_DIRS_H
#define HL_DIRS_H

#include <stddef.h>
#include <sys/types.h>

/* Makes what is missing of path, like mkdir -p; whatever is there already is
 * left to be judged when it is opened.  path is changed while this runs.  0, or
 * -errno: path then ends with the part that could not be made. */
int hl_dirs_make(char *path);

/* Opens the directory `name` in parent, made if it is missing: no symlink, and
 * the caller's own.  The descriptor, or -errno; *owner is (uid_t)-1 unless it
 * is refused (-EPERM) as another's. */
int hl_dirs_own(int parent, const char *name, uid_t *owner);

#endif
