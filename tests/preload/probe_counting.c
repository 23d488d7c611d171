/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * One thread: every function, its failures, sizes at the edges, errno. */
#include "probe.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TOO_MUCH ((size_t)PTRDIFF_MAX / 2)

static void *keep(void *block)
{
    __asm__ volatile("" : "+r"(block)); /* the compiler must not pair it with free */
    return block;
}

static void every_function(void)
{
    void *p, *q = NULL;

    free(probe_took(probe_gave(keep(malloc(100)))));
    free(probe_took(probe_gave(keep(calloc(10, 30)))));
    free(probe_took(probe_gave(keep(aligned_alloc(64, 640)))));
    free(probe_took(probe_gave(keep(memalign(4096, 5000)))));
    free(probe_took(probe_gave(keep(valloc(3000)))));
    free(probe_took(probe_gave(keep(pvalloc(3000)))));
    probe_require(posix_memalign(&q, 256, 1000) == 0, "posix_memalign");
    free(probe_took(probe_gave(q)));
    p = probe_gave(keep(realloc(keep(NULL), 50)));
    probe_took(p);
    p = probe_gave(keep(reallocarray(p, 100, 100)));
    free(probe_took(p));
    free(NULL);
    probe_expect_truth();
    probe_expect("calls.malloc", 1);
    probe_expect("calls.calloc", 1);
    probe_expect("calls.realloc", 1);
    probe_expect("calls.reallocarray", 1);
    probe_expect("calls.free", 8);
    probe_expect("calls.posix_memalign", 1);
    probe_expect("calls.aligned_alloc", 1);
    probe_expect("calls.memalign", 1);
    probe_expect("calls.valloc", 1);
    probe_expect("calls.pvalloc", 1);
    probe_expect("bytes.malloc", 104);
    probe_expect("bytes.calloc", 312);
    probe_expect("ended", 1);
    probe_expect("exit_code", 0);
}

/* realloc of a block is one release and one allocation at one instant. */
static void resizing(void)
{
    char *p = probe_gave(keep(malloc(1000)));
    size_t old;

    for (size_t n = 1000; n < 2000000; n += n / 3) {
        old = malloc_usable_size(p);
        p = keep(realloc(p, n));
        truth.frees++;
        truth.live -= old;
        probe_gave(p);
    }
    old = malloc_usable_size(p);
    p = keep(realloc(p, 10));
    truth.frees++;
    truth.live -= old;
    probe_gave(p);
    old = malloc_usable_size(p);
    if (!realloc(p, 0)) { /* what glibc does: released */
        truth.frees++;
        truth.live -= old;
    }
    probe_expect_truth();
    probe_expect("failed.realloc", 0);
}

static void failures(void)
{
    void *p = probe_gave(keep(malloc(64)));
    void *volatile kept = p; /* a realloc that fails leaves the block alone */
    void *q = p;
    volatile size_t half = (size_t)1 << 40;

    errno = 0;
    probe_require(!keep(malloc(TOO_MUCH)) && errno == ENOMEM, "malloc fails");
    errno = 0;
    probe_require(!keep(calloc(half, half)) && errno == ENOMEM, "calloc overflows");
    errno = 0;
    probe_require(!keep(realloc(p, TOO_MUCH)) && errno == ENOMEM, "realloc fails");
    errno = 0;
    probe_require(!keep(reallocarray(kept, half, half)) && errno == ENOMEM,
                  "reallocarray overflows");
    probe_require(posix_memalign(&q, 3, 10) == EINVAL && q == kept, "posix_memalign refuses");
    probe_require(!keep(memalign(64, TOO_MUCH)), "memalign fails");
    probe_expect_truth();
    probe_expect("calls.malloc", 1);
    probe_expect("failed.malloc", 1);
    probe_expect("failed.calloc", 1);
    probe_expect("failed.realloc", 1);
    probe_expect("failed.reallocarray", 1);
    probe_expect("failed.posix_memalign", 1);
    probe_expect("failed.memalign", 1);
    free(probe_took(kept));
    probe_expect("frees", (int64_t)truth.frees);
    probe_expect("live", 0);
}

static void keeps_errno(void)
{
    void *p;

    for (int round = 0; round < 2; round++) { /* cold ways, then warm ones */
        errno = 77;
        p = keep(malloc(500));
        p = keep(realloc(p, 100000));
        p = keep(realloc(p, 300000)); /* mmapped */
        free(p);
        p = keep(calloc(3, 5));
        free(p);
        free(keep(memalign(64, 64)));
        probe_require(errno == 77, "errno is kept");
    }
    probe_expect("allocs", 10);
    probe_expect("frees", 10);
    probe_expect("live", 0);
}

/* What any allocator has. */
static void four_functions(void)
{
    void *p = keep(malloc(500));

    p = keep(realloc(p, 100000));
    free(p);
    p = keep(calloc(3, 5));
    free(p);
    probe_expect("allocs", 3);
    probe_expect("frees", 3);
    probe_expect("live", 0);
}

/* Sizes around each border of the fast way: 0, small/large chunk, mmapped. */
static void sizes(void)
{
    static const size_t sizes[] = {0,      1,      15,     16,      24,     25,   1000,
                                   1015,   1016,   1017,   1032,    2000,   4096, 65535,
                                   131000, 132000, 140000, 1 << 20, 3 << 20};
    void *blocks[sizeof(sizes) / sizeof(sizes[0])];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        blocks[i] = probe_gave(keep(malloc(sizes[i])));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += 2)
        free(probe_took(blocks[i]));
    probe_expect_truth();
    probe_expect("calls.malloc", 19);
    probe_expect("calls.free", 10);
    probe_expect("bytes.malloc", (int64_t)truth.peak);
    probe_expect("bytes.free", (int64_t)(truth.peak - truth.live));
}

/* Every page-aligned block takes the slow way and must come out the same. */
static void page_starts(void)
{
    for (int i = 0; i < 100; i++)
        free(probe_took(probe_gave(keep(memalign(4096, 100)))));
    probe_expect_truth();
    probe_expect("calls.memalign", 100);
}

static void pause_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* The time of the peak is that of the allocation, not of the next release. */
static void peak_time(void)
{
    void *p;

    pause_ms(150);
    p = keep(malloc(10 << 20));
    pause_ms(400);
    free(p);
    pause_ms(50);
    probe_expect("peak_ms.min", 120);
    probe_expect("peak_ms.max", 350);
}

static void *preinit_block, *constructor_block;

static int is_case(char **argv, const char *name)
{
    return argv[0] && argv[1] && strcmp(argv[1], name) == 0;
}

static void preinit(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)envp;
    if (is_case(argv, "early_and_late") || is_case(argv, "early"))
        preinit_block = malloc(3000);
}
__attribute__((section(".preinit_array"), used)) static void (*const in_preinit)(int, char **,
                                                                                 char **) = preinit;

__attribute__((constructor(101))) static void construct(void)
{
    if (!preinit_block)
        return;
    constructor_block = malloc(2000);
    free(constructor_block);
    free(preinit_block);
}

static int late;

__attribute__((destructor(101))) static void destruct(void)
{
    if (late)
        (void)!keep(malloc(7000));
}

static void at_exit(void)
{
    (void)!keep(malloc(600));
}

/* .preinit_array and constructor above; atexit and destructor below. */
static void early_and_late(void)
{
    late = 1;
    probe_require(atexit(at_exit) == 0, "atexit");
    probe_expect("allocs", 4);
    probe_expect("frees", 2);
    probe_expect("live", 7000 + 600);
    probe_expect("peak", 7000 + 600);
}

static void early(void)
{
    probe_expect("allocs", 2); /* preinit and constructor */
    probe_expect("frees", 2);
    probe_expect("live", 0);
    probe_expect("peak", 3000 + 2008);
}

static void nothing(void)
{
    probe_expect("allocs", 0);
    probe_expect("frees", 0);
    probe_expect("live", 0);
    probe_expect("peak", 0);
}

const struct probe_case probe_counting[] = {
    {"every_function", every_function},
    {"resizing", resizing},
    {"failures", failures},
    {"keeps_errno", keeps_errno},
    {"four_functions", four_functions},
    {"sizes", sizes},
    {"page_starts", page_starts},
    {"peak_time", peak_time},
    {"early_and_late", early_and_late},
    {"early", early},
    {"nothing", nothing},
    {NULL, NULL},
};
