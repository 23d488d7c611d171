/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/plugconf.h"

#include "libheapline/error.h"
#include "libheapline/text.h"
#include "spank/patterns.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind {
    KIND_PATH,    /* absolute */
    KIND_LIBRARY, /* absolute, can stand in LD_PRELOAD */
    KIND_DIR,     /* like --heapline=DIR */
    KIND_SWITCH,  /* on or off */
    KIND_FLAG,    /* no value */
    KIND_SECONDS,
};

struct row {
    const char *name;
    enum kind kind;
    size_t offset;
    const char *start; /* default, as it would be written */
};

#define ROW(name, kind, field, start)                          \
    {                                                          \
        name, kind, offsetof(struct hl_plugconf, field), start \
    }

static const struct row table[] = {
    ROW("library", KIND_LIBRARY, library, HL_LIBRARY_PATH),
    ROW("gather", KIND_PATH, gather, HL_GATHER_PATH),
    ROW("report", KIND_PATH, report, HL_REPORT_PATH),
    ROW("dir", KIND_DIR, dir, NULL),
    ROW("staging", KIND_PATH, staging, "/run/heapline"),
    ROW("default", KIND_SWITCH, default_on, "off"),
    ROW("quiet", KIND_FLAG, quiet, NULL),
    ROW("gather_timeout", KIND_SECONDS, gather_timeout_s, "10"),
    ROW("report_timeout", KIND_SECONDS, report_timeout_s, "60"),
};

#define SECONDS_MAX 3600

static const char *set_path(char *field, const char *value)
{
    if (value[0] != '/')
        return "is not an absolute path";
    if (strlen(value) >= HL_CONF_ROOM)
        return "is too long";
    memcpy(field, value, strlen(value) + 1);
    return NULL;
}

static const char *set_dir(char *field, const char *value, struct hl_error *err)
{
    if (!*value)
        return "is empty";
    if (strlen(value) >= HL_CONF_ROOM)
        return "is too long";
    if (hl_patterns_check(value, err) < 0)
        return err->text;
    memcpy(field, value, strlen(value) + 1);
    return NULL;
}

static const char *set_switch(bool *field, const char *value)
{
    if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        return "is neither on nor off";
    *field = strcmp(value, "on") == 0;
    return NULL;
}

static const char *set_seconds(long *field, const char *value)
{
    long seconds = (long)hl_text_number(value);

    if (seconds < 1 || seconds > SECONDS_MAX)
        return "is not a number of seconds from 1 to 3600";
    *field = seconds;
    return NULL;
}

/* NULL, or what is wrong with the value: then the field is as before. */
static const char *row_set(const struct row *row, struct hl_plugconf *conf, const char *value,
                           struct hl_error *err)
{
    void *field = (char *)conf + row->offset;

    if (!value != (row->kind == KIND_FLAG))
        return value ? "takes no value" : "needs a value";
    switch (row->kind) {
    case KIND_FLAG:
        *(bool *)field = true;
        return NULL;
    case KIND_LIBRARY:
        if (value[strcspn(value, ": ")])
            return "has ':' in it, which LD_PRELOAD cannot hold";
        return set_path(field, value);
    case KIND_PATH:
        return set_path(field, value);
    case KIND_DIR:
        return set_dir(field, value, err);
    case KIND_SWITCH:
        return set_switch(field, value);
    case KIND_SECONDS:
        return set_seconds(field, value);
    }
    return NULL;
}

static const struct row *row_find(const char *argument, size_t length)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strlen(table[i].name) == length && !memcmp(table[i].name, argument, length))
            return &table[i];
    return NULL;
}

static void take(struct hl_plugconf *conf, const char *argument, hl_plugconf_say_f say)
{
    size_t length = strcspn(argument, "=");
    const char *value = argument[length] ? argument + length + 1 : NULL;
    const struct row *row = row_find(argument, length);
    struct hl_error err = {""};
    char text[2 * sizeof(err.text)];
    const char *wrong;

    if (!row) {
        (void)snprintf(text, sizeof(text), "plugstack.conf: unknown argument %.200s ignored",
                       argument);
        say(false, text);
        return;
    }
    wrong = row_set(row, conf, value, &err);
    if (!wrong)
        return;
    (void)snprintf(text, sizeof(text), "plugstack.conf: %.200s %s; the default is kept", argument,
                   wrong);
    say(true, text);
}

long hl_plugconf_gather_limit_s(const struct hl_plugconf *conf, bool again)
{
    return again && conf->gather_timeout_s > HL_GATHER_AGAIN_S ? HL_GATHER_AGAIN_S
                                                               : conf->gather_timeout_s;
}

void hl_plugconf_load(struct hl_plugconf *conf, int argc, char **argv, hl_plugconf_say_f say)
{
    struct hl_error err;

    memset(conf, 0, sizeof(*conf));
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].start)
            (void)row_set(&table[i], conf, table[i].start, &err);
    for (int i = 0; i < argc; i++)
        take(conf, argv[i], say);
    if (conf->default_on && !conf->dir[0]) {
        conf->default_on = false;
        say(true, "plugstack.conf: default=on needs a dir=DIR; off is kept");
    }
}
