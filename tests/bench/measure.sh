# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# How `make bench` measures: interleaved runs, medians of paired ratios, rows of
# the table.  Sourced by run.sh, which sets PAIRS and PEER_PAIRS.
#
# In a command of COMMAND, @NUMBER is a count (a part of it for peers that are
# many times slower), and @PRELOAD stands for the variant's LD_PRELOAD=...

MEMUSAGE=
HEAPTRACK=

note() { printf '# %s\n' "$*"; }

first_file() { # PATH...: the first that exists
    local path
    for path in "$@"; do
        [ ! -e "$path" ] || { printf '%s' "$path" && return; }
    done
}

find_peers() {
    [ "${BENCH_PEERS-yes}" != no ] || { note 'memusage, heaptrack: not wanted (BENCH_PEERS=no)' && return; }
    MEMUSAGE=$(first_file /usr/lib/"$(uname -m)"-linux-gnu/libmemusage.so /usr/lib64/libmemusage.so)
    HEAPTRACK=$(first_file /usr/lib/heaptrack/libheaptrack_preload.so \
        /usr/lib/*/heaptrack/libheaptrack_preload.so /usr/lib64/heaptrack/libheaptrack_preload.so)
    [ -n "$MEMUSAGE" ] || note 'memusage: libmemusage.so is not installed, its column stays empty'
    [ -n "$HEAPTRACK" ] || note 'heaptrack: libheaptrack_preload.so is not installed, its column stays empty'
}

# Where profiles and the peers' files go; removed whatever the end.
make_directories() {
    local memory=/dev/shm
    [ -w $memory ] || {
        memory=${TMPDIR:-/tmp}
        note "no /dev/shm: profiles are written to $memory, which may be a disk"
    }
    PROFILES=$(mktemp -d "$memory/heapline-bench-XXXXXX") || bail 'mktemp failed'
    SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/heapline-bench-XXXXXX") || bail 'mktemp failed'
    trap 'rm -rf "$PROFILES" "$SCRATCH"' EXIT
    mkdir "$SCRATCH/peers"
    # shellcheck disable=SC2016  # heaptrack itself replaces $$
    export HEAPLINE_PROFILE="$PROFILES/%p" DUMP_HEAPTRACK_OUTPUT="$SCRATCH/peers/"'$$'
}

tidy_up() {
    find "$PROFILES" "$SCRATCH/peers" -type f -delete
}

preload_of() { # VARIANT
    case $1 in
    heapline) printf 'LD_PRELOAD=%s' "$HL_LIBRARY" ;;
    memusage) printf 'LD_PRELOAD=%s' "$MEMUSAGE" ;;
    heaptrack) printf 'LD_PRELOAD=%s' "$HEAPTRACK" ;;
    *) printf 'LD_PRELOAD=' ;;
    esac
}

# expand VARIANT DIVISOR: COMMAND into EXPANDED
expand() {
    local word
    EXPANDED=()
    for word in "${COMMAND[@]}"; do
        case $word in
        @PRELOAD) word=$(preload_of "$1") ;;
        @*) word=$((${word#@} / $2)) ;;
        esac
        EXPANDED+=("$word")
    done
}

# once VARIANT DIVISOR LAUNCHES: a line "VARIANT USER SYSTEM ELAPSED"
once() {
    local figures
    expand "$1" "$2"
    if figures=$("$LAUNCH" "$3" "${EXPANDED[@]}"); then
        printf '%s %s\n' "$1" "$figures"
    else
        note "failed under $1: ${EXPANDED[*]}" >&2
    fi
    tidy_up
}

# rounds NUMBER DIVISOR LAUNCHES VARIANT...: lines with the round's number in
# front.  Every other round goes backwards, against drift.
rounds() {
    local round variant number=$1 divisor=$2 launches=$3 order
    shift 3
    for ((round = 1; round <= number; round++)); do
        order=$(printf '%s\n' "$@")
        ((round % 2)) || order=$(tac <<<"$order")
        for variant in $order; do
            once "$variant" "$divisor" "$launches" | sed "s/^/$round /"
        done
    done
}

# start_costs: lines "0 VARIANT CPU": of one start and end of the load program,
# which bars of CPU leave out (P8 is about them)
start_costs() {
    local variant
    COMMAND=(@PRELOAD "$BENCH" pair 1)
    # shellcheck disable=SC2046  # words
    for variant in bare heapline again $(peers); do
        rounds "$PAIRS" 1 4 "$variant" | awk '{ print ($3 + $4) / 4 }' | sort -g | median | sed "s/^/0 $variant /"
    done
}

peers() {
    [ -z "$MEMUSAGE" ] || printf 'memusage '
    [ -z "$HEAPTRACK" ] || printf 'heaptrack'
}

# median_ratio METRIC VARIANT <DATA: median over the rounds of VARIANT / bare,
# METRIC one of cpu (without start and end), user, elapsed; "-" without data
median_ratio() {
    cat "$SCRATCH/start" - | awk -v metric="$1" -v variant="$2" '
        $1 == 0 { start[$2] = metric == "cpu" ? $3 : 0; next }
        { v = metric == "cpu" ? $3 + $4 : metric == "user" ? $3 : $5; at[$1, $2] = v - start[$2]; rounds[$1] }
        END {
            for (r in rounds)
                if (at[r, "bare"] > 0 && (r, variant) in at) print at[r, variant] / at[r, "bare"]
        }' | sort -g | median
}

median() { # <SORTED-NUMBERS
    awk '{ v[NR] = $1 }
        END { if (NR) printf "%.4f\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2; else print "-" }'
}

# ---- the table -------------------------------------------------------------

HELD=
SHORT=

header() {
    printf '%-4s %-42s %9s %9s %-5s %6s %9s %9s\n' '' workload bar heapline '' A/A memusage heaptrack
}

# verdict BAR LIMIT FIGURE: sets VERDICT; keeps account
verdict() {
    if [ "$3" = - ]; then
        VERDICT='?' SHORT="$SHORT $1(not measured)"
    elif awk -v a="$3" -v b="$2" 'BEGIN { exit !(a <= b) }'; then
        VERDICT=OK HELD="$HELD $1"
    else
        VERDICT=SHORT SHORT="$SHORT $1"
    fi
}

# as FORMAT FIGURE: "-" stays as it is
as() {
    case $2 in
    - | '') printf '-' ;;
    *) awk -v f="$1" -v v="$2" 'BEGIN { printf f, v }' ;;
    esac
}

# row BAR WORKLOAD FORMAT LIMIT HEAPLINE A/A MEMUSAGE HEAPTRACK
row() {
    verdict "$1" "$4" "$5"
    printf '%-4s %-42s %9s %9s %-5s %6s %9s %9s\n' "$1" "$2" "<= $(as "$3" "$4")" "$(as "$3" "$5")" "$VERDICT" \
        "$(as "${3/+/}" "$6")" "$(as "$3" "$7")" "$(as "$3" "$8")"
}

# timed BAR WORKLOAD LIMIT METRIC LAUNCHES DIVISOR: runs COMMAND, prints a row.
# DIVISOR is for the peers.
timed() {
    local data=$SCRATCH/data peer_data=$SCRATCH/peer-data
    rounds "$PAIRS" 1 "$5" bare heapline again >"$data"
    # shellcheck disable=SC2046  # words
    rounds "$PEER_PAIRS" "$6" "$5" bare $(peers) >"$peer_data"
    row "$1" "$2" %.3fx "$3" "$(median_ratio "$4" heapline <"$data")" "$(median_ratio "$4" again <"$data")" \
        "$(median_ratio "$4" memusage <"$peer_data")" "$(median_ratio "$4" heaptrack <"$peer_data")"
}

summary() {
    printf '\nheld:%s\nshort:%s\n' "${HELD:- none}" "${SHORT:- none}"
}
