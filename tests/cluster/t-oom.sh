#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# A rank that the kernel kills for its memory (cgroup v1 limit), on a cluster
# of its own: its row says oom, its figures are those up to then.

. "$(dirname "$0")/lib.sh"
[ -d /sys/fs/cgroup/memory ] || skip_all 'no cgroup v1 memory controller here'
[ -w /sys/fs/cgroup/memory/cgroup.procs ] || skip_all 'the cgroup v1 memory controller is not ours to use'

directory=$(mktemp -d "${TMPDIR:-/tmp}/heapline-oom-XXXXXX") || bail 'mktemp failed'
# shellcheck disable=SC2064  # expanded now
trap "cluster_stop '$directory'; rm -rf '$directory'" EXIT
trap 'exit 130' INT TERM HUP
unset CL_BASEPORT
CL_CGROUP=1
cluster_start "$directory" 2 || bail 'the cluster with cgroups did not start'
plugstack
home=$directory/shared/oom
mkdir -p "$home" && chown "$CL_USER_ID" "$home" && cd "$home" || bail "cannot use $home"

cat >hog.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(void)
{
    const char *rank = getenv("SLURM_PROCID");
    size_t mib = rank && rank[0] == '1' ? 400 : 10;
    for (size_t i = 0; i < mib; i++) {
        char *p = malloc(1 << 20);
        if (!p)
            return 1;
        memset(p, 1, 1 << 20);
    }
    return 0;
}
C
"${CC:-gcc}" -O0 -o hog hog.c || bail 'cannot compile hog.c'

recorded -N1 -n3 --mem=120 ./hog
matches 'srun says that task 1 was killed' "$err" 'task 1: (Out Of Memory|Killed)'
is 'rank 1 is an oom row' "$(rank_rows ended,exit_code,signal rank=1)" 'oom|-1|9'
is 'its peak is what it had got by then' \
    "$(rank_rows peak_heap_bytes rank=1 | awk '$1 > 52428800 && $1 < 136314880 {print "yes"}')" yes
is 'the others ended well' "$(rank_rows rank,ended ended=exit)" "$(printf '%s\n' '0|exit' '2|exit')"
is 'nothing is left behind' "$(settle)" ''
finish
