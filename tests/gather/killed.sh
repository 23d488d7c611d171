#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Killed at each of its system calls, the gather has lost nothing: a second one
# makes the same results.
. "$(dirname "$0")/lib.sh"

ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS} # not while traced
export ASAN_OPTIONS

sums() { sort "$stepdir/n1.csv" | cksum; }

begin 'killed at every system call'
new_step
profile 70 task=0 boot=1000
profile 70.1 task=0 boot=2000 start=1700000002000 process=990
profile 70.2 task=0 boot=3000 start=1700000003000 process=990
profile 71 task=1 exit=4 end=17
profile 72 magic=X
cat >"$work/ends" <<END
task 0 70 9 0 1700000005000 -1
task 1 71 1024 0 1700000005000 -1
task 2 73 0 0 1700000005000 -1
end 1700000006000
END
cp -rp "$staging" "$work/saved"
gather
same status 11 $status
expected=$(sums)
n=0
status=137
while [ $status -eq 137 ] && [ $failed -eq 0 ]; do
	n=$((n + 1))
	rm -rf "$staging" "$stepdir"/n1.* "$stepdir"/.n1.*
	cp -rp "$work/saved" "$staging"
	"$build/kill_at" $n "$gather_program" "$staging" <"$work/ends" >/dev/null 2>&1
	status=$?
	if [ $status -eq 99 ]; then
		skip 'this system does not let a process trace its child'
		break
	fi
	if [ -e "$staging/order" ]; then
		gather
		case $status in 0 | 11) status=137 ;; esac
	elif [ $status -ne 11 ]; then
		status=137
	fi
	same "rows after call $n" "$expected" "$(sums)"
	same "profiles after call $n" $((4 * 6144)) "$(stat -c %s "$stepdir/n1.profiles")"
	same "STAGING after call $n" '' "$(ls -A "$staging")"
	[ $failed -ne 0 ] || tidy
done
[ $skipped -ne 0 ] || same 'it came to its end' 11 $status
[ $skipped -ne 0 ] || same 'many calls' yes "$([ $n -gt 100 ] && echo yes || echo $n)"
echo "killed at $((n - 1)) system calls"

finish
