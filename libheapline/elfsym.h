/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Finds functions in the objects that the process has loaded.  dlsym(3) is not
 * in glibc's libc.so before 2.34, may allocate, and other tools replace it; this
 * walks the ELF tables by itself.  Allocates nothing, makes no system call; takes
 * the dynamic linker's own (recursive) lock by dl_iterate_phdr(3).
 */
#ifndef HL_ELFSYM_H
#define HL_ELFSYM_H

#include <stdbool.h>
#include <stdint.h>

struct hl_wanted {
    const char *name;
    void *address;    /* out: NULL if no object defines it */
    uintptr_t object; /* out: where that object is loaded */
};

/* For each of n names the definition in the first object that comes after this
 * library in the search order (what RTLD_NEXT means), or, with everywhere, in
 * the first object at all that is not this library. */
void hl_elf_find(struct hl_wanted *wanted, unsigned n, bool everywhere);

/* Whether an object whose file name begins with one of the usual names of an
 * MPI library is loaded. */
bool hl_elf_mpi_loaded(void);

#endif
