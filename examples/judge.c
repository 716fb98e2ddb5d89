/* SPDX-License-Identifier: BSD-2-Clause */
/* judge FILE: reads a pcap file of Ethernet frames, decodes each packet, verifies its ICRC, and prints each finding of
 * the observer as a line "FRAME FINDING". It describes each packet on standard error. The exit code is 0 if the file
 * could be read.
 *
 * A program that judges packets from another source needs no more code than this. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "observer/iba_observer.h"
#include "wire/iba_opcode.h"

enum { HEAD = 24, RECORD = 16, MOST = 65536 };
#define NS UINT64_C(1000000000)

static uint32_t word(const uint8_t *at, int big)
{
    return big ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
               : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void found(void *ctx, const struct iba_finding *f)
{
    (void)ctx;
    printf("%llu %s\n", (unsigned long long)f->frame, iba_findings[f->kind].name);
}

/* Prints the opcode of a packet and whether its ICRC is right, then passes the packet to the observer. */
static void packet(struct iba_observer *s, const uint8_t *data, uint32_t caplen, uint32_t len, uint64_t frame,
                   uint64_t now)
{
    struct iba_view v;

    if (iba_view_parse(&v, IBA_LINK_ETHERNET, data, caplen, len, NULL) != IBA_OK && v.n_layer == 0)
        return; /* the packet lacks a complete first header */
    iba_view_check(&v);
    (void)fprintf(stderr, "%llu ICRC %s\n", (unsigned long long)frame, iba_check_name(v.icrc));
    iba_observer_feed(s, &(struct iba_sighting){.view = &v, .now = now, .frame = frame});
}

static int read_all(FILE *in, struct iba_observer *s)
{
    static uint8_t data[MOST];
    uint8_t head[HEAD], r[RECORD];
    uint64_t frame = 0, now = 0;

    if (fread(head, 1, HEAD, in) != HEAD)
        return 1;
    const uint32_t magic = word(head, 0);
    const int nano = magic == 0xa1b23c4d || magic == 0x4d3cb2a1, big = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
    if (!nano && magic != 0xa1b2c3d4 && magic != 0xd4c3b2a1)
        return 1;
    while (fread(r, 1, RECORD, in) == RECORD) {
        const uint32_t caplen = word(r + 8, big), len = word(r + 12, big);
        if (caplen > MOST || fread(data, 1, caplen, in) != caplen)
            return 1;
        now = word(r, big) * NS + word(r + 4, big) * UINT64_C(1000) / (nano ? 1000 : 1);
        packet(s, data, caplen, len < caplen ? caplen : len, ++frame, now);
    }
    iba_observer_end(s, now);
    return 0;
}

int main(int argc, char **argv)
{
    const struct iba_observer_config cfg = {.n_flow = 1024, .n_known = 4096, .report = found};
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    void *memory = malloc(iba_observer_bytes(&cfg));
    int bad = 1;

    if (in && memory)
        bad = read_all(in, iba_observer_init(memory, &cfg));
    if (in)
        (void)fclose(in);
    free(memory);
    if (bad)
        (void)fprintf(stderr, "usage: judge FILE, a pcap file of Ethernet frames\n");
    return bad;
}
