/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/order.h"

#include "spank/gather.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ORDER_ROOM (HL_DIR_ROOM + 512)

static int order_text(const struct hl_step_order *order, char *text)
{
    int length = snprintf(text, ORDER_ROOM,
                          "format " HL_ORDER_FORMAT "\njob %" PRIu32 "\nstep %" PRIu32
                          "\nnode %s\nstepdir %s\n",
                          order->ids.job, order->ids.step, order->node, order->stepdir);

    return length < ORDER_ROOM ? length : -ENAMETOOLONG;
}

static int write_all(int fd, const char *text, size_t length)
{
    ssize_t put = write(fd, text, length);

    if (put < 0)
        return -errno;
    return (size_t)put == length ? 0 : -ENOSPC;
}

/* Gives the nameless file its name.  1, 0 if somebody was first, -errno. */
static int publish(int dir, int fd)
{
    char self[64];

    (void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, dir, HL_ORDER_NAME, AT_SYMLINK_FOLLOW) == 0)
        return 1;
    return errno == EEXIST ? 0 : -errno;
}

/* For file systems without O_TMPFILE. */
static int write_named(int dir, const char *text, size_t length)
{
    int fd = openat(dir, HL_ORDER_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int code;

    if (fd < 0)
        return errno == EEXIST ? 0 : -errno;
    code = write_all(fd, text, length);
    if (code < 0)
        (void)unlinkat(dir, HL_ORDER_NAME, 0);
    (void)close(fd);
    return code < 0 ? code : 1;
}

static int write_order(int dir, const char *text, size_t length)
{
    int fd, code;

    if (faccessat(dir, HL_ORDER_NAME, F_OK, 0) == 0)
        return 0;
    fd = openat(dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd < 0)
        return write_named(dir, text, length);
    code = write_all(fd, text, length);
    if (code == 0)
        code = publish(dir, fd);
    (void)close(fd);
    /* no /proc, or a file system that cannot link it */
    return code == -ENOENT || code == -EOPNOTSUPP ? write_named(dir, text, length) : code;
}

int hl_order_write(const char *staging, const struct hl_step_order *order, struct hl_error *err)
{
    char text[ORDER_ROOM];
    int length = order_text(order, text), dir, code;

    if (length < 0)
        return hl_fail(
            err, length,
            "the path of the step's directory is too long; give a shorter --heapline=DIR");
    dir = open(staging, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return hl_fail(err, -errno, "cannot open %.180s: %s", staging, strerror(errno));
    code = write_order(dir, text, (size_t)length);
    (void)close(dir);
    if (code < 0)
        return hl_fail(err, code, "cannot write %.160s/" HL_ORDER_NAME ": %s", staging,
                       strerror(-code));
    return code;
}
