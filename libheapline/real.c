/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Which allocator comes next, and how the size of one of its blocks is found.
 *
 * Next is what RTLD_NEXT means: for each function the first definition behind
 * this library.  Mostly that is glibc's, and sizes are read from its chunk
 * headers; a program linked with jemalloc or tcmalloc gets that one, which is
 * asked for sizes.  The first call through any pointer decides for all; it
 * comes before any constructor, while there is one thread. */
#include "libheapline/counters.h"
#include "libheapline/elfsym.h"
#include "libheapline/process.h"

#include <string.h>

extern void *__libc_malloc(size_t size); /* only to know glibc's by its address */

#define CHUNK_IS_MMAPPED 2

uint64_t hl_small_limit; /* 0 until one size has been checked */

static void find(void);

static void *first_malloc(size_t size)
{
    find();
    return hl_real.malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
    find();
    return hl_real.calloc(count, size);
}

static void *first_realloc(void *block, size_t size)
{
    find();
    return hl_real.realloc(block, size);
}

static void first_free(void *block)
{
    find();
    hl_real.free(block);
}

static size_t first_usable_size(void *block)
{
    find();
    return hl_real.usable_size(block);
}

static int first_posix_memalign(void **result, size_t alignment, size_t size)
{
    find();
    return hl_real.posix_memalign(result, alignment, size);
}

static void *first_aligned_alloc(size_t alignment, size_t size)
{
    find();
    return hl_real.aligned_alloc(alignment, size);
}

static void *first_memalign(size_t alignment, size_t size)
{
    find();
    return hl_real.memalign(alignment, size);
}

static void *first_valloc(size_t size)
{
    find();
    return hl_real.valloc(size);
}

static void *first_pvalloc(size_t size)
{
    find();
    return hl_real.pvalloc(size);
}

struct hl_real hl_real = {
    .malloc = first_malloc,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .free = first_free,
    .usable_size = first_usable_size,
    .posix_memalign = first_posix_memalign,
    .aligned_alloc = first_aligned_alloc,
    .memalign = first_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
};

#define AT(member) offsetof(struct hl_real, member)
static const size_t places[] = {
    AT(malloc),      AT(calloc),         AT(realloc),       AT(free),
    AT(usable_size), AT(posix_memalign), AT(aligned_alloc), AT(memalign),
    AT(valloc),      AT(pvalloc),        AT(free_sized),    AT(free_aligned_sized),
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static bool no_sizes;

static size_t unknown_size(void *block)
{
    (void)block;
    return 0;
}

static void find(void)
{
    static const char *const names[PLACES] = {
        "malloc",
        "calloc",
        "realloc",
        "free",
        "malloc_usable_size",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "valloc",
        "pvalloc",
        "free_sized",
        "free_aligned_sized",
    };
    struct hl_wanted wanted[PLACES];

    for (unsigned i = 0; i < PLACES; i++)
        wanted[i].name = names[i];
    hl_elf_find(wanted, PLACES, false);
    for (unsigned i = 0; i < PLACES; i++)
        memcpy((char *)&hl_real + places[i], &wanted[i].address, sizeof(wanted[i].address));
    /* malloc and malloc_usable_size of two allocators: the one does not know
     * the other one's blocks */
    no_sizes = wanted[0].object != wanted[4].object;
    if (no_sizes)
        hl_real.usable_size = unknown_size;
    hl_close_to_any_word();
}

bool hl_real_has_no_sizes(void)
{
    return no_sizes;
}

bool hl_real_is_glibc(void)
{
    if (hl_real.malloc == first_malloc)
        find();
    return hl_real.malloc == __libc_malloc;
}

static uint64_t chunk_usable_any(const void *block)
{
    uint64_t word = hl_chunk_word(block);

    return hl_chunk_size(word) - 8 - (word & CHUNK_IS_MMAPPED ? 8 : 0);
}

/* Sizes are asked for until one answer has agreed with the chunk header: under
 * valgrind, for one, glibc's functions hand out blocks without such headers. */
static HL_COLD uint64_t ask(void *block)
{
    static bool checked;
    uint64_t usable = hl_real.usable_size(block);

    if (!checked && hl_off_page_start(block) && hl_real_is_glibc()) {
        checked = true;
        if (chunk_usable_any(block) == usable)
            hl_small_limit = HL_SMALL_LIMIT;
    }
    return usable;
}

uint64_t hl_usable_slow(void *block)
{
    return hl_unlikely(hl_small_limit == 0) ? ask(block) : chunk_usable_any(block);
}
