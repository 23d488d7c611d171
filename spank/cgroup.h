/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What slurmstepd's own line in /proc/self/cgroup tells: where the tasks' OOM
 * counters are (v1 and v2), and which cgroups a child has to leave so that it is
 * neither charged to the step nor in the way of its removal.
 *
 * The controllers are taken to be mounted below /sys/fs/cgroup, Slurm's default
 * CgroupMountpoint; elsewhere the counters are unknown.
 */
#ifndef HL_CGROUP_H
#define HL_CGROUP_H

#include <stdint.h>

#define HL_CGROUP_ROOM 512
#define HL_CGROUP_LEAVE_MAX 12

struct hl_cgroup {
    char tasks[HL_CGROUP_ROOM]; /* path of the tasks' memory cgroups up to the local id; "" none */
    const char *events;         /* file in there that has the line oom_kill */
    char leave_text[HL_CGROUP_LEAVE_MAX][HL_CGROUP_ROOM];
    char *leave[HL_CGROUP_LEAVE_MAX + 1]; /* points into leave_text, NULL-ended */
};

/* From the text of /proc/self/cgroup.  Takes only cgroups of a job (with
 * "/job_" in their path), so that nothing else is ever left. */
void hl_cgroup_parse(const char *text, struct hl_cgroup *cgroup);

/* The same for this process. */
void hl_cgroup_read(struct hl_cgroup *cgroup);

/* OOM kills in the cgroup of the task with this local id, -1 unknown. */
int64_t hl_cgroup_oom(const struct hl_cgroup *cgroup, int local_task);

#endif
