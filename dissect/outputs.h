/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_OUTPUTS_H
#define DISSECT_OUTPUTS_H
#include "options.h"

/* -w, --report or --summary writes to the standard output: packets are not printed. */
bool outputs_take_standard(const struct options *opt);
/* Opening an input for writing would empty it, and two outputs in one file would overwrite each other. False with one
 * line in err: then nothing may be opened. */
bool outputs_are_apart(const struct options *opt, char *err, size_t errlen);

/* All files are open: gives up root and capabilities, and confines the program to its open files, but for --no-sandbox.
 * A page that is renamed when it is whole keeps the right to rename in its folder; files of --every and --metrics,
 * which are made during the run, that to write in theirs. */
void outputs_confine(const struct options *opt);
#endif
