#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# HEAPLINE_OUTPUT, HEAPLINE_PROFILE, the line of summary: names, kinds of files,
# and what is left alone.

. "$(dirname "$0")/lib.sh"
make_scratch
cd "$scratch" || exit 99

run() { # [NAME=VALUE...] COMMAND...: output in $out, errors in $err
    timeout -k 5 60 env LD_PRELOAD="$HL_LIBRARY" "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out)
    err=$(cat err)
}
probe() { # [NAME=VALUE...] CASE
    run "${@:1:$#-1}" "$PROBE" "${@: -1}"
}
header='rank,host,pid,job,elapsed_s,allocs,frees,peak_heap_bytes,peak_heap_time_s,live_heap_at_exit_bytes,vmhwm_bytes,vmrss_at_exit_bytes'

probe HEAPLINE_OUTPUT=r.%p nothing
record=$(ls r.*)
is 'record: three lines' "$(wc -l <"$record")" 3
is 'record: first line' "$(head -n 1 "$record")" '# heapline 1'
is 'record: header' "$(sed -n 2p "$record")" "$header"
matches 'record: a row' "$(tail -n 1 "$record")" \
    "^-1,[^,]+,${record#r.},,[0-9]+\\.[0-9]{3},0,0,0,0\\.000,0,[0-9]+,[0-9]+\$"
is 'record: nothing on stderr' "$err" ''

probe HEAPLINE_OUTPUT=%r-%h-%x-%p.csv PMI_RANK=3 SLURM_PROCID=9 SLURM_JOB_ID=77 sizes
record=$(echo 3-*)
matches 'names: %r %h %p, others kept' "$record" "^3-.+-%x-[0-9]+\\.csv\$"
is 'rank and job' "$(cells "$record" rank,job,allocs,frees)" '3|77|19|10'
probe HEAPLINE_OUTPUT=o OMPI_COMM_WORLD_RANK=1 PMIX_RANK=2 PMI_RANK=3 MV2_COMM_WORLD_RANK=4 nothing
is 'rank: Open MPI first' "$(cells o rank)" 1
probe HEAPLINE_OUTPUT=o PMIX_RANK=2 PMI_RANK=3 nothing
is 'rank: then PMIx; a fixed name is replaced' "$(cells o rank)" 2
probe HEAPLINE_OUTPUT=o MV2_COMM_WORLD_RANK=4 SLURM_PROCID=5 nothing
is 'rank: then MVAPICH' "$(cells o rank)" 4
probe HEAPLINE_OUTPUT=o SLURM_PROCID=5 PMI_RANK=x nothing
is 'rank: Slurm last; what is no number is none' "$(cells o rank)" 5

probe HEAPLINE_OUTPUT=/dev/null nothing
is '/dev/null: still a device, nothing said' "$(stat -c %F /dev/null)$err" 'character special file'
echo old >target
ln -s target link
probe HEAPLINE_OUTPUT=link nothing
is 'a symlink stays one; its file is written' "$(stat -c %F link),$(head -n 1 target)" 'symbolic link,# heapline 1'
mkfifo fifo
probe HEAPLINE_OUTPUT=fifo nothing
matches 'a fifo that nobody reads does not block; stderr instead' "$status $err" '^0 # heapline 1'
probe HEAPLINE_OUTPUT=none/o nothing
matches 'no such directory: the record goes to stderr' "$err" '^# heapline 1'
ln -s /nonexistent dangling
probe HEAPLINE_OUTPUT=none/o closes_everything
is 'stderr closed and reused: nothing is written there' "$err" ''

probe nothing
matches 'neither path: one line' "$err" '^heapline: peak heap 0 at 0\.000 s of [0-9.]+ s, live at exit 0, VmHWM [0-9.]+[KM], 0 allocs, 0 frees, pid [0-9]+$'
is 'neither path: nothing else' "$(wc -l <err)" 1
# coreutils close stderr before the end: nothing must go to what is there then
run ls /
is 'a program that closes stderr first' "$err" ''

# what would be a signal in our place: a pipe that nobody reads, a file size limit
bash -c 'LD_PRELOAD=$1 exec timeout 20 "$0" peak_time 2> >(exec true) >/dev/null' "$PROBE" "$HL_LIBRARY"
is 'stderr is a pipe that nobody reads: no SIGPIPE' $? 0
# a pipe that is full and that nobody reads
(
    mkfifo full && exec 3<>full && dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
    exec timeout 20 env LD_PRELOAD="$HL_LIBRARY" "$PROBE" nothing 2>&3 >/dev/null
)
is 'stderr is a full pipe: the program ends' $? 0
run bash -c "ulimit -f 1; HEAPLINE_PROFILE=limited exec $PROBE nothing"
is 'RLIMIT_FSIZE below a profile: none, no SIGXFSZ' "$status,$(ls limited 2>/dev/null)" '0,'
run bash -c "ulimit -f 0; HEAPLINE_OUTPUT=limited.csv exec $PROBE nothing 2>err2 >/dev/null"
is 'RLIMIT_FSIZE of 0: no record, no SIGXFSZ' "$status,$(ls limited.csv* 2>/dev/null)" '0,'
if [ -e /dev/full ]; then
    probe HEAPLINE_OUTPUT=/dev/full nothing
    matches 'a full device: the record goes to stderr' "$status $err" '^0 # heapline 1'
fi

mkdir profiles
probe HEAPLINE_PROFILE=profiles/x nothing
probe HEAPLINE_PROFILE=profiles/x nothing
probe HEAPLINE_PROFILE=profiles/x nothing
is 'profiles are never reused' "$(ls profiles | tr '\n' ' ')" 'x x.1 x.2 '
is 'profile and no record: no words' "$err" ''
probe HEAPLINE_PROFILE=nowhere/x sizes
is 'no directory for the profile: the program runs' "$status,$err" '0,'
run HEAPLINE_PROFILE=rel.%p sh -c "cd / && exec $PROBE nothing"
is 'a relative profile is where the process began' "$(ls rel.* | wc -l)" 1
run HEAPLINE_PROFILE=both.%p HEAPLINE_OUTPUT=both.csv "$PROBE" sizes
is 'both: a record, too' "$(cells both.csv allocs),$(ls both.[0-9]* | wc -l)" 19,1
lc=$(locale -a 2>/dev/null | grep -i '^de_DE' | head -n 1)
run HEAPLINE_OUTPUT=l.csv LC_ALL="${lc:-C.UTF-8}" "$PROBE" peak_time
matches 'decimal points in any locale' "$(cells l.csv elapsed_s)" '^0\.[56][0-9]{2}$'

# Under srun's TaskProlog the process that SLURM_TASK_PID names is slurmstepd.
cp "$(command -v sleep)" slurmstepd
./slurmstepd 20 &
stepd=$!
probe HEAPLINE_PROFILE=prolog SLURM_TASK_PID=$stepd sizes
is 'in a TaskProlog: no profile, no word' "$(ls prolog 2>/dev/null)$err" ''
kill "$stepd"
probe HEAPLINE_PROFILE=task SLURM_TASK_PID=$$ sizes
is "in the task's child: a profile" "$(ls task)" task

if mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    trap 'umount "$scratch/small"; rm -rf "$scratch"' EXIT
    for i in 1 2 3 4 5 6 7 8 9; do
        probe HEAPLINE_PROFILE=small/%p threads_beyond_slots
        [ "$status" = 0 ] || break
    done
    is 'a file system that is full or fills up: the program runs' "$status" 0
else
    skip 'a file system that is full' 'tmpfs cannot be mounted here'
fi
finish
