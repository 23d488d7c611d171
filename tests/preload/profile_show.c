/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * profile_show FILE...: a profile's figures as "key value" lines, by the same
 * reader that the tools use.  For tests, and for looking into a bug report. */
#include "libheapline/profile_read.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const functions[] = {
#define HL_FUNCTION(ID, name, role) #name,
#include "libheapline/metrics.def"
};

static const char *const metrics[] = {
#define HL_METRIC(ID, key, unit, doc) #key,
#include "libheapline/metrics.def"
};

static void show(const struct hl_profile *p)
{
    printf("allocs %lu\nfrees %lu\n", p->allocs, p->frees);
    printf("peak %ld\nlive %ld\n", p->peak_bytes, p->live_bytes);
    printf("peak_ms %ld\n", p->peak_time_ns / 1000000);
    printf("ended %ld\nexit_code %ld\n", p->metrics[HL_M_END], p->metrics[HL_M_EXIT_CODE]);
    for (int m = 0; m < HL_M_COUNT; m++)
        printf("metric.%s %ld\n", metrics[m], p->metrics[m]);
    for (int f = 0; f < HL_F_COUNT; f++)
        printf("calls.%s %lu\nbytes.%s %lu\nfailed.%s %lu\n", functions[f], p->calls[f],
               functions[f], p->bytes[f], functions[f], p->failed[f]);
    for (unsigned c = 0; c < HL_CLASS_COUNT; c++)
        if (p->classes[c])
            printf("class.%lu %lu\n", hl_class_floor(c), p->classes[c]);
    printf("pid %ld\nppid %ld\nrank %ld\nsequence %ld\nexe %s\n", p->identity.pid, p->identity.ppid,
           p->identity.rank, p->identity.sequence, p->identity.exe);
}

int main(int argc, char **argv)
{
    static _Alignas(8) char bytes[HL_PROFILE_BYTES];
    static struct hl_profile profile;
    struct hl_error error;
    int status = 0;

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t got = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

        if (file)
            (void)fclose(file);
        if (hl_profile_fold(bytes, got, &profile, &error) != 0) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            status = 1;
            continue;
        }
        show(&profile);
    }
    return status;
}
