/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Writes profiles back to back to stdout, one for each line of stdin:
 *
 *   key=value ...   rank pid ppid task start_ms allocs frees live peak peak_ms
 *                   vmhwm vmrss threads inherited end_ms exit_code flags (numbers),
 *                   job step node host world exe (no blanks)
 *
 * As libheapline would have left them after these figures, in slot 0 and 1.
 * What it cannot show: concurrent writers, and any figure of a real program. */
#include "libheapline/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USED (HL_SLOTS_OFFSET + 2 * sizeof(struct hl_slot))

static union {
    struct hl_profile_header header;
    char bytes[USED];
} profile;

static int64_t *metrics(void)
{
    return (int64_t *)(void *)(profile.bytes + HL_METRICS_OFFSET);
}

static struct hl_identity *identity(void)
{
    return (struct hl_identity *)(void *)(profile.bytes + HL_IDENTITY_OFFSET);
}

static struct hl_slot *slot(int n)
{
    return (struct hl_slot *)(void *)(profile.bytes + HL_SLOTS_OFFSET) + n;
}

static void put_section(uint32_t id, uint64_t offset, uint32_t entry_bytes, uint32_t count)
{
    profile.header.sections[profile.header.section_count++] = (struct hl_section){
        .id = id,
        .version = 1,
        .offset = offset,
        .length = (uint64_t)entry_bytes * count,
        .entry_bytes = entry_bytes,
        .entry_count = count,
    };
}

static void start_profile(void)
{
    memset(&profile, 0, sizeof(profile));
    memcpy(profile.header.magic, HL_PROFILE_MAGIC, sizeof(profile.header.magic));
    profile.header.byte_order = HL_PROFILE_ORDER;
    profile.header.version = HL_PROFILE_VERSION;
    profile.header.file_bytes = HL_PROFILE_BYTES;
    profile.header.used_bytes = USED;
    put_section(HL_SECTION_METRICS, HL_METRICS_OFFSET, sizeof(int64_t), HL_METRICS_ROOM);
    put_section(HL_SECTION_IDENTITY, HL_IDENTITY_OFFSET, sizeof(struct hl_identity), 1);
    put_section(HL_SECTION_SLOTS, HL_SLOTS_OFFSET, sizeof(struct hl_slot), HL_SLOT_COUNT);
    metrics()[HL_M_VMHWM] = metrics()[HL_M_VMRSS] = metrics()[HL_M_VM_TIME] = -1;
    metrics()[HL_M_EXIT_CODE] = metrics()[HL_M_END_TIME] = -1;
    metrics()[HL_M_THREADS] = 1;
    identity()->rank = identity()->task = identity()->process_start_boot_ns = -1;
    *hl_slot_net(slot(1)) = HL_NET_BIAS;
}

struct number {
    const char *key;
    int64_t scale;
    int64_t *at;
};

static bool set_number(const char *key, const char *text)
{
    struct hl_identity *id = identity();
    int64_t *m = metrics();
    const struct number numbers[] = {
        {"rank", 1, &id->rank},
        {"pid", 1, &id->pid},
        {"ppid", 1, &id->ppid},
        {"task", 1, &id->task},
        {"start_ms", 1000000, &id->start_unix_ns},
        {"peak", 1, &m[HL_M_SINGLE_PEAK]},
        {"peak_ms", 1000000, &m[HL_M_SINGLE_PEAK_TIME]},
        {"vmhwm", 1, &m[HL_M_VMHWM]},
        {"vmrss", 1, &m[HL_M_VMRSS]},
        {"threads", 1, &m[HL_M_THREADS]},
        {"inherited", 1, &m[HL_M_INHERITED]},
        {"end_ms", 1000000, &m[HL_M_END_TIME]},
        {"exit_code", 1, &m[HL_M_EXIT_CODE]},
        {"flags", 1, &m[HL_M_FLAGS]},
        {"allocs", 1, (int64_t *)hl_slot_class(slot(1), 3)},
        {"frees", 1, (int64_t *)hl_slot_word(slot(1), HL_W_CALLS + HL_F_FREE)},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].key, key) == 0) {
            *numbers[i].at = strtoll(text, NULL, 10) * numbers[i].scale;
            return true;
        }
    }
    return false;
}

static bool set_string(const char *key, const char *text)
{
    struct hl_identity *id = identity();
    const struct {
        const char *key;
        char *at;
        size_t room;
    } strings[] = {
        {"job", id->job, sizeof(id->job)},       {"step", id->step, sizeof(id->step)},
        {"node", id->node, sizeof(id->node)},    {"host", id->host, sizeof(id->host)},
        {"world", id->world, sizeof(id->world)}, {"exe", id->exe, sizeof(id->exe)},
    };

    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        if (strcmp(strings[i].key, key) == 0) {
            (void)snprintf(strings[i].at, strings[i].room, "%s", text);
            return true;
        }
    }
    return false;
}

static void set(const char *key, const char *text)
{
    if (strcmp(key, "live") == 0) {
        *hl_slot_net(slot(1)) = HL_NET_BIAS + (uint64_t)strtoll(text, NULL, 10);
        return;
    }
    if (!set_number(key, text) && !set_string(key, text)) {
        (void)fprintf(stderr, "profiles: unknown key %s\n", key);
        exit(EXIT_FAILURE);
    }
    if (strcmp(key, "end_ms") == 0)
        metrics()[HL_M_END] = HL_END_EXIT;
}

int main(void)
{
    char line[8192];

    while (fgets(line, sizeof(line), stdin)) {
        start_profile();
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
            char *equals = strchr(word, '=');

            if (!equals)
                continue;
            *equals = '\0';
            set(word, equals + 1);
        }
        if (fwrite(&profile, sizeof(profile), 1, stdout) != 1)
            return EXIT_FAILURE;
    }
    return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
