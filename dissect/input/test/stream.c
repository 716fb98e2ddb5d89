/* SPDX-License-Identifier: BSD-2-Clause */
/* The gzip layer, seen through the readers. */
#include "bytes.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>

static void expect(const struct bytes *f, uint64_t packets, const char *line)
{
    struct outcome o = read_all(f->b, f->n);
    cr_assert_str_eq(o.line, line);
    cr_assert_eq(o.packets, packets);
}

Test(stream, gzip_of_every_format)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i), z = {0};
        put_gzip(&z, f.b, f.n);
        expect(&z, 3, "");
        bytes_free(&f);
        bytes_free(&z);
    }
}

Test(stream, members_anywhere_are_one_stream)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i);
        for (size_t cut = 0; cut <= f.n; cut++) {
            struct bytes z = {0};
            put_gzip(&z, f.b, cut);
            put_gzip(&z, "", 0);
            put_gzip(&z, f.b + cut, f.n - cut);
            expect(&z, 3, "");
            bytes_free(&z);
        }
        bytes_free(&f);
    }
}

Test(stream, zeros_behind_the_last_member_are_padding)
{
    struct bytes f = sample(0), z = {0};
    put_gzip(&z, f.b, f.n);
    put_fill(&z, 0, 512);
    expect(&z, 3, "");
    put_fill(&z, 'x', 3);
    expect(&z, 3, "f: after packet 3 at offset 0x87: bytes that are not gzip follow the gzip stream");
    bytes_free(&f);
    bytes_free(&z);
}

Test(stream, a_cut_gzip_file_gives_what_it_has)
{
    struct bytes f = noisy_pcap(5000), z = {0};
    put_gzip(&z, f.b, f.n);
    z.n /= 2;
    struct outcome o = read_all(z.b, z.n);
    cr_assert_geq(o.packets, 2000u);
    cr_assert_not_null(strstr(o.line, "f: cut in packet "));
    cr_assert_not_null(strstr(o.line, " bytes (the gzip stream is cut)"));
    z.n = 15;
    expect(&z, 0, "f: nothing to read (the gzip stream is cut)");
    bytes_free(&f);
    bytes_free(&z);
}

Test(stream, a_damaged_gzip_file_says_so)
{
    struct bytes f = noisy_pcap(50), z = {0};
    put_gzip(&z, f.b, f.n);
    z.b[z.n - 8] ^= 1;
    expect(&z, 50, "f: after packet 50 at offset 0x16c0: bad gzip data: incorrect data check");
    bytes_free(&f);
    bytes_free(&z);
}

Test(stream, an_empty_gzip_file_has_nothing_to_read)
{
    struct bytes z = {0};
    put_gzip(&z, "", 0);
    expect(&z, 0, "f: nothing to read");
    bytes_free(&z);
}

Test(stream, gzip_within_gzip_is_no_capture)
{
    struct bytes f = sample(0), z = {0}, zz = {0};
    put_gzip(&z, f.b, f.n);
    put_gzip(&zz, z.b, z.n);
    expect(&zz, 0, "f: not a capture file (no pcap, pcapng, ERF or gzip magic)");
    bytes_free(&f);
    bytes_free(&z);
    bytes_free(&zz);
}

/* 64 MiB of zeros in one block of an unknown type must take no memory. */
Test(stream, a_gzip_bomb_costs_time_only)
{
    static uint8_t zeros[1 << 20];
    struct bytes f = {0}, z = {0}, mega = {0};
    struct rusage before, after;
    ng_section(&f, false);
    put32(&f, 0xbad, false);
    put32(&f, 64 << 20, false);
    put_gzip(&z, f.b, f.n);
    put_gzip(&mega, zeros, sizeof zeros);
    for (int i = 0; i < 65; i++)
        put(&z, mega.b, mega.n);
    getrusage(RUSAGE_SELF, &before);
    struct outcome o = read_all(z.b, z.n);
    getrusage(RUSAGE_SELF, &after);
    cr_assert_str_eq(o.line, "f: block at offset 0x1c: its two lengths differ");
    cr_assert_lt(after.ru_maxrss - before.ru_maxrss, 8192); /* KiB, sanitizers included */
    bytes_free(&f);
    bytes_free(&z);
    bytes_free(&mega);
}
