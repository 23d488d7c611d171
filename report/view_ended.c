/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What ended badly, how, and with how much heap in use then.
 */
#include "report/view.h"

#include "report/clean.h"

#include <string.h>

#define BAD_SHOWN 16

static const struct hl_head rank_heads[] = {
    {"Rank", HL_VALUE_COUNT}, {"Node", HL_VALUE_TEXT},      {"Ended", HL_VALUE_TEXT},
    {"Live", HL_VALUE_BYTES}, {"PeakHeap", HL_VALUE_BYTES}, {"Note", HL_VALUE_TEXT},
};
static const struct hl_head process_heads[] = {
    {"Pid", HL_VALUE_COUNT},  {"Node", HL_VALUE_TEXT},      {"Ended", HL_VALUE_TEXT},
    {"Live", HL_VALUE_BYTES}, {"PeakHeap", HL_VALUE_BYTES}, {"Note", HL_VALUE_TEXT},
};
#define HEADS (sizeof(rank_heads) / sizeof(rank_heads[0]))

/* "SIGKILL": the names that C has for signals, not the host's sentences. */
static void name_signal(struct hl_text *out, int64_t signal)
{
    const char *name = signal > 0 && signal < 65 ? sigabbrev_np((int)signal) : NULL;

    hl_text_string(out, name ? "SIG" : "signal ");
    if (name)
        hl_text_string(out, name);
    else if (signal >= 0)
        hl_text_int(out, signal);
    else
        hl_text_string(out, "unknown");
}

static void how(struct hl_text *out, const union hl_cell *cell)
{
    const char *ended = cell[HL_C_ENDED].s;

    if (strcmp(ended, HL_ENDED_SIGNAL) == 0) {
        name_signal(out, cell[HL_C_SIGNAL].i);
    } else if (strcmp(ended, HL_ENDED_OOM) == 0) {
        hl_text_string(out, "out of memory");
    } else if (strcmp(ended, HL_ENDED_NOT_SEEN) == 0) {
        hl_text_string(out, "not seen");
        if (cell[HL_C_SIGNAL].i > 0) {
            hl_text_string(out, ", ");
            name_signal(out, cell[HL_C_SIGNAL].i);
        }
    } else if (strcmp(ended, HL_ENDED_EXIT) != 0) {
        hl_text_string(out, ended);
    }
    if (cell[HL_C_EXIT_CODE].i > 0) {
        hl_text_string(out, out->length ? ", exit " : "exit ");
        hl_text_int(out, cell[HL_C_EXIT_CODE].i);
    }
}

static void note_of(struct hl_text *out, const struct hl_summary *s, const union hl_cell *cell)
{
    if (s->worlds > 1) { /* or rank 0 may be either of two */
        hl_text_string(out, "of ");
        hl_text_string(out, *cell[HL_C_WORLD].s ? cell[HL_C_WORLD].s : "no world");
        hl_text_string(out, *cell[HL_C_NOTE].s ? ": " : "");
    }
    hl_text_string(out, cell[HL_C_NOTE].s);
    if (!*cell[HL_C_NOTE].s && strcmp(cell[HL_C_ENDED].s, HL_ENDED_VANISHED) == 0)
        hl_text_string(out, out->length ? ": no word of its end" : "no word of its end");
}

static void put_bad(struct hl_output *out, const struct hl_summary *s, const struct hl_rec *rec)
{
    const union hl_cell *cell = rec->row.cell;
    char buffer[64], name[256], note_room[1024];
    struct hl_text text, note;

    hl_text_init(&text, buffer, sizeof(buffer));
    how(&text, cell);
    hl_text_init(&note, note_room, sizeof(note_room));
    note_of(&note, s, cell);
    hl_node_name(hl_rec_node(rec), name, sizeof(name));
    const struct hl_value values[HEADS] = {
        hl_number_value(HL_VALUE_COUNT, cell[s->ranks ? HL_C_RANK : HL_C_PID].i),
        hl_text_value(name),
        hl_text_value(buffer),
        hl_number_value(HL_VALUE_BYTES, hl_rec_own(rec, HL_C_LIVE)),
        hl_number_value(HL_VALUE_BYTES, hl_rec_own(rec, HL_C_PEAK)),
        hl_text_value(note_room),
    };

    out->format->row(out, values);
}

static void say_rest(struct hl_output *out, const struct hl_summary *s, size_t shown)
{
    char buffer[160];
    struct hl_text text;

    hl_text_init(&text, buffer, sizeof(buffer));
    if (shown < s->bad_count) {
        hl_text_string(&text, "... and ");
        hl_text_int(&text, (int64_t)(s->bad_count - shown));
        hl_text_string(&text, " more that did not end well; --all shows them");
        out->format->line(out, buffer);
    }
}

static void say_others(struct hl_output *out, const struct hl_summary *s)
{
    char buffer[160];
    struct hl_text text;

    if (s->bad_others == 0)
        return;
    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_int(&text, (int64_t)s->bad_others);
    hl_text_string(&text, s->bad_others == 1 ? " child or helper" : " children and helpers");
    hl_text_string(&text, " did not end well: see column ended of --format=csv");
    out->format->line(out, buffer);
}

void hl_view_ended(struct hl_output *out, const struct hl_summary *s,
                   const struct hl_view_options *options)
{
    size_t shown = options->all || s->bad_count < BAD_SHOWN ? s->bad_count : BAD_SHOWN;

    if (shown) {
        out->format->table(out, s->ranks ? rank_heads : process_heads, HEADS);
        for (size_t i = 0; i < shown; i++)
            put_bad(out, s, s->bad[i]);
        out->format->table_end(out);
        say_rest(out, s, shown);
    }
    say_others(out, s);
}
