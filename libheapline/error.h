/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 The heapline authors
 *
 * One idiom for errors in the tools (gather, report): a function returns 0 or
 * -errno and puts one line for people into a struct hl_error; only main
 * prints.  Not for the preload library, which has nobody to tell.
 */
#ifndef HL_ERROR_H
#define HL_ERROR_H

struct hl_error {
    char text[256];
};

/* Formats the text (NULL err: nothing) and returns code, so that an error is
 * one line: return hl_fail(err, -EINVAL, "%s: bad magic", path); */
#ifdef HL_SILENT /* the preload library: no stdio, nobody to tell */
__attribute__((format(printf, 3, 4))) static inline int hl_fail(struct hl_error *err, int code,
                                                                const char *format, ...)
{
    (void)err;
    (void)format;
    return code;
}
#else
int hl_fail(struct hl_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif

#endif
