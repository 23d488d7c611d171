/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/options.h"

#include "spank/patterns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DIR_DEFAULT "heapline"

void hl_options_init(struct hl_options *options, const char *form)
{
    memset(options, 0, sizeof(*options));
    options->form_expected = form != NULL;
}

static bool is_empty(const char *text)
{
    return !text || !*text || !strcmp(text, "(null)");
}

int hl_options_take(struct hl_options *options, const char *value, struct hl_error *err)
{
    struct hl_asked *asked = options->form_expected ? &options->form : &options->line;
    const char *dir = is_empty(value) ? "" : value;
    int rc;

    rc = hl_patterns_check(dir, err);
    if (rc < 0)
        return rc;
    options->form_expected = false;
    asked->wish = HL_WISH_ON;
    if (!strcmp(dir, "off")) {
        asked->wish = HL_WISH_OFF;
        dir = "";
    }
    (void)snprintf(asked->dir, sizeof(asked->dir), "%s", dir);
    return 0;
}

/* Makes path absolute and takes "./" in front and '/' at its end away. */
static int resolve(const char *cwd, const char *path, char *dir, struct hl_error *err)
{
    int length;

    while (!strncmp(path, "./", 2))
        path += 2 + strspn(path + 2, "/");
    if (path[0] == '/')
        length = snprintf(dir, HL_DIR_ROOM, "%s", path);
    else if (!cwd)
        return hl_fail(err, -ENOENT,
                       "the working directory cannot be read; give an absolute --heapline=DIR");
    else /* a '%' in the name of the working directory is no pattern */
        length = snprintf(dir, HL_DIR_ROOM, "%s/%s", cwd, path);
    if (length >= HL_DIR_ROOM)
        return hl_fail(err, -ENAMETOOLONG, "DIR is too long; give a shorter --heapline=DIR");
    while (length > 1 && dir[length - 1] == '/')
        dir[--length] = '\0';
    return 1;
}

/* cwd is quoted, since patterns are replaced after this. */
static const char *quote(const char *cwd, char *out)
{
    size_t n = 0;

    if (!cwd)
        return NULL;
    for (; *cwd && n < HL_DIR_ROOM - 2; cwd++) {
        out[n++] = *cwd;
        if (*cwd == '%')
            out[n++] = '%';
    }
    out[n] = '\0';
    return out;
}

static const char *default_dir(const struct hl_surroundings *around)
{
    return around->site_dir && *around->site_dir ? around->site_dir : DIR_DEFAULT;
}

static bool is_absolute(const char *path)
{
    return path && path[0] == '/';
}

/* What sbatch or salloc handed on: Slurm's form says whether, SLURM_HEAPLINE_DIR
 * says where, since a relative DIR there was meant for their directory. */
static const char *inherited_dir(const struct hl_options *options,
                                 const struct hl_surroundings *around)
{
    if (options->form.wish == HL_WISH_NONE)
        return is_absolute(around->slurm_dir) ? around->slurm_dir : NULL;
    if (is_absolute(options->form.dir))
        return options->form.dir;
    if (is_absolute(around->slurm_dir))
        return around->slurm_dir;
    return options->form.dir[0] ? options->form.dir : default_dir(around);
}

int hl_options_decide(const struct hl_options *options, const struct hl_surroundings *around,
                      char *dir, struct hl_error *err)
{
    char quoted[HL_DIR_ROOM];
    const char *cwd = quote(around->cwd, quoted);
    const char *inherited;

    if (around->disable && !strcmp(around->disable, "1"))
        return 0;
    if (options->line.wish == HL_WISH_OFF)
        return 0;
    if (options->line.wish == HL_WISH_ON)
        return resolve(cwd, options->line.dir[0] ? options->line.dir : default_dir(around), dir,
                       err);
    if (options->form.wish == HL_WISH_OFF)
        return 0;
    inherited = inherited_dir(options, around);
    if (inherited)
        return resolve(cwd, inherited, dir, err);
    return around->site_on ? resolve(cwd, default_dir(around), dir, err) : 0;
}
