/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * How a job and a step are called in DIR/JOB/STEP.  Pure: no file system, no
 * Slurm, so that both sides (srun and the node) agree and tests need neither.
 */
#ifndef HL_NAMES_H
#define HL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HL_NO_ID UINT32_C(0xfffffffe) /* Slurm's NO_VAL: not an array task */
#define HL_NAME_ROOM 64               /* for JOB and for STEP, NUL included */
#define HL_DIR_ROOM 4096              /* for DIR and the paths made of it */

struct hl_ids {
    uint32_t job;        /* SLURM_JOB_ID: of its own for each array task */
    uint32_t step;       /* SLURM_STEP_ID */
    uint32_t array_job;  /* of the array as a whole; unused without array_task */
    uint32_t array_task; /* HL_NO_ID: no array */
    uint32_t restarts;   /* SLURM_RESTART_COUNT, 0 the first time */
};

/* JOB: 1234, array task 1234_7, requeued 1234-r1.  out has HL_NAME_ROOM. */
void hl_names_job(const struct hl_ids *ids, char *out);

/* STEP: its number, from the second try on with .TRY.  out has HL_NAME_ROOM. */
void hl_names_step(const struct hl_ids *ids, unsigned try, char *out);

/* Whether path is absolute, without control characters, shorter than
 * HL_DIR_ROOM and ends in /JOB/STEP of these ids.  STEP may have a try; JOB may
 * be the bare job id and may have any count of restarts, since a node knows less
 * of that than the controller, and job ids are unique.  Any text may be given:
 * it comes from the user's environment. */
bool hl_names_match(const struct hl_ids *ids, const char *path);

#endif
