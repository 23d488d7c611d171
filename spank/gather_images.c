/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A file name is taken once, so a later image of a process finds its pid's
 * name taken and gets PID.1, PID.2, ...  So does an unrelated process that has
 * the pid again, or the same pid in another pid namespace.  They are told
 * apart by task, by the time at which the process (not the image) started, and
 * by the earlier image's own word that it exited. */
#include "spank/gather_images.h"

#include "spank/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* /proc/PID/stat counts in ticks of 10 ms. */
#define TICK_NS INT64_C(20000000)
/* Processes of one pid that are searched for an image's past. */
#define LOOK_BACK 32

void hl_images_init(struct hl_images *images)
{
    memset(images, 0, sizeof(*images));
}

void hl_images_fini(struct hl_images *images)
{
    free(images->at);
    hl_images_init(images);
}

int hl_images_add(struct hl_images *images, const struct hl_image *image)
{
    if (images->count == HL_GATHER_FILES_MAX) {
        images->beyond++;
        return -E2BIG;
    }
    if (images->count == images->capacity) {
        size_t capacity = images->capacity ? 2 * images->capacity : 64;
        void *grown = reallocarray(images->at, capacity, sizeof(*images->at));

        if (!grown)
            return -ENOMEM;
        images->at = grown;
        images->capacity = capacity;
    }
    images->at[images->count++] = *image;
    return 0;
}

/* So that nothing below can overflow, whatever a profile holds. */
static int64_t sane_ns(int64_t ns)
{
    return ns < 0 || ns > INT64_MAX / 2 ? -1 : ns;
}

void hl_image_describe(struct hl_image *image, const struct hl_profile *profile)
{
    const struct hl_identity *id = &profile->identity;

    image->state = HL_IMAGE_USABLE;
    image->pid = id->pid;
    image->task = id->task;
    image->start_unix_ns = sane_ns(id->start_unix_ns);
    image->start_boot_ns = sane_ns(id->start_boot_ns);
    image->process_start_boot_ns = sane_ns(id->process_start_boot_ns);
    image->said_exit = profile->metrics[HL_M_END] == HL_END_EXIT;
    image->elapsed_ms = -1;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_images(const void *a, const void *b)
{
    const struct hl_image *x = a, *y = b;
    int c = compare(x->pid, y->pid);

    c = c ? c : compare(x->suffix, y->suffix);
    return c ? c : compare(x->file_pid, y->file_pid);
}

void hl_images_of_pid(const struct hl_images *images, int64_t pid, size_t *low, size_t *high)
{
    size_t bound = images->count;

    *low = 0;
    while (*low < bound) {
        size_t middle = *low + (bound - *low) / 2;

        if (images->at[middle].pid < pid)
            *low = middle + 1;
        else
            bound = middle;
    }
    *high = *low;
    while (*high < images->count && images->at[*high].pid == pid)
        ++*high;
}

static bool same_profile(const struct hl_image *a, const struct hl_image *b)
{
    return a->start_boot_ns == b->start_boot_ns && a->start_unix_ns == b->start_unix_ns;
}

static bool near(int64_t a_ns, int64_t b_ns)
{
    return a_ns < 0 || b_ns < 0 || (a_ns < b_ns ? b_ns - a_ns : a_ns - b_ns) <= TICK_NS;
}

/* May image have come after earlier in one process? */
static bool follows(const struct hl_image *image, const struct hl_image *earlier)
{
    if (earlier->next != HL_NO_IMAGE || earlier->said_exit)
        return false;
    if (image->task >= 0 && earlier->task >= 0 && image->task != earlier->task)
        return false;
    if (image->start_boot_ns < earlier->start_boot_ns)
        return false;
    return near(image->process_start_boot_ns, earlier->process_start_boot_ns) &&
           image->process_start_boot_ns <= earlier->start_boot_ns + TICK_NS;
}

static void link_image(struct hl_images *images, size_t low, size_t i)
{
    struct hl_image *image = &images->at[i];
    size_t stop = i - low > LOOK_BACK ? i - LOOK_BACK : low;

    image->first = (uint32_t)i;
    image->next = HL_NO_IMAGE;
    image->number = 0;
    for (size_t e = i; e-- > stop;) {
        struct hl_image *earlier = &images->at[e];

        if (earlier->state != HL_IMAGE_USABLE)
            continue;
        if (same_profile(image, earlier)) {
            image->state = HL_IMAGE_DUPLICATE;
            return;
        }
        if (follows(image, earlier)) {
            earlier->next = (uint32_t)i;
            image->first = earlier->first;
            image->number = earlier->number + 1;
            return;
        }
    }
}

static void link_all(struct hl_images *images)
{
    size_t low = 0;

    for (size_t i = 0; i < images->count; i++) {
        if (images->at[i].pid != images->at[low].pid)
            low = i;
        if (images->at[i].state == HL_IMAGE_USABLE)
            link_image(images, low, i);
    }
}

static int64_t since(const struct hl_image *image, int64_t unix_ms)
{
    int64_t elapsed_ms = unix_ms - image->start_unix_ns / 1000000;

    return unix_ms < 0 || image->start_unix_ns < 0 || elapsed_ms < 0 ? -1 : elapsed_ms;
}

/* The process of this end's task: of those with its pid and task, the last
 * that had started by then (an earlier one is a prolog, say; a later one has
 * been given the pid again). */
static struct hl_image *own_process(struct hl_images *images, const struct hl_task_end *end)
{
    struct hl_image *found = NULL;
    size_t low, high;

    hl_images_of_pid(images, end->pid, &low, &high);
    for (size_t i = low; i < high; i++) {
        struct hl_image *image = &images->at[i];

        if (image->state != HL_IMAGE_USABLE || image->first != i ||
            (image->task >= 0 && image->task != end->task))
            continue;
        if (!found || since(image, end->end_unix_ms) >= 0)
            found = image;
    }
    return found;
}

static void match_end(struct hl_images *images, struct hl_task_end *end)
{
    struct hl_image *image = end->pid > 0 ? own_process(images, end) : NULL;

    end->has_image = image != NULL;
    while (image) {
        image->own = true;
        image->task = end->task;
        if (image->next == HL_NO_IMAGE) {
            image->elapsed_ms = since(image, end->end_unix_ms);
            image->fate = end->status >= 0 ? HL_FATE_WAIT : HL_FATE_UNKNOWN;
            return;
        }
        image = &images->at[image->next];
    }
}

static void settle_last(struct hl_images *images, struct hl_image *image, int64_t end_unix_ms,
                        hl_life_f life)
{
    const struct hl_image *first = &images->at[image->first];
    enum hl_life found;

    if (image->said_exit) {
        image->fate = HL_FATE_EXIT;
        return;
    }
    found = life(image, first);
    image->unseen = found == HL_LIFE_REPLACED;
    image->fate = found == HL_LIFE_RUNS       ? HL_FATE_RUNNING
                  : found == HL_LIFE_REPLACED ? HL_FATE_EXEC
                                              : HL_FATE_VANISHED;
    if (found == HL_LIFE_GONE && image->elapsed_ms < 0)
        image->elapsed_ms = since(image, end_unix_ms);
    if (found == HL_LIFE_RUNS)
        for (size_t i = image->first; i != HL_NO_IMAGE; i = images->at[i].next)
            images->at[i].process_runs = true;
}

static void count_profile(struct hl_images *images, struct hl_image *image, struct hl_ends *ends)
{
    struct hl_task_end *end = hl_ends_of(ends, image->task);

    images->usable++;
    if (end)
        end->profiles++;
}

void hl_images_settle(struct hl_images *images, struct hl_ends *ends, hl_life_f life)
{
    if (images->count)
        qsort(images->at, images->count, sizeof(*images->at), compare_images);
    link_all(images);
    for (size_t t = 0; t < ends->count; t++)
        match_end(images, &ends->at[t]);
    images->usable = 0;
    for (size_t i = 0; i < images->count; i++) {
        struct hl_image *image = &images->at[i];

        if (image->state != HL_IMAGE_USABLE)
            continue;
        count_profile(images, image, ends);
        if (image->next != HL_NO_IMAGE) {
            image->fate = HL_FATE_EXEC;
            image->elapsed_ms =
                (images->at[image->next].start_boot_ns - image->start_boot_ns) / 1000000;
        } else if (image->fate == HL_FATE_UNKNOWN) {
            settle_last(images, image, ends->end_unix_ms, life);
        }
    }
}
