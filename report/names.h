/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The names in a directory, sorted so that n2 comes before n10 and a node's
 * files are neighbours.
 */
#ifndef HL_NAMES_H
#define HL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct hl_name {
    char *name;
    bool directory; /* a real one, no link */
};

struct hl_names {
    struct hl_name *at;
    size_t count;
};

/* All names but hidden ones (files under construction are hidden) and, of the
 * rest, those that end in .tmp or .new.  0 or -errno.  dir_fd stays the caller's. */
int hl_names_read(int dir_fd, struct hl_names *out);
void hl_names_free(struct hl_names *names);

bool hl_ends_in(const char *name, const char *ending);

/* Length of a name without .csv or .profiles. */
size_t hl_stem(const char *name);

#endif
