#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# STAGING belongs to the user: whatever lies in it, the gather ends soon, says
# what it left out and touches nothing else.
. "$(dirname "$0")/lib.sh"

begin 'damaged profiles'
new_step
profile 70 task=0 exit=0 end=1
profile 71 magic=X
profile 72 version=2
profile 73 truncate=100
profile 74 truncate=5000
profile 75 used=300000
profile 76 used=8
: >"$staging/77"
profile 78 truncate=0
head -c 6144 /dev/urandom >"$staging/79"
gather
same status 11 $status
has said 'say which' "$said"
same rows 1 "$(rows)"
same remarks 9 "$(grep -c '^# profile 7[1-9] not used: ' "$stepdir/n1.csv")"
has reason '# profile 72 not used: profile version 2' "$(cat "$stepdir/n1.csv")"
has reason '# profile 74 not used: profile cut short' "$(cat "$stepdir/n1.csv")"
same profiles 6144 "$(stat -c %s "$stepdir/n1.profiles")"
same 'left in STAGING' '' "$(ls -A "$staging")"

begin 'no files'
new_step
profile 70 task=0 exit=0 end=1
mkfifo "$staging/71" "$staging/fifo"
mkdir "$staging/72" "$staging/73" "$staging/empty"
: >"$staging/73/full"
echo precious >"$work/precious"
ln -s "$work/precious" "$staging/74"
ln -s "$work/precious" "$staging/link"
ln -s nowhere "$staging/75"
ln "$work/precious" "$staging/76"
ln -s /dev/zero "$staging/77"
truncate -s 1G "$staging/78"
echo junk >"$staging/junk"
ln "$staging/70" "$staging/70.1"
timeout 20 "$gather_program" "$staging" </dev/null 2>"$work/err"
same status 11 $?
same rows 1 "$(rows)"
same remarks 9 "$(grep -c '^# profile 7' "$stepdir/n1.csv")"
has reason '# profile 71 not used: not a regular file' "$(cat "$stepdir/n1.csv")"
has reason '# profile 74 not used: a symbolic link' "$(cat "$stepdir/n1.csv")"
has reason '# profile 78 not used: too long' "$(cat "$stepdir/n1.csv")"
has reason '# profile 70.1 not used: the same' "$(cat "$stepdir/n1.csv")"
same precious precious "$(cat "$work/precious")"
same 'left in STAGING' "73
order" "$(ls -A "$staging")"

begin 'STAGING itself'
new_step
profile 70 task=0
ln -s staging "$work/staging-link"
"$gather_program" "$work/staging-link" </dev/null 2>"$work/err"
same 'status, symlink' 21 $?
"$gather_program" "$work/none" </dev/null 2>"$work/err"
same 'status, none' 21 $?
"$gather_program" "$staging/70" </dev/null 2>"$work/err"
same 'status, a file' 21 $?
chmod 0770 "$staging"
gather
same 'status, writable by the group' 21 $status
has said 'can be written by others' "$said"
chmod 0700 "$staging"
rm "$staging/order"
gather
same 'status, no order' 21 $status
has said 'order' "$said"
mkfifo "$staging/order"
gather
same 'status, order is a fifo' 21 $status
rm "$staging/order"
write_order "$stepdir" ../../n1
gather
same 'status, a node like a path' 21 $status
there "$staging/70"
write_order relative/12/0
gather
same 'status, relative' 21 $status
head -c 100000 /dev/zero >"$staging/order"
gather
same 'status, long order' 21 $status
there "$staging/70"

begin 'symlinks in STEPDIR'
new_step
profile 70 task=0
mkdir "$work/elsewhere"
rm -r "$stepdir"
ln -s "$work/elsewhere" "$stepdir"
gather
same 'status, STEP' 20 $status
same elsewhere '' "$(ls -A "$work/elsewhere")"
rm -r "$dir/12"
mkdir "$work/elsewhere/0"
ln -s "$work/elsewhere" "$dir/12"
gather
same 'status, JOB' 20 $status
has said 'not a directory' "$said"
same elsewhere '' "$(ls -A "$work/elsewhere/0")"
there "$staging/70"
new_step
profile 70 task=0
ln -s "$work/precious" "$stepdir/.n1.csv.$(stat -c %i "$staging")"
ln -s "$work/precious" "$stepdir/.n1.profiles.$(stat -c %i "$staging")"
ln -s "$work/precious" "$stepdir/n1.profiles"
gather
same 'status, NODE.profiles' 20 $status
rm "$stepdir/n1.profiles"
ln -s "$work/precious" "$stepdir/n1.csv"
gather
same 'status, NODE.csv' 20 $status
rm "$stepdir/n1.csv"
gather
same status 0 $status
same rows 1 "$(rows)"
same precious precious "$(cat "$work/precious")"
tidy

begin 'the standard files closed'
new_step
profile 70 task=0 magic=X
"$gather_program" "$staging" <&- >&- 2>&-
same status 11 $?
same 'first line' '# heapline 2' "$(head -1 "$stepdir/n1.csv")"
same 'nothing but csv' 'rows 0' "rows $(rows)"

begin 'files that change while they are read'
new_step
(
	i=0
	while [ $i -lt 120 ]; do
		i=$((i + 1))
		rm -f "$staging/70" "$staging/71"
		"$make_profile" "$staging/70" pid=70 start=1 2>/dev/null
		"$make_profile" "$staging/71" pid=71 start=1 truncate=$((i * 60)) 2>/dev/null
	done
) &
changer=$!
holders="$holders $changer"
bad=0
while kill -0 $changer 2>/dev/null; do
	[ -e "$staging/order" ] || write_order "$stepdir"
	gather
	case $status in
	0 | 11 | 12 | 21) ;;
	*) bad=$status ;;
	esac
done
wait $changer
same 'bad status' 0 $bad

begin '100000 files'
new_step
"$make_profile" "$work/one" pid=1 exit=0 end=1 start=1700000000000 boot=5
(cd "$staging" && seq 1 100000 | xargs touch) && profile 100001 exit=0 end=1
begun=$(date +%s)
gather
same status 11 $status
same rows 1 "$(rows)"
same remarks 25 "$(grep -c '^# [p0-9]' "$stepdir/n1.csv")"
has more '# 99976 more' "$(cat "$stepdir/n1.csv")"
same 'left in STAGING' '' "$(ls -A "$staging" | head -3)"
took=$(($(date +%s) - begun))
same 'within 60 s' yes "$([ $took -lt 60 ] && echo yes || echo "$took s")"

begin 'more than 32 MiB'
new_step
i=1
while [ $i -le 270 ]; do
	profile $i task=0 slots=124 exit=0 end=1
	i=$((i + 1))
done
echo 'task 0 270 0 0 1700000005000 -1' >"$work/ends"
gather
same status 11 $status
same rows 270 "$(rows)"
same remark '# 14 profiles not kept' "$(grep '^# .*not kept' "$stepdir/n1.csv" | cut -d: -f1)"
same notes 14 "$(grep -c ',profile not kept' "$stepdir/n1.csv")"
same profiles $((256 * 131072)) "$(stat -c %s "$stepdir/n1.profiles")"
same 'note of the task' '' "$(cell note 270)"
same 'left in STAGING' '' "$(ls -A "$staging")"

finish
