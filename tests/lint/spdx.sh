#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Every file that people write says its licence; code says whose it is.

. "$(dirname "$0")/files.sh"

without() { # TEXT LINES: of the files listed on stdin, those without TEXT at the top
    local file
    while read -r file; do
        head -n "$2" "$file" | grep -Fq "$1" || printf '%s\n' "$file"
    done
}

is 'SPDX line in the first 3 lines' \
    "$({ c_files; shell_files; written '*.def' '*.am' '*.ac' '*.m4' '*.map' '*.awk' '*.S' '*.1' '*.7' '*.8' '*.in'; } |
        sort -u | without 'SPDX-License-Identifier: Apache-2.0' 3)" ''
is 'copyright in the first 5 lines of code' \
    "$({ c_files; shell_files; written '*.def' '*.awk' '*.S'; } | sort -u | without 'Copyright 2026 The heapline authors' 5)" ''
check 'LICENSE is the Apache licence' grep -q 'Apache License' LICENSE
finish
