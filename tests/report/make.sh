# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# What the setup scripts of the cases share: rows, profiles and manifests from
# a few words, so that a case shows what is special about it and nothing else.

columns1=rank,host,pid,job,elapsed_s,allocs,frees,peak_heap_bytes,peak_heap_time_s,live_heap_at_exit_bytes,vmhwm_bytes,vmrss_at_exit_bytes
columns2=$columns1,step,node,task,world,role,ppid,image,exe,start_time_s,ended,exit_code,signal,threads,inherited_bytes,source,note

header1() { printf '# heapline 1\n%s\n' $columns1; }
header2() { printf '# heapline 2\n%s\n' $columns2; }

# row RANK NODE [COLUMN=VALUE...]: a row of version 2 of a process that ended well
row() {
    local rank=$1 node=$2 word
    local -A cell=(
        [rank]=$rank [host]=$node [pid]=$((1000 + rank)) [job]=77 [elapsed_s]=10.500
        [allocs]=$((1000 + rank)) [frees]=$((900 + rank)) [peak_heap_bytes]=$(((100 + rank) * 1048576))
        [peak_heap_time_s]=4.211 [live_heap_at_exit_bytes]=4096 [vmhwm_bytes]=$(((120 + rank) * 1048576))
        [vmrss_at_exit_bytes]=1048576 [step]=0 [node]=$node [task]=$rank [ppid]=99 [image]=0
        [exe]=/usr/bin/app [start_time_s]=1780000000.$((100 + rank)) [ended]=exit [exit_code]=0
        [signal]=0 [threads]=1 [inherited_bytes]=0 [source]=profile
    )
    shift 2
    for word; do cell[${word%%=*}]=${word#*=}; done
    local line=
    for word in ${columns2//,/ }; do line+=,${cell[$word]-}; done
    printf '%s\n' "${line#,}"
}

# row1 RANK NODE PEAK [PID]: a row of version 1
row1() { printf '%s,%s,%s,77,10.500,1000,900,%s,4.211,4096,%s,1048576\n' "$1" "$2" "${4:-$((1000 + $1))}" "$3" $(($3 + 1048576)); }

# profile RANK NODE [KEY=VALUE...]: the profile that goes with row RANK NODE
profile() {
    local rank=$1 node=$2
    shift 2
    echo "rank=$rank task=$rank pid=$((1000 + rank)) ppid=99 start_ms=1780000000$((100 + rank)) job=77 step=0" \
        "node=$node host=$node exe=/usr/bin/app allocs=$((1000 + rank)) frees=$((900 + rank)) live=4096" \
        "peak=$(((100 + rank) * 1048576)) peak_ms=4211 vmhwm=$(((120 + rank) * 1048576)) vmrss=1048576" \
        "end_ms=10500 exit_code=0 $*" | "$PROFILES"
}

# manifest NODE:TASK,TASK...: step.json of job 77, step 0
manifest() {
    local node nodes=
    for node; do nodes+=",{\"node\":\"${node%%:*}\",\"tasks\":[${node#*:}]}"; done
    cat <<END
{"format":"heapline-step","version":1,"heapline":"0.1.0","slurm":"22.05.8",
"job":"77","step":"0","user":"nobody","uid":65534,"job_name":"melt",
"command":["app","-in","in.melt"],"start_time_s":1780000000.000,"tasks":4,
"nodes":[${nodes#,}],
"limits":{"mem_per_node_bytes":null,"mem_per_cpu_bytes":null,"time_limit_s":null},
"dir":"/scratch/run/77/0"}
END
}
