/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/notes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int hl_notes_add(struct hl_notes *notes, const struct hl_note *note)
{
    if (notes->count == notes->room) {
        size_t room = notes->room ? 2 * notes->room : 64;
        struct hl_note *at = realloc(notes->at, room * sizeof(*at));

        if (!at)
            return -ENOMEM;
        notes->at = at;
        notes->room = room;
    }
    notes->at[notes->count++] = *note;
    return 0;
}

static int put_note(int fd, const struct hl_note *n)
{
    return dprintf(fd,
                   "task %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                   n->task, n->pid, n->status, n->oom, n->end_unix_ms, n->maxrss_bytes);
}

static int put_notes(int fd, const struct hl_notes *notes, int64_t now_unix_ms)
{
    for (size_t i = 0; i < notes->count; i++)
        if (put_note(fd, &notes->at[i]) < 0)
            return -EIO;
    if (dprintf(fd, "end %" PRId64 "\n", now_unix_ms) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return -EIO;
    return 0;
}

int hl_notes_file(const struct hl_notes *notes, int64_t now_unix_ms)
{
    int fd = memfd_create("heapline-notes", MFD_CLOEXEC), code;

    if (fd >= 0 && fd <= 2) {
        int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

        (void)close(fd);
        fd = copy;
    }
    if (fd < 0)
        return -errno;
    code = put_notes(fd, notes, now_unix_ms);
    if (code == 0)
        return fd;
    (void)close(fd);
    return code;
}
