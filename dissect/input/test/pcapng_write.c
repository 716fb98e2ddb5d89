/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcapng_write.h"
#include "bytes.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint8_t data[CAP_MAX_RECORD + 1] = {1, 2, 3, 4, 5, 6, 7};

static struct cap_packet packet(uint32_t n, uint32_t dlt, uint64_t ts_ns)
{
    return (struct cap_packet){.data = data, .caplen = n, .len = n + 9, .dlt = dlt, .ts_ns = ts_ns, .has_ts = true};
}

/* A writer on a file that path names until the test unlinks it. */
static struct pcapng_writer *writer(char path[static 26])
{
    char err[256];
    strcpy(path, "ibproof-input-XXXXXX");
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    struct pcapng_writer *w = pcapng_open(path, err, sizeof err);
    cr_assert_not_null(w, "%s", err);
    return w;
}

static struct capture *reader(const char *path)
{
    char err[256];
    struct capture *c = cap_open(path, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    return c;
}

static void expect(struct capture *c, const struct cap_packet *w, const char *comment)
{
    struct cap_packet p;
    cr_assert_eq(cap_next(c, &p), CAP_PACKET, "%s", cap_error(c));
    cr_assert(p.caplen == w->caplen && p.len == w->len && p.dlt == w->dlt && p.ts_ns == w->ts_ns);
    cr_assert_eq(memcmp(p.data, w->data, p.caplen), 0);
    cr_assert_eq(p.comment == NULL, comment == NULL);
    if (comment != NULL)
        cr_assert_str_eq(p.comment, comment);
}

Test(pcapng_write, what_is_written_is_read_again)
{
    static const char *const comments[] = {NULL, "retransmission", "four", NULL, "\xc3\xa4"};
    char path[26];
    struct pcapng_writer *w = writer(path);
    struct cap_packet packets[50], p;
    for (uint32_t i = 0; i < 50; i++) {
        packets[i] = packet(i * 3, i % 3 ? 1 : 247, UINT64_C(1700000000123456789) + i);
        cr_assert_eq(pcapng_packet(w, &packets[i], comments[i % 5]), 0);
    }
    cr_assert_eq(pcapng_close(w), 0);
    struct capture *c = reader(path);
    for (uint32_t i = 0; i < 50; i++)
        expect(c, &packets[i], comments[i % 5]);
    cr_assert_eq(cap_next(c, &p), CAP_END, "%s", cap_error(c));
    cap_close(c);
    unlink(path);
}

Test(pcapng_write, the_largest_packet_and_comments_that_are_too_long)
{
    static char text[70001];
    char path[26];
    struct pcapng_writer *w = writer(path);
    struct cap_packet p = packet(CAP_MAX_RECORD, 1, 1), huge = packet(CAP_MAX_RECORD + 1, 1, 1);
    memset(text, 'x', sizeof text - 1);
    text[65534] = '\xc3'; /* a character of two bytes across the limit */
    text[65535] = '\xa4';
    cr_assert_eq(pcapng_packet(w, &huge, NULL), EMSGSIZE);
    cr_assert_eq(pcapng_packet(w, &p, text), 0);
    cr_assert_eq(pcapng_close(w), 0);
    text[65534] = '\0';
    struct capture *c = reader(path);
    expect(c, &p, text);
    cap_close(c);
    unlink(path);
}

Test(pcapng_write, a_packets_own_comment_is_kept)
{
    char path[26], written[512];
    struct pcapng_writer *w = writer(path);
    struct cap_packet p = packet(8, 1, 1);
    p.comment = "of the one who captured";
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
    cr_assert_eq(pcapng_packet(w, &p, "verdict"), 0);
    cr_assert_eq(pcapng_close(w), 0);
    struct capture *c = reader(path);
    expect(c, &p, p.comment);
    expect(c, &p, "verdict");
    cap_close(c);
    FILE *f = fopen(path, "rb");
    size_t n = fread(written, 1, sizeof written, f);
    fclose(f);
    cr_assert_not_null(memmem(written, n, "ibdissect", 9));
    void *verdict = memmem(written, n, "verdict", 7);
    cr_assert_not_null(memmem(verdict, n - (size_t)((char *)verdict - written), p.comment, strlen(p.comment)));
    unlink(path);
}

Test(pcapng_write, a_packet_without_time_takes_that_of_the_one_before)
{
    char path[26];
    struct pcapng_writer *w = writer(path);
    struct cap_packet p = packet(8, 1, 77), timeless = packet(9, 1, 0);
    timeless.has_ts = false;
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
    cr_assert_eq(pcapng_packet(w, &timeless, NULL), 0);
    cr_assert_eq(pcapng_close(w), 0);
    struct capture *c = reader(path);
    expect(c, &p, NULL);
    timeless.ts_ns = 77;
    expect(c, &timeless, NULL);
    cap_close(c);
    unlink(path);
}

Test(pcapng_write, libpcap_reads_one_link_type)
{
    char path[26], reason[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *h;
    const u_char *bytes;
    struct pcapng_writer *w = writer(path);
    for (uint32_t i = 0; i < 20; i++) {
        struct cap_packet p = packet(i + 1, 1, UINT64_C(1700000000000000000) + i);
        cr_assert_eq(pcapng_packet(w, &p, i % 2 ? "odd" : NULL), 0);
    }
    cr_assert_eq(pcapng_close(w), 0);
    pcap_t *other = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, reason);
    cr_assert_not_null(other, "%s", reason);
    cr_assert_eq(pcap_datalink(other), DLT_EN10MB);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_eq(pcap_next_ex(other, &h, &bytes), 1);
        cr_assert(h->caplen == i + 1 && h->len == i + 10 && h->ts.tv_sec == 1700000000 && h->ts.tv_usec == (int)i);
        cr_assert_eq(memcmp(bytes, data, h->caplen), 0);
    }
    cr_assert_eq(pcap_next_ex(other, &h, &bytes), PCAP_ERROR_BREAK);
    pcap_close(other);
    unlink(path);
}

Test(pcapng_write, link_types_without_end_are_refused)
{
    char path[26];
    struct pcapng_writer *w = writer(path);
    for (uint32_t i = 0; i < 70; i++) {
        struct cap_packet p = packet(4, i, 1);
        cr_assert_eq(pcapng_packet(w, &p, NULL), i < 64 ? 0 : E2BIG);
    }
    cr_assert_eq(pcapng_close(w), 0);
    unlink(path);
}

Test(pcapng_write, a_full_disk_is_told)
{
    char err[256];
    struct cap_packet p = packet(100, 1, 1);
    struct pcapng_writer *w = pcapng_open("/dev/full", err, sizeof err);
    cr_assert_not_null(w, "%s", err);
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0); /* in stdio's buffer yet */
    cr_assert_eq(pcapng_close(w), ENOSPC);

    w = pcapng_open("/dev/full", err, sizeof err);
    cr_assert_eq(pcapng_flush(w), ENOSPC);
    cr_assert_eq(pcapng_packet(w, &p, NULL), ENOSPC);
    cr_assert_eq(pcapng_close(w), ENOSPC);

    w = pcapng_open("/dev/full", err, sizeof err);
    p = packet(CAP_MAX_RECORD, 1, 1);
    cr_assert_eq(pcapng_packet(w, &p, "does not fit a buffer"), ENOSPC);
    cr_assert_eq(pcapng_close(w), ENOSPC);
}

Test(pcapng_write, a_file_that_cannot_be_made)
{
    char err[256];
    cr_assert_null(pcapng_open("/nowhere/out.pcapng", err, sizeof err));
    cr_assert_str_eq(err, "/nowhere/out.pcapng: No such file or directory");
}

Test(pcapng_write, stdout_is_written_and_stays_open)
{
    char path[] = "ibproof-input-XXXXXX", err[256];
    struct cap_packet p = packet(8, 1, 5);
    int fd = mkstemp(path), saved = dup(STDOUT_FILENO);
    cr_assert(fd >= 0 && saved >= 0);
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
    struct pcapng_writer *w = pcapng_open("-", err, sizeof err);
    int packet_error = pcapng_packet(w, &p, NULL), close_error = pcapng_close(w);
    dup2(saved, STDOUT_FILENO);
    close(fd);
    close(saved);
    cr_assert(packet_error == 0 && close_error == 0);
    struct capture *c = reader(path);
    expect(c, &p, NULL);
    cap_close(c);
    unlink(path);
}

/* ---- options of the capture that is read ---- */

/* Writes one packet with options of its own and options of its interface. Returns whether the file has the bytes
 * `want`. */
static bool has(const struct bytes *own, const struct bytes *iface, bool big, const struct bytes *want)
{
    char path[26], written[1024];
    struct pcapng_writer *w = writer(path);
    struct cap_packet p = packet(8, 1, 1);

    p.options = (struct cap_options){.list = own->b, .bytes = (uint32_t)own->n, .big = big};
    p.iface_options = (struct cap_options){.list = iface->b, .bytes = (uint32_t)iface->n, .big = big};
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
    cr_assert_eq(pcapng_close(w), 0);
    FILE *f = fopen(path, "rb");
    const size_t n = fread(written, 1, sizeof written, f);
    fclose(f);
    unlink(path);
    return memmem(written, n, want->b, want->n) != NULL;
}

/* Writes the options of the pcapng draft that contain numbers, each with its length. The writer swaps the bytes of
 * these options only. */
static void options(struct bytes *f, bool big, bool of_packet, bool kept_only)
{
    static const uint8_t value[8] = {1, 2, 3, 4, 5, 6, 7, 8}, turned[8] = {8, 7, 6, 5, 4, 3, 2, 1};
    static const struct {
        uint16_t code, bytes;
        bool of_packet, number;
        uint8_t kept; /* 0: never, 1: from a section in our byte order, 2: always */
    } rows[] = {
        {1, 5, true, false, 2},   {2, 4, true, true, 2},    {3, 5, true, false, 2},  {4, 8, true, true, 2},
        {5, 8, true, true, 2},    {6, 4, true, true, 2},    {18, 4, true, false, 1}, {9, 1, true, false, 2},
        {14, 8, true, false, 2},  {11, 6, true, false, 2},  {1, 5, false, false, 2}, {2, 4, false, false, 2},
        {4, 8, false, false, 2},  {8, 8, false, true, 2},   {9, 1, false, false, 0}, {10, 4, false, true, 2},
        {11, 6, false, false, 1}, {13, 1, false, true, 2},  {14, 8, false, true, 0}, {16, 8, false, true, 2},
        {17, 8, false, true, 2},  {18, 3, false, false, 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].of_packet != of_packet || (kept_only && rows[i].kept < (big ? 2 : 1)))
            continue;
        const bool turns = kept_only && big && rows[i].number;
        ng_option(f, big && !kept_only, rows[i].code, turns ? turned + 8 - rows[i].bytes : value, rows[i].bytes);
    }
}

Test(pcapng_write, options_are_copied_in_our_byte_order)
{
    for (unsigned big = 0; big < 2; big++) {
        struct bytes own = {0}, iface = {0}, want_own = {0}, want_iface = {0};
        options(&own, big, true, false);
        options(&iface, big, false, false);
        options(&want_own, big, true, true);
        options(&want_iface, big, false, true);
        cr_expect(has(&own, &iface, big, &want_own), "of a packet, %s", big ? "turned" : "as they are");
        cr_expect(has(&own, &iface, big, &want_iface), "of an interface, %s", big ? "turned" : "as they are");
        bytes_free(&own);
        bytes_free(&iface);
        bytes_free(&want_own);
        bytes_free(&want_iface);
    }
}

/* A file byte by byte: pcapng 4.1 (section), 4.2 (interface), 4.3 (packet), each with its options. */
Test(pcapng_write, each_byte)
{
    static const uint8_t wanted[] = {
        0x0a, 0x0d, 0x0d, 0x0a, 48,   0,    0,    0,    0x4d, 0x3c, 0x2b, 0x1a, 1,   0, 0,  0, /* 1.0 */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,                                        /* of any length */
        4,    0,    9,    0,    'i',  'b',  'd',  'i',  's',  's',  'e',  'c',  't', 0, 0,  0, 0, 0,
        0,    0,    48,   0,    0,    0,                                                       /* written by */
        1,    0,    0,    0,    32,   0,    0,    0,    247,  0,    0,    0,    0,   0, 4,  0, /* link type, 256 KiB */
        9,    0,    1,    0,    9,    0,    0,    0,    0,    0,    0,    0,    32,  0, 0,  0, /* nanoseconds */
        6,    0,    0,    0,    60,   0,    0,    0,    0,    0,    0,    0,    4,   3, 2,  1, 8, 7,
        6,    5,    5,    0,    0,    0,    14,   0,    0,    0, /* time, lengths */
        1,    2,    3,    4,    5,    0,    0,    0,             /* data */
        1,    0,    2,    0,    'a',  'b',  0,    0,    1,    0,    1,    0,    'c', 0, 0,  0, 0, 0,
        0,    0,    60,   0,    0,    0, /* two comments */
        6,    0,    0,    0,    36,   0,    0,    0,    0,    0,    0,    0,    4,   3, 2,  1, 8, 7,
        6,    5,    4,    0,    0,    0,    13,   0,    0,    0,    1,    2,    3,   4, 36, 0, 0, 0};
    char path[26];
    uint8_t is[sizeof wanted + 1];
    struct pcapng_writer *w = writer(path);
    struct cap_packet p = packet(5, 247, UINT64_C(0x0102030405060708));
    p.comment = "c";
    cr_assert_eq(pcapng_packet(w, &p, "ab"), 0);
    p = packet(4, 247, 0);
    p.has_ts = false;
    cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
    cr_assert_eq(pcapng_close(w), 0);
    FILE *f = fopen(path, "rbe");
    cr_assert_not_null(f);
    cr_expect_eq(fread(is, 1, sizeof is, f), sizeof wanted);
    cr_expect_arr_eq(is, wanted, sizeof wanted);
    (void)fclose(f);
    unlink(path);
}

/* Interfaces with options keep numbers of their own as long as there are not too many. */
Test(pcapng_write, interfaces_with_names)
{
    enum { OWN = 256, MANY = OWN + 5 };
    static uint8_t names[MANY][8];
    char path[26];
    struct pcapng_writer *w = writer(path);
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < MANY; i++) {
            const uint8_t name[8] = {2, 0, 4, 0, 'i', 'f', (uint8_t)(i >> 8), (uint8_t)i};
            memcpy(names[i], name, sizeof name);
            struct cap_packet p = packet(4, 1 + i % 2, i);
            p.iface_options = (struct cap_options){.list = names[i], .bytes = sizeof name};
            cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
            p.iface_options = (struct cap_options){0};
            cr_assert_eq(pcapng_packet(w, &p, NULL), 0);
        }
    cr_assert_eq(pcapng_close(w), 0);
    struct capture *c = reader(path);
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < MANY; i++) {
            struct cap_packet named, plain;
            cr_assert(cap_next(c, &named) == CAP_PACKET && cap_next(c, &plain) == CAP_PACKET);
            cr_expect(named.dlt == 1 + i % 2 && plain.dlt == 1 + i % 2);
            cr_expect_eq(plain.iface, i % 2 ? 3 : 1, "one of each link type");
            cr_expect_null(plain.iface_name);
            if (i >= OWN) {
                cr_expect_eq(named.iface, plain.iface);
                continue;
            }
            cr_expect_eq(named.iface, i == 0 ? 0 : i == 1 ? 2 : i + 2);
            cr_expect(named.iface_name && memcmp(named.iface_name, "if", 2) == 0);
        }
    cap_close(c);
    unlink(path);
}
