/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/submit.h"

#include "libheapline/env.h"
#include "spank/around.h"
#include "spank/child.h"
#include "spank/clock.h"
#include "spank/jobdir.h"
#include "spank/layout.h"
#include "spank/manifest.h"
#include "spank/patterns.h"
#include "spank/say.h"

#include <pwd.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The step that this srun has started; the path is empty if it is not recorded. */
static char started[HL_DIR_ROOM];

static void user_name(char *out, size_t room)
{
    const struct passwd *entry = getpwuid(geteuid());

    if (entry)
        (void)snprintf(out, room, "%s", entry->pw_name);
    else
        (void)snprintf(out, room, "%u", (unsigned)geteuid());
}

static void fill_manifest(spank_t spank, const struct hl_layout_job *job, struct hl_manifest *m)
{
    if (spank_get_item(spank, S_SLURM_VERSION, &m->slurm) != ESPANK_SUCCESS)
        m->slurm = "unknown";
    if (spank_get_item(spank, S_JOB_ARGV, &m->argc, &m->argv) != ESPANK_SUCCESS)
        m->argc = 0;
    m->job = job->ids.job;
    m->step = job->ids.step;
    m->uid = geteuid();
    m->job_name = job->job_name;
    m->start_unix_ms = hl_clock_unix_ms();
    m->mem_per_node_bytes = job->mem_per_node_bytes;
    m->mem_per_cpu_bytes = job->mem_per_cpu_bytes;
    m->time_limit_s = job->time_limit_s;
    if (spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &m->tasks) != ESPANK_SUCCESS)
        m->tasks = 0;
    if (hl_layout_nodes(m) < 0)
        hl_say("Slurm does not tell which tasks run on which node; ranks that leave no figures will"
               " be missing in the report");
}

static int write_manifest(spank_t spank, const struct hl_layout_job *job, const char *user,
                          const char *dir, struct hl_error *err)
{
    struct hl_manifest manifest = {.user = user, .dir = dir};
    int rc;

    fill_manifest(spank, job, &manifest);
    rc = hl_manifest_write(&manifest, started, err);
    hl_manifest_fini(&manifest);
    return rc;
}

/* pattern (HL_DIR_ROOM) is DIR with its patterns left. */
static int prepare(spank_t spank, const struct hl_layout_job *job, const char *pattern,
                   struct hl_error *err)
{
    char dir[HL_DIR_ROOM], user[256];
    struct hl_pattern_values values = {.ids = job->ids, .user = user, .job_name = job->job_name};
    unsigned try = 1;
    int rc;

    user_name(user, sizeof(user));
    rc = hl_patterns_expand(pattern, &values, dir, sizeof(dir), err);
    if (rc < 0)
        return rc;
    rc = hl_jobdir_make(dir, &job->ids, started, &try, err);
    if (rc < 0)
        return rc;
    if (try > 1)
        hl_say("an earlier step %u is there already; this one goes to %s", job->ids.step, started);
    return write_manifest(spank, job, user, dir, err);
}

static bool is_env(const char *name, uint32_t value)
{
    char text[16];
    const char *set = getenv(name);

    (void)snprintf(text, sizeof(text), "%u", value);
    return set && !strcmp(set, text);
}

/* The nodes know of an array only from the environment: a srun that joins such a
 * job from outside calls it by its bare id, as they do. */
static void agree_on_array(struct hl_ids *ids)
{
    if (!is_env("SLURM_ARRAY_JOB_ID", ids->array_job) ||
        !is_env("SLURM_ARRAY_TASK_ID", ids->array_task))
        ids->array_task = HL_NO_ID;
}

/* 1 with the ids of an ordinary step, else 0 (interactive: left alone). */
static int get_job(spank_t spank, struct hl_layout_job *job)
{
    uint32_t id, step;

    if (spank_get_item(spank, S_JOB_ID, &id) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        step > SLURM_MAX_NORMAL_STEP_ID)
        return 0;
    hl_layout_job(id, job);
    job->ids.step = step;
    agree_on_array(&job->ids);
    if (!job->job_name[0] && getenv("SLURM_JOB_NAME"))
        (void)snprintf(job->job_name, sizeof(job->job_name), "%s", getenv("SLURM_JOB_NAME"));
    return 1;
}

void hl_submit_start(spank_t spank, const struct hl_options *options,
                     const struct hl_plugconf *conf)
{
    char pattern[HL_DIR_ROOM];
    struct hl_layout_job job;
    struct hl_error err;
    int rc;

    started[0] = '\0';
    (void)unsetenv(HL_ENV_SLURM_STEPDIR);
    rc = hl_around_decide(options, conf, pattern, &err);
    if (rc == 0 || (rc > 0 && !get_job(spank, &job)))
        return;
    if (rc > 0)
        rc = prepare(spank, &job, pattern, &err);
    if (rc == 0 && setenv(HL_ENV_SLURM_STEPDIR, started, 1) == 0)
        return;
    hl_say("%s; the step runs unrecorded", rc < 0 ? err.text : "out of memory");
    started[0] = '\0';
}

static void say_report(const struct hl_plugconf *conf, const struct hl_child_end *end)
{
    const char *redo = conf->report;

    switch (end->how) {
    case HL_CHILD_EXITED: /* it has said itself what was wrong */
        break;
    case HL_CHILD_KILLED:
        hl_say("the report was ended by signal %d; for the summary: %s --collate %s", end->value,
               redo, started);
        break;
    case HL_CHILD_TIMEOUT:
        hl_say(
            "the report took longer than %ld s and was stopped; for the summary: %s --collate %s",
            conf->report_timeout_s, redo, started);
        break;
    case HL_CHILD_LOST:
        hl_say("the report ended, nobody knows how; if there is no summary: %s --collate %s", redo,
               started);
        break;
    case HL_CHILD_UNSTARTED:
        hl_say("no report here (%s: %s: %s); where heapline-report is installed, run:"
               " heapline-report --collate %s",
               redo, end->what, strerror(end->value), started);
        break;
    }
}

void hl_submit_end(const struct hl_plugconf *conf)
{
    char name[] = "heapline-report", collate[] = "--collate";
    char *argv[] = {name, collate, started, NULL};
    struct hl_child child = {
        .path = conf->report,
        .argv = argv,
        .envp = environ,
        .fds = {-1, conf->quiet ? -1 : 2, 2},
        .limit_ms = conf->report_timeout_s * 1000,
    };
    struct hl_child_end end;

    if (!started[0])
        return;
    end = hl_child_run(&child);
    say_report(conf, &end);
    started[0] = '\0';
}
