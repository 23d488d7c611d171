/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * See manifest.h.
 */
#include "config/config.h"

#include "report/manifest.h"

#include "report/rows.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "heapline-step"

static const char *keep_text(struct hl_table *table, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_string(value))
        return "";
    return hl_keep_string(table, json_string_value(value), json_string_length(value));
}

static int64_t whole(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
                                                                    : -1;
}

static int64_t milliseconds(const json_t *object, const char *key)
{
    double seconds = json_number_value(json_object_get(object, key));

    return seconds > 0 && seconds < 1e12 ? llround(seconds * 1000) : -1;
}

static const char *keep_command(struct hl_table *table, const json_t *words)
{
    size_t length = 0, i;
    const json_t *word;
    char *text, *at;

    json_array_foreach(words, i, word) length += json_string_length(word) + 1;
    at = text = hl_keep(table, length + 1);
    if (!text)
        return NULL;
    json_array_foreach(words, i, word)
    {
        if (at > text)
            *at++ = ' ';
        if (json_is_string(word))
            at = stpcpy(at, json_string_value(word));
    }
    return text;
}

static int add_tasks(struct hl_manifest *m, const json_t *tasks, size_t node, struct hl_error *err)
{
    const json_t *task;
    size_t i;

    json_array_foreach(tasks, i, task)
    {
        if (!json_is_integer(task) || json_integer_value(task) < 0)
            return hl_fail(err, -EBADMSG, "damaged: a task of node %s is no number",
                           m->nodes[node]);
        m->tasks[m->task_count++] = (struct hl_expected){json_integer_value(task), node};
    }
    return 0;
}

static int add_nodes(struct hl_table *table, struct hl_manifest *m, const json_t *nodes,
                     struct hl_error *err)
{
    size_t n, tasks = 0;
    const json_t *node;

    if (!json_is_array(nodes))
        return hl_fail(err, -EBADMSG, "damaged: no list of nodes");
    json_array_foreach(nodes, n, node) tasks += json_array_size(json_object_get(node, "tasks"));
    m->nodes = hl_keep(table, (n + 1) * sizeof(*m->nodes));
    m->tasks = hl_keep(table, (tasks + 1) * sizeof(*m->tasks));
    if (!m->nodes || !m->tasks)
        return -ENOMEM;
    json_array_foreach(nodes, n, node)
    {
        int rc;

        m->nodes[m->node_count] = keep_text(table, node, "node");
        if (!m->nodes[m->node_count])
            return -ENOMEM;
        rc = add_tasks(m, json_object_get(node, "tasks"), m->node_count, err);
        if (rc)
            return rc;
        m->node_count++;
    }
    return 0;
}

static int check_format(const json_t *root, struct hl_error *err)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version");

    if (!json_is_object(root) || !format || strcmp(format, FORMAT) != 0)
        return hl_fail(err, -EPROTONOSUPPORT, "not a step.json of heapline");
    if (!json_is_integer(version) || json_integer_value(version) != 1)
        return hl_fail(err, -EPROTONOSUPPORT,
                       "step.json version %lld; this heapline-report (%s) reads version 1",
                       (long long)json_integer_value(version), PACKAGE_VERSION);
    return 0;
}

static int fill(struct hl_table *table, const json_t *root, struct hl_manifest *m,
                struct hl_error *err)
{
    const json_t *limits = json_object_get(root, "limits");

    m->job = keep_text(table, root, "job");
    m->step = keep_text(table, root, "step");
    m->user = keep_text(table, root, "user");
    m->job_name = keep_text(table, root, "job_name");
    m->slurm = keep_text(table, root, "slurm");
    m->command = keep_command(table, json_object_get(root, "command"));
    if (!m->job || !m->step || !m->user || !m->job_name || !m->slurm || !m->command)
        return -ENOMEM;
    m->start_ms = milliseconds(root, "start_time_s");
    m->mem_per_node_bytes = whole(limits, "mem_per_node_bytes");
    m->mem_per_cpu_bytes = whole(limits, "mem_per_cpu_bytes");
    return add_nodes(table, m, json_object_get(root, "nodes"), err);
}

/* The whole file; *text is the caller's to free, also after an error. */
static int read_text(int fd, char **text, size_t *length, struct hl_error *err)
{
    struct stat st;
    ssize_t n = 1;

    if (fstat(fd, &st))
        return hl_fail(err, -errno, "cannot be read: %s", strerror(errno));
    if (st.st_size > HL_MANIFEST_MAX)
        return hl_fail(err, -EFBIG, "more than %d bytes long", HL_MANIFEST_MAX);
    *text = malloc((size_t)st.st_size + 1);
    if (!*text)
        return -ENOMEM;
    for (*length = 0; n > 0 && *length < (size_t)st.st_size; *length += (size_t)n) {
        n = read(fd, *text + *length, (size_t)st.st_size - *length);
        if (n < 0)
            return hl_fail(err, -errno, "cannot be read: %s", strerror(errno));
    }
    return 0;
}

int hl_manifest_read(struct hl_table *table, int fd, struct hl_manifest **out, struct hl_error *err)
{
    struct hl_manifest *m = hl_keep(table, sizeof(*m));
    json_error_t where;
    json_t *root = NULL;
    char *text = NULL;
    size_t length = 0;
    int rc = m ? read_text(fd, &text, &length, err) : -ENOMEM;

    if (rc == 0) {
        root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
        if (!root)
            rc = hl_fail(err, -EBADMSG, "damaged: line %d: %s", where.line, where.text);
    }
    if (rc == 0)
        rc = check_format(root, err);
    if (rc == 0)
        rc = fill(table, root, m, err);
    if (rc == 0)
        *out = m;
    json_decref(root);
    free(text);
    return rc;
}
