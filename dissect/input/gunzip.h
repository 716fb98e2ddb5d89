/* SPDX-License-Identifier: BSD-2-Clause */
/* Inflates one member of a gzip file after another, by zlib. ISA-L is faster, but of a damaged member it gives another
 * number of bytes when it gets the member in pieces. */
#ifndef DISSECT_GUNZIP_H
#define DISSECT_GUNZIP_H
#include <stdint.h>

struct gunzip;
struct gunzip_io {
    const uint8_t *in; /* what is left of the input */
    uint32_t have;
    uint8_t *out; /* where the next byte goes */
    uint32_t room;
};
enum gunzip_result {
    GUNZIP_MORE, /* all input was taken, or all room */
    GUNZIP_END,  /* the member has ended, header and trailer are right */
    GUNZIP_BAD,
};

/* NULL: out of memory. A member may begin. */
struct gunzip *gunzip_open(void);
void gunzip_close(struct gunzip *g);
/* Another member begins. */
void gunzip_again(struct gunzip *g);
/* `fault` says what is bad. */
enum gunzip_result gunzip_run(struct gunzip *g, struct gunzip_io *io, const char **fault);
#endif
