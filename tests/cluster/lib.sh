# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What the cluster tests share: one srun as an ordinary user with its output
# kept, the plugstack line, result directories, and looks at the nodes.
# tests/cluster/run.sh boots the cluster and sets CL_DIR and HL_PREFIX.

# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=tests/cluster/up.sh
. "$(dirname "${BASH_SOURCE[0]}")/up.sh"

[ -n "${CL_DIR-}" ] && [ -n "${HL_PREFIX-}" ] || bail 'start this test with tests/cluster/run.sh'
cluster_use "$CL_DIR"
HL_PLUGIN=${HL_PLUGIN:-$HL_PREFIX/lib/slurm/heapline.so}
HL_INSTALLED_LIBRARY=${HL_INSTALLED_LIBRARY:-$HL_PREFIX/lib/heapline/libheapline.so}
HL_INSTALLED_GATHER=${HL_INSTALLED_GATHER:-$HL_PREFIX/libexec/heapline/heapline-gather}
CL_USER_PATH=$HL_PREFIX/bin
RUN_LIMIT=${RUN_LIMIT:-60}

# A directory of the user's own for each test file, seen by all nodes.
home=$CL_DIR/shared/$(basename "$0" .sh)
mkdir -p "$home" && chown "$CL_USER_ID:$CL_USER_ID" "$home" && cd "$home" ||
    bail "cannot use $home"
results=0

# plugstack [ARGUMENT...]: the line as an administrator writes it, read anew by
# each srun and slurmstepd.  Without arguments: the one of the README.
plugstack() {
    # a machine that is busy with other tests may stall for longer than the default
    printf 'optional %s staging=%s gather_timeout=25 %s\n' "$HL_PLUGIN" "$CL_DIR/staging" "$*" >"$CL_DIR/etc/plugstack.conf"
}
plugstack

# new_dir: $dir is a name for --heapline that nobody has used yet.
new_dir() {
    results=$((results + 1))
    dir=$home/results.$results
}

# run COMMAND...: as the user, in $home, with a limit.  Sets status, out, err.
run() {
    cluster_user timeout -k 5 "$RUN_LIMIT" "$@" >"$CL_DIR/out" 2>"$CL_DIR/err" </dev/null
    status=$?
    out=$(cat "$CL_DIR/out")
    err=$(cat "$CL_DIR/err")
}

# recorded ARGUMENT...: srun with --heapline into a new $dir; $step is its STEP.
recorded() {
    new_dir
    run srun --heapline="$dir" "$@"
    step=$(find_step "$dir")
}

# find_step DIR: the only step 0 below it, or a name that does not exist.
find_step() {
    local found=("$1"/*/0)
    [ ${#found[@]} -eq 1 ] || bail "several jobs in $1: ${found[*]}"
    printf '%s\n' "${found[0]}"
}

# compile NAME [ARGUMENT...]: tests/cluster/NAME.c as $home/NAME.
compile() {
    local name=$1
    shift
    "${CC:-gcc}" -std=gnu17 -O1 -o "$home/$name" "$top_srcdir/tests/cluster/$name.c" "$@" ||
        bail "cannot compile $name.c"
}

# rank_rows COLUMNS [CONDITIONS]: of $step/records.csv, sorted by rank.
rank_rows() {
    cells "$step/records.csv" "rank,$1" "role=rank${2:+,$2}" 2>&1 | sort -n | cut -d'|' -f2-
}

# nodes: n1 n2 ...
nodes() { cluster_root sinfo -h -N -o %N | sort -u; }

# staging_left: what lies in any node's STAGING, as NODE:PATH.
staging_left() {
    local node
    for node in $(nodes); do
        cluster_on_node "$node" find "$CL_DIR/staging" -mindepth 1 | sed "s/^/$node:/"
    done
}

# settle: waits (10 s at most) until no step and no process of the user is left
# and STAGING is empty; what is still there goes to stdout.
settle() {
    local began=$SECONDS left=
    while [ $((SECONDS - began)) -lt 10 ]; do
        left=$(steps_left; staging_left)
        [ -n "$left" ] || return 0
        sleep 0.1
    done
    printf 'after %d s: %s\n' $((SECONDS - began)) "$left"
}

# steps_left: everything of this cluster except its daemons and this test.
steps_left() {
    local pid name
    for pid in $(cluster_processes); do
        name=$(cat "/proc/$pid/comm" 2>/dev/null) || continue
        case $name in
        munged | slurmctld | slurmd) ;;
        *) printf '%s(%s) ' "$name" "$pid" ;;
        esac
    done
}

# user_on_node NODE COMMAND...: as the user, seeing the files as that node does.
user_on_node() {
    cluster_on_node "$1" setpriv --reuid="$CL_USER_ID" --regid="$CL_USER_ID" --clear-groups "${@:2}"
}

# dirty_node NODE MOUNT-ARGUMENT...: mounts over something on that node only.
dirty_node() {
    local node=$1
    shift
    cluster_has_namespaces || skip_all "cannot mount on $node only: no mount namespaces here"
    cluster_on_node "$node" mount "$@" || bail "cannot mount on $node: mount $*"
}

# gather_by_hand: what the last srun's messages say to run on each node, with
# the gather that is installed; then collates again.
gather_by_hand() {
    local node path
    while read -r node path; do
        user_on_node "$node" "$HL_INSTALLED_GATHER" "$path" </dev/null
    done < <(sed -n 's,.*run on \(n[0-9]*\): [^ ]* \(/[^ ]*\)$,\1 \2,p' <<<"$err" | sort -u)
    run heapline-report --collate "$step"
}

# remove_empty: only root can remove the (empty) directories of gathers by hand.
remove_empty() {
    local node
    for node in $(nodes); do
        cluster_on_node "$node" find "$CL_DIR/staging" -mindepth 1 -type d -empty -delete
    done
}
