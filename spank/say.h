/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The one way in which the plugin speaks: a line "heapline: ..." for the user.
 */
#ifndef HL_SAY_H
#define HL_SAY_H

#include <stdbool.h>

/* In srun, sbatch, salloc on their stderr; in slurmstepd on the step's stderr
 * and in slurmd's log, after the tasks' end in the log only. */
void hl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* About plugstack.conf (hl_plugconf_say_f): what is serious is an error in every
 * command until it is repaired; the rest is only in slurmd's log. */
void hl_say_conf(bool serious, const char *text);

#endif
