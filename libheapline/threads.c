/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Which thread counts in which slot.  A thread takes the lowest free slot at
 * its first call and gives it back when it ends, after the destructors of the
 * program's own thread-specific data have run; a recycled slot goes on from
 * where it stands.  Lock-free: a slot is a bit. */
#include "libheapline/elfsym.h"
#include "libheapline/process.h"
#include "libheapline/sys.h"

#include <linux/membarrier.h>

#define DESTRUCTOR_PASSES 4 /* PTHREAD_DESTRUCTOR_ITERATIONS of glibc */
#define WAIT_ROUNDS 100000  /* some 5 ms; what is waited for takes microseconds */

struct dummy {
    struct hl_slot slot;
    char gap[HL_WINDOW_DISTANCE - sizeof(struct hl_slot)];
    struct hl_window window;
};

/* Windows zero, never counted in: where threads start, and where vfork's child
 * does.  Only the first and the last page of each are ever touched. */
static struct dummy nobody;
HL_HIDDEN struct dummy hl_vfork_dummy; /* named in entry_x86_64.S */

__thread struct hl_slot *hl_self = &nobody.slot;

static unsigned thread_key;
static int (*set_specific)(unsigned key, const void *value); /* NULL: no key */

void hl_close_to_any_word(void)
{
    *hl_slot_net(&nobody.slot) = HL_NET_BIAS;
}

void hl_detach(void)
{
    hl_self = &nobody.slot;
}

static unsigned index_of(const struct hl_process *p, const struct hl_slot *slot)
{
    return (unsigned)(slot - hl_slot_of(p, 0));
}

static void give_back(struct hl_slot *slot)
{
    struct hl_process *p;
    unsigned index;

    if (slot != hl_self) /* a fork's child: the slot was the parent's */
        return;
    p = hl_window_of(slot)->process;
    if (!p)
        return;
    index = index_of(p, slot);
    if (atomic_load_explicit(&p->mode, memory_order_relaxed) != HL_MODE_SINGLE)
        (void)hl_publish(p, slot);
    hl_self = hl_slot_of(p, 0);
    slot->pair[1].blocks = 0;
    (void)atomic_fetch_and(&p->taken[index / 64], ~(UINT64_C(1) << index % 64));
}

/* Runs once in each pass over the thread's data; gives the slot back in the
 * last one.  What the thread still frees after that is counted in slot 0. */
static void thread_ends(void *value)
{
    static __thread unsigned char passes __attribute__((tls_model("initial-exec")));

    if (++passes < DESTRUCTOR_PASSES)
        (void)set_specific(thread_key, value);
    else
        give_back(value);
}

void hl_threads_init(void)
{
    struct hl_wanted w[] = {{.name = "pthread_key_create"}, {.name = "pthread_setspecific"}};
    int (*create)(unsigned *key, void (*destructor)(void *));

    hl_elf_find(w, 2, true);
    create = (int (*)(unsigned *, void (*)(void *)))w[0].address;
    if (create && w[1].address && create(&thread_key, thread_ends) == 0)
        set_specific = (int (*)(unsigned, const void *))w[1].address;
}

static void barrier(void)
{
    if (hl_no_syscalls)
        return;
    if (hl_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
        hl_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0)
        (void)hl_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

static void close_window(struct hl_window *w)
{
    __atomic_store_n(&w->hi, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->lo, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->any_hi, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->any_lo, 0, __ATOMIC_RELAXED);
}

/* The second thread has come: publishes what the first one never had to.  After
 * the first close and barrier, an operation of the first thread has either its
 * net stored and seen here, or finds the window closed.  One that was already
 * on the cold way may open the window once more; it finds the mode changed then
 * and closes it (publish.c), or did so before the second close and barrier.
 * Without membarrier (refused, or a seccomp filter) an operation of the first
 * thread at this very instant may be published at its next one only. */
static void become_many(struct hl_process *p)
{
    struct hl_slot *first = hl_slot_of(p, 1);
    int expected = HL_MODE_SINGLE;

    if (!atomic_compare_exchange_strong(&p->mode, &expected, HL_MODE_CHANGES)) {
        for (int i = 0; i < WAIT_ROUNDS && atomic_load(&p->mode) == HL_MODE_CHANGES; i++)
            __builtin_ia32_pause();
        return;
    }
    close_window(hl_window_of(first));
    barrier();
    close_window(hl_window_of(first));
    barrier();
    if (*hl_slot_net(first))
        (void)hl_publish(p, first);
    atomic_store(&p->mode, HL_MODE_MULTI);
}

static unsigned take_bit(struct hl_process *p)
{
    for (unsigned word = 0; word < HL_SLOT_COUNT / 64; word++) {
        uint64_t taken = atomic_load(&p->taken[word]);

        while (~taken) {
            unsigned bit = (unsigned)__builtin_ctzll(~taken);

            taken = atomic_fetch_or(&p->taken[word], UINT64_C(1) << bit);
            if (!(taken >> bit & 1))
                return word * 64 + bit;
        }
    }
    return 0;
}

static void raise_metric(struct hl_process *p, enum hl_metric m, int64_t value)
{
    int64_t seen = hl_metric(p, m);

    while (seen < value && !atomic_compare_exchange_weak(&hl_metrics_of(p)[m], &seen, value))
        ;
}

void hl_open_slot(struct hl_process *p, unsigned index)
{
    struct hl_slot *slot = hl_slot_of(p, index);
    struct hl_window *w = hl_window_of(slot);

    if (!*hl_slot_net(slot)) {
        *hl_slot_net(slot) = HL_NET_BIAS;
        w->published = HL_NET_BIAS;
    }
    w->share = index ? index : 1;
    close_window(w); /* the first operation opens it */
    __atomic_store_n(&w->process, p, __ATOMIC_RELEASE);
    raise_metric(p, HL_M_SLOTS_USED, index + 1);
}

/* A slot of its own for the calling thread, or 0. */
static unsigned take_slot(struct hl_process *p)
{
    unsigned index = take_bit(p);

    if (!index)
        return 0;
    if (!hl_secure(p, HL_SLOTS_OFFSET + (index + 1) * sizeof(struct hl_slot))) {
        (void)atomic_fetch_and(&p->taken[index / 64], ~(UINT64_C(1) << index % 64));
        return 0;
    }
    return index;
}

struct hl_slot *hl_attach(void)
{
    static __thread bool busy __attribute__((tls_model("initial-exec")));
    struct hl_process *p = hl_process_now();
    unsigned index;

    if (!p)
        return NULL;
    if (busy) /* a signal handler inside of attaching */
        return hl_slot_of(p, 0);
    busy = true;
    index = take_slot(p);
    if (index != 1)
        become_many(p);
    if (index)
        hl_open_slot(p, index);
    (void)atomic_fetch_add(&hl_metrics_of(p)[HL_M_THREADS], 1);
    hl_self = hl_slot_of(p, index);
    /* vfork's child has its parent's thread data: nothing is left there */
    if (index && set_specific && !hl_in_vfork_child())
        (void)set_specific(thread_key, hl_self);
    busy = false;
    return hl_self;
}
