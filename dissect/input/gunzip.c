/* SPDX-License-Identifier: BSD-2-Clause */
#include "gunzip.h"
#include <stdlib.h>
#define ZLIB_CONST /* the input is only read */
#include <zlib.h>

struct gunzip {
    z_stream z;
};

struct gunzip *gunzip_open(void)
{
    struct gunzip *g = calloc(1, sizeof *g);

    /* 16: a gzip header and trailer, checked by zlib */
    if (g && inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
        free(g);
        return NULL;
    }
    return g;
}

void gunzip_close(struct gunzip *g)
{
    if (g)
        inflateEnd(&g->z);
    free(g);
}

void gunzip_again(struct gunzip *g)
{
    inflateReset(&g->z);
}

enum gunzip_result gunzip_run(struct gunzip *g, struct gunzip_io *io, const char **fault)
{
    g->z.next_in = io->in;
    g->z.avail_in = io->have;
    g->z.next_out = io->out;
    g->z.avail_out = io->room;
    const int r = inflate(&g->z, Z_NO_FLUSH);
    *io = (struct gunzip_io){g->z.next_in, g->z.avail_in, g->z.next_out, g->z.avail_out};
    *fault = g->z.msg ? g->z.msg : zError(r);
    if (r == Z_STREAM_END)
        return GUNZIP_END;
    return r == Z_OK || r == Z_BUF_ERROR ? GUNZIP_MORE : GUNZIP_BAD;
}
