/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See save.h.
 */
#include "report/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_temporary(struct hl_save *save, struct hl_error *err)
{
    const char *slash = strrchr(save->path, '/');
    int dir = slash ? (int)(slash + 1 - save->path) : 0, fd;

    /* hidden, so that no reader of the directory takes it for a result */
    if (asprintf(&save->temporary, "%.*s.%s.%ld.tmp", dir, save->path, save->path + dir,
                 (long)getpid()) < 0) {
        save->temporary = NULL;
        return -ENOMEM;
    }
    fd = open(save->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        int code = -errno;

        free(save->temporary);
        save->temporary = NULL;
        return hl_fail(err, code, "%s cannot be written: %s", save->path, strerror(-code));
    }
    save->file = fdopen(fd, "w");
    return save->file ? 0 : -ENOMEM;
}

static int open_directly(struct hl_save *save, struct hl_error *err)
{
    int fd = open(save->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return hl_fail(err, -errno, "%s cannot be written: %s", save->path, strerror(errno));
    save->file = fdopen(fd, "w");
    return save->file ? 0 : -ENOMEM;
}

int hl_save_begin(struct hl_save *save, const char *path, enum hl_save_how how,
                  struct hl_error *err)
{
    struct stat st;
    int rc;

    memset(save, 0, sizeof(*save));
    save->path = strdup(path);
    if (!save->path)
        return -ENOMEM;
    if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
        rc = hl_fail(err, -EISDIR, "%s is a directory: name a file in it", path);
    else if (how == HL_SAVE_THROUGH && lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        rc = open_directly(save, err);
    else
        rc = open_temporary(save, err);
    if (rc)
        hl_save_drop(save);
    return rc;
}

int hl_save_end(struct hl_save *save, struct hl_error *err)
{
    bool failed = fflush(save->file) != 0 || ferror(save->file);
    int code = failed ? -(errno ? errno : EIO) : 0;

    if (fclose(save->file) != 0 && code == 0)
        code = -errno;
    save->file = NULL;
    if (code == 0 && save->temporary && rename(save->temporary, save->path) != 0)
        code = -errno;
    if (code) {
        (void)hl_fail(err, code, "%s cannot be written: %s", save->path, strerror(-code));
    } else {
        free(save->temporary); /* nothing left to remove */
        save->temporary = NULL;
    }
    hl_save_drop(save);
    return code;
}

void hl_save_drop(struct hl_save *save)
{
    if (save->file)
        (void)fclose(save->file);
    if (save->temporary)
        (void)unlink(save->temporary);
    free(save->temporary);
    free(save->path);
    memset(save, 0, sizeof(*save));
}
