/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include "wire/iba_opcode_rows.h"

Test(opcode, nothing_seen)
{
    struct feed f;
    feed_open(&f, "opcode,tree");
    expect(&f, "opcode-empty");
}

Test(opcode, services_opcodes_and_the_rest)
{
    static const struct spec specs[] = {
        {.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .words = 4},
        {.proto = IBA_PROTO_ROCE1, .opcode = IBA_RC_SEND_ONLY, .words = 1},
        {.proto = IBA_PROTO_IB, .opcode = IBA_RC_ACKNOWLEDGE},
        {.proto = IBA_PROTO_IB, .opcode = IBA_UD_SEND_ONLY, .words = 2},
        {.proto = IBA_PROTO_ROCE2, .opcode = 0x1f},
        {.proto = IBA_PROTO_ROCE2, .opcode = 0xc1, .words = 1},
        {.proto = IBA_PROTO_IB, .opcode = 0xff, .words = 1},
    };
    const struct frame link = {.link = IBA_LINK_IB, .n = 6}, other = frame_other();
    struct frame cut = frame_captured();
    struct feed f;
    feed_open(&f, "opcode,tree");
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct frame frame = frame_of(&specs[i]);
        feed(&f, &frame, 0);
    }
    feed(&f, &link, 1);
    feed(&f, &other, 2);
    feed(&f, &cut, 3);
    cut.caplen = 20;
    feed(&f, &cut, 3);
    expect(&f, "opcode-tree");
}

Test(opcode, a_payload_counts_as_on_the_wire_and_thirds_are_rounded)
{
    struct frame cut = frame_captured();
    const struct frame other = frame_other();
    struct feed f;
    feed_open(&f, "opcode,tree");
    cut.caplen = 60;
    feed(&f, &cut, 0);
    feed(&f, &other, 0);
    feed(&f, &cut, 0);
    expect(&f, "opcode-rounding");
}
