#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# One srun step over three nodes: what lies in DIR/JOB/0, that every rank's
# figures equal its own books, and that the user sees what he would without us.

. "$(dirname "$0")/lib.sh"
compile counts

recorded -N3 --ntasks-per-node=2 -l ./counts
is 'srun succeeds' "$status" 0
for file in step.json records.csv summary.txt n{1,2,3}.csv n{1,2,3}.profiles; do
    check "$file is there and not empty" test -s "$step/$file"
done
is 'nothing else is' "$(find "$step" -mindepth 1 | wc -l)" 9
is 'all of it is the user'\''s' "$(find "$dir" ! -uid "$CL_USER_ID")" ''
is 'records.csv is version 2' "$(head -n 1 "$step/records.csv")" '# heapline 2'

# Ranks' own books against the record, to the byte.
books=$(sed -n 's/^[0-9]*: oracle //p' <<<"$out" | sort -n | tr ' ' '|')
figures=$(rank_rows rank,allocs,frees,peak_heap_bytes,live_heap_at_exit_bytes)
is 'figures of each rank equal its own books' "$figures" "$books"
is 'ranks know task and node' "$(rank_rows rank,task,node)" \
    "$(printf '%s\n' '0|0|n1' '1|1|n1' '2|2|n2' '3|3|n2' '4|4|n3' '5|5|n3')"
is 'ranks ended by exit 0' "$(rank_rows ended,exit_code,signal | sort -u)" 'exit|0|0'
is 'figures come from profiles' "$(rank_rows source | sort -u)" profile
is 'job and step' "$(rank_rows job,step | sort -u)" "$(basename "$(dirname "$step")")|0"
is 'node files have the same rows' \
    "$(for n in n1 n2 n3; do cells "$step/$n.csv" pid,allocs,frees,peak_heap_bytes; done | sort)" \
    "$(cells "$step/records.csv" pid,allocs,frees,peak_heap_bytes | sort)"

# What srun printed.
is 'the summary is what srun printed on stderr' "$err" "$(cat "$step/summary.txt")"
lacks 'nothing of ours on stdout' "$out" -i 'heapline'
is 'stdout has one line a rank' "$(wc -l <<<"$out")" 6
run srun -N3 --ntasks-per-node=2 -l ./counts
is 'stdout is the same without --heapline' "$(sort <<<"$out")" "$(sed 's/|/ /g; s/^\([0-9]*\) /\1: oracle \1 /' <<<"$books")"
is 'without the option nothing is printed' "$err" ''

# Again from the files.
cp "$step/records.csv" "$CL_DIR/before.csv"
run heapline-report --collate "$step"
is 'collating again succeeds' "$status" 0
check 'and gives the same records' cmp "$CL_DIR/before.csv" "$step/records.csv"
run heapline-report "$(dirname "$step")"
is 'heapline-report DIR/JOB succeeds' "$status" 0

# A second job beside the first.
run srun -N2 -n2 --heapline="$dir" ./counts
is 'a second job gets a directory of its own' "$(find "$dir" -mindepth 2 -maxdepth 2 -name 0 | wc -l)" 2
is 'nothing is left behind' "$(settle)" ''
finish
