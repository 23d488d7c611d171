/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What a directory is, is told from the names in it: step.json, or a node's
 * NODE.csv beside its NODE.profiles, make a step directory; anything else is a
 * directory of loose files, and perhaps of steps further below (DIR/JOB, DIR).
 */
#include "report/scan.h"

#include "libheapline/profile.h"
#include "report/names.h"
#include "report/profile_file.h"
#include "report/record_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 2 /* DIR -> JOB -> STEP */
#define MANIFEST "step.json"
#define COLLATED "records.csv"
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

struct scan {
    struct hl_table *table;
    struct hl_problems *problems;
    size_t earlier; /* steps of the paths that were named before */
};

static const char *join(struct scan *s, const char *dir, const char *name)
{
    size_t n = strlen(dir), length = n + 1 + strlen(name);
    char *path = hl_keep(s->table, length + 1);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    if (path)
        (void)snprintf(path, length + 1, "%.*s%s%s", (int)n, dir, n && dir[n - 1] == '/' ? "" : "/",
                       name);
    return path;
}

static bool is_profile(int fd)
{
    char magic[8];

    return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
           memcmp(magic, HL_PROFILE_MAGIC, sizeof(magic)) == 0;
}

/* The content of an open regular file.  0, -ENOMEM, or -EBADMSG: not ours (not said). */
static int read_file(const struct hl_source *source)
{
    bool profiles = is_profile(source->fd) || hl_ends_in(source->path, ".profiles");

    return profiles ? hl_profile_file_read(source) : hl_record_read(source);
}

static int refuse(struct scan *s, int fd, const char *path)
{
    struct stat st;
    char byte;

    if (fstat(fd, &st) == 0 && st.st_size == 0)
        hl_damage(s->problems, path, 0, "empty: whoever wrote it did not come to its end");
    else if (hl_ends_in(path, "/" MANIFEST) || strcmp(path, MANIFEST) == 0)
        hl_damage(s->problems, path, 0, "describes a step: name its directory instead");
    else if (pread(fd, &byte, 1, 0) == 1 && byte != '#' && (byte < ' ' || byte > '~'))
        hl_damage(s->problems, path, 0,
                  "neither a record nor a profile of heapline, but other or damaged binary data");
    else
        hl_damage(
            s->problems, path, 0,
            "neither a record nor a profile of heapline: its first line is not \"# heapline N\"");
    return 0;
}

/* Opens a regular file below dir_fd; -1 where it is none (said). */
static int open_regular(struct scan *s, int dir_fd, const char *name, const char *path)
{
    int fd = openat(dir_fd, name, OPEN_FLAGS);
    struct stat st;

    if (fd < 0) {
        hl_damage(s->problems, path, 0, "cannot be opened: %s", strerror(errno));
        return -1;
    }
    if (fstat(fd, &st))
        memset(&st, 0, sizeof(st));
    if (S_ISREG(st.st_mode))
        return fd;
    if (S_ISDIR(st.st_mode))
        hl_damage(s->problems, path, 0, "a directory where a file should be: left out");
    else
        hl_damage(s->problems, path, 0, "not a regular file: left out");
    (void)close(fd);
    return -1;
}

static int scan_loose(struct scan *s, int fd, const char *path)
{
    struct hl_source source = {fd, path, "", s->table, s->table->loose, s->problems};
    int rc = read_file(&source);

    return rc == -EBADMSG ? refuse(s, fd, path) : rc;
}

static int scan_manifest(struct scan *s, struct hl_step *step, int dir_fd)
{
    const char *path = join(s, step->dir, MANIFEST);
    struct hl_error err = {""};
    int fd, rc;

    if (!path)
        return -ENOMEM;
    fd = open_regular(s, dir_fd, MANIFEST, path);
    if (fd < 0)
        return 0;
    rc = hl_manifest_read(s->table, fd, &step->manifest, &err);
    (void)close(fd);
    if (rc == -ENOMEM)
        return rc;
    if (rc)
        hl_damage(s->problems, path, 0, "%s; the rows are shown without what it says of the step",
                  err.text);
    return 0;
}

/* NODE.csv or NODE.profiles of a step directory. */
static int scan_node_file(struct scan *s, struct hl_step *step, int dir_fd, const char *name)
{
    const char *path = join(s, step->dir, name);
    const char *node = hl_keep_string(s->table, name, hl_stem(name));
    struct hl_node_file *file = node ? hl_step_file(s->table, step, node) : NULL;
    size_t damaged = s->problems->damaged;
    bool profiles = hl_ends_in(name, ".profiles");
    struct hl_source source = {-1, path, node, s->table, step, s->problems};
    int rc;

    if (!path || !file)
        return -ENOMEM;
    *(profiles ? &file->profiles : &file->csv) = true;
    source.fd = open_regular(s, dir_fd, name, path);
    if (source.fd < 0) {
        file->damaged = true;
        return 0;
    }
    rc = read_file(&source);
    if (rc == -EBADMSG)
        rc = refuse(s, source.fd, path);
    file->damaged |= s->problems->damaged > damaged;
    (void)close(source.fd);
    return rc;
}

static bool has(const struct hl_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->at[i].name, name) == 0)
            return true;
    return false;
}

static size_t count_csv(const struct hl_names *names)
{
    size_t count = 0;

    for (size_t i = 0; i < names->count; i++)
        count += hl_ends_in(names->at[i].name, ".csv") && !names->at[i].directory;
    return count;
}

static bool read_before(struct scan *s, int dir_fd, struct stat *st)
{
    if (fstat(dir_fd, st))
        memset(st, 0, sizeof(*st));
    for (size_t i = 0; i < s->earlier; i++)
        if (s->table->steps[i]->device == st->st_dev && s->table->steps[i]->inode == st->st_ino)
            return true;
    return false;
}

/* records.csv is made from the nodes' files: read only where these are gone. */
static int scan_step(struct scan *s, int dir_fd, const char *path, const struct hl_names *names)
{
    bool collated = has(names, COLLATED), only = collated && count_csv(names) == 1;
    struct hl_step *step;
    struct stat st;
    int rc = 0;

    if (read_before(s, dir_fd, &st)) {
        hl_damage(s->problems, path, 0, "named twice: read once");
        return 0;
    }
    step = hl_table_step(s->table, path);
    if (!step)
        return -ENOMEM;
    step->device = st.st_dev;
    step->inode = st.st_ino;
    if (has(names, MANIFEST))
        rc = scan_manifest(s, step, dir_fd);
    else
        hl_damage(s->problems, path, 0,
                  "no step.json: which tasks should be here is not known; the rest is shown");
    for (size_t i = 0; i < names->count && rc == 0; i++) {
        const char *name = names->at[i].name;
        bool csv = hl_ends_in(name, ".csv") && (only || strcmp(name, COLLATED) != 0);

        if ((csv || (hl_ends_in(name, ".profiles") && !only)) && !names->at[i].directory)
            rc = scan_node_file(s, step, dir_fd, name);
    }
    hl_problems_done(s->problems);
    return rc;
}

static bool is_step(const struct hl_names *names)
{
    if (has(names, MANIFEST) || (has(names, COLLATED) && count_csv(names) > 1))
        return true;
    for (size_t i = 1; i < names->count; i++) {
        const char *a = names->at[i - 1].name, *b = names->at[i].name;

        if (hl_ends_in(a, ".csv") && hl_ends_in(b, ".profiles") && hl_stem(a) == hl_stem(b) &&
            memcmp(a, b, hl_stem(a)) == 0)
            return true;
    }
    return false;
}

/* Does the file begin as one of ours?  For directories nobody named. */
static bool looks_ours(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, OPEN_FLAGS | O_NOFOLLOW);
    struct stat st;
    char text[10] = "";
    bool ours = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                pread(fd, text, sizeof(text), 0) >= 8 &&
                (memcmp(text, HL_PROFILE_MAGIC, 8) == 0 || memcmp(text, "# heapline", 10) == 0);

    if (fd >= 0)
        (void)close(fd);
    return ours;
}

/* A directory that nobody named is a step also where all but a NODE.csv is missing. */
static bool is_step_below(int dir_fd, const struct hl_names *names)
{
    if (is_step(names))
        return true;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->at[i].name;

        if (hl_stem(name) < strlen(name) && !names->at[i].directory && looks_ours(dir_fd, name))
            return true;
    }
    return false;
}

static int scan_below(struct scan *s, int dir_fd, const char *path, int depth, size_t *steps);

static int scan_subdirectories(struct scan *s, int dir_fd, const char *path,
                               const struct hl_names *names, int depth, size_t *steps)
{
    int rc = 0;

    for (size_t i = 0; i < names->count && rc == 0; i++) {
        const char *below;
        int fd;

        if (!names->at[i].directory)
            continue;
        below = join(s, path, names->at[i].name);
        if (!below)
            return -ENOMEM;
        fd = openat(dir_fd, names->at[i].name, OPEN_FLAGS | O_DIRECTORY | O_NOFOLLOW);
        if (fd < 0) {
            hl_damage(s->problems, below, 0, "cannot be opened: %s", strerror(errno));
            continue;
        }
        rc = scan_below(s, fd, below, depth, steps);
        (void)close(fd);
    }
    return rc;
}

static int scan_below(struct scan *s, int dir_fd, const char *path, int depth, size_t *steps)
{
    struct hl_names names;
    int rc = hl_names_read(dir_fd, &names);

    if (rc) {
        hl_damage(s->problems, path, 0, "cannot be read: %s", strerror(-rc));
        return rc == -ENOMEM ? rc : 0;
    }
    if (is_step_below(dir_fd, &names)) {
        rc = scan_step(s, dir_fd, path, &names);
        ++*steps;
    } else if (depth < DEPTH_MAX) {
        rc = scan_subdirectories(s, dir_fd, path, &names, depth + 1, steps);
    }
    hl_names_free(&names);
    return rc;
}

/* Files beside step directories are somebody's notes, unless they are ours. */
static int scan_files(struct scan *s, int dir_fd, const char *dir, const struct hl_names *names,
                      bool only_ours, size_t *read)
{
    int rc = 0;

    for (size_t i = 0; i < names->count && rc == 0; i++) {
        const char *name = names->at[i].name, *path;
        int fd;

        if (names->at[i].directory || (only_ours && !looks_ours(dir_fd, name)))
            continue;
        path = join(s, dir, name);
        if (!path)
            return -ENOMEM;
        ++*read;
        fd = open_regular(s, dir_fd, name, path);
        if (fd < 0)
            continue;
        rc = scan_loose(s, fd, path);
        (void)close(fd);
        hl_problems_done(s->problems);
    }
    return rc;
}

static int scan_named_directory(struct scan *s, int fd, const char *path)
{
    struct hl_names names;
    size_t steps = 0, files = 0;
    int rc = hl_names_read(fd, &names);

    if (rc) {
        hl_damage(s->problems, path, 0, "cannot be read: %s", strerror(-rc));
        return rc == -ENOMEM ? rc : 0;
    }
    if (is_step(&names)) {
        rc = scan_step(s, fd, path, &names);
        steps++;
    } else {
        rc = scan_subdirectories(s, fd, path, &names, 1, &steps);
        if (rc == 0)
            rc = scan_files(s, fd, path, &names, steps > 0, &files);
    }
    if (rc == 0 && steps + files == 0)
        hl_damage(s->problems, path, 0,
                  "no record, profile or step in it.  Name DIR/JOB or DIR/JOB/STEP of "
                  "\"srun --heapline=DIR\", or the records that HEAPLINE_OUTPUT named; if they "
                  "should be here, see the job's stderr for what heapline said");
    hl_names_free(&names);
    return rc;
}

int hl_scan(struct hl_table *table, const char *path, struct hl_problems *problems)
{
    struct scan s = {table, problems, table->step_count};
    const char *kept = hl_keep_string(table, path, strlen(path));
    struct stat st;
    int fd, rc = 0;

    if (!kept)
        return -ENOMEM;
    fd = open(path, OPEN_FLAGS);
    if (fd < 0 || fstat(fd, &st)) {
        hl_damage(problems, kept, 0, "cannot be opened: %s", strerror(errno));
        return 0;
    }
    if (S_ISDIR(st.st_mode))
        rc = scan_named_directory(&s, fd, kept);
    else if (S_ISREG(st.st_mode))
        rc = scan_loose(&s, fd, kept);
    else
        hl_damage(problems, kept, 0, "neither a regular file nor a directory: left out");
    (void)close(fd);
    hl_problems_done(problems);
    return rc;
}
