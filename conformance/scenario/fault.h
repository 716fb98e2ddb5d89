/* SPDX-License-Identifier: BSD-2-Clause */
/* The first error of a file: "FILE:LINE:COLUMN: what; did you mean 'x'?". */
#ifndef IBC_FAULT_H
#define IBC_FAULT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibc_fault {
    const char *path, *tail; /* tail: "" or text to append, for example the variation */
    char *err;               /* NULL: the caller wants no message */
    size_t errlen;
    bool set;
};
/* Reports a fault; line 0 means the file as a whole. Only the first fault is kept. Always false, so that callers
 * can return the result. */
bool ibc_fault(struct ibc_fault *f, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports "unknown WHAT 'word'" and the most similar of n names. Always false. */
bool ibc_fault_unknown(struct ibc_fault *f, uint32_t line, uint32_t column, const char *what, const char *word,
                       const char *(*name)(size_t i, const void *ctx), size_t n, const void *ctx);
#endif
