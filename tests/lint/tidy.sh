#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# clang-tidy with the checks that tests/lint/clang-tidy.yaml chooses and why.

. "$(dirname "$0")/files.sh"
need_command clang-tidy
need_file "$top_builddir/config/config.h"

# Its own count of suppressed warnings goes to stderr: not shown.
tidy() {
    clang-tidy --quiet --config-file=tests/lint/clang-tidy.yaml "$1" -- \
        -std=gnu17 -D_GNU_SOURCE '-DHL_LIBRARY_PATH=""' '-DHL_GATHER_PATH=""' '-DHL_REPORT_PATH=""' -I. -I"$top_builddir" -I"$top_builddir/config" 2>/dev/null
}
export -f tidy
export top_builddir

# shellcheck disable=SC2016  # expanded by the inner shell
each 'clang-tidy has nothing to say' bash -c 'tidy "$1"' tidy < <(written '*.c' | grep -v '^tests/')
finish
