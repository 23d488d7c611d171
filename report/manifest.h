/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * step.json: what srun knew of a step before its tasks started, and so which
 * tasks there must be rows of.
 */
#ifndef HL_MANIFEST_H
#define HL_MANIFEST_H

#include "libheapline/error.h"

#include <stddef.h>
#include <stdint.h>

struct hl_table;

struct hl_expected {
    int64_t task;
    size_t node; /* index into nodes */
};

/* Strings are "" and numbers -1 where step.json does not have them. */
struct hl_manifest {
    const char *job, *step, *user, *job_name, *slurm;
    const char *command; /* the words of the command line with blanks between */
    int64_t start_ms;
    int64_t mem_per_node_bytes, mem_per_cpu_bytes;
    const char **nodes;
    size_t node_count;
    struct hl_expected *tasks;
    size_t task_count;
};

#define HL_MANIFEST_MAX (64 * 1024 * 1024) /* a larger step.json is refused */

/* Memory belongs to the table.  0; -EBADMSG: damaged; -EPROTONOSUPPORT: another
 * format or version; -EFBIG; -ENOMEM; or the error of read. */
int hl_manifest_read(struct hl_table *table, int fd, struct hl_manifest **out,
                     struct hl_error *err);

#endif
