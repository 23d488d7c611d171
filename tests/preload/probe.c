/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * probe CASE: runs one case of the tables in probe_*.c. */
#include "probe.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct probe_truth truth;

void *probe_gave(void *block)
{
    truth.allocs++;
    truth.live += malloc_usable_size(block);
    if (truth.live > truth.peak)
        truth.peak = truth.live;
    return block;
}

void *probe_took(void *block)
{
    truth.frees++;
    truth.live -= malloc_usable_size(block);
    return block;
}

static void put(const char *text)
{
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        _exit(99);
}

void probe_expect(const char *key, int64_t value)
{
    char line[128], digits[24];
    size_t at = sizeof(digits) - 1;
    uint64_t v = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    if (value < 0)
        digits[--at] = '-';
    strcpy(line, key);
    strcat(line, " ");
    strcat(line, digits + at);
    strcat(line, "\n");
    put(line);
}

void probe_expect_truth(void)
{
    probe_expect("allocs", (int64_t)truth.allocs);
    probe_expect("frees", (int64_t)truth.frees);
    probe_expect("peak", (int64_t)truth.peak);
    probe_expect("live", (int64_t)truth.live);
}

void probe_require(int holds, const char *what)
{
    if (holds)
        return;
    put("wrong: ");
    put(what);
    put("\n");
    _exit(1);
}

static int run(const struct probe_case *table, const char *name)
{
    for (; table->name; table++) {
        if (strcmp(table->name, name) != 0)
            continue;
        table->run();
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (run(probe_counting, name) || run(probe_processes, name) || run(probe_threads, name))
        return 0;
    put("no such case\n");
    return 2;
}
