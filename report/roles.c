/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Within a step every process carries a rank's number: the shell around the
 * program (SLURM_PROCID), the program, the program's children.  Worlds tell
 * apart what two launchers started; a row without one gets the world of the
 * step, or of its task, if there is but one.
 */
#include "report/roles.h"

#include "report/clean.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define ANCESTORS_MAX 32

bool hl_is_helper(const char *exe)
{
    static const char *const names[] = {
        "srun",    "orted", "prted",   "hydra_pmi_proxy",
        "mpirun",  "sh",    "bash",    "dash",
        "ash",     "ksh",   "zsh",     "csh",
        "tcsh",    "env",   "numactl", "taskset",
        "time",    "fish",  "mksh",    "busybox",
        "prterun",
    };
    const char *name = hl_base_name(exe);

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "mpiexec", 7) == 0 || strncmp(name, "mpirun.", 7) == 0;
}

static struct hl_rec *at(const void *entry)
{
    return *(struct hl_rec *const *)entry;
}

/* The last key of each sort: the order of reading. */
static int by_columns(const void *a, const void *b, const enum hl_column *columns, size_t count)
{
    int order = hl_rec_compare(at(a), at(b), columns, count);

    return order ? order
                 : (at(a)->sequence > at(b)->sequence) - (at(a)->sequence < at(b)->sequence);
}

static int by_process(const void *a, const void *b)
{
    static const enum hl_column columns[] = {HL_C_HOST, HL_C_PID, HL_C_IMAGE};

    return by_columns(a, b, columns, COUNT(columns));
}

static int by_task_and_world(const void *a, const void *b)
{
    static const enum hl_column columns[] = {HL_C_TASK, HL_C_WORLD};

    return by_columns(a, b, columns, COUNT(columns));
}

static int by_rank(const void *a, const void *b)
{
    static const enum hl_column columns[] = {HL_C_WORLD, HL_C_RANK, HL_C_START};

    return by_columns(a, b, columns, COUNT(columns));
}

static void sort(struct hl_step *step, int (*compare)(const void *, const void *))
{
    if (step->count)
        qsort(step->recs, step->count, sizeof(*step->recs), compare);
}

/* The parent among rows sorted by process, its last image; NULL: it has no row. */
static struct hl_rec *parent_of(const struct hl_step *step, const struct hl_rec *rec)
{
    int64_t pid = rec->row.cell[HL_C_PPID].i;
    size_t low = 0, high = step->count;

    if (pid <= 0)
        return NULL;
    while (low < high) { /* the first row behind all those of the parent */
        size_t middle = low + (high - low) / 2;
        const union hl_cell *cell = step->recs[middle]->row.cell;
        int order = strcmp(cell[HL_C_HOST].s, rec->row.cell[HL_C_HOST].s);

        if (order < 0 || (order == 0 && cell[HL_C_PID].i <= pid))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || step->recs[low - 1]->row.cell[HL_C_PID].i != pid ||
        strcmp(step->recs[low - 1]->row.cell[HL_C_HOST].s, rec->row.cell[HL_C_HOST].s) != 0)
        return NULL;
    return step->recs[low - 1];
}

/* Marks what runs above this process in another world and is no rank of its own. */
static void mark_launchers(struct hl_step *step, struct hl_rec *rec)
{
    struct hl_rec *above = rec;

    for (int n = 0; n < ANCESTORS_MAX && (above = parent_of(step, above)); n++)
        if (!(above->bits & HL_REC_MPI) && strcmp(above->world, rec->world) != 0)
            above->bits |= HL_REC_LAUNCHER;
}

static void prepare(struct hl_step *step)
{
    sort(step, by_process);
    for (size_t i = 0; i < step->count; i++) {
        struct hl_rec *rec = step->recs[i];

        if (hl_is_helper(rec->row.cell[HL_C_EXE].s))
            rec->bits |= HL_REC_HELPER;
        if (*rec->row.cell[HL_C_ROLE].s)
            rec->bits |= HL_REC_SETTLED;
        if (*rec->world && !(rec->bits & HL_REC_HELPER) && rec->row.cell[HL_C_RANK].i >= 0)
            mark_launchers(step, rec);
    }
}

/* The only world among rows [from, to), "" if there is none, NULL if more. */
static const char *only_world(const struct hl_step *step, size_t from, size_t to)
{
    const char *world = "";

    for (size_t i = from; i < to; i++) {
        const char *other = step->recs[i]->row.cell[HL_C_WORLD].s;

        if (*other && *world && strcmp(world, other) != 0)
            return NULL;
        world = *other ? other : world;
    }
    return world;
}

static void give_world(struct hl_step *step, size_t from, size_t to, const char *world)
{
    for (size_t i = from; i < to; i++)
        if (!*step->recs[i]->row.cell[HL_C_WORLD].s)
            step->recs[i]->row.cell[HL_C_WORLD].s = world;
}

static void inherit_worlds(struct hl_step *step)
{
    const char *world = only_world(step, 0, step->count);
    size_t from = 0;

    if (world) {
        give_world(step, 0, step->count, world);
        return;
    }
    sort(step, by_task_and_world);
    for (size_t i = 1; i <= step->count; i++) {
        if (i < step->count &&
            step->recs[i]->row.cell[HL_C_TASK].i == step->recs[from]->row.cell[HL_C_TASK].i)
            continue;
        world = only_world(step, from, i);
        if (world && step->recs[from]->row.cell[HL_C_TASK].i >= 0)
            give_world(step, from, i, world);
        from = i;
    }
}

static bool same_process(const struct hl_rec *a, const struct hl_rec *b)
{
    return a->row.cell[HL_C_PID].i == b->row.cell[HL_C_PID].i &&
           strcmp(a->row.cell[HL_C_HOST].s, b->row.cell[HL_C_HOST].s) == 0;
}

static bool heavier(const struct hl_rec *a, const struct hl_rec *b)
{
    return !b || hl_rec_own(a, HL_C_PEAK) > hl_rec_own(b, HL_C_PEAK);
}

/* Of the first process with an MPI library, which may have replaced itself, the
 * image with the largest peak.  Rows are sorted by start. */
static struct hl_rec *first_mpi(struct hl_rec **recs, size_t count)
{
    struct hl_rec *first = NULL, *best = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!(recs[i]->bits & HL_REC_MPI))
            continue;
        first = first ? first : recs[i];
        if (same_process(first, recs[i]) && heavier(recs[i], best))
            best = recs[i];
    }
    return best;
}

static struct hl_rec *heaviest(struct hl_rec **recs, size_t count, bool helpers)
{
    struct hl_rec *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (!(recs[i]->bits & HL_REC_LAUNCHER) && !(recs[i]->bits & HL_REC_HELPER) == !helpers &&
            heavier(recs[i], best))
            best = recs[i];
    return best;
}

static struct hl_rec *settled_before(struct hl_rec **recs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(recs[i]->row.cell[HL_C_ROLE].s, HL_ROLE_RANK) == 0)
            return recs[i];
    return NULL;
}

static void say_claims(struct hl_rec **recs, size_t count, const struct hl_rec *rank,
                       struct hl_problems *problems)
{
    bool by_mpi = rank->bits & HL_REC_MPI;

    for (size_t i = 0; i < count; i++) {
        const struct hl_rec *rec = recs[i];
        const char *node = hl_rec_node(rec), *other = hl_rec_node(rank);

        if (rec == rank || rec->bits & (HL_REC_HELPER | HL_REC_LAUNCHER) ||
            (by_mpi && !(rec->bits & HL_REC_MPI)) || strcmp(node, other) == 0)
            continue;
        hl_damage(problems, rec->file, rec->bits & HL_REC_PROFILE ? 0 : rec->place,
                  "rank %" PRId64 " is claimed twice, here on %s (pid %" PRId64
                  ") and on %s (pid %" PRId64 ", %s), which counts",
                  rec->row.cell[HL_C_RANK].i, node, rec->row.cell[HL_C_PID].i, other,
                  rank->row.cell[HL_C_PID].i, rank->file);
    }
}

static bool all_settled(struct hl_rec **recs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(recs[i]->bits & HL_REC_SETTLED))
            return false;
    return true;
}

/* The rows of one rank in one world, sorted by start.  NULL: only helpers. */
static struct hl_rec *choose(struct hl_rec **recs, size_t count)
{
    struct hl_rec *rank = settled_before(recs, count);

    if (rank || all_settled(recs, count))
        return rank;
    rank = first_mpi(recs, count);
    return rank ? rank : heaviest(recs, count, false);
}

static void give_roles(struct hl_rec **recs, size_t count, const struct hl_rec *rank)
{
    for (size_t i = 0; i < count; i++)
        recs[i]->row.cell[HL_C_ROLE].s = recs[i] == rank                 ? HL_ROLE_RANK
                                         : recs[i]->bits & HL_REC_HELPER ? HL_ROLE_HELPER
                                                                         : HL_ROLE_CHILD;
}

/* Tasks that have a rank which is no helper. */
struct tasks {
    int64_t *at;
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    int64_t na = *(const int64_t *)a, nb = *(const int64_t *)b;

    return (na > nb) - (na < nb);
}

typedef void group_f(struct hl_rec **recs, size_t count, void *context);

/* Calls f for each (world, rank) of a step that is sorted by_rank. */
static void for_each_rank(struct hl_step *step, group_f *f, void *context)
{
    static const enum hl_column key[] = {HL_C_WORLD, HL_C_RANK};
    size_t from = 0;

    for (size_t i = 1; i <= step->count; i++) {
        if (i < step->count && hl_rec_compare(step->recs[from], step->recs[i], key, 2) == 0)
            continue;
        f(step->recs + from, i - from, context);
        from = i;
    }
}

struct settling {
    struct hl_problems *problems;
    struct tasks tasks;
};

static void settle_programs(struct hl_rec **recs, size_t count, void *context)
{
    struct settling *s = context;
    struct hl_rec *rank = recs[0]->row.cell[HL_C_RANK].i < 0 ? NULL : choose(recs, count);

    give_roles(recs, count, rank);
    if (!rank)
        return;
    say_claims(recs, count, rank, s->problems);
    s->tasks.at[s->tasks.count++] = rank->row.cell[HL_C_TASK].i;
}

/* Where there are only helpers one of them is the rank (srun of a shell), but
 * not where ranks of another number or world run in their task. */
static void settle_helpers(struct hl_rec **recs, size_t count, void *context)
{
    const struct settling *s = context;
    int64_t task = recs[0]->row.cell[HL_C_TASK].i;

    if (recs[0]->row.cell[HL_C_RANK].i < 0 || settled_before(recs, count) ||
        all_settled(recs, count))
        return;
    if (task >= 0 && bsearch(&task, s->tasks.at, s->tasks.count, sizeof(task), by_number))
        return;
    give_roles(recs, count, heaviest(recs, count, true));
}

/* One world is no world: the column tells apart, and names nothing to people. */
static void blank_worlds(struct hl_step *step)
{
    const char *world = "";

    for (size_t i = 0; i < step->count; i++) {
        const union hl_cell *cell = step->recs[i]->row.cell;

        if (strcmp(cell[HL_C_ROLE].s, HL_ROLE_RANK) != 0)
            continue;
        if (*world && strcmp(world, cell[HL_C_WORLD].s) != 0)
            return;
        world = cell[HL_C_WORLD].s;
    }
    for (size_t i = 0; i < step->count; i++)
        step->recs[i]->row.cell[HL_C_WORLD].s = "";
}

static int role_order(const struct hl_rec *rec)
{
    const char *role = rec->row.cell[HL_C_ROLE].s;

    return strcmp(role, HL_ROLE_RANK) == 0 ? 0 : strcmp(role, HL_ROLE_CHILD) == 0 ? 1 : 2;
}

/* The order of records.csv. */
static int by_record(const void *a, const void *b)
{
    static const enum hl_column rank[] = {HL_C_WORLD, HL_C_RANK};
    static const enum hl_column rest[] = {HL_C_NODE, HL_C_HOST, HL_C_START, HL_C_PID, HL_C_IMAGE};
    bool no_a = at(a)->row.cell[HL_C_RANK].i < 0, no_b = at(b)->row.cell[HL_C_RANK].i < 0;
    int order = no_a - no_b;

    if (order == 0)
        order = hl_rec_compare(at(a), at(b), rank, COUNT(rank));
    if (order == 0)
        order = role_order(at(a)) - role_order(at(b));
    return order ? order : by_columns(a, b, rest, COUNT(rest));
}

int hl_settle_roles(struct hl_step *step, struct hl_problems *problems)
{
    struct settling s = {.problems = problems};

    s.tasks.at = calloc(step->count + 1, sizeof(*s.tasks.at));
    if (!s.tasks.at)
        return -ENOMEM;
    prepare(step);
    inherit_worlds(step);
    sort(step, by_rank);
    for_each_rank(step, settle_programs, &s);
    qsort(s.tasks.at, s.tasks.count, sizeof(*s.tasks.at), by_number);
    for_each_rank(step, settle_helpers, &s);
    free(s.tasks.at);
    hl_problems_done(problems);
    blank_worlds(step);
    sort(step, by_record);
    return 0;
}
