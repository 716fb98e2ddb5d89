/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"

#include <criterion/criterion.h>
#include <string.h>

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

Test(pcap, fields_of_all_byte_orders_and_units)
{
    static const struct {
        uint32_t magic;
        bool big;
        uint64_t ns;
    } rows[] = {{0xa1b2c3d4, false, 7000}, {0xa1b2c3d4, true, 7000}, {0xa1b23c4d, false, 7}, {0xa1b23c4d, true, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes f = {0};
        struct cap_packet p;
        pcap_header(&f, rows[i].magic, rows[i].big, 65535, 247);
        pcap_record(&f, rows[i].big, 100, 7, 5, 0xaa);
        pcap_record(&f, rows[i].big, 0xfffffffe, 999, 0, 0);
        struct capture *c = must_open(&f);
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.caplen == 5 && p.len == 5 && p.dlt == 247 && p.iface == 0 && p.has_ts && p.comment == NULL);
        cr_assert_eq(p.ts_ns, 100u * UINT64_C(1000000000) + rows[i].ns);
        cr_assert(p.offset == 24 && p.number == 1 && p.data[0] == 0xaa && p.data[4] == 0xaa);
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.offset == 45 && p.number == 2 && p.caplen == 0);
        cr_assert_eq(p.ts_ns / 1000000000u, 0xfffffffeu); /* after 2038 */
        cr_assert_eq(cap_next(c, &p), CAP_END);
        cap_close(c);
        bytes_free(&f);
    }
}

Test(pcap, long_record_headers_of_the_modified_format)
{
    for (int big = 0; big < 2; big++) {
        struct bytes f = {0};
        struct cap_packet p;
        pcap_header(&f, 0xa1b2cd34, big, 65535, 1);
        for (uint8_t i = 1; i < 4; i++) {
            put32(&f, 9, big);
            put32(&f, 8, big);
            put32(&f, i, big);
            put32(&f, 60, big);
            put_fill(&f, 0xee, 8); /* interface, protocol, packet type, padding */
            put_fill(&f, i, i);
        }
        struct capture *c = must_open(&f);
        for (uint8_t i = 1; i < 4; i++) {
            cr_assert_eq(cap_next(c, &p), CAP_PACKET);
            cr_assert(p.caplen == i && p.len == 60 && p.data[0] == i && p.ts_ns == 9000008000);
        }
        cr_assert_eq(cap_next(c, &p), CAP_END);
        cap_close(c);
        bytes_free(&f);
    }
}

Test(pcap, fcs_bits_of_the_network_field_are_no_link_type)
{
    struct bytes f = {0};
    struct cap_packet p;
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 0x44000001);
    pcap_record(&f, false, 1, 1, 4, 4);
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert_eq(p.dlt, 1);
    cap_close(c);
    bytes_free(&f);
}

Test(pcap, versions)
{
    struct bytes f = sample(0);
    f.b[4] = 3;
    expect(&f, 0, "f: pcap version 3.4 is not known (2.0 to 2.4 are)");
    f.b[4] = 2;
    f.b[6] = 5;
    expect(&f, 0, "f: pcap version 2.5 is not known (2.0 to 2.4 are)");
    bytes_free(&f);
}

Test(pcap, old_versions_have_the_lengths_the_other_way_round)
{
    for (uint8_t minor = 2; minor < 4; minor++) {
        struct bytes f = {0};
        struct cap_packet p;
        pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
        f.b[6] = minor;
        put64(&f, 0, false);
        put32(&f, 60, false);
        put32(&f, 4, false);
        put_fill(&f, 1, 4);
        struct capture *c = must_open(&f);
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.caplen == 4 && p.len == 60);
        cr_assert_eq(cap_next(c, &p), CAP_END);
        cap_close(c);
        bytes_free(&f);
    }
}

static void one_long_record(struct bytes *f, uint32_t snaplen, uint32_t length)
{
    pcap_header(f, 0xa1b2c3d4, false, snaplen, 1);
    pcap_record(f, false, 1, 1, 3, 3);
    put64(f, 0, false);
    put32(f, length, false);
    put32(f, length, false);
}

Test(pcap, record_lengths_that_are_faults)
{
    static const struct {
        uint32_t snaplen, length;
        const char *line;
    } rows[] = {
        {65535, 5000000, "f: packet 2 at offset 0x2b: record length 5000000 exceeds snapshot length 65535"},
        {65535, 0x80000000, "f: packet 2 at offset 0x2b: record length 2147483648 exceeds snapshot length 65535"},
        {65535, 65536, "f: packet 2 at offset 0x2b: record length 65536 exceeds snapshot length 65535"},
        {96, 65536, "f: packet 2 at offset 0x2b: record length 65536 exceeds snapshot length 96"},
        {0, 262145, "f: packet 2 at offset 0x2b: record length 262145 exceeds 262144, the longest a record can be"},
        {0xffffffff, 0xffffffff,
         "f: packet 2 at offset 0x2b: record length 4294967295 exceeds 262144, the longest a record can be"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes f = {0};
        one_long_record(&f, rows[i].snaplen, rows[i].length);
        expect(&f, 1, rows[i].line);
        bytes_free(&f);
    }
}

Test(pcap, record_lengths_that_are_not)
{
    static const struct {
        uint32_t snaplen, length;
    } rows[] = {{96, 65535}, {0, CAP_MAX_RECORD}, {CAP_MAX_RECORD, CAP_MAX_RECORD}, {0x7fffffff, 200000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bytes f = {0};
        pcap_header(&f, 0xa1b2c3d4, false, rows[i].snaplen, 1);
        for (int j = 0; j < 4; j++)
            pcap_record(&f, false, 1, 1, rows[i].length, (uint8_t)j);
        expect(&f, 4, "");
        bytes_free(&f);
    }
}

Test(pcap, a_length_on_the_wire_below_the_captured_one_is_raised)
{
    struct bytes f = {0};
    struct cap_packet p;
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    pcap_record(&f, false, 1, 1, 8, 8);
    f.b[24 + 12] = 2;
    struct capture *c = must_open(&f);
    cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cr_assert(p.caplen == 8 && p.len == 8);
    cap_close(c);
    bytes_free(&f);
}

Test(pcap, cuts_name_packet_and_place)
{
    struct bytes f = {0};
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    pcap_record(&f, false, 1, 1, 100, 1);
    pcap_record(&f, false, 1, 1, 100, 1);
    f.n = 24 + 116 + 5;
    expect(&f, 1, "f: cut in packet 2 at offset 0x8c: 5 of 16 bytes");
    f.n = 24 + 116 + 115;
    expect(&f, 1, "f: cut in packet 2 at offset 0x8c: 115 of 116 bytes");
    bytes_free(&f);
}

Test(pcap, records_across_all_window_borders)
{
    struct bytes f = {0};
    struct cap_packet p;
    uint64_t seed = 3, offset = 24;
    uint32_t lengths[4000];
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    for (uint32_t i = 0; i < 4000; i++) {
        lengths[i] = (uint32_t)(next_random(&seed) % (i % 100 ? 500 : 60000));
        pcap_record(&f, false, i, 0, lengths[i], (uint8_t)i);
    }
    struct capture *c = must_open(&f);
    for (uint32_t i = 0; i < 4000; i++) {
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
        cr_assert(p.caplen == lengths[i] && p.offset == offset && p.ts_ns == i * UINT64_C(1000000000));
        cr_assert(p.caplen == 0 || (p.data[0] == (uint8_t)i && p.data[p.caplen - 1] == (uint8_t)i));
        offset += 16 + lengths[i];
    }
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cap_close(c);
    bytes_free(&f);
}

/* A file that ends with its header is whole and has no packets; without the last byte of the header it is cut. */
Test(pcap, files_of_a_header)
{
    static const uint32_t magics[] = {0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34};

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        for (unsigned big = 0; big < 2; big++) {
            struct bytes f = {0};
            pcap_header(&f, magics[i], big, 65535, 1);
            cr_assert_eq(f.n, 24);
            const struct outcome whole = read_all(f.b, f.n), cut = read_all(f.b, f.n - 1);
            cr_expect(whole.packets == 0 && whole.line[0] == '\0', "%s", whole.line);
            cr_expect(cut.packets == 0 && cut.line[0] != '\0', "magic %zu, big %u", i, big);
            bytes_free(&f);
        }
}
