/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What an earlier gather of the same node and step has written: the rows of
 * NODE.csv and the profiles of NODE.profiles.  A second gather writes both
 * anew: earlier rows, byte for byte, and its own; where both know an image
 * (pid, start, image number), the row that knows more of its end counts, and
 * the newer profile.
 */
#ifndef HL_GATHER_EARLIER_H
#define HL_GATHER_EARLIER_H

#include "libheapline/error.h"
#include "spank/gather_ends.h"
#include "spank/gather_images.h"
#include "spank/gather_remarks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hl_earlier_row {
    int64_t pid;
    int64_t task;
    int64_t start_ms;
    int64_t image;
    off_t offset; /* of its line */
    uint32_t length;
    bool not_seen;
    bool running;
    bool superseded;
};

struct hl_earlier {
    int fd; /* of NODE.csv, -1 if there is none */
    struct hl_earlier_row *at;
    size_t count;
    size_t capacity;
};

/* Length of the CSV line at data, LF included, LFs within quotes passed over;
 * 0 if it does not end within length. */
size_t hl_csv_line_length(const char *data, size_t length);

/* Parses a line of version 2 (without regard to offset).  0 or -EBADMSG. */
int hl_earlier_row_parse(const char *line, size_t length, struct hl_earlier_row *row);

/* Opens and indexes NODE.csv in dir; its remarks are taken over.  0 also where
 * there is none; -EBADMSG: not one of ours, or damaged.  Always ends in a
 * state that hl_earlier_fini can free. */
int hl_earlier_load(struct hl_earlier *earlier, int dir, const char *name,
                    struct hl_remarks *remarks, struct hl_error *err);
void hl_earlier_fini(struct hl_earlier *earlier);

/* Decides between the earlier rows and the new images and ends: sets
 * superseded, in_earlier. */
void hl_earlier_resolve(struct hl_earlier *earlier, struct hl_images *images, struct hl_ends *ends);

/* The image whose profile this is, a copy made earlier; NULL if none is. */
struct hl_image *hl_earlier_image(const struct hl_images *images, const struct hl_image *copy);

#endif
