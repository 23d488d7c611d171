/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Time, from the vdso: the function that the kernel maps into each process.  Not
 * by clock_gettime(3), which tools that fake the time replace, and which would
 * be called inside malloc. */
#include "libheapline/elfsym.h"
#include "libheapline/process.h"
#include "libheapline/sys.h"

static int (*vdso_clock)(clockid_t clock, struct timespec *time); /* NULL: there is none */

void hl_clock_init(void)
{
    struct hl_wanted wanted = {.name = "__vdso_clock_gettime"};

    hl_elf_find(&wanted, 1, true);
    vdso_clock = (int (*)(clockid_t, struct timespec *))wanted.address;
}

int64_t hl_clock_ns(clockid_t clock)
{
    struct timespec t = {0, 0};

    if (hl_no_syscalls && (!vdso_clock || clock != CLOCK_MONOTONIC_COARSE))
        return 0; /* a fine clock may be one, inside of the vdso */
    if (!vdso_clock || vdso_clock(clock, &t) != 0)
        (void)hl_sys(SYS_clock_gettime, clock, (long)&t, 0, 0, 0, 0);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t hl_now_coarse(const struct hl_process *p)
{
    int64_t now = hl_clock_ns(CLOCK_MONOTONIC_COARSE) - p->start_ns;

    return now < 0 ? 0 : now; /* up to a tick behind the clock that it began by */
}
