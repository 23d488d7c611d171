/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See units.h.
 */
#include "report/units.h"

#include <time.h>

#define RANGES_SHOWN 12

static bool digits(const char *text, size_t length, uint64_t *out)
{
    uint64_t value = 0;

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || value > (UINT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = value;
    return true;
}

bool hl_parse_int(const char *text, size_t length, int64_t *out)
{
    bool minus = length > 0 && text[0] == '-';
    uint64_t value;

    if (!digits(text + minus, length - minus, &value) || value > INT64_MAX)
        return false;
    *out = minus ? -(int64_t)value : (int64_t)value;
    return true;
}

bool hl_parse_ms(const char *text, size_t length, int64_t *out)
{
    uint64_t seconds, part;
    int64_t value, ms = 0;
    size_t whole = 0, decimals;

    if (length == 2 && text[0] == '-' && text[1] == '1') {
        *out = -1;
        return true;
    }
    while (whole < length && text[whole] != '.')
        whole++;
    if (!digits(text, whole, &seconds) || __builtin_mul_overflow(seconds, 1000, &value))
        return false;
    if (whole < length) {
        decimals = length - whole - 1;
        if (decimals > 9 || !digits(text + whole + 1, decimals, &part))
            return false;
        for (size_t i = 1; i <= 3; i++)
            ms = ms * 10 + (i <= decimals ? text[whole + i] - '0' : 0);
    }
    return !__builtin_add_overflow(value, ms, out);
}

int64_t hl_add(int64_t a, int64_t b)
{
    int64_t sum;

    if (b < 0)
        return a;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t hl_less(int64_t a, int64_t b)
{
    int64_t rest;

    if (b < 0)
        return a;
    return __builtin_sub_overflow(a, b, &rest) ? INT64_MIN : rest;
}

static void two_digits(struct hl_text *out, int64_t value, const char *end)
{
    if (value < 10)
        hl_text_string(out, "0");
    hl_text_int(out, value);
    hl_text_string(out, end);
}

void hl_text_duration(struct hl_text *out, int64_t ms)
{
    int64_t s = ms / 1000;

    if (ms < 0) {
        hl_text_string(out, "-");
        return;
    }
    if (s < 60) {
        hl_text_seconds(out, ms);
        hl_text_string(out, " s");
        return;
    }
    if (s >= 86400) {
        hl_text_int(out, s / 86400);
        hl_text_string(out, "-");
    }
    two_digits(out, s / 3600 % 24, ":");
    two_digits(out, s / 60 % 60, ":");
    two_digits(out, s % 60, "");
}

void hl_text_utc(struct hl_text *out, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    char text[64];

    if (ms < 0 || ms > HL_UTC_MAX || !gmtime_r(&seconds, &tm) ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
        hl_text_string(out, "-");
    else
        hl_text_string(out, text);
}

static void close_range(struct hl_ranges *r)
{
    if (r->ranges == 0)
        return;
    if (r->ranges > RANGES_SHOWN) {
        r->hidden++;
        return;
    }
    hl_text_string(r->out, r->ranges > 1 ? "," : "");
    hl_text_int(r->out, r->first);
    if (r->last > r->first) {
        hl_text_string(r->out, "-");
        hl_text_int(r->out, r->last);
    }
}

void hl_ranges_add(struct hl_ranges *r, int64_t first, int64_t last)
{
    if (r->ranges && first <= hl_add(r->last, 1)) {
        r->last = last > r->last ? last : r->last;
        return;
    }
    close_range(r);
    r->ranges++;
    r->first = first;
    r->last = last;
}

void hl_ranges_end(struct hl_ranges *r)
{
    close_range(r);
    if (r->hidden)
        hl_text_string(r->out, ",...");
}
