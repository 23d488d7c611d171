#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# How a step ends is not changed by heapline, and each end has its row.

. "$(dirname "$0")/lib.sh"
compile counts

# ending NAME ROW PROGRAM-ARGUMENT...: rank 1 of 4 ends as the arguments say;
# srun's status must be that of a run without us, and rank 1's row ROW
# (ended|exit_code|signal) with its own books.
ending() {
    local name=$1 row=$2 wanted books
    shift 2
    run srun -N2 -n4 ./counts "$@" 1
    wanted=$status
    recorded -N2 -n4 ./counts "$@" 1
    is "$name: srun's status is $wanted" "$status" "$wanted"
    is "$name: how rank 1 ended" "$(rank_rows ended,exit_code,signal rank=1)" "$row"
    books=$(sed -n 's/^oracle //p' <<<"$out" | sort -n | tr ' ' '|')
    is "$name: every rank has its figures" \
        "$(rank_rows rank,allocs,frees,peak_heap_bytes,live_heap_at_exit_bytes)" "$books"
    check "$name: the summary is there" test -s "$step/summary.txt"
}

ending 'exit 0' 'exit|0|0' exit 0
ending 'exit 3' 'exit|3|0' exit 3
ending 'SIGSEGV' 'signal|-1|11' signal 11
ending 'SIGTERM' 'signal|-1|15' signal 15
ending 'SIGKILL' 'signal|-1|9' signal 9
matches 'SIGKILL: the summary names it' "$(cat "$step/summary.txt")" 'SIGKILL|signal 9'

recorded -n1 -N1 /nonexistent/program
is 'a program that is not there: status as without us' "$status" 2

# srun told to end: tasks are killed at once, the summary still comes.
new_dir
cluster_user timeout -s TERM 2 srun -N2 -n2 --heapline="$dir" sleep 30 >"$CL_DIR/out" 2>"$CL_DIR/err" </dev/null
step=$(find_step "$dir")
is 'srun ended by SIGTERM: both ranks have a row' "$(rank_rows ended,signal)" "$(printf '%s\n' 'signal|9' 'signal|9')"
check 'srun ended by SIGTERM: the summary is there' test -s "$step/summary.txt"
is 'nothing is left behind' "$(settle)" ''
finish
