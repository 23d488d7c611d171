/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The plugin's symbols: which hook in which of Slurm's programs leads where.  No
 * logic here.  Every hook returns 0 whatever happens, so that heapline never
 * fails a job or drains a node; only the option's callback may refuse its value.
 */
#include "libheapline/env.h"
#include "spank/alloc.h"
#include "spank/options.h"
#include "spank/plugconf.h"
#include "spank/say.h"
#include "spank/step.h"
#include "spank/submit.h"

#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdlib.h>

SPANK_PLUGIN(heapline, 1)

/* How Slurm hands the option on in the environment. */
#define OPTION_FORM "SLURM_SPANK__SLURM_SPANK_OPTION_heapline_heapline"

static struct hl_plugconf conf;
static struct hl_options options;

static int option_take(int val, const char *value, int remote)
{
    struct hl_error err;

    (void)val;
    if (remote) /* the nodes go by what srun has decided */
        return 0;
    if (hl_options_take(&options, value, &err) < 0) {
        hl_say("--heapline: %s", err.text);
        return -1;
    }
    return spank_context() == S_CTX_ALLOCATOR ? hl_alloc_option(&options, &conf) : 0;
}

static void option_register(spank_t spank)
{
    static char name[] = "heapline", arginfo[] = "[DIR]";
    static char usage[] = "[heapline] record the memory use of every rank in DIR/JOB/STEP and print"
                          " a summary; DIR takes %j %A %a %s %u %x; off: do not record";
    static struct spank_option option = {name, arginfo, usage, 2, 0, option_take};

    if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
        hl_say("Slurm does not take the option --heapline, so nothing is recorded; does another "
               "plugin in plugstack.conf have one of that name?");
}

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
    switch (spank_context()) {
    case S_CTX_LOCAL:
    case S_CTX_ALLOCATOR:
    case S_CTX_REMOTE:
        hl_plugconf_load(&conf, argc, argv, hl_say_conf);
        hl_options_init(&options, getenv(OPTION_FORM));
        option_register(spank);
        break;
    default: /* slurmd, prolog, epilog */
        break;
    }
    return 0;
}

int slurm_spank_init_post_opt(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (spank_context() == S_CTX_REMOTE)
        hl_step_start(spank, &conf);
    return 0;
}

int slurm_spank_local_user_init(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    hl_submit_start(spank, &options, &conf);
    return 0;
}

int slurm_spank_task_init(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    hl_step_task_init(spank, &conf);
    return 0;
}

int slurm_spank_task_exit(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    hl_step_task_exit(spank, &conf);
    return 0;
}

int slurm_spank_exit(spank_t spank, int argc, char **argv)
{
    (void)argc, (void)argv;
    switch (spank_context()) {
    case S_CTX_LOCAL:
        hl_submit_end(&conf);
        break;
    case S_CTX_REMOTE:
        hl_step_end(spank, &conf);
        break;
    default:
        break;
    }
    return 0;
}
