/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/preload.h"

#include <stdlib.h>
#include <string.h>

#define SEPARATORS ": "

/* Steps over separators to the next entry; its length, 0 at the end. */
static size_t entry_next(const char **at)
{
    *at += strspn(*at, SEPARATORS);
    return strcspn(*at, SEPARATORS);
}

static bool entry_is(const char *entry, size_t length, const char *library)
{
    return strlen(library) == length && !memcmp(entry, library, length);
}

static char *append(char *end, const char *start, const char *entry, size_t length)
{
    if (end > start)
        *end++ = ':';
    memcpy(end, entry, length);
    end[length] = '\0';
    return end + length;
}

/* The entries of old but library, behind first (NULL: nothing). */
static char *compose(const char *first, const char *old, const char *library)
{
    const char *at = old ? old : "";
    /* an entry needs one separator, which old has, but for its first one */
    char *text = malloc(strlen(at) + strlen(library) + 2), *end = text;

    if (!text)
        return NULL;
    *text = '\0';
    if (first)
        end = append(end, text, first, strlen(first));
    for (size_t length; (length = entry_next(&at)) > 0; at += length)
        if (!entry_is(at, length, library))
            end = append(end, text, at, length);
    return text;
}

char *hl_preload_add(const char *old, const char *library)
{
    return compose(library, old, library);
}

char *hl_preload_remove(const char *old, const char *library)
{
    return compose(NULL, old, library);
}

bool hl_preload_has(const char *old, const char *library)
{
    const char *at = old ? old : "";

    for (size_t length; (length = entry_next(&at)) > 0; at += length)
        if (entry_is(at, length, library))
            return true;
    return false;
}
