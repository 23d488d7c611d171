/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define NODE_ROOM 65

static int base_check(int fd, const struct hl_staging *staging, struct hl_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return hl_fail(err, -errno, "staging %.180s: %s; the administrator has to repair it",
                       staging->base, strerror(errno));
    if (st.st_uid != staging->base_uid || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return hl_fail(
            err, -EPERM,
            "staging %.100s is not root's alone (owner %u, mode %04o); the administrator has"
            " to name a directory of its own, which heapline makes",
            staging->base, (unsigned)st.st_uid, (unsigned)st.st_mode & 07777);
    return 0;
}

static int base_open(const struct hl_staging *staging, struct hl_error *err)
{
    bool made = mkdir(staging->base, 0711) == 0;
    int fd = open(staging->base, DIR_FLAGS), rc;

    if (fd < 0)
        return hl_fail(err, -errno,
                       "staging %.140s: %s; the administrator has to make it or set staging=",
                       staging->base, strerror(errno));
    if (made) /* whatever the umask is */
        (void)fchmod(fd, 0711);
    rc = base_check(fd, staging, err);
    if (rc == 0)
        return fd;
    (void)close(fd);
    return rc;
}

/* Writes BASE/NAME to out and lets *name point to NAME in it. */
static int name_make(const struct hl_staging *staging, char *out, const char **name)
{
    char node[NODE_ROOM];
    uint64_t random[2];
    size_t n = 0;
    int length;

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return -EIO;
    for (; n < sizeof(node) - 1 && staging->node[n]; n++)
        node[n] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-",
                         staging->node[n])
                      ? staging->node[n]
                      : '_';
    node[n] = '\0';
    length =
        snprintf(out, HL_DIR_ROOM, "%s/%" PRIu32 ".%" PRIu32 ".%s.%016" PRIx64 "%016" PRIx64,
                 staging->base, staging->ids.job, staging->ids.step, node, random[0], random[1]);
    if (length >= HL_DIR_ROOM)
        return -ENAMETOOLONG;
    *name = out + strlen(staging->base) + 1;
    return 0;
}

/* Nobody but root can have put anything else behind the name just made. */
static int give(int base, const char *name, const struct hl_staging *staging)
{
    int fd = openat(base, name, DIR_FLAGS), code = 0;

    if (fd < 0)
        return -errno;
    if (fchmod(fd, 0700) < 0 || fchown(fd, staging->uid, staging->gid) < 0)
        code = -errno;
    (void)close(fd);
    return code;
}

static int make_in(int base, const struct hl_staging *staging, char *out)
{
    const char *name;
    int code = name_make(staging, out, &name);

    if (code < 0)
        return code;
    if (mkdirat(base, name, 0700) < 0)
        return -errno;
    code = give(base, name, staging);
    if (code < 0)
        (void)unlinkat(base, name, AT_REMOVEDIR);
    return code;
}

static const char *remedy(int code)
{
    switch (code) {
    case -ENOSPC:
    case -EDQUOT:
        return "make room there";
    case -ENAMETOOLONG:
        return "set a shorter staging=";
    default:
        return "repair it or set another staging=";
    }
}

int hl_staging_make(const struct hl_staging *staging, char *out, struct hl_error *err)
{
    int base = base_open(staging, err), code;

    if (base < 0)
        return base;
    code = make_in(base, staging, out);
    (void)close(base);
    if (code < 0)
        return hl_fail(err, code,
                       "cannot make a directory in staging %.120s: %s; the administrator has to %s",
                       staging->base, strerror(-code), remedy(code));
    return 0;
}

int hl_staging_remove(const char *base, const char *path)
{
    const char *slash = strrchr(path, '/');
    int fd = open(base, DIR_FLAGS), code = 0;

    if (fd < 0)
        return -errno;
    if (!slash || unlinkat(fd, slash + 1, AT_REMOVEDIR) < 0)
        code = slash ? -errno : -EINVAL;
    (void)close(fd);
    return code;
}
