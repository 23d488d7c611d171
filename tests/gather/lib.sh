# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Helper room of the gather's tests: a STAGING and a STEPDIR in a temporary
# directory, hand-made profiles, and checks that count.  Sourced first.
#
# HL_BUILD: where heapline-gather and make_profile are, default ".".

set -u
umask 022
export LC_ALL=C
build=$(cd "${HL_BUILD:-.}" && pwd)
gather_program=$build/heapline-gather
make_profile=$build/make_profile
work=$(mktemp -d "${TMPDIR:-/tmp}/hl-gather-test.XXXXXX") || exit 99
staging=$work/staging
dir=$work/dir
stepdir=$dir/12/0
holders=
mounts=
failed=0
checks=0
skipped=0

cleanup() {
	for pid in $holders; do kill "$pid" 2>/dev/null; done
	for mount in $mounts; do umount "$mount" 2>/dev/null; done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 99' INT TERM

# new_step [KEY VALUE]: an empty STAGING with an order and a shared STEPDIR.
new_step() {
	rm -rf "$staging" "$dir"
	mkdir -m 0700 "$staging"
	mkdir -p "$stepdir"
	echo '{}' >"$stepdir/step.json"
	write_order "$stepdir"
	: >"$work/ends"
}

# write_order STEPDIR [NODE]
write_order() {
	printf 'format heapline-order 1\njob 12\nstep 0\nnode %s\nstepdir %s\ncolour blue\n' \
		"${2:-n1}" "$1" >"$staging/order"
}

# profile NAME key=value...: in STAGING; pid and sequence come from NAME.
profile() {
	name=$1
	shift
	case $name in
	*.*) sequence=${name#*.} ;;
	*) sequence=0 ;;
	esac
	"$make_profile" "$staging/$name" pid="${name%%.*}" sequence="$sequence" host=h job=99 step=9 \
		node=x exe=/bin/app boot=1000 start=1700000001000 "$@" || exit 99
}

# hold NAME key=value...: a running process with a mapped profile; sets $held,
# the file's name in STAGING.
hold() {
	"$make_profile" "$staging/held" host=h job=99 exe=/bin/app boot=now start=1700000001000 \
		hold=60 "$@" >"$work/ready" &
	held=$!
	holders="$holders $held"
	until [ -s "$work/ready" ]; do sleep 0.05; done
	: >"$work/ready"
	mv "$staging/held" "$staging/$held"
}

# end_held: ends the process that hold began.
end_held() {
	kill "$held"
	wait "$held" 2>/dev/null
}

# gather [OPTION...]: runs it on STAGING with $work/ends; sets $status, $said.
gather() {
	"$gather_program" "$@" "$staging" <"$work/ends" >"$work/out" 2>"$work/err"
	status=$?
	said=$(cat "$work/err")
	case $said in
	*Sanitizer* | *'runtime error'*) fail "sanitizer: $said" ;;
	esac
}

# cell COLUMN PID [IMAGE]: from NODE.csv; the rows of these tests have no
# quoted commas outside the note, which is last.
cell() {
	awk -F, -v column="$1" -v pid="$2" -v image="${3:-}" '
		/^#/ { next }
		!header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
		$at["pid"] == pid && (image == "" || $at["image"] == image) { print $at[column] }
	' "$stepdir/n1.csv"
}

rows() { grep -vc -e '^#' -e '^rank,' "$stepdir/n1.csv"; }

fail() {
	echo "FAIL: $test_name: $*"
	failed=$((failed + 1))
}

# same WHAT EXPECTED FOUND
same() {
	checks=$((checks + 1))
	[ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# has WHAT PATTERN TEXT: a shell pattern that text contains
has() {
	checks=$((checks + 1))
	case $3 in
	*$2*) ;;
	*) fail "$1: expected *$2*, found '$3'" ;;
	esac
}

there() {
	checks=$((checks + 1))
	[ -e "$1" ] || [ -L "$1" ] || fail "$1 is not there"
}

gone() {
	checks=$((checks + 1))
	if [ -e "$1" ] || [ -L "$1" ]; then fail "$1 is there"; fi
}

# No temporary file in STEPDIR.
tidy() { same 'files of STEPDIR that begin with a dot' '' "$(find "$stepdir" -name '.*')"; }

begin() { test_name=$1; }

skip() {
	echo "SKIP: $test_name: $*"
	skipped=$((skipped + 1))
}

finish() {
	echo "$checks checks, $failed failed, $skipped cases skipped"
	[ "$failed" -eq 0 ] || exit 1
	exit 0
}
