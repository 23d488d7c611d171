/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The precision promise.  N threads go through phases between barriers; in a
 * phase all of them only allocate or all of them only release, so that the true
 * peak is known whatever the interleaving: it is the largest sum at the end of
 * an allocating phase.  What pthread_create allocates is known from the profile
 * itself, read through the same mapping before the first phase. */
#include "probe.h"

#include "libheapline/profile_read.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 64
#define PHASES 12

struct worker {
    unsigned number;
    uint64_t seed;
    size_t heap_bytes; /* that this thread holds at most */
    uint64_t live;     /* usable sizes, at the end of the phase */
    size_t count;
    void **blocks;
};

static pthread_barrier_t barrier;
static unsigned thread_count;
static struct worker workers[MAX_THREADS];
static uint64_t ends[PHASES]; /* sum of live at the end of each phase */

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Sizes from 16 bytes to a twentieth of the thread's share. */
static size_t some_size(struct worker *w)
{
    size_t top = w->heap_bytes / 20 + 32;

    return 16 + next(&w->seed) % (next(&w->seed) % 8 ? (top < 512 ? top : 512) : top);
}

static void allocate(struct worker *w, size_t room, uint64_t target)
{
    while (w->live < target && w->count < room) {
        void *block = malloc(some_size(w));

        w->live += malloc_usable_size(block);
        w->blocks[w->count++] = block;
    }
}

/* From the end, so that a block is released by the thread itself; every other
 * phase releases the neighbour's blocks instead. */
static void release(struct worker *owner, uint64_t target)
{
    while (owner->live > target && owner->count) {
        void *block = owner->blocks[--owner->count];

        owner->live -= malloc_usable_size(block);
        free(block);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    size_t room = w->heap_bytes / 16 + 64;

    for (unsigned phase = 0; phase < PHASES; phase++) {
        uint64_t share = w->heap_bytes / 2 + next(&w->seed) % (w->heap_bytes / 2 + 1);

        (void)pthread_barrier_wait(&barrier);
        if (phase % 2 == 0)
            allocate(w, room, share);
        else
            release(phase % 4 == 1 ? w : &workers[(w->number + 1) % thread_count], share / 8);
        (void)pthread_barrier_wait(&barrier);
        if (w->number == 0)
            for (unsigned i = 0; i < thread_count; i++)
                ends[phase] += workers[i].live;
        (void)pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static uint64_t largest_end(void)
{
    uint64_t peak = 0;

    for (unsigned phase = 0; phase < PHASES; phase += 2)
        if (ends[phase] > peak)
            peak = ends[phase];
    return peak;
}

static void set_up(size_t heap_bytes)
{
    const char *text = getenv("PROBE_THREADS");

    thread_count = text ? (unsigned)atoi(text) : 4;
    probe_require(thread_count <= MAX_THREADS, "PROBE_THREADS is too large");
    (void)pthread_barrier_init(&barrier, NULL, thread_count);
    for (unsigned i = 0; i < thread_count; i++) {
        workers[i].number = i;
        workers[i].seed = 12345 + i * 7919;
        workers[i].heap_bytes = heap_bytes / thread_count;
        workers[i].blocks = calloc(workers[i].heap_bytes / 16 + 64, sizeof(void *));
    }
}

/* Heap in use by the profile, which is quiet now: exact (probe_counting.c). */
static uint64_t live_now(void)
{
    static _Alignas(8) char bytes[HL_PROFILE_BYTES];
    static struct hl_profile profile;
    char path[256], digits[16];
    size_t at = sizeof(digits) - 1;
    ssize_t got;
    int fd;

    digits[at] = '\0';
    for (unsigned pid = (unsigned)getpid(); pid; pid /= 10)
        digits[--at] = (char)('0' + pid % 10);
    strcpy(path, getenv("HEAPLINE_PROFILE"));
    probe_require(strlen(path) > 2 && strcmp(path + strlen(path) - 2, "%p") == 0,
                  "HEAPLINE_PROFILE ends with %p");
    strcpy(path + strlen(path) - 2, digits + at);
    fd = open(path, O_RDONLY);
    got = read(fd, bytes, sizeof(bytes));
    (void)close(fd);
    probe_require(got > 0 && hl_profile_fold(bytes, (size_t)got, &profile, NULL) == 0,
                  "own profile can be read");
    return (uint64_t)profile.live_bytes;
}

static void promise(size_t heap_bytes)
{
    pthread_t threads[MAX_THREADS];
    uint64_t bound, peak;
    unsigned steps = 1;

    set_up(heap_bytes);
    for (unsigned i = 1; i < thread_count; i++)
        probe_require(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "thread");
    peak = live_now(); /* the threads wait for each other */
    (void)work(&workers[0]);
    for (unsigned i = 1; i < thread_count; i++)
        (void)pthread_join(threads[i], NULL);
    peak += largest_end();
    while (1u << (steps - 1) < thread_count)
        steps++;
    bound = thread_count == 1 ? 0 : peak * steps / 8192;
    probe_expect("peak.min", (int64_t)(peak - bound));
    probe_expect("peak.max", (int64_t)(peak + bound));
    probe_expect("metric.threads", thread_count);
}

static void promise_100k(void)
{
    promise(100 << 10);
}

static void promise_10m(void)
{
    promise(10 << 20);
}

static void promise_1g(void)
{
    promise((size_t)1 << 30);
}

static void *one_block(void *unused)
{
    (void)unused;
    free(malloc(1000));
    return NULL;
}

/* Slots are given back: 10 000 threads, one after the other, need two. */
static void short_threads(void)
{
    for (int i = 0; i < 10000; i++) {
        pthread_t thread;

        probe_require(pthread_create(&thread, NULL, one_block, NULL) == 0, "thread");
        (void)pthread_join(thread, NULL);
    }
    probe_expect("calls.malloc", 10000);
    probe_expect("calls.free.min", 10000);
    probe_expect("metric.threads.min", 10001);
    probe_expect("metric.slots_used.max", 4);
}

static pthread_barrier_t gate;

static void *hold_and_go(void *rounds)
{
    void *blocks[100];

    (void)pthread_barrier_wait(&gate);
    for (int r = 0; r < *(int *)rounds; r++) {
        for (int i = 0; i < 100; i++)
            blocks[i] = malloc(1000 + (size_t)i);
        for (int i = 0; i < 100; i++)
            free(blocks[i]);
    }
    (void)pthread_barrier_wait(&gate);
    return NULL;
}

/* More threads than slots: the last ones share one, and nothing is lost. */
static void threads_beyond_slots(void)
{
    enum { THREADS = 300 };
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    int rounds = 20;

    (void)pthread_attr_init(&small);
    (void)pthread_attr_setstacksize(&small, 65536);
    (void)pthread_barrier_init(&gate, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        probe_require(pthread_create(&threads[i], &small, hold_and_go, &rounds) == 0, "thread");
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    probe_expect("calls.malloc", 100 * THREADS * 20);
    probe_expect("calls.free.min", 100 * THREADS * 20);
    probe_expect("metric.slots_used", 128);
    probe_expect("metric.threads", THREADS + 1);
}

enum { QUEUE = 1024, ITEMS = 1000000 };
static void *volatile queue[QUEUE];

static void *consume(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        void *block;

        while (!(block = __atomic_exchange_n(&queue[i % QUEUE], NULL, __ATOMIC_ACQUIRE)))
            (void)sched_yield();
        free(block);
    }
    return NULL;
}

/* One allocates, the other one releases: live must not drift. */
static void producer_consumer(void)
{
    pthread_t thread;

    probe_require(pthread_create(&thread, NULL, consume, NULL) == 0, "thread");
    for (int i = 0; i < ITEMS; i++) {
        void *block = malloc(16 + (size_t)(i % 2000));

        while (__atomic_load_n(&queue[i % QUEUE], __ATOMIC_RELAXED))
            (void)sched_yield();
        __atomic_store_n(&queue[i % QUEUE], block, __ATOMIC_RELEASE);
    }
    (void)pthread_join(thread, NULL);
    probe_expect("calls.malloc", ITEMS);
    probe_expect("live.max", 1000); /* of pthread_create's own */
    probe_expect("live.min", 0);
}

const struct probe_case probe_threads[] = {
    {"promise_100k", promise_100k},
    {"promise_10m", promise_10m},
    {"promise_1g", promise_1g},
    {"short_threads", short_threads},
    {"threads_beyond_slots", threads_beyond_slots},
    {"producer_consumer", producer_consumer},
    {NULL, NULL},
};
