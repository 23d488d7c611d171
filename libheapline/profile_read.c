/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Nothing in a profile is believed before it is checked: it may have been
 * written by a hostile user and is read by the administrator, too. */
#include "libheapline/profile_read.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int check_header(const struct hl_profile_header *h, size_t length, struct hl_error *err)
{
    if (length < sizeof(*h) || memcmp(h->magic, HL_PROFILE_MAGIC, sizeof(h->magic)) != 0)
        return hl_fail(err, -EBADMSG, "not a heapline profile");
    if (h->byte_order == __builtin_bswap32(HL_PROFILE_ORDER))
        return hl_fail(err, -EPROTONOSUPPORT, "profile of a machine with another byte order");
    if (h->byte_order != HL_PROFILE_ORDER) /* a text that begins with our name */
        return hl_fail(err, -EBADMSG, "not a heapline profile");
    if (h->version != HL_PROFILE_VERSION)
        return hl_fail(err, -EPROTONOSUPPORT, "profile version %u; this heapline reads version %d",
                       h->version, HL_PROFILE_VERSION);
    if (h->used_bytes < sizeof(*h) || h->used_bytes > HL_PROFILE_BYTES ||
        h->section_count > HL_PROFILE_SECTIONS)
        return hl_fail(err, -EBADMSG, "damaged profile header");
    return 0;
}

int hl_profile_length(const void *data, size_t length, size_t *profile_bytes, struct hl_error *err)
{
    const struct hl_profile_header *h = data;
    int rc = check_header(h, length, err);

    if (rc)
        return rc;
    *profile_bytes = (size_t)((h->used_bytes + 7) & ~UINT64_C(7));
    if (*profile_bytes > length)
        return hl_fail(err, -ENODATA, "profile cut short: %zu of %zu bytes", length,
                       *profile_bytes);
    return 0;
}

/* The section with this id and version 1 if all of [offset, offset + want) can
 * be read, or as much of it as whole entries are there; else NULL. */
static const struct hl_section *find_section(const struct hl_profile_header *h, uint32_t id,
                                             size_t entry_bytes)
{
    for (uint32_t s = 0; s < h->section_count; s++) {
        const struct hl_section *section = &h->sections[s];

        if (section->id == id && section->version == 1 && section->entry_bytes == entry_bytes &&
            section->offset % 8 == 0 && section->offset <= h->used_bytes)
            return section;
    }
    return NULL;
}

static size_t entries_in(const struct hl_profile_header *h, const struct hl_section *section)
{
    uint64_t length = h->used_bytes - section->offset;
    uint64_t count;

    if (section->length < length)
        length = section->length;
    count = length / section->entry_bytes;
    return section->entry_count < count ? section->entry_count : (size_t)count;
}

static bool takes(unsigned f)
{
    return f == HL_F_FREE || f == HL_F_FREE_SIZED || f == HL_F_FREE_ALIGNED_SIZED;
}

/* Sums up what is stored; pair 0 and 1 are no classes. */
static void add_words(struct hl_profile *p, struct hl_slot *slot, uint64_t *blocks,
                      uint64_t *bytes_given)
{
    *blocks = 0;
    *bytes_given = *hl_slot_word(slot, HL_W_BYTES + HL_F_MALLOC);
    for (unsigned c = 2; c < HL_CLASS_COUNT; c++) {
        uint64_t n = *hl_slot_class(slot, c);

        p->classes[c] += n;
        *blocks += n;
        *bytes_given += n * hl_class_bytes(c);
    }
    for (unsigned f = 0; f < HL_F_COUNT; f++) {
        p->calls[f] += *hl_slot_word(slot, HL_W_CALLS + f);
        p->bytes[f] += f == HL_F_MALLOC ? 0 : *hl_slot_word(slot, HL_W_BYTES + f);
        p->failed[f] += *hl_slot_word(slot, HL_W_FAILED + f);
    }
}

/* The figures that are derived: see struct hl_slot. */
static void fold_slot(struct hl_profile *p, struct hl_slot *slot)
{
    uint64_t net = *hl_slot_net(slot) ? *hl_slot_net(slot) - HL_NET_BIAS : 0;
    uint64_t blocks, given, malloc_calls, malloc_bytes, free_bytes;

    add_words(p, slot, &blocks, &given);
    malloc_calls = blocks;
    malloc_bytes = given;
    free_bytes = given - net - *hl_slot_word(slot, HL_W_RELEASED_BYTES);
    for (unsigned f = 0; f < HL_F_COUNT; f++) {
        uint64_t calls = *hl_slot_word(slot, HL_W_CALLS + f);
        uint64_t bytes = *hl_slot_word(slot, HL_W_BYTES + f);

        if (takes(f)) {
            p->frees += calls;
            free_bytes -= bytes;
        } else if (f != HL_F_MALLOC) {
            malloc_calls -= calls;
            malloc_bytes -= bytes;
        }
    }
    p->allocs += blocks;
    p->frees += *hl_slot_word(slot, HL_W_RELEASED_CALLS);
    p->calls[HL_F_MALLOC] += malloc_calls;
    p->bytes[HL_F_MALLOC] += malloc_bytes;
    p->bytes[HL_F_FREE] += free_bytes;
    p->live_bytes = (int64_t)((uint64_t)p->live_bytes + net);
}

static void settle_peak(struct hl_profile *p)
{
    const int64_t *m = p->metrics;
    bool many = m[HL_M_PEAK] > m[HL_M_SINGLE_PEAK];

    p->peak_bytes = many ? m[HL_M_PEAK] : m[HL_M_SINGLE_PEAK];
    p->peak_time_ns = p->allocs == 0 ? -1 : m[many ? HL_M_PEAK_TIME : HL_M_SINGLE_PEAK_TIME];
    /* What threads hold back may be more than the peak that they published. */
    if (p->live_bytes > p->peak_bytes)
        p->peak_bytes = p->live_bytes;
}

static void end_strings(struct hl_identity *id)
{
    id->job[sizeof(id->job) - 1] = '\0';
    id->step[sizeof(id->step) - 1] = '\0';
    id->node[sizeof(id->node) - 1] = '\0';
    id->host[sizeof(id->host) - 1] = '\0';
    id->world[sizeof(id->world) - 1] = '\0';
    id->exe[sizeof(id->exe) - 1] = '\0';
    id->args[sizeof(id->args) - 1] = '\0';
    if (id->args_bytes < 0 || id->args_bytes > (int64_t)sizeof(id->args))
        id->args_bytes = 0;
}

int hl_profile_fold(const void *data, size_t length, struct hl_profile *out, struct hl_error *err)
{
    const struct hl_profile_header *h = data;
    const char *bytes = data;
    const struct hl_section *metrics, *identity, *slots;
    size_t whole;
    int rc = hl_profile_length(data, length, &whole, err);

    if (rc)
        return rc;
    metrics = find_section(h, HL_SECTION_METRICS, sizeof(int64_t));
    identity = find_section(h, HL_SECTION_IDENTITY, sizeof(struct hl_identity));
    slots = find_section(h, HL_SECTION_SLOTS, sizeof(struct hl_slot));
    if (!metrics || entries_in(h, metrics) < HL_M_COUNT || !identity ||
        entries_in(h, identity) < 1 || !slots)
        return hl_fail(err, -EBADMSG, "damaged profile: a section is missing or out of bounds");

    memset(out, 0, sizeof(*out));
    memcpy(out->metrics, bytes + metrics->offset, sizeof(out->metrics));
    memcpy(&out->identity, bytes + identity->offset, sizeof(out->identity));
    end_strings(&out->identity);
    out->live_bytes = out->metrics[HL_M_INHERITED];
    for (size_t n = entries_in(h, slots), s = 0; s < n; s++) {
        struct hl_slot slot;

        memcpy(&slot, bytes + slots->offset + s * sizeof(slot), sizeof(slot));
        fold_slot(out, &slot);
    }
    settle_peak(out);
    return 0;
}

static int64_t to_ms(int64_t ns)
{
    return ns < 0 ? -1 : ns / 1000000;
}

void hl_profile_row(const struct hl_profile *p, struct hl_row *row)
{
    const struct hl_identity *id = &p->identity;
    bool ended = p->metrics[HL_M_END] == HL_END_EXIT;

    hl_row_init(row);
    row->cell[HL_C_RANK].i = id->rank;
    row->cell[HL_C_HOST].s = id->host;
    row->cell[HL_C_PID].i = id->pid;
    row->cell[HL_C_JOB].s = id->job;
    row->cell[HL_C_ELAPSED].i = ended ? to_ms(p->metrics[HL_M_END_TIME]) : -1;
    row->cell[HL_C_ALLOCS].i = (int64_t)p->allocs;
    row->cell[HL_C_FREES].i = (int64_t)p->frees;
    row->cell[HL_C_PEAK].i = p->peak_bytes;
    row->cell[HL_C_PEAK_TIME].i = to_ms(p->peak_time_ns < 0 ? 0 : p->peak_time_ns);
    row->cell[HL_C_LIVE].i = p->live_bytes;
    row->cell[HL_C_VMHWM].i = p->metrics[HL_M_VMHWM];
    row->cell[HL_C_VMRSS].i = ended ? p->metrics[HL_M_VMRSS] : -1;
    row->cell[HL_C_STEP].s = id->step;
    row->cell[HL_C_NODE].s = id->node;
    row->cell[HL_C_TASK].i = id->task;
    row->cell[HL_C_WORLD].s = id->world;
    row->cell[HL_C_PPID].i = id->ppid;
    row->cell[HL_C_EXE].s = id->exe;
    row->cell[HL_C_START].i = to_ms(id->start_unix_ns);
    row->cell[HL_C_ENDED].s = ended ? HL_ENDED_EXIT : HL_ENDED_VANISHED;
    row->cell[HL_C_EXIT_CODE].i = ended ? p->metrics[HL_M_EXIT_CODE] : -1;
    row->cell[HL_C_SIGNAL].i = ended ? 0 : -1;
    row->cell[HL_C_IMAGE].i = 0;
    row->cell[HL_C_THREADS].i = p->metrics[HL_M_THREADS];
    row->cell[HL_C_INHERITED].i = p->metrics[HL_M_INHERITED];
    row->cell[HL_C_SOURCE].s = HL_SOURCE_PROFILE;
}
