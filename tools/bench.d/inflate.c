/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-inflate FILE: prints the seconds in which zlib alone inflates a gzip file of one member. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <zlib.h>

enum { PIECE = 128 * 1024, HEADER = 10 }; /* HEADER: without a name, as gzip writes it when it reads a pipe */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static uint8_t in[PIECE], out[PIECE];
    z_stream z = {0};
    int r = Z_OK;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;

    if (!file || fread(in, 1, HEADER, file) != HEADER || inflateInit2(&z, -MAX_WBITS) != Z_OK) {
        fputs("usage: ibbench-inflate FILE\n", stderr);
        return 1;
    }
    const double begin = now();
    while (r == Z_OK && (z.avail_in = (uInt)fread(in, 1, sizeof in, file)) > 0) {
        z.next_in = in;
        do {
            z.next_out = out;
            z.avail_out = sizeof out;
            r = inflate(&z, Z_NO_FLUSH);
        } while (r == Z_OK && z.avail_out == 0);
    }
    printf("%f\n", now() - begin);
    inflateEnd(&z);
    fclose(file);
    return r == Z_STREAM_END ? 0 : 2;
}
