/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The rows that were read, with where they came from, and the steps that they
 * belong to.  Owns all memory of a report; freed at once by hl_table_fini.
 * Costs a fixed size a row and the bytes of its strings.
 */
#ifndef HL_ROWS_H
#define HL_ROWS_H

#include "libheapline/record.h"
#include "report/manifest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum hl_rec_bits {
    HL_REC_MPI = 1,      /* an MPI library was mapped in this image */
    HL_REC_PROFILE = 2,  /* read from a profile, not from a row of CSV */
    HL_REC_DROPPED = 4,  /* a duplicate, or merged into another row */
    HL_REC_LAUNCHER = 8, /* ranks of another world run below it */
    HL_REC_HELPER = 16,  /* its executable is in the list of helpers */
    HL_REC_SETTLED = 32, /* its role was settled before: a row of records.csv */
};

struct hl_rec {
    struct hl_row row;
    const char *file;  /* path as shown to people */
    uint64_t place;    /* line of a CSV file, offset of a profile */
    const char *world; /* as read; row's may be inherited or blanked */
    uint32_t sequence; /* order of reading */
    uint8_t bits;      /* enum hl_rec_bits */
};

/* A remark of heapline-gather ("# 3 profiles not kept"), for people. */
struct hl_remark {
    const char *node;
    const char *text;
};

/* What was found of one node: NODE.csv, NODE.profiles. */
struct hl_node_file {
    const char *node; /* name of the file without its ending */
    bool csv, profiles;
    bool damaged; /* some of its rows could not be read */
};

struct hl_step {
    const char *dir; /* step directory, "" for loose files */
    dev_t device;    /* of the directory, to know it again */
    ino_t inode;
    const char *job, *step;
    struct hl_manifest *manifest; /* NULL where there is none */
    struct hl_rec **recs;
    size_t count, capacity;
    struct hl_remark *remarks;
    size_t remark_count;
    struct hl_node_file *files;
    size_t file_count;
};

struct hl_chunk;

struct hl_table {
    struct hl_chunk *chunks;
    struct hl_step **steps;
    size_t step_count;
    struct hl_step *loose; /* rows of loose files, not yet sorted into steps */
    uint32_t row_count;
    const char *recent[256]; /* strings kept lately: most rows repeat them */
};

/* 0 or -ENOMEM.  fini accepts a table that init refused. */
int hl_table_init(struct hl_table *table);
void hl_table_fini(struct hl_table *table);

/* Zeroed memory that lives as long as the table; NULL: no memory. */
void *hl_keep(struct hl_table *table, size_t bytes);

/* A NUL-terminated copy that lives as long as the table; NULL: no memory. */
const char *hl_keep_string(struct hl_table *table, const char *bytes, size_t length);

/* Appends a copy of the row, whose strings must have been kept.  NULL: no memory. */
struct hl_rec *hl_table_add(struct hl_table *table, struct hl_step *step, const struct hl_row *row,
                            const char *file, uint64_t place);

/* Appends a row that is in the table to one more step.  0 or -ENOMEM. */
int hl_step_add(struct hl_step *step, struct hl_rec *rec);

/* A new, empty step at the end of the table's list.  NULL: no memory. */
struct hl_step *hl_table_step(struct hl_table *table, const char *dir);

/* 0 or -ENOMEM; strings are copied.  Beyond a fixed number a step's remarks
 * are left out. */
int hl_step_remark(struct hl_table *table, struct hl_step *step, const char *node, const char *text,
                   size_t length);

/* The entry of node, made where missing.  NULL: no memory. */
struct hl_node_file *hl_step_file(struct hl_table *table, struct hl_step *step, const char *node);

/* Takes rows with HL_REC_DROPPED out of the step. */
void hl_step_sweep(struct hl_step *step);

/* strcmp, or by number, of the columns in turn. */
int hl_rec_compare(const struct hl_rec *a, const struct hl_rec *b, const enum hl_column *columns,
                   size_t count);

/* Slurm's node name, else the host name. */
const char *hl_rec_node(const struct hl_rec *rec);

/* Peak or live bytes without what a fork's child took over; -1 unknown. */
int64_t hl_rec_own(const struct hl_rec *rec, enum hl_column column);

#endif
