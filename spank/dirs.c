/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Error codes of mkdir say EROFS or EACCES also for what is there already. */
static int make_at(int parent, const char *name)
{
    int code;

    if (mkdirat(parent, name, 0777) == 0 || errno == EEXIST)
        return 0;
    code = -errno;
    return faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : code;
}

int hl_dirs_make(char *path)
{
    for (char *p = path; *p;) {
        char *end = p + 1;
        char kept;
        int code;

        while (*end && *end != '/')
            end++;
        kept = *end;
        *end = '\0';
        code = make_at(AT_FDCWD, path);
        if (code < 0)
            return code;
        *end = kept;
        p = end;
    }
    return 0;
}

int hl_dirs_own(int parent, const char *name, uid_t *owner)
{
    int code = make_at(parent, name), fd;
    struct stat st = {.st_uid = (uid_t)-1};

    *owner = (uid_t)-1;
    if (code < 0)
        return code;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
        return fd;
    *owner = st.st_uid;
    (void)close(fd);
    return -EPERM;
}
