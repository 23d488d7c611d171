/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A line a node, where there is more than one.
 */
#include "report/clean.h"
#include "report/view.h"

#include <stdlib.h>

#define NODES_SHOWN 16

static const struct hl_head heads[] = {
    {"Node", HL_VALUE_TEXT},     {"Ranks", HL_VALUE_COUNT},    {"Bad", HL_VALUE_COUNT},
    {"MinHeap", HL_VALUE_BYTES}, {"MaxHeap", HL_VALUE_BYTES},  {"MaxRank", HL_VALUE_COUNT},
    {"SumHeap", HL_VALUE_BYTES}, {"SumVmHWM", HL_VALUE_BYTES},
};

static int by_weight(const void *a, const void *b)
{
    const struct hl_node *na = *(const struct hl_node *const *)a;
    const struct hl_node *nb = *(const struct hl_node *const *)b;

    if (na->sum_peak != nb->sum_peak)
        return na->sum_peak > nb->sum_peak ? -1 : 1;
    return (na > nb) - (na < nb);
}

static void put_node(struct hl_output *out, const struct hl_node *node)
{
    int64_t rank = node->highest ? node->highest->row.cell[HL_C_RANK].i : -1;
    bool any = node->highest != NULL;
    char name[256];

    hl_node_name(node->name, name, sizeof(name));
    const struct hl_value values[] = {
        hl_text_value(name),
        hl_number_value(HL_VALUE_COUNT, (int64_t)node->subjects),
        hl_number_value(HL_VALUE_COUNT, (int64_t)node->bad),
        hl_number_value(HL_VALUE_BYTES, any ? node->min_peak : -1),
        hl_number_value(HL_VALUE_BYTES, any ? node->max_peak : -1),
        hl_number_value(HL_VALUE_COUNT, rank),
        hl_number_value(HL_VALUE_BYTES, any ? node->sum_peak : -1),
        hl_number_value(HL_VALUE_BYTES, node->sum_vmhwm ? node->sum_vmhwm : -1),
    };

    out->format->row(out, values);
}

static void say_rest(struct hl_output *out, size_t shown, size_t count)
{
    char buffer[128];
    struct hl_text text;

    if (shown == count)
        return;
    hl_text_init(&text, buffer, sizeof(buffer));
    hl_text_string(&text, "... and ");
    hl_text_int(&text, (int64_t)(count - shown));
    hl_text_string(&text, " more with less heap; --all shows them");
    out->format->line(out, buffer);
}

void hl_view_nodes(struct hl_output *out, const struct hl_summary *s,
                   const struct hl_view_options *options)
{
    bool all = options->all || s->node_count <= NODES_SHOWN;
    size_t shown = all ? s->node_count : NODES_SHOWN;
    const struct hl_node **nodes;

    if (s->node_count < 2 || !s->ranks)
        return;
    nodes = calloc(s->node_count, sizeof(*nodes));
    out->no_memory |= !nodes;
    if (!nodes)
        return;
    for (size_t n = 0; n < s->node_count; n++)
        nodes[n] = &s->nodes[n];
    if (!all)
        qsort(nodes, s->node_count, sizeof(*nodes), by_weight);
    out->format->table(out, heads, sizeof(heads) / sizeof(heads[0]));
    for (size_t n = 0; n < shown; n++)
        put_node(out, nodes[n]);
    out->format->table_end(out);
    say_rest(out, shown, s->node_count);
    free(nodes);
}
