/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * A torn line may hold a quote that nobody closes, and a reader of CSV would
 * then take the rest of the file for one field.  So logical lines are cut here,
 * by counting quotes, and libcsv gets one at a time; where several lines put
 * together make no row, only the first of them is given up.
 */
#include "config/config.h"

#include "report/record_read.h"

#include "report/lines.h"
#include "report/units.h"

#include <csv.h>
#include <errno.h>
#include <string.h>

#define SEARCH_BYTES (64 * 1024) /* where the version line must be at the latest */
#define BOM "\xef\xbb\xbf"

struct reader {
    const struct hl_source *source;
    struct hl_lines lines;
    struct csv_parser csv;
    int version;      /* of the record that we are in; 0 none yet, -1 one to skip */
    bool seen;        /* a version line was seen */
    bool header_next; /* the version line was the last */
    uint64_t searched;
    /* the row that is being parsed */
    struct hl_row row;
    int column;
    struct hl_error bad;
    bool no_memory;
};

static const char *const ended_words[] = {
    HL_ENDED_EXIT,     HL_ENDED_EXEC, HL_ENDED_SIGNAL,   HL_ENDED_OOM, HL_ENDED_RUNNING,
    HL_ENDED_VANISHED, HL_ENDED_LOST, HL_ENDED_NOT_SEEN, NULL,
};
static const char *const role_words[] = {HL_ROLE_RANK, HL_ROLE_CHILD, HL_ROLE_HELPER, NULL};
static const char *const source_words[] = {
    HL_SOURCE_PROFILE, HL_SOURCE_RECORD, HL_SOURCE_PLUGIN, HL_SOURCE_MANIFEST, NULL,
};

static const char *find_word(const char *const *words, const char *text)
{
    for (; *words; words++)
        if (strcmp(*words, text) == 0)
            return *words;
    return NULL;
}

static int store_word(struct reader *r, const char *text, union hl_cell *cell)
{
    const char *const *words = r->column == HL_C_ENDED  ? ended_words
                               : r->column == HL_C_ROLE ? role_words
                                                        : source_words;

    cell->s = *text ? find_word(words, text) : "";
    return cell->s ? 0
                   : hl_fail(&r->bad, -EBADMSG, "column %s: unknown word \"%.40s\"",
                             hl_columns[r->column].key, text);
}

static int store_string(struct reader *r, const char *text, size_t length, union hl_cell *cell)
{
    if (length > HL_FIELD_MAX)
        return hl_fail(&r->bad, -EBADMSG, "column %s: %zu bytes long", hl_columns[r->column].key,
                       length);
    if (memchr(text, '\0', length))
        return hl_fail(&r->bad, -EBADMSG, "column %s: NUL bytes", hl_columns[r->column].key);
    cell->s = hl_keep_string(r->source->table, text, length);
    if (!cell->s)
        r->no_memory = true;
    return cell->s ? 0 : -ENOMEM;
}

static int store_int(struct reader *r, const char *text, size_t length, union hl_cell *cell)
{
    bool ms = hl_columns[r->column].kind == HL_KIND_MS;
    /* a process can release more than it allocated: what it inherited */
    int64_t least = r->column == HL_C_LIVE ? INT64_MIN : -1;

    if (!(ms ? hl_parse_ms(text, length, &cell->i) : hl_parse_int(text, length, &cell->i)) ||
        cell->i < least)
        return hl_fail(&r->bad, -EBADMSG, "column %s: \"%.40s\" is no %s",
                       hl_columns[r->column].key, text,
                       ms ? "time in seconds" : "whole number of 64 bits");
    return 0;
}

static int store(struct reader *r, const char *text, size_t length)
{
    union hl_cell *cell = &r->row.cell[r->column];

    switch (hl_columns[r->column].kind) {
    case HL_KIND_INT:
    case HL_KIND_MS:
        return store_int(r, text, length, cell);
    case HL_KIND_WORD:
        return store_word(r, text, cell);
    case HL_KIND_STR:
        return store_string(r, text, length, cell);
    }
    return 0;
}

static int column_count(int version)
{
    return version == 1 ? HL_C_COUNT_V1 : HL_C_COUNT;
}

static void on_field(void *text, size_t length, void *context)
{
    struct reader *r = context;

    if (r->column < column_count(r->version) && !r->bad.text[0] && !r->no_memory)
        (void)store(r, text ? text : "", length);
    r->column++;
}

static int no_space(unsigned char byte)
{
    (void)byte;
    return 0;
}

static int csv_start(struct reader *r)
{
    if (csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL))
        return -ENOMEM;
    csv_set_space_func(&r->csv, no_space); /* or it takes blanks off strings */
    csv_set_blk_size(&r->csv, 4096);
    return 0;
}

/* Parses one logical line without its end of line into r->row.  0, -EBADMSG
 * with r->bad filled in, or -ENOMEM. */
static int parse_row(struct reader *r, const char *line, size_t length)
{
    int columns = column_count(r->version);

    hl_row_init(&r->row);
    r->row.cell[HL_C_IMAGE].i = 0;
    r->column = 0;
    r->bad.text[0] = '\0';
    if (csv_parse(&r->csv, line, length, on_field, NULL, r) != length ||
        csv_fini(&r->csv, on_field, NULL, r)) {
        bool memory = csv_error(&r->csv) == CSV_ENOMEM;

        csv_free(&r->csv);
        if (csv_start(r) || memory)
            return -ENOMEM;
        return hl_fail(&r->bad, -EBADMSG, "a quote in the wrong place");
    }
    if (r->no_memory)
        return -ENOMEM;
    if (!r->bad.text[0] && r->column != columns)
        return hl_fail(&r->bad, -EBADMSG, "%d columns where version %d has %d", r->column,
                       r->version, columns);
    return r->bad.text[0] ? -EBADMSG : 0;
}

/* What version 1 implies: it is written when a process ends by exit. */
static void complete_v1(struct hl_row *row)
{
    row->cell[HL_C_ENDED].s = HL_ENDED_EXIT;
    row->cell[HL_C_SIGNAL].i = 0;
    row->cell[HL_C_SOURCE].s = HL_SOURCE_RECORD;
}

static int keep_row(struct reader *r)
{
    const struct hl_source *s = r->source;

    if (r->version == 1)
        complete_v1(&r->row);
    return hl_table_add(s->table, s->step, &r->row, s->path, r->lines.number) ? 0 : -ENOMEM;
}

/* The rank, where the line begins with one, so that people know who is missing. */
static bool rank_of(const char *line, size_t length, int64_t *rank)
{
    const char *comma = memchr(line, ',', length);

    return comma && hl_parse_int(line, (size_t)(comma - line), rank);
}

static void complain(struct reader *r, const char *line, size_t length)
{
    const struct hl_source *s = r->source;
    int64_t rank;

    if (rank_of(line, length, &rank))
        hl_damage(s->problems, s->path, r->lines.number, "rank %lld: row left out: %s",
                  (long long)rank, r->bad.text);
    else
        hl_damage(s->problems, s->path, r->lines.number, "row left out: %s", r->bad.text);
}

/* Takes off CR LF, and the holes that a shared file system leaves between the
 * lines of two writers. */
static const char *trim(const char *line, size_t *length)
{
    while (*length && (line[*length - 1] == '\n' || line[*length - 1] == '\r'))
        --*length;
    while (*length && *line == '\0') {
        line++;
        --*length;
    }
    while (*length && line[*length - 1] == '\0')
        --*length;
    return line;
}

static bool quote_open(const char *line, size_t length, bool open)
{
    for (size_t i = 0; i < length; i++)
        open ^= line[i] == '"';
    return open;
}

/* The row that begins at the current line, of bytes bytes; it may go on over
 * more lines within quotes. */
static int take_row(struct reader *r, size_t bytes)
{
    size_t total = bytes, length;
    uint64_t count = 1;
    bool open = quote_open(r->lines.buffer + r->lines.start, bytes, false);
    const char *line;
    int rc = -EBADMSG;

    for (size_t more; open && hl_lines_peek(&r->lines, total, &more) == 1; count++) {
        open = quote_open(r->lines.buffer + r->lines.start + total, more, open);
        total += more;
    }
    length = open ? bytes : total;
    line = trim(r->lines.buffer + r->lines.start, &length);
    if (open)
        (void)hl_fail(&r->bad, 0, "a quote that nothing closes");
    else
        rc = parse_row(r, line, length);
    if (rc == 0)
        rc = keep_row(r);
    if (rc == -EBADMSG) {
        complain(r, line, length);
        total = bytes;
        count = 1;
        rc = 0;
    }
    hl_lines_skip(&r->lines, total, count);
    return rc;
}

static void take_version(struct reader *r, const char *text, size_t length)
{
    const struct hl_source *s = r->source;
    int64_t version;

    r->seen = true;
    r->header_next = false;
    r->version = -1;
    if (!hl_parse_int(text, length, &version))
        hl_damage(s->problems, s->path, r->lines.number,
                  "damaged version line; what follows is left out");
    else if (version != 1 && version != 2)
        hl_damage(s->problems, s->path, r->lines.number,
                  "record version %lld; this heapline-report (" PACKAGE_VERSION
                  ") reads versions 1 and 2: use the one that belongs to the library that "
                  "wrote it",
                  (long long)version);
    else {
        r->version = (int)version;
        r->header_next = true;
    }
}

static bool is_header(const struct reader *r, const char *line, size_t length)
{
    char text[2048];
    struct hl_text header;
    const char *keys;

    hl_text_init(&header, text, sizeof(text));
    hl_record_header(&header, r->version);
    keys = strchr(text, '\n') + 1;
    return strlen(keys) == length + 1 && memcmp(keys, line, length) == 0;
}

/* The line behind the version line.  True: it was dealt with. */
static bool take_header(struct reader *r, const char *line, size_t length)
{
    const struct hl_source *s = r->source;

    r->header_next = false;
    if (is_header(r, line, length))
        return true;
    if (parse_row(r, line, length) == 0) {
        hl_damage(s->problems, s->path, r->lines.number,
                  "the line with the column names is missing");
        return false;
    }
    hl_damage(s->problems, s->path, r->lines.number,
              "these are not the columns of version %d; what follows is left out", r->version);
    r->version = -1;
    return true;
}

static int take_remark(struct reader *r, const char *line, size_t length)
{
    const struct hl_source *s = r->source;

    for (line++, length--; length && *line == ' '; line++)
        length--;
    return r->version > 0 && length ? hl_step_remark(s->table, s->step, s->node, line, length) : 0;
}

static const char version_mark[] = "# heapline ";
#define VERSION_MARK (sizeof(version_mark) - 1)

/* Deals with the current line, of bytes bytes. */
static int take_line(struct reader *r, size_t bytes)
{
    size_t length = bytes;
    const char *line = r->lines.buffer + r->lines.start;

    if (r->lines.number == 1 && length >= 3 && memcmp(line, BOM, 3) == 0) {
        line += 3;
        length -= 3;
    }
    line = trim(line, &length);
    if (length >= VERSION_MARK && memcmp(line, version_mark, VERSION_MARK) == 0) {
        take_version(r, line + VERSION_MARK, length - VERSION_MARK);
    } else if (length > 0 && *line == '#') {
        int rc = take_remark(r, line, length);

        if (rc)
            return rc;
    } else if (length > 0 && r->version > 0 && !(r->header_next && take_header(r, line, length))) {
        return take_row(r, bytes);
    } else if (length == 0 && bytes > 2 && r->seen) {
        hl_damage(r->source->problems, r->source->path, r->lines.number,
                  "%zu NUL bytes: what was written here is lost", bytes);
    }
    hl_lines_skip(&r->lines, bytes, 1);
    return 0;
}

static int take_long_line(struct reader *r)
{
    const struct hl_source *s = r->source;

    hl_damage(s->problems, s->path, r->lines.number, "a line of more than %d bytes is left out",
              HL_LINE_MAX);
    return hl_lines_skip_long(&r->lines);
}

static int read_all(struct reader *r)
{
    size_t bytes;
    int rc;

    while ((rc = hl_lines_peek(&r->lines, 0, &bytes)) != 0) {
        if (!r->seen && (r->searched += bytes) > SEARCH_BYTES)
            return -EBADMSG;
        if (rc == 1)
            rc = take_line(r, bytes);
        else if (rc == -E2BIG)
            rc = r->seen ? take_long_line(r) : -EBADMSG;
        if (rc < 0)
            return rc;
    }
    return r->seen ? 0 : -EBADMSG;
}

int hl_record_read(const struct hl_source *source)
{
    struct reader r = {.source = source};
    int rc = hl_lines_init(&r.lines, source->fd);

    if (rc)
        return rc;
    rc = csv_start(&r);
    if (rc == 0) {
        rc = read_all(&r);
        csv_free(&r.csv);
    }
    hl_lines_fini(&r.lines);
    if (rc && rc != -EBADMSG && rc != -ENOMEM) {
        hl_damage(source->problems, source->path, 0, "cannot be read on: %s", strerror(-rc));
        rc = 0;
    }
    return rc;
}
