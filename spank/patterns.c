/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/patterns.h"

#include "libheapline/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 2048 /* of DIR before expansion: leaves room for /JOB/STEP/FILE */
#define WIDTH_MAX 10    /* Slurm's own limit for zero-padding */

struct pattern {
    char letter;
    unsigned width;
    size_t length; /* of the pattern itself, '%' included */
};

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* text points at '%'. */
static int pattern_read(const char *text, struct pattern *ret, struct hl_error *err)
{
    const char *p = text + 1;
    unsigned width = 0;

    for (; *p >= '0' && *p <= '9'; p++)
        width = width * 10 + (unsigned)(*p - '0') > WIDTH_MAX ? WIDTH_MAX
                                                              : width * 10 + (unsigned)(*p - '0');
    if (*p && strchr("Nnt", *p))
        return hl_fail(err, -EINVAL,
                       "%%%c does not work in DIR, which is one for all nodes and tasks;"
                       " use %%j %%A %%a %%s %%u %%x",
                       *p);
    if (!*p || is_control(*p))
        return hl_fail(err, -EINVAL, "a lone %% in DIR; write %%%% for a percent sign");
    if (!strchr("jAasux%", *p))
        return hl_fail(err, -EINVAL, "%%%c is unknown; DIR takes %%j %%A %%a %%s %%u %%x and %%%%",
                       *p);
    ret->letter = *p;
    ret->width = width;
    ret->length = (size_t)(p - text) + 1;
    return 0;
}

int hl_patterns_check(const char *text, struct hl_error *err)
{
    struct pattern pattern;

    if (strlen(text) > LENGTH_MAX)
        return hl_fail(err, -EINVAL, "DIR is longer than %d bytes; give a shorter --heapline=DIR",
                       LENGTH_MAX);
    while (*text) {
        if (is_control(*text))
            return hl_fail(err, -EINVAL,
                           "DIR contains a control character; give another --heapline=DIR");
        if (*text != '%') {
            text++;
            continue;
        }
        int rc = pattern_read(text, &pattern, err);
        if (rc < 0)
            return rc;
        text += pattern.length;
    }
    return 0;
}

/* A name becomes one path component that cannot lead elsewhere. */
static void put_name(struct hl_text *out, const char *name)
{
    bool dots = !strcmp(name, ".") || !strcmp(name, "..");

    for (; *name; name++)
        hl_text_bytes(out, dots || *name == '/' || is_control(*name) ? "_" : name, 1);
}

static void put_number(struct hl_text *out, uint32_t number, unsigned width)
{
    char digits[WIDTH_MAX + 1];

    (void)snprintf(digits, sizeof(digits), "%0*u", (int)width, number);
    hl_text_string(out, digits);
}

static void put_pattern(struct hl_text *out, const struct pattern *p,
                        const struct hl_pattern_values *v)
{
    bool array = v->ids.array_task != HL_NO_ID;

    switch (p->letter) {
    case 'j':
        put_number(out, v->ids.job, p->width);
        break;
    case 'A':
        put_number(out, array ? v->ids.array_job : v->ids.job, p->width);
        break;
    case 'a':
        put_number(out, array ? v->ids.array_task : 0, p->width);
        break;
    case 's':
        put_number(out, v->ids.step, p->width);
        break;
    case 'u':
        put_name(out, v->user);
        break;
    case 'x':
        put_name(out, v->job_name);
        break;
    default:
        hl_text_string(out, "%");
    }
}

int hl_patterns_expand(const char *text, const struct hl_pattern_values *values, char *out,
                       size_t room, struct hl_error *err)
{
    struct pattern pattern;
    struct hl_text written;
    int rc;

    hl_text_init(&written, out, room);
    rc = hl_patterns_check(text, err);
    if (rc < 0)
        return rc;
    while (*text) {
        if (*text != '%') {
            hl_text_bytes(&written, text++, 1);
            continue;
        }
        (void)pattern_read(text, &pattern, NULL);
        put_pattern(&written, &pattern, values);
        text += pattern.length;
    }
    if (written.cut)
        return hl_fail(err, -ENAMETOOLONG,
                       "DIR is too long with its patterns replaced; give a shorter --heapline=DIR");
    return 0;
}
