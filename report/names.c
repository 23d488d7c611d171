/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See names.h.
 */
#include "report/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool hl_ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), e = strlen(ending);

    return n > e && strcmp(name + n - e, ending) == 0;
}

size_t hl_stem(const char *name)
{
    size_t n = strlen(name);

    if (hl_ends_in(name, ".csv"))
        return n - strlen(".csv");
    if (hl_ends_in(name, ".profiles"))
        return n - strlen(".profiles");
    return n;
}

static int by_stem(const void *a, const void *b)
{
    const char *na = ((const struct hl_name *)a)->name, *nb = ((const struct hl_name *)b)->name;
    size_t sa = hl_stem(na), sb = hl_stem(nb);

    if (sa == sb && memcmp(na, nb, sa) == 0)
        return strcmp(na, nb);
    return strverscmp(na, nb);
}

static bool is_directory(int dir_fd, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int add(struct hl_names *names, int dir_fd, const struct dirent *entry)
{
    if ((names->count & (names->count - 1)) == 0) {
        struct hl_name *bigger =
            reallocarray(names->at, names->count ? names->count * 2 : 1, sizeof(*names->at));

        if (!bigger)
            return -ENOMEM;
        names->at = bigger;
    }
    names->at[names->count].name = strdup(entry->d_name);
    names->at[names->count].directory = is_directory(dir_fd, entry);
    return names->at[names->count].name ? (names->count++, 0) : -ENOMEM;
}

int hl_names_read(int dir_fd, struct hl_names *out)
{
    int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;

    out->at = NULL;
    out->count = 0;
    if (!dir) {
        rc = -errno;
        if (copy >= 0)
            (void)close(copy);
        return rc;
    }
    while (rc == 0 && (errno = 0, entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (name[0] != '.' && !hl_ends_in(name, ".tmp") && !hl_ends_in(name, ".new"))
            rc = add(out, dir_fd, entry);
    }
    if (rc == 0 && errno)
        rc = -errno;
    (void)closedir(dir);
    if (rc)
        hl_names_free(out);
    else if (out->count)
        qsort(out->at, out->count, sizeof(*out->at), by_stem);
    return rc;
}

void hl_names_free(struct hl_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->at[i].name);
    free(names->at);
    names->at = NULL;
    names->count = 0;
}
