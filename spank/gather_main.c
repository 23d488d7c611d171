/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * heapline-gather: command line, exit codes, the only one who prints. */
#include "config.h"

#include "spank/gather.h"
#include "spank/gather_process.h"
#include "spank/gather_write.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *argp_program_version = "heapline-gather " PACKAGE_VERSION;

struct options {
    const char *staging;
    const char *stepdir;
};

enum { KEY_STEPDIR = 256 };

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case KEY_STEPDIR:
        options->stepdir = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (options->staging)
            argp_error(state, "one staging directory at a time, not also %s", arg);
        options->staging = arg;
        return 0;
    case ARGP_KEY_END:
        if (!options->staging)
            argp_error(state, "which staging directory? Name one, STAGING/NAME");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"stepdir", KEY_STEPDIR, "DIR/JOB/STEP", 0,
     "Write there, not where the order in STAGING/NAME says", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "STAGING/NAME",
    .doc = "Brings the profiles that a job step has left on this node to its results: "
           "NODE.csv and NODE.profiles in DIR/JOB/STEP."
           "\vSlurm's plugin runs it at the end of each step.  By hand, as the owner, it rescues "
           "what lies in a staging directory that was not gathered, because the node's slurmstepd "
           "was killed, or because DIR could not be written.\n\n"
           "Exit status: 0 done; 2 wrong usage; 10 done, but DIR/JOB/STEP was not there and lies "
           "on this node now; 11 done, but some profiles were damaged or not kept; 12 done, but "
           "processes still run, and their profiles stay; 20 results could not be written, the "
           "profiles stay; 21 STAGING/NAME is unusable.",
};

static struct hl_gather gather; /* 256 KiB of it is the buffer */

/* Files must not end up as descriptor 0, 1 or 2, where messages go. */
static void fill_standard_fds(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

static void complain(const struct hl_error *err, const char *advice)
{
    (void)fprintf(stderr, "heapline-gather: %s; %s\n", err->text, advice);
}

static void read_host(char *host, size_t capacity)
{
    if (gethostname(host, capacity))
        host[0] = '\0';
    host[capacity - 1] = '\0';
    for (char *p = host; *p; p++)
        if (strchr(",\"\r\n", *p))
            *p = '_';
}

static int read_staging(struct hl_gather *g, const char *path)
{
    struct hl_error err = {.text = ""};
    int rc = hl_staging_open(&g->staging, path, &err);

    if (rc) {
        complain(&err, rc == -EPERM ? "run it as the directory's owner"
                                    : "name the step's own directory in the staging area");
        return HL_GATHER_NO_STAGING;
    }
    rc = hl_staging_order(&g->staging, &g->order, &err);
    if (!rc)
        rc = hl_ends_read(&g->ends, STDIN_FILENO, &err);
    if (!rc)
        rc = hl_staging_scan(&g->staging, &g->images, &g->remarks, &err);
    if (rc) {
        (void)fprintf(stderr, "heapline-gather: %s: %s; nothing was removed\n", path, err.text);
        return HL_GATHER_NO_STAGING;
    }
    hl_images_settle(&g->images, &g->ends, hl_process_life);
    return HL_GATHER_DONE;
}

/* What was settled without a word to be said by those who settled it. */
static void remark_the_rest(struct hl_gather *g)
{
    for (size_t i = 0; i < g->images.count; i++) {
        char name[HL_PROFILE_NAME_BYTES];

        if (g->images.at[i].state != HL_IMAGE_DUPLICATE)
            continue;
        hl_profile_name_format(name, g->images.at[i].file_pid, g->images.at[i].suffix);
        hl_remark(&g->remarks, "profile %s not used: the same as another one", name);
    }
    if (g->images.beyond)
        hl_remark(&g->remarks,
                  "%zu files left in the staging directory: one gather reads %d; run it again",
                  g->images.beyond, HL_GATHER_FILES_MAX);
    if (g->ends.beyond)
        hl_remark(&g->remarks, "the ends of %zu tasks not used: one gather takes %d",
                  g->ends.beyond, HL_GATHER_TASKS_MAX);
    if (g->ends.damaged)
        hl_remark(&g->remarks, "%zu damaged lines about the tasks' ends not used", g->ends.damaged);
}

static bool is_partial(const struct hl_gather *g)
{
    bool partial = g->not_kept || g->images.beyond || g->ends.beyond || g->ends.damaged;

    for (size_t i = 0; i < g->images.count && !partial; i++)
        partial = g->images.at[i].state != HL_IMAGE_USABLE;
    return partial;
}

static int write_results(struct hl_gather *g, const struct options *options, bool *shared)
{
    const char *path = options->stepdir ? options->stepdir : g->order.stepdir;
    struct hl_error err = {.text = ""};
    int rc;

    g->stepdir = hl_stepdir_open(path, options->stepdir ? 1 : 2, shared, &err);
    rc = g->stepdir < 0 ? g->stepdir : hl_gather_write(g, &err);
    if (rc == 0)
        return HL_GATHER_DONE;
    (void)fprintf(stderr,
                  "heapline-gather: %s: %s; the profiles stay in %s: put that right, or name "
                  "another place with --stepdir=DIR/JOB/STEP, and run heapline-gather %s\n",
                  path, err.text, options->staging, options->staging);
    return HL_GATHER_NO_STEPDIR;
}

static void say_left(const struct hl_gather *g, const struct options *options, const char *path,
                     size_t left, bool waiting)
{
    if (waiting)
        (void)fprintf(stderr,
                      "heapline-gather: processes of this step still run; their profiles stay in "
                      "%s: run heapline-gather %s when they have ended\n",
                      options->staging, options->staging);
    else if (left)
        (void)fprintf(stderr,
                      "heapline-gather: %zu files stay in %s: too many, or they cannot be read or "
                      "removed; see the lines with # in %s/%s.csv, remove what is of no use, and "
                      "run heapline-gather %s\n",
                      left, options->staging, path, g->order.node, options->staging);
}

static void say_results(const struct hl_gather *g, const char *path, bool shared)
{
    if (!shared)
        (void)fprintf(stderr,
                      "heapline-gather: %s had no %s: not shared with this node? The results of "
                      "%s lie on %s:%s; copy them to where srun ran\n",
                      path, HL_MANIFEST_NAME, g->order.node, g->host, path);
    else if (is_partial(g))
        (void)fprintf(stderr,
                      "heapline-gather: some profiles were damaged or not kept; the lines with # "
                      "in %s/%s.csv say which\n",
                      path, g->order.node);
}

static int finish(struct hl_gather *g, const struct options *options, bool shared)
{
    const char *path = options->stepdir ? options->stepdir : g->order.stepdir;
    bool waiting;
    size_t left = hl_staging_clean(&g->staging, &g->images, &waiting);

    say_left(g, options, path, left, waiting);
    say_results(g, path, shared);
    if (!shared)
        return HL_GATHER_NOT_SHARED;
    if (waiting)
        return HL_GATHER_LEFT;
    return is_partial(g) ? HL_GATHER_PARTIAL : HL_GATHER_DONE;
}

int main(int argc, char **argv)
{
    struct options options = {NULL, NULL};
    bool shared = false;
    int rc;

    fill_standard_fds();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* ulimit -f: an error like ENOSPC */
    argp_err_exit_status = HL_GATHER_USAGE;
    if (argp_parse(&parser, argc, argv, 0, NULL, &options))
        return HL_GATHER_USAGE;
    gather.staging.fd = gather.earlier.fd = gather.stepdir = -1;
    hl_ends_init(&gather.ends);
    hl_images_init(&gather.images);
    read_host(gather.host, sizeof(gather.host));
    rc = read_staging(&gather, options.staging);
    if (!rc) {
        remark_the_rest(&gather);
        rc = write_results(&gather, &options, &shared);
    }
    if (!rc)
        rc = finish(&gather, &options, shared);
    hl_images_fini(&gather.images);
    hl_ends_fini(&gather.ends);
    return rc;
}
