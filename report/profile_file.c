/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Damage is stepped over: the next profile begins, 8-byte aligned, with the magic.
 */
#include "report/profile_file.h"

#include "libheapline/profile_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
    const struct hl_source *source;
    char *buffer; /* HL_PROFILE_BYTES */
    uint64_t at;  /* offset of buffer[0] in the file */
    size_t there; /* bytes in the buffer */
    uint64_t size;
    uint64_t zeros_until; /* NULs up to here are a live profile's unused rest */
};

static int load(struct reader *r, uint64_t at, size_t want)
{
    r->at = at;
    r->there = 0;
    while (r->there < want) {
        ssize_t n =
            pread(r->source->fd, r->buffer + r->there, want - r->there, (off_t)(at + r->there));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        r->there += (size_t)n;
    }
    return 0;
}

/* Strings of the row point into the profile: keep them. */
static int keep_strings(struct hl_table *table, struct hl_row *row)
{
    for (int c = 0; c < HL_C_COUNT; c++) {
        const char **s = &row->cell[c].s;

        if (hl_columns[c].kind != HL_KIND_STR)
            continue;
        *s = hl_keep_string(table, *s, strlen(*s));
        if (!*s)
            return -ENOMEM;
    }
    return 0;
}

static void bound(struct hl_row *row)
{
    for (int c = 0; c < HL_C_COUNT; c++) {
        enum hl_kind kind = hl_columns[c].kind;

        if ((kind == HL_KIND_INT || kind == HL_KIND_MS) && c != HL_C_LIVE && row->cell[c].i < -1)
            row->cell[c].i = -1;
    }
}

static int keep_profile(struct reader *r, const struct hl_profile *profile, bool cut)
{
    const struct hl_source *s = r->source;
    struct hl_row row;
    struct hl_rec *rec;

    hl_profile_row(profile, &row);
    bound(&row);
    if (cut) { /* the peak is before the slots; what they count is not whole */
        row.cell[HL_C_ALLOCS].i = row.cell[HL_C_FREES].i = row.cell[HL_C_LIVE].i = -1;
        row.cell[HL_C_NOTE].s = "its profile is cut short";
    }
    if (keep_strings(s->table, &row))
        return -ENOMEM;
    rec = hl_table_add(s->table, s->step, &row, s->path, r->at);
    if (!rec)
        return -ENOMEM;
    rec->bits = HL_REC_PROFILE;
    if (profile->metrics[HL_M_FLAGS] & HL_FLAG_MPI)
        rec->bits |= HL_REC_MPI;
    return 0;
}

/* The last profile of a file that lacks its end: as much as can be told. */
static int take_cut(struct reader *r, const struct hl_error *why)
{
    const struct hl_source *s = r->source;
    struct hl_profile_header *header = (void *)r->buffer;
    struct hl_profile profile;

    header->used_bytes = r->there & ~(size_t)7;
    if (hl_profile_fold(r->buffer, r->there, &profile, NULL)) {
        hl_damage(s->problems, s->path, 0, "byte %llu: %s", (unsigned long long)r->at, why->text);
        return 0;
    }
    hl_damage(s->problems, s->path, 0, "byte %llu: rank %lld, pid %lld: %s",
              (unsigned long long)r->at, (long long)profile.identity.rank,
              (long long)profile.identity.pid, why->text);
    return keep_profile(r, &profile, true);
}

/* The offset of the next magic from r->at + 8 on, or the end of the file. */
static int find_next(struct reader *r, uint64_t *next)
{
    uint64_t at = r->at + 8;

    for (;;) {
        int rc = load(r, at, HL_PROFILE_BYTES);

        if (rc)
            return rc;
        for (size_t i = 0; i + 8 <= r->there; i += 8) {
            if (memcmp(r->buffer + i, HL_PROFILE_MAGIC, 8) == 0) {
                *next = at + i;
                return 0;
            }
        }
        if (r->there < HL_PROFILE_BYTES) {
            *next = r->size > at ? r->size : at;
            return 0;
        }
        at += HL_PROFILE_BYTES;
    }
}

/* A copy that was cut runs into the next one: the offset of that, or whole. */
static size_t next_inside(const struct reader *r, size_t whole)
{
    for (size_t i = sizeof(struct hl_profile_header); i + sizeof(struct hl_profile_header) <= whole;
         i += 8) {
        size_t length;
        int rc;

        if (memcmp(r->buffer + i, HL_PROFILE_MAGIC, 8) != 0)
            continue;
        rc = hl_profile_length(r->buffer + i, whole - i, &length, NULL);
        if (rc == 0 || rc == -ENODATA)
            return i;
    }
    return whole;
}

static bool all_zero(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Nothing readable begins at r->at: goes on behind it. */
static int step_over(struct reader *r, const struct hl_error *why, uint64_t *at)
{
    const struct hl_source *s = r->source;
    bool zeros = all_zero(r->buffer, r->there < 8 ? r->there : 8);
    uint64_t from = r->at;
    int rc = find_next(r, at);

    if (rc == 0 && !(zeros && *at <= r->zeros_until))
        hl_damage(s->problems, s->path, 0, "bytes %llu to %llu: %s", (unsigned long long)from,
                  (unsigned long long)*at, why->text);
    return rc;
}

/* The profile at *at, which goes on to the next. */
static int take_profile(struct reader *r, uint64_t *at)
{
    struct hl_error why = {""};
    struct hl_profile profile;
    size_t whole = 0, inside;
    int rc = load(r, *at, sizeof(struct hl_profile_header));

    if (rc == 0) {
        int found = hl_profile_length(r->buffer, r->there, &whole, &why);

        if (found == 0 || found == -ENODATA)
            rc = load(r, *at, whole);
    }
    if (rc)
        return rc;
    rc = hl_profile_length(r->buffer, r->there, &whole, &why);
    if (rc == 0 && (inside = next_inside(r, whole)) < whole) {
        rc = hl_fail(&why, -ENODATA, "profile cut short: %zu of %zu bytes", inside, whole);
        r->there = inside;
    }
    if (rc == 0)
        rc = hl_profile_fold(r->buffer, r->there, &profile, &why);
    if (rc == -ENODATA) {
        *at += r->there ? r->there : r->size;
        return take_cut(r, &why);
    }
    if (rc)
        return step_over(r, &why, at);
    r->zeros_until = *at + ((const struct hl_profile_header *)(void *)r->buffer)->file_bytes;
    *at += whole;
    return keep_profile(r, &profile, false);
}

int hl_profile_file_read(const struct hl_source *source)
{
    struct reader r = {.source = source, .buffer = malloc(HL_PROFILE_BYTES)};
    struct stat st;
    uint64_t at = 0;
    int rc = 0;

    if (!r.buffer)
        return -ENOMEM;
    if (fstat(source->fd, &st) == 0)
        r.size = (uint64_t)st.st_size;
    while (rc == 0 && at < r.size)
        rc = take_profile(&r, &at);
    free(r.buffer);
    if (rc && rc != -ENOMEM) {
        hl_damage(source->problems, source->path, 0, "cannot be read on: %s", strerror(-rc));
        rc = 0;
    }
    return rc;
}
