/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather.h"
#include "spank/gather_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* Copies the earlier file's profile in the buffer, unless it has come again. */
static void take_earlier(struct hl_gather *g, const struct hl_profile *profile, size_t length,
                         struct hl_out *out)
{
    struct hl_image copy = {.pid = -1}, *again;

    hl_image_describe(&copy, profile);
    again = hl_earlier_image(&g->images, &copy);
    if (again && !again->keep) {
        again->keep = true; /* it has the room of the one that it replaces */
        g->kept_bytes += padded(again->used_bytes);
        return;
    }
    if (again)
        return;
    hl_out_write(out, g->staging.buffer, length);
    g->kept_bytes += length;
}

/* One after the other through the buffer. */
static int copy_earlier(struct hl_gather *g, int fd, struct hl_out *out, struct hl_error *err)
{
    struct hl_profile profile;
    off_t offset = 0;

    for (;;) {
        ssize_t n = pread(fd, g->staging.buffer, sizeof(g->staging.buffer), offset);
        size_t length;
        int rc;

        if (n < 0)
            return hl_fail(err, -errno, "cannot read the earlier %.64s.profiles: %s", g->order.node,
                           strerror(errno));
        if (n == 0)
            return 0;
        rc = hl_profile_length(g->staging.buffer, (size_t)n, &length, NULL);
        if (!rc)
            rc = hl_profile_fold(g->staging.buffer, length, &profile, NULL);
        if (rc)
            return hl_fail(err, rc,
                           "%.64s.profiles is there and damaged at byte %lld: move it away",
                           g->order.node, (long long)offset);
        take_earlier(g, &profile, length, out);
        offset += (off_t)length;
    }
}

static int open_earlier(struct hl_gather *g, struct hl_error *err)
{
    char name[HL_NODE_NAME_MAX + 16];
    struct stat st;
    int fd;

    (void)snprintf(name, sizeof(name), "%s.profiles", g->order.node);
    fd = openat(g->stepdir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return -ENOENT;
    if (fd < 0)
        return hl_fail(err, -EIO, "cannot open the earlier %.200s: %s", name, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return hl_fail(err, -EBADMSG, "%.200s is there and not a file: move it away", name);
    }
    return fd;
}

/* Gives the room that is left to the images that `own` says. */
static void plan(struct hl_gather *g, bool own)
{
    for (size_t i = 0; i < g->images.count; i++) {
        struct hl_image *image = &g->images.at[i];

        if (image->state != HL_IMAGE_USABLE || image->keep || image->own != own)
            continue;
        if (g->kept_bytes + padded(image->used_bytes) > HL_GATHER_KEEP_BYTES) {
            g->not_kept++;
            continue;
        }
        image->keep = true;
        g->kept_bytes += padded(image->used_bytes);
    }
}

static void copy_image(struct hl_gather *g, struct hl_image *image, struct hl_out *out)
{
    struct hl_profile profile;
    struct hl_error why = {.text = ""};
    char name[HL_PROFILE_NAME_BYTES];
    struct hl_image now = *image;
    int rc = hl_staging_read(&g->staging, &now, &profile, &why);

    if (rc == 0 && now.inode == image->inode) {
        memset(g->staging.buffer + now.used_bytes, 0, padded(now.used_bytes) - now.used_bytes);
        hl_out_write(out, g->staging.buffer, padded(now.used_bytes));
        return;
    }
    hl_profile_name_format(name, image->file_pid, image->suffix);
    hl_remark(&g->remarks, "profile %s changed while it was gathered: %s", name, why.text);
    image->state = HL_IMAGE_UNREADABLE; /* stays in STAGING */
    image->keep = false;
}

int hl_gather_write_profiles(struct hl_gather *g, struct hl_out *out, struct hl_error *err)
{
    int fd = open_earlier(g, err), rc = 0;

    if (fd < 0 && fd != -ENOENT)
        return fd;
    if (fd >= 0) {
        rc = copy_earlier(g, fd, out, err);
        close(fd);
    }
    if (rc)
        return rc;
    plan(g, true);
    plan(g, false);
    if (g->not_kept)
        hl_remark(&g->remarks,
                  "%zu profiles not kept: a node keeps %d MiB of them for a step; their rows are "
                  "here",
                  g->not_kept, HL_GATHER_KEEP_BYTES / (1024 * 1024));
    for (size_t i = 0; i < g->images.count; i++)
        if (g->images.at[i].keep)
            copy_image(g, &g->images.at[i], out);
    return 0;
}
