/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What the unit tests of formats and report share: running one test case.
 */
#ifndef HL_TESTS_UNIT_REPORT_H
#define HL_TESTS_UNIT_REPORT_H

#include <check.h>
#include <stdlib.h>

/* Runs the case as a suite of its name; the exit status for main. */
static inline int run_case(TCase *tests, const char *name)
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;

    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
