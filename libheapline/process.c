/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The life of a counted process: begin, fork, vfork, end.  The only file that
 * knows the order.
 *
 * begin   the first call of malloc & co. or the constructor, before main
 * fork    the child gets a profile at once, at the same address, and the
 *         parent's is unmapped by that; a child of a raw clone gets it at its
 *         first call, since its windows are wiped
 * vfork   the child runs on its parent's memory: its slot pointer is set to a
 *         dummy (entry_x86_64.S), and if it allocates before its exec it gets a
 *         process of its own, which the parent unmaps when it runs again
 * end     an exit handler registered before the C library's own, so that it
 *         runs after all destructors */
#include "libheapline/process.h"

#include "libheapline/elfsym.h"
#include "libheapline/env.h"
#include "libheapline/sys.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>

#define FILTER_MARK '!'            /* in the place of a path's first byte */
#define FIRST_READING_NS 100000000 /* VmHWM of a killed process is known from then on */

enum begun { BEGUN_NOT, BEGUN_NOW, BEGUN_COUNTING, BEGUN_OFF };

bool hl_no_syscalls;

static _Atomic int begun;
static struct hl_process *process;         /* NULL: nothing is counted */
static char profile_pattern[PATH_MAX];     /* absolute; "" for no profile */
static struct hl_identity parent_identity; /* of the image, for its forks */
static int64_t live_at_fork;               /* set by prepare_fork, -1 else */

extern struct dummy hl_vfork_dummy;
extern char **environ;
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *dso);

int64_t hl_live_bytes(const struct hl_process *p)
{
    int64_t used = hl_metric(p, HL_M_SLOTS_USED);
    uint64_t live = (uint64_t)hl_metric(p, HL_M_INHERITED);

    for (unsigned i = 0; i < HL_SLOT_COUNT && i < used; i++) {
        uint64_t net = __atomic_load_n(hl_slot_net(hl_slot_of(p, i)), __ATOMIC_RELAXED);

        if (net)
            live += net - HL_NET_BIAS;
    }
    return (int64_t)live;
}

/* Begin ------------------------------------------------------------------ */

static void note_image(struct hl_process *p, int64_t sequence, int64_t flags)
{
    struct hl_identity *id = hl_identity_of(p);

    id->sequence = sequence;
    if (sequence)
        id->process_start_boot_ns = hl_process_start_boot_ns();
    hl_metric_set(p, HL_M_FLAGS, flags);
}

/* A process that counts from inherited_bytes on, as id says that it is. */
static struct hl_process *start_process(char *old, const struct hl_identity *id,
                                        int64_t inherited_bytes, int64_t flags)
{
    int64_t sequence;
    struct hl_process *p = hl_map(old, profile_pattern, id, &sequence);

    if (!p)
        return NULL;
    p->start_ns = hl_clock_ns(CLOCK_MONOTONIC);
    p->next_reading_ns = FIRST_READING_NS;
    memcpy(hl_identity_of(p), id, sizeof(*id));
    note_image(p, sequence, flags);
    hl_metric_set(p, HL_M_INHERITED, inherited_bytes);
    hl_metric_set(p, HL_M_PUBLISHED, inherited_bytes);
    hl_metric_set(p, HL_M_SINGLE_PEAK, inherited_bytes);
    hl_open_slot(p, 0);
    return p;
}

/* A TaskProlog runs with the task's environment, but beside the task: the
 * process that SLURM_TASK_PID names is still slurmstepd then. */
static bool in_task_prolog(const struct hl_start *start)
{
    const char *pid = hl_start_env(start, "SLURM_TASK_PID");
    char path[64], comm[16] = "";
    struct hl_text t;
    int fd;

    if (!pid || hl_text_number(pid) <= 0 || hl_text_number(pid) == hl_getpid())
        return false;
    hl_text_init(&t, path, sizeof(path));
    hl_text_string(&t, "/proc/");
    hl_text_int(&t, hl_text_number(pid));
    hl_text_string(&t, "/comm");
    fd = hl_open(path, O_RDONLY, 0);
    if (fd < 0)
        return false;
    (void)hl_read(fd, comm, sizeof(comm) - 1);
    (void)hl_close(fd);
    return strncmp(comm, "slurmstepd", 10) == 0;
}

/* An image that was exec'ed under a seccomp filter: mark_environment. */
static bool under_filter(const struct hl_start *start)
{
    const char *output = hl_start_env(start, HL_ENV_OUTPUT);
    const char *profile = hl_start_env(start, HL_ENV_PROFILE);

    return (output && *output == FILTER_MARK) || (profile && *profile == FILTER_MARK);
}

static bool switched_off(const struct hl_start *start)
{
    const char *disable = hl_start_env(start, HL_ENV_DISABLE);

    return (disable && strcmp(disable, "1") == 0) || under_filter(start) || in_task_prolog(start);
}

static const char *set_or_null(const char *value)
{
    return value && *value ? value : NULL;
}

/* Relative to the working directory at load: the program may change it. */
static void keep_absolute(char kept[PATH_MAX], const char *pattern)
{
    struct hl_text t;

    hl_text_init(&t, kept, PATH_MAX);
    if (!pattern)
        return;
    if (pattern[0] != '/' && hl_getcwd(kept, PATH_MAX) > 0) {
        t.length = strlen(kept);
        hl_text_string(&t, "/");
    }
    hl_text_string(&t, pattern);
    if (t.cut)
        kept[0] = '\0';
}

static int64_t image_flags(void)
{
    return (hl_elf_mpi_loaded() ? HL_FLAG_MPI : 0) | (hl_real_is_glibc() ? 0 : HL_FLAG_FOREIGN) |
           (hl_real_has_no_sizes() ? HL_FLAG_NO_SIZES : 0);
}

static void prepare_fork(void);
static void parent_of_fork(void);
static void child_of_fork(void);
static void end(int status, void *unused);

static void count_from_now(const struct hl_start *start)
{
    const char *output = set_or_null(hl_start_env(start, HL_ENV_OUTPUT));
    const char *profile = set_or_null(hl_start_env(start, HL_ENV_PROFILE));

    hl_clock_init();
    keep_absolute(profile_pattern, profile);
    hl_output_init(output, !output && !profile);
    hl_identity_fill(&parent_identity, start);
    process = start_process(NULL, &parent_identity, 0, image_flags());
    atomic_store(&begun, process ? BEGUN_COUNTING : BEGUN_OFF);
    if (!process)
        return;
    /* While there is one thread this costs nothing; at the second one it would
     * wait for all processors. */
    (void)hl_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    hl_threads_init();
    (void)on_exit(end, NULL);
    (void)__register_atfork(prepare_fork, parent_of_fork, child_of_fork, NULL);
}

void hl_begin(void)
{
    struct hl_start start;
    int expected = BEGUN_NOT, kept = errno;

    if (!atomic_compare_exchange_strong(&begun, &expected, BEGUN_NOW))
        return;
    live_at_fork = -1;
    start = hl_start_find();
    if (switched_off(&start))
        atomic_store(&begun, BEGUN_OFF);
    else
        count_from_now(&start);
    errno = kept;
}

__attribute__((constructor)) static void loaded(void)
{
    hl_begin();
}

/* Fork ------------------------------------------------------------------- */

static void prepare_fork(void)
{
    if (process && process->base)
        live_at_fork = hl_live_bytes(process);
}

static void parent_of_fork(void)
{
    live_at_fork = -1;
}

/* The windows are wiped, the profile is still the parent's: replaced here. */
static void begin_again(void)
{
    char *base = (char *)process - HL_WIPED_OFFSET;
    struct hl_process parent = {.base = base};
    int64_t inherited = live_at_fork >= 0 ? live_at_fork : hl_live_bytes(&parent);
    int64_t flags = hl_metric(&parent, HL_M_FLAGS) & ~(int64_t)HL_FLAG_NO_SYSCALL;

    live_at_fork = -1;
    /* its slot may be a hole of the new file, which reads cannot be from on a
     * file system that is full */
    hl_detach();
    hl_read_vm_after_fork();
    if (hl_no_syscalls) { /* the filter is the child's, too: it is not counted */
        process = NULL;
        return;
    }
    hl_identity_renew(&parent_identity);
    process = start_process(base, &parent_identity, inherited, flags | HL_FLAG_FORK);
}

static void child_of_fork(void)
{
    if (process && !process->base)
        begin_again();
    live_at_fork = -1;
}

/* Vfork ------------------------------------------------------------------ */

bool hl_in_vfork_child(void)
{
    struct hl_process *p = hl_window_of(hl_self)->process;

    return hl_self == (struct hl_slot *)(void *)&hl_vfork_dummy || (p && p != process);
}

static struct hl_process *begin_vfork_child(void)
{
    struct hl_identity id = parent_identity;

    if (hl_no_syscalls || !process)
        return NULL;
    hl_identity_renew(&id);
    return start_process(NULL, &id, hl_live_bytes(process),
                         hl_metric(process, HL_M_FLAGS) | HL_FLAG_FORK | HL_FLAG_VFORK);
}

/* The parent runs again (entry_x86_64.S): unmaps what its child counted in. */
HL_HIDDEN void hl_vfork_over(struct hl_slot *childs);
void hl_vfork_over(struct hl_slot *childs)
{
    if (childs != (struct hl_slot *)(void *)&hl_vfork_dummy)
        hl_unmap(hl_window_of(childs)->process);
}

struct hl_process *hl_process_now(void)
{
    if (atomic_load_explicit(&begun, memory_order_acquire) == BEGUN_NOT)
        hl_begin();
    if (process && hl_unlikely(!process->base))
        begin_again();
    if (process && hl_unlikely(hl_self == (struct hl_slot *)(void *)&hl_vfork_dummy))
        return begin_vfork_child();
    return process;
}

/* Seccomp ---------------------------------------------------------------- */

/* A seccomp filter is installed by these two calls (or by an inline system call,
 * which nobody can see).  They come here from entry_x86_64.S.  The flag is set
 * before the call, since the filter may be there at its return, and taken back if
 * the call fails.  vfork's child has its parent's memory, but a filter of its
 * own: it must not switch off anything in the parent. */
HL_HIDDEN long hl_prctl_seccomp(long option, long a, long b, long c, long d);
HL_HIDDEN long hl_syscall_seccomp(long number, long a, long b, long c, long d, long e, long f);

static void flag_no_syscall(bool on)
{
    int64_t flags = hl_metric(process, HL_M_FLAGS) & ~(int64_t)HL_FLAG_NO_SYSCALL;

    hl_metric_set(process, HL_M_FLAGS, flags | (on ? HL_FLAG_NO_SYSCALL : 0));
}

/* A filter stays over exec, and the next image's start would be a dozen system
 * calls that it may be killed for.  So our own variables tell it: in place, since
 * nothing may be allocated here. */
static void mark_environment(void)
{
    static const char *const names[] = {HL_ENV_OUTPUT "=", HL_ENV_PROFILE "="};

    for (char **e = environ; e && *e; e++)
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            if (strncmp(*e, names[i], strlen(names[i])) == 0 && (*e)[strlen(names[i])])
                (*e)[strlen(names[i])] = FILTER_MARK;
}

static long with_seccomp(long number, long a, long b, long c, long d, long e)
{
    bool before = hl_no_syscalls, counted = process && process->base, ours = !hl_in_vfork_child();
    long result;

    /* room for some more threads, while it can still be had */
    if (ours && counted)
        (void)hl_secure(process, HL_SLOTS_OFFSET + 16 * sizeof(struct hl_slot));
    if (ours)
        hl_no_syscalls = true;
    result = hl_sys(number, a, b, c, d, e, 0);
    if (ours && result < 0)
        hl_no_syscalls = before;
    if (ours && counted)
        flag_no_syscall(hl_no_syscalls);
    if (ours && hl_no_syscalls)
        mark_environment();
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

long hl_prctl_seccomp(long option, long a, long b, long c, long d)
{
    return with_seccomp(SYS_prctl, option, a, b, c, d);
}

long hl_syscall_seccomp(long number, long a, long b, long c, long d, long e, long f)
{
    (void)f;
    return with_seccomp(number, a, b, c, d, e);
}

/* End -------------------------------------------------------------------- */

static void end(int status, void *unused)
{
    struct hl_process *p = process;
    int64_t now;

    (void)unused;
    if (!p || !p->base || hl_in_vfork_child())
        return;
    now = hl_no_syscalls ? hl_now_coarse(p) : hl_clock_ns(CLOCK_MONOTONIC) - p->start_ns;
    /* Not in a fork's child: another thread of the parent may have held the
     * dynamic linker's lock, which nobody gives back here. */
    if (!(hl_metric(p, HL_M_FLAGS) & (HL_FLAG_MPI | HL_FLAG_FORK)) && hl_elf_mpi_loaded())
        hl_metric_set(p, HL_M_FLAGS, hl_metric(p, HL_M_FLAGS) | HL_FLAG_MPI);
    if (!hl_no_syscalls)
        hl_read_vm(p, now);
    hl_metric_set(p, HL_M_EXIT_CODE, status & 0xff);
    hl_metric_set(p, HL_M_END_TIME, now);
    hl_metric_set(p, HL_M_END, HL_END_EXIT);
    if (!hl_no_syscalls)
        hl_output_end(p);
}
