/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The library's system calls, made directly.  Not by the C library's functions,
 * since inside malloc
 *   - those may be another preload's (an I/O tracer that allocates, under a lock
 *     of its own), which would call us again;
 *   - many of them are cancellation points, which malloc must not be;
 *   - they touch errno.
 * Each returns what the kernel does: a value, or -errno.  Async-signal-safe.
 */
#ifndef HL_SYS_H
#define HL_SYS_H

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#ifndef __x86_64__
#error "libheapline is for x86-64 only, as yet"
#endif

static inline long hl_sys(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline int hl_open(const char *path, int flags, mode_t mode)
{
    return (int)hl_sys(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, mode, 0, 0);
}

static inline int hl_close(int fd)
{
    return (int)hl_sys(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long hl_read(int fd, void *to, size_t length)
{
    return hl_sys(SYS_read, fd, (long)to, (long)length, 0, 0, 0);
}

static inline long hl_write(int fd, const void *from, size_t length)
{
    return hl_sys(SYS_write, fd, (long)from, (long)length, 0, 0, 0);
}

static inline long hl_pread(int fd, void *to, size_t length, long offset)
{
    return hl_sys(SYS_pread64, fd, (long)to, (long)length, offset, 0, 0);
}

static inline long hl_pwrite(int fd, const void *from, size_t length, long offset)
{
    return hl_sys(SYS_pwrite64, fd, (long)from, (long)length, offset, 0, 0);
}

static inline int hl_fallocate(int fd, long offset, long length)
{
    return (int)hl_sys(SYS_fallocate, fd, 0, offset, length, 0, 0);
}

static inline int hl_ftruncate(int fd, long length)
{
    return (int)hl_sys(SYS_ftruncate, fd, length, 0, 0, 0, 0);
}

static inline int hl_unlink(const char *path)
{
    return (int)hl_sys(SYS_unlink, (long)path, 0, 0, 0, 0, 0);
}

static inline int hl_rename(const char *from, const char *to)
{
    return (int)hl_sys(SYS_rename, (long)from, (long)to, 0, 0, 0, 0);
}

static inline long hl_readlink(const char *path, char *to, size_t room)
{
    return hl_sys(SYS_readlink, (long)path, (long)to, (long)room, 0, 0, 0);
}

static inline long hl_getcwd(char *to, size_t room)
{
    return hl_sys(SYS_getcwd, (long)to, (long)room, 0, 0, 0, 0);
}

/* flags: AT_EMPTY_PATH or AT_SYMLINK_NOFOLLOW; only type, inode, device, size. */
static inline int hl_statx(int fd, const char *path, int flags, struct statx *s)
{
    return (int)hl_sys(SYS_statx, fd, (long)path, flags, STATX_TYPE | STATX_INO | STATX_SIZE,
                       (long)s, 0);
}

/* MAP_FAILED is not used: errors are small negative numbers. */
static inline long hl_mmap(void *at, size_t length, int protection, int flags, int fd)
{
    return hl_sys(SYS_mmap, (long)at, (long)length, protection, flags, fd, 0);
}

static inline int hl_munmap(void *at, size_t length)
{
    return (int)hl_sys(SYS_munmap, (long)at, (long)length, 0, 0, 0, 0);
}

static inline int hl_madvise(void *at, size_t length, int advice)
{
    return (int)hl_sys(SYS_madvise, (long)at, (long)length, advice, 0, 0, 0);
}

static inline int hl_membarrier(int command)
{
    return (int)hl_sys(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

static inline int hl_uname(struct utsname *names)
{
    return (int)hl_sys(SYS_uname, (long)names, 0, 0, 0, 0, 0);
}

static inline int64_t hl_getpid(void)
{
    return hl_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int64_t hl_getppid(void)
{
    return hl_sys(SYS_getppid, 0, 0, 0, 0, 0, 0);
}

/* Bytes that a file may have before a write is SIGXFSZ. */
static inline uint64_t hl_file_limit(void)
{
    struct rlimit limit = {0, 0};

    if (hl_sys(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0) != 0)
        return 0;
    return limit.rlim_cur;
}

/* Whether fd takes something without waiting, or is broken; within ms. */
static inline bool hl_writable(int fd, int ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return hl_sys(SYS_poll, (long)&p, 1, ms, 0, 0, 0) == 1;
}

/* Signal sets as the kernel has them: bit n-1 is signal n. */
static inline int hl_sigmask(int how, const uint64_t *set, uint64_t *old)
{
    return (int)hl_sys(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof(*set), 0, 0);
}

static inline int hl_sigpending(uint64_t *set)
{
    return (int)hl_sys(SYS_rt_sigpending, (long)set, sizeof(*set), 0, 0, 0, 0);
}

static inline int hl_sigtake(const uint64_t *set)
{
    static const struct timespec at_once;

    return (int)hl_sys(SYS_rt_sigtimedwait, (long)set, 0, (long)&at_once, sizeof(*set), 0, 0);
}

#endif
