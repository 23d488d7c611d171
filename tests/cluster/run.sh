#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Boots a private Slurm, runs the cluster tests on it and takes it down:
#
#   HL_PREFIX=where-heapline-is-installed tests/cluster/run.sh [t-NAME.sh...]
#
# Root, since slurmd must become the ordinary user that runs the jobs.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cluster/up.sh
. "$here/up.sh"
HL_TEST_NODES=${HL_TEST_NODES:-4}
HL_TEST_LIMIT=${HL_TEST_LIMIT:-300}

complain() {
    printf 'Bail out! %s\n' "$*"
    exit 99
}

run_tests() { # TEST...
    local test status=0 rc
    for test in "$@"; do
        printf '# %s\n' "$(basename "$test")"
        timeout -k 10 "$HL_TEST_LIMIT" bash "$test" </dev/null
        rc=$?
        case $rc in
        0 | 77) ;;
        124 | 137) printf 'not ok - %s ended within %d s\n' "$(basename "$test")" "$HL_TEST_LIMIT"; status=1 ;;
        *) status=1 ;;
        esac
    done
    return $status
}

[ "$(id -u)" = 0 ] || complain 'cluster tests need root: slurmd starts jobs as another user'
[ -n "${HL_PREFIX-}" ] || complain 'set HL_PREFIX to where heapline is installed'
[ -e "${HL_PLUGIN:-$HL_PREFIX/lib/slurm/heapline.so}" ] ||
    complain "no plugin in $HL_PREFIX/lib/slurm: configure --prefix=$HL_PREFIX, make install"
[ $# -gt 0 ] || set -- "$here"/t-*.sh

umask 022
directory=$(mktemp -d "${TMPDIR:-/tmp}/heapline-cluster-XXXXXX") || complain 'mktemp failed'
# shellcheck disable=SC2064  # expanded now
trap "cluster_stop '$directory'; rm -rf '$directory'" EXIT
trap 'exit 130' INT TERM HUP
cluster_start "$directory" "$HL_TEST_NODES" || complain 'the private Slurm did not start'
export CL_DIR HL_PREFIX CL_BASEPORT
run_tests "$@"
