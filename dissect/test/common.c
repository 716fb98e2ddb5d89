/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"

struct out printed;

const char *printed_text(void)
{
    printed.buf[printed.n] = '\0';
    return printed.buf;
}

void printed_clear(void)
{
    out_init(&printed, -1);
}

struct packet *packet_of(enum iba_encap e, uint8_t opcode, size_t payload, void (*change)(struct iba_recipe *r))
{
    static uint8_t wire[2048], data[1024];
    static struct iba_recipe r;
    static struct packet p;
    static struct cap_packet cap;
    size_t n;

    iba_recipe_init(&r, e, opcode);
    r.payload = data;
    r.payload_len = payload;
    if (change)
        change(&r);
    cr_assert_eq(iba_build(&r, wire, sizeof wire, &n), IBA_OK);
    cap = (struct cap_packet){.data = wire, .caplen = (uint32_t)n, .len = (uint32_t)n, .number = 1, .has_ts = true};
    cap.ts_ns = UINT64_C(1700000000123456789);
    p = (struct packet){.cap = &cap, .number = 1, .first_ns = cap.ts_ns, .prev_ns = cap.ts_ns, .source_name = "x.pcap"};
    (void)iba_view_parse(&p.view, (enum iba_link)iba_encaps[e].link, wire, n, n, NULL);
    iba_view_check(&p.view);
    return &p;
}
