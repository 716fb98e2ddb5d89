/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "wire/iba_opcode_rows.h"

Test(icrc, nothing_seen)
{
    struct feed f;
    feed_open(&f, "icrc");
    expect(&f, "icrc-empty");
}

Test(icrc, every_encapsulation_has_its_row)
{
    static const struct spec good[] = {
        {.proto = IBA_PROTO_IB, .opcode = IBA_RC_SEND_ONLY, .words = 1},
        {.proto = IBA_PROTO_ROCE1, .opcode = IBA_RC_SEND_ONLY, .words = 1},
        {.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .words = 1},
        {.proto = IBA_PROTO_ROCE2, .v6 = true, .opcode = IBA_RC_SEND_ONLY, .words = 1, .bad_icrc = true},
        {.proto = IBA_PROTO_IB, .v6 = true, .opcode = IBA_RC_SEND_ONLY, .bad_icrc = true, .bad_vcrc = true},
    };
    static const uint8_t fc[] = {0, 1, 2, 3, 0, 0};
    struct frame captured = frame_captured(), other = frame_other();
    struct frame link = {.link = IBA_LINK_IB, .n = sizeof fc};
    struct feed f;
    feed_open(&f, "icrc");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const struct frame frame = frame_of(&good[i]);
        feed(&f, &frame, 0);
    }
    feed(&f, &captured, 1);
    captured.caplen = 60;
    feed(&f, &captured, 2);
    captured.caplen = 20;
    feed(&f, &captured, 3);
    feed(&f, &other, 4);
    memcpy(link.b, fc, sizeof fc);
    feed(&f, &link, 5);
    iba_put_le16(link.b + 4, iba_lpcrc(link.b));
    feed(&f, &link, 6);
    expect(&f, "icrc-encapsulations");
}

Test(icrc, raw_packets_have_a_vcrc_only)
{
    struct frame raw = {.link = IBA_LINK_IB, .n = 16 + IBA_VCRC_BYTES};
    struct feed f;
    feed_open(&f, "icrc");
    iba_lrh_set_pktlen(raw.b, 4);
    iba_put_le16(raw.b + 16, iba_vcrc(raw.b, 16));
    feed(&f, &raw, 0);
    expect(&f, "icrc-raw");
}

Test(icrc, a_cut_header_is_malformed_and_unchecked_is_said)
{
    struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_WRITE_ONLY});
    struct feed f;
    feed_open(&f, "icrc");
    f.unchecked = true;
    feed(&f, &frame, 0);
    iba_bth_set_padcnt(frame.b + 14 + 20 + 8, 3); /* and no payload to pad */
    feed(&f, &frame, 0);
    expect(&f, "icrc-unchecked");
}

Test(icrc, the_list_of_bad_packets_ends)
{
    const struct frame bad =
        frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .bad_icrc = true});
    struct feed f;
    feed_open(&f, "icrc");
    for (int i = 0; i < 20; i++)
        feed(&f, &bad, i);
    char *t = printed(&f, false);
    cr_expect(strstr(t, "Bad ICRC in packets 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"), "%s", t);
    free(t);
    for (int i = 0; i < 7; i++)
        feed(&f, &bad, i);
    t = printed(&f, false);
    char *j = printed(&f, true);
    cr_expect(strstr(t, " 19 20 and 7 more\n"), "%s", t);
    cr_expect(strstr(j, "\"packets\":27,\"first\":[1,2,"), "%s", j);
    cr_expect(strstr(j, ",19,20],\"more\":7}"), "%s", j);
    free(t);
    free(j);
    feed_close(&f);
}
