/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_OUTPUTS_H
#define DISSECT_OUTPUTS_H
#include "options.h"

/* Whether -w, --report or --summary writes to the standard output: then no packets are printed. */
bool outputs_take_standard(const struct options *opt);
/* Whether no output is an input or another output: opening an input for writing would empty it, and two outputs in one
 * file would overwrite each other. False with one line in err: then nothing may be opened. */
bool outputs_are_apart(const struct options *opt, char *err, size_t errlen);

/* Called when all files are open: gives up root and capabilities, and confines the program to its open files, unless
 * --no-sandbox is given. For a page that is renamed when it is complete, the program keeps the right to rename in the
 * page's folder; for files of --every and --metrics, which are made during the run, the right to write in their
 * folders. `threads`: it keeps the right to start threads. */
void outputs_confine(const struct options *opt, bool threads);
#endif
