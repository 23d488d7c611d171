/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/step.h"

#include "libheapline/env.h"
#include "spank/cgroup.h"
#include "spank/clock.h"
#include "spank/gathering.h"
#include "spank/inject.h"
#include "spank/names.h"
#include "spank/notes.h"
#include "spank/order.h"
#include "spank/say.h"
#include "spank/staging.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UMASK_UNKNOWN 077 /* private; what was meant to be shared is one chmod away */
#define NODE_ROOM 256

static struct {
    bool wanted;   /* srun has set up DIR/JOB/STEP for this step */
    bool gathered; /* nothing more to do */
    bool tried;    /* a gather was run, and cut short unless gathered */
    struct hl_ids ids;
    char stepdir[HL_DIR_ROOM];
    char staging[HL_DIR_ROOM]; /* STAGING/NAME; empty: could not be made, see trouble */
    struct hl_error trouble;
    mode_t umask;    /* srun's, hence the tasks' */
    uint32_t exits;  /* task_exits seen */
    long maxrss_kib; /* largest of the children waited for so far */
    struct hl_notes notes;
} step = {.umask = UMASK_UNKNOWN};

/* ---- before the tasks ---- */

/* False for anything but a step of srun's. */
static bool get_ids(spank_t spank, struct hl_ids *ids)
{
    memset(ids, 0, sizeof(*ids));
    if (spank_get_item(spank, S_JOB_ID, &ids->job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &ids->step) != ESPANK_SUCCESS ||
        ids->step > SLURM_MAX_NORMAL_STEP_ID)
        return false;
    if (spank_get_item(spank, S_JOB_ARRAY_ID, &ids->array_job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_ARRAY_TASK_ID, &ids->array_task) != ESPANK_SUCCESS)
        ids->array_task = HL_NO_ID;
    return true;
}

static void get_umask(spank_t spank)
{
    char text[16], *end;
    unsigned long mask;

    if (spank_getenv(spank, "SLURM_UMASK", text, sizeof(text)) != ESPANK_SUCCESS)
        return;
    mask = strtoul(text, &end, 8);
    if (end > text && !*end && mask <= 0777)
        step.umask = (mode_t)mask;
}

static long children_maxrss_kib(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_maxrss : 0;
}

static void make_staging(spank_t spank, const struct hl_plugconf *conf)
{
    char host[128] = "", name[NODE_ROOM];
    struct hl_staging staging = {.base = conf->staging, .node = name, .ids = step.ids};
    uint32_t node = 0;

    /* Slurm's name of the node is not known for sure yet: the environment may
     * have brought along another's */
    (void)gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    (void)spank_get_item(spank, S_JOB_NODEID, &node);
    (void)snprintf(name, sizeof(name), "%s-%u", host, node);
    if (spank_get_item(spank, S_JOB_UID, &staging.uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &staging.gid) != ESPANK_SUCCESS)
        (void)hl_fail(&step.trouble, -1,
                      "Slurm does not tell whose step it is; the administrator has to build "
                      "heapline for this release of Slurm");
    else if (hl_staging_make(&staging, step.staging, &step.trouble) < 0)
        step.staging[0] = '\0';
}

void hl_step_start(spank_t spank, const struct hl_plugconf *conf)
{
    if (!get_ids(spank, &step.ids) ||
        spank_getenv(spank, HL_ENV_SLURM_STEPDIR, step.stepdir, sizeof(step.stepdir)) !=
            ESPANK_SUCCESS ||
        !hl_names_match(&step.ids, step.stepdir))
        return;
    step.wanted = true;
    step.maxrss_kib = children_maxrss_kib();
    get_umask(spank);
    make_staging(spank, conf);
}

/* ---- in each task, as the user ---- */

/* Slurm's name for this node; right from task_init on. */
static const char *node_name(spank_t spank, char *out)
{
    if (spank_getenv(spank, "SLURMD_NODENAME", out, NODE_ROOM) != ESPANK_SUCCESS)
        (void)gethostname(out, NODE_ROOM - 1);
    return out;
}

static bool is_disabled(spank_t spank)
{
    char value[2];

    return spank_getenv(spank, HL_ENV_DISABLE, value, sizeof(value)) == ESPANK_SUCCESS &&
           !strcmp(value, "1");
}

/* *shown: how the report will call the node's ranks if this fails. */
static int prepare_task(spank_t spank, const struct hl_plugconf *conf, const char *node,
                        const char **shown, struct hl_error *err)
{
    struct hl_step_order order = {.ids = step.ids, .node = node, .stepdir = step.stepdir};
    int rc;

    *shown = "lost";
    if (!step.staging[0]) {
        *err = step.trouble;
        return -1;
    }
    rc = hl_order_write(step.staging, &order, err);
    if (rc < 0)
        return rc;
    *shown = "not_seen"; /* there is an order now, hence a NODE.csv */
    return is_disabled(spank) ? 0 : hl_inject_add(spank, conf, step.staging, err);
}

void hl_step_task_init(spank_t spank, const struct hl_plugconf *conf)
{
    char name[NODE_ROOM] = "";
    const char *shown;
    struct hl_error err;
    int task = -1;

    if (!step.wanted) {
        hl_inject_remove(spank, conf);
        return;
    }
    if (prepare_task(spank, conf, node_name(spank, name), &shown, &err) == 0)
        return;
    hl_inject_remove(spank, conf);
    if (spank_get_item(spank, S_TASK_ID, &task) == ESPANK_SUCCESS && task == 0)
        hl_say("%s: %s; its tasks run unrecorded, its ranks will be shown as %s", name, err.text,
               shown);
}

/* ---- after the tasks ---- */

/* slurmstepd's largest child so far: a rise is the figure of the task that has
 * just been waited for, no rise tells only that it was smaller. */
static int64_t task_maxrss(void)
{
    long now = children_maxrss_kib();

    if (now <= step.maxrss_kib)
        return -1;
    step.maxrss_kib = now;
    return (int64_t)now * 1024;
}

static int64_t task_oom(spank_t spank)
{
    struct hl_cgroup cgroup;
    int64_t kills;
    int local;

    if (spank_get_item(spank, S_TASK_ID, &local) != ESPANK_SUCCESS)
        return -1;
    hl_cgroup_read(&cgroup);
    kills = hl_cgroup_oom(&cgroup, local);
    return kills > 1 ? 1 : kills;
}

static void take_note(spank_t spank)
{
    struct hl_note note = {-1, -1, -1, task_oom(spank), hl_clock_unix_ms(), task_maxrss()};
    uint32_t task;
    pid_t pid;
    int status;

    if (spank_get_item(spank, S_TASK_GLOBAL_ID, &task) == ESPANK_SUCCESS)
        note.task = task;
    if (spank_get_item(spank, S_TASK_PID, &pid) == ESPANK_SUCCESS)
        note.pid = pid;
    if (spank_get_item(spank, S_TASK_EXIT_STATUS, &status) == ESPANK_SUCCESS)
        note.status = status;
    if (hl_notes_add(&step.notes, &note) < 0) { /* its row then says "vanished" */
    }
}

static bool get_user(spank_t spank, struct hl_child_user *user)
{
    gid_t *groups = NULL;
    int count = 0;

    if (spank_get_item(spank, S_JOB_UID, &user->uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &user->gid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count) != ESPANK_SUCCESS)
        return false;
    user->groups = groups;
    user->group_count = count > 0 && groups ? (size_t)count : 0;
    user->umask = step.umask;
    return true;
}

static void gather(spank_t spank, const struct hl_plugconf *conf)
{
    char name[NODE_ROOM] = "";
    struct hl_gathering gathering = {
        .conf = conf,
        .staging = step.staging,
        .stepdir = step.stepdir,
        .node = node_name(spank, name),
        .notes = &step.notes,
        .again = step.tried,
    };

    if (!get_user(spank, &gathering.user)) {
        hl_say("%s: Slurm does not tell whose step it is; to gather it, run on %s: %s %s", name,
               name, conf->gather, step.staging);
        step.gathered = true;
        return;
    }
    step.gathered = hl_gathering_run(&gathering);
    step.tried = true;
}

void hl_step_task_exit(spank_t spank, const struct hl_plugconf *conf)
{
    uint32_t tasks = 0;

    if (!step.wanted || !step.staging[0])
        return;
    take_note(spank);
    step.exits++;
    if (spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
        step.exits == tasks)
        gather(spank, conf);
}

void hl_step_end(spank_t spank, const struct hl_plugconf *conf)
{
    if (step.wanted && step.staging[0] && !step.gathered)
        gather(spank, conf);
}
