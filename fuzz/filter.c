/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles any text as a display filter, and runs it on packets of each kind. */
#include <string.h>
#include "field/packet.h"
#include "filter/filter.h"
#include "fuzz.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

const struct fuzz_target fuzz_target = {"filter", FUZZ_BYTES, "frame.number == 1"};

enum { MOST_TEXT = 4096, PACKETS = 6, PACKET_ROOM = 512 };

static struct packet packets[PACKETS];
static struct cap_packet *caps;

static void make_packets(void)
{
    static const struct {
        enum iba_encap encap;
        uint8_t opcode;
    } of[PACKETS] = {{IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY_IMM},
                     {IBA_ENCAP_ROCE2_V6, IBA_RC_ACKNOWLEDGE},
                     {IBA_ENCAP_ROCE1_VLAN, IBA_RC_CMP_SWAP},
                     {IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY},
                     {IBA_ENCAP_IB_FC, 0},
                     {IBA_ENCAP_ROCE2_GRE, IBA_RC_SEND_FIRST}};
    static const uint8_t payload[64] = "The payload, with 0 and \x80 in it";
    static uint8_t room[PACKETS][PACKET_ROOM];

    caps = calloc(PACKETS, sizeof *caps);
    FUZZ_CHECK(caps);
    for (unsigned i = 0; i < PACKETS; i++) {
        struct iba_recipe r;
        size_t len;
        iba_recipe_init(&r, of[i].encap, of[i].opcode);
        r.payload = payload;
        r.payload_len = i == 1 || i == 4 ? 0 : sizeof payload;
        FUZZ_CHECK(iba_build(&r, room[i], PACKET_ROOM, &len) == IBA_OK);
        caps[i] = (struct cap_packet){.data = room[i],
                                      .caplen = (uint32_t)len,
                                      .len = (uint32_t)len,
                                      .ts_ns = 1000 * i,
                                      .has_ts = true,
                                      .number = i + 1,
                                      .comment = i == 2 ? "a comment" : NULL};
        packets[i] = (struct packet){.cap = &caps[i], .number = i + 1, .source_name = "x"};
        (void)iba_view_parse(&packets[i].view, (enum iba_link)iba_encaps[of[i].encap].link, room[i], len, len, NULL);
        iba_view_check(&packets[i].view);
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    char text[MOST_TEXT], err[256] = "";
    struct filter *f;

    if (packets[0].cap == NULL)
        make_packets();
    n = n < sizeof text - 1 ? n : sizeof text - 1;
    memcpy(text, data, n);
    text[n] = '\0';
    f = filter_compile(text, err, sizeof err);
    FUZZ_CHECK((f == NULL) == (err[0] != '\0'));
    fuzz_note_bytes(err, strlen(err));
    for (unsigned i = 0; f && i < PACKETS; i++)
        fuzz_note(filter_match(f, &packets[i]));
    filter_free(f);
    return 0;
}
