/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Another preload, of the kind that traces I/O: its open and clock_gettime
 * allocate under a lock that does not recurse.  A library that calls them inside
 * malloc waits for itself. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void trace(void)
{
    void *event;

    (void)pthread_mutex_lock(&lock);
    event = malloc(10000);
    __asm__ volatile("" : "+r"(event));
    free(event);
    (void)pthread_mutex_unlock(&lock);
}

int open(const char *path, int flags, ...);
int open(const char *path, int flags, ...)
{
    trace();
    return (int)syscall(SYS_open, path, flags, 0);
}

ssize_t read(int fd, void *to, size_t length)
{
    trace();
    return syscall(SYS_read, fd, to, length);
}

int close(int fd)
{
    trace();
    return (int)syscall(SYS_close, fd);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    trace();
    return (int)syscall(SYS_clock_gettime, clock, t);
}
