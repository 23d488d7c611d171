/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Own tables instead of wcwidth: the result must not depend on the locale.
 */
#include "report/clean.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Length of the UTF-8 sequence at s and its code point; 0 where it is broken. */
static size_t decode(const char *s, uint32_t *point)
{
    const unsigned char *b = (const unsigned char *)s;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = b[0] < 0x80 ? 1 : b[0] >> 5 == 6 ? 2 : b[0] >> 4 == 14 ? 3 : b[0] >> 3 == 30 ? 4 : 0;

    if (n == 0)
        return 0;
    *point = n == 1 ? b[0] : b[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (b[i] >> 6 != 2) /* a NUL ends it here, too */
            return 0;
        *point = *point << 6 | (b[i] & 0x3f);
    }
    return *point < least[n] || *point > 0x10ffff || *point >> 11 == 0x1b ? 0 : n;
}

struct range {
    uint32_t first, last;
};

static bool within(uint32_t point, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

/* Controls, and what is invisible or turns the direction of what follows. */
static bool hidden(uint32_t point)
{
    static const struct range ranges[] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x300, 0x36f},   {0x61c, 0x61c},
        {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xe000, 0xf8ff},
        {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff},
    };

    return within(point, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static size_t width(uint32_t point)
{
    static const struct range wide[] = {
        {0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
        {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd},
    };

    return within(point, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

size_t hl_clean(const char *text, char *out, size_t capacity)
{
    size_t used = 0, columns = 0;

    while (*text) {
        uint32_t point = 0;
        size_t n = decode(text, &point);
        bool plain = n > 0 && !hidden(point);

        if (used + (plain ? n : 1) >= capacity)
            break;
        if (plain)
            memcpy(out + used, text, n);
        else
            out[used] = '?';
        used += plain ? n : 1;
        columns += plain ? width(point) : 1;
        text += n ? n : 1;
    }
    out[used] = '\0';
    return columns;
}

size_t hl_columns_of(const char *clean)
{
    size_t columns = 0;

    while (*clean) {
        uint32_t point = 0;
        size_t n = decode(clean, &point);

        columns += n ? width(point) : 1;
        clean += n ? n : 1;
    }
    return columns;
}

size_t hl_bytes_within(const char *clean, size_t columns)
{
    const char *at = clean;

    while (*at) {
        uint32_t point = 0;
        size_t n = decode(at, &point), w = n ? width(point) : 1;

        if (w > columns)
            break;
        columns -= w;
        at += n ? n : 1;
    }
    return (size_t)(at - clean);
}

size_t hl_clean_fit(const char *text, size_t columns, char *out, size_t capacity)
{
    size_t total = hl_clean(text, out, capacity), head, tail, drop;

    if (total <= columns)
        return total;
    if (columns < 4) {
        out[hl_bytes_within(out, columns)] = '\0';
        return hl_columns_of(out);
    }
    /* the end of a name tells more than its middle: n0001..0917 */
    head = (columns - 2) / 2;
    tail = columns - 2 - head;
    drop = hl_bytes_within(out, total - tail);
    if (hl_columns_of(out + drop) > tail) /* a wide character on the edge */
        drop += hl_bytes_within(out + drop, 2);
    head = hl_bytes_within(out, head);
    memmove(out + head + 2, out + drop, strlen(out + drop) + 1);
    memcpy(out + head, "..", 2);
    return hl_columns_of(out);
}

void hl_node_name(const char *node, char *out, size_t capacity)
{
    size_t length = strlen(node), host = strcspn(node, ".");

    if (length > 20 && host > 0 && (node[0] < '0' || node[0] > '9'))
        length = host;
    if (length >= capacity)
        length = capacity - 1;
    memcpy(out, node, length);
    out[length] = '\0';
}

const char *hl_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
