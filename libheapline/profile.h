/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * THE PROFILE: the binary, live file that the library keeps mapped while a
 * process runs; one per process image.  This header is the layout and nothing
 * else; profile_read.h reads it, libheapline/mapping.c makes it.
 *
 *   offset    0  struct hl_profile_header: magic, lengths, section table
 *           512  METRICS   int64_t[64], order of HL_METRIC in metrics.def
 *          1024  IDENTITY  struct hl_identity: who this is, written at start
 *          4096  SLOTS     struct hl_slot[HL_SLOT_COUNT], 1 KiB each
 *        135168  room for later sections (timeline), up to HL_PROFILE_BYTES
 *
 * All words are native-endian and naturally aligned; byte_order tells a
 * foreign file.  A reader goes by the section table (id, version, offset,
 * length) and skips ids that it does not know.  The file is sparse: only
 * used_bytes of it (header.used_bytes, a multiple of 8) have been written, and
 * a copy may be cut there.  NODE.profiles is such copies back to back.
 *
 * A running process goes on writing without locks, so a reader sees each word
 * whole but no two words of one instant.  Sums over slots are what counts:
 * slots are recycled when threads end and go on from where they were.
 */
#ifndef HL_PROFILE_H
#define HL_PROFILE_H

#include <stdint.h>

#define HL_PROFILE_MAGIC "heapline" /* 8 bytes, no NUL in the file */
#define HL_PROFILE_VERSION 1
#define HL_PROFILE_ORDER 0x01020304u
#define HL_PROFILE_BYTES (256 * 1024) /* the whole mapping */
#define HL_PROFILE_SECTIONS 8         /* rows in the section table */
#define HL_METRICS_OFFSET 512
#define HL_METRICS_ROOM 64
#define HL_IDENTITY_OFFSET 1024
#define HL_SLOTS_OFFSET 4096
#define HL_SLOT_COUNT 128 /* slot 0 is shared by all who get none */
#define HL_CLASS_SMALL 64 /* size classes of 16 bytes each, below 1 KiB */
#define HL_CLASS_LARGE 25 /* powers of two from 1 KiB, the last one open */
#define HL_CLASS_COUNT (HL_CLASS_SMALL + HL_CLASS_LARGE)
#define HL_FUNCTION_ROOM 12 /* functions that version 1 of SLOTS has words for */

/* Net bytes start here: far above 0 as an unsigned and far below 0 as a signed
 * number, for the comparisons of counters.h. */
#define HL_NET_BIAS (UINT64_C(3) << 62)

enum hl_function {
#define HL_FUNCTION(ID, name, role) HL_F_##ID,
#include "libheapline/metrics.def"
    HL_F_COUNT
};

enum hl_metric {
#define HL_METRIC(ID, key, unit, doc) HL_M_##ID,
#include "libheapline/metrics.def"
    HL_M_COUNT
};

enum hl_section_id {
    HL_SECTION_NONE,
    HL_SECTION_METRICS,
    HL_SECTION_IDENTITY,
    HL_SECTION_SLOTS,
};

/* Metric end_state.  A process that was killed never gets past HL_END_NONE. */
enum hl_end {
    HL_END_NONE, /* running, killed, or replaced by exec */
    HL_END_EXIT, /* exit(3) or return from main ran to its end */
};

/* Metric flags. */
enum hl_flag {
    HL_FLAG_MPI = 1,        /* an MPI library was mapped */
    HL_FLAG_FOREIGN = 2,    /* another allocator than glibc's comes next */
    HL_FLAG_VFORK = 4,      /* child of vfork that allocated before its exec */
    HL_FLAG_NO_SYSCALL = 8, /* the program asked for a seccomp filter */
    HL_FLAG_FORK = 16,      /* child of fork: its image began in its parent */
    HL_FLAG_NO_SIZES = 32,  /* the allocator does not tell sizes: bytes are unknown */
};

struct hl_section {
    uint32_t id; /* enum hl_section_id */
    uint32_t version;
    uint64_t offset; /* from the start of the profile, bytes */
    uint64_t length;
    uint32_t entry_bytes;
    uint32_t entry_count;
};

struct hl_profile_header {
    char magic[8];
    uint32_t byte_order;
    uint32_t version;
    uint64_t file_bytes; /* length of the full profile */
    uint64_t used_bytes; /* what has been secured and may have been written */
    uint32_t section_count;
    uint32_t reserved[7];
    struct hl_section sections[HL_PROFILE_SECTIONS];
};

/* Strings are NUL-terminated, cut where too long; times in ns, -1 unknown. */
struct hl_identity {
    int64_t pid;
    int64_t ppid;
    int64_t rank; /* -1 outside MPI */
    int64_t task; /* SLURM_PROCID, -1 */
    int64_t start_unix_ns;
    int64_t start_boot_ns;         /* CLOCK_BOOTTIME when the library was loaded */
    int64_t process_start_boot_ns; /* of the process (same over exec); -1 in its first image */
    int64_t sequence;              /* n of the suffix .n that the file name got, 0 none */
    int64_t args_bytes;            /* used bytes of args */
    int64_t spare[7];
    char job[64];
    char step[32];
    char node[64];
    char host[72];
    char world[128];
    char exe[1024];
    char args[1536]; /* argv, each ended by NUL */
};

/* What one thread has done, or several one after the other: 64 pairs of words.
 *
 * A first word counts the blocks given whose usable size is of small class i:
 * [16i - 8, 16i + 8).  glibc's chunks in it have size 16i, that is usable size
 * 16i - 8, and the word's address is the slot's plus the chunk size, which saves
 * malloc the arithmetic (bench P1).  The first words of pairs 0 and 1, smaller
 * than any block, are the net bytes and the owner.  Second words: enum hl_word.
 *
 * Two figures are derived, since each word that malloc or free adds to costs 3 %
 * of the pair; hl_profile_fold does it:
 *   bytes given  = sum over small classes of blocks * (16i - 8)
 *                  + bytes[MALLOC], which holds what other blocks have beyond it
 *   malloc calls = sum of all classes - calls of the other giving functions
 *   malloc bytes = bytes given - bytes of the other giving functions
 *   free bytes   = bytes given - released bytes - bytes of the other taking
 *                  functions - (net - HL_NET_BIAS)
 * calls[MALLOC] and bytes[FREE] stay 0 in the file. */
struct hl_slot {
    struct {
        uint64_t blocks; /* pair[0]: net bytes, 0 never used; pair[1]: owner's thread id */
        uint64_t word;   /* of enum hl_word */
    } pair[HL_CLASS_SMALL];
};

enum hl_word {
    HL_W_SPARE,
    HL_W_RELEASED_CALLS, /* blocks taken by realloc, reallocarray */
    HL_W_RELEASED_BYTES,
    HL_W_CALLS,                                  /* successful calls, by enum hl_function */
    HL_W_BYTES = HL_W_CALLS + HL_FUNCTION_ROOM,  /* usable sizes given or taken */
    HL_W_FAILED = HL_W_BYTES + HL_FUNCTION_ROOM, /* calls that changed nothing */
    HL_W_LARGE = HL_W_FAILED + HL_FUNCTION_ROOM, /* blocks by large class */
    HL_W_END = HL_W_LARGE + HL_CLASS_LARGE
};

static inline uint64_t *hl_slot_net(struct hl_slot *slot)
{
    return &slot->pair[0].blocks;
}

/* Word w; for the arrays add the function's or large class's number to w. */
static inline uint64_t *hl_slot_word(struct hl_slot *slot, unsigned w)
{
    return &slot->pair[w].word;
}

/* The count of blocks of size class c (hl_class_of). */
static inline uint64_t *hl_slot_class(struct hl_slot *slot, unsigned c)
{
    return c < HL_CLASS_SMALL ? &slot->pair[c].blocks
                              : &slot->pair[HL_W_LARGE + c - HL_CLASS_SMALL].word;
}

_Static_assert(sizeof(struct hl_profile_header) <= HL_METRICS_OFFSET, "header fits");
_Static_assert(HL_M_COUNT <= HL_METRICS_ROOM, "metrics fit");
_Static_assert(sizeof(struct hl_identity) <= HL_SLOTS_OFFSET - HL_IDENTITY_OFFSET, "identity fits");
_Static_assert(sizeof(struct hl_slot) == 1024, "slot is 1 KiB");
_Static_assert(HL_F_COUNT <= HL_FUNCTION_ROOM, "functions fit");
_Static_assert(HL_W_END <= HL_CLASS_SMALL, "words fit");
_Static_assert(HL_SLOTS_OFFSET + HL_SLOT_COUNT * 1024 <= HL_PROFILE_BYTES, "slots fit");

/* Size class of a block: [16c - 8, 16c + 8) below 1 KiB, at least 2; above it
 * class 64 + i begins at 2^(10+i) - 8 bytes. */
static inline unsigned hl_class_of(uint64_t usable_bytes)
{
    if (usable_bytes < 16 * HL_CLASS_SMALL - 8)
        return usable_bytes < 24 ? 2 : (unsigned)((usable_bytes + 8) >> 4);
    /* half the chunk size, so that nothing overflows: 512 is class 64 */
    unsigned e = 63 - (unsigned)__builtin_clzll((usable_bytes >> 1) + 4) - 9;
    return HL_CLASS_SMALL + (e < HL_CLASS_LARGE ? e : HL_CLASS_LARGE - 1);
}

/* Smallest usable size of class c, bytes; 0 for the first one. */
static inline uint64_t hl_class_floor(unsigned c)
{
    if (c <= 2)
        return 0;
    return (c < HL_CLASS_SMALL ? 16 * (uint64_t)c : UINT64_C(1024) << (c - HL_CLASS_SMALL)) - 8;
}

/* What one block of class c counts for in the sum over small classes. */
static inline uint64_t hl_class_bytes(unsigned c)
{
    return c < HL_CLASS_SMALL ? 16 * (uint64_t)c - 8 : 0;
}

#endif
