# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What the shell tests share: results as TAP, records by column name, one
# command under the library, reasons for skipping.  Source it, make checks,
# end with `finish`.  Knows nothing of Slurm (tests/cluster/lib.sh does).
#
# From the environment (make check and quickstart set both; else guessed):
#   top_srcdir, top_builddir    absolute paths

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_srcdir=$(cd "${top_srcdir:-$here/..}" && pwd)
top_builddir=$(cd "${top_builddir:-.}" && pwd)
HL_LIBRARY=${HL_LIBRARY:-$top_builddir/.libs/libheapline.so}
HL_REPORT=${HL_REPORT:-$top_builddir/heapline-report}
HL_GATHER=${HL_GATHER:-$top_builddir/heapline-gather}

results_passed=0
results_failed=0
results_skipped=0

result() { # WORD NAME
    printf '%s %d - %s\n' "$1" $((results_passed + results_failed + results_skipped)) "$2"
}

pass() { # NAME
    results_passed=$((results_passed + 1))
    result ok "$1"
}

# fail NAME [DETAILS]: the details follow as TAP comments.
fail() {
    results_failed=$((results_failed + 1))
    result 'not ok' "$1"
    [ -z "${2-}" ] || printf '%s\n' "$2" | head -n 60 | sed 's/^/#   /'
}

skip() { # NAME REASON
    results_skipped=$((results_skipped + 1))
    result ok "$1 # SKIP $2"
}

# skip_all REASON: the whole file cannot run here.
skip_all() {
    skip "$(basename "$0" .sh)" "$1"
    finish
}

# bail TEXT: something that is no test broke; 99 is automake's hard error.
bail() {
    printf 'Bail out! %s\n' "$*"
    exit 99
}

# check NAME COMMAND...: passes if COMMAND does; its output is shown if not.
check() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        pass "$name"
    else
        fail "$name" "status $? of: $*
$output"
    fi
}

is() { # NAME GOT WANTED
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "got:    $2
wanted: $3"
    fi
}

matches() { # NAME TEXT EXTENDED-REGEX
    if grep -Eq -e "$3" <<<"$2"; then
        pass "$1"
    else
        fail "$1" "no line matches: $3
in: $2"
    fi
}

lacks() { # NAME TEXT EXTENDED-REGEX
    if grep -Eq -e "$3" <<<"$2"; then
        fail "$1" "a line matches: $3
in: $2"
    else
        pass "$1"
    fi
}

# finish: the plan, and the exit status that automake reads.
finish() {
    printf '1..%d\n' $((results_passed + results_failed + results_skipped))
    [ "$results_failed" -eq 0 ] || exit 1
    [ "$results_passed" -gt 0 ] || [ "$results_skipped" -eq 0 ] || exit 77
    [ $((results_passed + results_skipped)) -gt 0 ] || bail 'no check was made'
    exit 0
}

have() { # COMMAND...
    local command
    for command in "$@"; do
        command -v "$command" >/dev/null 2>&1 || return 1
    done
}

need_command() { # COMMAND...
    local command
    for command in "$@"; do
        have "$command" || skip_all "$command is not installed"
    done
}

need_file() { # PATH...
    local path
    for path in "$@"; do
        [ -e "$path" ] || bail "$path is missing: build first"
    done
}

need_root() {
    [ "$(id -u)" = 0 ] || skip_all 'needs root'
}

# preloaded [NAME=VALUE...] COMMAND...: only the tested program is under the
# library, and what this shell already preloads stays behind it.
preloaded() {
    env LD_PRELOAD="$HL_LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" "$@"
}

# cells FILE COLUMN[,COLUMN...] [COLUMN=VALUE,...]: rows of a record file that
# meet all conditions, one a line, cells split by '|'.
cells() {
    awk -v columns="$2" -v where="${3-}" -f "$top_srcdir/tests/csv.awk" "$1"
}

# scratch: a new private directory, path in $scratch, removed at the end.
make_scratch() {
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/heapline-test-XXXXXX") || bail 'mktemp failed'
    # shellcheck disable=SC2064  # expanded now: $scratch may be changed later
    trap "rm -rf '$scratch'" EXIT
}
