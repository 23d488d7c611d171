/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * heapline-report: command line, exit status, and the only printer of errors.
 */
#include "config/config.h"

#include "report/clean.h"
#include "report/collate.h"
#include "report/problems.h"
#include "report/save.h"
#include "report/scan.h"
#include "report/view.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_DAMAGED 1 /* some input damaged, duplicate or unusable */
#define EXIT_NOTHING 2 /* nothing usable, wrong usage, or no output */

const char *argp_program_version = "heapline-report " PACKAGE_VERSION;

struct arguments {
    char **paths;
    int count;
    const struct hl_format *format;
    const char *output;
    bool collate;
    bool format_given;
    struct hl_view_options view;
};

static const char doc[] =
    "Show what heapline recorded.\v"
    "PATH is a job directory DIR/JOB or a step directory DIR/JOB/STEP of srun "
    "--heapline=DIR, a record (CSV), a file of profiles, or a directory of these.  "
    "Sizes are 1024-based (K, M, G), as sacct's; CSV has plain bytes.\n\n"
    "Exit status: 0; 1 if some input was damaged, duplicate or unusable; 2 if nothing "
    "was usable, on wrong usage, or if the output could not be written.";

static const struct argp_option options[] = {
    {"all", 'a', NULL, 0, "Show every node and rank, not only those with the most heap", 0},
    {"collate", 'c', NULL, 0,
     "Make records.csv and summary.txt in each step directory from its nodes' files, and show "
     "the summary",
     0},
    {"format", 'f', "FORMAT", 0, "text (default), or csv: the rows as records of version 2", 0},
    {"output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'a':
        a->view.all = true;
        return 0;
    case 'c':
        a->collate = true;
        return 0;
    case 'f':
        a->format = hl_format_find(value);
        a->format_given = true;
        if (!a->format)
            argp_error(state, "no format %s: there are text and csv", value);
        return 0;
    case 'o':
        a->output = value;
        return 0;
    case ARGP_KEY_ARGS:
        a->paths = state->argv + state->next;
        a->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which results?  Name DIR/JOB or DIR/JOB/STEP of srun --heapline=DIR");
        return 0;
    case ARGP_KEY_END:
        if (a->collate && (a->output || a->format_given))
            argp_error(state, "--collate writes records.csv and summary.txt; it goes with "
                              "neither --format nor --output");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_error(void *context, const char *line)
{
    size_t room = strlen(line) + 1;
    char *clean = malloc(room);

    (void)context;
    if (!clean)
        return;
    (void)hl_clean(line, clean, room);
    (void)fprintf(stderr, "heapline-report: %s\n", clean);
    free(clean);
}

static int show(FILE *file, const struct hl_format *format, struct hl_step *const *steps,
                size_t count, const struct arguments *a)
{
    struct hl_output out = {.format = format, .file = file};

    return hl_show(&out, steps, count, &a->view);
}

static int save(const char *path, enum hl_save_how how, const struct hl_format *format,
                struct hl_step *const *steps, size_t count, const struct arguments *a)
{
    struct hl_error err = {"not enough memory"};
    struct hl_save file;
    int rc = hl_save_begin(&file, path, how, &err);

    if (rc == 0) {
        rc = show(file.file, format, steps, count, a);
        if (rc)
            hl_save_drop(&file);
        else
            rc = hl_save_end(&file, &err);
    }
    if (rc)
        print_error(NULL, err.text);
    return rc;
}

static int save_in(struct hl_step *const *step, const char *name, const struct hl_format *format,
                   const struct arguments *a)
{
    char *path;
    int rc;

    if (asprintf(&path, "%s/%s", (*step)->dir, name) < 0)
        return -ENOMEM;
    rc = save(path, HL_SAVE_REPLACE, format, step, 1, a);
    free(path);
    return rc;
}

static int show_stdout(const struct hl_table *table, const struct arguments *a)
{
    int rc = show(stdout, a->format, table->steps, table->step_count, a);

    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = -EIO;
    if (rc)
        print_error(NULL, rc == -ENOMEM ? "not enough memory" : "cannot write standard output");
    return rc;
}

/* What can be shown is shown, also where nothing can be written. */
static int collate(const struct hl_table *table, const struct arguments *a)
{
    int rc = 0, shown;

    for (size_t s = 0; s < table->step_count; s++) {
        struct hl_step *const *step = &table->steps[s];

        if ((*step)->count == 0)
            continue;
        if (!*(*step)->dir) {
            print_error(NULL, "--collate takes step directories (DIR/JOB/STEP) only");
            return -EINVAL;
        }
        if (save_in(step, "records.csv", &hl_format_csv, a) ||
            save_in(step, "summary.txt", &hl_format_text, a))
            rc = -EIO;
    }
    shown = show_stdout(table, a);
    return rc ? rc : shown;
}

static size_t rows_in(const struct hl_table *table)
{
    size_t rows = 0;

    for (size_t s = 0; s < table->step_count; s++)
        rows += table->steps[s]->count;
    return rows;
}

static int report(struct hl_table *table, const struct arguments *a)
{
    struct hl_problems problems = {.say = print_error};
    int rc = 0;

    for (int i = 0; i < a->count && rc == 0; i++)
        rc = hl_scan(table, a->paths[i], &problems);
    if (rc == 0)
        rc = hl_collate(table, &problems);
    if (rc) {
        print_error(NULL, "not enough memory for these records: name fewer of them");
        return EXIT_NOTHING;
    }
    if (rows_in(table) == 0) {
        print_error(NULL, "nothing usable in what was named");
        return EXIT_NOTHING;
    }
    if (a->collate)
        rc = collate(table, a);
    else if (a->output)
        rc = save(a->output, HL_SAVE_THROUGH, a->format, table->steps, table->step_count, a);
    else
        rc = show_stdout(table, a);
    return rc ? EXIT_NOTHING : problems.damaged ? EXIT_DAMAGED : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "PATH...", doc, NULL, NULL, NULL};
    struct arguments arguments = {.format = &hl_format_text};
    struct hl_table table;
    int status;

    (void)signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error like a full disk */
    argp_err_exit_status = EXIT_NOTHING;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (hl_table_init(&table)) {
        print_error(NULL, "not enough memory");
        return EXIT_NOTHING;
    }
    status = report(&table, &arguments);
    hl_table_fini(&table);
    return status;
}
