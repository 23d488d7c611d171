#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Runs heapline-report on each directory in cases/ and compares every byte.
#
#   cases/NAME/in/       the input, copied before the run; the run is in the copy
#   cases/NAME/setup     shell script run in the copy first, with make.sh (makes what git
#                        cannot hold: profiles, fifos, NULs); optional
#   cases/NAME/cmd       shell commands, with $REPORT for the program
#   cases/NAME/out, err, status   what is expected of cmd
#
# Beside that it holds for each case that text is at most 80 columns wide and
# that no control byte reaches the terminal.  It cannot tell whether a figure
# is the one that the program had: tests/preload and tests/cluster do.
#
#   golden.sh [--update] [NAME...]   --update writes what was found

here=$(cd "$(dirname "$0")" && pwd)
top_builddir=$(cd "${top_builddir:-.}" && pwd)
REPORT=${HL_REPORT:-$top_builddir/heapline-report}
PROFILES=${HL_PROFILES:-$top_builddir/tests/gen/profiles}
MAKE_INPUT=$here/make.sh
export REPORT PROFILES MAKE_INPUT
export LC_ALL=C TZ=America/Lima
unset POSIXLY_CORRECT ARGP_HELP_FMT

update=
if [ "${1-}" = --update ]; then
    update=yes
    shift
fi
[ -x "$REPORT" ] || { echo "Bail out! no $REPORT"; exit 99; }
# Sanitizers reserve terabytes of addresses; without them there is a ceiling.
LIMIT_MEMORY='ulimit -v 200000'
(ulimit -v 200000 && "$REPORT" --version) >/dev/null 2>&1 || LIMIT_MEMORY=:
export LIMIT_MEMORY
[ -x "$PROFILES" ] || { echo "Bail out! no $PROFILES"; exit 99; }
work=$(mktemp -d) || exit 99
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT

number=0
failed=0

result() { # WORD NAME
    number=$((number + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $number - $2"
}

# run CASE: leaves out, err, status in $work/CASE.got
run() {
    local got=$work/$1.got copy=$work/$1
    mkdir -p "$got" "$copy"
    [ ! -d "$here/cases/$1/in" ] || cp -R "$here/cases/$1/in/." "$copy"
    chmod -R u+w "$copy"
    (
        cd "$copy" || exit 99
        [ ! -f "$here/cases/$1/setup" ] || bash -e -c '. "$MAKE_INPUT"; . "$0"' "$here/cases/$1/setup" || exit 99
        timeout 60 bash "$here/cases/$1/cmd" >"$got/out" 2>"$got/err"
        echo $? >"$got/status"
    ) || { echo "Bail out! setup of $1"; exit 99; }
}

compare() { # CASE
    local part want=$here/cases/$1 got=$work/$1.got
    for part in out err status; do
        if [ -n "$update" ]; then
            cp "$got/$part" "$want/$part"
        elif ! diff -u "$want/$part" "$got/$part" >"$got/diff" 2>&1; then
            result 'not ok' "$1: $part"
            sed 's/^/#   /' "$got/diff" | head -40
            return
        fi
    done
    result ok "$1"
}

# What goes to a terminal: everything but CSV (out beginning with "# heapline").
fit_for_terminals() { # CASE
    local got=$work/$1.got wide
    if grep -q '^# heapline' "$got/out"; then
        : >"$got/text"
    else
        cp "$got/out" "$got/text"
    fi
    wide=$(LC_ALL=C.UTF-8 grep -En '^.{81}' "$got/text")
    if [ -n "$wide" ]; then
        result 'not ok' "$1: at most 80 columns"
        echo "$wide" | sed 's/^/#   /' | head -5
    fi
    if LC_ALL=C grep -q '[[:cntrl:]]' "$got/text" "$got/err"; then
        result 'not ok' "$1: no control bytes"
    fi
}

cases=("$@")
[ $# -gt 0 ] || mapfile -t cases < <(cd "$here/cases" && printf '%s\n' * | sort)
for case in "${cases[@]}"; do
    run "$case"
    compare "$case"
    fit_for_terminals "$case"
done
echo "1..$number"
exit $((failed > 0))
