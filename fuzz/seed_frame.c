/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeds of single packets and of management datagrams that captures seldom contain. */
#include "mad/iba_mad.h"
#include "seed.h"
#include "wire/iba_opcode_rows.h"

enum { HEAD = 2, ALL_PORTS = 8, TM = 16, CUT = 1 };

static void frame(const char *what, unsigned a, unsigned b, uint8_t link, uint8_t options, const struct iba_recipe *r)
{
    uint8_t buf[SEED_ROOM] = {link, options};
    size_t len;

    if (iba_build(r, buf + HEAD, sizeof buf - HEAD, &len) != IBA_OK)
        return;
    seed_save_steps("view", what, a, b, buf, len + HEAD);
    seed_save_steps("crc", what, a, b, buf, len + HEAD);
}

/* Seeds of RoCEv2 at other UDP ports, which options set. */
static void ports(void)
{
    struct iba_recipe r;

    for (uint16_t port = 4792; port < 4801; port++) {
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
        iba_udp_set_dstport(iba_recipe_part(&r, IBA_H_udp), port);
        frame("port", port, 0, 0, ALL_PORTS, &r);
        frame("port", port, 1, 0, 4, &r);
    }
}

/* Seeds of IPoIB in UD SENDs: each kind, and one with a wrong length. */
static void ipoib(void)
{
    enum { ENCAPSULATION = 4, MOST = 64 };
    static const uint8_t type[][2] = {{8, 0}, {0x86, 0xdd}, {8, 6}, {8, 0}, {0x88, 0xcc}};
    struct iba_recipe r;

    for (unsigned i = 0; i < 5; i++)
        for (uint8_t delta = 0; delta < 2; delta++) {
            uint8_t p[ENCAPSULATION + MOST] = {type[i][0], type[i][1]};
            uint8_t *ip = p + ENCAPSULATION;
            if (i == 1) {
                ip[0] = 0x60;
                ip[5] = (uint8_t)(MOST - IBA_BYTES_ipv6 + delta);
                ip[6] = 17;
            } else if (i == 2)
                ip[1] = (uint8_t)(32 + delta);
            else {
                ip[0] = (uint8_t)(i == 3 ? 0x44 : 0x45);
                ip[3] = (uint8_t)(MOST + delta);
                ip[9] = 17;
            }
            iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
            iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 0x48);
            r.payload = p;
            r.payload_len = sizeof p;
            frame("ipoib", i, delta, 3, 0, &r);
        }
}

/* Seeds of tag matching: each kind of message, as long as its headers, and shorter by a byte. */
static void tag_matching(void)
{
    enum { LONGEST = IBA_BYTES_tmh + IBA_BYTES_rvh };
    static const uint8_t lengths[] = {0, 1, IBA_BYTES_tmh - 1, IBA_BYTES_tmh, LONGEST - 1, LONGEST};
    uint8_t p[LONGEST] = {0};
    struct iba_recipe r;

    for (unsigned kind = IBA_TM_NO_TAG; kind <= IBA_TM_EAGER + 1; kind++)
        for (unsigned i = 0; i < sizeof lengths; i++) {
            iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
            p[0] = (uint8_t)kind;
            r.payload = p;
            r.payload_len = lengths[i];
            frame("tm", kind, lengths[i], 0, TM, &r);
        }
}

/* Seeds of unusual orders of headers: tunnels within tunnels, a GRE header without a sequence number, more layers than
 * a view keeps. */
static void tunnels(void)
{
    static const uint8_t chains[][8] = {
        {IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_eth},
        {IBA_H_eth, IBA_H_vlan, IBA_H_vlan, IBA_H_vlan, IBA_H_vlan, IBA_H_ipv4, IBA_H_udp, IBA_H_bth},
        {IBA_H_eth, IBA_H_ipv6, IBA_H_ip6ext, IBA_H_ip6ext, IBA_H_ip6ext, IBA_H_ip6ext, IBA_H_udp, IBA_H_bth},
        {IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_erspan2, IBA_H_eth, IBA_H_ipv4, IBA_H_udp, IBA_H_bth}};
    struct iba_recipe r;

    for (unsigned i = 0; i < 4; i++) {
        memset(&r, 0, sizeof r);
        for (unsigned k = 0; k < 8; k++)
            if (chains[i][k] || k == 0)
                (void)iba_recipe_add(&r, (enum iba_hdr)chains[i][k]);
        frame("chain", i, 0, 0, 0, &r);
        memset(&r, 0, sizeof r);
        for (unsigned k = 0; k < IBA_MAX_LAYERS; k++)
            (void)iba_recipe_add(&r, k ? IBA_H_mpls : IBA_H_eth);
        frame("chain", i, 1, 0, 0, &r);
    }
}

static void recipes(void)
{
    for (uint8_t e = 0; e < (uint8_t)IBA_ENCAP_COUNT; e++)
        for (unsigned what = 0; what < 12; what++) {
            static const uint8_t bits[12] = {0x10, 0x20, 0x30, 0x40, 0x80, 0x50, 0x60, 0x20, 0x20, 0x20, 0x20, 0x21};
            static const uint8_t crcs[12] = {0, 5, 10, 0, 0, 0, 5, 15, 0x10, 0x20, 0x40, 0x75};
            const uint8_t recipe[] = {e,
                                      IBA_RC_WRITE_ONLY,
                                      bits[what],
                                      crcs[what],
                                      (uint8_t)what,
                                      (uint8_t)(what * 5),
                                      1,
                                      2,
                                      3,
                                      4,
                                      what == 11 ? 40 : 0,
                                      3,
                                      1,
                                      2,
                                      3,
                                      4,
                                      5,
                                      6,
                                      7};
            seed_save_steps("roundtrip", "odd", e, what, recipe, sizeof recipe);
        }
}

/* ---- tables of several segments ---- */

enum { RMPP_AT = 24, SA_AT = 36, DATA_AT = 56, SEGMENT = 200, RECORD = 64, DATA = 1 };

static size_t segment(uint8_t *to, uint8_t kind, uint8_t transaction, unsigned number, unsigned last,
                      uint16_t attribute)
{
    uint8_t w[IBA_MAD_BYTES] = {0};

    iba_madhdr_set_baseversion(w, 1);
    iba_madhdr_set_mgmtclass(w, IBA_CLASS_SA);
    iba_madhdr_set_classversion(w, 2);
    iba_madhdr_set_method(w, 0x92);
    iba_madhdr_set_attributeid(w, attribute);
    iba_madhdr_set_transactionid(w, transaction);
    iba_rmpp_set_rmppversion(w + RMPP_AT, 1);
    iba_rmpp_set_rmpptype(w + RMPP_AT, kind >> 4 ? kind >> 4 : DATA);
    iba_rmpp_set_rmppflag_active(w + RMPP_AT, 1);
    iba_rmpp_set_rmppflag_first(w + RMPP_AT, number == 1);
    iba_rmpp_set_rmppflag_last(w + RMPP_AT, number == last);
    iba_rmpp_set_data1(w + RMPP_AT, number);
    iba_rmpp_set_data2(w + RMPP_AT, number == last ? 20 + 100 : 0);
    iba_sa_set_attributeoffset(w + SA_AT, RECORD / 8);
    return seed_record(to, kind & 15, w, sizeof w);
}

/* Seeds of tables whose segments come in order, the last one first, repeated with changes, aborted, interleaved with
 * other transfers, or in too great a number. */
static void tables(void)
{
    static const uint16_t attributes[] = {0x35, 0x38, 0x11, 0x31, 0x39, 0x1b, 0x33, 0x36, 0xffff};
    static const uint8_t orders[][6] = {{1, 2, 3},       {3, 1, 2},       {1, 3, 3, 2},    {3, 2, 2, 1},
                                        {1, 0x12, 3},    {2, 4, 3, 1},    {1, 0x32, 2},    {1, 0x42, 3},
                                        {3, 0x84, 1, 2}, {4, 3, 2, 1, 5}, {1, 0x23, 2, 3}, {2, 3, 0x84, 1}};
    uint8_t all[SEED_ROOM] = {0};

    for (unsigned a = 0; a < 9; a++)
        for (unsigned o = 0; o < 12; o++) {
            size_t n = FUZZ_HEAD;
            for (unsigned i = 0; i < 6 && orders[o][i]; i++) {
                const uint8_t what = orders[o][i], type = what >> 4;
                n += segment(all + n, type == 8 ? 0 : (uint8_t)((unsigned)type << 4 | (o == 6 ? i & 13u : 0u)), 7,
                             what & 15, type == 8 ? 2 : 3, attributes[a]);
            }
            seed_save_steps("mad", "table", a, o, all, n);
        }
    for (unsigned more = 0; more < 3; more++) { /* more transfers than the desk keeps, more segments than it allows */
        enum { AGAIN = 0x10, TRANSACTION_AT = 15, NUMBER_AT = RMPP_AT + 6, OFFSET_AT = SA_AT + 8 };
        size_t n = FUZZ_HEAD;
        n += segment(all + n, 0, 7, 1, 3, 0x35);
        for (uint8_t i = 0; i < 18; i++) {
            const uint8_t change[] = {more ? NUMBER_AT : TRANSACTION_AT, i, more == 2 ? OFFSET_AT : NUMBER_AT + 1,
                                      more ? i : 1};
            n += seed_record(all + n, AGAIN, change, sizeof change);
        }
        seed_save_steps("mad", "many", more, 0, all, n);
    }
}

/* A seed for printers: a table of subnet administration, whose segments are packets. */
static void printed_tables(void)
{
    static const uint16_t attributes[] = {0x35, 0x38, 0x11, 0x39};
    uint8_t all[SEED_ROOM], mad[IBA_MAD_BYTES + 3], wire[512];
    struct iba_recipe r;
    size_t len;

    for (unsigned a = 0; a < 4; a++)
        for (unsigned way = 0; way < 4; way++) {
            const uint8_t head[FUZZ_HEAD] = {3, (uint8_t)way, (uint8_t)(0x10 << way), 0x51, 0, 2, 0x3f, 9};
            size_t n = sizeof head;
            memcpy(all, head, n);
            for (unsigned i = 1; i <= 3; i++) {
                (void)segment(mad, 0, 7, i, 3, attributes[a]);
                if (way & 1)
                    memset(mad + 3 + DATA_AT - 8, 0xff, 8); /* component mask */
                iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
                iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 1);
                iba_deth_set_srcqp(iba_recipe_part(&r, IBA_H_deth), 1);
                r.payload = mad + 3;
                r.payload_len = IBA_MAD_BYTES;
                if (iba_build(&r, wire, sizeof wire, &len) == IBA_OK)
                    n += seed_record(all + n, FUZZ_RAW, wire, len);
            }
            seed_save_steps("output", "table", a, way, all, n);
        }
}

/* Seeds of a run's results: each verdict, and each text that the input can set. */
static void results(void)
{
    enum { VERDICTS = 10, TEXTS = 12, RESULT = 1, TEXT, COMMENT, SOURCE, KINDS };
    static const char hostile[] = "\"'<b onclick=\"x\">&amp;]]>--\x01\r\n\x1b[31m\x7f\xff\xc0\x80\xed\xa0\x80 "
                                  "\xef\xbf\xbf</script><script>alert(1)//";
    static const char source[] = "scenario\nspec RR-03\n> a SEND_ONLY\n< a ACKNOWLEDGE\n";
    static const char comment[] = "variation: RC pmtu=256\nline 3: FAIL: expected bth.psn 1, got 2";
    uint8_t all[SEED_ROOM], wire[256];
    struct iba_recipe r;
    size_t len;

    for (uint8_t verdict = 0; verdict < (uint8_t)VERDICTS; verdict++)
        for (uint8_t flags = 0; flags < 0x80; flags = (uint8_t)(flags * 2 + 9)) {
            const uint8_t head[FUZZ_HEAD] = {0, (uint8_t)(flags * 5 + verdict), 0, 1, 1, 2, 3, 4};
            const uint8_t one[] = {(uint8_t)(verdict | 0x40), flags, verdict, 3, 1, 9, 0, 3, 1, 2, 3, 4, 5};
            size_t n = sizeof head;
            memcpy(all, head, n);
            n += seed_record(all + n, SOURCE, (const uint8_t *)source, sizeof source - 1);
            for (unsigned i = 0; i < 3; i++) {
                iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, i ? IBA_RC_ACKNOWLEDGE : IBA_RC_SEND_ONLY);
                if (iba_build(&r, wire, sizeof wire, &len) == IBA_OK)
                    n += seed_record(all + n, FUZZ_RAW, wire, len);
                n += seed_record(all + n, COMMENT, (const uint8_t *)(i ? hostile : comment),
                                 strlen(i ? hostile : comment));
            }
            n += seed_record(all + n, RESULT, one, sizeof one);
            for (uint8_t text = 0; text < (uint8_t)TEXTS; text++) {
                const char *says = (text + flags) % 3 ? hostile : "rc.responder.x";
                n += seed_record(all + n, (uint8_t)(TEXT + KINDS * text), (const uint8_t *)says, strlen(says));
            }
            n += seed_record(all + n, RESULT, one, sizeof one);
            seed_save_steps("report", "result", verdict, flags, all, n);
        }
}

void seed_frames(void)
{
    printed_tables();
    results();
    ports();
    ipoib();
    tag_matching();
    tunnels();
    recipes();
    tables();
}
