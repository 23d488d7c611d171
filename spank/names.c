/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void hl_names_job(const struct hl_ids *ids, char *out)
{
    char restart[16] = "";

    if (ids->restarts > 0)
        (void)snprintf(restart, sizeof(restart), "-r%" PRIu32, ids->restarts);
    if (ids->array_task == HL_NO_ID)
        (void)snprintf(out, HL_NAME_ROOM, "%" PRIu32 "%s", ids->job, restart);
    else
        (void)snprintf(out, HL_NAME_ROOM, "%" PRIu32 "_%" PRIu32 "%s", ids->array_job,
                       ids->array_task, restart);
}

void hl_names_step(const struct hl_ids *ids, unsigned try, char *out)
{
    if (try > 1)
        (void)snprintf(out, HL_NAME_ROOM, "%" PRIu32 ".%u", ids->step, try);
    else
        (void)snprintf(out, HL_NAME_ROOM, "%" PRIu32, ids->step);
}

/* "" or SEPARATOR N, N a number that begins with no zero. */
static bool is_suffix(const char *text, size_t length, const char *separator)
{
    size_t n = strlen(separator);

    if (length == 0)
        return true;
    if (length <= n || strncmp(text, separator, n) != 0 || text[n] == '0')
        return false;
    return strspn(text + n, "0123456789") >= length - n;
}

/* Whether the component of this length is name, with such a suffix or not. */
static bool is_name(const char *component, size_t length, const char *name, const char *separator)
{
    size_t n = strlen(name);

    return length >= n && !memcmp(component, name, n) &&
           is_suffix(component + n, length - n, separator);
}

static bool is_plain(const char *path)
{
    for (size_t i = 0; path[i]; i++)
        if (i >= HL_DIR_ROOM - 1 || (unsigned char)path[i] < ' ' || path[i] == 0x7f)
            return false;
    return path[0] == '/';
}

bool hl_names_match(const struct hl_ids *ids, const char *path)
{
    struct hl_ids plain = {.job = ids->job, .step = ids->step, .array_task = HL_NO_ID};
    struct hl_ids first = *ids;
    char job[HL_NAME_ROOM], alone[HL_NAME_ROOM], step[HL_NAME_ROOM];
    const char *at_step, *at_job;

    if (!is_plain(path))
        return false;
    at_step = strrchr(path, '/');
    for (at_job = at_step; at_job > path && at_job[-1] != '/'; at_job--)
        ;
    if (at_job == path)
        return false;
    first.restarts = 0;
    hl_names_job(&first, job);
    hl_names_job(&plain, alone);
    hl_names_step(ids, 1, step);
    return is_name(at_step + 1, strlen(at_step + 1), step, ".") &&
           (is_name(at_job, (size_t)(at_step - at_job), job, "-r") ||
            is_name(at_job, (size_t)(at_step - at_job), alone, "-r"));
}
