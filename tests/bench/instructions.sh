# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# Instruction counts by callgrind: they say little of time, but are the same at
# every run, so that they can be a test.  Sourced by run.sh.

P1_INSTRUCTIONS=45

# instructions VARIANT COMMAND...: executed by one run; "-" if it failed.
# COMMAND may start with NAME=VALUE.
instructions() {
    local log=$SCRATCH/callgrind.log preload
    preload=$(preload_of "$1")
    shift
    rm -f "$log"
    env "${INSTRUCTIONS_ENV[@]}" "$preload" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        --log-file="$log" "$@" >/dev/null 2>&1 </dev/null || note "failed under valgrind, $preload: $1" >&2
    awk '/ Collected : / { n = $NF } END { print n ? n : "-" }' "$log"
    tidy_up
}
INSTRUCTIONS_ENV=(PYTHONMALLOC=malloc PYTHONHASHSEED=0)

# pair_instructions VARIANT: of one malloc+free pair and the loop around it; the
# difference of two counts leaves nothing else.
pair_instructions() {
    local few many
    few=$(instructions "$1" "$BENCH" pair 20000)
    many=$(instructions "$1" "$BENCH" pair 120000)
    awk -v a="$few" -v b="$many" 'BEGIN { if (a == "-" || b == "-") print "-"; else print (b - a) / 100000 }'
}

minus() { awk -v a="$1" -v b="$2" 'BEGIN { if (a == "-" || b == "-") print "-"; else print a - b }'; }
over() { awk -v a="$1" -v b="$2" 'BEGIN { if (a == "-" || b == "-") print "-"; else print a / b }'; }

# Fails if the bar is missed.
p1_instructions() {
    local bare added memusage=-
    bare=$(pair_instructions bare)
    added=$(minus "$(pair_instructions heapline)" "$bare")
    [ -z "$MEMUSAGE" ] || memusage=$(minus "$(pair_instructions memusage)" "$bare")
    row P1 "instructions a pair (bare: $(as %.1f "$bare"))" %+.1f $P1_INSTRUCTIONS "$added" - "$memusage" -
    [ "$VERDICT" = OK ]
}

# program BAR-LIMIT NAME COMMAND...: P7
program() {
    local limit=$1 name=$2 bare ours memusage=-
    shift 2
    bare=$(instructions bare "$@")
    ours=$(instructions heapline "$@")
    [ -z "$MEMUSAGE" ] || memusage=$(over "$(instructions memusage "$@")" "$bare")
    row P7 "instructions, $name (bare: $(as %.0fM "$(over "$bare" 1000000)"))" %.3fx "$limit" "$(over "$ours" "$bare")" - "$memusage" -
}

c_source() { # a C file of 100 functions
    awk 'BEGIN {
        for (f = 0; f < 100; f++)
            printf "int f%d(const int *a, int n)\n{\n    int s = %d;\n    for (int i = 0; i < n; i++)\n" \
                "        s += a[i] > s ? a[i] * %d : s / %d;\n    return s;\n}\n", f, f, f + 3, f + 2
    }'
}

p7_python() {
    have python3 || { note 'P7 python3: not installed' && return; }
    program 1.04 python3 "$(python3 -c 'import sys; print(sys.executable)')" -S -c 'import json
d = [{"id": i, "name": "n%d" % i, "values": [i * 0.5, i]} for i in range(1500)]
for i in range(4): d = json.loads(json.dumps(d, indent=1))'
}

p7_cc1() {
    local cc1
    cc1=$(gcc -print-prog-name=cc1 2>/dev/null)
    [ -x "$cc1" ] || { note 'P7 cc1: gcc is not installed' && return; }
    c_source >"$SCRATCH/functions.c"
    program 1.01 'cc1 -O1' "$cc1" -quiet -O1 "$SCRATCH/functions.c" -o /dev/null
}

p7_sqlite() {
    have sqlite3 || { note 'P7 sqlite3: not installed' && return; }
    program 1.02 sqlite3 sqlite3 :memory: 'create table t(a, b);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
        insert into t select i, hex(i * 7919 % 10007) from n;
        create index x on t(b);
        select count(*), b from t group by substr(b, 1, 2) order by 1;'
}

# shellcheck disable=SC2016  # for the other bash
p7_bash() {
    program 1.02 bash bash --norc -c 'fib() {
        local n=$1 a
        if ((n < 2)); then r=$n; return; fi
        fib $((n - 1)); a=$r
        fib $((n - 2)); ((r += a))
    }
    fib 13
    for w in {1..2000}; do case $w in *7) s=$w ;; *) ((t += w)) ;; esac; done'
}

p7() {
    p7_python
    p7_cc1
    p7_sqlite
    p7_bash
}

need_valgrind() {
    have valgrind || {
        note 'valgrind is not installed: no instruction counts'
        return 1
    }
}
