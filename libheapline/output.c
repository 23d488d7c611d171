/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What a process leaves in words at its end: the record (version 1) in
 * HEAPLINE_OUTPUT, or, where neither that nor a profile was asked for, one line
 * of summary on stderr.  stderr is written to only while descriptor 2 is still
 * the file that it was at the start. */
#include "libheapline/process.h"
#include "libheapline/profile_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int rename(const char *from, const char *to); /* of <stdio.h>, all that is wanted of it */

#define MODE_RECORD 0666 /* less the umask */

static char output_pattern[PATH_MAX];
static bool wants_summary;
static struct statx stderr_then; /* statx: fstat has other names before glibc 2.33 */
static bool stderr_known;

static bool describe_stderr(struct statx *s)
{
    return statx(STDERR_FILENO, "", AT_EMPTY_PATH, STATX_INO | STATX_TYPE | STATX_SIZE, s) == 0;
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

static bool write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t done = write(fd, bytes, length);

        if (done < 0 && errno != EINTR)
            return false;
        if (done > 0) {
            bytes += done;
            length -= (size_t)done;
        }
    }
    return true;
}

/* A pipe that nobody reads any more must not end the program by a signal that
 * it would not have got without us: SIGPIPE is held back and taken away. */
static bool write_without_signal(int fd, const struct hl_text *text)
{
    static const struct timespec at_once;
    sigset_t pipe_only, before, pending;
    bool done;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    if (sigprocmask(SIG_BLOCK, &pipe_only, &before) != 0)
        return false;
    (void)sigpending(&pending);
    done = write_all(fd, text->at, text->length);
    if (!done && errno == EPIPE && !sigismember(&pending, SIGPIPE))
        (void)sigtimedwait(&pipe_only, NULL, &at_once);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* Beyond RLIMIT_FSIZE a write is SIGXFSZ. */
static bool fits_file_limit(uint64_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

static void to_stderr(const struct hl_text *text)
{
    struct statx now;

    if (!stderr_known || !describe_stderr(&now) || now.stx_dev_major != stderr_then.stx_dev_major ||
        now.stx_dev_minor != stderr_then.stx_dev_minor || now.stx_ino != stderr_then.stx_ino)
        return;
    if (!S_ISREG(now.stx_mode) || fits_file_limit(now.stx_size + text->length))
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
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE_RECORD);
    if (fd < 0)
        return false;
    written = write_all(fd, text->at, text->length);
    if (close(fd) == 0 && written && rename(temporary, path) == 0)
        return true;
    (void)unlink(temporary);
    return false;
}

/* A device, a fifo, a link, or a file in a directory that cannot be written. */
static bool write_in_place(const char *path, const struct hl_text *text)
{
    int fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool written;

    if (fd < 0)
        return false;
    written = write_without_signal(fd, text);
    return close(fd) == 0 && written;
}

static bool to_file(const char *path, const struct hl_text *text, int64_t pid)
{
    struct statx s;
    bool replaceable =
        statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &s) != 0 || S_ISREG(s.stx_mode);

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
