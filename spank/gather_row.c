/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors */
#include "spank/gather_row.h"

#include <signal.h>
#include <sys/wait.h>

static void set_end(struct hl_row *row, const char *ended, int64_t exit_code, int64_t signal_number)
{
    row->cell[HL_C_ENDED].s = ended;
    row->cell[HL_C_EXIT_CODE].i = exit_code;
    row->cell[HL_C_SIGNAL].i = signal_number;
}

/* After anything but an exit of its own. */
static void cut_off(struct hl_row *row, int64_t elapsed_ms)
{
    row->cell[HL_C_ELAPSED].i = elapsed_ms;
    row->cell[HL_C_VMRSS].i = -1;
}

static bool killed_by(int64_t status, int *signal_number)
{
    if (status < 0 || !WIFSIGNALED((int)status))
        return false;
    *signal_number = WTERMSIG((int)status);
    return true;
}

static void apply_wait(struct hl_row *row, const struct hl_image *image,
                       const struct hl_task_end *end)
{
    int number;

    if (killed_by(end->status, &number)) {
        set_end(row, end->oom && number == SIGKILL ? HL_ENDED_OOM : HL_ENDED_SIGNAL, -1, number);
        cut_off(row, image->elapsed_ms);
    } else if (WIFEXITED((int)end->status)) {
        set_end(row, HL_ENDED_EXIT, WEXITSTATUS((int)end->status), 0);
        if (!image->said_exit) {
            cut_off(row, image->elapsed_ms);
            row->cell[HL_C_NOTE].s = "ended by _exit or in a program that heapline is not in";
        }
    } else if (!image->said_exit) {
        cut_off(row, image->elapsed_ms);
    }
}

static int64_t running_ms(const struct hl_image *image, int64_t now_boot_ns)
{
    if (image->start_boot_ns < 0 || now_boot_ns < image->start_boot_ns)
        return -1;
    return (now_boot_ns - image->start_boot_ns) / 1000000;
}

void hl_gather_row(const struct hl_profile *profile, const struct hl_image *image,
                   const struct hl_task_end *end, const struct hl_order *order, int64_t now_boot_ns,
                   struct hl_row *row)
{
    hl_profile_row(profile, row);
    row->cell[HL_C_JOB].s = order->job;
    row->cell[HL_C_STEP].s = order->step;
    row->cell[HL_C_NODE].s = order->node;
    row->cell[HL_C_TASK].i = image->task;
    row->cell[HL_C_IMAGE].i = image->number;
    if (!image->keep)
        row->cell[HL_C_NOTE].s = "profile not kept: NODE.profiles is full";
    switch (image->fate) {
    case HL_FATE_WAIT:
        if (end)
            apply_wait(row, image, end);
        break;
    case HL_FATE_EXEC:
        set_end(row, HL_ENDED_EXEC, -1, -1);
        cut_off(row, image->elapsed_ms);
        if (image->unseen)
            row->cell[HL_C_NOTE].s = "went on as a program that heapline is not in";
        break;
    case HL_FATE_RUNNING:
        set_end(row, HL_ENDED_RUNNING, -1, -1);
        cut_off(row, running_ms(image, now_boot_ns));
        break;
    case HL_FATE_VANISHED:
        set_end(row, HL_ENDED_VANISHED, -1, -1);
        cut_off(row, image->elapsed_ms);
        break;
    case HL_FATE_EXIT:
    case HL_FATE_UNKNOWN:
        break;
    }
}

static void explain(const struct hl_task_end *end, char note[HL_NOTE_BYTES])
{
    struct hl_text t;

    hl_text_init(&t, note, HL_NOTE_BYTES);
    if (end->oom)
        hl_text_string(&t, "out of memory; ");
    hl_text_string(&t, "no profile of the task's own process: never started, or static, setuid, "
                       "sanitizer-built, of another architecture, or in a container");
    if (end->profiles) {
        hl_text_string(&t, "; ");
        hl_text_int(&t, end->profiles);
        hl_text_string(&t, " of other processes of the task");
    }
}

void hl_gather_row_not_seen(const struct hl_task_end *end, const struct hl_order *order,
                            const char *host, char note[HL_NOTE_BYTES], struct hl_row *row)
{
    int number;

    hl_row_init(row);
    explain(end, note);
    row->cell[HL_C_RANK].i = end->task;
    row->cell[HL_C_HOST].s = host;
    row->cell[HL_C_PID].i = end->pid;
    row->cell[HL_C_JOB].s = order->job;
    row->cell[HL_C_VMHWM].i = end->maxrss_bytes;
    row->cell[HL_C_STEP].s = order->step;
    row->cell[HL_C_NODE].s = order->node;
    row->cell[HL_C_TASK].i = end->task;
    row->cell[HL_C_SOURCE].s = HL_SOURCE_PLUGIN;
    row->cell[HL_C_NOTE].s = note;
    set_end(row, HL_ENDED_NOT_SEEN, -1, -1);
    if (killed_by(end->status, &number))
        set_end(row, HL_ENDED_NOT_SEEN, -1, number);
    else if (end->status >= 0 && WIFEXITED((int)end->status))
        set_end(row, HL_ENDED_NOT_SEEN, WEXITSTATUS((int)end->status), 0);
}
