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
void written_json(const char *p, size_t n);
/* Lines of it, the last one ended too. */
void written_json_lines(const struct written *t);
/* Elements nest, attributes are quoted, no character is there that XML forbids, each & begins an entity. */
void written_xml(const struct written *t);
#endif
