#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Exact counts with one thread, and with many where order does not matter.

. "$(dirname "$0")/lib.sh"
make_scratch

for case in every_function resizing failures keeps_errno four_functions sizes page_starts peak_time \
    early_and_late early nothing short_threads threads_beyond_slots producer_consumer; do
    run_probe "$case"
    holds "$case" 0
done

run_probe nothing HEAPLINE_DISABLE=1
is 'HEAPLINE_DISABLE=1 makes no profile' "$profiles" '*'

jemalloc=$(ldconfig -p | awk '/libjemalloc\.so/ { print $NF; exit }')
if [ -n "$jemalloc" ]; then
    # behind us in the search order, as when a program is linked with it; its
    # C++ library allocates, too, before main
    run_probe nothing LD_PRELOAD="$HL_LIBRARY:$jemalloc"
    before="$(figure "$first" allocs) $(figure "$first" live)"
    run_probe resizing LD_PRELOAD="$HL_LIBRARY:$jemalloc"
    is 'another allocator comes next: its blocks and its sizes' \
        "$(($(figure "$first" allocs) - ${before% *})) $(($(figure "$first" live) - ${before#* }))" \
        "$(awk '/^allocs/ { print $2, 0 }' "$scratch/expected")"
    is 'and the profile says so' "$(figure "$first" metric.flags)" 2
else
    skip 'another allocator comes next' 'libjemalloc is not installed'
fi

pages=$top_builddir/tests/preload/.libs/libpages.so
run_probe four_functions LD_PRELOAD="$HL_LIBRARY:$pages"
is 'an allocator that tells no sizes, blocks without a page before them: it runs' \
    "$status,$(figure "$first" frees),$(figure "$first" peak)" 0,3,0
is 'and the profile says so' "$(figure "$first" metric.flags)" $((2 + 32))

words=$top_builddir/tests/preload/.libs/libwords.so
run_probe four_functions LD_PRELOAD="$HL_LIBRARY:$words"
holds 'an allocator whose words before its blocks lie: it is asked' 0
is 'and its sizes are what is counted' "$(figure "$first" peak)" 100000
finish
