/* SPDX-License-Identifier: BSD-2-Clause */
/* The scenario's text while it grows. If a line does not fit, the text is marked as full. */
#include <stdarg.h>
#include <stdio.h>
#include "predict.h"

void predict_print(struct predicting *f, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(f->text + f->used, FUZZ_TEXT - f->used, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= FUZZ_TEXT - f->used)
        f->full = true;
    else
        f->used += (size_t)n;
}
