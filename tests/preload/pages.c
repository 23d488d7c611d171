/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * An allocator that knows malloc, calloc, realloc and free, tells no sizes, and
 * gives whole pages with nothing mapped before them. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

#define PAGE ((size_t)4096)

/* [unmapped page][pages of the block][a page with its length] [unmapped page] */
static void *get(size_t size)
{
    size_t length = (size + PAGE) & ~(PAGE - 1);
    char *at = mmap(NULL, length + 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mprotect(at + PAGE, length + PAGE, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    *(size_t *)(void *)(at + PAGE + length) = length;
    return at + PAGE;
}

static size_t length_of(char *block)
{
    size_t length = PAGE;

    while (*(size_t *)(void *)(block + length) != length)
        length += PAGE;
    return length;
}

void *malloc(size_t size)
{
    return get(size);
}

static void put(void *block)
{
    if (block)
        (void)munmap((char *)block - PAGE, length_of(block) + 3 * PAGE);
}

void free(void *block)
{
    put(block);
}

void *calloc(size_t count, size_t size)
{
    return get(count * size);
}

void *realloc(void *block, size_t size)
{
    void *moved = get(size);
    size_t length;

    if (!block || !moved)
        return moved;
    length = length_of(block);
    memcpy(moved, block, length < size ? length : size);
    put(block);
    return moved;
}
