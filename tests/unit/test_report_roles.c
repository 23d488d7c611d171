/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Who is the rank, case by case, each in a step of a few rows.
 */
#include "report/roles.h"
#include "tests/unit/table.h"

static struct hl_rec *add(int64_t rank, int64_t pid, const char *exe, int64_t peak)
{
    struct hl_row row;
    struct hl_rec *rec;

    hl_row_init(&row);
    row.cell[HL_C_RANK].i = rank;
    row.cell[HL_C_TASK].i = rank;
    row.cell[HL_C_PID].i = pid;
    row.cell[HL_C_HOST].s = row.cell[HL_C_NODE].s = "n1";
    row.cell[HL_C_EXE].s = exe;
    row.cell[HL_C_PEAK].i = peak;
    row.cell[HL_C_START].i = 1000 + pid;
    rec = hl_table_add(&table, step, &row, "f", 0);
    ck_assert_ptr_nonnull(rec);
    return rec;
}

static struct hl_rec *in_world(struct hl_rec *rec, const char *world)
{
    rec->row.cell[HL_C_WORLD].s = rec->world = world;
    return rec;
}

static const char *role(const struct hl_rec *rec)
{
    return rec->row.cell[HL_C_ROLE].s;
}

static void settle(void)
{
    ck_assert_int_eq(hl_settle_roles(step, &problems), 0);
}

START_TEST(names_of_helpers)
{
    static const char *const helpers[] = {
        "/usr/bin/srun", "mpirun",          "/opt/mpi/bin/mpiexec.hydra",
        "/bin/sh",       "/usr/bin/bash",   "env",
        "numactl",       "hydra_pmi_proxy", "mpirun.openmpi"};
    static const char *const programs[] = {"", "/opt/sh/app", "shell", "python3", "mpi", "timeout"};

    for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
        ck_assert_msg(hl_is_helper(helpers[i]), "%s", helpers[i]);
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        ck_assert_msg(!hl_is_helper(programs[i]), "%s", programs[i]);
}
END_TEST

START_TEST(the_first_with_mpi)
{
    struct hl_rec *shell = add(0, 1, "/bin/sh", 10), *tool = add(0, 4, "/bin/tool", 5000);
    struct hl_rec *app = add(0, 2, "/bin/app", 100), *fork = add(0, 3, "/bin/app", 900);

    app->bits = fork->bits = HL_REC_MPI;
    settle();
    ck_assert_str_eq(role(app), "rank");
    ck_assert_str_eq(role(fork), "child");
    ck_assert_str_eq(role(tool), "child");
    ck_assert_str_eq(role(shell), "helper");
}
END_TEST

START_TEST(an_mpi_program_that_replaces_itself)
{
    struct hl_rec *first = add(0, 1, "/bin/app", 10), *second = add(0, 1, "/bin/app", 100);

    first->bits = second->bits = HL_REC_MPI;
    settle();
    ck_assert_str_eq(role(second), "rank");
    ck_assert_str_eq(role(first), "child");
}
END_TEST

START_TEST(else_the_heaviest_less_what_it_inherited)
{
    struct hl_rec *app = add(0, 1, "/bin/app", 100), *fork = add(0, 2, "/bin/app", 150);
    struct hl_rec *shell = add(0, 3, "/bin/bash", 5000);

    fork->row.cell[HL_C_INHERITED].i = 90;
    settle();
    ck_assert_str_eq(role(app), "rank");
    ck_assert_str_eq(role(fork), "child");
    ck_assert_str_eq(role(shell), "helper");
}
END_TEST

START_TEST(else_a_helper)
{
    struct hl_rec *shell = add(0, 1, "/bin/sh", 10), *env = add(0, 2, "/usr/bin/env", 20);

    settle();
    ck_assert_str_eq(role(env), "rank");
    ck_assert_str_eq(role(shell), "helper");
}
END_TEST

START_TEST(outside_mpi_there_are_no_ranks)
{
    struct hl_rec *app = add(-1, 1, "/bin/app", 10), *shell = add(-1, 2, "/bin/sh", 10);

    settle();
    ck_assert_str_eq(role(app), "child");
    ck_assert_str_eq(role(shell), "helper");
}
END_TEST

START_TEST(an_empty_world_is_inherited)
{
    struct hl_rec *wrapper = add(0, 1, "/opt/wrapper", 5000);
    struct hl_rec *app = in_world(add(0, 2, "/bin/app", 10), "w");

    app->bits = HL_REC_MPI;
    settle();
    ck_assert_str_eq(role(app), "rank");
    ck_assert_str_eq(role(wrapper), "child");
    ck_assert_str_eq(app->row.cell[HL_C_WORLD].s, "");
}
END_TEST

START_TEST(two_worlds_two_ranks)
{
    struct hl_rec *a = in_world(add(0, 1, "/bin/app", 10), "a");
    struct hl_rec *b = in_world(add(0, 2, "/bin/app", 10), "b");

    settle();
    ck_assert_str_eq(role(a), "rank");
    ck_assert_str_eq(role(b), "rank");
    ck_assert_str_eq(a->row.cell[HL_C_WORLD].s, "a");
}
END_TEST

/* srun -n2 --mpi=pmix of scripts that call mpirun: the tasks are no ranks. */
START_TEST(launchers_have_no_rank)
{
    struct hl_rec *driver = in_world(add(1, 1, "/bin/python3", 9000), "slurm");
    struct hl_rec *mpirun = in_world(add(1, 2, "/bin/mpirun", 500), "slurm");
    struct hl_rec *app = in_world(add(0, 3, "/bin/app", 10), "ompi");

    mpirun->row.cell[HL_C_PPID].i = 1;
    app->row.cell[HL_C_PPID].i = 2;
    app->row.cell[HL_C_TASK].i = 1;
    settle();
    ck_assert_str_eq(role(driver), "child");
    ck_assert_str_eq(role(mpirun), "helper");
    ck_assert_str_eq(role(app), "rank");
}
END_TEST

START_TEST(parents_in_a_circle)
{
    struct hl_rec *a = in_world(add(0, 1, "/bin/app", 10), "a");
    struct hl_rec *b = in_world(add(0, 2, "/bin/app", 10), "b");

    a->row.cell[HL_C_PPID].i = 2;
    b->row.cell[HL_C_PPID].i = 1;
    settle();
    ck_assert_uint_eq(step->count, 2);
}
END_TEST

START_TEST(settled_roles_stay)
{
    struct hl_rec *app = add(0, 1, "/bin/app", 10), *child = add(0, 2, "/bin/app", 9000);
    struct hl_rec *launcher = add(1, 3, "/bin/python3", 10);

    app->row.cell[HL_C_ROLE].s = "rank";
    child->row.cell[HL_C_ROLE].s = launcher->row.cell[HL_C_ROLE].s = "child";
    settle();
    ck_assert_str_eq(role(app), "rank");
    ck_assert_str_eq(role(child), "child");
    ck_assert_str_eq(role(launcher), "child");
}
END_TEST

START_TEST(a_rank_on_two_nodes_is_said)
{
    struct hl_rec *a = add(0, 1, "/bin/app", 10), *b = add(0, 2, "/bin/app", 20);

    b->row.cell[HL_C_NODE].s = "n2";
    settle();
    ck_assert_str_eq(role(b), "rank");
    ck_assert_str_eq(role(a), "child");
    ck_assert_ptr_nonnull(strstr(said, "rank 0 is claimed twice"));
    ck_assert_uint_eq(problems.damaged, 1);
}
END_TEST

/* Whatever the rows, each world and rank gets at most one rank row. */
START_TEST(one_rank_each)
{
    static const char *const exes[] = {"/bin/sh", "/bin/app", "", "/bin/mpirun"};
    static const char *const worlds[] = {"", "a", "b"};
    uint32_t random = 12345;

    for (int n = 0; n < 2000; n++) {
        struct hl_rec *rec;

        random = random * 1664525u + 1013904223u;
        rec = in_world(add(random >> 8 & 15, random >> 12 & 63, exes[random >> 20 & 3], n % 97),
                       worlds[(random >> 24) % 3]);
        rec->row.cell[HL_C_PPID].i = random >> 3 & 63;
        rec->bits = random >> 27 & HL_REC_MPI;
    }
    settle();
    for (size_t i = 1; i < step->count; i++) {
        const union hl_cell *a = step->recs[i - 1]->row.cell, *b = step->recs[i]->row.cell;
        bool same =
            a[HL_C_RANK].i == b[HL_C_RANK].i && strcmp(a[HL_C_WORLD].s, b[HL_C_WORLD].s) == 0;

        ck_assert(!same || strcmp(b[HL_C_ROLE].s, "rank") != 0); /* the rank comes first */
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("report_roles");

    tcase_add_checked_fixture(tests, open_table, close_table);
    tcase_add_test(tests, names_of_helpers);
    tcase_add_test(tests, the_first_with_mpi);
    tcase_add_test(tests, an_mpi_program_that_replaces_itself);
    tcase_add_test(tests, else_the_heaviest_less_what_it_inherited);
    tcase_add_test(tests, else_a_helper);
    tcase_add_test(tests, outside_mpi_there_are_no_ranks);
    tcase_add_test(tests, an_empty_world_is_inherited);
    tcase_add_test(tests, two_worlds_two_ranks);
    tcase_add_test(tests, launchers_have_no_rank);
    tcase_add_test(tests, parents_in_a_circle);
    tcase_add_test(tests, settled_roles_stay);
    tcase_add_test(tests, a_rank_on_two_nodes_is_said);
    tcase_add_test(tests, one_rank_each);
    return run_case(tests, "report_roles");
}
