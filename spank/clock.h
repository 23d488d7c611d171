/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * The time of day, as the manifest and the notes for the gather give it.
 */
#ifndef HL_CLOCK_H
#define HL_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970. */
int64_t hl_clock_unix_ms(void);

#endif
