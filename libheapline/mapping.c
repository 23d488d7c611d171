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

#include "libheapline/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 /* Linux 4.14 */
#endif

#define NAMES_TRIED 100000
#define MODE_OWNER 0600

static char profile_path[4096]; /* of the profile in use, to reopen it by */

/* path, path.1, path.2, ...: an existing file is never reused. */
static int open_new(const char *path, int64_t *sequence)
{
    for (int64_t n = 0; n < NAMES_TRIED; n++) {
        struct hl_text name;
        int fd;

        hl_text_init(&name, profile_path, sizeof(profile_path));
        hl_text_string(&name, path);
        if (n) {
            hl_text_string(&name, ".");
            hl_text_int(&name, n);
        }
        if (name.cut)
            return -1;
        fd = open(profile_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
                  MODE_OWNER);
        if (fd >= 0 || errno != EEXIST) {
            *sequence = n;
            return fd;
        }
    }
    return -1;
}

/* Blocks for [0, bytes), so that stores there cannot fail. */
static bool reserve(int fd, off_t bytes)
{
    static const char zeros[4096];

    if (fallocate(fd, 0, 0, bytes) == 0)
        return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return false;
    for (off_t at = 0; at < bytes; at += (off_t)sizeof(zeros))
        if (pwrite(fd, zeros, sizeof(zeros), at) != (ssize_t)sizeof(zeros))
            return false;
    return true;
}

/* A file that is made longer than RLIMIT_FSIZE allows is SIGXFSZ. */
static bool may_be_made(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= HL_PROFILE_BYTES;
}

static bool map_file(char *base, const char *path, int64_t *sequence)
{
    int fd = may_be_made() ? open_new(path, sequence) : -1;
    bool mapped;

    if (fd < 0)
        return false;
    mapped = reserve(fd, HL_START_BYTES) && ftruncate(fd, HL_PROFILE_BYTES) == 0 &&
             mmap(base, HL_PROFILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) !=
                 MAP_FAILED;
    if (!mapped)
        (void)unlink(profile_path);
    (void)close(fd);
    return mapped;
}

static bool map_anonymous(char *base)
{
    return mmap(base, HL_PROFILE_BYTES, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
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
    char *base = mmap(NULL, HL_MAP_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    /* Without this a fork's child would write into its parent's profile. */
    if (madvise(base + HL_WIPED_OFFSET, HL_WIPED_BYTES, MADV_WIPEONFORK) != 0) {
        (void)munmap(base, HL_MAP_BYTES);
        return NULL;
    }
    return base;
}

struct hl_process *hl_map(char *old, const char *path, int64_t *sequence)
{
    char *base = old ? old : map_all();
    struct hl_process *p;

    *sequence = 0;
    if (!base)
        return NULL;
    p = (struct hl_process *)(void *)(base + HL_WIPED_OFFSET);
    p->in_file = path && map_file(base, path, sequence);
    if (!p->in_file && old && !map_anonymous(base))
        return NULL;
    p->base = base;
    p->secured = p->in_file ? HL_START_BYTES : HL_PROFILE_BYTES;
    p->taken[0] = 1; /* slot 0 is everybody's */
    write_header(p);
    return p;
}

void hl_unmap(struct hl_process *p)
{
    (void)munmap(p->base, HL_MAP_BYTES);
}

/* Linux before 5.14: by the file's name, where it is still that file. */
static bool secure_by_name(uint64_t bytes)
{
    int fd = open(profile_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool done;

    if (fd < 0)
        return false;
    done = reserve(fd, (off_t)bytes);
    (void)close(fd);
    return done;
}

static bool secure_more(struct hl_process *p, uint64_t from, uint64_t bytes)
{
    int kept = errno;
    bool done;

    if (hl_no_syscalls)
        return false;
    done = madvise(p->base + from, bytes - from, MADV_POPULATE_WRITE) == 0 ||
           (errno == EINVAL && secure_by_name(bytes));
    errno = kept;
    return done;
}

bool hl_secure(struct hl_process *p, uint64_t bytes)
{
    uint64_t have = atomic_load(&p->secured);
    uint64_t *used = &hl_header_of(p)->used_bytes;

    bytes = (bytes + 4095) & ~UINT64_C(4095);
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
