/* SPDX-License-Identifier: BSD-2-Clause */
/* The gzip layer, seen through the readers. */
#include "bytes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include "stream.h"

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

/* ---- zlib as the witness: the program lets it check the header only, and checks the trailer itself ---- */

/* Inflates with all checks of zlib. Returns the length of the result; *fault: zlib's words, "" for none, NULL for a
 * stream that is cut. */
static size_t by_zlib(const struct bytes *z, uint8_t *to, size_t room, const char **fault)
{
    z_stream s = {.next_in = z->b, .avail_in = (uInt)z->n, .next_out = to, .avail_out = (uInt)room};
    cr_assert_eq(inflateInit2(&s, 16 + MAX_WBITS), Z_OK);
    const int r = inflate(&s, Z_NO_FLUSH);
    cr_assert(s.avail_out > 0);
    *fault = r == Z_STREAM_END ? "" : r == Z_DATA_ERROR ? s.msg : NULL;
    cr_assert(r == Z_STREAM_END || r == Z_DATA_ERROR || r == Z_OK || r == Z_BUF_ERROR);
    inflateEnd(&s);
    return room - s.avail_out;
}

/* Inflates as the program does. Returns the length. */
static size_t by_stream(const struct bytes *z, uint8_t *to, size_t room, char fault[96])
{
    struct cap_stream s;
    size_t n = 0, have;
    const int fd = memfd_create("f", MFD_CLOEXEC);
    cr_assert(fd >= 0 && write(fd, z->b, z->n) == (ssize_t)z->n && lseek(fd, 0, SEEK_SET) == 0);
    cr_assert(cap_stream_open(&s, fd) && cap_stream_fill(&s, 1) == z->n && cap_stream_gunzip(&s));
    while (cap_stream_fill(&s, 1) > 0) {
        have = cap_stream_have(&s);
        cr_assert(n + have <= room);
        memcpy(to + n, s.at, have);
        n += cap_stream_skip(&s, have);
    }
    memcpy(fault, s.fault, sizeof s.fault);
    cap_stream_close(&s);
    return n;
}

/* Compares both; true: zlib finds no fault. */
static bool same_as_by_zlib(const struct bytes *z)
{
    enum { ROOM = 64 * 1024 };
    static uint8_t theirs[ROOM], ours[ROOM];
    const char *fault;
    char said[96], expected[96];
    const size_t n = by_zlib(z, theirs, ROOM, &fault);
    cr_assert_eq(by_stream(z, ours, ROOM, said), n);
    cr_assert_eq(memcmp(ours, theirs, n), 0);
    snprintf(expected, sizeof expected, "%s%s", fault && fault[0] ? "bad gzip data: " : "",
             fault ? fault : "the gzip stream is cut");
    cr_assert_str_eq(said, expected);
    return fault && fault[0] == '\0';
}

/* Writes a member with all that a header can have. */
static void put_gzip_header(struct bytes *z, const struct bytes *f)
{
    static uint8_t extra[] = "extra", name[] = "name", comment[] = "comment";
    uint8_t out[16384];
    gz_header h = {.extra = extra, .extra_len = sizeof extra, .name = name, .comment = comment, .hcrc = 1};
    z_stream s = {.next_in = f->b, .avail_in = (uInt)f->n, .next_out = out, .avail_out = sizeof out};
    cr_assert_eq(deflateInit2(&s, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflateSetHeader(&s, &h), Z_OK);
    cr_assert_eq(deflate(&s, Z_FINISH), Z_STREAM_END);
    put(z, out, sizeof out - s.avail_out);
    deflateEnd(&s);
}

Test(stream, each_damaged_byte_is_reported_as_by_zlib)
{
    struct bytes f = noisy_pcap(2), z = {0};
    unsigned whole = 0;
    put_gzip_header(&z, &f);
    for (size_t at = 0; at < z.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            z.b[at] ^= (uint8_t)(1u << bit);
            whole += same_as_by_zlib(&z);
            z.b[at] ^= (uint8_t)(1u << bit);
        }
    cr_assert_lt(whole, 8u); /* bits between the last block and the trailer mean nothing; CRCs cover all others */
    cr_assert(same_as_by_zlib(&z));
    bytes_free(&f);
    bytes_free(&z);
}

Test(stream, each_cut_is_reported_as_by_zlib)
{
    struct bytes f = noisy_pcap(2), z = {0};
    put_gzip_header(&z, &f);
    for (const size_t n = z.n; z.n > 0; z.n--)
        cr_assert_eq(same_as_by_zlib(&z), z.n == n);
    bytes_free(&f);
    bytes_free(&z);
}

/* The header of a later member is checked, too, and so is its own trailer. */
Test(stream, each_member_is_checked)
{
    struct bytes f = sample(0), z = {0}, two = {0};
    put_gzip_header(&z, &f);
    put(&two, z.b, z.n);
    put(&two, z.b, z.n);
    const size_t at[] = {4, z.n - 8, z.n - 4, z.n + 4, 2 * z.n - 8, 2 * z.n - 1};
    static const char *const says[] = {"header crc mismatch", "incorrect data check", "incorrect length check"};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        two.b[at[i]] ^= 1;
        char said[96];
        uint8_t to[1024];
        cr_assert_eq(by_stream(&two, to, sizeof to, said), (i + 2) / 3 * f.n);
        cr_assert_not_null(strstr(said, says[i % 3]), "byte %zu: %s", at[i], said);
        two.b[at[i]] ^= 1;
    }
    bytes_free(&f);
    bytes_free(&z);
    bytes_free(&two);
}

/* A trailer whose bytes come from two reads of the file. */
Test(stream, a_trailer_is_checked_across_two_reads)
{
    struct bytes f = noisy_pcap(1000), z = {0};
    for (size_t shift = 0; shift <= 9; shift++) {
        z.n = 0;
        put_gzip(&z, f.b, f.n);
        const size_t fill = CAP_STREAM_LOOK + CAP_STREAM_PACKED - z.n + shift; /* an extra field, as RFC 1952 has it */
        struct bytes y = {0};
        put(&y, z.b, 10);
        y.b[3] |= 4;
        put16(&y, (uint16_t)(fill - 2), false);
        put_fill(&y, 0, fill - 2);
        put(&y, z.b + 10, z.n - 10);
        expect(&y, 1000, "");
        y.b[y.n - 5] ^= 0x80;
        cr_assert_not_null(strstr(read_all(y.b, y.n).line, "bad gzip data: incorrect data check"));
        y.b[y.n - 5] ^= 0x80;
        y.b[y.n - 1] ^= 0x80;
        cr_assert_not_null(strstr(read_all(y.b, y.n).line, "bad gzip data: incorrect length check"));
        bytes_free(&y);
    }
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
