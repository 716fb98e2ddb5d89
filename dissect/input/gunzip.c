/* SPDX-License-Identifier: BSD-2-Clause */
#include "gunzip.h"
#include <stdlib.h>
#include <isa-l/igzip_lib.h>

struct gunzip {
    struct inflate_state z;
};

struct gunzip *gunzip_open(void)
{
    struct gunzip *g = calloc(1, sizeof *g);

    if (g) {
        isal_inflate_init(&g->z);
        g->z.crc_flag = ISAL_GZIP; /* header and trailer are checked */
    }
    return g;
}

void gunzip_close(struct gunzip *g)
{
    free(g);
}

void gunzip_again(struct gunzip *g)
{
    isal_inflate_reset(&g->z);
    g->z.crc_flag = ISAL_GZIP;
}

enum gunzip_result gunzip_run(struct gunzip *g, struct gunzip_io *io, const char **fault)
{
    static const char *const faults[] = {NULL,
                                         "invalid block",
                                         "invalid code",
                                         "invalid distance",
                                         "invalid header",
                                         "unknown compression method",
                                         "incorrect data check"};

    g->z.next_in = (uint8_t *)(uintptr_t)io->in; /* it is only read */
    g->z.avail_in = io->have;
    g->z.next_out = io->out;
    g->z.avail_out = io->room;
    const int r = isal_inflate(&g->z);
    *io = (struct gunzip_io){g->z.next_in, g->z.avail_in, g->z.next_out, g->z.avail_out};
    *fault = r < 0 && (size_t)-r < sizeof faults / sizeof *faults ? faults[-r] : "it needs a dictionary";
    if (r < 0 || r == ISAL_NEED_DICT)
        return GUNZIP_BAD;
    return r == ISAL_DECOMP_OK && g->z.block_state == ISAL_BLOCK_FINISH ? GUNZIP_END : GUNZIP_MORE;
}
