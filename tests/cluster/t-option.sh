#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# --heapline and its values: where results go, what is refused before
# submission, and what is said when DIR cannot be used.

. "$(dirname "$0")/lib.sh"
compile counts

run srun --help
matches 'the option is in srun --help' "$out$err" '--heapline'
matches 'its help begins with [heapline]' "$out$err" '\[heapline\]'

# Off, or not asked for: nothing happens at all.
untouched() { # NAME SRUN-ARGUMENT...
    local name=$1
    shift
    run srun -n2 -N2 "$@" sh -c 'echo "[$LD_PRELOAD][${HEAPLINE_PROFILE-}]"'
    is "$name: status 0" "$status" 0
    is "$name: the task's environment is clean" "$(sort -u <<<"$out")" '[][]'
    is "$name: nothing printed" "$err" ''
    is "$name: no directory made" "$(find "$home" -mindepth 1 -type d)" ''
}
untouched 'no option'
untouched '--heapline=off' --heapline=off

# Where results go.
run srun -n2 -N2 --heapline ./counts
is 'valueless: status' "$status" 0
step=$(find_step "$home/heapline")
is 'valueless: results in heapline/ of the working directory' "$(rank_rows rank | wc -l)" 2
run srun -n2 -N2 --heapline=sub/relative ./counts
step=$(find_step "$home/sub/relative")
is 'a relative DIR is resolved in srun'\''s working directory, parents made' "$(rank_rows rank | wc -l)" 2
mkdir -p "$home/elsewhere" && chown "$CL_USER_ID" "$home/elsewhere"
run srun -n2 -N2 --chdir="$home/elsewhere" --heapline=chdir "$home/counts"
step=$(find_step "$home/chdir")
is 'also with --chdir' "$(rank_rows rank | wc -l)" 2
run srun -n1 -N1 -J my-job --heapline="$home/pat-%u-%x-%s" ./counts
step=$(find_step "$home/pat-nobody-my-job-0")
is '%u %x %s are replaced' "$(rank_rows rank | wc -l)" 1
run srun -n1 -N1 --heapline="$home/a,b 'c\"d" ./counts
step=$(find_step "$home/a,b 'c\"d")
is 'odd characters in DIR' "$(rank_rows rank | wc -l)" 1

# Refused before anything is submitted.
refused() { # VALUE
    run srun -n1 --heapline="$1" ./counts
    is "refused: $(printf %q "$1"): status 255" "$status" 255
    matches "refused: $(printf %q "$1"): says so" "$err" 'heapline'
    lacks "refused: $(printf %q "$1"): nothing ran" "$out" 'oracle'
}
refused 'x-%n'
refused 'x-%N'
refused 'x-%t'
refused 'x-%Q'
refused $'x\ny'

# DIR cannot be used: one message, and the job runs untouched.
unrecorded() { # NAME DIR MESSAGE-PATTERN
    run srun -n2 -N2 --heapline="$2" ./counts
    is "$1: status 0" "$status" 0
    is "$1: the job ran" "$(grep -c oracle <<<"$out")" 2
    matches "$1: said with its path and reason" "$err" "$3"
    is "$1: said once" "$(grep -c . <<<"$err")" 1
}
touch "$home/file"
unrecorded 'DIR below a file' "$home/file/x" "$home/file.*(Not a directory|not a directory)"
unrecorded 'DIR that is a file' "$home/file" "$home/file.*(Not a directory|not a directory)"
mkdir -m 755 "$CL_DIR/shared/roots"
unrecorded 'DIR in a directory of another' "$CL_DIR/shared/roots/x" 'roots.*[Pp]ermission denied'
unrecorded 'DIR of another' "$CL_DIR/shared/roots" 'roots.*[Pp]ermission denied'
mkdir -m 1777 "$home/foreign"
next=$(($(run srun -n1 sh -c 'echo $SLURM_JOB_ID'; echo "$out") + 1))
mkdir -m 777 "$home/foreign/$next"
unrecorded 'DIR/JOB that belongs to another' "$home/foreign" "foreign/$next.*(belongs|owned)"
is 'DIR/JOB of another stays empty' "$(ls -A "$home/foreign/$next")" ''

# A step directory that is there already, not empty.
new_dir
next=$(($(run srun -n1 sh -c 'echo $SLURM_JOB_ID'; echo "$out") + 1))
mkdir -p "$dir/$next/0" && touch "$dir/$next/0/old" && chown -R "$CL_USER_ID" "$dir"
run srun -n2 -N2 --heapline="$dir" ./counts
step=$dir/$next/0.2
is 'a used STEP becomes STEP.2' "$(rank_rows rank | wc -l)" 2
matches 'and that is said' "$err" "0\.2"
is 'the old one is untouched' "$(ls "$dir/$next/0")" old
is 'nothing is left behind' "$(settle)" ''
finish
