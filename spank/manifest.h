/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * step.json, the manifest: what a step was to be, written before its tasks
 * start, so that what is missing afterwards can be named.  Knows no Slurm.
 */
#ifndef HL_MANIFEST_H
#define HL_MANIFEST_H

#include "libheapline/error.h"

#include <stdint.h>

struct hl_manifest_node {
    char *name;
    uint32_t *tasks; /* global task ids */
    uint32_t task_count;
};

/* Strings may hold any bytes; what is no UTF-8 is replaced.  -1: unknown. */
struct hl_manifest {
    const char *slurm; /* its release */
    uint32_t job;
    uint32_t step;
    const char *user;
    uint32_t uid;
    const char *job_name;
    char **argv;
    int argc;
    int64_t start_unix_ms;
    uint32_t tasks;
    struct hl_manifest_node *nodes; /* owned, with all below: hl_manifest_fini */
    uint32_t node_count;
    int64_t mem_per_node_bytes;
    int64_t mem_per_cpu_bytes;
    int64_t time_limit_s;
    const char *dir; /* DIR, expanded */
};

/* Writes stepdir/step.json under another name and renames it.  0, or -errno
 * with the reason. */
int hl_manifest_write(const struct hl_manifest *manifest, const char *stepdir,
                      struct hl_error *err);

/* Frees nodes; takes a zeroed or half-built one. */
void hl_manifest_fini(struct hl_manifest *manifest);

#endif
