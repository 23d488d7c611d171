/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The list of formats: a new one is a file format_NAME.c and a line here.
 */
#include "report/format.h"

#include <string.h>

static const struct hl_format *const formats[] = {
    &hl_format_text,
    &hl_format_csv,
};

const struct hl_format *hl_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

struct hl_value hl_text_value(const char *text)
{
    return (struct hl_value){HL_VALUE_TEXT, -1, text};
}

struct hl_value hl_number_value(enum hl_value_kind kind, int64_t number)
{
    return (struct hl_value){kind, number, ""};
}
