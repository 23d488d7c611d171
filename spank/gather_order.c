/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The order is written by the plugin, but in a directory of the user: it is
 * checked like any other input. */
#include "spank/gather_order.h"

#include "spank/gather.h"

#include <errno.h>
#include <string.h>

struct field {
    const char *key;
    char *value;
    size_t capacity;
};

static bool has_control(const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
            return true;
    return false;
}

bool hl_order_node_valid(const char *node)
{
    size_t length = strlen(node);

    return length > 0 && length <= HL_NODE_NAME_MAX && node[0] != '.' && !strchr(node, '/') &&
           !has_control(node, length);
}

static int set_field(struct field *fields, size_t count, const char *line, size_t length,
                     struct hl_error *err)
{
    const char *space = memchr(line, ' ', length);
    size_t key_length = space ? (size_t)(space - line) : length;

    for (size_t f = 0; f < count; f++) {
        const char *key = fields[f].key;
        size_t value_length;

        if (strlen(key) != key_length || memcmp(key, line, key_length) != 0)
            continue;
        value_length = space ? length - key_length - 1 : 0;
        if (value_length == 0 || value_length >= fields[f].capacity)
            return hl_fail(err, -EBADMSG, "the order's %s is empty or too long", key);
        if (fields[f].value[0])
            return hl_fail(err, -EBADMSG, "the order has %s twice", key);
        if (has_control(space + 1, value_length))
            return hl_fail(err, -EBADMSG, "control bytes in the order's %s", key);
        memcpy(fields[f].value, space + 1, value_length);
        fields[f].value[value_length] = '\0';
        return 0;
    }
    return 0;
}

static int check_values(const struct hl_order *order, struct hl_error *err)
{
    if (!order->job[0] || !order->step[0] || !order->node[0] || !order->stepdir[0])
        return hl_fail(err, -EBADMSG, "the order is incomplete: it must name %s",
                       "job, step, node and stepdir");
    if (!hl_order_node_valid(order->node))
        return hl_fail(err, -EBADMSG, "the order's node is no name of a file: %.64s", order->node);
    if (order->stepdir[0] != '/')
        return hl_fail(err, -EBADMSG, "the order's stepdir is not absolute: %.128s",
                       order->stepdir);
    return 0;
}

int hl_order_parse(const char *text, size_t length, struct hl_order *out, struct hl_error *err)
{
    static const char first[] = "format " HL_ORDER_FORMAT "\n";
    struct field fields[] = {
        {"job", out->job, sizeof(out->job)},
        {"step", out->step, sizeof(out->step)},
        {"node", out->node, sizeof(out->node)},
        {"stepdir", out->stepdir, sizeof(out->stepdir)},
    };
    size_t at = sizeof(first) - 1;

    memset(out, 0, sizeof(*out));
    if (length < at || memcmp(text, first, at) != 0)
        return hl_fail(err, -EBADMSG, "the order does not begin with \"format %s\"",
                       HL_ORDER_FORMAT);
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t line_length;
        int rc;

        if (!end) /* its last value may be half of one */
            return hl_fail(err, -EBADMSG, "the order is cut short");
        line_length = (size_t)(end - text) - at;
        rc = set_field(fields, sizeof(fields) / sizeof(fields[0]), text + at, line_length, err);
        if (rc)
            return rc;
        at += line_length + 1;
    }
    return check_values(out, err);
}
