/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Makes a profile as the library would leave it, for the tests of the gather:
 *
 *     make_profile FILE [key=value...]
 *
 * Keys: pid ppid rank task start (ms since the epoch) boot process (ms of
 * CLOCK_BOOTTIME, "now" for boot) sequence exe host job node step world; exit
 * (status given to exit) end (ms since start) vmhwm vmrss threads inherited;
 * allocs frees bytes (live) peak; slots (in use).  Damage: magic version used
 * truncate.  hold=SECONDS: stays, with the file mapped and pid its own.  It
 * imitates the file only, not how the library writes it.
 */
#include "libheapline/profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct profile {
    struct hl_profile_header *header;
    int64_t *metrics;
    struct hl_identity *identity;
    struct hl_slot *slot;
    off_t truncate;
    unsigned hold;
};

static void section(struct profile *p, uint32_t id, uint64_t offset, uint64_t entry, uint32_t count)
{
    p->header->sections[p->header->section_count++] = (struct hl_section){
        .id = id,
        .version = 1,
        .offset = offset,
        .length = entry * count,
        .entry_bytes = (uint32_t)entry,
        .entry_count = count,
    };
}

static void lay_out(struct profile *p, char *map)
{
    p->header = (struct hl_profile_header *)map;
    p->metrics = (int64_t *)(map + HL_METRICS_OFFSET);
    p->identity = (struct hl_identity *)(map + HL_IDENTITY_OFFSET);
    p->slot = (struct hl_slot *)(map + HL_SLOTS_OFFSET);
    memcpy(p->header->magic, HL_PROFILE_MAGIC, sizeof(p->header->magic));
    p->header->byte_order = HL_PROFILE_ORDER;
    p->header->version = HL_PROFILE_VERSION;
    p->header->file_bytes = HL_PROFILE_BYTES;
    p->header->used_bytes = HL_SLOTS_OFFSET + 2 * sizeof(struct hl_slot);
    section(p, HL_SECTION_METRICS, HL_METRICS_OFFSET, sizeof(int64_t), HL_METRICS_ROOM);
    section(p, HL_SECTION_IDENTITY, HL_IDENTITY_OFFSET, sizeof(struct hl_identity), 1);
    section(p, HL_SECTION_SLOTS, HL_SLOTS_OFFSET, sizeof(struct hl_slot), HL_SLOT_COUNT);
    p->metrics[HL_M_VMHWM] = p->metrics[HL_M_VMRSS] = p->metrics[HL_M_VM_TIME] = -1;
    p->metrics[HL_M_EXIT_CODE] = p->metrics[HL_M_END_TIME] = -1;
    p->metrics[HL_M_THREADS] = 1;
    p->identity->rank = p->identity->task = p->identity->process_start_boot_ns = -1;
    *hl_slot_net(&p->slot[1]) = HL_NET_BIAS;
}

static int64_t boot_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int set_text(struct profile *p, const char *key, const char *value)
{
    struct hl_identity *id = p->identity;
    const struct {
        const char *key;
        char *to;
        size_t room;
    } texts[] = {
        {"exe", id->exe, sizeof(id->exe)},    {"host", id->host, sizeof(id->host)},
        {"job", id->job, sizeof(id->job)},    {"node", id->node, sizeof(id->node)},
        {"step", id->step, sizeof(id->step)}, {"world", id->world, sizeof(id->world)},
    };

    for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++)
        if (strcmp(key, texts[t].key) == 0) {
            (void)snprintf(texts[t].to, texts[t].room, "%s", value);
            return 1;
        }
    return 0;
}

static int set_number(struct profile *p, const char *key, long long value)
{
    struct hl_identity *id = p->identity;
    const struct {
        const char *key;
        int64_t *to;
        long long unit;
    } numbers[] = {
        {"pid", &id->pid, 1},
        {"ppid", &id->ppid, 1},
        {"rank", &id->rank, 1},
        {"task", &id->task, 1},
        {"start", &id->start_unix_ns, 1000000},
        {"boot", &id->start_boot_ns, 1000000},
        {"process", &id->process_start_boot_ns, 1000000},
        {"sequence", &id->sequence, 1},
        {"exit", &p->metrics[HL_M_EXIT_CODE], 1},
        {"end", &p->metrics[HL_M_END_TIME], 1000000},
        {"vmhwm", &p->metrics[HL_M_VMHWM], 1},
        {"vmrss", &p->metrics[HL_M_VMRSS], 1},
        {"threads", &p->metrics[HL_M_THREADS], 1},
        {"inherited", &p->metrics[HL_M_INHERITED], 1},
        {"peak", &p->metrics[HL_M_SINGLE_PEAK], 1},
        {"allocs", (int64_t *)hl_slot_class(&p->slot[1], 2), 1},
        {"frees", (int64_t *)hl_slot_word(&p->slot[1], HL_W_CALLS + HL_F_FREE), 1},
        {"used", (int64_t *)&p->header->used_bytes, 1},
    };

    for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
        if (strcmp(key, numbers[n].key) == 0) {
            *numbers[n].to = value * numbers[n].unit;
            if (strcmp(key, "exit") == 0)
                p->metrics[HL_M_END] = HL_END_EXIT;
            return 1;
        }
    return 0;
}

static int set(struct profile *p, const char *key, const char *value)
{
    long long number = strtoll(value, NULL, 10);

    if (strcmp(key, "boot") == 0 && strcmp(value, "now") == 0)
        p->identity->start_boot_ns = boot_ns();
    else if (strcmp(key, "bytes") == 0)
        *hl_slot_net(&p->slot[1]) = HL_NET_BIAS + (uint64_t)number;
    else if (strcmp(key, "slots") == 0)
        p->header->used_bytes = HL_SLOTS_OFFSET + (uint64_t)number * sizeof(struct hl_slot);
    else if (strcmp(key, "version") == 0)
        p->header->version = (uint32_t)number;
    else if (strcmp(key, "magic") == 0)
        p->header->magic[0] = value[0];
    else if (strcmp(key, "truncate") == 0)
        p->truncate = (off_t)number;
    else if (strcmp(key, "hold") == 0)
        p->hold = (unsigned)number;
    else
        return set_text(p, key, value) || set_number(p, key, number);
    return 1;
}

static char *make_file(const char *path, int *fd)
{
    char *map;

    *fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (*fd < 0 || ftruncate(*fd, HL_PROFILE_BYTES))
        return NULL;
    map = mmap(NULL, HL_PROFILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

int main(int argc, char **argv)
{
    struct profile p = {.truncate = HL_PROFILE_BYTES};
    char *map;
    int fd;

    if (argc < 2)
        return 2;
    map = make_file(argv[1], &fd);
    if (!map) {
        perror(argv[1]);
        return 1;
    }
    lay_out(&p, map);
    for (int i = 2; i < argc; i++) {
        char *equals = strchr(argv[i], '=');

        if (equals)
            *equals = '\0';
        if (!equals || !set(&p, argv[i], equals + 1)) {
            (void)fprintf(stderr, "make_profile: unknown: %s\n", argv[i]);
            return 2;
        }
    }
    if (p.hold) {
        p.identity->pid = getpid();
        (void)puts("ready");
        (void)fflush(stdout);
        sleep(p.hold);
    }
    return ftruncate(fd, p.truncate) ? 1 : 0;
}
