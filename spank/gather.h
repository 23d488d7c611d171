/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What the plugin and heapline-gather agree on.  The plugin makes STAGING/NAME
 * (0700, the user's), writes `order` into it as the user at the step's start,
 * and at its end runs, as the user for good,
 *
 *     heapline-gather STAGING/NAME  < ends
 *
 * order:  lines "key value", first "format heapline-order 1", then job, step,
 *         node, stepdir (absolute, DIR/JOB/STEP); unknown keys are ignored.
 * ends:   lines "task TASK PID STATUS OOM END_UNIX_MS MAXRSS_BYTES" for each
 *         ended task (decimal; STATUS of wait(2); -1 unknown; OOM 0 or 1) and
 *         one "end UNIX_MS" (now); other lines are ignored.  A pipe, a regular
 *         file or a memfd; from anything else nothing is read.
 *
 * Everything in STAGING/NAME called PID or PID.n is a profile.  The gather
 * removes what it has brought to safety; then the plugin removes the directory.
 * `order` and the directory stay as long as something is left to be gathered:
 * profiles of processes that still run, or all of them after a failure.
 */
#ifndef HL_GATHER_H
#define HL_GATHER_H

/* Exit codes.  Where two fit, the one further down in this list.  LEFT before
 * PARTIAL: somebody has to act or figures are lost with STAGING, whereas what
 * was damaged is on record in NODE.csv.  NOT_SHARED before both: without acting
 * on it no figure of the node is seen. */
enum hl_gather_exit {
    HL_GATHER_DONE = 0,
    HL_GATHER_PARTIAL = 11,    /* done; some profiles damaged or not kept: NODE.csv says which */
    HL_GATHER_LEFT = 12,       /* done; processes still run, and their profiles stay in STAGING */
    HL_GATHER_NOT_SHARED = 10, /* done; no step.json in STEPDIR: made here, seen only here */
    HL_GATHER_USAGE = 2,
    HL_GATHER_NO_STEPDIR = 20, /* STEPDIR not made or not written: all profiles stay */
    HL_GATHER_NO_STAGING = 21, /* STAGING/NAME is unusable: nothing was done */
};

#define HL_ORDER_NAME "order"
#define HL_ORDER_FORMAT "heapline-order 1"
#define HL_ORDER_BYTES 16384 /* longest order file that is read */
#define HL_MANIFEST_NAME "step.json"

/* Limits of one gather; what lies beyond is said in NODE.csv. */
#define HL_GATHER_KEEP_BYTES (32 * 1024 * 1024) /* NODE.profiles */
#define HL_GATHER_FILES_MAX 262144              /* profiles, hence rows, a run; the rest stays */
#define HL_GATHER_TASKS_MAX 65536               /* task lines */

#endif
