/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The parents of STEPDIR may be writable by others (a common scratch
 * directory), so each of the last parts is opened from the one above. */
#include "spank/gather_out.h"

#include "spank/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes what is missing of path, like mkdir -p.  0 or -errno. */
static int make_parents(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof(part))
        return -ENAMETOOLONG;
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        part[i] = '\0';
        if (mkdir(part, 0777) && errno != EEXIST) {
            int rc = -errno; /* EROFS, EACCES: also for what is there */

            if (access(part, F_OK))
                return rc;
        }
        part[i] = path[i];
    }
    return 0;
}

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
    struct stat st = {.st_uid = (uid_t)-1};
    int fd;

    if (mkdirat(parent, name, 0777) && errno != EEXIST) {
        int rc = -errno;

        if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
            return hl_fail(err, rc, "cannot make %.128s: %s", name, strerror(-rc));
    }
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return hl_fail(err, -errno, "cannot open %.128s: %s", name,
                       errno == ELOOP || errno == ENOTDIR ? "not a directory" : strerror(errno));
    if (fstat(fd, &st) || st.st_uid != geteuid()) {
        close(fd);
        return hl_fail(err, -EPERM, "%.128s belongs to another user (uid %u)", name, st.st_uid);
    }
    return fd;
}

static int open_parents(const char *path, struct hl_error *err)
{
    int rc = make_parents(path), fd;

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
    fd = open_parents(*copy ? copy : "/", err);
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
