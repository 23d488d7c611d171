/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What the gather has to say of a node, and what must be known of a row.
 */
#include "report/view.h"

#define NOTES_SHOWN 10

static void put_note(struct hl_output *out, const char *where, const char *what)
{
    char buffer[1024];
    struct hl_text text;

    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_string(&text, where);
    hl_text_string(&text, *where ? ": " : "");
    hl_text_string(&text, what);
    out->format->field(out, "Note", buffer);
}

void hl_view_notes(struct hl_output *out, const struct hl_summary *s,
                   const struct hl_view_options *options)
{
    const struct hl_step *step = s->step;
    size_t shown = step->remark_count;

    if (!options->all && shown > NOTES_SHOWN)
        shown = NOTES_SHOWN;
    if (shown)
        out->format->line(out, "");
    for (size_t i = 0; i < shown; i++)
        put_note(out, step->remarks[i].node, step->remarks[i].text);
    if (shown < step->remark_count)
        put_note(out, "", "there are more; --all shows them");
}
