/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_row.h"
#include "spank/gather_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A row to come: where to find it and what it is ordered by. */
struct line {
    int64_t task;
    int64_t start_ms;
    int64_t pid;
    int64_t image;
    enum { FROM_EARLIER, FROM_IMAGE, FROM_END } from;
    uint32_t index;
};

struct lines {
    struct line *at;
    size_t count;
};

/* By task (-1, none, last), then start, then pid and image. */
static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    uint64_t task_x = (uint64_t)x->task, task_y = (uint64_t)y->task;

    if (task_x != task_y)
        return task_x < task_y ? -1 : 1;
    if (x->start_ms != y->start_ms)
        return x->start_ms < y->start_ms ? -1 : 1;
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return (x->image > y->image) - (x->image < y->image);
}

static void collect_earlier(const struct hl_gather *g, struct lines *lines)
{
    for (size_t r = 0; r < g->earlier.count; r++) {
        const struct hl_earlier_row *row = &g->earlier.at[r];

        if (!row->superseded)
            lines->at[lines->count++] = (struct line){row->task,  row->start_ms, row->pid,
                                                      row->image, FROM_EARLIER,  (uint32_t)r};
    }
}

static void collect_images(const struct hl_gather *g, struct lines *lines)
{
    for (size_t i = 0; i < g->images.count; i++) {
        const struct hl_image *image = &g->images.at[i];
        int64_t start_ms = image->start_unix_ns < 0 ? -1 : image->start_unix_ns / 1000000;

        if (image->state == HL_IMAGE_USABLE && !image->in_earlier)
            lines->at[lines->count++] = (struct line){image->task,   start_ms,   image->pid,
                                                      image->number, FROM_IMAGE, (uint32_t)i};
    }
}

static void collect_ends(const struct hl_gather *g, struct lines *lines)
{
    for (size_t t = 0; t < g->ends.count; t++) {
        const struct hl_task_end *end = &g->ends.at[t];

        if (!end->has_image && !end->in_earlier)
            lines->at[lines->count++] =
                (struct line){end->task, -1, end->pid, -1, FROM_END, (uint32_t)t};
    }
}

static int collect(const struct hl_gather *g, struct lines *lines)
{
    lines->count = 0;
    lines->at = calloc(g->earlier.count + g->images.count + g->ends.count + 1, sizeof(*lines->at));
    if (!lines->at)
        return -ENOMEM;
    collect_earlier(g, lines);
    collect_images(g, lines);
    collect_ends(g, lines);
    qsort(lines->at, lines->count, sizeof(*lines->at), compare_lines);
    return 0;
}

static int64_t boot_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_BOOTTIME, &now))
        return -1;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void write_remark(struct hl_out *out, const char *text)
{
    hl_out_write(out, "# ", 2);
    hl_out_write(out, text, strlen(text));
    hl_out_write(out, "\n", 1);
}

static void write_row(struct hl_out *out, const struct hl_row *row)
{
    char line[HL_RECORD_LINE];
    struct hl_text text;

    hl_text_init(&text, line, sizeof(line));
    hl_record_line(&text, row, 2);
    hl_out_write(out, line, text.length);
}

static void write_image(struct hl_gather *g, struct hl_out *out, uint32_t index)
{
    struct hl_image *image = &g->images.at[index], now = *image;
    struct hl_profile profile;
    struct hl_row row;
    int rc = hl_staging_read(&g->staging, &now, &profile, NULL);

    if (rc || now.inode != image->inode) {
        char name[HL_PROFILE_NAME_BYTES], text[128];
        struct hl_text t;

        /* its owner has just broken it; said where it is noticed */
        hl_profile_name_format(name, image->file_pid, image->suffix);
        hl_text_init(&t, text, sizeof(text));
        hl_text_string(&t, "profile ");
        hl_text_string(&t, name);
        hl_text_string(&t, " changed while it was gathered: no row");
        write_remark(out, text);
        image->state = HL_IMAGE_UNREADABLE; /* stays in STAGING */
        return;
    }
    hl_gather_row(&profile, image, image->own ? hl_ends_of(&g->ends, image->task) : NULL, &g->order,
                  boot_ns(), &row);
    write_row(out, &row);
}

static void write_end(struct hl_gather *g, struct hl_out *out, uint32_t index)
{
    char note[HL_NOTE_BYTES];
    struct hl_row row;

    hl_gather_row_not_seen(&g->ends.at[index], &g->order, g->host, note, &row);
    write_row(out, &row);
}

static int write_earlier(struct hl_gather *g, struct hl_out *out, uint32_t index)
{
    const struct hl_earlier_row *row = &g->earlier.at[index];
    char line[2 * HL_RECORD_LINE];
    ssize_t n = pread(g->earlier.fd, line, row->length, row->offset);

    if (n != (ssize_t)row->length)
        return n < 0 ? -errno : -EIO;
    hl_out_write(out, line, row->length);
    return 0;
}

static void write_head(struct hl_gather *g, struct hl_out *out)
{
    char header[1024];
    struct hl_text text;

    hl_text_init(&text, header, sizeof(header));
    hl_record_header(&text, 2);
    hl_out_write(out, header, text.length);
    for (size_t r = 0; r < g->remarks.count; r++)
        write_remark(out, g->remarks.text[r]);
    if (g->remarks.more) {
        hl_text_init(&text, header, sizeof(header));
        hl_text_int(&text, (int64_t)g->remarks.more);
        hl_text_string(&text, " more remarks of this kind");
        write_remark(out, header);
    }
}

int hl_gather_write_rows(struct hl_gather *g, struct hl_out *out, struct hl_error *err)
{
    struct lines lines;
    int rc = collect(g, &lines);

    if (rc)
        return hl_fail(err, rc, "no memory for %zu rows", g->images.count + g->ends.count);
    write_head(g, out);
    for (size_t i = 0; i < lines.count && !rc; i++) {
        uint32_t index = lines.at[i].index;

        if (lines.at[i].from == FROM_EARLIER)
            rc = write_earlier(g, out, index);
        else if (lines.at[i].from == FROM_IMAGE)
            write_image(g, out, index);
        else
            write_end(g, out, index);
    }
    free(lines.at);
    return rc ? hl_fail(err, rc, "cannot read the earlier %.64s.csv: %s", g->order.node,
                        strerror(-rc))
              : 0;
}
