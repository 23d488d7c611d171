# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Running probe and comparing what it says of itself with its profile.

. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
PROBE=$top_builddir/tests/preload/probe
SHOW=$top_builddir/tests/preload/profile_show
need_file "$HL_LIBRARY" "$PROBE" "$SHOW"

# in_order_from PID: names of profiles by pid; those below PID came after the
# kernel began again from the lowest one
in_order_from() {
    sort -V | awk -F. -v first="$1" '$1 >= first { print; next } { after = after $0 "\n" }
        END { printf "%s", after }'
}

# run_probe CASE [NAME=VALUE...]: under the library, profiles into $scratch/p.
# Sets $status; the program's words are in $scratch/expected, its stderr in
# $scratch/errors, the profiles in $profiles, the first image's in $first.
run_probe() {
    local name=$1
    shift
    rm -rf "$scratch/p"
    mkdir "$scratch/p"
    # shellcheck disable=SC2016 # expanded by that shell
    timeout -k 5 120 sh -c 'echo $$ >"$0" && exec env "$@"' "$scratch/pid" \
        HEAPLINE_PROFILE="$scratch/p/%p" LD_PRELOAD="$HL_LIBRARY" "$@" \
        "$PROBE" "$name" >"$scratch/expected" 2>"$scratch/errors" </dev/null &
    wait $! 2>/dev/null # in the background: the shell says nothing of a signal
    status=$?
    profiles=$(cd "$scratch/p" && printf '%s\n' * | in_order_from "$(cat "$scratch/pid")")
    first=$(head -n 1 <<<"$profiles")
}

# figures PROFILE: of one file in $scratch/p.
figures() {
    "$SHOW" "$scratch/p/$1"
}

# figure PROFILE KEY
figure() {
    figures "$1" | awk -v key="$2" '$1 == key { print $2 }'
}

# holds NAME STATUS: the last run ended so, and its first profile says what it said.
holds() {
    local different
    figures "$first" >"$scratch/figures" 2>&1
    different=$(awk -f "$top_srcdir/tests/preload/compare.awk" "$scratch/expected" "$scratch/figures" 2>&1)
    if [ "$status" != "$2" ]; then
        fail "$1" "exit status $status instead of $2; $(cat "$scratch/errors")"
    elif [ -n "$different" ]; then
        fail "$1" "$different"
    elif [ -s "$scratch/errors" ]; then
        fail "$1" "stderr: $(cat "$scratch/errors")"
    else
        pass "$1"
    fi
}
