#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What cannot be gathered at once, or at all, on a node: processes that outlive
# their task, a gather that takes too long, no STAGING.  One line a node says
# what to do, and doing it brings home what there is.

. "$(dirname "$0")/lib.sh"
compile counts

# said PATTERN: how many lines of the last srun's stderr it matches
said() { grep -Ec "$1" <<<"$err"; }

# Until no step is left, on its nodes either.
wait_for_steps() {
    local began=$SECONDS
    while [ -n "$(steps_left)" ] && [ $((SECONDS - began)) -lt 30 ]; do sleep 0.1; done
}

cp "$(command -v sleep)" outlives
outliving() { cells "$step/records.csv" ended,exe | sed -n 's,|.*/outlives$,,p' | sort | uniq -c | xargs; }

# Processes that outlive their task.
recorded -N3 --ntasks-per-node=1 -w n1,n2,n3 \
    sh -c 'setsid ./outlives 8 </dev/null >/dev/null 2>&1 & sleep 0.3; exec ./counts'
is 'left behind: status 0' "$status" 0
is 'left behind: the ranks have their figures' "$(rank_rows ended)" "$(printf '%s\n' exit exit exit)"
for node in n1 n2 n3; do
    is "left behind: $node says so in one line, with the command" \
        "$(said "$node: processes of this step still run; .* run on $node: $HL_INSTALLED_GATHER $CL_DIR/staging/")" 1
done
is 'left behind: nobody says more' "$(said 'heapline: n[0-9]*: ')" 3
is 'left behind: they run, says the record' \
    "$(outliving)" '3 running'
wait_for_steps
gather_by_hand
is 'left behind: the gather by hand says how they ended' \
    "$(outliving)" '3 exit'
is 'left behind: and the ranks are as they were' "$(rank_rows ended)" "$(printf '%s\n' exit exit exit)"
remove_empty

# A gather that takes too long, twice: the second time it has 5 s.  In an
# allocation that lasts, since its end kills a gather after KillWait.
cat >slow-gather <<END
#!/bin/sh
date >>$home/slow.log
[ \$(wc -l <$home/slow.log) -lt 2 ] || [ ! -e $home/quick ] || exec $HL_INSTALLED_GATHER "\$@"
exec sleep 60
END
chmod 755 slow-gather
: >slow.log && chmod 666 slow.log
plugstack gather="$home/slow-gather" gather_timeout=7
new_dir
# shellcheck disable=SC2016  # expanded by the inner shell
run salloc -n1 -N1 -w n1 sh -c 'srun --heapline="$1" ./counts; echo "status $?"; sleep 8' sh "$dir"
step=$(find_step "$dir")
matches 'too long: status 0' "$out" '^status 0'
is 'too long: said in one line' "$(said 'n1: heapline-gather was stopped after 7 s and is run once more later; .* run on n1: ')" 1
is 'too long: nobody says more' "$(said 'heapline: n[0-9]*: ')" 1
is 'too long: run twice' "$(wc -l <slow.log)" 2
matches 'too long: the log names the second limit' "$(cat "$CL_DIR/log/slurmd.n1.log")" \
    'n1: heapline-gather was stopped after 5 s, like before; .* run on n1: '
wait_for_steps
gather_by_hand
is 'too long: what the message says to run brings the rank home' "$(rank_rows ended)" exit
remove_empty

# Too long once: the second run is not stopped by the end of srun's own job.
: >slow.log
: >quick
plugstack gather="$home/slow-gather" gather_timeout=2
recorded -n1 -N1 -w n1 ./counts
wait_for_steps
is 'too long once: run twice' "$(wc -l <slow.log)" 2
run heapline-report --collate "$step"
is 'too long once: then the rank is home by itself' "$(rank_rows ended)" exit

# No STAGING.
plugstack staging=/nonexistent/heapline/staging
recorded -N2 --ntasks-per-node=2 -w n1,n2 ./counts
is 'no STAGING: the job ran' "$status $(grep -c oracle <<<"$out")" '0 4'
for node in n1 n2; do
    is "no STAGING: $node says so in one line" "$(said "$node: staging /nonexistent/heapline/staging: No such file .*\
the administrator has to make it or set staging=; its tasks run unrecorded, its ranks will be shown as lost")" 1
done
is 'no STAGING: and they are' "$(rank_rows ended | sort -u)" lost
plugstack

# STAGING full: no order, nothing to gather, one line.
dirty_node n2 -t tmpfs -o size=4k,mode=0711 none "$CL_DIR/staging"
cluster_on_node n2 sh -c "head -c 4096 /dev/zero >$CL_DIR/staging/full"
recorded -N2 --ntasks-per-node=1 -w n1,n2 ./counts
is 'STAGING full: the job ran' "$status $(grep -c oracle <<<"$out")" '0 2'
is 'STAGING full: said in one line' "$(said 'n2: cannot write .*/order: No space left .*its ranks will be shown as lost')" 1
is 'STAGING full: nobody says more' "$(said 'heapline: n[0-9]*: ')" 1
is 'STAGING full: rank 0 has its figures, rank 1 is lost' "$(rank_rows ended | xargs)" 'exit lost'
is 'STAGING full: nothing of the step is left in it' "$(cluster_on_node n2 ls "$CL_DIR/staging")" full
cluster_on_node n2 umount "$CL_DIR/staging"
is 'nothing is left behind' "$(settle)" ''
finish
