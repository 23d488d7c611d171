/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The loads of `make bench` (run.sh says which bar takes which).
 *
 *     bench LOAD COUNT [THREADS [LIVE_MIB]]
 *
 * COUNT is the number of operations of all threads together; LIVE_MIB is held
 * by the main thread meanwhile.  Prints nothing and reads no clock: whoever
 * starts it measures.  Built with -fno-builtin, so that no call is left out. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 64
#define MIB (UINT64_C(1) << 20)

struct args {
    uint64_t count;
    unsigned threads;
    uint64_t live_mib;
};

struct load {
    const char *name;
    void (*run)(const struct args *args);
};

static void *checked(void *block)
{
    if (!block)
        abort();
    *(volatile char *)block = 1;
    return block;
}

/* xorshift: the same numbers at every run */
static uint32_t random_next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Starts one thread for each of n arguments of arg_bytes each, waits for all. */
static void in_threads(unsigned n, void *(*run)(void *), void *args, size_t arg_bytes)
{
    pthread_t threads[THREADS_MAX];

    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run, (char *)args + i * arg_bytes))
            abort();
    for (unsigned i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

/* P1 to P3: malloc+free pairs ------------------------------------------- */

/* 16 to 256 bytes; after the first 16 pairs glibc's thread cache has them all. */
static void *pairs(void *count)
{
    uint64_t n = *(const uint64_t *)count;

    for (uint64_t i = 0; i < n; i++)
        free(checked(malloc(16 + (i & 15) * 16)));
    return NULL;
}

static void run_pair(const struct args *args)
{
    uint64_t counts[THREADS_MAX];
    void *live = args->live_mib ? checked(malloc(args->live_mib * MIB)) : NULL;

    for (unsigned i = 0; i < args->threads; i++)
        counts[i] = args->count / args->threads;
    if (args->threads == 1)
        (void)pairs(counts);
    else
        in_threads(args->threads, pairs, counts, sizeof(*counts));
    free(live);
}

/* P4: rising teeth ------------------------------------------------------ */

/* First a stock of small blocks, then a larger one for each that is freed:
 * every malloc is a new peak, every free comes after one. */
static void run_saw(const struct args *args)
{
    uint64_t n = args->count;
    void **stock = checked(malloc(n * sizeof(*stock)));

    for (uint64_t i = 0; i < n; i++)
        stock[i] = checked(malloc(48));
    for (uint64_t i = 0; i < n; i++) {
        (void)checked(malloc(112));
        free(stock[i]);
    }
    free(stock);
}

/* P5: a vector that grows ----------------------------------------------- */

static void run_realloc(const struct args *args)
{
    void *block = NULL;
    size_t size = 64;

    for (uint64_t i = 0; i < args->count; i++) {
        block = checked(realloc(block, size));
        size += size / 8 + 16;
        if (size > MIB) {
            free(block);
            block = NULL;
            size = 64;
        }
    }
    free(block);
}

/* P6: larson ------------------------------------------------------------ */

#define LARSON_BLOCKS 5000
#define LARSON_ROUNDS 20

/* A server's work: replaces blocks of random age and size (8 to 1000 bytes). */
struct larson {
    void *blocks[LARSON_BLOCKS];
    uint64_t count;
    uint32_t random;
};

static void *larson_thread(void *arg)
{
    struct larson *l = arg;

    for (uint64_t i = 0; i < l->count; i++) {
        void **block = &l->blocks[random_next(&l->random) % LARSON_BLOCKS];

        free(*block);
        *block = checked(malloc(8 + random_next(&l->random) % 993));
    }
    return NULL;
}

/* The threads of each round take over the blocks of the ones before them. */
static void run_larson(const struct args *args)
{
    struct larson *all = calloc(args->threads, sizeof(*all));

    if (!all)
        abort();
    for (unsigned i = 0; i < args->threads; i++) {
        all[i].count = args->count / LARSON_ROUNDS / args->threads;
        all[i].random = 4141 + i;
    }
    for (unsigned round = 0; round < LARSON_ROUNDS; round++)
        in_threads(args->threads, larson_thread, all, sizeof(*all));
    free(all);
}

/* P6: xmalloc-test ------------------------------------------------------ */

#define BATCH_BLOCKS 4096
#define BATCHES_WAITING 32

struct batch {
    struct batch *next;
    void *blocks[BATCH_BLOCKS];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct batch *first;
    unsigned waiting;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

static void queue_put(struct batch *batch)
{
    (void)pthread_mutex_lock(&queue.lock);
    while (queue.waiting == BATCHES_WAITING)
        (void)pthread_cond_wait(&queue.changed, &queue.lock);
    batch->next = queue.first;
    queue.first = batch;
    queue.waiting++;
    (void)pthread_cond_signal(&queue.changed);
    (void)pthread_mutex_unlock(&queue.lock);
}

static struct batch *queue_take(void)
{
    struct batch *batch;

    (void)pthread_mutex_lock(&queue.lock);
    while (!queue.first)
        (void)pthread_cond_wait(&queue.changed, &queue.lock);
    batch = queue.first;
    queue.first = batch->next;
    queue.waiting--;
    (void)pthread_cond_signal(&queue.changed);
    (void)pthread_mutex_unlock(&queue.lock);
    return batch;
}

static void *allocate_batches(void *count)
{
    static const unsigned short sizes[] = {8,   12,  16,  24,  32,  48,  64,   96,
                                           128, 192, 256, 384, 512, 768, 1024, 2048};
    uint64_t n = *(const uint64_t *)count / BATCH_BLOCKS;
    uint32_t random = 4141;

    while (n--) {
        struct batch *batch = checked(malloc(sizeof(*batch)));

        for (unsigned i = 0; i < BATCH_BLOCKS; i++)
            batch->blocks[i] = checked(malloc(sizes[random_next(&random) % 16]));
        queue_put(batch);
    }
    return NULL;
}

static void *free_batches(void *count)
{
    uint64_t n = *(const uint64_t *)count / BATCH_BLOCKS;

    while (n--) {
        struct batch *batch = queue_take();

        for (unsigned i = 0; i < BATCH_BLOCKS; i++)
            free(batch->blocks[i]);
        free(batch);
    }
    return NULL;
}

static void run_xmalloc(const struct args *args)
{
    uint64_t count = args->count;
    pthread_t freeing;

    if (pthread_create(&freeing, NULL, free_batches, &count))
        abort();
    (void)allocate_batches(&count);
    (void)pthread_join(freeing, NULL);
}

/* P9: at rest ----------------------------------------------------------- */

static pthread_barrier_t at_rest;

/* Every thread has allocated and holds COUNT blocks; nobody does more. */
static void *rest_thread(void *count)
{
    for (uint64_t i = *(const uint64_t *)count; i > 0; i--)
        (void)checked(malloc(64));
    (void)pthread_barrier_wait(&at_rest);
    (void)pthread_barrier_wait(&at_rest);
    return NULL;
}

/* Stops itself, for the resident size to be read; does not mean to go on. */
static void run_rest(const struct args *args)
{
    pthread_t thread;
    uint64_t count = args->count;

    (void)pthread_barrier_init(&at_rest, NULL, args->threads);
    for (unsigned i = 1; i < args->threads; i++)
        if (pthread_create(&thread, NULL, rest_thread, &count))
            abort();
    for (uint64_t i = 0; i < count; i++)
        (void)checked(malloc(64));
    (void)pthread_barrier_wait(&at_rest);
    (void)raise(SIGSTOP);
}

/* ----------------------------------------------------------------------- */

static const struct load loads[] = {
    {"pair", run_pair},     {"saw", run_saw},         {"realloc", run_realloc},
    {"larson", run_larson}, {"xmalloc", run_xmalloc}, {"rest", run_rest},
};

int main(int argc, char **argv)
{
    struct args args = {0, 1, 0};

    if (argc < 3)
        return 2;
    args.count = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        args.threads = (unsigned)strtoul(argv[3], NULL, 10);
    if (argc > 4)
        args.live_mib = strtoull(argv[4], NULL, 10);
    if (args.threads < 1 || args.threads > THREADS_MAX)
        return 2;
    for (unsigned i = 0; i < sizeof(loads) / sizeof(*loads); i++)
        if (strcmp(argv[1], loads[i].name) == 0) {
            loads[i].run(&args);
            return 0;
        }
    return 2;
}
