#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# A private Slurm cluster on this machine: munged, slurmctld and a few slurmd,
# all their files in one directory, all sockets on 127.0.0.1.  Nothing in /etc,
# /run or /var is read or written, so a Slurm that is already here is not
# disturbed, and several such clusters run side by side.
#
#   up.sh start DIR [NODES]   boot; prints what to export
#   up.sh stop DIR            end every process of it
#   up.sh status DIR
#
# Sourced, it gives the same as functions (cluster_start, cluster_stop, ...).
# Each slurmd has a mount namespace of its own, with its own tmpfs as STAGING
# and /dev/shm (Open MPI names its segments there by host and local rank: two
# nodes of one host would share them and crash).  So the nodes share files like
# those of a cluster, and a test can mount over a directory on one node only
# (cluster_on_node).  Where namespaces are refused, the nodes share both, and
# Open MPI is told to use TCP.
#
# Knobs, environment: CL_BASEPORT (default: a free range), CL_CPUS and CL_MEM
# of a node, CL_EXTRA (more lines of slurm.conf), CL_CGROUP=1 (memory limits,
# cgroup v1), CL_STAGING_MB, CL_USER_ID.

CL_CPUS=${CL_CPUS:-64}
CL_MEM=${CL_MEM:-4000}
CL_STAGING_MB=${CL_STAGING_MB:-64}
CL_USER_ID=${CL_USER_ID:-65534}
CL_WAIT_SECONDS=60

cluster_use() { # DIR: what the other functions work on
    CL_DIR=$1
    CL_CONF=$CL_DIR/etc/slurm.conf
    CL_SOCKET=$CL_DIR/munge/socket
}

cluster_say() { printf 'cluster: %s\n' "$*" >&2; }

cluster_port_free() { # PORT
    ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# cluster_ports NODES: sets CL_BASEPORT to the start of a free range below the
# kernel's own ephemeral ports.
cluster_ports() {
    local try port
    [ -z "${CL_BASEPORT-}" ] || return 0
    for try in $(seq 0 49); do
        CL_BASEPORT=$((20000 + (($$ + try * 7) % 400) * 20))
        for port in $(seq "$CL_BASEPORT" $((CL_BASEPORT + $1))); do
            cluster_port_free "$port" || continue 2
        done
        return 0
    done
    cluster_say 'no free range of TCP ports found'
    return 1
}

cluster_directories() { # NODES
    local node
    if [ ${#CL_SOCKET} -gt 100 ]; then
        cluster_say "path too long for a socket: $CL_SOCKET; set TMPDIR to a shorter one"
        return 1
    fi
    mkdir -p "$CL_DIR"/{etc,munge,run,state,spool,log,tmp,staging,shared} || return 1
    chmod 755 "$CL_DIR" "$CL_DIR"/{etc,munge,run,state,spool,log,tmp,staging}
    chmod 1777 "$CL_DIR/shared"
    for node in $(seq -f n%g "$1"); do
        mkdir -p "$CL_DIR/spool/$node" "$CL_DIR/tmp/$node"
        chmod 1777 "$CL_DIR/tmp/$node"
    done
    (umask 077 && head -c 128 /dev/urandom >"$CL_DIR/munge/key")
    [ -e "$CL_DIR/etc/plugstack.conf" ] || : >"$CL_DIR/etc/plugstack.conf"
}

# TmpFS with %n: else two stepds of one host fight for PMIx's directory there.
cluster_slurm_conf() { # NODES
    local host node
    host=$(uname -n)
    host=${host%%.*}
    cat <<CONF
ClusterName=heapline
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$CL_BASEPORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$CL_SOCKET
CryptoType=crypto/munge
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=$((CL_MEM / CL_CPUS))
JobAcctGatherType=jobacct_gather/linux
ReturnToService=2
SlurmctldPidFile=$CL_DIR/run/slurmctld.pid
SlurmdPidFile=$CL_DIR/run/slurmd.%n.pid
SlurmdSpoolDir=$CL_DIR/spool/%n
TmpFS=$CL_DIR/tmp/%n
StateSaveLocation=$CL_DIR/state
SlurmctldLogFile=$CL_DIR/log/slurmctld.log
SlurmdLogFile=$CL_DIR/log/slurmd.%n.log
SlurmctldDebug=info
SlurmdDebug=info
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
KillWait=3
Waittime=0
SchedulerParameters=bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
PlugStackConfig=$CL_DIR/etc/plugstack.conf
PropagateResourceLimitsExcept=MEMLOCK,NOFILE
$(cluster_limits_conf)
${CL_EXTRA-}
CONF
    for node in $(seq "$1"); do
        printf 'NodeName=n%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d RealMemory=%d\n' \
            "$node" "$host" $((CL_BASEPORT + node)) "$CL_CPUS" "$CL_MEM"
    done
    echo 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
}

cluster_limits_conf() {
    if [ -n "${CL_CGROUP-}" ]; then
        printf '%s\n' ProctrackType=proctrack/cgroup TaskPlugin=task/cgroup
        printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup \
            ConstrainRAMSpace=yes MinRAMSpace=10 >"$CL_DIR/etc/cgroup.conf"
    else
        printf '%s\n' ProctrackType=proctrack/linuxproc TaskPlugin=task/none
    fi
}

# Daemons get nothing of the caller's environment; HL_CLUSTER marks them and
# all that they start, so that a stop can tell what is left.
cluster_daemon() {
    env -i HL_CLUSTER="$CL_DIR" SLURM_CONF="$CL_CONF" HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

cluster_try_namespaces() {
    if ! unshare -m mount -t tmpfs heapline "$CL_DIR/staging" 2>/dev/null; then
        cluster_say 'no mount namespaces here: the nodes share STAGING and /dev/shm'
        : >"$CL_DIR/etc/shared-nodes"
    fi
}
cluster_has_namespaces() { [ ! -e "$CL_DIR/etc/shared-nodes" ]; }

cluster_start_node() { # NODE
    if cluster_has_namespaces; then
        # shellcheck disable=SC2016  # expanded by the inner shell
        cluster_daemon unshare -m sh -ec 'umask 022
            mount -t tmpfs -o "size=$2m,mode=755,nosuid,nodev,noexec" heapline "$1/staging"
            mount -t tmpfs -o mode=1777,nosuid,nodev shm /dev/shm
            exec slurmd -N "$3" -f "$SLURM_CONF"' sh "$CL_DIR" "$CL_STAGING_MB" "$1"
    else
        cluster_daemon slurmd -N "$1" -f "$CL_CONF"
    fi
}

cluster_daemons() { # NODES
    local node
    cluster_daemon munged --force -S "$CL_SOCKET" --key-file="$CL_DIR/munge/key" \
        --pid-file="$CL_DIR/munge/munged.pid" --log-file="$CL_DIR/munge/munged.log" \
        --seed-file="$CL_DIR/munge/seed" || return 1
    cluster_daemon slurmctld -c -f "$CL_CONF" || return 1
    for node in $(seq -f n%g "$1"); do
        cluster_start_node "$node" || return 1
    done
}

cluster_idle_nodes() {
    cluster_root timeout 5 sinfo -h -N -o %t 2>/dev/null | grep -c '^idle$'
}

cluster_controller_lives() {
    cluster_owns "$(cat "$CL_DIR/run/slurmctld.pid" 2>/dev/null)"
}

cluster_wait_idle() { # NODES
    local began=$SECONDS
    while [ $((SECONDS - began)) -lt "$CL_WAIT_SECONDS" ]; do
        [ "$(cluster_idle_nodes)" != "$1" ] || return 0
        [ $((SECONDS - began)) -lt 5 ] || cluster_controller_lives || break
        sleep 0.1
    done
    cluster_say "not all of $1 nodes are idle after $((SECONDS - began)) s; the logs say:"
    tail -n 5 "$CL_DIR"/log/*.log "$CL_DIR/munge/munged.log" >&2
    return 1
}

cluster_start() { # DIR NODES
    cluster_use "$1"
    cluster_ports "$2" && cluster_directories "$2" || return 1
    cluster_slurm_conf "$2" >"$CL_CONF" || return 1
    cluster_try_namespaces
    cluster_daemons "$2" && cluster_wait_idle "$2"
}

# Processes of this cluster: daemons, steps, and what these have left behind.
cluster_processes() {
    grep -lzFx "HL_CLUSTER=$CL_DIR" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

# Is the process one of this cluster's?  A daemon that was killed leaves its pid
# file behind, and the number may be a stranger's by now.
cluster_owns() { # PID
    [ -n "$1" ] && grep -qzFx "HL_CLUSTER=$CL_DIR" "/proc/$1/environ" 2>/dev/null
}

# All are told first, then waited for: a slurmd alone takes seconds to end.
# What does not end is left to cluster_kill_survivors.
cluster_end_daemons() {
    local pidfile pids=() pid
    for pidfile in "$CL_DIR"/run/slurmd.*.pid "$CL_DIR"/run/slurmctld.pid "$CL_DIR/munge/munged.pid"; do
        pid=$(cat "$pidfile" 2>/dev/null)
        cluster_owns "$pid" && kill "$pid" 2>/dev/null && pids+=("$pid")
    done
    for pid in "${pids[@]}"; do
        cluster_wait_end "$pid"
    done
}

cluster_wait_end() { # PID
    local began=$SECONDS
    while cluster_owns "$1" && [ $((SECONDS - began)) -lt 15 ]; do
        sleep 0.1
    done
}

cluster_cancel_jobs() {
    local began=$SECONDS jobs
    while [ $((SECONDS - began)) -lt 12 ]; do
        mapfile -t jobs < <(cluster_root timeout 5 squeue -h -o %A 2>/dev/null)
        [ ${#jobs[@]} -gt 0 ] || return 0
        cluster_root timeout 5 scancel "${jobs[@]}" 2>/dev/null
        sleep 0.3
    done
    cluster_say "jobs are still there after $((SECONDS - began)) s"
}

cluster_kill_survivors() {
    local pid
    for pid in $(cluster_processes); do
        [ "$pid" != $$ ] && [ "$pid" != "$PPID" ] || continue
        cluster_say "still there: $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)(pid $pid); killing it"
        kill -KILL "$pid" 2>/dev/null
    done
}

cluster_remove_cgroups() {
    local directory
    [ -n "${CL_CGROUP-}" ] || return 0
    for directory in /sys/fs/cgroup/{freezer,memory}/slurm_n*; do
        [ ! -d "$directory" ] || find "$directory" -depth -type d -exec rmdir {} \; 2>/dev/null
    done
}

# Safe to call at any time, also when the start went wrong half-way.
cluster_stop() { # DIR
    cluster_use "$1"
    [ -d "$CL_DIR/run" ] || return 0
    ! cluster_controller_lives || cluster_cancel_jobs
    cluster_end_daemons
    cluster_kill_survivors
    cluster_remove_cgroups
}

# cluster_root COMMAND...: a Slurm command as administrator of this cluster.
cluster_root() { SLURM_CONF=$CL_CONF "$@"; }

# cluster_user COMMAND...: as an ordinary user, with a login's environment and
# none of root's; what HL_USER_ENV (an array) holds is added.
cluster_user() {
    local btl=()
    cluster_has_namespaces || btl=("OMPI_MCA_btl=self,tcp")
    setpriv --reuid="$CL_USER_ID" --regid="$CL_USER_ID" --clear-groups \
        env -i HL_CLUSTER="$CL_DIR" SLURM_CONF="$CL_CONF" HOME="$CL_DIR/shared" USER=nobody \
        LANG=C.UTF-8 TMPDIR=/tmp PATH="${CL_USER_PATH:+$CL_USER_PATH:}/usr/local/bin:/usr/bin:/bin" \
        "${btl[@]}" "${HL_USER_ENV[@]}" "$@"
}

# cluster_on_node NODE COMMAND...: as root, seeing the files as that node does.
cluster_on_node() {
    local pid node=$1
    shift
    pid=$(cat "$CL_DIR/run/slurmd.$node.pid") || return 1
    nsenter -t "$pid" -m -r -- "$@"
}

cluster_main() { # start|stop|status DIR [NODES]
    local action=${1-} directory=${2-}
    if [ -z "$directory" ]; then
        echo "usage: $0 start DIR [NODES] | stop DIR | status DIR" >&2
        return 2
    fi
    case $action in
    start)
        cluster_start "$directory" "${3:-3}" || { cluster_stop "$directory"; return 1; }
        echo "export SLURM_CONF=$CL_CONF"
        ;;
    stop) cluster_stop "$directory" ;;
    status) cluster_use "$directory"; cluster_root sinfo -N -l; cluster_root squeue ;;
    *) cluster_say "unknown action: $action"; return 2 ;;
    esac
}

HL_USER_ENV=()
[ "${BASH_SOURCE[0]}" != "$0" ] || cluster_main "$@"
