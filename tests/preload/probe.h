/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Programs that know what they allocate.  Each case does its work and then
 * prints, without stdio (which allocates), what the profile must say:
 * "key value" lines as profile_show prints them. */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>
#include <stdint.h>

struct probe_case {
    const char *name;
    void (*run)(void);
};

/* What the program has counted for itself. */
struct probe_truth {
    uint64_t allocs, frees;
    uint64_t live, peak;
};
extern struct probe_truth truth;

/* The block's usable size is in (gave) or out (took) from now on. */
void *probe_gave(void *block);
void *probe_took(void *block);
/* "key value" to stdout by one write(2). */
void probe_expect(const char *key, int64_t value);
/* allocs, frees, peak and live of truth */
void probe_expect_truth(void);
/* Says what is wrong and exits with 1. */
void probe_require(int holds, const char *what) __attribute__((nonnull));

extern const struct probe_case probe_counting[], probe_processes[], probe_threads[];

#endif
