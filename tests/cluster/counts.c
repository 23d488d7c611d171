/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Allocates in a way that differs from rank to rank, keeps its own books with
 * malloc_usable_size, prints them with one write(2) and ends as its argument
 * says: "exit N" or "signal N"; further words name the only rank that does
 * so, the others exit with 0.
 *
 *   oracle RANK ALLOCS FREES PEAK LIVE
 *
 * No stdio and no locale: libc allocates nothing of its own in here.  One
 * thread only, so the figures must be equal to the byte.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 512 };

static struct {
    long allocs, frees, peak, live;
} books;

static void *blocks[BLOCKS];

static void took(void *p)
{
    if (!p)
        _exit(99);
    books.allocs++;
    books.live += (long)malloc_usable_size(p);
    if (books.live > books.peak)
        books.peak = books.live;
}

static void give(void *p)
{
    books.frees++;
    books.live -= (long)malloc_usable_size(p);
    free(p);
}

/* A release and an allocation at once: the peak sees only the result. */
static void *resize(void *p, size_t bytes)
{
    books.frees++;
    books.live -= (long)malloc_usable_size(p);
    void *q = realloc(p, bytes);
    took(q);
    return q;
}

static void *aligned(size_t bytes)
{
    void *p;
    return posix_memalign(&p, 256, bytes) == 0 ? p : NULL;
}

static void work(int rank)
{
    for (int i = 0; i < 20000 + 1000 * rank; i++) {
        int at = i * 7 % BLOCKS;
        size_t bytes = (size_t)(i * 37 % 5000 + 1 + rank);
        if (blocks[at] && i % 3 == 0) {
            blocks[at] = resize(blocks[at], bytes);
            continue;
        }
        if (blocks[at])
            give(blocks[at]);
        blocks[at] = i % 5 == 0 ? calloc(1, bytes) : i % 11 == 0 ? aligned(bytes) : malloc(bytes);
        took(blocks[at]);
    }
    for (int i = 0; i < BLOCKS / 2; i++)
        give(blocks[i]);
}

static char *number(char *at, long n)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    *at++ = ' ';
    while (count)
        *at++ = digits[--count];
    return at;
}

static void print(int rank)
{
    char line[160] = "oracle";
    char *at = line + strlen(line);
    at = number(at, rank);
    at = number(at, books.allocs);
    at = number(at, books.frees);
    at = number(at, books.peak);
    at = number(at, books.live);
    *at++ = '\n';
    if (write(STDOUT_FILENO, line, (size_t)(at - line)) < 0)
        _exit(98);
}

int main(int argc, char **argv)
{
    const char *procid = getenv("SLURM_PROCID");
    int rank = procid ? atoi(procid) : 0;
    work(rank);
    print(rank);
    if (argc < 3 || (argc > 3 && atoi(argv[3]) != rank))
        return 0;
    if (strcmp(argv[1], "signal") == 0)
        raise(atoi(argv[2]));
    return atoi(argv[2]);
}
