/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "wire/iba_opcode_rows.h"

#define MS INT64_C(1000000)

Test(conv, nothing_seen)
{
    struct feed f;
    feed_open(&f, "conv,qp");
    expect(&f, "conv-empty");
}

Test(conv, every_kind_of_address_most_bytes_first)
{
    static const struct spec specs[] = {
        {.proto = IBA_PROTO_ROCE2,
         .src = 1,
         .dst = 2,
         .opcode = 4,
         .p_key = 0xffff,
         .dest_qp = 0x11,
         .psn = 7,
         .words = 1},
        {.proto = IBA_PROTO_ROCE2, .src = 2, .dst = 1, .opcode = 0x11, .p_key = 0xffff, .dest_qp = 0x12, .psn = 7},
        {.proto = IBA_PROTO_ROCE2,
         .v6 = true,
         .src = 1,
         .dst = 2,
         .opcode = 4,
         .p_key = 0xffff,
         .dest_qp = 0x11,
         .words = 8},
        {.proto = IBA_PROTO_ROCE1, .src = 1, .dst = 2, .opcode = 4, .p_key = 0x7fff, .dest_qp = 0x11, .words = 2},
        {.proto = IBA_PROTO_IB, .src = 1, .dst = 2, .opcode = 0xa4, .dest_qp = 0xfffffe, .words = 3},
        {.proto = IBA_PROTO_IB,
         .v6 = true,
         .src = 1,
         .dst = 3,
         .opcode = 0x64,
         .dest_qp = 1,
         .source_qp = 1,
         .words = 4},
    };
    const struct frame other = frame_other(), captured = frame_captured();
    struct feed f;
    feed_open(&f, "conv,qp");
    for (unsigned i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct frame frame = frame_of(&specs[i]);
        feed(&f, &frame, i * MS);
    }
    feed(&f, &other, 6 * MS);
    feed(&f, &captured, UNTIMED);
    expect(&f, "conv-addresses");
}

Test(conv, packets_of_one_conversation_add_up)
{
    struct spec s = {.proto = IBA_PROTO_IB, .src = 4, .dst = 5, .opcode = IBA_UD_SEND_ONLY, .dest_qp = 9, .words = 5};
    struct feed f;
    feed_open(&f, "conv,qp");
    for (uint32_t i = 0; i < 3; i++) {
        s.psn = 0xffffff + i;
        s.source_qp = 100;
        const struct frame frame = frame_of(&s);
        feed(&f, &frame, (10 - (int64_t)i) * MS); /* out of order */
    }
    s.dest_qp = 10;
    for (s.source_qp = 100; s.source_qp < 103; s.source_qp++) {
        const struct frame frame = frame_of(&s);
        feed(&f, &frame, 20 * MS);
    }
    expect(&f, "conv-adding");
}

Test(conv, any_part_of_the_key_makes_another)
{
    const struct spec base = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = 4, .p_key = 1, .dest_qp = 3};
    struct spec other[6] = {base, base, base, base, base, base};
    struct feed f;
    feed_open(&f, "conv,qp");
    other[1].src = 9;
    other[2].dst = 9;
    other[3].opcode = IBA_UC_SEND_ONLY;
    other[4].p_key = 0x8001;
    other[5].dest_qp = 4;
    for (size_t i = 0; i < 6; i++) {
        const struct frame frame = frame_of(&other[i]);
        feed(&f, &frame, 0);
        feed(&f, &frame, 0);
    }
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"address\""), 6, "%s", j);
    cr_expect_eq(occurrences(j, "\"packets\":2,"), 6, "%s", j);
    free(j);
    feed_close(&f);
}

Test(conv, beyond_the_limit_the_rest_is_others)
{
    enum { LIMIT = 16384, MORE = 10 };
    struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = 4, .words = 1};
    struct feed f;
    feed_open(&f, "conv,qp");
    for (int twice = 0; twice < 2; twice++)
        for (s.dest_qp = 0; s.dest_qp < LIMIT + MORE; s.dest_qp++) {
            const struct frame frame = frame_of(&s);
            feed(&f, &frame, 0);
        }
    char *j = printed(&f, true), *t = printed(&f, false);
    cr_expect_eq(occurrences(j, "\"packets\":2,"), LIMIT);
    cr_expect(strstr(j, "\"limit\":16384,\"others_packets\":20,\"others_payload_bytes\":80}\n"));
    cr_expect(strstr(t, "\nOthers, beyond the first 16384 conversations: packets 20, payload bytes 80\n"));
    cr_expect(strstr(j, "\"conversations\":[{\"address\":\"ipv4\",\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\","
                        "\"source_qp\":null,\"source_qp_several\":false,\"dest_qp\":0,"));
    free(j);
    free(t);
    feed_close(&f);
}

Test(conv, a_transport_header_without_room_for_the_icrc_still_tells_the_conversation)
{
    struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE1, .opcode = 4});
    struct feed f;
    feed_open(&f, "conv,qp");
    iba_grh_set_paylen(frame.b + 14, IBA_BYTES_bth + 2);
    feed(&f, &frame, 0);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"packets\":1,\"no_transport\":0,\"conversations\":[{\"address\":\"gid\","), "%s", j);
    free(j);
    feed_close(&f);
}
