/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks on the output of writers: it must be well formed, whatever the input contains. */
#ifndef FUZZ_WRITTEN_H
#define FUZZ_WRITTEN_H
#include "fuzz.h"

struct written {
    char *p; /* ends with 0; free() it */
    size_t n;
};
/* All of a file, noted. */
struct written written_by(int fd);
/* One value of JSON, followed by anything: where that begins. */
const char *written_json_value(const char *p, size_t n);
/* One value of JSON, and no byte 0. */
void written_json(const char *p, size_t n);
/* A value in each line, and the last line is ended, too. */
void written_json_lines(const char *p, size_t n);
/* A document that an XML parser which is not ours (expat) reads. */
void written_xml(const char *p, size_t n);
/* UTF-8 that a terminal only shows: of control characters line feeds and tabs, and with `colors` ESC[...m; no
 * character that reorders a line (system/text.h). */
void written_text(const char *p, size_t n, bool colors);
#endif
