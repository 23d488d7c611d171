/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The plugin's arguments in plugstack.conf, from one table.  Pure.
 */
#ifndef HL_PLUGCONF_H
#define HL_PLUGCONF_H

#include <stdbool.h>

#define HL_CONF_ROOM 1024

struct hl_plugconf {
    char library[HL_CONF_ROOM]; /* the preload library, same path on all nodes */
    char gather[HL_CONF_ROOM];  /* heapline-gather, on the nodes */
    char report[HL_CONF_ROOM];  /* heapline-report, where srun runs */
    char dir[HL_CONF_ROOM];     /* DIR where none is given; "" heapline/ in the working directory */
    char staging[HL_CONF_ROOM]; /* root's directory for running steps, local to each node */
    bool default_on;            /* record without being asked */
    bool quiet;                 /* srun prints no summary */
    long gather_timeout_s;
    long report_timeout_s;
};

#define HL_GATHER_AGAIN_S 5

/* Seconds that a gather may take: the first one of a step gather_timeout, the
 * one after it at most HL_GATHER_AGAIN_S, so that both end before KillWait. */
long hl_plugconf_gather_limit_s(const struct hl_plugconf *conf, bool again);

/* serious: a value that was not taken; else an unknown argument. */
typedef void (*hl_plugconf_say_f)(bool serious, const char *text);

/* Sets the defaults, then what argv says; what is wrong is told to say, one
 * line each, and otherwise ignored. */
void hl_plugconf_load(struct hl_plugconf *conf, int argc, char **argv, hl_plugconf_say_f say);

#endif
