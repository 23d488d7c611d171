# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The heapline authors
#
# A NODE.csv of any size, to see how the report's time and memory grow:
#
#   awk -f tests/gen/rows.awk -v rows=200000 >n1.csv

BEGIN {
    print "# heapline 2"
    print "rank,host,pid,job,elapsed_s,allocs,frees,peak_heap_bytes,peak_heap_time_s," \
        "live_heap_at_exit_bytes,vmhwm_bytes,vmrss_at_exit_bytes,step,node,task,world,role,ppid," \
        "image,exe,start_time_s,ended,exit_code,signal,threads,inherited_bytes,source,note"
    for (r = 0; r < rows; r++)
        printf "%d,n%d,%d,77,10.500,%d,%d,%.0f,4.211,4096,%.0f,1048576,0,n%d,%d,slurm.pmix.77.0,,99,0," \
            "/usr/bin/app,1780000000.%03d,exit,0,0,1,0,profile,\n", r, r / 100, 1000 + r % 100, r * 7 % 1000, \
            r % 900, (r * 7919 % 1000003) * 1024, (r * 7919 % 1000003 + 4096) * 1024, r / 100, r, r % 1000
}
