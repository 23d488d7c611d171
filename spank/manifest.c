/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "config/config.h"

#include "spank/manifest.h"

#include "spank/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MANIFEST_MOST (16 << 20) /* of a step on all nodes of the largest machines */

/* Length of the UTF-8 sequence at s, 0 if there is none: no overlong forms, no
 * surrogates, nothing above U+10FFFF. */
static unsigned utf8_length(const unsigned char *s)
{
    unsigned length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] > 0xf4)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

static void put_character(FILE *out, const unsigned char *s, unsigned length)
{
    if (length == 0)
        (void)fputs("\\ufffd", out);
    else if (*s == '"' || *s == '\\')
        (void)fprintf(out, "\\%c", *s);
    else if (*s < ' ' || *s == 0x7f)
        (void)fprintf(out, "\\u%04x", (unsigned)*s);
    else
        (void)fwrite(s, 1, length, out);
}

static void put_string(FILE *out, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;

    (void)fputc('"', out);
    while (*s) {
        unsigned length = utf8_length(s);

        put_character(out, s, length);
        s += length ? length : 1;
    }
    (void)fputc('"', out);
}

static void put_member(FILE *out, const char *key, const char *string)
{
    (void)fprintf(out, "\"%s\":", key);
    put_string(out, string);
    (void)fputs(",\n", out);
}

static void put_command(FILE *out, const struct hl_manifest *m)
{
    (void)fputs("\"command\":[", out);
    for (int i = 0; i < m->argc; i++) {
        if (i > 0)
            (void)fputc(',', out);
        put_string(out, m->argv[i]);
    }
    (void)fputs("],\n", out);
}

static void put_node(FILE *out, const struct hl_manifest_node *node)
{
    (void)fputs("{\"node\":", out);
    put_string(out, node->name);
    (void)fputs(",\"tasks\":[", out);
    for (uint32_t i = 0; i < node->task_count; i++)
        (void)fprintf(out, "%s%" PRIu32, i ? "," : "", node->tasks[i]);
    (void)fputs("]}", out);
}

static void put_nodes(FILE *out, const struct hl_manifest *m)
{
    (void)fputs("\"nodes\":[", out);
    for (uint32_t i = 0; i < m->node_count; i++) {
        (void)fputs(i ? ",\n " : "\n ", out);
        put_node(out, &m->nodes[i]);
    }
    (void)fputs("],\n", out);
}

static void put_limit(FILE *out, const char *key, int64_t value, const char *end)
{
    if (value < 0)
        (void)fprintf(out, "\"%s\":null%s", key, end);
    else
        (void)fprintf(out, "\"%s\":%" PRId64 "%s", key, value, end);
}

static void put_manifest(FILE *out, const struct hl_manifest *m)
{
    (void)fputs("{\"format\":\"heapline-step\",\"version\":1,\n", out);
    put_member(out, "heapline", PACKAGE_VERSION);
    put_member(out, "slurm", m->slurm);
    (void)fprintf(out, "\"job\":\"%" PRIu32 "\",\"step\":\"%" PRIu32 "\",\n", m->job, m->step);
    put_member(out, "user", m->user);
    (void)fprintf(out, "\"uid\":%" PRIu32 ",\n", m->uid);
    put_member(out, "job_name", m->job_name);
    put_command(out, m);
    (void)fprintf(out, "\"start_time_s\":%" PRId64 ".%03d,\n", m->start_unix_ms / 1000,
                  (int)(m->start_unix_ms % 1000));
    (void)fprintf(out, "\"tasks\":%" PRIu32 ",\n", m->tasks);
    put_nodes(out, m);
    (void)fputs("\"limits\":{", out);
    put_limit(out, "mem_per_node_bytes", m->mem_per_node_bytes, ",");
    put_limit(out, "mem_per_cpu_bytes", m->mem_per_cpu_bytes, ",");
    put_limit(out, "time_limit_s", m->time_limit_s, "},\n");
    (void)fputs("\"dir\":", out);
    put_string(out, m->dir);
    (void)fputs("}\n", out);
}

/* Beyond RLIMIT_FSIZE a write is SIGXFSZ, which would end srun. */
static bool may_write(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= MANIFEST_MOST;
}

static int write_file(const struct hl_manifest *m, const char *path)
{
    FILE *out = may_write() ? fopen(path, "we") : NULL;
    int code = 0;

    if (!out)
        return may_write() ? -errno : -EFBIG;
    put_manifest(out, m);
    if (fflush(out) != 0 || ferror(out))
        code = errno ? -errno : -EIO;
    if (fclose(out) != 0 && code == 0)
        code = -errno;
    return code;
}

int hl_manifest_write(const struct hl_manifest *manifest, const char *stepdir, struct hl_error *err)
{
    char path[HL_DIR_ROOM], new_path[HL_DIR_ROOM + 8];
    int code = 0;

    if (snprintf(path, sizeof(path), "%s/step.json", stepdir) >= (int)sizeof(path))
        return hl_fail(err, -ENAMETOOLONG, "DIR is too long; give a shorter --heapline=DIR");
    (void)snprintf(new_path, sizeof(new_path), "%s.new", path);
    code = write_file(manifest, new_path);
    if (code == 0 && rename(new_path, path) < 0)
        code = -errno;
    if (code == 0)
        return 0;
    (void)unlink(new_path);
    return hl_fail(err, code, "cannot write %.140s: %s; make room or give another --heapline=DIR",
                   path, strerror(-code));
}

void hl_manifest_fini(struct hl_manifest *manifest)
{
    for (uint32_t i = 0; i < manifest->node_count; i++) {
        free(manifest->nodes[i].name);
        free(manifest->nodes[i].tasks);
    }
    free(manifest->nodes);
    manifest->nodes = NULL;
    manifest->node_count = 0;
}
