/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_earlier.h"

#include "libheapline/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

size_t hl_csv_line_length(const char *data, size_t length)
{
    bool quoted = false;

    for (size_t i = 0; i < length; i++) {
        if (data[i] == '"')
            quoted = !quoted;
        else if (data[i] == '\n' && !quoted)
            return i + 1;
    }
    return 0;
}

struct span {
    const char *at;
    size_t length;
};

/* Splits a line into its cells, quotes left on.  How many; more than capacity
 * are counted, not stored. */
static size_t split(const char *line, size_t length, struct span *cells, size_t capacity)
{
    size_t count = 0, start = 0;
    bool quoted = false;

    for (size_t i = 0; i <= length; i++) {
        if (i < length && line[i] == '"')
            quoted = !quoted;
        if (i < length && (line[i] != ',' || quoted))
            continue;
        if (count < capacity)
            cells[count] = (struct span){line + start, i - start};
        count++;
        start = i + 1;
    }
    return count;
}

/* Decimal digits, of which the last `decimals` may follow a dot: 12.480 with 3
 * is 12480.  "-1" is -1. */
static bool parse_number(struct span cell, int decimals, int64_t *out)
{
    int64_t value = 0;
    size_t i = 0;

    *out = -1;
    if (cell.length == 2 && memcmp(cell.at, "-1", 2) == 0)
        return true;
    for (; i < cell.length; i++) {
        if (decimals && i + (size_t)decimals + 1 == cell.length && cell.at[i] == '.')
            continue;
        if (cell.at[i] < '0' || cell.at[i] > '9' || value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (cell.at[i] - '0');
    }
    *out = value;
    return cell.length > 0;
}

static bool is_word(struct span cell, const char *word)
{
    return cell.length == strlen(word) && memcmp(cell.at, word, cell.length) == 0;
}

int hl_earlier_row_parse(const char *line, size_t length, struct hl_earlier_row *row)
{
    struct span cells[HL_C_COUNT];

    if (length == 0 || line[length - 1] != '\n' ||
        split(line, length - 1, cells, HL_C_COUNT) != HL_C_COUNT)
        return -EBADMSG;
    memset(row, 0, sizeof(*row));
    row->length = (uint32_t)length;
    row->not_seen = is_word(cells[HL_C_ENDED], HL_ENDED_NOT_SEEN);
    row->running = is_word(cells[HL_C_ENDED], HL_ENDED_RUNNING);
    if (!parse_number(cells[HL_C_PID], 0, &row->pid) ||
        !parse_number(cells[HL_C_TASK], 0, &row->task) ||
        !parse_number(cells[HL_C_IMAGE], 0, &row->image) ||
        !parse_number(cells[HL_C_START], 3, &row->start_ms))
        return -EBADMSG;
    return 0;
}

static int add_row(struct hl_earlier *earlier, const struct hl_earlier_row *row)
{
    if (earlier->count == earlier->capacity) {
        size_t capacity = earlier->capacity ? 2 * earlier->capacity : 64;
        void *grown = reallocarray(earlier->at, capacity, sizeof(*earlier->at));

        if (!grown)
            return -ENOMEM;
        earlier->at = grown;
        earlier->capacity = capacity;
    }
    earlier->at[earlier->count++] = *row;
    return 0;
}

static int take_line(struct hl_earlier *earlier, const char *line, size_t length, off_t offset,
                     struct hl_remarks *remarks)
{
    struct hl_earlier_row row;
    int rc;

    if (line[0] == '#') {
        if (length > 3)
            hl_remark(remarks, "%.*s", (int)(length - 3), line + 2);
        return 0;
    }
    rc = hl_earlier_row_parse(line, length, &row);
    if (rc)
        return rc;
    row.offset = offset;
    return add_row(earlier, &row);
}

/* Indexes the lines from offset on, through a window. */
static int take_lines(struct hl_earlier *earlier, off_t offset, struct hl_remarks *remarks)
{
    char window[2 * HL_RECORD_LINE];

    for (;;) {
        ssize_t n = pread(earlier->fd, window, sizeof(window), offset);
        size_t at = 0, length;

        if (n < 0)
            return -errno;
        if (n == 0)
            return 0;
        while (at < (size_t)n && (length = hl_csv_line_length(window + at, (size_t)n - at)) > 0) {
            int rc = take_line(earlier, window + at, length, offset + (off_t)at, remarks);

            if (rc)
                return rc;
            at += length;
        }
        if (at == 0)
            return -EBADMSG; /* no end within what heapline writes: cut short */
        offset += (off_t)at;
    }
}

/* Offset of the first line after our header, or -EBADMSG. */
static off_t skip_header(int fd)
{
    char expected[1024], found[sizeof(expected)];
    struct hl_text header;

    hl_text_init(&header, expected, sizeof(expected));
    hl_record_header(&header, 2);
    if (pread(fd, found, header.length, 0) != (ssize_t)header.length ||
        memcmp(found, expected, header.length) != 0)
        return -EBADMSG;
    return (off_t)header.length;
}

int hl_earlier_load(struct hl_earlier *earlier, int dir, const char *name,
                    struct hl_remarks *remarks, struct hl_error *err)
{
    struct stat st;
    off_t start;
    int rc;

    memset(earlier, 0, sizeof(*earlier));
    earlier->fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (earlier->fd < 0 && errno == ENOENT)
        return 0;
    if (earlier->fd < 0)
        return hl_fail(err, -errno, "cannot open the earlier %.200s: %s", name, strerror(errno));
    if (fstat(earlier->fd, &st) || !S_ISREG(st.st_mode))
        return hl_fail(err, -EBADMSG, "%.200s is there and not a file: move it away", name);
    start = skip_header(earlier->fd);
    rc = start < 0 ? (int)start : take_lines(earlier, start, remarks);
    if (rc == -EBADMSG)
        return hl_fail(err, rc, "%.180s is there and damaged or not heapline's: move it away",
                       name);
    if (rc)
        return hl_fail(err, rc, "cannot read the earlier %.200s: %s", name, strerror(-rc));
    return 0;
}

void hl_earlier_fini(struct hl_earlier *earlier)
{
    if (earlier->fd >= 0)
        close(earlier->fd);
    free(earlier->at);
    memset(earlier, 0, sizeof(*earlier));
    earlier->fd = -1;
}

/* By pid, start and image number; the number may be too low where a gather was
 * stopped while it removed a process' files, first image first. */
static struct hl_image *find_image(const struct hl_images *images, const struct hl_earlier_row *row)
{
    struct hl_image *found = NULL;
    size_t low, high;

    hl_images_of_pid(images, row->pid, &low, &high);
    for (size_t i = low; i < high; i++) {
        struct hl_image *image = &images->at[i];
        int64_t start_ms = image->start_unix_ns < 0 ? -1 : image->start_unix_ns / 1000000;

        if (image->state != HL_IMAGE_USABLE || start_ms != row->start_ms)
            continue;
        if (image->number == row->image)
            return image;
        if (!found && image->number < row->image)
            found = image;
    }
    return found;
}

/* A row that says how its image ended is better than one that does not. */
static void resolve_image(struct hl_earlier_row *row, struct hl_image *image)
{
    bool vague = image->fate == HL_FATE_RUNNING || image->fate == HL_FATE_VANISHED;

    if (vague && !row->running)
        image->in_earlier = true;
    else
        row->superseded = true;
    image->number = (int32_t)row->image;
}

void hl_earlier_resolve(struct hl_earlier *earlier, struct hl_images *images, struct hl_ends *ends)
{
    for (size_t r = 0; r < earlier->count; r++) {
        struct hl_earlier_row *row = &earlier->at[r];
        struct hl_task_end *end = hl_ends_of(ends, row->task);
        struct hl_image *image = row->not_seen ? NULL : find_image(images, row);

        if (image)
            resolve_image(row, image);
        if (!end || end->pid != row->pid)
            continue;
        if (row->not_seen && end->has_image)
            row->superseded = true;
        else
            end->in_earlier = true;
    }
}

struct hl_image *hl_earlier_image(const struct hl_images *images, const struct hl_image *copy)
{
    size_t low, high;

    hl_images_of_pid(images, copy->pid, &low, &high);
    for (size_t i = low; i < high; i++) {
        struct hl_image *image = &images->at[i];

        if (image->state == HL_IMAGE_USABLE && image->start_boot_ns == copy->start_boot_ns &&
            image->start_unix_ns == copy->start_unix_ns)
            return image;
    }
    return NULL;
}
