/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_OUTPUTS_H
#define DISSECT_OUTPUTS_H
#include "options.h"

/* Opening an input for writing would empty it, and two outputs in one file would overwrite each other. False with one
 * line in err: then nothing may be opened. */
bool outputs_are_apart(const struct options *opt, char *err, size_t errlen);
#endif
