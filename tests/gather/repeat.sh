#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# A second gather of the same step loses nothing and duplicates nothing,
# wherever the first one stopped.
. "$(dirname "$0")/lib.sh"

step_of_three() {
	new_step
	profile 70 task=0 boot=1000
	profile 70.1 task=0 boot=2000 start=1700000002000 process=990
	profile 71 task=1 exit=4 end=17
	cat >"$work/ends" <<-END
		task 0 70 9 0 1700000005000 -1
		task 1 71 1024 0 1700000005000 -1
		task 2 72 0 0 1700000005000 -1
		end 1700000006000
	END
}

begin 'nothing new'
step_of_three
cp -r "$staging" "$work/saved"
gather
same status 0 $status
same rows 4 "$(rows)"
cp "$stepdir/n1.csv" "$work/first.csv"
cp "$stepdir/n1.profiles" "$work/first.profiles"
inode=$(stat -c %i "$stepdir/n1.csv")
write_order "$stepdir"
gather
same status 0 $status
same 'file kept' "$inode" "$(stat -c %i "$stepdir/n1.csv")"
same profiles '' "$(cmp "$work/first.profiles" "$stepdir/n1.profiles")"
gone "$staging/order"
: >"$work/ends"
write_order "$stepdir"
gather
same 'file kept' "$inode" "$(stat -c %i "$stepdir/n1.csv")"

begin 'stopped before it had removed anything'
rm -rf "$staging"
cp -rp "$work/saved" "$staging"
gather # and now nobody knows how the tasks ended
same status 0 $status
same rows '' "$(cmp "$work/first.csv" "$stepdir/n1.csv")"
same profiles 18432 "$(stat -c %s "$stepdir/n1.profiles")"
same 'left in STAGING' '' "$(ls -A "$staging")"

begin 'stopped between the two renames'
rm -rf "$staging"
cp -rp "$work/saved" "$staging"
rm "$stepdir/n1.csv"
cat >"$work/ends" <<END
task 0 70 9 0 1700000005000 -1
task 1 71 1024 0 1700000005000 -1
task 2 72 0 0 1700000005000 -1
end 1700000006000
END
gather
same status 0 $status
same rows '' "$(cmp "$work/first.csv" "$stepdir/n1.csv")"
same profiles 18432 "$(stat -c %s "$stepdir/n1.profiles")"

begin 'stopped while it wrote'
rm -rf "$staging"
cp -rp "$work/saved" "$staging"
rm "$stepdir"/n1.*
half=$stepdir/.n1.csv.$(stat -c %i "$staging")
echo half >"$half"
gather
same status 0 $status
same rows '' "$(cmp "$work/first.csv" "$stepdir/n1.csv")"
tidy

begin 'one more process'
profile 73 task=1 start=1700000000001 exit=0 end=1 exe='/bin/more,
lines'
write_order "$stepdir"
gather
same status 0 $status
same 'earlier rows' 4 "$(grep -Fxc -f "$work/first.csv" "$stepdir/n1.csv" | awk '{ print $1 - 2 }')"
same ended exit "$(cell ended 71)"
same order '70 70 73 71 72' "$(grep -E '^-?[0-9]' "$stepdir/n1.csv" | cut -d, -f3 | xargs)"
same profiles 24576 "$(stat -c %s "$stepdir/n1.profiles")"
cp "$stepdir/n1.csv" "$work/more.csv"
profile 74 task=2 start=1700000000001 exit=0 end=1
write_order "$stepdir"
gather
same 'rows, one of two lines' 7 "$(rows)"
same 'earlier lines' "$(wc -l <"$work/more.csv")" "$(grep -Fxc -f "$work/more.csv" "$stepdir/n1.csv")"

begin 'the profile of a task comes late'
profile 72 task=2 exit=0 end=1
write_order "$stepdir"
gather
same ended exit "$(cell ended 72)"

begin 'remarks stay, once'
new_step
profile 70 version=7
gather
same status 11 $status
profile 71 version=8
profile 70 version=7
write_order "$stepdir"
gather
same status 11 $status
same remarks 2 "$(grep -c '^# profile' "$stepdir/n1.csv")"
profile 72 exit=0 end=1
write_order "$stepdir"
gather
same status 0 $status
same remarks 2 "$(grep -c '^# profile' "$stepdir/n1.csv")"

begin 'an earlier file that is not ours'
for content in 'hello' '# heapline 1' "$(head -2 "$work/first.csv")
1,2,3" "$(cat "$work/first.csv")
0,h,\"7"; do
	new_step
	profile 70 exit=0 end=1
	printf '%s' "$content" >"$stepdir/n1.csv"
	cp "$stepdir/n1.csv" "$work/before"
	gather
	same status 20 $status
	has said 'move it away' "$said"
	there "$staging/70"
	there "$staging/order"
	same untouched '' "$(cmp "$work/before" "$stepdir/n1.csv")"
	tidy
done

begin 'earlier profiles that are damaged'
new_step
profile 70 exit=0 end=1
echo 'no profile' >"$stepdir/n1.profiles"
gather
same status 20 $status
has said 'damaged at byte 0' "$said"
there "$staging/70"
gone "$stepdir/n1.csv"
tidy
rm "$stepdir/n1.profiles"
gather
same status 0 $status

begin 'two at a time'
new_step
profile 70 exit=0 end=1
if command -v flock >/dev/null; then
	flock "$staging" "$gather_program" "$staging" </dev/null 2>"$work/err"
	same status 21 $?
	has said 'another heapline-gather' "$(cat "$work/err")"
	there "$staging/70"
else
	skip 'flock(1) is not installed'
fi

finish
