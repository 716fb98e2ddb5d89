/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of the text line. */
#include <time.h>
#include "field/show.h"
#include "output/mad_text.h"
#include "output/printer.h"
#include "wire/iba_aeth.h"

enum { GIGA = 1000000000 };

static void decimals(struct out *o, uint64_t rest, unsigned n)
{
    char d[9];

    for (unsigned i = 9; i-- > 0; rest /= 10)
        d[i] = (char)('0' + rest % 10);
    out_ch(o, '.');
    out_mem(o, d, n);
}

static void seconds(struct out *o, int64_t ns)
{
    const uint64_t t = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

    if (ns < 0)
        out_ch(o, '-');
    out_u64(o, t / GIGA);
    decimals(o, t % GIGA, 9);
}

static void clock_time(struct out *o, uint64_t ns, bool utc, const char *format)
{
    const time_t t = (time_t)(ns / GIGA);
    struct tm tm;
    char text[32];

    if (!(utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm)))
        return;
    out_mem(o, text, strftime(text, sizeof text, format, &tm));
    decimals(o, ns % GIGA, 9);
}

void print_time(struct out *o, const struct packet *p, enum time_format f)
{
    const uint64_t t = p->cap->ts_ns;

    if (!p->cap->has_ts) {
        out_ch(o, '-');
        return;
    }
    switch (f) {
    case STAMP_RELATIVE: seconds(o, (int64_t)(t - p->first_ns)); break;
    case STAMP_DELTA: seconds(o, (int64_t)(t - p->prev_ns)); break;
    case STAMP_EPOCH: seconds(o, (int64_t)t); break;
    case STAMP_ABSOLUTE: clock_time(o, t, false, "%H:%M:%S"); break;
    case STAMP_DATE: clock_time(o, t, false, "%Y-%m-%d %H:%M:%S"); break;
    case STAMP_UTC: clock_time(o, t, true, "%H:%M:%S"); break;
    case STAMP_UTC_DATE: clock_time(o, t, true, "%Y-%m-%d %H:%M:%S"); break;
    }
}

const char *print_protocol(const struct packet *p)
{
    static const char *const name[] = {
        [IBA_PROTO_IB] = "InfiniBand", [IBA_PROTO_IB_RAW] = "IB-raw", [IBA_PROTO_IB_LINK] = "IB-link",
        [IBA_PROTO_ROCE1] = "RoCEv1",  [IBA_PROTO_ROCE2] = "RoCEv2",
    };
    static const struct {
        uint8_t hdr, vocabulary;
        const struct {
            uint16_t at, bits;
        } code;
    } upper[] = {
        {IBA_H_ipv6, IBA_VALUES_IPPROTO, {IBA_AT_ipv6_nxt, IBA_W_ipv6_nxt}},
        {IBA_H_ipv4, IBA_VALUES_IPPROTO, {IBA_AT_ipv4_proto, IBA_W_ipv4_proto}},
        {IBA_H_ipoibsend, IBA_VALUES_ETHERTYPE, {IBA_AT_ipoibsend_type, IBA_W_ipoibsend_type}},
        {IBA_H_ipoib, IBA_VALUES_ETHERTYPE, {IBA_AT_ipoib_type, IBA_W_ipoib_type}},
        {IBA_H_vlan, IBA_VALUES_ETHERTYPE, {IBA_AT_vlan_etype, IBA_W_vlan_etype}},
        {IBA_H_eth, IBA_VALUES_ETHERTYPE, {IBA_AT_eth_type, IBA_W_eth_type}},
    };
    const struct iba_view *v = &p->view;

    if (v->proto < sizeof name / sizeof *name && name[v->proto])
        return name[v->proto];
    for (size_t i = 0; i < sizeof upper / sizeof *upper; i++)
        if (iba_view_has(v, (enum iba_hdr)upper[i].hdr)) {
            const uint8_t *h = iba_view_hdr(v, (enum iba_hdr)upper[i].hdr);
            const char *s = iba_value_name((enum iba_vocabulary)upper[i].vocabulary,
                                           iba_bits_get(h, upper[i].code.at, upper[i].code.bits));
            return s ? s : "?";
        }
    return "?";
}

static void number(struct out *o, const char *what, uint64_t v)
{
    out_str(o, what);
    out_u64(o, v);
}

static void hex(struct out *o, const char *what, uint64_t v, unsigned digits)
{
    out_str(o, what);
    out_hex(o, v, digits);
}

static void info_aeth(struct out *o, const uint8_t *aeth)
{
    static const struct {
        const char *lead;
        enum iba_vocabulary value;
    } kind[] = {[IBA_AETH_ACK] = {" ACK credits=", IBA_VALUES_CREDITS},
                [IBA_AETH_RNR] = {" RNR NAK ", IBA_VALUES_RNR_MS},
                [IBA_AETH_RESERVED] = {" reserved syndrome ", IBA_VALUES_NONE},
                [IBA_AETH_NAK] = {" NAK ", IBA_VALUES_NAK}};
    const uint8_t k = iba_aeth_syn_kind(aeth), value = iba_aeth_syn_value(aeth);
    const char *name = iba_value_name(kind[k].value, value);

    if (k != IBA_AETH_ACK || value != IBA_CREDIT_NO_LIMIT) { /* the most frequent value prints nothing */
        out_str(o, kind[k].lead);
        if (name)
            out_str(o, name);
        else
            out_u64(o, value);
    }
    number(o, " MSN=", iba_aeth_msn(aeth));
}

/* Appends the text of each extension header to the line, in wire order. */
static void info_extensions(struct out *o, const struct iba_view *v, const struct mad_context *mad)
{
    const uint8_t *h;

    if (iba_view_has(v, IBA_H_rdeth))
        number(o, " EECN=", iba_rdeth_eecnxt(iba_view_hdr(v, IBA_H_rdeth)));
    if (iba_view_has(v, IBA_H_deth))
        hex(o, " SrcQP=", iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth)), 6);
    else if (mad->has_source_qp)
        hex(o, " SrcQP=", mad->source_qp, 6);
    if (iba_view_has(v, IBA_H_xrceth))
        hex(o, " SRQ=", iba_xrceth_srqn(iba_view_hdr(v, IBA_H_xrceth)), 6);
    if (iba_view_has(v, IBA_H_reth)) {
        h = iba_view_hdr(v, IBA_H_reth);
        hex(o, " VA=", iba_reth_va(h), 0);
        hex(o, " R_Key=", iba_reth_r_key(h), 8);
        number(o, " DMALen=", iba_reth_dmalen(h));
    }
    if (iba_view_has(v, IBA_H_atomiceth)) {
        h = iba_view_hdr(v, IBA_H_atomiceth);
        hex(o, " VA=", iba_atomiceth_va(h), 0);
        hex(o, " R_Key=", iba_atomiceth_r_key(h), 8);
    }
    if (iba_view_has(v, IBA_H_aeth))
        info_aeth(o, iba_view_hdr(v, IBA_H_aeth));
    if (iba_view_has(v, IBA_H_immdt))
        hex(o, " Imm=", iba_immdt_data(iba_view_hdr(v, IBA_H_immdt)), 8);
    if (iba_view_has(v, IBA_H_ieth))
        hex(o, " Inv=", iba_ieth_r_key(iba_view_hdr(v, IBA_H_ieth)), 8);
}

/* A message of tag matching (VN-04, VN-05); "app" is the user's number in the header. */
static void info_tm(struct out *o, const struct iba_view *v)
{
    const bool tagged = iba_view_has(v, IBA_H_tmh);
    const uint8_t *h = iba_view_hdr(v, tagged ? IBA_H_tmh : IBA_H_tmop);

    OUT_LIT(o, " TM ");
    out_str(o, iba_value_name(IBA_VALUES_TM_OP, tagged ? iba_tmh_opcode(h) : iba_tmop_opcode(h)));
    if (!tagged)
        return;
    hex(o, " Tag=", iba_tmh_tag(h), 0);
    hex(o, " App=", iba_tmh_app_ctx(h), 8);
    if (iba_view_has(v, IBA_H_rvh)) {
        h = iba_view_hdr(v, IBA_H_rvh);
        hex(o, " VA=", iba_rvh_va(h), 0);
        hex(o, " R_Key=", iba_rvh_r_key(h), 8);
        number(o, " Size=", iba_rvh_len(h));
    }
}

static void info_transport(struct out *o, const struct iba_view *v, const struct mad_context *mad)
{
    const uint8_t *bth = iba_view_bth(v);

    out_str(o, iba_opcode_title(iba_bth_opcode(bth)));
    if (!v->op)
        hex(o, " ", iba_bth_opcode(bth), 2);
    hex(o, " QP=", iba_bth_destqp(bth), 6);
    hex(o, " PSN=", iba_bth_psn(bth), 6);
    info_extensions(o, v, mad);
    if (v->payload_len > 0)
        number(o, " Len=", v->payload_len);
    if (iba_view_has(v, IBA_H_tmh) || iba_view_has(v, IBA_H_tmop))
        info_tm(o, v);
    if (iba_bth_a(bth))
        OUT_LIT(o, " AckReq");
    if (iba_bth_se(bth))
        OUT_LIT(o, " SE");
    if (iba_bth_fecn(bth))
        OUT_LIT(o, " FECN");
    if (iba_bth_becn(bth))
        OUT_LIT(o, " BECN");
}

static void info_link(struct out *o, const struct iba_view *v)
{
    const uint8_t *fc = iba_view_hdr(v, IBA_H_fc);
    const char *op = iba_value_name(IBA_VALUES_FC_OP, iba_fc_op(fc));

    OUT_LIT(o, "Flow control ");
    out_str(o, op ? op : "?");
    number(o, " VL=", iba_fc_vl(fc));
    number(o, " FCTBS=", iba_fc_fctbs(fc));
    number(o, " FCCL=", iba_fc_fccl(fc));
}

static void info_udp(struct out *o, const struct iba_view *v)
{
    const uint8_t *udp = iba_view_hdr(v, IBA_H_udp);

    out_u64(o, iba_udp_srcport(udp));
    OUT_LIT(o, " \xe2\x86\x92 ");
    out_u64(o, iba_udp_dstport(udp));
}

void print_info(struct out *o, const struct packet *p)
{
    const struct iba_view *v = &p->view;
    const size_t from = o->n;

    if (iba_view_has_bth(v)) {
        info_transport(o, v, &p->mad_context);
        print_mad_info(o, p);
    } else if (iba_view_has(v, IBA_H_fc))
        info_link(o, v);
    else if (iba_view_has(v, IBA_H_udp))
        info_udp(o, v);
    if (v->icrc == IBA_CHECK_BAD)
        OUT_LIT(o, " [ICRC bad]");
    if (v->vcrc == IBA_CHECK_BAD)
        out_str(o, v->proto == IBA_PROTO_IB_LINK ? " [LPCRC bad]" : " [VCRC bad]");
    if (v->err != IBA_OK) {
        out_str(o, v->err == IBA_NOT_ROCE_SHORT || v->err == IBA_NOT_ROCE_OPCODE ? " [" : " [malformed: ");
        out_str(o, iba_strerror(v->err));
        out_ch(o, ']');
    }
    if (v->truncated)
        OUT_LIT(o, " [cut by the capture]");
    if (v->fragment)
        OUT_LIT(o, " [IP fragment]");
    if (o->n > from && o->buf[from] == ' ') { /* the first bracket follows no other text */
        memmove(o->buf + from, o->buf + from + 1, o->n - from - 1);
        o->n--;
    }
}
