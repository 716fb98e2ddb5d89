/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines for the console, and what it answers. */
#ifndef IBF_TEST_CONSOLE_BED_H
#define IBF_TEST_CONSOLE_BED_H
#include "console.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "topology_text.h"

static struct topology *topology;

static inline void set(struct subnet *s, size_t node, unsigned port, uint16_t lid)
{
    struct iba_portinfo *info = &subnet_node(s, node)->n.port[port].info;

    info->portstate = IBA_PORT_ACTIVE;
    info->lid = lid;
    info->mastersmlid = 1;
    info->guid = UINT64_C(0xfec0000000000000) + (lid > 10 ? 2 : 1);
}

static inline void end(struct subnet *s)
{
    subnet_free(s);
    topology_free(topology);
}

static inline const char *answer(struct subnet *s, const char *line, enum console_result want)
{
    static char text[16384];
    char words[300];

    text[0] = 0;
    FILE *const to = fmemopen(text, sizeof text, "w");
    enum console_result r;

    (void)snprintf(words, sizeof words, "%s", line);
    r = console_line(s, words, to);
    (void)fclose(to);
    cr_assert_eq(r, want, "%s: %s", line, text);
    return text;
}

struct row {
    const char *line, *says;
};

static inline void table(struct subnet *s, const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *says =
            answer(s, row[i].line, strncmp(row[i].says, "error: ", 7) == 0 ? CONSOLE_WRONG : CONSOLE_DONE);
        const size_t n_says = strlen(row[i].says);
        cr_assert(strncmp(says, row[i].says, n_says) == 0 && strcmp(says + n_says, "\n") == 0, "%s:\n%s", row[i].line,
                  says);
    }
}

#define TABLE(s, rows) table(s, rows, sizeof(rows) / sizeof *(rows))

#endif
