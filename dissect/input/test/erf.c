/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

#include <criterion/criterion.h>
#include <string.h>

static const uint64_t T0 = UINT64_C(1700000000) << 32;

static struct capture *must_open(const struct bytes *f)
{
    char err[256];
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    return c;
}

static void expect(const struct bytes *f, uint64_t packets, const char *line)
{
    struct outcome o = read_all(f->b, f->n);
    cr_assert_str_eq(o.line, line);
    cr_assert_eq(o.packets, packets);
}

Test(erf, records_are_given_whole)
{
    struct bytes f = {0};
    struct cap_packet p;
    erf_record(&f, 21, T0 | 0x80000000, 3, 40, 0xab);
    erf_record(&f, 21, T0 | 0xffffffff, 4, 48, 0xcd);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.dlt == CAP_LINKTYPE_ERF && p.caplen == 56 && p.len == 56 && p.offset == 0 && p.number == 1);
    cr_assert_eq(p.ts_ns, UINT64_C(1700000000500000000));
    cr_assert_eq(memcmp(p.data, f.b, 56), 0);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.offset == 56 && p.caplen == 64 && p.ts_ns == UINT64_C(1700000001000000000));
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cr_assert_eq(cap_dropped(c), 7);
    cap_close(c);
    bytes_free(&f);
}

Test(erf, a_colour_is_no_loss)
{
    struct bytes f = {0};
    struct cap_packet p;
    erf_record(&f, 11, T0, 500, 40, 1);
    erf_record(&f, 16, T0, 500, 40, 1);
    erf_record(&f, 2, T0, 5, 40, 1);
    struct capture *c = must_open(&f);
    while (cap_next(c, &p) == CAP_PACKET)
        ;
    cr_assert_eq(cap_dropped(c), 5);
    cap_close(c);
    bytes_free(&f);
}

Test(erf, the_wire_length_counts_what_the_record_lacks)
{
    struct bytes f = {0};
    struct cap_packet p;
    erf_record(&f, 0x80 | 21, T0, 0, 40, 0); /* one extension header: its first byte announces no other */
    f.b[14] = 2088 >> 8;
    f.b[15] = 2088 & 0xff;
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.caplen == 56 && p.len == 16 + 8 + 2088);
    cap_close(c);
    bytes_free(&f);
}

Test(erf, extension_headers_without_end_stay_in_their_record)
{
    struct bytes f = {0};
    erf_record(&f, 0x80 | 21, T0, 0, 44, 0xff);
    expect(&f, 1, "");
    bytes_free(&f);
}

Test(erf, pad_records_are_no_packets)
{
    struct bytes f = {0};
    struct cap_packet p;
    erf_record(&f, 21, T0, 0, 40, 1);
    erf_record(&f, 48, T0, 9, 100, 0);
    erf_record(&f, 21, T0, 0, 40, 2);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.number == 2 && p.offset == 56 + 116 && p.data[16] == 2);
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cr_assert_eq(cap_dropped(c), 0);
    cap_close(c);
    bytes_free(&f);
}

Test(erf, faults_name_packet_and_place)
{
    struct bytes f = {0};
    for (int i = 0; i < 6; i++)
        erf_record(&f, 21, T0, 0, 40, 0);
    f.n -= 50;
    expect(&f, 5, "f: cut in packet 6 at offset 0x118: 6 of 16 bytes");
    f.n += 20;
    expect(&f, 5, "f: cut in packet 6 at offset 0x118: 26 of 56 bytes");
    f.b[5 * 56 + 11] = 15;
    expect(&f, 5, "f: packet 6 at offset 0x118: no ERF record (type 21, record length 15)");
    f.b[5 * 56 + 8] = 49;
    expect(&f, 5, "f: packet 6 at offset 0x118: no ERF record (type 49, record length 15)");
    bytes_free(&f);
}

Test(erf, what_does_not_look_like_records_is_not_taken_for_them)
{
    static const char line[] = "f: not a capture file (no pcap, pcapng, ERF or gzip magic)";
    struct bytes f = {0};
    erf_record(&f, 21, T0, 0, 40, 0);
    erf_record(&f, 21, T0 + (UINT64_C(400 * 86400) << 32), 0, 40, 0); /* more than a year on */
    expect(&f, 0, line);
    f.n = 55; /* not even one record */
    expect(&f, 0, line);
    f.n = 56;
    expect(&f, 1, "");
    f.b[8] = 0;
    expect(&f, 0, line);
    bytes_free(&f);
    erf_record(&f, 21, T0, 0, 1000, 0);
    f.b[14] = f.b[15] = 0; /* as long as its packet, it says, of 0 bytes */
    expect(&f, 0, line);
    bytes_free(&f);
}

Test(erf, within_pcap_the_time_is_that_of_pcap)
{
    struct bytes f = {0}, record = {0};
    struct cap_packet p;
    erf_record(&record, 21, T0, 0, 40, 0);
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 197);
    pcap_record(&f, false, 5, 6, (uint32_t)record.n, 0);
    memcpy(f.b + f.n - record.n, record.b, record.n);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.dlt == CAP_LINKTYPE_ERF && p.ts_ns == 5000006000 && memcmp(p.data, record.b, record.n) == 0);
    cap_close(c);
    bytes_free(&f);
    bytes_free(&record);
}

/* For each record type (Endace's ERF types, as in Wireshark's wiretap/erf.c): whether bytes 12 and 13 count losses, and
 * whether an Ethernet frame has two bytes of padding before it. */
Test(erf, types)
{
    static const struct {
        uint8_t type;
        bool loss, padding;
    } rows[] = {{1, true, false},   {2, true, true},    {3, true, false},   {4, true, false},   {5, true, false},
                {6, true, false},   {7, true, false},   {8, true, false},   {9, true, false},   {10, false, false},
                {11, false, true},  {12, true, false},  {13, false, false}, {14, false, false}, {15, false, false},
                {16, false, true},  {17, false, false}, {18, true, false},  {19, false, false}, {20, false, true},
                {21, true, false},  {22, true, false},  {23, true, false},  {24, true, false},  {25, true, false},
                {26, false, false}, {27, false, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes f = {0};
        struct cap_packet p;
        erf_record(&f, rows[i].type, T0, 7, 40, 1);
        f.b[14] = 1; /* a longer packet, cut */
        f.b[15] = 4;
        struct capture *c = must_open(&f);
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_expect_eq(p.len, 16 + (rows[i].padding ? 2 : 0) + 260, "type %u: %u", rows[i].type, p.len);
        cr_expect_eq(p.caplen, 56);
        cr_expect_eq(cap_next(c, &p), CAP_END);
        cr_expect_eq(cap_dropped(c), rows[i].loss ? 7 : 0, "type %u", rows[i].type);
        cap_close(c);
        bytes_free(&f);
    }
}

/* A file is recognized as ERF up to a longest record, and up to a longest time between two records. */
Test(erf, as_far_as_it_looks_like_records)
{
    enum { LONGEST = 32 + 8 * 16 }; /* alignment, sub-headers and extension headers beside the packet */
    static const char none[] = "f: not a capture file (no pcap, pcapng, ERF or gzip magic)";
    const uint64_t year = UINT64_C(366 * 86400) << 32;

    for (unsigned more = 0; more < 2; more++) {
        struct bytes f = {0};
        erf_record(&f, 21, T0, 0, (uint16_t)(40 + LONGEST + more), 0);
        f.b[14] = 0;
        f.b[15] = 40;
        expect(&f, more ? 0 : 1, more ? none : "");
        f.b[9] = 0; /* a slot of fixed size may be longer */
        expect(&f, 1, "");
        bytes_free(&f);
        erf_record(&f, 21, T0, 0, 40, 0);
        erf_record(&f, 21, T0 + year + ((uint64_t)more << 32), 0, 40, 0);
        expect(&f, more ? 0 : 2, more ? none : "");
        bytes_free(&f);
        erf_record(&f, 21, T0 + year + ((uint64_t)more << 32), 0, 40, 0);
        erf_record(&f, 21, T0, 0, 40, 0);
        expect(&f, more ? 0 : 2, more ? none : "");
        bytes_free(&f);
    }
}

/* Each extension header says whether another follows; those beyond the record are not counted. The wire length has all
 * of them. */
Test(erf, extension_headers)
{
    enum { HEADER = 16, EXTENSION = 8, WIRE = 2000 };

    for (unsigned n = 0; n <= 4; n++)
        for (unsigned more = 0; more <= n; more++) { /* the record has room for n, and n + more are announced */
            struct bytes f = {0};
            struct cap_packet p;
            erf_record(&f, n + more ? 0x80 | 21 : 21, T0, 0, (uint16_t)(EXTENSION * n + 4), 0);
            for (unsigned i = 0; i < n && i + 1 < n + more; i++)
                f.b[HEADER + EXTENSION * i] = 0x80;
            f.b[14] = WIRE >> 8;
            f.b[15] = WIRE & 0xff;
            struct capture *c = must_open(&f);
            cr_assert_eq(cap_next(c, &p), CAP_PACKET);
            cr_expect_eq(p.len, HEADER + EXTENSION * n + WIRE, "%u of %u: %u", n, n + more, p.len);
            cap_close(c);
            bytes_free(&f);
        }
}
