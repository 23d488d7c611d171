/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The cold way of counting: windows, publishing and the peak.
 *
 * ONE THREAD.  Nothing is published.  The window's upper end is the peak, so
 * that only a new peak leaves it, and the peak is exact:
 *     live = published_bytes + (net - published)
 *
 * MANY.  Thread k (its slot's index) may hold back up to peak/8192/k, either
 * way.  The sum over N threads is at most peak/8192 * (ceil(log2 N) + 1), since
 * 1 + 1/2 + ... + 1/N is at most that, and so is the error of the published
 * total at any instant, and of its maximum.  On a small heap the budget is
 * below any block and every operation publishes.
 *
 * FROM ONE TO MANY.  The second thread closes the first one's window, makes
 * sure by membarrier(2) that the first has seen that or that its last net is
 * seen, and publishes that net for it.  published is exchanged, not stored, so
 * the first may publish at the same time; whatever the order, published_bytes
 * stays the sum of all published.  A peak that the first one stores late goes
 * to single_peak_bytes, which nobody else writes; the peak is the larger one. */
#include "libheapline/process.h"

#define PEAK_SHIFT 13 /* 8192, the record's precision promise */
#define NEXT_READING_NS 1000000000

static uint64_t exchange(uint64_t *word, uint64_t value)
{
    return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL);
}

/* Words of a window that another thread may store to. */
static void window_set(struct hl_window *w, uint64_t hi, uint64_t lo)
{
    bool small = hl_small_limit != 0;

    __atomic_store_n(&w->hi, small ? hi : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->lo, small ? (int64_t)lo : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->any_hi, hi, __ATOMIC_RELAXED);
    __atomic_store_n(&w->any_lo, (int64_t)lo, __ATOMIC_RELAXED);
}

static int64_t new_peak_time(struct hl_process *p)
{
    int64_t now = hl_now_coarse(p);

    if (hl_unlikely(now >= p->next_reading_ns) && p->in_file && !hl_no_syscalls) {
        p->next_reading_ns = now + NEXT_READING_NS;
        hl_read_vm(p, now);
    }
    return now;
}

static void raise_peak(struct hl_process *p, int64_t total)
{
    _Atomic int64_t *peak = &hl_metrics_of(p)[HL_M_PEAK];
    int64_t seen = atomic_load_explicit(peak, memory_order_relaxed);

    while (total > seen) {
        if (atomic_compare_exchange_weak_explicit(peak, &seen, total, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            hl_metric_set(p, HL_M_PEAK_TIME, new_peak_time(p));
            return;
        }
    }
}

int64_t hl_publish(struct hl_process *p, struct hl_slot *slot)
{
    struct hl_window *w = hl_window_of(slot);
    uint64_t net = __atomic_load_n(hl_slot_net(slot), __ATOMIC_RELAXED);
    uint64_t before = exchange(&w->published, net);
    int64_t change = (int64_t)(net - before);
    int64_t total =
        atomic_fetch_add_explicit(&hl_metrics_of(p)[HL_M_PUBLISHED], change, memory_order_relaxed) +
        change;

    raise_peak(p, total);
    return total;
}

/* One thread: the operation is done; is this a new peak? */
static void settle_single(struct hl_process *p, struct hl_slot *slot)
{
    struct hl_window *w = hl_window_of(slot);
    uint64_t net = *hl_slot_net(slot);
    int64_t live = hl_metric(p, HL_M_PUBLISHED) + (int64_t)(net - w->published);
    int64_t peak = hl_metric(p, HL_M_SINGLE_PEAK);

    if (live > peak) {
        peak = live;
        hl_metric_set(p, HL_M_SINGLE_PEAK, live);
        hl_metric_set(p, HL_M_SINGLE_PEAK_TIME, new_peak_time(p));
    }
    window_set(w, net + (uint64_t)(peak - live), (uint64_t)HL_LO_OPEN);
    /* What was read above may be from before another thread's hand-over, and
     * what is stored from after it: then the window is closed again. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (hl_unlikely(atomic_load_explicit(&p->mode, memory_order_relaxed) != HL_MODE_SINGLE))
        window_set(w, 0, 0);
}

static void settle_multi(struct hl_process *p, struct hl_slot *slot)
{
    struct hl_window *w = hl_window_of(slot);
    int64_t peak, single;
    uint64_t budget, net;

    (void)hl_publish(p, slot);
    peak = hl_metric(p, HL_M_PEAK);
    single = hl_metric(p, HL_M_SINGLE_PEAK);
    budget = (uint64_t)(peak > single ? peak : single) >> PEAK_SHIFT;
    if (budget)
        budget /= w->share;
    net = *hl_slot_net(slot);
    window_set(w, net + budget, net - budget);
}

static void settle(struct hl_slot *slot)
{
    struct hl_process *p = hl_window_of(slot)->process;

    if (hl_likely(atomic_load_explicit(&p->mode, memory_order_relaxed) == HL_MODE_SINGLE))
        settle_single(p, slot);
    else
        settle_multi(p, slot);
}

/* The shared slot ------------------------------------------------------- */

static void add_atomic(uint64_t *word, uint64_t value)
{
    (void)__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}

static void publish_shared(struct hl_process *p, struct hl_slot *shared, uint64_t change)
{
    int64_t total = atomic_fetch_add_explicit(&hl_metrics_of(p)[HL_M_PUBLISHED], (int64_t)change,
                                              memory_order_relaxed) +
                    (int64_t)change;

    add_atomic(hl_slot_net(shared), change);
    if (atomic_load_explicit(&p->mode, memory_order_relaxed) == HL_MODE_SINGLE)
        window_set(hl_window_of(hl_slot_of(p, 1)), 0, 0); /* its live has changed */
    else
        raise_peak(p, total);
}

static void shared_alloc(struct hl_slot *s, uint64_t usable, enum hl_function f)
{
    unsigned c = hl_class_of(usable);

    add_atomic(hl_slot_class(s, c), 1);
    add_atomic(hl_slot_word(s, HL_W_BYTES + HL_F_MALLOC), usable - hl_class_bytes(c));
    if (f == HL_F_MALLOC)
        return;
    add_atomic(hl_slot_word(s, HL_W_CALLS + f), 1);
    add_atomic(hl_slot_word(s, HL_W_BYTES + f), usable);
}

static void shared_free(struct hl_slot *s, uint64_t usable, enum hl_function f)
{
    add_atomic(hl_slot_word(s, HL_W_CALLS + f), 1);
    if (f != HL_F_FREE)
        add_atomic(hl_slot_word(s, HL_W_BYTES + f), usable);
}

/* The three doors --------------------------------------------------------- */

/* The slot to count in; NULL for nothing.  *shared: slot 0, atomically. */
static struct hl_slot *cold_slot(bool *shared)
{
    struct hl_slot *slot = hl_self;
    struct hl_process *p = hl_window_of(slot)->process;

    if (hl_unlikely(!p)) {
        slot = hl_attach();
        if (!slot)
            return NULL;
        p = hl_window_of(slot)->process;
    }
    *shared = slot == hl_slot_of(p, 0);
    return slot;
}

void *hl_cold_alloc(void *block, uint64_t usable, enum hl_function f)
{
    bool shared;
    struct hl_slot *slot = cold_slot(&shared);

    if (hl_unlikely(!slot))
        return block;
    if (hl_unlikely(shared)) {
        shared_alloc(slot, usable, f);
        publish_shared(hl_window_of(slot)->process, slot, usable);
        return block;
    }
    __atomic_store_n(hl_slot_net(slot), *hl_slot_net(slot) + usable, __ATOMIC_RELAXED);
    hl_add_alloc(slot, usable, f);
    settle(slot);
    return block;
}

void hl_cold_free(uint64_t usable, enum hl_function f)
{
    bool shared;
    struct hl_slot *slot = cold_slot(&shared);

    if (hl_unlikely(!slot))
        return;
    if (hl_unlikely(shared)) {
        shared_free(slot, usable, f);
        publish_shared(hl_window_of(slot)->process, slot, 0 - usable);
        return;
    }
    __atomic_store_n(hl_slot_net(slot), *hl_slot_net(slot) - usable, __ATOMIC_RELAXED);
    hl_add_free(slot, usable, f);
    settle(slot);
}

void hl_cold_resize(uint64_t old_usable, uint64_t new_usable, bool gave, enum hl_function f)
{
    bool shared;
    struct hl_slot *slot = cold_slot(&shared);

    if (hl_unlikely(!slot))
        return;
    if (hl_unlikely(shared)) {
        add_atomic(hl_slot_word(slot, HL_W_RELEASED_CALLS), 1);
        add_atomic(hl_slot_word(slot, HL_W_RELEASED_BYTES), old_usable);
        if (gave)
            shared_alloc(slot, new_usable, f);
        publish_shared(hl_window_of(slot)->process, slot, new_usable - old_usable);
        return;
    }
    __atomic_store_n(hl_slot_net(slot), *hl_slot_net(slot) + new_usable - old_usable,
                     __ATOMIC_RELAXED);
    ++*hl_slot_word(slot, HL_W_RELEASED_CALLS);
    *hl_slot_word(slot, HL_W_RELEASED_BYTES) += old_usable;
    if (gave)
        hl_add_alloc(slot, new_usable, f);
    settle(slot);
}

void hl_count_failed(enum hl_function f)
{
    bool shared;
    struct hl_slot *slot = cold_slot(&shared);

    if (slot)
        add_atomic(hl_slot_word(slot, HL_W_FAILED + f), 1);
}
