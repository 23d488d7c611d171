/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The exported malloc family: the real call, then count.  No logic; what is
 * counted how is in counters.h.
 *
 * A release is counted before it happens, so that the block's size can still
 * be read and its next owner is counted after it.  errno is whatever the real
 * call left.  Each function may be called from a signal handler or a fork's
 * child exactly where glibc's own may.
 */
#include "libheapline/counters.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#define HL_EXPORT __attribute__((visibility("default")))

void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

/* Any block, where the fast way's window was left or is closed, or the block is
 * no small chunk or starts a page.  A size may be 0 here (an allocator that does
 * not tell), which leaves no window: a closed one is known by its process, too. */
static __attribute__((noinline)) void *count_alloc_slow(void *block, enum hl_function f)
{
    struct hl_slot *slot = hl_self;
    uint64_t usable, net;

    if (hl_unlikely(!block)) {
        hl_count_failed(f);
        return NULL;
    }
    usable = hl_usable_slow(block);
    net = *hl_slot_net(slot) + usable;
    if (hl_unlikely(net > hl_window_of(slot)->any_hi || !hl_window_of(slot)->process))
        return hl_cold_alloc(block, usable, f);
    *hl_slot_net(slot) = net;
    hl_add_alloc(slot, usable, f);
    return block;
}

/* Its word is that of a small chunk, if such words are believed. */
static __attribute__((noinline)) void *count_alloc_outside(void *block, enum hl_function f)
{
    if (hl_likely(hl_small_limit))
        return hl_cold_alloc(block, hl_chunk_size(hl_chunk_word(block)) - 8, f);
    return count_alloc_slow(block, f);
}

static inline void *count_alloc(void *block, enum hl_function f)
{
    struct hl_slot *slot;
    uint64_t word, size, net;

    if (hl_unlikely(!hl_off_page_start(block)))
        return count_alloc_slow(block, f);
    word = hl_chunk_word(block);
    if (hl_unlikely(word >= HL_SMALL_LIMIT))
        return count_alloc_slow(block, f);
    slot = hl_self;
    size = hl_chunk_size(word);
    net = *hl_slot_net(slot) + size - 8;
    if (hl_unlikely(net > hl_window_of(slot)->hi))
        return count_alloc_outside(block, f);
    *hl_slot_net(slot) = net;
    ++*(uint64_t *)(void *)((char *)slot + size); /* pair[size / 16].blocks */
    if (f != HL_F_MALLOC) {
        ++*hl_slot_word(slot, HL_W_CALLS + f);
        *hl_slot_word(slot, HL_W_BYTES + f) += size - 8;
    }
    return block;
}

static __attribute__((noinline)) void count_free_slow(void *block, enum hl_function f)
{
    struct hl_slot *slot = hl_self;
    uint64_t usable, net;

    if (hl_unlikely(!block))
        return;
    usable = hl_usable_slow(block);
    net = *hl_slot_net(slot) - usable;
    if (hl_unlikely((int64_t)net < hl_window_of(slot)->any_lo || !hl_window_of(slot)->process)) {
        hl_cold_free(usable, f);
        return;
    }
    *hl_slot_net(slot) = net;
    hl_add_free(slot, usable, f);
}

HL_EXPORT void *malloc(size_t size)
{
    return count_alloc(hl_real.malloc(size), HL_F_MALLOC);
}

static __attribute__((noinline)) void free_slow(void *block)
{
    count_free_slow(block, HL_F_FREE);
    hl_real.free(block);
}

/* As count_alloc_outside. */
static __attribute__((noinline)) void free_outside(void *block)
{
    if (hl_likely(hl_small_limit))
        hl_cold_free(hl_chunk_size(hl_chunk_word(block)) - 8, HL_F_FREE);
    else
        count_free_slow(block, HL_F_FREE);
    hl_real.free(block);
}

/* Nothing but tail calls, so that the block need not be kept over a call. */
HL_EXPORT void free(void *block)
{
    struct hl_slot *slot;
    uint64_t word, size, net;

    if (hl_unlikely(!hl_off_page_start(block))) {
        free_slow(block);
        return;
    }
    word = hl_chunk_word(block);
    if (hl_unlikely(word >= HL_SMALL_LIMIT)) {
        free_slow(block);
        return;
    }
    slot = hl_self;
    size = hl_chunk_size(word);
    net = *hl_slot_net(slot) + 8 - size;
    if (hl_unlikely((int64_t)net < hl_window_of(slot)->lo)) {
        free_outside(block);
        return;
    }
    *hl_slot_net(slot) = net;
    ++*hl_slot_word(slot, HL_W_CALLS + HL_F_FREE);
    hl_real.free(block);
}

HL_EXPORT void *calloc(size_t count, size_t size)
{
    return count_alloc(hl_real.calloc(count, size), HL_F_CALLOC);
}

/* One release and one allocation, at one instant: only the difference of the
 * two sizes can be a peak. */
static inline void count_resize(uint64_t old_usable, uint64_t new_usable, enum hl_function f)
{
    struct hl_slot *slot = hl_self;
    struct hl_window *window = hl_window_of(slot);
    uint64_t net = *hl_slot_net(slot) + new_usable - old_usable;

    if (hl_unlikely(net > window->any_hi || (int64_t)net < window->any_lo || !window->process)) {
        hl_cold_resize(old_usable, new_usable, true, f);
        return;
    }
    *hl_slot_net(slot) = net;
    ++*hl_slot_word(slot, HL_W_RELEASED_CALLS);
    *hl_slot_word(slot, HL_W_RELEASED_BYTES) += old_usable;
    hl_add_alloc(slot, new_usable, f);
}

/* NULL for a size of 0 means released; for any other size, failed and kept. */
static HL_COLD void *resized_to_null(uint64_t old_usable, size_t size, enum hl_function f)
{
    if (size == 0)
        hl_cold_resize(old_usable, 0, false, f);
    else
        hl_count_failed(f);
    return NULL;
}

static inline void *resize(void *block, size_t size, enum hl_function f)
{
    if (!block)
        return count_alloc(hl_real.realloc(NULL, size), f);

    uint64_t old_usable = hl_usable(block);
    void *moved = hl_real.realloc(block, size);

    if (hl_unlikely(!moved))
        return resized_to_null(old_usable, size, f);
    count_resize(old_usable, hl_usable(moved), f);
    return moved;
}

HL_EXPORT void *realloc(void *block, size_t size)
{
    return resize(block, size, HL_F_REALLOC);
}

/* glibc's own would call realloc through us and count twice. */
HL_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        hl_count_failed(HL_F_REALLOCARRAY);
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, bytes, HL_F_REALLOCARRAY);
}

HL_EXPORT int posix_memalign(void **result, size_t alignment, size_t size)
{
    int rc = hl_real.posix_memalign(result, alignment, size);

    if (rc)
        hl_count_failed(HL_F_POSIX_MEMALIGN);
    else if (*result)
        (void)count_alloc(*result, HL_F_POSIX_MEMALIGN);
    return rc;
}

HL_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return count_alloc(hl_real.aligned_alloc(alignment, size), HL_F_ALIGNED_ALLOC);
}

HL_EXPORT void *memalign(size_t alignment, size_t size)
{
    return count_alloc(hl_real.memalign(alignment, size), HL_F_MEMALIGN);
}

HL_EXPORT void *valloc(size_t size)
{
    return count_alloc(hl_real.valloc(size), HL_F_VALLOC);
}

HL_EXPORT void *pvalloc(size_t size)
{
    return count_alloc(hl_real.pvalloc(size), HL_F_PVALLOC);
}

/* C23.  Where the allocator has none, free(3) is what the standard says that
 * they do. */
HL_EXPORT void free_sized(void *block, size_t size)
{
    count_free_slow(block, HL_F_FREE_SIZED);
    if (hl_real.free_sized)
        hl_real.free_sized(block, size);
    else
        hl_real.free(block);
}

HL_EXPORT void free_aligned_sized(void *block, size_t alignment, size_t size)
{
    count_free_slow(block, HL_F_FREE_ALIGNED_SIZED);
    if (hl_real.free_aligned_sized)
        hl_real.free_aligned_sized(block, alignment, size);
    else
        hl_real.free(block);
}
