/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A line a step: what heapline-report DIR/JOB begins with.
 */
#include "report/view.h"

#include "report/clean.h"
#include "report/units.h"

#include <errno.h>

static const struct hl_head heads[] = {
    {"JobStep", HL_VALUE_TEXT},  {"Nodes", HL_VALUE_COUNT},   {"Ranks", HL_VALUE_COUNT},
    {"Bad", HL_VALUE_COUNT},     {"Elapsed", HL_VALUE_TEXT},  {"MinHeap", HL_VALUE_BYTES},
    {"MaxHeap", HL_VALUE_BYTES}, {"SumHeap", HL_VALUE_BYTES}, {"Program", HL_VALUE_TEXT},
};

static void name_step(struct hl_text *out, const struct hl_step *step)
{
    hl_text_string(out, *step->job ? step->job : "-");
    if (*step->step) {
        hl_text_string(out, ".");
        hl_text_string(out, step->step);
    }
}

static void put_step(struct hl_output *out, const struct hl_summary *s)
{
    char name_room[128], elapsed_room[64];
    struct hl_text name, elapsed;
    bool any = s->peak.count > 0;

    hl_text_init(&name, name_room, sizeof(name_room));
    hl_text_init(&elapsed, elapsed_room, sizeof(elapsed_room));
    name_step(&name, s->step);
    hl_text_duration(&elapsed, s->elapsed_ms);
    const struct hl_value values[] = {
        hl_text_value(name_room),
        hl_number_value(HL_VALUE_COUNT, (int64_t)s->node_count),
        hl_number_value(HL_VALUE_COUNT, (int64_t)s->subject_count),
        hl_number_value(HL_VALUE_COUNT, (int64_t)s->bad_count),
        hl_text_value(elapsed_room),
        hl_number_value(HL_VALUE_BYTES, any ? s->peak.min : -1),
        hl_number_value(HL_VALUE_BYTES, any ? s->peak.max : -1),
        hl_number_value(HL_VALUE_BYTES, any ? s->peak.sum : -1),
        hl_text_value(s->peak.highest ? hl_base_name(s->peak.highest->row.cell[HL_C_EXE].s) : ""),
    };
    out->format->row(out, values);
}

int hl_view_steps(struct hl_output *out, struct hl_step *const *steps, size_t count)
{
    struct hl_summary summary;
    char room[64];
    struct hl_text title;
    int rc = 0;

    hl_text_init(&title, room, sizeof(room));
    hl_text_string(&title, "heapline: ");
    hl_text_int(&title, (int64_t)count);
    hl_text_string(&title, " steps");
    out->format->title(out, room);
    out->format->table(out, heads, sizeof(heads) / sizeof(heads[0]));
    for (size_t s = 0; s < count && rc == 0; s++) {
        if (steps[s]->count == 0)
            continue;
        rc = hl_summary_init(&summary, steps[s]);
        if (rc == 0)
            put_step(out, &summary);
        hl_summary_fini(&summary);
    }
    out->format->table_end(out);
    return rc ? rc : out->no_memory ? -ENOMEM : 0;
}
