/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Profiles, whole and hostile, to figures.  Each copy is made of exactly its
 * length on the heap, so that a sanitizer sees a byte too far.
 */
#include "libheapline/profile_read.h"
#include "tests/unit/report.h"

#include <errno.h>
#include <string.h>

#define USED (HL_SLOTS_OFFSET + 3 * sizeof(struct hl_slot))

static char *bytes;
static struct hl_profile profile;
static struct hl_error err;

static struct hl_profile_header *header(void)
{
    return (struct hl_profile_header *)(void *)bytes;
}

static int64_t *metrics(void)
{
    return (int64_t *)(void *)(bytes + HL_METRICS_OFFSET);
}

static struct hl_identity *identity(void)
{
    return (struct hl_identity *)(void *)(bytes + HL_IDENTITY_OFFSET);
}

static struct hl_slot *slot(int n)
{
    return (struct hl_slot *)(void *)(bytes + HL_SLOTS_OFFSET) + n;
}

static void setup(void)
{
    const struct hl_section sections[] = {
        {HL_SECTION_METRICS, 1, HL_METRICS_OFFSET, 512, 8, HL_METRICS_ROOM},
        {HL_SECTION_IDENTITY, 1, HL_IDENTITY_OFFSET, sizeof(struct hl_identity),
         sizeof(struct hl_identity), 1},
        {99, 7, 0, 8, 8, 1}, /* of a later heapline: to be skipped */
        {HL_SECTION_SLOTS, 1, HL_SLOTS_OFFSET, HL_SLOT_COUNT * sizeof(struct hl_slot),
         sizeof(struct hl_slot), HL_SLOT_COUNT},
    };

    bytes = calloc(1, USED);
    ck_assert_ptr_nonnull(bytes);
    memset(&err, 0, sizeof(err));
    memcpy(header()->magic, HL_PROFILE_MAGIC, 8);
    header()->byte_order = HL_PROFILE_ORDER;
    header()->version = HL_PROFILE_VERSION;
    header()->file_bytes = HL_PROFILE_BYTES;
    header()->used_bytes = USED;
    header()->section_count = 4;
    memcpy(header()->sections, sections, sizeof(sections));
    identity()->rank = 3;
    identity()->pid = 51234;
    identity()->start_unix_ns = INT64_C(1780000000123456789);
    (void)strcpy(identity()->exe, "/usr/bin/app");
    metrics()[HL_M_SINGLE_PEAK] = 5000;
    metrics()[HL_M_SINGLE_PEAK_TIME] = 4211000000;
    metrics()[HL_M_THREADS] = 2;
}

static void teardown(void)
{
    free(bytes);
}

/* Thread one: 3 mallocs and a calloc of 100 bytes in all, a realloc of 50 that
 * took 30, a free of 20; what is derived is left out, as the library does. */
static void fill_slots(void)
{
    *hl_slot_class(slot(1), hl_class_of(24)) = 5;
    *hl_slot_word(slot(1), HL_W_CALLS + HL_F_CALLOC) = 1;
    *hl_slot_word(slot(1), HL_W_CALLS + HL_F_REALLOC) = 1;
    *hl_slot_word(slot(1), HL_W_CALLS + HL_F_FREE) = 1;
    *hl_slot_word(slot(1), HL_W_BYTES + HL_F_MALLOC) = 30; /* beyond 5 * 24 */
    *hl_slot_word(slot(1), HL_W_BYTES + HL_F_CALLOC) = 40;
    *hl_slot_word(slot(1), HL_W_BYTES + HL_F_REALLOC) = 50;
    *hl_slot_word(slot(1), HL_W_RELEASED_CALLS) = 1;
    *hl_slot_word(slot(1), HL_W_RELEASED_BYTES) = 30;
    *hl_slot_net(slot(1)) = HL_NET_BIAS + 100;
    /* thread two only released what thread one had: a negative net */
    *hl_slot_word(slot(2), HL_W_CALLS + HL_F_FREE) = 2;
    *hl_slot_net(slot(2)) = HL_NET_BIAS - 70;
    *hl_slot_word(slot(0), HL_W_FAILED + HL_F_MALLOC) = 4; /* a slot that never counted a block */
}

START_TEST(folds_slots)
{
    fill_slots();
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    ck_assert_uint_eq(profile.allocs, 5);
    ck_assert_uint_eq(profile.frees, 4);
    ck_assert_uint_eq(profile.calls[HL_F_MALLOC], 3);
    ck_assert_uint_eq(profile.bytes[HL_F_FREE], 20 + 70);
    ck_assert_uint_eq(profile.failed[HL_F_MALLOC], 4);
    ck_assert_int_eq(profile.live_bytes, 30);
    ck_assert_int_eq(profile.peak_bytes, 5000);
    ck_assert_int_eq(profile.peak_time_ns, 4211000000);
}
END_TEST

START_TEST(inherited_heap_is_live)
{
    metrics()[HL_M_INHERITED] = 700;
    *hl_slot_net(slot(1)) = HL_NET_BIAS - 200;
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    ck_assert_int_eq(profile.live_bytes, 500);
}
END_TEST

START_TEST(peak_is_never_below_live)
{
    *hl_slot_net(slot(1)) = HL_NET_BIAS + 6000;
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    ck_assert_int_eq(profile.peak_bytes, 6000);
}
END_TEST

START_TEST(row_of_a_killed_process)
{
    struct hl_row row;

    fill_slots();
    metrics()[HL_M_VMHWM] = 8192;
    metrics()[HL_M_VMRSS] = 4096;
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    hl_profile_row(&profile, &row);
    ck_assert_int_eq(row.cell[HL_C_RANK].i, 3);
    ck_assert_str_eq(row.cell[HL_C_ENDED].s, "vanished");
    ck_assert_int_eq(row.cell[HL_C_ELAPSED].i, -1);
    ck_assert_int_eq(row.cell[HL_C_EXIT_CODE].i, -1);
    ck_assert_int_eq(row.cell[HL_C_SIGNAL].i, -1);
    ck_assert_int_eq(row.cell[HL_C_VMHWM].i, 8192);
    ck_assert_int_eq(row.cell[HL_C_VMRSS].i, -1);
    ck_assert_int_eq(row.cell[HL_C_START].i, INT64_C(1780000000123));
    ck_assert_str_eq(row.cell[HL_C_ROLE].s, "");
    ck_assert_str_eq(row.cell[HL_C_SOURCE].s, "profile");
}
END_TEST

START_TEST(row_of_an_exit)
{
    struct hl_row row;

    metrics()[HL_M_END] = HL_END_EXIT;
    metrics()[HL_M_END_TIME] = 12480999999;
    metrics()[HL_M_EXIT_CODE] = 7;
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    hl_profile_row(&profile, &row);
    ck_assert_str_eq(row.cell[HL_C_ENDED].s, "exit");
    ck_assert_int_eq(row.cell[HL_C_ELAPSED].i, 12480);
    ck_assert_int_eq(row.cell[HL_C_EXIT_CODE].i, 7);
    ck_assert_int_eq(row.cell[HL_C_SIGNAL].i, 0);
}
END_TEST

START_TEST(strings_without_end)
{
    memset(identity()->exe, 'e', sizeof(identity()->exe));
    memset(identity()->args, 'a', sizeof(identity()->args));
    identity()->args_bytes = INT64_MAX;
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), 0);
    ck_assert_uint_eq(strlen(profile.identity.exe), sizeof(profile.identity.exe) - 1);
    ck_assert_int_eq(profile.identity.args_bytes, 0);
}
END_TEST

enum field { MAGIC, ORDER, VERSION, USED_BYTES, SECTIONS, OFFSET, LENGTH, ENTRY, COUNT_FIELD };

static const struct {
    enum field field;
    uint64_t value;
    int want;
} bad[] = {
    {MAGIC, 'H', -EBADMSG},
    {ORDER, 0x04030201, -EPROTONOSUPPORT},
    {VERSION, 2, -EPROTONOSUPPORT},
    {USED_BYTES, 0, -EBADMSG},
    {USED_BYTES, USED + 8, -ENODATA},
    {USED_BYTES, UINT64_MAX, -EBADMSG},
    {USED_BYTES, HL_PROFILE_BYTES + 1, -EBADMSG},
    {SECTIONS, 9, -EBADMSG},
    {SECTIONS, UINT32_MAX, -EBADMSG},
    {SECTIONS, 0, -EBADMSG},
    {OFFSET, USED + 8, -EBADMSG},
    {OFFSET, UINT64_MAX - 7, -EBADMSG},
    {OFFSET, 513, -EBADMSG},
    {LENGTH, 8, -EBADMSG},
    {ENTRY, 4, -EBADMSG},
    {ENTRY, 0, -EBADMSG},
    {COUNT_FIELD, 1, -EBADMSG},
};

static void damage(enum field field, uint64_t value)
{
    struct hl_section *section = &header()->sections[0];

    switch (field) {
    case MAGIC:
        header()->magic[0] = (char)value;
        break;
    case ORDER:
        header()->byte_order = (uint32_t)value;
        break;
    case VERSION:
        header()->version = (uint32_t)value;
        break;
    case USED_BYTES:
        header()->used_bytes = value;
        break;
    case SECTIONS:
        header()->section_count = (uint32_t)value;
        break;
    case OFFSET:
        section->offset = value;
        break;
    case LENGTH:
        section->length = value;
        break;
    case ENTRY:
        section->entry_bytes = (uint32_t)value;
        break;
    case COUNT_FIELD:
        section->entry_count = (uint32_t)value;
        break;
    }
}

START_TEST(refuses_damage)
{
    damage(bad[_i].field, bad[_i].value);
    ck_assert_int_eq(hl_profile_fold(bytes, USED, &profile, &err), bad[_i].want);
    ck_assert(err.text[0]);
}
END_TEST

START_TEST(every_prefix_is_refused)
{
    for (size_t length = 0; length < USED; length++) {
        char *copy = malloc(length ? length : 1);

        ck_assert_ptr_nonnull(copy);
        memcpy(copy, bytes, length);
        ck_assert_int_lt(hl_profile_fold(copy, length, &profile, NULL), 0);
        free(copy);
    }
}
END_TEST

START_TEST(length_says_what_is_missing)
{
    size_t whole = 0;

    ck_assert_int_eq(hl_profile_length(bytes, USED, &whole, &err), 0);
    ck_assert_uint_eq(whole, USED);
    ck_assert_int_eq(hl_profile_length(bytes, 600, &whole, &err), -ENODATA);
    ck_assert_uint_eq(whole, USED);
    header()->used_bytes = USED - 3;
    ck_assert_int_eq(hl_profile_length(bytes, USED, &whole, &err), 0);
    ck_assert_uint_eq(whole, USED);
}
END_TEST

START_TEST(size_classes)
{
    ck_assert_uint_eq(hl_class_of(0), 2); /* the first one: no block is smaller */
    ck_assert_uint_eq(hl_class_of(UINT64_MAX), HL_CLASS_COUNT - 1);
    for (unsigned c = 3; c < HL_CLASS_COUNT; c++) {
        ck_assert_uint_eq(hl_class_of(hl_class_floor(c)), c);
        ck_assert_uint_eq(hl_class_of(hl_class_floor(c) - 1), c - 1);
    }
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("profile_read");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, folds_slots);
    tcase_add_test(tests, inherited_heap_is_live);
    tcase_add_test(tests, peak_is_never_below_live);
    tcase_add_test(tests, row_of_a_killed_process);
    tcase_add_test(tests, row_of_an_exit);
    tcase_add_test(tests, strings_without_end);
    tcase_add_loop_test(tests, refuses_damage, 0, sizeof(bad) / sizeof(bad[0]));
    tcase_add_test(tests, every_prefix_is_refused);
    tcase_add_test(tests, length_says_what_is_missing);
    tcase_add_test(tests, size_classes);
    return run_case(tests, "profile_read");
}
