/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Resident memory, from /proc/self/status.  (getrusage's maximum would do
 * without a file, but is carried over exec from the image before.)  */
#include "libheapline/process.h"
#include "libheapline/sys.h"

#include <string.h>

/* not on the stack: a thread may have 16 KiB of it */
static char status[4096];
static atomic_flag taken = ATOMIC_FLAG_INIT;

/* "VmHWM:\t    1234 kB" -> bytes; -1 where the field is not there. */
static int64_t field_bytes(const char *name)
{
    const char *at = strstr(status, name);
    int64_t kb = 0;

    if (!at)
        return -1;
    for (at += strlen(name); *at == ' ' || *at == '\t'; at++)
        ;
    for (; *at >= '0' && *at <= '9'; at++)
        kb = kb * 10 + (*at - '0');
    return kb * 1024;
}

void hl_read_vm(struct hl_process *p, int64_t now_ns)
{
    long got = -1;
    int fd;

    if (atomic_flag_test_and_set(&taken))
        return;
    fd = hl_open("/proc/self/status", O_RDONLY, 0);
    if (fd >= 0) {
        got = hl_read(fd, status, sizeof(status) - 1);
        (void)hl_close(fd);
    }
    if (got > 0) {
        status[got] = '\0';
        hl_metric_set(p, HL_M_VMHWM, field_bytes("\nVmHWM:"));
        hl_metric_set(p, HL_M_VMRSS, field_bytes("\nVmRSS:"));
        hl_metric_set(p, HL_M_VM_TIME, now_ns);
    }
    atomic_flag_clear(&taken);
}

/* Another thread of the parent may have been reading. */
void hl_read_vm_after_fork(void)
{
    atomic_flag_clear(&taken);
}
