# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# The stages of `./quickstart check`, and how their results are counted.
# Sourced by quickstart, whose say, build, logged and $WORK it uses.

TOTAL_PASSED=0
TOTAL_FAILED=0
TOTAL_SKIPPED=0

# One line of a stage's results: PASS, FAIL or SKIP, a tab, and what it was.
# A stage prints its results that way; `account` shows and adds them up.
account() { # RESULTS-FILE
    local passed failed skipped
    passed=$(grep -c '^PASS' "$1")
    failed=$(grep -c '^FAIL' "$1")
    skipped=$(grep -c '^SKIP' "$1")
    grep '^FAIL\|^SKIP' "$1" | sed 's/\t/: /; s/^/  /'
    printf '  passed %d, failed %d, skipped %d (%d s)\n' "$passed" "$failed" "$skipped" $((SECONDS - STAGE_START))
    TOTAL_PASSED=$((TOTAL_PASSED + passed))
    TOTAL_FAILED=$((TOTAL_FAILED + failed))
    TOTAL_SKIPPED=$((TOTAL_SKIPPED + skipped))
}

# stage NAME TITLE FUNCTION [ARGUMENT...]: a stage without any result has failed.
stage() {
    local results=$WORK/log/$1.results name=$1
    say "$2"
    shift 2
    STAGE_START=$SECONDS
    "$@" >"$results"
    [ -s "$results" ] || printf 'FAIL\t%s gave no result\n' "$name" >"$results"
    account "$results"
}

# attempt WHAT COMMAND...: one result for a command that is logged.
attempt() {
    local what=$1
    shift
    if "$@"; then
        printf 'PASS\t%s\n' "$what"
    else
        printf 'FAIL\t%s\n' "$what"
        return 1
    fi
}

# tap NAME <LOG: results of TAP output.  Details of failures go to the terminal.
tap() {
    awk -v name="$1" '
        /^ok .*# SKIP/ { sub(/^ok[ 0-9]*-? */, ""); sub(/ *# SKIP */, ": "); print "SKIP\t" name ": " $0; next }
        /^ok /      { sub(/^ok[ 0-9]*-? */, ""); print "PASS\t" name ": " $0; next }
        /^not ok/   { sub(/^not ok[ 0-9]*-? */, ""); print "FAIL\t" name ": " $0; detail = 1
                      print "    " name ": " $0 > "/dev/stderr"; next }
        /^Bail out/ { print "FAIL\t" name ": " $0; print "    " name ": " $0 > "/dev/stderr"; next }
        /^# t-/     { name = $2; detail = 0; next }
        detail && /^#/ { print "    " $0 > "/dev/stderr"; next }
        { detail = 0 }'
}

# one_test TRS: results of one program of `make check`: those that its log
# counts (TAP, libcheck), else its own.
one_test() {
    local log=${1%.trs}.log name word
    name=$(basename "$log" .log)
    word=$(sed -n 's/^:test-result: \([A-Z]*\).*/\1/p' "$1")
    if grep -Eq '^(not )?ok |^Bail out' "$log"; then
        tap "$name" <"$log"
    elif grep -Eq '^[0-9]+%: Checks: ' "$log"; then
        libcheck "$name" "$log"
    else
        case $word in
        PASS | XFAIL) printf 'PASS\t%s\n' "$name" ;;
        SKIP) printf 'SKIP\t%s: %s\n' "$name" "$(tail -n 1 "$log")" ;;
        esac
    fi
    case $word in
    FAIL | ERROR | XPASS)
        printf 'FAIL\t%s (%s)\n' "$name" "$word"
        printf '%s\n' "--- the end of $name.log" "$(tail -n 30 "$log")" >&2
        ;;
    esac
}

libcheck() { # NAME LOG: a line for each passed check; failures are the program's
    awk -v name="$1" '/^[0-9]+%: Checks: / {
        gsub(/,/, "")
        for (i = 0; i < $3 - $5 - $7; i++) print "PASS\t" name
    }' "$2"
}

# make_check NAME TARGET: results of each test program in build-NAME
make_check() {
    local directory=$WORK/build-$1 trs
    find "$directory" -name '*.trs' -delete
    make -C "$directory" -k -j"$JOBS" "$2" >"$WORK/log/$2-$1.log" 2>&1 </dev/null ||
        say "make $2 has failed (log/$2-$1.log)" >&2
    find "$directory" -name '*.trs' | sort >"$WORK/log/$2-$1.list"
    while read -r trs; do
        one_test "$trs"
    done <"$WORK/log/$2-$1.list"
    [ -s "$WORK/log/$2-$1.list" ] || {
        tail -n 30 "$WORK/log/$2-$1.log" >&2
        printf 'FAIL\tmake %s ran no test\n' "$2"
    }
}

stage_plain() {
    attempt 'build --enable-werror' build plain --enable-werror || return
    attempt 'make install' logged install make -C "$WORK/build-plain" install
    make_check plain check
}

# What people of a cluster without Slurm's headers get: no plugin, the rest.
stage_without_slurm() {
    local root=$WORK/without-slurm
    attempt 'build --without-slurm' build without-slurm --enable-werror --without-slurm || return
    attempt 'make install DESTDIR=' logged install-without-slurm \
        make -C "$WORK/build-without-slurm" install DESTDIR="$root" || return
    attempt 'library and report are installed' logged without-slurm \
        test -e "$root$WORK/heapline/lib/heapline/libheapline.so" -a -x "$root$WORK/heapline/bin/heapline-report"
    attempt 'no plugin is' logged without-slurm test ! -e "$root$WORK/heapline/lib/slurm"
    rm -rf "$root"
}

stage_sanitized() {
    attempt 'build --enable-sanitizer=address,undefined' build sanitized --enable-werror \
        --enable-sanitizer=address,undefined || return
    make_check sanitized check-sanitized
}

# A tarball builds, so that nothing is missing in it.
stage_dist() {
    attempt 'make dist' logged dist make -C "$WORK/build-plain" dist || return
    mkdir "$WORK/src-dist" && tar -xf "$WORK"/build-plain/heapline-*.tar.xz -C "$WORK/src-dist" --strip-components=1
    mkdir "$WORK/build-dist"
    attempt 'the tarball is configured' logged dist env -C "$WORK/build-dist" "$WORK/src-dist/configure" --enable-silent-rules \
        --cache-file="$WORK/config.cache"
    attempt 'and builds, its tests too' logged dist make -C "$WORK/build-dist" -j"$JOBS" check TESTS=
    rm -rf "$WORK/src-dist" "$WORK/build-dist"
}

# What the library costs, as far as that is the same at every run.
stage_instructions() {
    attempt 'a malloc+free pair has few instructions more' logged instructions \
        env BENCH_PEERS=no make -C "$WORK/build-plain" bench-instructions
}

stage_lint() {
    local script log
    for script in "$WORK"/src/tests/lint/*.sh; do
        [ "${script##*/}" != files.sh ] || continue
        log=$WORK/log/lint-$(basename "$script" .sh).log
        top_srcdir=$WORK/src top_builddir=$WORK/build-plain timeout -k 5 600 bash "$script" >"$log" 2>&1 </dev/null
        case $? in
        0 | 1 | 77 | 99) ;;
        *) printf 'Bail out! %s ended with status %d\n' "$script" $? >>"$log" ;;
        esac
        tap "$(basename "$script" .sh)" <"$log"
    done
}

stage_cluster() {
    HL_PREFIX=$WORK/heapline top_srcdir=$WORK/src top_builddir=$WORK/build-plain TMPDIR=$WORK \
        bash "$WORK/src/tests/cluster/run.sh" >"$WORK/log/cluster.log" 2>&1 </dev/null
    tap cluster <"$WORK/log/cluster.log"
}

# wanted NAME [STAGE...]: is it among the stages that were asked for (none: all)?
wanted() {
    local name=$1 stage
    [ $# -gt 1 ] || return 0
    for stage in "${@:2}"; do
        [ "$stage" != "$name" ] || return 0
    done
    return 1
}

# NAME|TITLE of each stage; its function is stage_NAME.  The first is what dist,
# instructions, lint and cluster build upon.
STAGES=(
    'plain|build with warnings as errors, make check'
    'without_slurm|build without Slurm'
    'dist|tarball'
    'sanitized|build and tests with sanitizers'
    'instructions|instruction counts'
    'lint|lint'
    'cluster|tests on a private Slurm'
)

run_stages() { # [STAGE...]
    local row name
    for row in "${STAGES[@]}"; do
        name=${row%%|*}
        ! wanted "$name" "$@" || stage "$name" "${row#*|}" "stage_$name"
    done
    say "took $SECONDS s"
    printf '%d passed, %d failed, %d skipped\n' "$TOTAL_PASSED" "$TOTAL_FAILED" "$TOTAL_SKIPPED"
    [ "$TOTAL_FAILED" -eq 0 ] && [ "$TOTAL_PASSED" -gt 0 ]
}
