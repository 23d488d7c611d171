/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * What becomes of LD_PRELOAD.  Pure text: this is where plugins of this kind
 * break, so it is tested without Slurm.
 *
 * ld.so takes ':' and ' ' as separators.  Our library comes first, and once;
 * all others keep their order (each once may matter to them, so their doubles
 * stay as well).
 */
#ifndef HL_PRELOAD_H
#define HL_PRELOAD_H

#include <stdbool.h>

/* old (NULL: unset) with library in front of it.  The caller frees the result;
 * NULL: no memory.  library has neither ':' nor ' ' in it. */
char *hl_preload_add(const char *old, const char *library);

/* old without library; "" if nothing is left.  Same ownership. */
char *hl_preload_remove(const char *old, const char *library);

/* Whether library is in old (NULL: no). */
bool hl_preload_has(const char *old, const char *library);

#endif
