/* SPDX-License-Identifier: BSD-2-Clause */
/* A plain file that is read in pieces gives the same packets as one that is read as a whole. */
#include "bytes.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 64, MOST_PACKETS = 64 };

struct reading {
    struct capture *c;
    uint8_t *piece[PIECES];
    unsigned pieces;
    struct cap_packet packet[MOST_PACKETS];
    unsigned n;
};

static void begin(struct reading *r, const struct bytes *f)
{
    char err[256];

    *r = (struct reading){.c = open_bytes(f->b, f->n, err, sizeof err)};
    cr_assert(r->c, "%s", err);
    cr_assert(cap_in_pieces(r->c));
}

static void end(struct reading *r)
{
    cap_close(r->c);
    for (unsigned i = 0; i < r->pieces; i++)
        free(r->piece[i]);
}

/* Reads the records that begin in this piece. */
static enum cap_result piece(struct reading *r, size_t bytes, uint64_t offset)
{
    const size_t size = bytes + CAP_PIECE_MORE;
    enum cap_result got = CAP_PACKET;

    if (cap_place(r->c) >= offset + bytes)
        return CAP_PACKET;
    uint8_t *const b = r->piece[r->pieces++] = malloc(size);
    cr_assert(b);
    const ssize_t have = cap_read_at(r->c, b, bytes, offset);
    cr_assert_geq(have, 0);
    cap_piece(r->c, b, (size_t)have, size, offset);
    while (cap_place(r->c) < offset + bytes && (got = cap_next(r->c, &r->packet[r->n])) == CAP_PACKET)
        cr_assert_lt(++r->n, MOST_PACKETS);
    return got;
}

static void expect_same(const struct bytes *f, const struct reading *r)
{
    char err[256];
    struct cap_packet p;
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);

    for (unsigned i = 0; i < r->n; i++) {
        const struct cap_packet *q = &r->packet[i];
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.caplen == q->caplen && p.len == q->len && p.ts_ns == q->ts_ns && p.offset == q->offset &&
                  p.number == q->number && p.point == q->point && p.dlt == q->dlt);
        cr_assert_eq(memcmp(p.data, q->data, p.caplen), 0, "packets of earlier pieces stay");
    }
    cr_assert_neq(cap_next(c, &p), CAP_PACKET);
    cr_assert_str_eq(cap_error(c), cap_error(r->c));
    cap_close(c);
}

static void expect_pieces(const struct bytes *f, size_t bytes)
{
    struct reading r;
    enum cap_result got = CAP_PACKET;

    begin(&r, f);
    for (uint64_t at = 0; got == CAP_PACKET; at += bytes)
        got = piece(&r, bytes, at);
    expect_same(f, &r);
    end(&r);
}

Test(pieces, of_every_size_and_format)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i);
        for (size_t bytes = f.n / 32 + 1; bytes <= f.n + 1; bytes++)
            expect_pieces(&f, bytes);
        bytes_free(&f);
    }
}

Test(pieces, of_a_file_that_ends_early)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i);
        f.n -= 3;
        for (size_t bytes = f.n / 32 + 1; bytes <= f.n + 1; bytes += 7)
            expect_pieces(&f, bytes);
        bytes_free(&f);
    }
}

/* A block that holds no packet may be longer than a piece. */
Test(pieces, blocks_that_are_skipped)
{
    struct bytes f = {0}, body = {0};

    put_fill(&body, 7, 3 * CAP_PIECE_MORE);
    ng_section(&f, false);
    ng_interface(&f, false, 1, 0, NULL);
    ng_packet(&f, false, 0, 1, 60, 1, NULL);
    ng_block(&f, false, 0x0bad, &body);
    ng_packet(&f, false, 0, 2, 60, 2, NULL);
    expect_pieces(&f, 128 * 1024);
    bytes_free(&f);
    bytes_free(&body);
}

/* If somebody truncates the file while it is read, the reader reports a fault of the file and no signal ends the
 * program. */
Test(pieces, a_file_cut_while_it_is_read)
{
    struct bytes f = {0};
    struct reading r;
    char err[256];
    const int fd = memfd_create("cut", 0);

    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    for (uint32_t i = 0; i < 10; i++)
        pcap_record(&f, false, i, 0, 1000, (uint8_t)i);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, f.b, f.n), (ssize_t)f.n);
    cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
    r = (struct reading){.c = cap_open_fd(dup(fd), "f", err, sizeof err)};
    cr_assert(r.c);
    cr_expect_eq(piece(&r, 4096, 0), CAP_PACKET);
    cr_assert_eq(ftruncate(fd, 5600), 0);
    cr_expect_eq(piece(&r, 4096, 4096), CAP_ERROR);
    cr_expect(strstr(cap_error(r.c), "cut in packet"), "%s", cap_error(r.c));
    for (unsigned i = 0; i < 4; i++)
        cr_expect_eq(r.packet[i].data[999], i);
    end(&r);
    close(fd);
    bytes_free(&f);
}
