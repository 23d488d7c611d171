#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# The precision of the peak against a truth known by construction: N threads
# between barriers that only allocate or only release, at three heap sizes.

. "$(dirname "$0")/lib.sh"
make_scratch

for threads in 1 2 3 4 16 64; do
    for size in 100k 10m 1g; do
        run_probe "promise_$size" PROBE_THREADS="$threads"
        holds "peak of $threads threads, $size heap" 0
    done
done
finish
