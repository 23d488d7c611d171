/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * libFuzzer target: bytes as a record. */
#include "report/record_read.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    fuzz(data, length, hl_record_read);
    return 0;
}
