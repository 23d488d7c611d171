/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The parents of STEPDIR may be writable by others (a common scratch
 * directory), so each of the last parts is opened from the one above. */
#include "spank/gather_out.h"

#include "spank/dirs.h"
#include "spank/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Cuts the last part off path and returns it; "." where nothing is left. */
static const char *cut_last(char *path)
{
    char *slash;
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    slash = strrchr(path, '/');
    if (!slash) {
        memmove(path + 2, path, length + 1);
        path[0] = '.';
        path[1] = '\0';
        return path + 2;
    }
    *slash = '\0';
    return slash + 1;
}

static int enter_own(int parent, const char *name, struct hl_error *err)
{
    uid_t owner;
    int fd = hl_dirs_own(parent, name, &owner);

    if (fd < 0 && owner != (uid_t)-1)
        return hl_fail(err, fd, "%.128s belongs to another user (uid %u)", name, (unsigned)owner);
    if (fd < 0)
        return hl_fail(err, fd, "cannot make or open %.128s: %s", name,
                       fd == -ELOOP || fd == -ENOTDIR ? "not a directory" : strerror(-fd));
    return fd;
}

/* path is shortened if it cannot be made. */
static int open_parents(char *path, struct hl_error *err)
{
    int rc = hl_dirs_make(path), fd;

    if (rc)
        return hl_fail(err, rc, "cannot make %.160s: %s", path, strerror(-rc));
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return hl_fail(err, -errno, "cannot open %.160s: %s", path, strerror(errno));
    return fd;
}

int hl_stepdir_open(const char *path, int own, bool *shared, struct hl_error *err)
{
    char copy[PATH_MAX + 2];
    const char *last[2];
    struct stat st;
    int fd;

    if (strlen(path) >= PATH_MAX || !*path)
        return hl_fail(err, -ENAMETOOLONG, "the step's directory has no usable name");
    memcpy(copy, path, strlen(path) + 1);
    for (int i = own; i-- > 0;)
        last[i] = cut_last(copy);
    if (!*copy) { /* DIR/JOB/STEP was /JOB/STEP */
        copy[0] = '/';
        copy[1] = '\0';
    }
    fd = open_parents(copy, err);
    for (int i = 0; i < own && fd >= 0; i++) {
        int inner = enter_own(fd, last[i], err);

        close(fd);
        fd = inner;
    }
    if (fd >= 0)
        *shared = fstatat(fd, HL_MANIFEST_NAME, &st, 0) == 0;
    return fd;
}

int hl_out_begin(struct hl_out *out, int dir, const char *name, unsigned long long id)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

    out->dir = dir;
    out->error = 0;
    out->used = 0;
    (void)snprintf(out->temporary, sizeof(out->temporary), ".%s.%llu", name, id);
    out->fd = openat(dir, out->temporary, flags, 0666);
    if (out->fd < 0 && errno == EEXIST && unlinkat(dir, out->temporary, 0) == 0)
        out->fd = openat(dir, out->temporary, flags, 0666);
    if (out->fd < 0) {
        out->error = -errno;
        out->temporary[0] = '\0';
    }
    return out->error;
}

static void flush(struct hl_out *out)
{
    size_t done = 0;

    while (done < out->used && !out->error) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            out->error = -errno;
    }
    out->used = 0;
}

void hl_out_write(struct hl_out *out, const void *data, size_t length)
{
    const char *at = data;

    while (length > 0 && !out->error) {
        size_t n = sizeof(out->buffer) - out->used;

        if (n > length)
            n = length;
        memcpy(out->buffer + out->used, at, n);
        out->used += n;
        at += n;
        length -= n;
        if (out->used == sizeof(out->buffer))
            flush(out);
    }
}

int hl_out_close(struct hl_out *out)
{
    int rc;

    flush(out);
    if (close(out->fd) && !out->error)
        out->error = -errno; /* NFS says only now that there was no room */
    out->fd = -1;
    rc = out->error;
    if (rc)
        hl_out_discard(out);
    return rc;
}

int hl_out_rename(struct hl_out *out, const char *name)
{
    int rc = renameat(out->dir, out->temporary, out->dir, name) ? -errno : 0;

    if (rc)
        hl_out_discard(out);
    out->temporary[0] = '\0';
    return rc;
}

void hl_out_discard(struct hl_out *out)
{
    if (!out->temporary[0])
        return;
    if (out->fd >= 0)
        close(out->fd);
    out->fd = -1;
    (void)unlinkat(out->dir, out->temporary, 0);
    out->temporary[0] = '\0';
}
