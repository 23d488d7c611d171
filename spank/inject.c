/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/inject.h"

#include "libheapline/env.h"
#include "spank/names.h"
#include "spank/preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENV_START 4096
#define ENV_MAX (64 * 1024 * 1024)

char *hl_inject_getenv(spank_t spank, const char *name)
{
    for (int room = ENV_START; room <= ENV_MAX; room *= 2) {
        char *value = malloc((size_t)room);
        spank_err_t rc = value ? spank_getenv(spank, name, value, room) : ESPANK_ERROR;

        if (rc == ESPANK_SUCCESS)
            return value;
        free(value);
        if (rc != ESPANK_NOSPACE)
            return NULL;
    }
    return NULL;
}

static bool is_set(spank_t spank, const char *name)
{
    char value[2];
    spank_err_t rc = spank_getenv(spank, name, value, sizeof(value));

    return rc == ESPANK_NOSPACE || (rc == ESPANK_SUCCESS && value[0]);
}

static int put(spank_t spank, const char *preload, const char *staging)
{
    char profile[HL_DIR_ROOM + 4];

    (void)snprintf(profile, sizeof(profile), "%s/%%p", staging);
    if (spank_setenv(spank, HL_ENV_PROFILE, profile, 1) != ESPANK_SUCCESS)
        return -ENOMEM;
    return spank_setenv(spank, HL_ENV_PRELOAD, preload, 1) == ESPANK_SUCCESS ? 0 : -ENOMEM;
}

int hl_inject_add(spank_t spank, const struct hl_plugconf *conf, const char *staging,
                  struct hl_error *err)
{
    char *old, *preload;
    int rc;

    if (access(conf->library, R_OK) < 0)
        return hl_fail(
            err, -errno,
            "%.130s: %s; the administrator has to install heapline there or set library=",
            conf->library, strerror(errno));
    old = hl_inject_getenv(spank, HL_ENV_PRELOAD);
    if (!old && is_set(spank, HL_ENV_PRELOAD)) /* rather no figures than another's library lost */
        return hl_fail(err, -ENOMEM, "LD_PRELOAD is too long for heapline to be added; shorten it");
    preload = hl_preload_add(old, conf->library);
    rc = preload ? put(spank, preload, staging) : -ENOMEM;
    free(preload);
    free(old);
    return rc < 0 ? hl_fail(err, rc, "out of memory") : 0;
}

static void remove_library(spank_t spank, const char *library)
{
    char *old = hl_inject_getenv(spank, HL_ENV_PRELOAD);
    char *rest = hl_preload_has(old, library) ? hl_preload_remove(old, library) : NULL;

    if (rest && *rest)
        (void)spank_setenv(spank, HL_ENV_PRELOAD, rest, 1);
    else if (rest)
        (void)spank_unsetenv(spank, HL_ENV_PRELOAD);
    free(rest);
    free(old);
}

void hl_inject_remove(spank_t spank, const struct hl_plugconf *conf)
{
    char *profile = hl_inject_getenv(spank, HL_ENV_PROFILE);
    size_t length = strlen(conf->staging);

    if (profile && !strncmp(profile, conf->staging, length) && profile[length] == '/') {
        (void)spank_unsetenv(spank, HL_ENV_PROFILE);
        if (!is_set(spank, HL_ENV_OUTPUT)) /* else the user has preloaded it, too */
            remove_library(spank, conf->library);
    }
    free(profile);
}
