#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What heapline costs, bar by bar (`make bench`), or only the instruction counts,
# failing if a malloc+free pair has too many (`make bench-instructions`).
#
# Each time is a median of ratios of pairs of runs, with the library and without,
# next to each other; A/A is the same of two runs without: how far it is from 1
# is what the machine makes up today.  The library runs as under the plugin,
# with a profile on tmpfs.  CPU is user + system of the whole process, less that
# of its start and end.
#
#   BENCH_PAIRS=15        pairs of runs (peers: a fifth)
#   BENCH_ONLY="P1 P8"    bars
#   BENCH_PEERS=no        without memusage and heaptrack

PATH=/usr/bin:/bin:$PATH
. "$(dirname "$0")/../lib.sh"
. "$top_srcdir/tests/bench/measure.sh"
. "$top_srcdir/tests/bench/instructions.sh"
BENCH=$top_builddir/tests/bench/bench
LAUNCH=$top_builddir/tests/bench/launch
PAIRS=${BENCH_PAIRS:-15}
PEER_PAIRS=$(((PAIRS + 4) / 5))

wanted() { # BAR
    case " ${BENCH_ONLY-} " in
    '  ' | *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}

# load NAME COUNT [THREADS [LIVE_MIB]]: the command to be timed
load() {
    local name=$1 count=$2
    shift 2
    COMMAND=(@PRELOAD "$BENCH" "$name" "@$count" "$@")
}

p1() {
    load pair 16000000
    timed P1 'malloc+free pair, 1 thread' 1.25 cpu 1 5
    ! need_valgrind || p1_instructions
}

p2() {
    local threads
    for threads in 2 4 8 16; do
        load pair 16000000 "$threads" 256
        timed P2 "the same, $threads threads, 256 MiB live" 1.25 cpu 1 5
    done
}

p3() {
    local threads
    for threads in 2 4 8 16; do
        load pair 8000000 "$threads" 4
        timed P3 "the same, $threads threads, 4 MiB live" 6 cpu 1 5
    done
}

p4() {
    load saw 400000
    timed P4 'saw: each free follows a new peak' 1.15 cpu 1 1
}

p5() {
    load realloc 24000000
    timed P5 'realloc growth to 1 MiB' 1.40 cpu 1 5
}

p6() {
    load larson 2000000 2
    timed P6 'larson, 2 threads' 1.16 cpu 1 4
    load xmalloc 5000000 2
    timed P6 'xmalloc-test, 1 allocates, 1 frees' 1.05 cpu 1 4
}

p8() {
    COMMAND=(@PRELOAD /bin/true)
    timed P8 '/bin/true, start to end (elapsed)' 1.15 elapsed 40 1
}

# resident VARIANT THREADS: KiB
resident() {
    "$LAUNCH" rest "$(preload_of "$1")" "$BENCH" rest 100 "$2"
    tidy_up
}

# added VARIANT THREADS: KiB more than bare, median
added() {
    local round
    for ((round = 0; round < PAIRS; round++)); do
        minus "$(resident "$1" "$2")" "$(resident bare "$2")"
    done | sort -g | median
}

added_by_peer() { # PATH VARIANT THREADS
    [ -z "$1" ] || added "$2" "$3"
}

p9() {
    local threads
    for threads in 1 16 64; do
        row P9 "KiB resident added, $threads threads at rest" %+.0f $((256 + 2 * threads)) \
            "$(added heapline "$threads")" "$(added again "$threads")" \
            "$(added_by_peer "$MEMUSAGE" memusage "$threads")" "$(added_by_peer "$HEAPTRACK" heaptrack "$threads")"
    done
}

# find_mpirun: Open MPI's
find_mpirun() {
    local command
    for command in mpirun.openmpi mpirun; do
        MPIRUN=$(command -v "$command") || continue
        "$MPIRUN" --version 2>&1 | grep -q 'Open MPI' && return 0
    done
    return 1
}

p10() {
    local root=()
    find_mpirun || { note 'P10: Open MPI is not installed' && return; }
    have lmp || { note 'P10: LAMMPS is not installed' && return; }
    [ "$(id -u)" != 0 ] || root=(--allow-run-as-root)
    sed 's/^run .*/run 250/' "$top_srcdir/tests/cluster/in.melt" >"$SCRATCH/in.melt"
    COMMAND=("$MPIRUN" "${root[@]}" --oversubscribe --mca btl "self,vader" --mca oob_tcp_if_include lo -n 2
        env @PRELOAD lmp -in "$SCRATCH/in.melt" -log none -screen none)
    ((PAIRS >= 11)) || note "P10 wants 11 pairs or more"
    timed P10 'LAMMPS, 2 ranks (user CPU)' 1.01 user 1 1
}

only_instructions() {
    local status=0
    need_valgrind || return 1
    header
    p1_instructions || status=1
    p7
    summary
    return $status
}

all_bars() {
    local bar
    note "$PAIRS pairs; load average $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) processors; $(date +%F)"
    start_costs >"$SCRATCH/start"
    header
    for bar in P1 P2 P3 P4 P5 P6 P7 P8 P9 P10; do
        wanted $bar || continue
        [ $bar != P7 ] || need_valgrind || continue
        "${bar,}"
    done
    summary
    note "took $SECONDS s"
}

need_file "$HL_LIBRARY" "$BENCH" "$LAUNCH"
find_peers
make_directories
case ${1-} in
instructions) only_instructions ;;
*) all_bars ;;
esac
