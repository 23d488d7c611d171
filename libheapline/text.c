/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "libheapline/text.h"

#include <string.h>

void hl_text_init(struct hl_text *t, char *buffer, size_t capacity)
{
    t->at = buffer;
    t->capacity = capacity;
    t->length = 0;
    t->cut = false;
    buffer[0] = '\0';
}

void hl_text_bytes(struct hl_text *t, const char *bytes, size_t length)
{
    size_t room = t->capacity - 1 - t->length;

    if (length > room) {
        length = room;
        t->cut = true;
    }
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
    t->at[t->length] = '\0';
}

void hl_text_string(struct hl_text *t, const char *string)
{
    hl_text_bytes(t, string, strlen(string));
}

static void text_digits(struct hl_text *t, uint64_t value, unsigned width)
{
    char digits[20];
    unsigned n = 0;

    do {
        digits[sizeof(digits) - ++n] = (char)('0' + value % 10);
        value /= 10;
    } while (value || n < width);
    hl_text_bytes(t, digits + sizeof(digits) - n, n);
}

void hl_text_int(struct hl_text *t, int64_t value)
{
    if (value < 0)
        hl_text_bytes(t, "-", 1);
    text_digits(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void hl_text_seconds(struct hl_text *t, int64_t ms)
{
    if (ms < 0) {
        hl_text_string(t, "-1");
        return;
    }
    text_digits(t, (uint64_t)ms / 1000, 1);
    hl_text_bytes(t, ".", 1);
    text_digits(t, (uint64_t)ms % 1000, 3);
}

void hl_text_field(struct hl_text *t, const char *string)
{
    size_t length = strlen(string);
    const char *quote;

    if (strcspn(string, "\",\n\r") == length) {
        hl_text_bytes(t, string, length);
        return;
    }
    hl_text_bytes(t, "\"", 1);
    while ((quote = strchr(string, '"'))) {
        hl_text_bytes(t, string, (size_t)(quote - string) + 1);
        hl_text_bytes(t, "\"", 1);
        string = quote + 1;
    }
    hl_text_string(t, string);
    hl_text_bytes(t, "\"", 1);
}

void hl_text_size(struct hl_text *t, int64_t bytes)
{
    static const char units[] = "KMGTPE";
    uint64_t scale = 1024;
    unsigned u = 0;

    if (bytes < 0) {
        hl_text_string(t, "-");
        return;
    }
    if (bytes < 1024) {
        hl_text_int(t, bytes);
        return;
    }
    while ((uint64_t)bytes / scale >= 1024) {
        scale *= 1024;
        u++;
    }
    /* hundredths, rounded; the fraction is scaled down first against overflow */
    uint64_t whole = (uint64_t)bytes / scale;
    uint64_t part = ((uint64_t)bytes % scale) / (scale / 1024);
    uint64_t hundredths = whole * 100 + (part * 100 + 512) / 1024;

    if (hundredths >= 102400 && units[u + 1]) {
        hundredths = 100;
        u++;
    }
    text_digits(t, hundredths / 100, 1);
    hl_text_bytes(t, ".", 1);
    text_digits(t, hundredths % 100, 2);
    hl_text_bytes(t, &units[u], 1);
}

int64_t hl_text_number(const char *string)
{
    int64_t value = 0;

    if (!*string)
        return -1;
    for (; *string; string++) {
        if (*string < '0' || *string > '9' || value > (INT64_MAX - 9) / 10)
            return -1;
        value = value * 10 + (*string - '0');
    }
    return value;
}
