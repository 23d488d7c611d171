/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What a process leaves in words at its end: the record (version 1) in
 * HEAPLINE_OUTPUT, or, where neither that nor a profile was asked for, one line
 * of summary on stderr.  stderr is written to only while descriptor 2 is still
 * the file that it was at the start. */
#include "libheapline/process.h"
#include "libheapline/profile_read.h"
#include "libheapline/sys.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#define MODE_RECORD 0666   /* less the umask */
#define STDERR_WAIT_MS 500 /* for a pipe that is full; nobody may be reading it */
#define SIGPIPE_ONLY (UINT64_C(1) << (SIGPIPE - 1))

static char output_pattern[PATH_MAX];
static bool wants_summary;
static struct statx stderr_then;
static bool stderr_known;

static bool describe_stderr(struct statx *s)
{
    return hl_statx(STDERR_FILENO, "", AT_EMPTY_PATH, s) == 0;
}

void hl_output_init(const char *pattern, bool summary)
{
    struct hl_text t;

    hl_text_init(&t, output_pattern, sizeof(output_pattern));
    if (pattern)
        hl_text_string(&t, pattern);
    wants_summary = summary;
    if (pattern || summary)
        stderr_known = describe_stderr(&stderr_then);
}

void hl_output_expand(struct hl_text *out, const char *pattern, const struct hl_identity *id)
{
    for (; *pattern; pattern++) {
        if (pattern[0] != '%' || !pattern[1] || !strchr("prh", pattern[1])) {
            hl_text_bytes(out, pattern, 1);
            continue;
        }
        pattern++;
        if (*pattern == 'h')
            hl_text_string(out, id->host);
        else
            hl_text_int(out, *pattern == 'p' ? id->pid : id->rank);
    }
}

/* 0 or -errno. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        long done = hl_write(fd, bytes, length);

        if (done == 0 || (done < 0 && done != -EINTR))
            return done ? (int)done : -EIO;
        if (done > 0) {
            bytes += done;
            length -= (size_t)done;
        }
    }
    return 0;
}

/* A pipe that nobody reads any more must not end the program by a signal that
 * it would not have got without us: SIGPIPE is held back and taken away. */
static bool write_without_signal(int fd, const struct hl_text *text)
{
    uint64_t pipe_only = SIGPIPE_ONLY, before, pending = 0;
    int rc;

    if (hl_sigmask(SIG_BLOCK, &pipe_only, &before) != 0)
        return false;
    (void)hl_sigpending(&pending);
    rc = write_all(fd, text->at, text->length);
    if (rc == -EPIPE && !(pending & SIGPIPE_ONLY))
        (void)hl_sigtake(&pipe_only);
    (void)hl_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0;
}

/* Beyond RLIMIT_FSIZE a write is SIGXFSZ. */
static bool fits_file_limit(uint64_t bytes)
{
    return bytes <= hl_file_limit();
}

static void to_stderr(const struct hl_text *text)
{
    struct statx now = {.stx_mode = 0};

    if (!stderr_known || !describe_stderr(&now) || now.stx_dev_major != stderr_then.stx_dev_major ||
        now.stx_dev_minor != stderr_then.stx_dev_minor || now.stx_ino != stderr_then.stx_ino)
        return;
    if (S_ISREG(now.stx_mode) ? fits_file_limit(now.stx_size + text->length)
                              : hl_writable(STDERR_FILENO, STDERR_WAIT_MS))
        (void)write_without_signal(STDERR_FILENO, text);
}

/* Under another name, then renamed: nobody reads half a record. */
static bool replace_file(const char *path, const struct hl_text *text, int64_t pid)
{
    static char temporary[PATH_MAX];
    struct hl_text name;
    bool written;
    int fd;

    hl_text_init(&name, temporary, sizeof(temporary));
    hl_text_string(&name, path);
    hl_text_string(&name, ".");
    hl_text_int(&name, pid);
    hl_text_string(&name, ".tmp");
    if (name.cut)
        return false;
    fd = hl_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE_RECORD);
    if (fd < 0)
        return false;
    written = write_all(fd, text->at, text->length) == 0;
    if (hl_close(fd) == 0 && written && hl_rename(temporary, path) == 0)
        return true;
    (void)hl_unlink(temporary);
    return false;
}

/* A device, a fifo, a link, or a file in a directory that cannot be written. */
static bool write_in_place(const char *path, const struct hl_text *text)
{
    int fd = hl_open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY, 0);
    bool written;

    if (fd < 0)
        return false;
    written = write_without_signal(fd, text);
    return hl_close(fd) == 0 && written;
}

static bool to_file(const char *path, const struct hl_text *text, int64_t pid)
{
    struct statx s = {.stx_mode = 0};
    int rc = hl_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &s);
    bool replaceable = rc == 0 ? S_ISREG(s.stx_mode) : rc == -ENOENT;

    if (!fits_file_limit(text->length))
        return false;
    return (replaceable && replace_file(path, text, pid)) || write_in_place(path, text);
}

static void write_record(const struct hl_row *row, const struct hl_identity *id)
{
    static char buffer[2048], path[PATH_MAX];
    struct hl_text record, name;

    hl_text_init(&record, buffer, sizeof(buffer));
    hl_record_header(&record, 1);
    hl_record_line(&record, row, 1);
    hl_text_init(&name, path, sizeof(path));
    hl_output_expand(&name, output_pattern, id);
    if (name.cut || !to_file(path, &record, id->pid))
        to_stderr(&record);
}

static void write_summary(const struct hl_row *row)
{
    static char buffer[512];
    struct hl_text t;

    hl_text_init(&t, buffer, sizeof(buffer));
    hl_text_string(&t, "heapline: peak heap ");
    hl_text_size(&t, row->cell[HL_C_PEAK].i);
    hl_text_string(&t, " at ");
    hl_text_seconds(&t, row->cell[HL_C_PEAK_TIME].i);
    hl_text_string(&t, " s of ");
    hl_text_seconds(&t, row->cell[HL_C_ELAPSED].i);
    hl_text_string(&t, " s, live at exit ");
    hl_text_size(&t, row->cell[HL_C_LIVE].i);
    hl_text_string(&t, ", VmHWM ");
    hl_text_size(&t, row->cell[HL_C_VMHWM].i);
    hl_text_string(&t, ", ");
    hl_text_int(&t, row->cell[HL_C_ALLOCS].i);
    hl_text_string(&t, " allocs, ");
    hl_text_int(&t, row->cell[HL_C_FREES].i);
    hl_text_string(&t, " frees, pid ");
    hl_text_int(&t, row->cell[HL_C_PID].i);
    hl_text_string(&t, "\n");
    to_stderr(&t);
}

void hl_output_end(const struct hl_process *p)
{
    static struct hl_profile profile;
    struct hl_row row;

    if (!output_pattern[0] && !wants_summary)
        return;
    if (hl_profile_fold(p->base, HL_PROFILE_BYTES, &profile, NULL) != 0)
        return;
    hl_profile_row(&profile, &row);
    if (output_pattern[0])
        write_record(&row, &profile.identity);
    else
        write_summary(&row);
}
