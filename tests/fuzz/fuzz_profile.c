/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * libFuzzer target: bytes as a file of profiles. */
#include "report/profile_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    fuzz(data, length, hl_profile_file_read);
    return 0;
}
