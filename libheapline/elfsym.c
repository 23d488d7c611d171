/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "libheapline/elfsym.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct object {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
    uintptr_t base;
};

struct search {
    struct hl_wanted *wanted;
    unsigned n;
    bool past_self;
};

static const void *dynamic_pointer(uintptr_t base, uintptr_t value)
{
    /* glibc has relocated these in place; the vdso's are as in its file. */
    return (const void *)(value < base ? base + value : value);
}

static bool object_tables(const struct dl_phdr_info *info, struct object *o)
{
    const ElfW(Dyn) *dynamic = NULL;

    memset(o, 0, sizeof(*o));
    o->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (!dynamic)
        return false;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = dynamic_pointer(o->base, dynamic->d_un.d_ptr);

        if (dynamic->d_tag == DT_SYMTAB)
            o->symbols = at;
        else if (dynamic->d_tag == DT_STRTAB)
            o->strings = at;
        else if (dynamic->d_tag == DT_GNU_HASH)
            o->gnu_hash = at;
        else if (dynamic->d_tag == DT_HASH)
            o->hash = at;
    }
    return o->symbols && o->strings && (o->gnu_hash || o->hash);
}

static bool symbol_is(const struct object *o, uint32_t index, const char *name)
{
    const ElfW(Sym) *s = &o->symbols[index];
    unsigned type = ELF64_ST_TYPE(s->st_info);

    return s->st_shndx != SHN_UNDEF && s->st_value != 0 &&
           (type == STT_FUNC || type == STT_GNU_IFUNC) &&
           strcmp(o->strings + s->st_name, name) == 0;
}

/* Format of DT_GNU_HASH: nbuckets, symoffset, bloom_size, bloom_shift, bloom
 * words, buckets, chains; a chain ends with a hash whose lowest bit is set. */
static const ElfW(Sym) * find_gnu(const struct object *o, const char *name)
{
    const uint32_t *table = o->gnu_hash;
    uint32_t buckets = table[0], first = table[1], bloom = table[2];
    const uint32_t *bucket = table + 4 + bloom * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chain = bucket + buckets;
    uint32_t hash = 5381;

    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        hash = hash * 33 + *c;
    if (!buckets)
        return NULL;
    for (uint32_t i = bucket[hash % buckets]; i >= first && i != 0; i++) {
        uint32_t h = chain[i - first];

        if ((h | 1) == (hash | 1) && symbol_is(o, i, name))
            return &o->symbols[i];
        if (h & 1)
            break;
    }
    return NULL;
}

/* DT_HASH: only nchain, the number of symbols, is used. */
static const ElfW(Sym) * find_linear(const struct object *o, const char *name)
{
    for (uint32_t i = 1; i < o->hash[1]; i++)
        if (symbol_is(o, i, name))
            return &o->symbols[i];
    return NULL;
}

static void *definition(const struct object *o, const char *name)
{
    const ElfW(Sym) *s = o->gnu_hash ? find_gnu(o, name) : find_linear(o, name);
    uintptr_t at;

    if (!s)
        return NULL;
    at = o->base + s->st_value;
    if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
        at = ((uintptr_t(*)(void))at)();
    return (void *)at;
}

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct search *search = data;
    struct object o;

    (void)size;
    if (contains(info, (uintptr_t)search_object)) {
        search->past_self = true;
        return 0;
    }
    if (!search->past_self || !object_tables(info, &o))
        return 0;
    for (unsigned i = 0; i < search->n; i++) {
        struct hl_wanted *w = &search->wanted[i];

        if (!w->address && (w->address = definition(&o, w->name)))
            w->object = o.base;
    }
    return 0;
}

void hl_elf_find(struct hl_wanted *wanted, unsigned n, bool everywhere)
{
    struct search search = {wanted, n, everywhere};

    for (unsigned i = 0; i < n; i++)
        wanted[i] = (struct hl_wanted){.name = wanted[i].name};
    (void)dl_iterate_phdr(search_object, &search);
}

static int is_mpi(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char *const names[] = {"libmpi.",   "libmpi_",    "libmpi-", "libmpich",
                                        "libmpicxx", "libmpifort", "libpsmpi"};
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    (void)data;
    name = name ? name + 1 : info->dlpi_name;
    if (!name)
        return 0;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

bool hl_elf_mpi_loaded(void)
{
    return dl_iterate_phdr(is_mpi, NULL) != 0;
}
