/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The step in a dozen lines: who ran, how much heap, where the most of it.
 */
#include "report/view.h"

#include "report/units.h"

#include <string.h>

#define ROOM 2048

struct writer {
    struct hl_output *out;
    const struct hl_summary *s;
    char buffer[ROOM];
    struct hl_text text;
};

static struct hl_text *begin(struct writer *w)
{
    hl_text_init(&w->text, w->buffer, sizeof(w->buffer));
    return &w->text;
}

static void end(struct writer *w, const char *label)
{
    if (w->text.length)
        w->out->format->field(w->out, label, w->buffer);
}

static void count_of(struct hl_text *t, size_t count, const char *one, const char *many)
{
    hl_text_int(t, (int64_t)count);
    hl_text_string(t, " ");
    hl_text_string(t, count == 1 ? one : many);
}

static const char *subjects(const struct hl_summary *s, size_t count)
{
    if (s->ranks)
        return count == 1 ? "rank" : "ranks";
    return count == 1 ? "process" : "processes";
}

static void title(struct writer *w)
{
    const struct hl_step *step = w->s->step;
    struct hl_text *t = begin(w);

    hl_text_string(t, "heapline: ");
    if (*step->job) {
        hl_text_string(t, "job ");
        hl_text_string(t, step->job);
    } else {
        hl_text_string(t, w->s->ranks ? "MPI outside Slurm" : "outside Slurm");
    }
    if (*step->step) {
        hl_text_string(t, ", step ");
        hl_text_string(t, step->step);
    }
    if (step->manifest && *step->manifest->job_name) {
        hl_text_string(t, " (");
        hl_text_string(t, step->manifest->job_name);
        hl_text_string(t, ")");
    }
    w->out->format->title(w->out, w->buffer);
}

static void command(struct writer *w)
{
    const struct hl_step *step = w->s->step;
    struct hl_text *t = begin(w);

    if (step->manifest && *step->manifest->command)
        hl_text_string(t, step->manifest->command);
    else if (w->s->peak.highest)
        hl_text_string(t, w->s->peak.highest->row.cell[HL_C_EXE].s);
    end(w, step->manifest ? "Command" : "Program");
    begin(w);
    hl_text_string(t, step->dir);
    end(w, "Directory");
}

static void elapsed(struct writer *w)
{
    struct hl_text *t = begin(w);
    int64_t start = w->s->start_ms;

    if (start < 0 && w->s->step->manifest)
        start = w->s->step->manifest->start_ms;
    hl_text_duration(t, w->s->elapsed_ms);
    if (start >= 0 && start <= HL_UTC_MAX) {
        hl_text_string(t, ", from ");
        hl_text_utc(t, start);
    }
    end(w, "Elapsed");
}

static void nodes(struct writer *w)
{
    const struct hl_summary *s = w->s;
    struct hl_text *t = begin(w);

    hl_text_int(t, (int64_t)s->node_count);
    for (size_t n = 0; n < s->node_count && s->node_count <= 4; n++) {
        hl_text_string(t, n ? ", " : " (");
        hl_text_string(t, *s->nodes[n].name ? s->nodes[n].name : "-");
    }
    if (s->node_count && s->node_count <= 4)
        hl_text_string(t, ")");
    end(w, "Nodes");
}

static void found(struct writer *w)
{
    const struct hl_summary *s = w->s;
    struct hl_text *t = begin(w);

    hl_text_int(t, (int64_t)s->seen);
    if (s->ranks) {
        hl_text_string(t, " of ");
        hl_text_int(t, (int64_t)s->expected);
        hl_text_string(t, " recorded");
    }
    if (s->worlds > 1) {
        hl_text_string(t, ", in ");
        count_of(t, s->worlds, "launch", "launches");
    }
    if (s->threads > 1) {
        hl_text_string(t, s->ranks ? ", up to " : ", ");
        count_of(t, (size_t)s->threads, "thread", "threads");
        hl_text_string(t, s->ranks ? " each" : "");
    }
    end(w, s->ranks ? "Ranks" : "Processes");
}

static void place(struct writer *w, const struct hl_rec *rec)
{
    struct hl_text *t = &w->text;

    hl_name_subject(t, w->s, rec);
    if (*hl_rec_node(rec)) {
        hl_text_string(t, " on ");
        hl_text_string(t, hl_rec_node(rec));
    }
}

/* 1.04, without the locale's comma. */
static void ratio(struct hl_text *t, double value)
{
    int64_t hundredths = value < 1e15 ? (int64_t)(value * 100 + 0.5) : INT64_MAX;

    hl_text_int(t, hundredths / 100);
    hl_text_string(t, ".");
    hl_text_int(t, hundredths / 10 % 10);
    hl_text_int(t, hundredths % 10);
}

/* min, median, max, and all of them added up; or the only one. */
static void spread(struct writer *w, const char *label, const struct hl_figures *f)
{
    struct hl_text *t = begin(w);

    if (f->count == 0) {
        hl_text_string(t, "unknown");
    } else if (f->count == 1) {
        hl_text_size(t, f->max);
    } else {
        hl_text_string(t, "min ");
        hl_text_size(t, f->min);
        hl_text_string(t, ", median ");
        hl_text_size(t, f->median);
        hl_text_string(t, ", max ");
        hl_text_size(t, f->max);
        hl_text_string(t, ", together ");
        hl_text_size(t, f->sum);
    }
    end(w, label);
}

static void peak(struct writer *w)
{
    const struct hl_figures *f = &w->s->peak;
    struct hl_text *t;

    spread(w, "Peak heap", f);
    if (f->count == 0)
        return;
    t = begin(w);
    hl_text_string(t, f->count > 1 ? "the most: " : "");
    place(w, f->highest);
    if (f->highest->row.cell[HL_C_PEAK_TIME].i >= 0) {
        hl_text_string(t, ", ");
        hl_text_duration(t, f->highest->row.cell[HL_C_PEAK_TIME].i);
        hl_text_string(t, " after its start");
    }
    end(w, "");
    if (f->count > 1 && f->mean > 0) {
        t = begin(w);
        ratio(t, hl_imbalance(f));
        hl_text_string(t, " (max/mean)");
        end(w, "Imbalance");
    }
}

static void allocations(struct writer *w)
{
    const struct hl_summary *s = w->s;
    struct hl_text *t = begin(w);

    if (s->allocs.count == 0) {
        hl_text_string(t, "unknown");
    } else {
        hl_text_int(t, s->allocs.sum);
        hl_text_string(t, ", released ");
        hl_text_int(t, s->frees.sum);
    }
    if (s->allocs.count > 1) {
        hl_text_string(t, "; most: ");
        hl_text_int(t, s->allocs.max);
        hl_text_string(t, " by ");
        place(w, s->allocs.highest);
    }
    end(w, "Allocations");
}

static void others(struct writer *w)
{
    const struct hl_summary *s = w->s;
    size_t children = s->ranks ? s->children : 0;
    size_t helpers = s->subject_count == s->step->count ? 0 : s->helpers;
    struct hl_text *t = begin(w);

    if (children + helpers == 0)
        return;
    if (children) {
        count_of(t, children, "child process", "child processes");
        hl_text_string(t, helpers ? ", " : "");
    }
    if (helpers)
        count_of(t, helpers, "helper (shell, launcher)", "helpers (shells, launchers)");
    hl_text_string(t, ": not in these figures");
    end(w, "Others");
}

static void ended(struct writer *w)
{
    const struct hl_summary *s = w->s;
    struct hl_text *t = begin(w);

    if (s->bad_count == 0)
        return;
    hl_text_int(t, (int64_t)s->bad_count);
    hl_text_string(t, " of ");
    hl_text_int(t, (int64_t)s->subject_count);
    hl_text_string(t, " ");
    hl_text_string(t, subjects(s, s->subject_count));
    hl_text_string(t, " not seen to end well");
    end(w, "Ended");
}

void hl_view_summary(struct hl_output *out, const struct hl_summary *summary,
                     const struct hl_view_options *options)
{
    struct writer w = {.out = out, .s = summary};

    (void)options;
    title(&w);
    command(&w);
    elapsed(&w);
    nodes(&w);
    found(&w);
    ended(&w);
    peak(&w);
    spread(&w, "Live at end", &summary->live);
    spread(&w, "VmHWM", &summary->vmhwm);
    allocations(&w);
    others(&w);
}
