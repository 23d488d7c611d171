/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/cgroup.h"

#include "libheapline/text.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOUNT "/sys/fs/cgroup"

/* One line: hierarchy number, controllers, path. */
struct line {
    bool unified; /* v2 */
    char controllers[64];
    char path[HL_CGROUP_ROOM];
};

static bool line_read(const char *text, struct line *line)
{
    unsigned hierarchy;
    size_t length;

    memset(line, 0, sizeof(*line));
    line->unified = sscanf(text, "%u::%511[^\n]", &hierarchy, line->path) == 2;
    if (!line->unified &&
        sscanf(text, "%u:%63[^:\n]:%511[^\n]", &hierarchy, line->controllers, line->path) != 3)
        return false;
    length = strlen(line->path);
    return length < HL_CGROUP_ROOM - 1 && strstr(line->path, "/job_");
}

static void add_leave(struct hl_cgroup *cgroup, const struct line *line)
{
    size_t n = 0;
    char *path;

    while (cgroup->leave[n])
        n++;
    if (n == HL_CGROUP_LEAVE_MAX)
        return;
    path = cgroup->leave_text[n];
    (void)snprintf(path, HL_CGROUP_ROOM, MOUNT "%s%s/cgroup.procs", line->unified ? "" : "/",
                   line->controllers);
    cgroup->leave[n] = path;
}

/* v1: we are in step_S, the tasks in step_S/task_N.  v2: we are in step_S/slurm,
 * the tasks in step_S/user/task_N. */
static void find_tasks(struct hl_cgroup *cgroup, struct line *line)
{
    static const char own[] = "/slurm";
    size_t length = strlen(line->path);
    int written;

    if (line->unified) {
        if (length < sizeof(own) || strcmp(line->path + length - strlen(own), own) != 0)
            return;
        line->path[length - strlen(own)] = '\0';
        cgroup->events = "memory.events";
    } else {
        cgroup->events = "memory.oom_control";
    }
    written = snprintf(cgroup->tasks, sizeof(cgroup->tasks), MOUNT "%s%s%s/task_",
                       line->unified ? "" : "/memory", line->path, line->unified ? "/user" : "");
    if (written >= (int)sizeof(cgroup->tasks))
        cgroup->tasks[0] = '\0';
}

void hl_cgroup_parse(const char *text, struct hl_cgroup *cgroup)
{
    struct line line;

    memset(cgroup, 0, sizeof(*cgroup));
    while (*text) {
        if (line_read(text, &line)) {
            add_leave(cgroup, &line);
            if (line.unified || !strcmp(line.controllers, "memory"))
                find_tasks(cgroup, &line);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

/* The start of a small file of the kernel's; "" if it cannot be read. */
static void slurp(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, room - 1);

    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        (void)close(fd);
}

void hl_cgroup_read(struct hl_cgroup *cgroup)
{
    char text[4096];

    slurp("/proc/self/cgroup", text, sizeof(text));
    hl_cgroup_parse(text, cgroup);
}

int64_t hl_cgroup_oom(const struct hl_cgroup *cgroup, int local_task)
{
    static const char key[] = "oom_kill ";
    char path[HL_CGROUP_ROOM + 64], text[1024], *line = text, *end;

    if (!cgroup->tasks[0])
        return -1;
    (void)snprintf(path, sizeof(path), "%s%d/%s", cgroup->tasks, local_task, cgroup->events);
    slurp(path, text, sizeof(text));
    for (; line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (!strncmp(line, key, strlen(key)))
            return hl_text_number(line + strlen(key));
    }
    return -1;
}
