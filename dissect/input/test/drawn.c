/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in which one byte differs: all that the reader says of each is as before. Each row of the golden has the file,
 * the place of the bytes, how many packets all of these files have, and a digest of all fields of these packets and of
 * the lines about faults. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "bytes.h"
#include "test/golden.h"

#define GOLDEN IBPROOF_SOURCE_DIR "/dissect/input/test/drawn.golden"

enum { PER_ROW = 8, ROOM = 200 };

static uint64_t digest, packets;

static void note_options(const struct cap_options *o)
{
    digest = golden_number(digest, (uint64_t)o->bytes << 1 | (o->bytes && o->big));
    digest = golden_digest(digest, o->list, o->bytes);
}

static void note_packet(const struct cap_packet *p)
{
    const uint64_t numbers[] = {p->caplen, p->len,    p->dlt,   p->ts_ns, p->has_ts,
                                p->offset, p->number, p->iface, p->point};
    struct cap_packet timed = *p;

    cap_erf_time(&timed);
    packets++;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        digest = golden_number(digest, numbers[i]);
    digest = golden_number(digest, timed.ts_ns);
    digest = golden_digest(digest, p->data, p->caplen);
    digest = golden_text(digest, p->comment ? p->comment : "(none)");
    digest = golden_text(digest, p->iface_name ? p->iface_name : "(none)");
    note_options(&p->options);
    note_options(&p->iface_options);
}

/* Reads the file to its end. */
static void note(const struct bytes *f)
{
    char err[ROOM];
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);
    struct cap_packet p;

    if (!c) {
        digest = golden_text(digest, err);
        return;
    }
    while (cap_next(c, &p) == CAP_PACKET)
        note_packet(&p);
    digest = golden_number(golden_text(digest, cap_error(c)), cap_dropped(c));
    cap_close(c);
}

static void line_of(struct golden *g, const char *name, size_t from)
{
    char line[ROOM];

    (void)snprintf(line, sizeof line, "%s from %zu: %lu packets, %08x\n", name, from, (unsigned long)packets,
                   golden_short(digest));
    golden_line(g, line);
    digest = GOLDEN_EMPTY;
    packets = 0;
}

/* Each byte in turn has other values. */
static void changed(struct golden *g, const char *name, struct bytes *f)
{
    for (size_t at = 0; at < f->n; at++) {
        const uint8_t is = f->b[at],
                      others[] = {
                          0, 0xff, (uint8_t)(is ^ 1), (uint8_t)(is ^ 0x80), (uint8_t)(is + 1), (uint8_t)(is + 4)};
        for (size_t i = 0; i < sizeof others; i++) {
            f->b[at] = others[i];
            note(f);
        }
        f->b[at] = is;
        if (at % PER_ROW == PER_ROW - 1 || at + 1 == f->n)
            line_of(g, name, at - at % PER_ROW);
    }
}

/* An option list with options of each kind that the reader knows, some of other lengths than usual. */
static void options_of_interface(struct bytes *o, bool big, unsigned turn)
{
    static const uint8_t value[8] = {0, 0, 0, 0, 0, 0, 0, 5};

    ng_option(o, big, 2, "ib0", 3);
    ng_option(o, big, 9, turn == 0 ? "\x03" : "\x8a", turn == 2 ? 2 : 1);
    ng_option(o, big, 14, big ? value : (const uint8_t *)"\5\0\0\0\0\0\0", turn == 1 ? 4 : 8);
    ng_option(o, big, 2, "ib1", 3);
    put32(o, 0, big);
}

/* A pcapng file with all blocks that the reader knows, with options. */
static struct bytes all_blocks(bool big)
{
    struct bytes f = {0}, options = {0}, simple = {0}, obsolete = {0};

    ng_section(&f, big);
    for (unsigned turn = 0; turn < 3; turn++) {
        struct bytes of_iface = {0};
        options_of_interface(&of_iface, big, turn);
        ng_interface(&f, big, (uint16_t)(1 + turn), turn == 0 ? 6 : 0, &of_iface);
        bytes_free(&of_iface);
    }
    ng_option(&options, big, 1, "seen", 4);
    ng_option(&options, big, 2, "\1\2\3\4", 4);
    put32(&options, 0, big);
    for (uint32_t i = 0; i < 3; i++)
        ng_packet(&f, big, i, 3000 + i, 5 + i, (uint8_t)i, &options);
    put32(&simple, 7, big);
    put_fill(&simple, 9, 8);
    ng_block(&f, big, 3, &simple);
    put16(&obsolete, 1, big);
    put16(&obsolete, 0, big);
    put32(&obsolete, 0, big);
    put32(&obsolete, 4000, big);
    put32(&obsolete, 3, big);
    put32(&obsolete, 9, big);
    put_fill(&obsolete, 8, 4);
    ng_block(&f, big, 2, &obsolete);
    ng_block(&f, big, 0xbad, &simple);
    bytes_free(&options);
    bytes_free(&simple);
    bytes_free(&obsolete);
    return f;
}

Test(drawn, each_byte_of_each_file_with_other_values)
{
    struct golden g = golden_open(GOLDEN);
    char name[32];

    digest = GOLDEN_EMPTY;
    for (int i = 0; i < SAMPLES; i++) {
        struct bytes f = sample(i);
        (void)snprintf(name, sizeof name, "sample %d", i);
        changed(&g, name, &f);
        if (i == 0) {
            struct bytes z = {0};
            put_gzip(&z, f.b, f.n);
            changed(&g, "gzip", &z);
            bytes_free(&z);
        }
        bytes_free(&f);
    }
    for (unsigned big = 0; big < 2; big++) {
        struct bytes f = all_blocks(big);
        changed(&g, big ? "all blocks, big-endian" : "all blocks", &f);
        bytes_free(&f);
    }
    golden_close(&g);
}
