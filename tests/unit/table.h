/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Rows for tests: a table filled from text, as heapline-report fills it from a
 * file, and the complaints that came of it.
 */
#ifndef HL_TESTS_UNIT_TABLE_H
#define HL_TESTS_UNIT_TABLE_H

#include "report/record_read.h"
#include "tests/unit/report.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEYS_1                                                                   \
    "rank,host,pid,job,elapsed_s,allocs,frees,peak_heap_bytes,peak_heap_time_s," \
    "live_heap_at_exit_bytes,vmhwm_bytes,vmrss_at_exit_bytes"
#define HEADER_1 "# heapline 1\n" KEYS_1 "\n"
#define ROW_1(rank, peak) #rank ",n1,1" #rank ",77,1.000,5,4," #peak ",0.500,10,2000,1000\n"

static struct hl_table table;
static struct hl_step *step;
static struct hl_problems problems;
static char said[64 * 1024];

static inline void hear(void *context, const char *line)
{
    size_t n = strlen(said);

    (void)context;
    (void)snprintf(said + n, sizeof(said) - n, "%s\n", line);
}

static inline void open_table(void)
{
    said[0] = '\0';
    problems = (struct hl_problems){.say = hear};
    ck_assert_int_eq(hl_table_init(&table), 0);
    step = hl_table_step(&table, "dir");
    ck_assert_ptr_nonnull(step);
}

static inline void close_table(void)
{
    hl_table_fini(&table);
}

static inline int read_bytes(const char *bytes, size_t length)
{
    struct hl_source source = {-1, "f", "n1", &table, step, &problems};
    int rc;

    source.fd = memfd_create("record", 0);
    ck_assert_int_ge(source.fd, 0);
    ck_assert_int_eq(write(source.fd, bytes, length), (ssize_t)length);
    ck_assert_int_eq(lseek(source.fd, 0, SEEK_SET), 0);
    rc = hl_record_read(&source);
    hl_problems_done(&problems);
    close(source.fd);
    return rc;
}

#endif
