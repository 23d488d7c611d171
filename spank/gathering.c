/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gathering.h"

#include "spank/cgroup.h"
#include "spank/gather.h"
#include "spank/say.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t now_unix_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

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
        .limit_ms = g->conf->gather_timeout_s * 1000,
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
        hl_say("%s: some profiles were damaged or not kept; %s/%s.csv says which", g->node,
               g->stepdir, g->node);
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
        hl_say("%s: heapline-gather ended with status %d; what is left is in %s:%s; to try again,"
               " run on %s: %s %s",
               g->node, status, g->node, g->staging, g->node, g->conf->gather, g->staging);
    }
}

static void say_end(const struct hl_gathering *g, const struct hl_child_end *end)
{
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
        hl_say("%s: heapline-gather was ended by signal %d and is run once more later; if %s/%s.csv"
               " is missing then, run on %s: %s %s",
               g->node, end->value, g->stepdir, g->node, g->node, g->conf->gather, g->staging);
        break;
    case HL_CHILD_TIMEOUT:
        hl_say(
            "%s: heapline-gather was stopped after %ld s and is run once more later; if %s/%s.csv"
            " is missing then, run on %s: %s %s",
            g->node, g->conf->gather_timeout_s, g->stepdir, g->node, g->node, g->conf->gather,
            g->staging);
        break;
    }
}

bool hl_gathering_run(const struct hl_gathering *gathering)
{
    int notes = hl_notes_file(gathering->notes, now_unix_ms());
    struct hl_child_end end;

    /* without the notes the profiles still are worth having */
    end = run(gathering, notes < 0 ? -1 : notes);
    if (notes >= 0)
        (void)close(notes);
    say_end(gathering, &end);
    return end.how == HL_CHILD_EXITED || end.how == HL_CHILD_UNSTARTED;
}
