/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "wire/iba_opcode_rows.h"

enum { GOLDEN_BYTES = 64 * 1024 };

void feed_open(struct feed *f, const char *text)
{
    char err[256] = "";
    const char *arg;

    memset(f, 0, sizeof *f);
    f->kind = stat_find(text, &arg, err, sizeof err);
    cr_assert_not_null(f->kind, "%s", err);
    f->state = f->kind->open(arg, err, sizeof err);
    cr_assert_not_null(f->state, "%s", err);
    f->p.cap = &f->cap;
    f->p.first_ns = RUN_NS;
}

void feed_close(struct feed *f)
{
    f->kind->close(f->state);
    f->state = NULL;
}

static uint8_t *grow(struct frame *f, size_t n)
{
    uint8_t *at = f->b + f->n;

    cr_assert(f->n + n <= sizeof f->b);
    f->n += n;
    return at;
}

static void put_grh(struct frame *f, const struct spec *s, size_t behind)
{
    uint8_t *p = grow(f, IBA_BYTES_grh);

    iba_grh_set_ipver(p, 6);
    iba_grh_set_paylen(p, behind);
    iba_grh_set_nxthdr(p, 0x1b);
    p[8] = p[24] = 0xfe;
    p[9] = p[25] = 0x80;
    p[23] = s->src;
    p[39] = s->dst;
}

static void put_lrh(struct frame *f, const struct spec *s, size_t behind)
{
    const size_t grh = s->v6 ? (size_t)IBA_BYTES_grh : 0;
    uint8_t *p = grow(f, IBA_BYTES_lrh);

    iba_lrh_set_lnh(p, s->v6 ? 3 : 2);
    iba_lrh_set_slid(p, s->src);
    iba_lrh_set_dlid(p, s->dst);
    iba_lrh_set_pktlen(p, (IBA_BYTES_lrh + grh + behind) / 4);
    if (s->v6)
        put_grh(f, s, behind);
}

static void put_udp(struct frame *f, const struct spec *s, size_t behind)
{
    const size_t n = IBA_BYTES_udp + behind;
    uint8_t *p = grow(f, s->v6 ? IBA_BYTES_ipv6 : IBA_BYTES_ipv4);

    if (s->v6) {
        iba_ipv6_set_version(p, 6);
        iba_ipv6_set_plen(p, n);
        iba_ipv6_set_nxt(p, 17);
        p[8] = p[24] = 0x20;
        p[23] = s->src;
        p[39] = s->dst;
    } else {
        iba_ipv4_set_version(p, 4);
        iba_ipv4_set_hdr_len(p, 5);
        iba_ipv4_set_len(p, IBA_BYTES_ipv4 + n);
        iba_ipv4_set_proto(p, 17);
        iba_ipv4_set_src(p, 0x0a000000u | s->src);
        iba_ipv4_set_dst(p, 0x0a000000u | s->dst);
    }
    p = grow(f, IBA_BYTES_udp);
    iba_udp_set_dstport(p, 4791);
    iba_udp_set_length(p, n);
}

static void put_net(struct frame *f, const struct spec *s, size_t behind)
{
    f->link = s->proto == IBA_PROTO_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    if (s->proto == IBA_PROTO_IB) {
        put_lrh(f, s, behind);
        return;
    }
    uint8_t *eth = grow(f, IBA_BYTES_eth);
    iba_eth_set_type(eth, s->proto == IBA_PROTO_ROCE1 ? 0x8915 : s->v6 ? 0x86dd : 0x0800);
    if (s->proto == IBA_PROTO_ROCE1)
        put_grh(f, s, behind);
    else
        put_udp(f, s, behind);
}

static void put_crcs(struct frame *f, const struct spec *s)
{
    struct iba_view v;

    (void)iba_view_parse(&v, f->link, f->b, f->n, f->n, NULL);
    cr_assert_eq(v.icrc, IBA_CHECK_PENDING);
    iba_put_le32(f->b + v.end - IBA_ICRC_BYTES, iba_view_icrc(&v) ^ s->bad_icrc);
    if (s->proto == IBA_PROTO_IB)
        iba_put_le16(f->b + v.end, (uint16_t)(iba_vcrc(f->b, v.end) ^ s->bad_vcrc));
}

struct frame frame_of(const struct spec *s)
{
    const bool reserved = !iba_opcodes[s->opcode].name;
    const size_t ext = reserved ? IBA_BYTES_bth : iba_hdrs_bytes(iba_opcodes[s->opcode].hdrs);
    const size_t behind = ext + s->words * 4u + IBA_ICRC_BYTES;
    struct frame f = {0};

    put_net(&f, s, behind);
    uint8_t *p = grow(&f, behind + (s->proto == IBA_PROTO_IB ? (size_t)IBA_VCRC_BYTES : 0));
    iba_bth_set_opcode(p, s->opcode);
    iba_bth_set_p_key(p, s->p_key);
    iba_bth_set_destqp(p, s->dest_qp);
    iba_bth_set_psn(p, s->psn);
    if (!reserved && (iba_opcodes[s->opcode].hdrs & IBA_HDR_BIT(IBA_H_deth)))
        iba_deth_set_srcqp(p + IBA_BYTES_bth, s->source_qp);
    if (reserved && s->proto == IBA_PROTO_ROCE2) { /* is taken for RoCE by its good ICRC only: see iba_view.h */
        const uint8_t code = s->opcode;
        iba_bth_set_opcode(p, IBA_RC_SEND_ONLY);
        struct iba_view v;
        (void)iba_view_parse(&v, f.link, f.b, f.n, f.n, NULL);
        iba_bth_set_opcode(p, code);
        iba_put_le32(f.b + v.end - IBA_ICRC_BYTES, iba_view_icrc(&v));
        return f;
    }
    put_crcs(&f, s);
    return f;
}

static unsigned nibble(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static struct frame frame_hex(const char *hex)
{
    struct frame f = {.link = IBA_LINK_ETHERNET};

    for (; hex[0]; hex += 2)
        *grow(&f, 1) = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
    return f;
}

enum { CM = 7, SEND = 3, MAD_WORDS = 64, ICRC_BYTES = 4 };

uint8_t *frame_datagram(struct frame *f)
{
    return f->b + f->n - ICRC_BYTES - 4 * MAD_WORDS;
}

struct frame frame_cm(bool reply, uint16_t attribute)
{
    struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                             .src = reply ? 2 : 1,
                                             .dst = reply ? 1 : 2,
                                             .opcode = IBA_UD_SEND_ONLY,
                                             .p_key = 0xffff,
                                             .dest_qp = 1,
                                             .source_qp = 1,
                                             .words = MAD_WORDS});
    uint8_t *h = frame_datagram(&f);

    iba_madhdr_set_baseversion(h, 1);
    iba_madhdr_set_mgmtclass(h, CM);
    iba_madhdr_set_classversion(h, 2);
    iba_madhdr_set_method(h, SEND);
    iba_madhdr_set_transactionid(h, 9);
    iba_madhdr_set_attributeid(h, attribute);
    return f;
}

struct frame frame_captured(void)
{
    return frame_hex("248a07a8fa22248a07a8fa22080045010040047840004011b4d5c0a80007c0a80007c00012b7002caca2"
                     "2460ffff000000d300cf17104630818be28935d90e9a95505401be885e50000078f353f3");
}

struct frame frame_other(void)
{
    return frame_hex("ffffffffffff0200000000010806000108000604000102000000000100000000000000000000c0a80001");
}

void feed_at(struct feed *f, const struct frame *frame, uint64_t ts_ns)
{
    const size_t caplen = frame->caplen ? frame->caplen : frame->n;
    uint8_t *exact = malloc(caplen); /* so that the sanitizer detects a read after the capture */

    cr_assert_not_null(exact);
    memcpy(exact, frame->b, caplen);
    f->cap.data = exact;
    f->cap.caplen = (uint32_t)caplen;
    f->cap.len = (uint32_t)frame->n;
    f->cap.ts_ns = ts_ns;
    f->p.number++;
    (void)iba_view_parse(&f->p.view, frame->link, exact, caplen, frame->n, NULL);
    if (!f->unchecked)
        iba_view_check(&f->p.view);
    f->kind->packet(f->state, &f->p);
    free(exact);
}

void feed(struct feed *f, const struct frame *frame, int64_t at_ns)
{
    f->cap.has_ts = at_ns != UNTIMED;
    feed_at(f, frame, f->cap.has_ts ? RUN_NS + (uint64_t)at_ns : 0);
}

char *printed(struct feed *f, bool json)
{
    FILE *tmp = tmpfile();
    struct out *o = malloc(sizeof *o);

    cr_assert(tmp && o);
    out_init(o, fileno(tmp));
    f->kind->print(f->state, o, json);
    cr_assert(out_flush(o));
    free(o);
    const long n = (fseek(tmp, 0, SEEK_END), ftell(tmp));
    char *s = calloc(1, (size_t)n + 1);
    rewind(tmp);
    cr_assert(s && fread(s, 1, (size_t)n, tmp) == (size_t)n);
    fclose(tmp);
    return s;
}

static char *golden(const char *name, const char *ending)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/dissect/stats/test/golden/%s.%s", IBPROOF_SOURCE_DIR, name, ending);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char *s = calloc(1, GOLDEN_BYTES);
    cr_assert(s && fread(s, 1, GOLDEN_BYTES - 1, file) < GOLDEN_BYTES - 1);
    fclose(file);
    return s;
}

static void expect_form(struct feed *f, const char *name, bool json)
{
    char *want = golden(name, json ? "json" : "txt"), *got = printed(f, json);

    cr_expect_str_eq(got, want, "%s: want\n%sgot\n%s", name, want, got);
    free(want);
    free(got);
}

void expect(struct feed *f, const char *name)
{
    expect_form(f, name, false);
    expect_form(f, name, true);
    feed_close(f);
}

size_t occurrences(const char *in, const char *what)
{
    const size_t n = strlen(what), end = strlen(in);
    size_t count = 0;

    for (size_t i = 0; i + n <= end; i++)
        count += memcmp(in + i, what, n) == 0;
    return count;
}
