/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening captures, detecting their format, and faults; files cut anywhere. */
#include "bytes.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(const void *data, size_t n, uint64_t packets, const char *line)
{
    struct outcome o = read_all(data, n);
    cr_assert_eq(o.packets, packets, "%lu packets: %s", (unsigned long)o.packets, o.line);
    cr_assert_str_eq(o.line, line);
}

Test(capture, every_sample_is_read_to_its_end)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i);
        expect(f.b, f.n, 3, "");
        bytes_free(&f);
    }
}

Test(capture, what_is_no_capture_says_so)
{
    static const char line[] = "f: not a capture file (no pcap, pcapng, ERF or gzip magic)";
    expect("", 0, 0, "f: empty file");
    expect("hello, world, hello, world", 26, 0, line);
    expect("snoop\0\0\0\0\0\0\2\0\0\0\4", 16, 0, line);
    expect("x", 1, 0, line);
}

Test(capture, paths_that_cannot_be_read)
{
    char err[256];
    cr_assert_null(cap_open("/", err, sizeof err));
    cr_assert_str_eq(err, "/: is a directory");
    cr_assert_null(cap_open("/nowhere/x.pcap", err, sizeof err));
    cr_assert_str_eq(err, "/nowhere/x.pcap: No such file or directory");
    cr_assert_null(cap_open("/dev/null", err, sizeof err));
    cr_assert_str_eq(err, "/dev/null: empty file");
}

Test(capture, error_lines_fit_any_buffer)
{
    char err[8];
    cr_assert_null(cap_open("/nowhere/x.pcap", err, sizeof err));
    cr_assert_str_eq(err, "/nowher");
    cr_assert_null(open_bytes("", 0, err, sizeof err));
    cr_assert_str_eq(err, "f: empt");
}

Test(capture, a_header_cut_short_says_how_far_it_goes)
{
    for (int i = 0; i < 5; i++) {
        struct bytes f = sample(i);
        expect(f.b, 1, 0, "f: cut in the file header (1 of 24 bytes)");
        expect(f.b, 23, 0, "f: cut in the file header (23 of 24 bytes)");
        expect(f.b, 24, 0, "");
        bytes_free(&f);
    }
    expect("\x0a\x0d\x0d", 3, 0, "f: cut in the file header (3 of 28 bytes)");
    expect("\x1f", 1, 0, "f: cut in the file header (1 of 18 bytes)");
}

/* Tries every prefix of the file. Reading ends without a fault or with one line about it, and delivers every complete
 * packet. */
static void sweep_prefixes(const struct bytes *f, bool zipped)
{
    uint64_t most = 0;
    for (size_t n = 0; n < f->n; n++) {
        struct outcome o = read_all(f->b, n);
        cr_assert(o.packets >= most || zipped, "prefix %zu gives %lu packets", n, (unsigned long)o.packets);
        cr_assert(o.line[0] == '\0' || strncmp(o.line, "f: ", 3) == 0);
        cr_assert(!zipped || o.line[0] != '\0', "prefix %zu of a gzip file passes for whole", n);
        cr_assert_null(strchr(o.line, '\n'));
        most = o.packets;
    }
}

Test(capture, every_prefix_has_a_defined_answer)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i), z = {0};
        put_gzip(&z, f.b, f.n);
        sweep_prefixes(&f, false);
        sweep_prefixes(&z, true);
        bytes_free(&f);
        bytes_free(&z);
    }
}

Test(capture, stdin_is_read_from_a_pipe)
{
    struct bytes f = sample(0);
    char err[256];
    int ends[2];
    uint64_t done, total;
    struct cap_packet p;
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], f.b, f.n), (ssize_t)f.n);
    cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    struct capture *c = cap_open("-", err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    cr_assert_str_eq(cap_name(c), "stdin");
    for (int i = 0; i < 3; i++) /* the writer has not closed: a packet must come as soon as it is there */
        cr_assert_eq(cap_next(c, &p), CAP_PACKET);
    cap_progress(c, &done, &total);
    cr_assert_eq(done, f.n);
    cr_assert_eq(total, 0);
    close(ends[1]);
    cr_assert_eq(cap_next(c, &p), CAP_END);
    cap_close(c);
    bytes_free(&f);
}

Test(capture, progress_counts_the_bytes_of_the_file)
{
    struct bytes f = sample(0), z = {0};
    char err[256];
    uint64_t done, total;
    put_gzip(&z, f.b, f.n);
    struct capture *c = open_bytes(z.b, z.n, err, sizeof err);
    cr_assert_not_null(c);
    cap_progress(c, &done, &total);
    cr_assert_eq(done, z.n);
    cr_assert_eq(total, z.n);
    cr_assert_not(cap_is_live(c));
    cap_stop(c); /* means nothing to a file */
    cap_close(c);
    cap_close(NULL);
    bytes_free(&f);
    bytes_free(&z);
}

/* libpcap returns the DLT_ number of its platform, which for raw IP differs from the LINKTYPE_ number in the file. */
static uint32_t linktype_of(int dlt)
{
    return dlt == DLT_RAW ? 101 : (uint32_t)dlt;
}

/* Reads one file with libpcap and with our reader: both must give the same packets and the same end. */
static unsigned compare_with_libpcap(const char *path)
{
    char reason[PCAP_ERRBUF_SIZE], err[512];
    struct pcap_pkthdr *h;
    const u_char *data;
    struct cap_packet p;
    unsigned packets = 0;
    pcap_t *other = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, reason);
    struct capture *c = cap_open(path, err, sizeof err);
    cr_assert_not_null(other, "%s", reason);
    cr_assert_not_null(c, "%s", err);
    while (cap_next(c, &p) == CAP_PACKET) {
        cr_assert_eq(pcap_next_ex(other, &h, &data), 1, "%s: packet %u", path, packets + 1);
        packets++;
        cr_assert_eq(h->caplen, p.caplen);
        cr_assert_eq(h->len, p.len);
        cr_assert_eq((uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec, p.ts_ns);
        cr_assert_eq(memcmp(data, p.data, p.caplen), 0);
        cr_assert_eq(linktype_of(pcap_datalink(other)), p.dlt, "%s: link type %d", path, pcap_datalink(other));
    }
    cr_assert_str_eq(cap_error(c), "");
    cr_assert_eq(pcap_next_ex(other, &h, &data), PCAP_ERROR_BREAK);
    pcap_close(other);
    cap_close(c);
    return packets;
}

/* Builds a file with one interface and without Simple Packet Blocks, to which libpcap would give a time. */
static struct bytes uniform_pcapng(bool big)
{
    struct bytes f = {0}, options = {0};
    ng_option(&options, big, 9, "\x09", 1);
    put32(&options, 0, big);
    ng_section(&f, big);
    ng_interface(&f, big, 1, 65535, &options);
    for (uint32_t i = 0; i < 50; i++)
        ng_packet(&f, big, 0, UINT64_C(1700000000123456789) + i, i * 7, (uint8_t)i, NULL);
    bytes_free(&options);
    return f;
}

Test(capture, agrees_with_libpcap)
{
    for (int i = 0; i < 7; i++) {
        struct bytes f = i < 5 ? sample(i) : uniform_pcapng(i == 6);
        char path[] = "ibproof-input-XXXXXX";
        int fd = mkstemp(path);
        cr_assert_geq(fd, 0);
        cr_assert_eq(write(fd, f.b, f.n), (ssize_t)f.n);
        close(fd);
        unsigned packets = compare_with_libpcap(path);
        unlink(path);
        cr_assert_eq(packets, i < 5 ? 3 : 50);
        bytes_free(&f);
    }
}

static bool is_pcap(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".pcap") == 0;
}

/* Compares the readers on the samples of this tree, or on those of another folder. */
Test(capture, agrees_with_libpcap_on_real_captures)
{
    const char *other = getenv("IBPROOF_CAPTURES"), *directory = other ? other : IBPROOF_SOURCE_DIR "/pcaps";
    DIR *d = opendir(directory);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (is_pcap(path))
            cr_assert_gt(compare_with_libpcap(path), 0u, "%s", path);
    }
    if (d != NULL)
        closedir(d);
}
