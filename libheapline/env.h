/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The environment variables that are the contract between plugin, library and
 * users.  A file is named by HEAPLINE_OUTPUT (record, CSV) or HEAPLINE_PROFILE
 * (profile, binary); both know %p process id, %r rank, %h host name.
 *
 * A first byte of '!' instead of the path means that the program has installed a
 * seccomp filter and exec'ed another one, which is not counted then.
 */
#ifndef HL_ENV_H
#define HL_ENV_H

#define HL_ENV_OUTPUT "HEAPLINE_OUTPUT"
#define HL_ENV_PROFILE "HEAPLINE_PROFILE"
#define HL_ENV_DISABLE "HEAPLINE_DISABLE" /* =1: load, do nothing */
#define HL_ENV_PRELOAD "LD_PRELOAD"

/* From the plugin's side in srun, sbatch, salloc to its side on the nodes; the
 * prefix SLURM_ makes them survive --export=NONE. */
#define HL_ENV_SLURM_DIR "SLURM_HEAPLINE_DIR"         /* DIR, absolute, patterns left */
#define HL_ENV_SLURM_STEPDIR "SLURM_HEAPLINE_STEPDIR" /* DIR/JOB/STEP, expanded */

#endif
