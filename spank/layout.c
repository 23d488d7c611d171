/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/layout.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB INT64_C(1048576)

_Static_assert(HL_NO_ID == NO_VAL, "as in Slurm");

static void job_limits(const slurm_job_info_t *info, struct hl_layout_job *job)
{
    int64_t mib = (int64_t)(info->pn_min_memory & ~MEM_PER_CPU);

    if (info->pn_min_memory != NO_VAL64 && mib > 0) {
        if (info->pn_min_memory & MEM_PER_CPU)
            job->mem_per_cpu_bytes = mib * MIB;
        else
            job->mem_per_node_bytes = mib * MIB;
    }
    if (info->time_limit != NO_VAL && info->time_limit != INFINITE)
        job->time_limit_s = (int64_t)info->time_limit * 60;
}

static void job_fill(const slurm_job_info_t *info, struct hl_layout_job *job)
{
    if (info->array_task_id != NO_VAL) {
        job->ids.array_job = info->array_job_id;
        job->ids.array_task = info->array_task_id;
    }
    job->ids.restarts = info->restart_cnt;
    if (info->name)
        (void)snprintf(job->job_name, sizeof(job->job_name), "%s", info->name);
    job_limits(info, job);
}

void hl_layout_job(uint32_t id, struct hl_layout_job *job)
{
    job_info_msg_t *answer = NULL;

    job->ids.job = id;
    job->ids.array_job = 0;
    job->ids.array_task = HL_NO_ID;
    job->ids.restarts = 0;
    job->job_name[0] = '\0';
    job->mem_per_node_bytes = job->mem_per_cpu_bytes = job->time_limit_s = -1;
    if (slurm_load_job(&answer, id, SHOW_ALL) != 0 || !answer)
        return;
    /* for a heterogeneous job its components come together */
    for (uint32_t i = 0; i < answer->record_count; i++)
        if (answer->job_array[i].job_id == id)
            job_fill(&answer->job_array[i], job);
    slurm_free_job_info_msg(answer);
}

static int node_fill(struct hl_manifest_node *node, char *name, const uint32_t *tasks,
                     uint32_t count)
{
    node->name = name;
    node->tasks = malloc((count ? count : 1) * sizeof(*node->tasks));
    if (!name || !node->tasks)
        return -ENOMEM;
    memcpy(node->tasks, tasks, count * sizeof(*tasks));
    node->task_count = count;
    return 0;
}

static int nodes_fill(struct hl_manifest *m, const slurm_step_layout_t *layout)
{
    /* a pointer whose type has another name from release to release */
    __auto_type hosts = slurm_hostlist_create(layout->node_list);
    int rc = hosts ? 0 : -ENOMEM;

    m->nodes = calloc(layout->node_cnt ? layout->node_cnt : 1, sizeof(*m->nodes));
    if (!m->nodes)
        rc = -ENOMEM;
    for (uint32_t i = 0; rc == 0 && i < layout->node_cnt; i++) {
        m->node_count = i + 1;
        rc =
            node_fill(&m->nodes[i], slurm_hostlist_shift(hosts), layout->tids[i], layout->tasks[i]);
    }
    if (hosts)
        slurm_hostlist_destroy(hosts);
    if (rc < 0)
        hl_manifest_fini(m);
    return rc;
}

int hl_layout_nodes(struct hl_manifest *manifest)
{
    slurm_step_id_t id = {
        .job_id = manifest->job, .step_het_comp = NO_VAL, .step_id = manifest->step};
    slurm_step_layout_t *layout = slurm_job_step_layout_get(&id);
    int rc;

    if (!layout)
        return errno ? -errno : -EIO;
    rc = nodes_fill(manifest, layout);
    if (rc == 0)
        manifest->tasks = layout->task_cnt;
    slurm_job_step_layout_free(layout);
    return rc;
}
