/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/jobdir.h"

#include "spank/dirs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRY_MAX 1000
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define FILE_ROOM 64 /* for "/" and the longest file name in STEP */

static int fail(struct hl_error *err, int code, const char *what, const char *path)
{
    return hl_fail(err, code, "%s %.160s: %s; give another --heapline=DIR", what, path,
                   strerror(-code));
}

/* mkdir -p. */
static int make_path(const char *dir, struct hl_error *err)
{
    char path[HL_DIR_ROOM];
    int code;

    memcpy(path, dir, strlen(dir) + 1);
    code = hl_dirs_make(path);
    return code < 0 ? fail(err, code, "cannot make", path) : 0;
}

/* Opens name in parent, a directory of the caller's, made if missing. */
static int own_open(int parent, const char *name, const char *where, struct hl_error *err)
{
    uid_t owner;
    int fd = hl_dirs_own(parent, name, &owner);

    if (fd < 0 && owner != (uid_t)-1)
        return hl_fail(err, -EPERM,
                       "%.160s belongs to user id %u, not to you; give another --heapline=DIR",
                       where, (unsigned)owner);
    return fd < 0 ? fail(err, fd, "cannot use", where) : fd;
}

/* 1 empty, 0 not, -errno; fd stays open. */
static int is_empty(int fd)
{
    int copy = openat(fd, ".", DIR_FLAGS), empty = 1;
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;

    if (!dir) {
        int code = -errno;

        if (copy >= 0)
            (void)close(copy);
        return code;
    }
    while (empty && (entry = readdir(dir)))
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    (void)closedir(dir);
    return empty;
}

/* 1: path/STEP.try is there and free to use; 0: it is not empty; -errno. */
static int try_step(int job, const struct hl_ids *ids, unsigned try, char *path, size_t length,
                    struct hl_error *err)
{
    char step[HL_NAME_ROOM];
    int fd, empty;

    hl_names_step(ids, try, step);
    (void)snprintf(path + length, HL_DIR_ROOM - length, "/%s", step);
    fd = own_open(job, step, path, err);
    if (fd < 0)
        return fd;
    empty = is_empty(fd);
    (void)close(fd);
    return empty < 0 ? fail(err, empty, "cannot read", path) : empty;
}

static int make_step(int job, const struct hl_ids *ids, char *path, unsigned *ret_try,
                     struct hl_error *err)
{
    size_t length = strlen(path);

    for (unsigned try = 1; try < TRY_MAX; try++) {
        int rc = try_step(job, ids, try, path, length, err);

        if (rc < 0)
            return rc;
        if (rc > 0) {
            *ret_try = try;
            return 0;
        }
    }
    return hl_fail(err, -EEXIST,
                   "%.160s and its successors are all in use; give another --heapline=DIR", path);
}

int hl_jobdir_make(const char *dir, const struct hl_ids *ids, char *stepdir, unsigned *ret_try,
                   struct hl_error *err)
{
    char job[HL_NAME_ROOM];
    int top, fd, rc;

    if (strlen(dir) + 2 * HL_NAME_ROOM + FILE_ROOM >= HL_DIR_ROOM)
        return hl_fail(err, -ENAMETOOLONG, "DIR is too long; give a shorter --heapline=DIR");
    rc = make_path(dir, err);
    if (rc < 0)
        return rc;
    top = open(dir, DIR_FLAGS);
    if (top < 0)
        return fail(err, -errno, "cannot use", dir);
    hl_names_job(ids, job);
    (void)snprintf(stepdir, HL_DIR_ROOM, "%s/%s", strcmp(dir, "/") ? dir : "", job);
    fd = own_open(top, job, stepdir, err);
    (void)close(top);
    if (fd < 0)
        return fd;
    rc = make_step(fd, ids, stepdir, ret_try, err);
    (void)close(fd);
    return rc;
}
