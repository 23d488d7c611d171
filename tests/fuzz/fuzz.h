/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What both fuzz targets do with the rows that came of their input: all that
 * heapline-report would, to /dev/null.
 */
#ifndef HL_TESTS_FUZZ_H
#define HL_TESTS_FUZZ_H

#include "report/collate.h"
#include "report/source.h"
#include "report/view.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static void hear(void *context, const char *line)
{
    (void)context;
    (void)line;
}

static void show(struct hl_table *table, const struct hl_format *format)
{
    static FILE *null;
    struct hl_view_options options = {.all = true};
    struct hl_output out = {.format = format};

    if (!null)
        null = fopen("/dev/null", "w");
    out.file = null;
    if (hl_show(&out, table->steps, table->step_count, &options))
        abort();
}

/* Reads the input with reader, loose and as a node's file, and reports. */
static void fuzz(const uint8_t *data, size_t length, int (*reader)(const struct hl_source *))
{
    struct hl_problems problems = {.say = hear};
    struct hl_table table;
    struct hl_source source = {memfd_create("fuzz", 0), "fuzz", "n1", &table, NULL, &problems};

    if (source.fd < 0 || write(source.fd, data, length) != (ssize_t)length || hl_table_init(&table))
        abort();
    source.step = table.loose;
    (void)lseek(source.fd, 0, SEEK_SET);
    (void)reader(&source);
    source.step = hl_table_step(&table, "dir");
    (void)lseek(source.fd, 0, SEEK_SET);
    (void)reader(&source);
    hl_problems_done(&problems);
    if (hl_collate(&table, &problems))
        abort();
    show(&table, &hl_format_text);
    show(&table, &hl_format_csv);
    hl_table_fini(&table);
    (void)close(source.fd);
}

#endif
