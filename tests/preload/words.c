/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * An allocator that tells sizes, and whose words before its blocks look like
 * glibc's small chunks, some of no size at all.  It reuses nothing. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
size_t malloc_usable_size(void *block);

static _Alignas(64) char heap[1 << 24];
static size_t used;

/* [64 bytes: size at 16, a word at 24, the block at 32 ...], up to 64 */
static void *get(size_t size)
{
    static const uint64_t words[] = {8, 0, 33, 1009};
    static unsigned turn;
    size_t needed = (size + 32 + 63) & ~(size_t)63;
    char *at = heap + used;

    if (size > sizeof(heap) || needed > sizeof(heap) - used)
        return NULL;
    used += needed;
    memcpy(at + 16, &size, sizeof(size));
    memcpy(at + 24, &words[turn++ % 4], sizeof(*words));
    return at + 32;
}

void *malloc(size_t size)
{
    return get(size);
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return get(count * size); /* heap is zero where it was never used */
}

size_t malloc_usable_size(void *block)
{
    size_t size;

    memcpy(&size, (char *)block - 16, sizeof(size));
    return size;
}

void *realloc(void *block, size_t size)
{
    void *moved = get(size);

    if (block && moved)
        memcpy(moved, block, malloc_usable_size(block) < size ? malloc_usable_size(block) : size);
    return moved;
}
