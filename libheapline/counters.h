/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Counting, the fast way.  Every successful call adds to plain words of its
 * thread's slot in the profile (profile.h) and compares the thread's net bytes
 * with a WINDOW of its own.  Inside the window nothing more happens.  Outside,
 * the cold way in publish.c is taken: publish, find the peak, read the clock.
 *
 *   slot (shared file, read by others)      window (private, WIPEONFORK)
 *   base + 4 KiB + i KiB                    the same + 256 KiB
 *   net, classes, calls, bytes              hi, lo, any_hi, any_lo, published, process
 *
 * A zero window is closed both ways.  That one rule covers a thread's first
 * call (its slot pointer starts at a dummy whose window is zero), the child of any kind of
 * fork (the kernel wipes the windows, so that nothing is written into the
 * parent's profile), and a thread whose window another one closes.  It works
 * since net starts at HL_NET_BIAS, which is large unsigned and negative signed:
 * an allocation is outside where net > hi unsigned, a release where net < lo
 * signed.
 *
 * The size of a small block is read from glibc's chunk header, the word before
 * it.  A block at the start of a page takes the slow way, so that the word is
 * always on the block's own page, whatever allocator it is from.  Where sizes
 * must be asked for (another allocator, valgrind), malloc and free find hi and
 * lo closed and take the slow way, too, which asks and has ends of its own,
 * any_hi and any_lo.
 *
 * Cost: 34 instructions for a malloc+free pair of small blocks (bench P1).
 */
#ifndef HL_COUNTERS_H
#define HL_COUNTERS_H

#include "libheapline/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define hl_likely(x) __builtin_expect(!!(x), 1)
#define hl_unlikely(x) __builtin_expect(!!(x), 0)
#define HL_HIDDEN __attribute__((visibility("hidden")))
#define HL_COLD __attribute__((noinline, cold))

struct hl_process;

/* hi and lo lie where the slot, at the same offset of another page, has words
 * that malloc and free do not store to: a load that shares its low 12 address
 * bits with a store before it waits for that store. */
struct hl_window {
    uint64_t published; /* net up to which this slot is in published_bytes */
    struct hl_process *process;
    uint64_t share;  /* k of the budget peak/8192/k: the slot's index */
    uint64_t hi;     /* a small chunk that lifts net above leaves the fast way */
    uint64_t any_hi; /* any allocation that lifts net above goes the cold way */
    int64_t lo;      /* a small chunk whose free sinks net below does, too */
    int64_t any_lo;  /* any release that sinks net below goes the cold way */
};

#define HL_WINDOW_DISTANCE HL_PROFILE_BYTES
#define HL_LO_OPEN INT64_MIN /* any release is inside */

/* The calling thread's slot.  8 bytes of static TLS. */
extern HL_HIDDEN __thread struct hl_slot *hl_self __attribute__((tls_model("initial-exec")));

/* Chunk words below HL_SMALL_LIMIT are those of small chunks. */
#define HL_SMALL_LIMIT (16 * HL_CLASS_SMALL)

/* HL_SMALL_LIMIT, or 0: no word may be believed, sizes must be asked of the
 * allocator, which is not glibc's or not yet checked. */
extern HL_HIDDEN uint64_t hl_small_limit;

/* The next allocator's functions; the first call through any of them finds out
 * which allocator that is (real.c). */
struct hl_real {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    size_t (*usable_size)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void (*free_sized)(void *, size_t);                 /* NULL: the allocator has none */
    void (*free_aligned_sized)(void *, size_t, size_t); /* likewise */
};
extern HL_HIDDEN struct hl_real hl_real;

/* The cold way (publish.c): counts this one operation and moves the window.
 * Keep errno.  hl_cold_alloc returns its block so that it can be a tail call. */
HL_HIDDEN void *hl_cold_alloc(void *block, uint64_t usable, enum hl_function f);
HL_HIDDEN void hl_cold_free(uint64_t usable, enum hl_function f);
/* gave: the block has become another one, else it has only been taken. */
HL_HIDDEN void hl_cold_resize(uint64_t old_usable, uint64_t new_usable, bool gave,
                              enum hl_function f);
/* A call that failed; it changed nothing else.  Keeps errno. */
HL_HIDDEN void hl_count_failed(enum hl_function f);
/* Usable size of a block that is no small glibc chunk. */
HL_HIDDEN uint64_t hl_usable_slow(void *block);

static inline struct hl_window *hl_window_of(struct hl_slot *slot)
{
    return (struct hl_window *)(void *)((char *)slot + HL_WINDOW_DISTANCE);
}

static inline uint64_t hl_chunk_word(const void *block)
{
    return ((const uint64_t *)block)[-1];
}

/* glibc's chunk word: chunk size | 3 flag bits; usable = chunk size - 8. */
static inline uint64_t hl_chunk_size(uint64_t word)
{
    return word & ~UINT64_C(7);
}

/* Whether the block may be a small chunk: its word can be read.  False for NULL. */
static inline bool hl_off_page_start(const void *block)
{
    return ((uintptr_t)block & 4095) != 0;
}

static inline uint64_t hl_usable(void *block)
{
    if (hl_likely(hl_off_page_start(block))) {
        uint64_t word = hl_chunk_word(block);

        if (hl_likely(word < hl_small_limit))
            return hl_chunk_size(word) - 8;
    }
    return hl_usable_slow(block);
}

/* The slot's words for one block given by f, net apart. */
static inline void hl_add_alloc(struct hl_slot *slot, uint64_t usable, enum hl_function f)
{
    unsigned c = hl_class_of(usable);

    ++*hl_slot_class(slot, c);
    *hl_slot_word(slot, HL_W_BYTES + HL_F_MALLOC) += usable - hl_class_bytes(c);
    if (f != HL_F_MALLOC) {
        ++*hl_slot_word(slot, HL_W_CALLS + f);
        *hl_slot_word(slot, HL_W_BYTES + f) += usable;
    }
}

static inline void hl_add_free(struct hl_slot *slot, uint64_t usable, enum hl_function f)
{
    ++*hl_slot_word(slot, HL_W_CALLS + f);
    if (f != HL_F_FREE)
        *hl_slot_word(slot, HL_W_BYTES + f) += usable;
}

#endif
