/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The ranks with the most heap, or the processes where there are no ranks.
 */
#include "report/view.h"

#include "report/clean.h"

#define RANKS_SHOWN 10

static const struct hl_head rank_heads[] = {
    {"Rank", HL_VALUE_COUNT},   {"Node", HL_VALUE_TEXT},    {"PeakHeap", HL_VALUE_BYTES},
    {"At_s", HL_VALUE_MS},      {"Live", HL_VALUE_BYTES},   {"VmHWM", HL_VALUE_BYTES},
    {"Allocs", HL_VALUE_COUNT}, {"Program", HL_VALUE_TEXT},
};
static const struct hl_head process_heads[] = {
    {"Pid", HL_VALUE_COUNT},    {"Node", HL_VALUE_TEXT},    {"PeakHeap", HL_VALUE_BYTES},
    {"At_s", HL_VALUE_MS},      {"Live", HL_VALUE_BYTES},   {"VmHWM", HL_VALUE_BYTES},
    {"Allocs", HL_VALUE_COUNT}, {"Program", HL_VALUE_TEXT},
};
/* Where two launches have a rank 0 each. */
static const struct hl_head world_heads[] = {
    {"Rank", HL_VALUE_COUNT},   {"Node", HL_VALUE_TEXT},  {"PeakHeap", HL_VALUE_BYTES},
    {"At_s", HL_VALUE_MS},      {"Live", HL_VALUE_BYTES}, {"VmHWM", HL_VALUE_BYTES},
    {"Allocs", HL_VALUE_COUNT}, {"World", HL_VALUE_TEXT},
};
#define HEADS (sizeof(rank_heads) / sizeof(rank_heads[0]))

static void put_subject(struct hl_output *out, const struct hl_summary *s, const struct hl_rec *rec)
{
    const union hl_cell *cell = rec->row.cell;
    char name[256];

    hl_node_name(hl_rec_node(rec), name, sizeof(name));
    const struct hl_value values[HEADS] = {
        hl_number_value(HL_VALUE_COUNT, cell[s->ranks ? HL_C_RANK : HL_C_PID].i),
        hl_text_value(name),
        hl_number_value(HL_VALUE_BYTES, hl_rec_own(rec, HL_C_PEAK)),
        hl_number_value(HL_VALUE_MS, cell[HL_C_PEAK_TIME].i),
        hl_number_value(HL_VALUE_BYTES, hl_rec_own(rec, HL_C_LIVE)),
        hl_number_value(HL_VALUE_BYTES, cell[HL_C_VMHWM].i),
        hl_number_value(HL_VALUE_COUNT, cell[HL_C_ALLOCS].i),
        hl_text_value(s->worlds > 1 ? cell[HL_C_WORLD].s : hl_base_name(cell[HL_C_EXE].s)),
    };

    out->format->row(out, values);
}

static void say_rest(struct hl_output *out, const struct hl_summary *s, size_t shown)
{
    char buffer[128];
    struct hl_text text;

    if (shown == s->peak.count)
        return;
    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_string(&text, "... and ");
    hl_text_int(&text, (int64_t)(s->peak.count - shown));
    hl_text_string(&text, s->ranks ? " more ranks" : " more processes");
    hl_text_string(&text, " with less; --all shows them, --format=csv has all figures");
    out->format->line(out, buffer);
}

void hl_view_ranks(struct hl_output *out, const struct hl_summary *s,
                   const struct hl_view_options *options)
{
    size_t shown = s->peak.count; /* heaviest first, so those without figures last */

    if (s->subject_count < 2 || shown == 0) /* all has been said of a single one */
        return;
    if (!options->all && shown > RANKS_SHOWN)
        shown = RANKS_SHOWN;
    out->format->table(out,
                       s->worlds > 1 ? world_heads
                       : s->ranks    ? rank_heads
                                     : process_heads,
                       HEADS);
    for (size_t i = 0; i < shown; i++)
        put_subject(out, s, s->heaviest[i]);
    out->format->table_end(out);
    say_rest(out, s, shown);
}
