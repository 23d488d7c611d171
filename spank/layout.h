/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What only Slurm's controller knows of a job and a step; asked from srun.
 */
#ifndef HL_LAYOUT_H
#define HL_LAYOUT_H

#include "spank/manifest.h"
#include "spank/names.h"

struct hl_layout_job {
    struct hl_ids ids;   /* step is left alone */
    char job_name[1024]; /* "" unknown */
    int64_t mem_per_node_bytes;
    int64_t mem_per_cpu_bytes;
    int64_t time_limit_s;
};

/* Fills job for id.  What cannot be learnt is unknown (-1, ""): the job is then
 * no array task and was not requeued. */
void hl_layout_job(uint32_t id, struct hl_layout_job *job);

/* Sets tasks, nodes and node_count of the manifest from its job and step; all
 * stay as they were if Slurm does not tell (-errno). */
int hl_layout_nodes(struct hl_manifest *manifest);

#endif
