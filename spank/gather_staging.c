/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The directory is the user's: names may be symlinks, fifos, directories or
 * huge, and files may change while they are read.  Reading goes through
 * read(2), not a mapping, so that a file cut short is no SIGBUS. */
#include "spank/gather_staging.h"

#include "spank/gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 4096 /* read first: says how much of the file is in use */

static int check_directory(int fd, const char *path, struct stat *st, struct hl_error *err)
{
    if (fstat(fd, st))
        return hl_fail(err, -errno, "%.160s: %s", path, strerror(errno));
    if (st->st_uid != geteuid())
        return hl_fail(err, -EPERM, "%.160s belongs to uid %u, not to you (uid %u)", path,
                       st->st_uid, geteuid());
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return hl_fail(err, -EPERM, "%.160s can be written by others (mode %03o)", path,
                       st->st_mode & 07777);
    if (flock(fd, LOCK_EX | LOCK_NB))
        return hl_fail(err, -EBUSY, "%.160s: %s", path,
                       errno == EWOULDBLOCK ? "another heapline-gather is at work in it"
                                            : strerror(errno));
    return 0;
}

int hl_staging_open(struct hl_staging *staging, const char *path, struct hl_error *err)
{
    struct stat st;
    int rc;

    staging->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (staging->fd < 0)
        return hl_fail(err, -errno, "cannot open %.160s: %s", path, strerror(errno));
    rc = check_directory(staging->fd, path, &st, err);
    if (rc)
        hl_staging_close(staging);
    else
        staging->id = st.st_ino;
    return rc;
}

void hl_staging_close(struct hl_staging *staging)
{
    if (staging->fd >= 0)
        close(staging->fd);
    staging->fd = -1;
}

/* Opens a regular file of ours in the directory.  The descriptor or -errno. */
static int open_file(const struct hl_staging *staging, const char *name, off_t limit,
                     struct stat *st, struct hl_error *err)
{
    int fd = openat(staging->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    int rc = 0;

    if (fd < 0 && errno == ELOOP)
        return hl_fail(err, -EBADMSG, "a symbolic link, not a file");
    if (fd < 0 && errno == ENXIO)
        return hl_fail(err, -EBADMSG, "a socket or device, not a file");
    if (fd < 0)
        return hl_fail(err, -errno, "cannot be opened: %s", strerror(errno));
    if (fstat(fd, st))
        rc = hl_fail(err, -errno, "%s", strerror(errno));
    else if (!S_ISREG(st->st_mode))
        rc = hl_fail(err, -EBADMSG, "not a regular file");
    else if (st->st_uid != geteuid())
        rc = hl_fail(err, -EBADMSG, "a file of uid %u", st->st_uid);
    else if (st->st_size > limit)
        rc = hl_fail(err, -EBADMSG, "too long: %lld bytes", (long long)st->st_size);
    if (rc)
        close(fd);
    return rc ? rc : fd;
}

/* Reads up to length bytes at offset.  How many, or -errno. */
static ssize_t read_at(int fd, char *to, size_t length, size_t offset)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = pread(fd, to + done, length - done, (off_t)(offset + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

int hl_staging_order(struct hl_staging *staging, struct hl_order *order, struct hl_error *err)
{
    struct hl_error why = {.text = ""};
    struct stat st;
    ssize_t n;
    int fd = open_file(staging, HL_ORDER_NAME, HL_ORDER_BYTES, &st, &why);

    if (fd < 0)
        return hl_fail(err, fd, "its file `%s' is of no use: %.180s", HL_ORDER_NAME, why.text);
    n = read_at(fd, staging->buffer, HL_ORDER_BYTES, 0);
    close(fd);
    if (n < 0)
        return hl_fail(err, (int)n, "cannot read its file `%s': %s", HL_ORDER_NAME,
                       strerror((int)-n));
    return hl_order_parse(staging->buffer, (size_t)n, order, err);
}

static bool parse_digits(const char **at, int64_t *out)
{
    const char *p = *at;
    int64_t value = 0;

    if (*p < '1' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
        if (value > INT_MAX)
            return false;
    }
    *out = value;
    *at = p;
    return true;
}

bool hl_profile_name_parse(const char *name, int64_t *pid, int64_t *suffix)
{
    int64_t number, n = 0;

    if (!parse_digits(&name, &number))
        return false;
    if (*name == '.') {
        name++;
        if (!parse_digits(&name, &n))
            return false;
    }
    if (*name)
        return false;
    *pid = number;
    *suffix = n;
    return true;
}

void hl_profile_name_format(char name[HL_PROFILE_NAME_BYTES], int64_t pid, int64_t suffix)
{
    if (suffix)
        (void)snprintf(name, HL_PROFILE_NAME_BYTES, "%lld.%lld", (long long)pid, (long long)suffix);
    else
        (void)snprintf(name, HL_PROFILE_NAME_BYTES, "%lld", (long long)pid);
}

/* Brings the used part of fd into the buffer; checks that it is one. */
static int read_used(int fd, char *buffer, size_t *used, struct hl_error *err)
{
    ssize_t n = read_at(fd, buffer, HEAD_BYTES, 0), more;
    int rc;

    if (n < 0)
        return hl_fail(err, (int)n, "cannot be read: %s", strerror((int)-n));
    rc = hl_profile_length(buffer, (size_t)n, used, err);
    if (rc != -ENODATA || n < HEAD_BYTES)
        return rc;
    more = read_at(fd, buffer + n, *used - (size_t)n, (size_t)n);
    if (more < 0)
        return hl_fail(err, (int)more, "cannot be read: %s", strerror((int)-more));
    return hl_profile_length(buffer, (size_t)(n + more), used, err);
}

int hl_staging_read(struct hl_staging *staging, struct hl_image *image, struct hl_profile *profile,
                    struct hl_error *err)
{
    char name[HL_PROFILE_NAME_BYTES];
    struct stat st;
    int fd, rc;

    hl_profile_name_format(name, image->file_pid, image->suffix);
    fd = open_file(staging, name, HL_PROFILE_BYTES, &st, err);
    if (fd < 0)
        return fd;
    image->inode = st.st_ino;
    rc = read_used(fd, staging->buffer, &image->used_bytes, err);
    close(fd);
    return rc ? rc : hl_profile_fold(staging->buffer, image->used_bytes, profile, err);
}

static bool is_damage(int code)
{
    return code == -EBADMSG || code == -ENODATA || code == -EPROTONOSUPPORT;
}

static int scan_one(struct hl_staging *staging, const char *name, struct hl_images *images,
                    struct hl_remarks *remarks)
{
    struct hl_image image = {.pid = -1, .task = -1, .next = HL_NO_IMAGE};
    struct hl_profile profile;
    struct hl_error why = {.text = ""};
    int rc;

    if (!hl_profile_name_parse(name, &image.file_pid, &image.suffix))
        return 0;
    if (images->count == HL_GATHER_FILES_MAX)
        return hl_images_add(images, &image);
    rc = hl_staging_read(staging, &image, &profile, &why);
    if (rc == -ENOENT)
        return 0; /* removed meanwhile, by its owner */
    if (rc == 0)
        hl_image_describe(&image, &profile);
    else
        image.state = is_damage(rc) ? HL_IMAGE_DAMAGED : HL_IMAGE_UNREADABLE;
    if (rc)
        hl_remark(remarks, "profile %s %s: %s", name,
                  is_damage(rc) ? "not used" : "left in the staging directory", why.text);
    return hl_images_add(images, &image);
}

/* A directory stream from its beginning that leaves staging->fd alone. */
static DIR *open_stream(const struct hl_staging *staging)
{
    int fd = openat(staging->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

int hl_staging_scan(struct hl_staging *staging, struct hl_images *images,
                    struct hl_remarks *remarks, struct hl_error *err)
{
    DIR *dir = open_stream(staging);
    struct dirent *entry;
    int rc = 0;

    if (!dir)
        return hl_fail(err, -errno, "cannot list it: %s", strerror(errno));
    while ((errno = 0, entry = readdir(dir))) {
        rc = scan_one(staging, entry->d_name, images, remarks);
        if (rc == -ENOMEM)
            break;
        rc = 0;
    }
    if (!rc)
        rc = -errno;
    closedir(dir);
    if (rc)
        return hl_fail(err, rc, "cannot list it: %s", strerror(-rc));
    return 0;
}

static void remove_image(const struct hl_staging *staging, const struct hl_image *image)
{
    char name[HL_PROFILE_NAME_BYTES];
    struct stat st;

    if (image->state == HL_IMAGE_UNREADABLE || image->process_runs)
        return;
    hl_profile_name_format(name, image->file_pid, image->suffix);
    /* damaged ones may have no inode here: a symlink, a fifo */
    if (image->inode &&
        (fstatat(staging->fd, name, &st, AT_SYMLINK_NOFOLLOW) || st.st_ino != image->inode))
        return; /* has another profile come under its name? */
    if (unlinkat(staging->fd, name, 0))
        (void)unlinkat(staging->fd, name, AT_REMOVEDIR);
}

struct left {
    size_t names;
    size_t profiles; /* of them */
};

/* Removes the name unless it is a profile's, and counts it if it is left. */
static void remove_other(const struct hl_staging *staging, const char *name, struct left *left)
{
    int64_t pid, suffix;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, HL_ORDER_NAME) == 0)
        return;
    if (hl_profile_name_parse(name, &pid, &suffix))
        left->profiles++;
    else if (unlinkat(staging->fd, name, 0) == 0 || unlinkat(staging->fd, name, AT_REMOVEDIR) == 0)
        return;
    left->names++;
}

/* Profiles that running it again later brings home: other than those that lie
 * there because they are of no use, cannot be read or were too many. */
static bool is_waiting(const struct hl_images *images, size_t profiles)
{
    size_t stuck = images->beyond;

    for (size_t i = 0; i < images->count; i++) {
        if (images->at[i].process_runs)
            return true;
        stuck +=
            images->at[i].state == HL_IMAGE_UNREADABLE || images->at[i].state == HL_IMAGE_DAMAGED;
    }
    return profiles > stuck;
}

size_t hl_staging_clean(struct hl_staging *staging, const struct hl_images *images, bool *waiting)
{
    struct left left = {0, 0};
    struct dirent *entry;
    DIR *dir;

    for (size_t i = 0; i < images->count; i++)
        remove_image(staging, &images->at[i]);
    *waiting = is_waiting(images, 0);
    dir = open_stream(staging);
    if (!dir)
        return 1;
    while ((entry = readdir(dir)))
        remove_other(staging, entry->d_name, &left);
    closedir(dir);
    *waiting = is_waiting(images, left.profiles);
    if (left.names == 0)
        (void)unlinkat(staging->fd, HL_ORDER_NAME, 0);
    return left.names;
}
