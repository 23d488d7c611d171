/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gathering.h"

#include "spank/cgroup.h"
#include "spank/clock.h"
#include "spank/gather.h"
#include "spank/say.h"
#include "spank/staging.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct hl_child_end run(const struct hl_gathering *g, int notes)
{
    char name[] = "heapline-gather", path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
    char staging[HL_CONF_ROOM + 512];
    char *argv[] = {name, staging, NULL}, *envp[] = {path, locale, NULL};
    struct hl_cgroup cgroup;
    struct hl_child child = {
        .path = g->conf->gather,
        .argv = argv,
        .envp = envp,
        .fds = {notes, -1, -1},
        .user = &g->user,
        .leave_files = cgroup.leave,
        .limit_ms = hl_plugconf_gather_limit_s(g->conf, g->again) * 1000,
    };

    hl_cgroup_read(&cgroup);
    if (strlen(g->staging) >= sizeof(staging))
        return (struct hl_child_end){HL_CHILD_UNSTARTED, 0, "staging"};
    memcpy(staging, g->staging, strlen(g->staging) + 1);
    return hl_child_run(&child);
}

static void say_exit(const struct hl_gathering *g, int status)
{
    switch (status) {
    case HL_GATHER_DONE:
        break;
    case HL_GATHER_PARTIAL:
        hl_say(
            "%s: some profiles were damaged or not kept; the lines with # in %s/%s.csv say which",
            g->node, g->stepdir, g->node);
        break;
    case HL_GATHER_LEFT:
        hl_say("%s: processes of this step still run; when they have ended, run on %s: %s %s",
               g->node, g->node, g->conf->gather, g->staging);
        break;
    case HL_GATHER_NOT_SHARED:
        hl_say("%s: DIR is not shared; results lie on %s:%s; copy them into one directory and run"
               " heapline-report --collate on it",
               g->node, g->node, g->stepdir);
        break;
    case HL_GATHER_NO_STEPDIR:
        hl_say("%s: %s cannot be written; the profiles stay in %s:%s; once there is room or access,"
               " run on %s: %s %s",
               g->node, g->stepdir, g->node, g->staging, g->node, g->conf->gather, g->staging);
        break;
    default:
        hl_say("%s: heapline-gather ended with status %d (heapline-gather(8) says what that is);"
               " what is left is in %s:%s; to try again, run on %s: %s %s",
               g->node, status, g->node, g->staging, g->node, g->conf->gather, g->staging);
    }
}

/* how: what has happened to heapline-gather, in words. */
static void say_cut(const struct hl_gathering *g, const char *how)
{
    if (g->again)
        hl_say("%s: heapline-gather %s, like before; the profiles stay in %s:%s; run on %s: %s %s",
               g->node, how, g->node, g->staging, g->node, g->conf->gather, g->staging);
    else
        hl_say("%s: heapline-gather %s and is run once more later; if %s/%s.csv is missing then,"
               " run on %s: %s %s",
               g->node, how, g->stepdir, g->node, g->node, g->conf->gather, g->staging);
}

static void say_end(const struct hl_gathering *g, const struct hl_child_end *end)
{
    char how[64];

    switch (end->how) {
    case HL_CHILD_EXITED:
        say_exit(g, end->value);
        break;
    case HL_CHILD_UNSTARTED:
        hl_say("%s: %s: %s: %s; the profiles stay in %s:%s; once heapline is repaired there, run on"
               " %s: %s %s",
               g->node, g->conf->gather, end->what, strerror(end->value), g->node, g->staging,
               g->node, g->conf->gather, g->staging);
        break;
    case HL_CHILD_KILLED:
        (void)snprintf(how, sizeof(how), "was ended by signal %d", end->value);
        say_cut(g, how);
        break;
    case HL_CHILD_TIMEOUT:
        (void)snprintf(how, sizeof(how), "was stopped after %ld s",
                       hl_plugconf_gather_limit_s(g->conf, g->again));
        say_cut(g, how);
        break;
    case HL_CHILD_LOST:
        say_cut(g, "ended, nobody knows how,");
        break;
    }
}

/* STAGING/NAME was empty and is gone: everything had been brought home before the
 * gather was cut short, or nothing ever lay there, not even the order, which
 * its task has said. */
static bool is_over(const struct hl_child_end *end)
{
    return end->how != HL_CHILD_EXITED || end->value == HL_GATHER_NO_STAGING;
}

bool hl_gathering_run(const struct hl_gathering *gathering)
{
    int notes = hl_notes_file(gathering->notes, hl_clock_unix_ms());
    struct hl_child_end end;

    /* without the notes the profiles still are worth having */
    end = run(gathering, notes < 0 ? -1 : notes);
    if (notes >= 0)
        (void)close(notes);
    if (hl_staging_remove(gathering->conf->staging, gathering->staging) == 0 && is_over(&end))
        return true;
    say_end(gathering, &end);
    return end.how == HL_CHILD_EXITED || end.how == HL_CHILD_UNSTARTED;
}
