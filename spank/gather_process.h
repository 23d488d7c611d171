/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * Is the process that a profile belongs to still there?
 */
#ifndef HL_GATHER_PROCESS_H
#define HL_GATHER_PROCESS_H

#include "spank/gather_images.h"

/* Asks /proc: a process with this pid that is no zombie, started before the
 * process' first image was loaded, and has the profile mapped.  Where its maps
 * cannot be read, being the caller's own has to do.  Never blocks on the
 * process, never signals it. */
enum hl_life hl_process_life(const struct hl_image *image, const struct hl_image *first);

/* Start of a process in ns of CLOCK_BOOTTIME from the text of /proc/PID/stat;
 * -1 if the text is none or it is a zombie. */
int64_t hl_process_start_ns(const char *stat);

/* Do the maps that in yields (text of /proc/PID/maps) have this inode? */
bool hl_process_maps(int fd, ino_t inode, bool *any);

#endif
