/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Static: two buffers too large for the stack of whoever calls. */
static struct hl_out profiles, rows;

static int fail_write(const struct hl_gather *g, int code, const char *suffix, struct hl_error *err)
{
    return hl_fail(err, code, "cannot write %.128s.%s: %s", g->order.node, suffix, strerror(-code));
}

static int write_both(struct hl_gather *g, const char *profiles_name, const char *rows_name,
                      struct hl_error *err)
{
    int rc = hl_out_begin(&profiles, g->stepdir, profiles_name, g->staging.id);

    if (rc)
        return fail_write(g, rc, "profiles", err);
    rc = hl_gather_write_profiles(g, &profiles, err);
    if (rc)
        return rc;
    rc = hl_out_close(&profiles);
    if (rc)
        return fail_write(g, rc, "profiles", err);
    rc = hl_out_begin(&rows, g->stepdir, rows_name, g->staging.id);
    if (rc)
        return fail_write(g, rc, "csv", err);
    rc = hl_gather_write_rows(g, &rows, err);
    if (rc)
        return rc;
    rc = hl_out_close(&rows);
    return rc ? fail_write(g, rc, "csv", err) : 0;
}

static int rename_both(struct hl_gather *g, const char *profiles_name, const char *rows_name,
                       struct hl_error *err)
{
    int rc = 0;

    if (g->kept_bytes == 0)
        hl_out_discard(&profiles); /* no file rather than an empty one */
    else
        rc = hl_out_rename(&profiles, profiles_name);
    if (rc)
        return fail_write(g, rc, "profiles", err);
    rc = hl_out_rename(&rows, rows_name);
    return rc ? fail_write(g, rc, "csv", err) : 0;
}

static bool anything_new(const struct hl_gather *g, size_t earlier_remarks)
{
    if (g->earlier.fd < 0 || g->images.usable || g->remarks.count > earlier_remarks)
        return true;
    for (size_t t = 0; t < g->ends.count; t++)
        if (!g->ends.at[t].has_image && !g->ends.at[t].in_earlier)
            return true;
    return false;
}

static int load_earlier(struct hl_gather *g, const char *rows_name, bool *something,
                        struct hl_error *err)
{
    static struct hl_remarks merged; /* the earlier ones first */
    int rc = hl_earlier_load(&g->earlier, g->stepdir, rows_name, &merged, err);
    size_t earlier_remarks = merged.count;

    if (rc)
        return rc;
    for (size_t r = 0; r < g->remarks.count; r++)
        hl_remark(&merged, "%s", g->remarks.text[r]);
    merged.more += g->remarks.more;
    g->remarks = merged;
    hl_earlier_resolve(&g->earlier, &g->images, &g->ends);
    *something = anything_new(g, earlier_remarks);
    return 0;
}

int hl_gather_write(struct hl_gather *g, struct hl_error *err)
{
    char profiles_name[HL_NODE_NAME_MAX + 16], rows_name[HL_NODE_NAME_MAX + 16];
    bool something;
    int rc;

    (void)snprintf(profiles_name, sizeof(profiles_name), "%s.profiles", g->order.node);
    (void)snprintf(rows_name, sizeof(rows_name), "%s.csv", g->order.node);
    rc = load_earlier(g, rows_name, &something, err);
    if (rc == 0 && something) {
        rc = write_both(g, profiles_name, rows_name, err);
        if (rc == 0)
            rc = rename_both(g, profiles_name, rows_name, err);
        hl_out_discard(&profiles);
        hl_out_discard(&rows);
    }
    hl_earlier_fini(&g->earlier);
    return rc;
}
