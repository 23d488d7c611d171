/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Makes the mapping that a process counts in.  No descriptor stays open: a
 * program that closes or reuses descriptors must not meet ours.
 *
 * A store into a hole of a mapped file is SIGBUS when the file system is full,
 * so what is stored to is secured first: fallocate(2) at start, and for further
 * pages MADV_POPULATE_WRITE, which reports instead of killing. */
#include "libheapline/process.h"
#include "libheapline/sys.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

#define NAMES_TRIED 100000
#define MODE_OWNER 0600
#define PAGE 4096

/* p->path, path.1, path.2, ...: an existing file is never reused. */
static int open_new(struct hl_process *p, int64_t *sequence)
{
    struct hl_text name = {p->path, sizeof(p->path), strlen(p->path), false};
    size_t length = name.length;

    for (int64_t n = 0; n < NAMES_TRIED; n++) {
        int fd;

        if (n) {
            name.length = length;
            hl_text_string(&name, ".");
            hl_text_int(&name, n);
        }
        if (name.cut)
            return -ENAMETOOLONG;
        fd = hl_open(p->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, MODE_OWNER);
        *sequence = n;
        if (fd != -EEXIST)
            return fd;
    }
    return -EEXIST;
}

/* Blocks for [from, to), so that stores there cannot fail. */
static bool reserve(int fd, long from, long to)
{
    static const char zeros[PAGE];
    int rc = hl_fallocate(fd, from, to - from);

    if (rc == 0)
        return true;
    if (rc != -EOPNOTSUPP && rc != -ENOSYS)
        return false;
    for (long at = from; at < to; at += PAGE)
        if (hl_pwrite(fd, zeros, PAGE, at) != PAGE)
            return false;
    return true;
}

static bool map_shared(struct hl_process *p, int fd)
{
    long base = (long)p->base;

    return reserve(fd, 0, HL_START_BYTES) && hl_ftruncate(fd, HL_PROFILE_BYTES) == 0 &&
           hl_mmap(p->base, HL_PROFILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd) ==
               base;
}

/* Puts the file p->path under the process.  A file that is made longer than
 * RLIMIT_FSIZE allows would be SIGXFSZ. */
static bool map_file(struct hl_process *p, int64_t *sequence)
{
    int fd;
    bool mapped;

    if (!p->path[0] || hl_file_limit() < HL_PROFILE_BYTES)
        return false;
    fd = open_new(p, sequence);
    if (fd < 0)
        return false;
    mapped = map_shared(p, fd);
    if (!mapped)
        (void)hl_unlink(p->path);
    (void)hl_close(fd);
    return mapped;
}

static bool map_anonymous(char *base)
{
    return hl_mmap(base, HL_PROFILE_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1) == (long)base;
}

static void write_section(struct hl_section *s, uint32_t id, uint64_t offset, uint32_t entry_bytes,
                          uint32_t entry_count)
{
    s->id = id;
    s->version = 1;
    s->offset = offset;
    s->length = (uint64_t)entry_bytes * entry_count;
    s->entry_bytes = entry_bytes;
    s->entry_count = entry_count;
}

static void write_header(struct hl_process *p)
{
    struct hl_profile_header *h = hl_header_of(p);

    h->byte_order = HL_PROFILE_ORDER;
    h->version = HL_PROFILE_VERSION;
    h->file_bytes = HL_PROFILE_BYTES;
    h->used_bytes = HL_START_BYTES;
    h->section_count = 3;
    write_section(&h->sections[0], HL_SECTION_METRICS, HL_METRICS_OFFSET, sizeof(int64_t),
                  HL_METRICS_ROOM);
    write_section(&h->sections[1], HL_SECTION_IDENTITY, HL_IDENTITY_OFFSET,
                  sizeof(struct hl_identity), 1);
    write_section(&h->sections[2], HL_SECTION_SLOTS, HL_SLOTS_OFFSET, sizeof(struct hl_slot),
                  HL_SLOT_COUNT);
    hl_metric_set(p, HL_M_VMHWM, -1);
    hl_metric_set(p, HL_M_VMRSS, -1);
    hl_metric_set(p, HL_M_VM_TIME, -1);
    hl_metric_set(p, HL_M_EXIT_CODE, -1);
    hl_metric_set(p, HL_M_END_TIME, -1);
    /* last: without its name the file is no profile */
    __atomic_signal_fence(__ATOMIC_RELEASE);
    memcpy(h->magic, HL_PROFILE_MAGIC, sizeof(h->magic));
}

static char *map_all(void)
{
    long at = hl_mmap(NULL, HL_MAP_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    char *base;

    if (at <= 0)
        return NULL;
    base = (char *)at;
    /* Without this a fork's child would write into its parent's profile. */
    if (hl_madvise(base + HL_WIPED_OFFSET, HL_WIPED_BYTES, MADV_WIPEONFORK) != 0) {
        (void)hl_munmap(base, HL_MAP_BYTES);
        return NULL;
    }
    return base;
}

struct hl_process *hl_map(char *old, const char *pattern, const struct hl_identity *id,
                          int64_t *sequence)
{
    char *base = old ? old : map_all();
    struct hl_process *p;
    struct hl_text path;

    *sequence = 0;
    if (!base)
        return NULL;
    p = (struct hl_process *)(void *)(base + HL_WIPED_OFFSET);
    p->base = base;
    hl_text_init(&path, p->path, sizeof(p->path));
    hl_output_expand(&path, pattern, id);
    p->in_file = !path.cut && map_file(p, sequence);
    if (!p->in_file && old && !map_anonymous(base)) {
        p->base = NULL;
        return NULL;
    }
    p->secured = p->in_file ? HL_START_BYTES : HL_PROFILE_BYTES;
    p->taken[0] = 1; /* slot 0 is everybody's */
    write_header(p);
    return p;
}

void hl_unmap(struct hl_process *p)
{
    (void)hl_munmap(p->base, HL_MAP_BYTES);
}

/* Linux before 5.14: by the file's name, if that still is the file: it says who
 * it is at the same place. */
static bool secure_by_name(const struct hl_process *p, uint64_t from, uint64_t to)
{
    int64_t written[5]; /* as far as start_unix_ns in struct hl_identity */
    int fd = hl_open(p->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    bool done;

    if (fd < 0)
        return false;
    done = hl_pread(fd, written, sizeof(written), HL_IDENTITY_OFFSET) == sizeof(written) &&
           memcmp(written, hl_identity_of(p), sizeof(written)) == 0 &&
           reserve(fd, (long)from, (long)to);
    (void)hl_close(fd);
    return done;
}

static bool secure_more(struct hl_process *p, uint64_t from, uint64_t to)
{
    int rc;

    if (hl_no_syscalls)
        return false;
    rc = hl_madvise(p->base + from, to - from, MADV_POPULATE_WRITE);
    return rc == 0 || (rc == -EINVAL && secure_by_name(p, from, to));
}

bool hl_secure(struct hl_process *p, uint64_t bytes)
{
    uint64_t have = atomic_load(&p->secured);
    uint64_t *used = &hl_header_of(p)->used_bytes;

    bytes = (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    if (have < bytes) {
        if (!secure_more(p, have, bytes))
            return false;
        while (have < bytes && !atomic_compare_exchange_weak(&p->secured, &have, bytes))
            ;
    }
    have = __atomic_load_n(used, __ATOMIC_RELAXED);
    while (have < bytes && !__atomic_compare_exchange_n(used, &have, bytes, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED))
        ;
    return true;
}
