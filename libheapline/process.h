/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A counted process image: its mapping and what its threads share.
 *
 *   base              profile, HL_PROFILE_BYTES, a shared file or anonymous
 *   base + 256 KiB    struct hl_process            } private, wiped by the kernel
 *   base + 260 KiB    windows, one per slot        } in a child of fork
 *
 * Life: hl_begin() at the first call of any exported function or in the
 * constructor, whichever is first; hl_fork_*() around fork(3), or a child of a
 * raw clone finds its windows wiped; hl_end() as the last exit handler.  A
 * vfork child that allocates gets a struct hl_process of its own in the
 * parent's memory, known only through its thread's slot pointer.
 */
#ifndef HL_PROCESS_H
#define HL_PROCESS_H

#include "libheapline/counters.h"
#include "libheapline/text.h"

#include <stdatomic.h>
#include <time.h>

#define HL_MAP_BYTES (2 * HL_PROFILE_BYTES)
#define HL_WIPED_OFFSET HL_PROFILE_BYTES
#define HL_WIPED_BYTES (HL_SLOTS_OFFSET + HL_SLOT_COUNT * 1024)
#define HL_START_BYTES (2 * 4096) /* secured at start: header page, first slots */

enum hl_mode {
    HL_MODE_SINGLE,  /* slot 1 alone counts: exact peak, nothing published */
    HL_MODE_CHANGES, /* a second thread has come and is folding slot 1 in */
    HL_MODE_MULTI,   /* every slot publishes within its budget */
};

struct hl_process {
    char *base;              /* NULL: wiped, this is a child that has no profile yet */
    int64_t start_ns;        /* CLOCK_MONOTONIC when it began */
    int64_t next_reading_ns; /* VmHWM is not read before (since start) */
    _Atomic int mode;        /* enum hl_mode */
    _Atomic uint64_t taken[HL_SLOT_COUNT / 64]; /* bit per slot in use; slot 0 always */
    _Atomic uint64_t secured;                   /* bytes of the profile that can be stored to */
    bool in_file;                               /* base is a file that somebody will read */
    char path[3072];                            /* of that file */
};

_Static_assert(sizeof(struct hl_process) <= HL_SLOTS_OFFSET, "it fits before the windows");

static inline struct hl_profile_header *hl_header_of(const struct hl_process *p)
{
    return (struct hl_profile_header *)(void *)p->base;
}

static inline _Atomic int64_t *hl_metrics_of(const struct hl_process *p)
{
    return (_Atomic int64_t *)(void *)(p->base + HL_METRICS_OFFSET);
}

static inline struct hl_identity *hl_identity_of(const struct hl_process *p)
{
    return (struct hl_identity *)(void *)(p->base + HL_IDENTITY_OFFSET);
}

static inline struct hl_slot *hl_slot_of(const struct hl_process *p, unsigned index)
{
    return (struct hl_slot *)(void *)(p->base + HL_SLOTS_OFFSET) + index;
}

static inline int64_t hl_metric(const struct hl_process *p, enum hl_metric m)
{
    return atomic_load_explicit(&hl_metrics_of(p)[m], memory_order_relaxed);
}

static inline void hl_metric_set(const struct hl_process *p, enum hl_metric m, int64_t value)
{
    atomic_store_explicit(&hl_metrics_of(p)[m], value, memory_order_relaxed);
}

/* process.c -------------------------------------------------------------- */

/* Starts counting in this process if it has not been started or switched off.
 * Async-signal-safe; keeps errno. */
HL_HIDDEN void hl_begin(void);
/* The process that the calling thread counts in; NULL: it counts nothing.
 * Makes the profile of a fork's or vfork's child where there is none yet. */
HL_HIDDEN struct hl_process *hl_process_now(void);
/* The calling thread runs in vfork's child, on its parent's memory. */
HL_HIDDEN bool hl_in_vfork_child(void);
/* Heap in use by the slots of p, what it inherited included. */
HL_HIDDEN int64_t hl_live_bytes(const struct hl_process *p);
/* The program has a seccomp filter, or is asking for one: no system call. */
HL_HIDDEN extern bool hl_no_syscalls;

/* clock.c ---------------------------------------------------------------- */

/* Finds the kernel's own clock function; once, at start. */
HL_HIDDEN void hl_clock_init(void);
/* Nanoseconds of a clock.  0 where that would be a forbidden system call. */
HL_HIDDEN int64_t hl_clock_ns(clockid_t clock);
/* Nanoseconds since p began, by the coarse clock; never negative. */
HL_HIDDEN int64_t hl_now_coarse(const struct hl_process *p);

/* threads.c -------------------------------------------------------------- */

/* The calling thread's slot from now on: one of its own, or slot 0, which is
 * shared and closed for ever.  NULL: nothing is counted.  Sets hl_self. */
HL_HIDDEN struct hl_slot *hl_attach(void);
/* Before the first allocation: puts the net of the slot where threads start at
 * the bias, so that even a word of 0 or 8 before another allocator's block is
 * outside its window. */
HL_HIDDEN void hl_close_to_any_word(void);
/* The calling thread counts nowhere as yet; in a fork's child. */
HL_HIDDEN void hl_detach(void);
/* Makes a slot ready for its (next) owner. */
HL_HIDDEN void hl_open_slot(struct hl_process *p, unsigned index);
/* The thread key by which slots are given back; once, at start. */
HL_HIDDEN void hl_threads_init(void);

/* publish.c -------------------------------------------------------------- */

/* Adds what the slot has not published yet; returns the published total. */
HL_HIDDEN int64_t hl_publish(struct hl_process *p, struct hl_slot *slot);

/* mapping.c -------------------------------------------------------------- */

/* A mapping with an empty, valid profile at the start of it.  pattern "", or a
 * file that cannot be made or mapped: anonymous memory (in_file false).  old:
 * the base that is replaced at its address (a fork's child), or NULL.  The
 * suffix number that the name got goes to *sequence.  NULL: no memory. */
HL_HIDDEN struct hl_process *hl_map(char *old, const char *pattern, const struct hl_identity *id,
                                    int64_t *sequence);
HL_HIDDEN void hl_unmap(struct hl_process *p);
/* Makes [0, bytes) of the profile safe to store to.  False: no room. */
HL_HIDDEN bool hl_secure(struct hl_process *p, uint64_t bytes);

/* vm.c ------------------------------------------------------------------- */

/* Reads VmHWM and VmRSS into the metrics, -1 where there is none. */
HL_HIDDEN void hl_read_vm(struct hl_process *p, int64_t now_ns);
HL_HIDDEN void hl_read_vm_after_fork(void);

/* identity.c ------------------------------------------------------------- */

/* What the environment and the arguments of the process say; points into
 * them, valid while they are unchanged, so read once at start. */
struct hl_start {
    char **argv;
    char **envp;
};

/* argc, argv and envp as the kernel laid them, even before any constructor. */
HL_HIDDEN struct hl_start hl_start_find(void);
/* Value of a variable, or NULL. */
HL_HIDDEN const char *hl_start_env(const struct hl_start *start, const char *name);
/* Fills everything in but the sequence.  A child copies its parent's and calls
 * hl_identity_renew for what differs. */
HL_HIDDEN void hl_identity_fill(struct hl_identity *id, const struct hl_start *start);
HL_HIDDEN void hl_identity_renew(struct hl_identity *id);
/* A later image of its process asks when the process began (CLOCK_BOOTTIME). */
HL_HIDDEN int64_t hl_process_start_boot_ns(void);

/* output.c --------------------------------------------------------------- */

/* Remembers HEAPLINE_OUTPUT and what descriptor 2 is. */
HL_HIDDEN void hl_output_init(const char *pattern, bool summary);
/* The record, or the line of summary, at the end of the process. */
HL_HIDDEN void hl_output_end(const struct hl_process *p);
/* %p, %r, %h in a file name; anything else is kept. */
HL_HIDDEN void hl_output_expand(struct hl_text *out, const char *pattern,
                                const struct hl_identity *id);

/* real.c ----------------------------------------------------------------- */

HL_HIDDEN bool hl_real_is_glibc(void);
/* The next allocator does not tell sizes: calls are counted, bytes are not. */
HL_HIDDEN bool hl_real_has_no_sizes(void);

#endif
