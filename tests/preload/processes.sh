#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# fork, vfork, exec, seccomp and the ways to end: no image writes into the
# profile of another one, and each has its own.

. "$(dirname "$0")/lib.sh"
make_scratch

files() { # how many profiles there are
    wc -l <<<"$profiles"
}

second() { # the profile that is not the first process's
    grep -vxF "$first" <<<"$profiles" | head -n 1
}

run_probe child_of_fork
holds 'fork: the parent has its own figures' 0
child=$(second)
is 'fork: the child has a profile' "$(files)" 2
is 'fork: the child counts from 0' "$(figure "$child" allocs),$(figure "$child" frees)" 3,2
is 'fork: inherited_bytes is what the parent had' "$(figure "$child" metric.inherited_bytes)" 100008
is 'fork: live and peak include it' \
    "$(figure "$child" live),$(figure "$child" peak)" $((100008 + 1000)),$((100008 + 40008 + 503808 - 16))
is 'fork: how the child ended' "$(figure "$child" ended),$(figure "$child" exit_code)" 1,7
is 'fork: the parent of the child' "$(figure "$child" ppid)" "$first"

run_probe child_of_raw_fork
holds 'raw fork: the parent has its own figures' 0
is 'raw fork: the child has a profile' "$(files)" 2
child=$(second)
is 'raw fork: its own calls only' "$(figure "$child" allocs),$(figure "$child" frees)" 3,3
is 'raw fork: what it inherited' "$(figure "$child" metric.inherited_bytes)" 100008

run_probe fork_quietly
holds 'fork without a call' 0
is 'fork without a call: two profiles' "$(files)" 2

run_probe child_of_vfork
holds "vfork: the parent's figures are its own" 0
child=$(second)
is 'vfork: the child has a profile' "$(files)" 2
is "vfork: the child's calls" "$(figure "$child" allocs),$(figure "$child" frees)" 1,1
is "vfork: the child's peak" "$(figure "$child" peak)" $((1000 + 5001216 - 16))

run_probe vfork_fails_to_exec
holds 'vfork: exec fails, a hundred times' 0
is 'vfork without a call leaves nothing' "$(files)" 1
run_probe vfork_execs
holds 'vfork and exec' 0
is 'vfork and exec: two profiles' "$(files)" 2

run_probe exec_chain
holds 'exec: the first image' 0
is 'exec: six images, six profiles' "$(files)" 6
is 'exec: numbered' "$profiles" "$first
$(for i in 1 2 3 4 5; do echo "$first.$i"; done)"
is 'exec: the third image has its own figures' "$(figure "$first.2" class.2040)" 1
is 'exec: only the last one has ended' \
    "$(for p in $profiles; do figure "$p" ended; done | tr -d '\n')" 000001

run_probe forks_among_threads
holds '200 forks among allocating threads' 0
is '200 forks: 201 profiles' "$(files)" 201

for case in 'killed 137' 'quits 5' 'aborts 134' 'closes_everything 0' 'seccomp_prctl 0' \
    'seccomp_syscall 0' 'seccomp_refused 0' 'exec_under_filter 0' 'not_cancelled 0' 'raw_fork_after_fork 0' \
    'system_calls 0'; do
    run_probe "${case% *}"
    holds "${case% *}" "${case#* }"
done

run_probe raw_fork_after_fork
child=$(tail -n 1 <<<"$profiles")
is 'raw fork after a fork: what is inherited' "$(figure "$child" metric.inherited_bytes)" 10002416
run_probe seccomp_in_raw_child
is "a filter of a raw clone's child: nobody is killed" "$status" 0

tracer=$top_builddir/tests/preload/.libs/libtracer.so
run_probe not_cancelled LD_PRELOAD="$HL_LIBRARY:$tracer"
is 'another preload that allocates in open, read, close: no deadlock' "$status" 0

if mkdir "$scratch/small" && mount -t tmpfs -o size=256k tmpfs "$scratch/small" 2>/dev/null; then
    trap 'umount "$scratch/small"; rm -rf "$scratch"' EXIT
    timeout -k 5 60 env HEAPLINE_PROFILE="$scratch/small/%p" LD_PRELOAD="$HL_LIBRARY" \
        "$PROBE" forks_in_high_slots >"$scratch/expected" 2>&1
    is 'forks in high slots on a full file system: no SIGBUS' $? 0
else
    skip 'forks on a full file system' 'tmpfs cannot be mounted here'
fi
finish
