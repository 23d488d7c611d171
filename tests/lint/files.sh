# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Which files the lint scripts look at: what people write, not what the
# autotools make.  Sourced; leaves the caller in top_srcdir.

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
cd "$top_srcdir" || bail "cannot enter $top_srcdir"

# written PATTERN...: files whose name matches one, paths from the top.
written() {
    local pattern names=()
    for pattern in "$@"; do
        names+=(-o -name "$pattern")
    done
    find . -type d \( -name .git -o -name 'build*' -o -name autom4te.cache \) -prune -o \
        -type f \( "${names[@]:1}" \) -print | sed 's,^\./,,' | grep -Ev '^(config/[^h]|aclocal\.m4|Makefile\.in)' | sort
}

c_files() { written '*.c' '*.h'; }
shell_files() {
    written '*.sh'
    printf '%s\n' quickstart .ci/run
}

# each NAME COMMAND... < <(LIST): runs COMMAND FILE for each listed file, two at
# a time, and gives one result; the output of those that fail is shown.
each() {
    local name=$1 output
    shift
    # shellcheck disable=SC2016  # expanded by the inner shell
    if output=$(xargs -r -d '\n' -n 1 -P 2 bash -c \
        'output=$("$@" 2>&1) || { printf "%s\n" "$output"; exit 1; }' each "$@" 2>&1); then
        pass "$name"
    else
        fail "$name" "$output"
    fi
}
