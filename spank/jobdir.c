/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/jobdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRY_MAX 1000
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define FILE_ROOM 64 /* for "/" and the longest file name in STEP */

static int fail(struct hl_error *err, const char *what, const char *path)
{
    int code = -errno;

    return hl_fail(err, code, "%s %s: %s; give another --heapline=DIR", what, path,
                   strerror(-code));
}

/* Whatever is there already is judged when it is opened. */
static int make_one(const char *path)
{
    int code;

    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    code = errno; /* EROFS or EACCES perhaps, although it is there */
    if (access(path, F_OK) == 0)
        return 0;
    errno = code;
    return -1;
}

/* mkdir -p. */
static int make_path(const char *dir, struct hl_error *err)
{
    char path[HL_DIR_ROOM];
    size_t length = strlen(dir);

    if (length >= sizeof(path))
        return hl_fail(err, -ENAMETOOLONG, "DIR is too long; give a shorter --heapline=DIR");
    memcpy(path, dir, length + 1);
    for (char *p = path + 1;; p++) {
        if (*p && *p != '/')
            continue;
        char end = *p;

        *p = '\0';
        if (make_one(path) < 0)
            return fail(err, "cannot make", path);
        *p = end;
        if (!end)
            return 0;
    }
}

/* Opens name in parent, a directory of the caller's, made if missing. */
static int own_open(int parent, const char *name, const char *where, struct hl_error *err)
{
    struct stat st;
    int fd;

    if (mkdirat(parent, name, 0777) < 0 && errno != EEXIST)
        return fail(err, "cannot make", where);
    fd = openat(parent, name, DIR_FLAGS | O_NOFOLLOW);
    if (fd < 0)
        return fail(err, "cannot use", where);
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
        return fd;
    (void)close(fd);
    return hl_fail(err, -EPERM, "%s belongs to user id %u, not to you; give another --heapline=DIR",
                   where, (unsigned)st.st_uid);
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
    if (empty < 0) {
        errno = -empty;
        return fail(err, "cannot read", path);
    }
    return empty;
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
                   "%s and its successors are all in use; give another --heapline=DIR", path);
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
        return fail(err, "cannot use", dir);
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
