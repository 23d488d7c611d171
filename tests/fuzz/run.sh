#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Builds both fuzz targets with clang, libFuzzer and sanitizers, makes a seed
# corpus with the writers of the golden tests, and runs each target.
#
#   run.sh [SECONDS]     of each target; 60 if not given
#   CC=clang-14          the compiler
#   HL_FUZZ_DIR=DIR      corpus and findings stay here; a temporary one if not given

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
seconds=${1:-60}
CC=${CC:-$(command -v clang clang-19 clang-16 clang-15 clang-14 | head -n 1)}
[ -n "$CC" ] || { echo 'run.sh: no clang: install it (Debian: clang), or name it with CC='; exit 77; }
if [ -n "${HL_FUZZ_DIR-}" ]; then
    work=$HL_FUZZ_DIR
    mkdir -p "$work" || exit 99
else
    work=$(mktemp -d) || exit 99
    trap 'rm -rf "$work"' EXIT
fi

cd "$top" || exit 99
mkdir -p "$work/include/config" "$work/record" "$work/profile"
echo '#define PACKAGE_VERSION "fuzz"' >"$work/include/config/config.h"
sources=(libheapline/{error,profile_read,record,text}.c)
for file in report/*.c; do
    [ "$file" = report/main.c ] || sources+=("$file")
done
for target in record profile; do
    "$CC" -std=gnu17 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=all -I"$work/include" -I. "${sources[@]}" "tests/fuzz/fuzz_$target.c" \
        -lcsv -ljansson -lm -o "$work/fuzz_$target" || exit 99
done
"$CC" -std=gnu17 -D_GNU_SOURCE -I. tests/gen/profiles.c -o "$work/profiles" || exit 99

PROFILES=$work/profiles
export PROFILES
. tests/report/make.sh
{ header1; row1 0 n1 100; row1 1 n1 200; } >"$work/record/v1"
{ header2; echo '# a remark'; row 0 n1 world=w; row 0 n1 pid=5 ppid=1000 note='"a,""b"'; row 1 n2 ended=oom; } >"$work/record/v2"
printf '\357\273\277# heapline 3\r\n' >"$work/record/v3"
profile 0 n1 flags=1 >"$work/profile/one"
{ profile 0 n1; profile 0 n1 flags=1 inherited=5; profile 1 n2; } >"$work/profile/three"

status=0
for target in record profile; do
    "$work/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=40000 \
        -print_final_stats=1 -artifact_prefix="$work/$target-" "$work/$target" 2>"$work/$target.log" ||
        { status=1; grep -v '^#[0-9]' "$work/$target.log" | tail -n 60; }
    echo "fuzz_$target: $(grep -o 'number_of_executed_units: [0-9]*' "$work/$target.log"), $(ls "$work/$target" | wc -l) inputs in the corpus"
done
exit $status
