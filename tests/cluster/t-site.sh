#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What an administrator sets and what differs between nodes: the plugstack
# line, preloads and prologs beside ours, a node without the library, without
# the plugin, without DIR.  Each costs records at most, never a job.

. "$(dirname "$0")/lib.sh"
compile counts

ran() { # NAME: the last srun ran its two ranks as if we were not there
    is "$1: status 0" "$status" 0
    is "$1: the job ran" "$(grep -c oracle <<<"$out")" 2
}

# Beside others.
printf 'int heapline_test_other(void){return 1;}\n' | "${CC:-gcc}" -shared -fPIC -xc -o other.so - || bail 'no other.so'
HL_USER_ENV=(LD_PRELOAD="$home/other.so")
recorded -n1 -N1 sh -c 'echo "$LD_PRELOAD"'
HL_USER_ENV=()
is 'a user'\''s LD_PRELOAD stays behind ours' "$out" "$HL_INSTALLED_LIBRARY:$home/other.so"
HL_USER_ENV=(LD_PRELOAD="$HL_INSTALLED_LIBRARY")
recorded -n1 -N1 sh -c 'echo "$LD_PRELOAD"'
HL_USER_ENV=()
is 'ours is not there twice' "$out" "$HL_INSTALLED_LIBRARY"
recorded -n2 -N2 --export=NONE ./counts
is '--export=NONE' "$(rank_rows rank)" "$(printf '0\n1')"
HL_USER_ENV=(HEAPLINE_DISABLE=1)
recorded -n2 -N2 ./counts
HL_USER_ENV=()
ran 'HEAPLINE_DISABLE=1'

printf '#!/bin/sh\necho "print $(grep -c libheapline /proc/self/maps)" >>%s/prolog.log\n/bin/true\n' "$home" >prolog.sh
chmod 755 prolog.sh
recorded -n2 -N2 --task-prolog="$home/prolog.sh" ./counts
ran 'task prolog'
is 'a task prolog has run' "$(wc -l <prolog.log)" 2
is 'and has made no row' "$(cells "$step/records.csv" exe | sort | uniq -c | tr -s ' ')" " 2 $home/counts"

# The site's arguments.
plugstack default=on dir="$home/site-%u"
run srun -n2 -N2 ./counts
step=$(find_step "$home/site-nobody")
is 'default=on dir=: recorded without an option' "$(rank_rows rank)" "$(printf '0\n1')"
run srun -n2 -N2 --heapline=off ./counts
is '--heapline=off wins over the site' "$(find "$home/site-nobody" -mindepth 1 -maxdepth 1 | wc -l)" 1
plugstack unknown_argument=1
recorded -n2 -N2 ./counts
is 'an unknown argument is ignored' "$(rank_rows rank)" "$(printf '0\n1')"
ran 'unknown argument'
plugstack report=/nonexistent/heapline-report
recorded -n2 -N2 ./counts
ran 'no report program'
matches 'no report program: the command to run is said' "$err" "heapline-report.* --collate $step"
run heapline-report --collate "$step"
is 'no report program: made later by hand' "$(rank_rows rank)" "$(printf '0\n1')"
plugstack gather=/nonexistent/heapline-gather
recorded -n2 -N2 ./counts
ran 'no gather program'
matches 'no gather program: said' "$err" 'heapline-gather'
gather_by_hand
is 'no gather program: what the message says to run brings the ranks home' \
    "$(rank_rows rank,ended)" "$(printf '%s\n' '0|exit' '1|exit')"
plugstack quiet
recorded -n2 -N2 ./counts
is 'quiet: no summary on stderr' "$err" ''
is 'quiet: but in the file' "$(test -s "$step/summary.txt" && echo yes)" yes
plugstack

# One node differs from the others.
dirty_node n2 -t tmpfs -o size=1m none "$(dirname "$HL_INSTALLED_LIBRARY")"
recorded -n2 -N2 -w n1,n2 ./counts
cluster_on_node n2 umount "$(dirname "$HL_INSTALLED_LIBRARY")"
ran 'no library on n2'
matches 'no library on n2: said with node and path' "$err" "n2.*$HL_INSTALLED_LIBRARY"
lacks 'no library on n2: ld.so has nothing to say' "$err" 'ld\.so'
is 'no library on n2: rank 1 is named' "$(rank_rows ended | tail -n 1)" not_seen
is 'no library on n2: rank 0 has its figures' "$(rank_rows ended | head -n 1)" exit

: >"$CL_DIR/etc/empty.conf"
dirty_node n2 --bind "$CL_DIR/etc/empty.conf" "$CL_DIR/etc/plugstack.conf"
recorded -n2 -N2 -w n1,n2 ./counts
cluster_on_node n2 umount "$CL_DIR/etc/plugstack.conf"
ran 'no plugin on n2'
matches 'no plugin on n2: the summary says that its rank is missing' "$err" 'n2'
is 'no plugin on n2: rank 0 has its figures' "$(rank_rows ended rank=0)" exit

new_dir
: >"$CL_DIR/etc/plugstack.conf"
run srun -n2 -N2 --heapline="$dir" ./counts
is 'no plugin for srun: the option is unknown' "$status" 255
plugstack

mkdir -m 1777 unshared
dirty_node n2 -t tmpfs -o size=8m,mode=1777 none "$home/unshared"
dir=$home/unshared/results
run srun -n2 -N2 -w n1,n2 --heapline="$dir" ./counts
step=$(find_step "$dir")
ran 'DIR not shared'
matches 'DIR not shared: said with node and path' "$err" "n2: DIR is not shared; results lie on n2:$step"
check 'DIR not shared: they do lie there' cluster_on_node n2 test -s "$step/n2.csv"
is 'DIR not shared: rank 0 has its figures' "$(rank_rows ended rank=0)" exit
cluster_on_node n2 umount "$home/unshared"

# A DIR that a node cannot write to: the profiles stay, and what the message
# says to do brings them home.
mkdir -m 1777 read-only
dirty_node n2 --bind "$home/read-only" "$home/read-only"
cluster_on_node n2 mount -o remount,bind,ro "$home/read-only"
dir=$home/read-only/results
run srun -n2 -N2 -w n1,n2 --heapline="$dir" ./counts
step=$(find_step "$dir")
cluster_on_node n2 umount "$home/read-only"
ran 'DIR read-only on n2'
matches 'DIR read-only on n2: said with node and path' "$err" "n2: $step cannot be written"
is 'DIR read-only on n2: rank 0 has its figures' "$(rank_rows ended rank=0)" exit
gather_by_hand
is 'DIR read-only on n2: what the message says to run brings rank 1 home' \
    "$(rank_rows rank,ended)" "$(printf '%s\n' '0|exit' '1|exit')"

remove_empty
is 'nothing is left behind' "$(settle)" ''
finish
