#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# STEPDIR cannot be written: profiles stay in STAGING, and a later gather
# brings them home.  File systems that are full or read-only and directories
# of others need root; what cannot be had is skipped and counted.
. "$(dirname "$0")/lib.sh"

other=65534

# small_mount SIZE: a tmpfs on $dir.
small_mount() {
	mkdir -p "$dir"
	mount -t tmpfs -o "size=$1,mode=755" hl-gather-test "$dir" 2>"$work/err" || return 1
	mounts="$mounts $dir"
}

small_unmount() {
	umount "$dir"
	mounts=
}

begin 'no room'
new_step
rm -rf "$dir"
if small_mount 64k; then
	mkdir -p "$stepdir"
	echo '{}' >"$stepdir/step.json"
	for pid in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		profile $pid task=$pid exit=0 end=1
	done
	gather
	same status 20 $status
	has said 'No space left' "$said"
	has said --stepdir "$said"
	same 'left in STAGING' 17 "$(ls -A "$staging" | wc -l)"
	gone "$stepdir/n1.csv"
	gone "$stepdir/n1.profiles"
	tidy
	# room for the profiles, not for the rows: nothing may be lost, either
	mount -o remount,size=112k "$dir"
	head -c 4096 /dev/zero >"$dir/fill"
	while head -c 4096 /dev/zero >>"$dir/fill" 2>/dev/null; do :; done
	truncate -s $(($(stat -c %s "$dir/fill") / 4096 * 4096)) "$dir/fill"
	gather
	same status 20 $status
	same 'left in STAGING' 17 "$(ls -A "$staging" | wc -l)"
	tidy
	rm "$dir/fill"
	mount -o remount,size=2m "$dir"
	gather
	same status 0 $status
	same rows 16 "$(rows)"
	same profiles $((16 * 6144)) "$(stat -c %s "$stepdir/n1.profiles")"
	same 'left in STAGING' 0 "$(ls -A "$staging" | wc -l)"
	small_unmount
else
	skip "cannot mount a tmpfs: $(cat "$work/err")"
fi

begin 'read-only'
new_step
rm -rf "$dir"
if small_mount 1m; then
	mkdir -p "$stepdir"
	echo '{}' >"$stepdir/step.json"
	profile 70 exit=0 end=1
	mount -o remount,ro "$dir"
	gather
	same status 20 $status
	has said 'Read-only' "$said"
	there "$staging/70"
	gather --stepdir="$dir/other/0"
	same status 20 $status
	mount -o remount,rw "$dir"
	gather
	same status 0 $status
	small_unmount
else
	skip "cannot mount a tmpfs: $(cat "$work/err")"
fi

begin 'a limit on the length of files'
new_step
for pid in 1 2 3 4 5 6 7 8; do profile $pid exit=0 end=1; done
(
	ulimit -f 16 # blocks of 512 bytes
	exec "$gather_program" "$staging" </dev/null 2>"$work/err"
)
same status 20 $?
has said 'too large' "$(cat "$work/err")"
there "$staging/8"
tidy
gather
same status 0 $status

begin 'a file where DIR should be'
new_step
rm -rf "$dir"
: >"$dir"
profile 70 exit=0 end=1
gather
same status 20 $status
has said 'Not a directory' "$said"
there "$staging/70"

# as_other COMMAND...: as somebody who is not root.
as_other() {
	setpriv --reuid=$other --regid=$other --clear-groups "$@"
}

begin 'directories of others'
new_step
chmod 755 "$work"
if [ "$(id -u)" -eq 0 ] && as_other test -x "$gather_program" 2>/dev/null; then
	profile 70 exit=0 end=1
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, STAGING of another' 21 $?
	has said 'cannot open' "$(cat "$work/err")"
	chmod 0755 "$staging"
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, STAGING of another' 21 $?
	has said "belongs to uid 0, not to you (uid $other)" "$(cat "$work/err")"
	has said 'owner' "$(cat "$work/err")"
	chmod 0700 "$staging"
	chown -R $other:$other "$staging"
	gather
	same 'status, root in STAGING of another' 21 $status
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, STEPDIR of another' 20 $?
	has said 'another user' "$(cat "$work/err")"
	chmod 777 "$dir"
	chown $other "$stepdir"
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, JOB of another' 20 $?
	rm -r "$dir/12"
	chmod 755 "$dir"
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, DIR that is not writable' 20 $?
	has said 'Permission denied' "$(cat "$work/err")"
	there "$staging/70"
	there "$staging/order"
	chmod 1777 "$dir"
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	same 'status, made in a common directory' 10 $?
	same owner $other "$(stat -c %u "$stepdir/n1.csv")"
	same rows 1 "$(rows)"
	same 'left in STAGING' '' "$(ls -A "$staging")"

	begin 'a file of another in STAGING'
	write_order "$stepdir"
	profile 71 exit=0 end=1
	chmod 644 "$staging/71"
	profile 72 exit=0 end=1
	chown $other "$staging/order"
	as_other "$gather_program" "$staging" </dev/null 2>"$work/err"
	has reason '# profile 71 not used: a file of uid 0' "$(cat "$stepdir/n1.csv")"
	has reason '# profile 72 left in the staging directory: cannot be opened' \
		"$(cat "$stepdir/n1.csv")"
	gone "$staging/71"
	there "$staging/72"
	there "$staging/order"
else
	skip 'needs root, setpriv(1), and a build directory that others can enter'
fi

finish
