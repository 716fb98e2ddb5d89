/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of reading: other programs' files, descriptors, read errors, what is in memory already, and pcapng files whose
 * later parts are wrong. */
#include "bytes.h"
#include "pcapng_write.h"
#include "system/signals.h"
#include "test/descriptors.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void expect(const void *data, size_t n, uint64_t packets, const char *line)
{
    struct outcome o = read_all(data, n);

    cr_expect_eq(o.packets, packets, "%lu packets: %s", (unsigned long)o.packets, o.line);
    cr_expect_str_eq(o.line, line, "%s", o.line);
}

static struct capture *opened(const struct bytes *f)
{
    char err[256];
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);

    cr_assert(c, "%s", err);
    return c;
}

/* ---- files of other programs ---- */

Test(edges, compressed_files_say_how_to_read_them)
{
    static const char none[] = "f: not a capture file (no pcap, pcapng, ERF or gzip magic)";
    static const struct {
        uint8_t magic[8];
        size_t n;
        const char *line;
    } rows[] = {
        {{0x28, 0xb5, 0x2f, 0xfd}, 4, "f: compressed by zstd: zstdcat FILE | ibdissect -"},
        {{0xfd, '7', 'z', 'X', 'Z', 0}, 6, "f: compressed by xz: xzcat FILE | ibdissect -"},
        {{0x04, 0x22, 0x4d, 0x18}, 4, "f: compressed by lz4: lz4cat FILE | ibdissect -"},
        {{'B', 'Z', 'h'}, 3, "f: compressed by bzip2: bzcat FILE | ibdissect -"},
        {{'P', 'K', 3, 4}, 4, "f: a zip archive: unzip -p FILE | ibdissect -"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t whole[40] = {0};
        memset(whole, 0xf3, sizeof whole);
        memcpy(whole, rows[i].magic, rows[i].n);
        expect(whole, rows[i].n, 0, rows[i].line);
        expect(whole, sizeof whole, 0, rows[i].line);
        expect(whole, rows[i].n - 1, 0, none);
        whole[rows[i].n - 1] ^= 1;
        expect(whole, sizeof whole, 0, none);
    }
}

/* The shortest files of each format: one byte less is a cut header. */
Test(edges, the_shortest_files)
{
    struct bytes f = {0};

    ng_section(&f, false);
    cr_assert_eq(f.n, 28);
    expect(f.b, 28, 0, "");
    expect(f.b, 27, 0, "f: cut in the file header (27 of 28 bytes)");
    bytes_free(&f);
}

/* ---- descriptors ---- */

Test(edges, descriptors_are_closed)
{
    const unsigned before = descriptors();
    struct bytes f = sample(0);
    char err[256];
    struct cap_packet p;

    cr_expect_null(open_bytes("hello", 5, err, sizeof err));
    cr_expect_eq(descriptors(), before, "of a file that is none");
    cr_expect_null(cap_open("/", err, sizeof err));
    cr_expect_eq(descriptors(), before, "of a folder");
    struct capture *c = opened(&f);
    cr_expect_eq(descriptors(), before + 1);
    cr_expect_eq(cap_next(c, &p), CAP_PACKET);
    cap_close(c);
    cr_expect_eq(descriptors(), before);
    struct bytes large = noisy_pcap(5000), packed = {0};
    put_gzip(&packed, large.b, large.n);
    c = opened(&packed);
    cr_assert(cap_can_ahead(c));
    cap_ahead(c);
    cap_close(c);
    cr_expect_eq(descriptors(), before, "of a file that a thread inflates");
    bytes_free(&large);
    bytes_free(&packed);
    bytes_free(&f);
}

Test(edges, standard_input)
{
    char err[256];

    (void)close(STDIN_FILENO);
    cr_expect_null(cap_open("-", err, sizeof err));
    cr_expect_str_eq(err, "stdin: Bad file descriptor");
    cr_assert_eq(open("/dev/null", O_RDONLY), STDIN_FILENO);
    cr_expect_null(cap_open("-", err, sizeof err));
    cr_expect_str_eq(err, "stdin: empty file");
    cr_expect_geq(fcntl(STDIN_FILENO, F_GETFD), 0, "the program's own descriptor stays open");
}

Test(edges, files_that_cannot_be_read)
{
    struct bytes f = sample(0);
    char err[256];
    struct cap_packet p;
    const int only_written = open("/dev/null", O_WRONLY | O_CLOEXEC);

    cr_expect_null(cap_open_fd(only_written, "f", err, sizeof err));
    cr_expect_str_eq(err, "f: nothing to read (read error: Bad file descriptor)", "%s", err);
    /* a file in pieces, whose descriptor is exchanged for one that cannot be read */
    const int fd = memfd_create("f", 0), other = open("/dev/null", O_WRONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && other >= 0 && write(fd, f.b, f.n) == (ssize_t)f.n && lseek(fd, 0, SEEK_SET) == 0);
    struct capture *c = cap_open_fd(fd, "f", err, sizeof err);
    cr_assert(c, "%s", err);
    uint8_t *piece = calloc(1, 64 + CAP_PIECE_MORE);
    memcpy(piece, f.b, 64);
    cap_piece(c, piece, 30, 30 + CAP_PIECE_MORE, 0);
    cr_assert_eq(dup2(other, fd), fd);
    cr_expect_eq(cap_read_at(c, piece + 40, 8, 0), -1);
    cr_expect_eq(cap_next(c, &p), CAP_ERROR);
    cr_expect_str_eq(cap_error(c), "f: cut in packet 1 at offset 0x18: 6 of 16 bytes (read error: Bad file descriptor)",
                     "%s", cap_error(c));
    cap_close(c);
    (void)close(other);
    free(piece);
    bytes_free(&f);
}

/* The end to read of a pipe with the first `n` bytes; `*other`: the end to write. */
static int pipe_with(const struct bytes *b, size_t n, int *other)
{
    int ends[2];

    cr_assert(pipe(ends) == 0 && write(ends[1], b->b, n) == (ssize_t)n);
    *other = ends[1];
    return ends[0];
}

/* A signal ends the wait for bytes of a pipe, and no byte is lost. */
Test(edges, a_signal_while_a_pipe_is_read)
{
    struct bytes f = sample(0), z = {0};
    struct cap_packet p;
    char err[256];
    int other;

    put_gzip(&z, f.b, f.n);
    cr_assert(signals_mind(NULL));
    struct capture *c = cap_open_fd(pipe_with(&f, f.n - 3, &other), "f", err, sizeof err);
    cr_assert(c, "%s", err);
    cr_expect(cap_next(c, &p) == CAP_PACKET && cap_next(c, &p) == CAP_PACKET);
    (void)raise(SIGTERM);
    cr_expect_eq(cap_next(c, &p), CAP_END);
    cr_expect_str_eq(cap_error(c), "");
    cap_close(c);
    (void)close(other);
    /* The signal that came above still counts. */
    cr_expect_null(cap_open_fd(pipe_with(&z, z.n / 2, &other), "f", err, sizeof err));
    cr_expect_str_eq(err, "f: a signal came before its first packet", "%s", err);
    (void)close(other);
    bytes_free(&f);
    bytes_free(&z);
}

/* ---- properties ---- */

static size_t in_use(void)
{
    const struct mallinfo2 m = mallinfo2(); /* all 0 with a sanitizer, which looks for leaks itself */

    return m.uordblks + m.hblkhd;
}

/* A capture gives all memory back, in whatever state it is closed: read for `packets` packets, or with a thread. */
static void read_and_close(const struct bytes *f, unsigned packets, bool ahead)
{
    char err[256];
    struct cap_packet p;
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);

    if (c && ahead)
        cap_ahead(c);
    while (c && packets-- > 0 && cap_next(c, &p) == CAP_PACKET)
        ;
    cap_close(c);
}

Test(edges, memory_is_given_back)
{
    enum { TURNS = 10 }; /* malloc() keeps up to seven blocks of each size, which look as if they were in use */
    struct bytes large = noisy_pcap(5000), packed = {0};
    size_t before = 0;

    put_gzip(&packed, large.b, large.n);
    for (unsigned turn = 0; turn < 2 * TURNS; turn++) {
        if (turn == TURNS)
            before = in_use();
        for (unsigned i = 0; i < SAMPLES; i++) {
            struct bytes f = sample((int)i), z = {0};
            put_gzip(&z, f.b, f.n);
            read_and_close(&f, turn % 5, false);
            read_and_close(&z, turn % 5, false);
            f.n = 20;
            read_and_close(&f, 1, false);
            bytes_free(&f);
            bytes_free(&z);
        }
        read_and_close(&packed, 5000, false);
        read_and_close(&packed, 100, true);
        read_and_close(&(struct bytes){.b = packed.b, .n = 20}, 1, false);
    }
    cr_expect_eq(in_use(), before, "%zu, and %zu before", in_use(), before);
    bytes_free(&large);
    bytes_free(&packed);
}

Test(edges, which_files_can_be_read_in_pieces)
{
    struct bytes f = sample(0), z = {0};
    uint64_t done, total;
    int ends[2];
    char err[256];

    put_gzip(&z, f.b, f.n);
    struct capture *plain = opened(&f), *zipped = opened(&z);
    cr_expect(cap_in_pieces(plain) && !cap_in_pieces(zipped));
    cr_expect(!cap_is_live(plain) && !cap_is_live(zipped));
    cr_expect_str_eq(cap_name(plain), "f");
    cap_progress(plain, &done, &total);
    cr_expect(total == f.n && done == f.n);
    cap_close(plain);
    cap_close(zipped);
    cr_assert(pipe(ends) == 0 && write(ends[1], f.b, f.n) == (ssize_t)f.n && close(ends[1]) == 0);
    struct capture *piped = cap_open_fd(ends[0], "f", err, sizeof err);
    cr_assert(piped, "%s", err);
    cr_expect_not(cap_in_pieces(piped));
    cap_tell_quiet(piped); /* means nothing to a file */
    struct cap_packet p;
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(cap_next(piped, &p), CAP_PACKET);
    cr_expect_eq(cap_next(piped, &p), CAP_END);
    cap_close(piped);
    bytes_free(&f);
    bytes_free(&z);
}

/* A record is in memory already if the piece has all of it. */
Test(edges, what_is_in_memory)
{
    enum { HEADER = 24, RECORD = 16 + 20 };
    struct bytes f = {0};

    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    pcap_record(&f, false, 1, 1, 20, 7);
    pcap_record(&f, false, 2, 2, 20, 8);
    uint8_t *piece = calloc(1, f.n + CAP_PIECE_MORE);
    for (unsigned minor = 3; minor < 5; minor++)
        for (size_t have = HEADER; have <= f.n; have++) {
            struct cap_packet p;
            f.b[6] = (uint8_t)minor;
            memcpy(piece, f.b, f.n);
            memset(piece + have, 0xff, f.n - have); /* is not to be read */
            struct capture *c = opened(&f);
            cap_piece(c, piece, have, f.n + CAP_PIECE_MORE, 0);
            cr_expect_eq(cap_ready(c), minor == 4 && have >= HEADER + RECORD, "%u %zu", minor, have);
            cr_expect_eq(cap_next(c, &p), CAP_PACKET);
            cr_expect(p.offset == HEADER && p.caplen == 20 && p.data[19] == 7);
            cr_expect_eq(cap_ready(c), minor == 4 && have >= HEADER + 2 * RECORD, "%u %zu", minor, have);
            cr_expect(cap_next(c, &p) == CAP_PACKET && p.offset == HEADER + RECORD && p.data[0] == 8);
            cr_expect_eq(cap_next(c, &p), CAP_END);
            cr_expect_not(cap_ready(c));
            cap_close(c);
        }
    memcpy(piece, f.b, f.n);
    piece[HEADER + 8 + 3] = 0x7f; /* a length that is no record's */
    struct capture *c = opened(&f);
    cap_piece(c, piece, f.n, f.n + CAP_PIECE_MORE, 0);
    cr_expect_not(cap_ready(c));
    cap_close(c);
    free(piece);
    bytes_free(&f);
}

/* Of version 2.3 the lengths are swapped where the captured one would be the longer one. */
Test(edges, lengths_of_version_2_3)
{
    struct bytes f = {0};
    struct cap_packet p;

    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    f.b[6] = 3;
    pcap_record(&f, false, 1, 1, 20, 7);
    f.b[24 + 12] = 60; /* the length on the wire */
    const size_t second = f.n;
    pcap_record(&f, false, 1, 1, 20, 8);
    f.b[second + 8] = 60;
    struct capture *c = opened(&f);
    cr_expect(cap_next(c, &p) == CAP_PACKET && p.caplen == 20 && p.len == 60 && p.data[0] == 7);
    cr_expect(cap_next(c, &p) == CAP_PACKET && p.caplen == 20 && p.len == 60 && p.data[0] == 8);
    cr_expect_eq(cap_next(c, &p), CAP_END);
    cap_close(c);
    bytes_free(&f);
}

/* ---- pcapng ---- */

/* Blocks after a section of an unknown version are not read. */
Test(edges, a_later_section_of_an_unknown_version)
{
    struct bytes f = {0};

    ng_section(&f, false);
    ng_interface(&f, false, 1, 65535, NULL);
    ng_packet(&f, false, 0, 1, 10, 1, NULL);
    const size_t second = f.n;
    ng_section(&f, false);
    ng_interface(&f, false, 1, 65535, NULL);
    ng_packet(&f, false, 0, 1, 10, 1, NULL);
    expect(f.b, f.n, 2, "");
    f.b[second + 14] = 2; /* 1.2 */
    expect(f.b, f.n, 2, "");
    f.b[second + 14] = 1;
    expect(f.b, f.n, 1, "f: pcapng version 1.1 is not known (1.0 and 1.2 are)");
    f.b[second + 14] = 0;
    f.b[second + 12] = 2;
    expect(f.b, f.n, 1, "f: pcapng version 2.0 is not known (1.0 and 1.2 are)");
    bytes_free(&f);
}

Test(edges, places_and_interfaces_of_packets)
{
    enum { MANY = 40 };
    struct bytes f = {0};
    struct cap_packet p;
    uint64_t at[MANY];

    ng_section(&f, false);
    for (unsigned i = 0; i < MANY; i++)
        ng_interface(&f, false, (uint16_t)(100 + i), 65535, NULL);
    for (unsigned i = 0; i < MANY; i++) {
        at[i] = f.n;
        ng_packet(&f, false, MANY - 1 - i, i, 5 + i, (uint8_t)i, NULL);
    }
    struct capture *c = opened(&f);
    for (unsigned i = 0; i < MANY; i++) {
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_expect(p.offset == at[i] && p.iface == MANY - 1 - i && p.dlt == 100 + MANY - 1 - i && p.ts_ns == 1000u * i);
        cr_expect(p.caplen == 5 + i && p.number == i + 1 && p.point == 0 && !p.iface_name && !p.comment);
    }
    cr_expect_eq(cap_next(c, &p), CAP_END);
    cap_close(c);
    bytes_free(&f);
}

/* Interfaces of one name are one capture point, in any section; those of other names are others. */
Test(edges, capture_points)
{
    static const char *const names[] = {"eth0", "eth1", "fth0", "e", "eth0", "0hte", "eth00"};
    enum { N = sizeof names / sizeof *names };
    struct bytes f = {0};
    struct cap_packet p;
    uint32_t point[N];

    for (unsigned i = 0; i < N; i++) {
        struct bytes options = {0};
        ng_option(&options, false, 2, names[i], (uint16_t)strlen(names[i]));
        put32(&options, 0, false);
        if (i % 3 == 0)
            ng_section(&f, false);
        ng_interface(&f, false, 1, 0, &options);
        ng_packet(&f, false, i % 3, 1, 4, 1, NULL);
        bytes_free(&options);
    }
    struct capture *c = opened(&f);
    for (unsigned i = 0; i < N; i++) {
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_expect_str_eq(p.iface_name, names[i]);
        point[i] = p.point;
        cr_expect(p.point % 2 == 1 && p.point < 1 << 24, "%s: %x", names[i], p.point);
        for (unsigned k = 0; k < i; k++)
            cr_expect_eq(point[k] == point[i], strcmp(names[k], names[i]) == 0, "%s %s", names[k], names[i]);
    }
    cap_close(c);
    bytes_free(&f);
}

/* Names and options of interfaces are kept up to 1 MiB; those that no longer fit are left out. */
Test(edges, names_beyond_the_memory_for_them)
{
    enum { WHOLE = 8, LONG = 65000, LEFT = 1024 * 1024 - WHOLE * (LONG + 1 + 4 + LONG + 1) };
    static char name[LONG];

    memset(name, 'x', sizeof name);
    for (unsigned more = 0; more < 2; more++) {
        struct bytes f = {0};
        struct cap_packet p;
        ng_section(&f, false);
        for (unsigned i = 0; i <= WHOLE; i++) {
            struct bytes options = {0};
            ng_option(&options, false, 2, name, (uint16_t)(i < WHOLE ? LONG : LEFT - 1 + more));
            put32(&options, 0, false);
            ng_interface(&f, false, 1, 0, &options);
            ng_packet(&f, false, i, 1, 4, 1, NULL);
            bytes_free(&options);
        }
        struct capture *c = opened(&f);
        for (unsigned i = 0; i <= WHOLE; i++) {
            cr_assert_eq(cap_next(c, &p), CAP_PACKET);
            cr_expect_eq(p.iface_name != NULL, i < WHOLE || !more, "%u %u", i, more);
            cr_expect_eq(p.iface_options.bytes, i < WHOLE ? 4 + LONG : 0);
        }
        cap_close(c);
        bytes_free(&f);
    }
}

/* Ticks of 2^-n s (pcapng 4.2, if_tsresol). */
Test(edges, binary_fractions_of_a_second)
{
    static const struct {
        uint8_t exponent;
        uint64_t ticks, ns;
    } rows[] = {
        {1, 3, 1500000000},
        {20, UINT64_C(3) << 19, 1500000000},
        {33, UINT64_C(5) << 31, 1250000000},
        {34, UINT64_C(5) << 32, 1250000000},
        {35, UINT64_C(5) << 33, 1250000000},
        {40, UINT64_C(5) << 38, 1250000000},
        {62, UINT64_C(3) << 61, 1500000000},
        {63, UINT64_C(1) << 63, 1000000000},
        {63, UINT64_C(3) << 62, 1500000000},
        {64, UINT64_C(1) << 63, 500000000},
        {65, UINT64_C(1) << 63, 250000000},
        {70, UINT64_C(1) << 63, 7812500},
        {97, UINT64_MAX, 0},
        {98, UINT64_MAX, 0},
        {99, UINT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint8_t resolution = 0x80 | rows[i].exponent;
        struct bytes f = {0}, options = {0};
        struct cap_packet p;
        ng_option(&options, false, 9, &resolution, 1);
        put32(&options, 0, false);
        ng_section(&f, false);
        ng_interface(&f, false, 1, 0, &options);
        ng_packet(&f, false, 0, rows[i].ticks, 1, 1, NULL);
        struct capture *c = opened(&f);
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_expect_eq(p.ts_ns, rows[i].ns, "%zu: %lu", i, (unsigned long)p.ts_ns);
        cap_close(c);
        bytes_free(&f);
        bytes_free(&options);
    }
}

/* ---- options that are copied ---- */

/* Writes one packet with these options, and returns the bytes of the file. */
static size_t written(const uint8_t *list, uint32_t n, uint8_t *out, size_t room)
{
    static const uint8_t data[4] = {1, 2, 3, 4};
    const struct cap_packet p = {
        .data = data, .caplen = 4, .len = 4, .dlt = 1, .has_ts = true, .options = {.list = list, .bytes = n}};
    char path[] = "ibproof-edges-XXXXXX", err[256];
    const int fd = mkstemp(path);

    cr_assert_geq(fd, 0);
    struct pcapng_writer *w = pcapng_open(path, err, sizeof err);
    cr_assert(w, "%s", err);
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
    cr_assert_eq(pcapng_close(w), 0);
    const ssize_t got = read(fd, out, room);
    cr_assert_gt(got, 0);
    (void)close(fd);
    (void)unlink(path);
    return (size_t)got;
}

/* Options that overrun their block, or are no whole option, are not written. */
Test(edges, options_that_are_not_whole)
{
    static const uint8_t good[] = {2, 0, 4, 0, 1, 0, 0, 0, /* flags */
                                   5, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t too_long[] = {2, 0, 4, 0, 1, 0, 0, 0, 5, 0, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0};
    uint8_t reference[1024], is[1024];
    const size_t n = written(good, 8, reference, sizeof reference);

    for (uint32_t more = 1; more < 4; more++) {
        cr_expect_eq(written(good, 8 + more, is, sizeof is), n, "%u bytes more", more);
        cr_expect_arr_eq(is, reference, n);
    }
    cr_expect_eq(written(too_long, 20, is, sizeof is), n, "the second has 9 bytes and says 8");
    cr_expect_arr_eq(is, reference, n);
    cr_expect_eq(written(good, 12, is, sizeof is), n + 4, "an option without a value");
}
