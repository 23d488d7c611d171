/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The images: a small entry for each file in STAGING, which of them are one
 * process (exec replaces the image, the process stays), and how each ended.
 * Pure, but for the question whether a process lives, which is a callback.
 */
#ifndef HL_GATHER_IMAGES_H
#define HL_GATHER_IMAGES_H

#include "libheapline/profile_read.h"
#include "spank/gather_ends.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HL_NO_IMAGE UINT32_MAX

enum hl_image_state {
    HL_IMAGE_USABLE,
    HL_IMAGE_DAMAGED,    /* no row; removed from STAGING */
    HL_IMAGE_DUPLICATE,  /* the same profile under another name; no row, removed */
    HL_IMAGE_UNREADABLE, /* no row; left in STAGING: it may be read another time */
};

enum hl_image_fate {
    HL_FATE_UNKNOWN,
    HL_FATE_EXIT,     /* by its own word */
    HL_FATE_EXEC,     /* another image came after it */
    HL_FATE_WAIT,     /* the task's own process: what wait(2) said */
    HL_FATE_RUNNING,  /* still there */
    HL_FATE_VANISHED, /* no word of its end */
};

struct hl_image {
    int64_t file_pid; /* the file's name: PID or PID.n */
    int64_t suffix;   /* n, 0 none */
    ino_t inode;
    int64_t pid; /* what the profile says; -1 where unusable */
    int64_t task;
    int64_t start_unix_ns;
    int64_t start_boot_ns;
    int64_t process_start_boot_ns;
    int64_t elapsed_ms; /* where it had no end of its own; -1 unknown */
    size_t used_bytes;  /* length of the copy */
    uint32_t first;     /* index of its process' first image */
    uint32_t next;      /* index of the image after it, HL_NO_IMAGE */
    int32_t number;     /* image: 0, 1, ... */
    enum hl_image_state state;
    enum hl_image_fate fate;
    bool said_exit;    /* in the profile */
    bool unseen;       /* fate EXEC, but what came after it has no profile */
    bool process_runs; /* some image of its process runs: the file stays in STAGING */
    bool own;          /* of a task's own process */
    bool in_earlier;   /* the row that an earlier gather wrote is the better one */
    bool keep;         /* its bytes go to NODE.profiles */
};

struct hl_images {
    struct hl_image *at;
    size_t count;
    size_t capacity;
    size_t usable;
    size_t beyond; /* files above HL_GATHER_FILES_MAX */
};

/* What hl_process_life (gather_process.h) finds out about an image's process. */
enum hl_life {
    HL_LIFE_GONE,
    HL_LIFE_RUNS,     /* and is this image */
    HL_LIFE_REPLACED, /* runs, but has gone on as another image */
};
typedef enum hl_life (*hl_life_f)(const struct hl_image *image, const struct hl_image *first);

void hl_images_init(struct hl_images *images);
void hl_images_fini(struct hl_images *images);

/* Appends a copy of *image.  0; -ENOMEM; -E2BIG beyond the limit (counted). */
int hl_images_add(struct hl_images *images, const struct hl_image *image);

/* Fills in what the folded profile says; absurd times become -1, unknown. */
void hl_image_describe(struct hl_image *image, const struct hl_profile *profile);

/* Orders the table by (pid, suffix), links the images of each process, matches
 * tasks' own processes with ends (and fills in their profiles, has_image) and
 * settles each image's fate. */
void hl_images_settle(struct hl_images *images, struct hl_ends *ends, hl_life_f life);

/* Index of the first entry with this pid, and its end: [*low, *high). */
void hl_images_of_pid(const struct hl_images *images, int64_t pid, size_t *low, size_t *high);

#endif
