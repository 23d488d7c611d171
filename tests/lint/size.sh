#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# No file over 500 lines, no C function over 80: what is longer has two jobs.

. "$(dirname "$0")/files.sh"

# A function of this code's style ends with a lone } in column one and starts
# after the lone { before it.
long_functions() {
    xargs -r -d '\n' awk '
        FNR == 1 { start = 0 }
        /^{/ { start = FNR }
        /^}/ { if (start && FNR - start - 1 > 80) print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }'
}

is 'files of at most 500 lines' \
    "$({ c_files; shell_files; } | xargs -d '\n' wc -l | awk '$2 != "total" && $1 > 500')" ''
is 'functions of at most 80 lines' "$(c_files | long_functions)" ''
finish
