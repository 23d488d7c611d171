/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A file written under another name and renamed when it is whole, so that
 * nobody ever sees half of one.
 */
#ifndef HL_SAVE_H
#define HL_SAVE_H

#include "libheapline/error.h"

#include <stdio.h>

struct hl_save {
    FILE *file;
    char *path;
    char *temporary; /* NULL: path is no regular file and is written at once */
};

enum hl_save_how {
    HL_SAVE_REPLACE, /* whatever path is, a link too, it is replaced */
    HL_SAVE_THROUGH, /* what is no regular file (/dev/stdout, a fifo, a link) is written to */
};

/* Opens for writing what will be path.  0 or -errno.  Only a path that somebody
 * has typed is written through: in a directory of results a link may have been
 * put in the way by its owner or his group. */
int hl_save_begin(struct hl_save *save, const char *path, enum hl_save_how how,
                  struct hl_error *err);

/* Closes and renames; on any failure of writing removes and says.  0 or -errno. */
int hl_save_end(struct hl_save *save, struct hl_error *err);

/* Gives up: closes and removes.  Accepts what begin refused. */
void hl_save_drop(struct hl_save *save);

#endif
