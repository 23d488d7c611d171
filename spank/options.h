/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * --heapline[=DIR]: what was asked for, and by whom.  Pure: the environment and
 * the working directory are handed in.
 *
 * Slurm calls the option's callback once for its own environment form (how
 * sbatch hands an option on to the sruns in the script) and then once for each
 * use on the command line.  The last call of each counts.
 */
#ifndef HL_OPTIONS_H
#define HL_OPTIONS_H

#include "libheapline/error.h"
#include "spank/names.h"

enum hl_wish {
    HL_WISH_NONE, /* not asked */
    HL_WISH_ON,
    HL_WISH_OFF,
};

struct hl_asked {
    enum hl_wish wish;
    char dir[HL_DIR_ROOM]; /* as given; "" none */
};

struct hl_options {
    bool form_expected; /* the next call is the one for Slurm's environment form */
    struct hl_asked form;
    struct hl_asked line;
};

/* What surrounds the command; strings may be NULL. */
struct hl_surroundings {
    const char *disable;   /* HEAPLINE_DISABLE */
    const char *slurm_dir; /* SLURM_HEAPLINE_DIR */
    const char *cwd;       /* NULL: could not be read */
    const char *site_dir;  /* dir= of plugstack.conf */
    bool site_on;          /* default=on */
};

/* form: Slurm's environment form when the command started, NULL if unset. */
void hl_options_init(struct hl_options *options, const char *form);

/* One call of the callback.  NULL, "" and "(null)" give no DIR.  0, or -EINVAL
 * with the reason: then nothing has changed. */
int hl_options_take(struct hl_options *options, const char *value, struct hl_error *err);

/* Decides by HEAPLINE_DISABLE=1 > command line > inherited > site default.
 * 1: record, into dir (HL_DIR_ROOM; absolute, patterns left); 0: do not; or
 * -errno with the reason: asked for, but impossible. */
int hl_options_decide(const struct hl_options *options, const struct hl_surroundings *around,
                      char *dir, struct hl_error *err);

#endif
