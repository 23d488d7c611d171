#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What NODE.csv and NODE.profiles say of profiles that are as they should be.
. "$(dirname "$0")/lib.sh"

begin 'an ordinary step'
new_step
profile 70 task=0 rank=0 exit=0 end=4000 vmhwm=8192 vmrss=4096 allocs=5 frees=3 bytes=100 peak=200
profile 71 task=1 rank=1 allocs=7 bytes=50 peak=60
profile 72 task=1 exit=0 end=10 start=1700000000500
cat >"$work/ends" <<END
task 0 70 0 0 1700000005100 -1
task 1 71 9 0 1700000003000 -1
end 1700000006000
END
gather
same status 0 $status
same said '' "$said"
same 'first line' '# heapline 2' "$(head -1 "$stepdir/n1.csv")"
same rows 3 "$(rows)"
same order '70 72 71' "$(grep -v -e '^#' -e '^rank' "$stepdir/n1.csv" | cut -d, -f3 | xargs)"
same ended exit "$(cell ended 70)"
same elapsed 4.000 "$(cell elapsed_s 70)"
same allocs 5 "$(cell allocs 70)"
same frees 3 "$(cell frees 70)"
same live 100 "$(cell live_heap_at_exit_bytes 70)"
same peak 200 "$(cell peak_heap_bytes 70)"
same vmrss 4096 "$(cell vmrss_at_exit_bytes 70)"
same job 12 "$(cell job 70)"
same step 0 "$(cell step 70)"
same node n1 "$(cell node 70)"
same role '' "$(cell role 70)"
same source profile "$(cell source 70)"
same start 1700000001.000 "$(cell start_time_s 70)"
same ended signal "$(cell ended 71)"
same signal 9 "$(cell signal 71)"
same code -1 "$(cell exit_code 71)"
same elapsed 2.000 "$(cell elapsed_s 71)"
same vmrss -1 "$(cell vmrss_at_exit_bytes 71)"
same 'length of the profiles' $((3 * (4096 + 2048))) "$(stat -c %s "$stepdir/n1.profiles")"
same 'mode' 644 "$(stat -c %a "$stepdir/n1.csv")"
same 'left in STAGING' '' "$(ls -A "$staging")"
tidy

begin 'exec, oom, an exit without a word'
new_step
profile 70 task=0 boot=1000
profile 70.1 task=0 boot=3500 start=1700000003500 process=990
profile 80 task=1
profile 90 task=2
cat >"$work/ends" <<END
task 0 70 768 0 1700000005000 -1
task 1 80 9 1 1700000005000 -1
task 2 90 256 0 1700000005000 -1
END
gather
same status 0 $status
same ended exec "$(cell ended 70 0)"
same elapsed 2.500 "$(cell elapsed_s 70 0)"
same code -1 "$(cell exit_code 70 0)"
same ended exit "$(cell ended 70 1)"
same code 3 "$(cell exit_code 70 1)"
same elapsed 1.500 "$(cell elapsed_s 70 1)"
same ended oom "$(cell ended 80)"
same signal 9 "$(cell signal 80)"
same ended exit "$(cell ended 90)"
has note _exit "$(cell note 90)"

begin 'a pid had twice'
new_step
profile 70 task=0 boot=1000 exit=0 end=500
profile 70.1 task=0 boot=9000 process=8000 exit=1 end=20
gather
same images '0 0' "$(cell image 70 | xargs)"
same ended 'exit exit' "$(cell ended 70 | xargs)"

begin 'a task without a profile'
new_step
profile 71 task=1 exit=0 end=1
profile 75 task=0 exit=0 end=1
cat >"$work/ends" <<END
task 0 70 11 0 1700000005000 123456
task 1 71 0 0 1700000005000 99
END
gather
same status 0 $status
same rows 3 "$(rows)"
same ended not_seen "$(cell ended 70)"
same source plugin "$(cell source 70)"
same rank 0 "$(cell rank 70)"
same signal 11 "$(cell signal 70)"
same vmhwm 123456 "$(cell vmhwm_bytes 70)"
same allocs -1 "$(cell allocs 70)"
has note static "$(grep ,not_seen, "$stepdir/n1.csv")"
has note '; 1 of other processes' "$(grep ,not_seen, "$stepdir/n1.csv")"

begin 'no profile at all'
new_step
gather
same status 0 $status
same rows 0 "$(rows)"
gone "$stepdir/n1.profiles"
gone "$staging/order"

begin 'still running, then ended'
new_step
hold task=0 rank=0
profile 70 task=0 exit=0 end=5
gather
same status 12 $status
has said 'still run' "$said"
has said "stay in $staging" "$said"
has said "run heapline-gather $staging when" "$said"
same ended running "$(cell ended "$held")"
same source profile "$(cell source "$held")"
there "$staging/$held"
there "$staging/order"
gone "$staging/70"
same 'length of the profiles' 12288 "$(stat -c %s "$stepdir/n1.profiles")"
end_held
gather
same status 0 $status
same rows 2 "$(rows)"
same said '' "$said"
same ended vanished "$(cell ended "$held")"
same ended exit "$(cell ended 70)"
same 'length of the profiles' 12288 "$(stat -c %s "$stepdir/n1.profiles")"
same 'left in STAGING' '' "$(ls -A "$staging")"

begin 'still running, and damage, and not shared'
new_step
hold task=0 rank=0
profile 70 magic=X
gather
same 'status, damage too' 12 $status
has said 'still run' "$said"
has said 'damaged' "$said"
rm "$stepdir/step.json"
gather
same 'status, not shared' 10 $status
has said 'still run' "$said"
has said 'not shared' "$said"
there "$staging/$held"
end_held

begin 'a zombie does not run'
new_step
mkfifo "$work/zombie"
"$make_profile" "$staging/z" boot=now start=1700000001000 hold=60 >"$work/zombie" &
zombie=$!
read -r ready <"$work/zombie"
mv "$staging/z" "$staging/$zombie"
kill -9 $zombie
sleep 0.2
gather
same ready ready "$ready"
same ended vanished "$(cell ended $zombie)"
wait $zombie 2>/dev/null

begin 'pids that mean something else here'
new_step
for pid in 2 3 4 70; do profile $pid boot=100000; done
profile $$ boot=100000
gather
same status 0 $status
same ended vanished "$(grep -v -e '^#' -e '^rank' "$stepdir/n1.csv" | cut -d, -f22 | sort -u)"
same 'left in STAGING' '' "$(ls -A "$staging")"

begin 'another directory by hand'
new_step
profile 70 task=0
(cd "$work" && "$gather_program" --stepdir=by-hand staging </dev/null >out 2>err)
same status 10 $?
there "$work/by-hand/n1.csv"
has said 'not shared' "$(cat "$work/err")"
gone "$stepdir/n1.csv"

begin 'DIR is not shared'
new_step
rm -r "$dir"
profile 70 task=0
gather
same status 10 $status
same rows 1 "$(rows)"
has said "n1 lie on $(hostname):$stepdir" "$said"

begin 'blanks and quotes in names'
new_step
dir="$work/a \"b\", c"
stepdir="$dir/12/0"
mkdir -p "$stepdir"
echo '{}' >"$stepdir/step.json"
write_order "$stepdir"
profile 70 exe='/bin/my, "app"' exit=0 end=1
gather
same status 0 $status
has exe '"/bin/my, ""app"""' "$(cat "$stepdir/n1.csv")"
dir=$work/dir
stepdir=$dir/12/0

begin 'usage'
"$gather_program" >"$work/out" 2>&1
same status 2 $?
"$gather_program" --colour x >"$work/out" 2>&1
same status 2 $?
"$gather_program" a b >"$work/out" 2>&1
same status 2 $?
"$gather_program" --version >"$work/out" 2>&1
same status 0 $?
has version heapline-gather "$(cat "$work/out")"
"$gather_program" --help >"$work/out" 2>&1
same status 0 $?
has help --stepdir "$(cat "$work/out")"

finish
