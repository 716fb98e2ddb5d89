/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of performance management that are tables of counters, against libibmad: number and name of each, and
 * where libibmad encodes its first and its last counter. */
#include <ctype.h>
#include <infiniband/mad.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { PM = 4, DATA = 64, MOST = 3 };

/* An attribute of counters of one kind. The first and the last counter that libibmad knows must lie where our table
 * begins and ends. */
struct counters {
    uint8_t layout;
    enum MAD_FIELDS first, last;
};
static const struct attribute {
    uint16_t id;
    const char *name; /* as libibmad's constant has it */
    uint8_t head;     /* the layout before the counters */
    struct counters of[MOST];
} attributes[] = {
#define A(name, head, ...)                                                                                             \
    {                                                                                                                  \
        IB_GSI_PORT_##name, #name, IBA_M_##head,                                                                       \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define C(layout, first, last)                                                                                         \
    {                                                                                                                  \
        IBA_M_##layout, IB_##first##_F, IB_##last##_F                                                                  \
    }
    A(SAMPLES_RESULT, pm_samples_result, C(pm_sample, PSR_COUNTER0, PSR_COUNTER14)),
    A(RCV_ERROR_DETAILS, pm_select, C(pm_rcv_errors, PC_RCV_LOCAL_PHY_ERR, PC_RCV_LOOPING_ERR)),
    A(XMIT_DISCARD_DETAILS, pm_select, C(pm_xmit_discards, PC_XMT_INACT_DISC, PC_XMT_SW_HOL_DISC)),
    A(PORT_OP_RCV_COUNTERS, pm_select, C(pm_op_rcv, PC_PORT_OP_RCV_PKTS, PC_PORT_OP_RCV_DATA)),
    A(PORT_FLOW_CTL_COUNTERS, pm_select, C(pm_flow_ctl, PC_PORT_XMIT_FLOW_PKTS, PC_PORT_RCV_FLOW_PKTS)),
    A(PORT_VL_OP_PACKETS, pm_select, C(pm_vl_op_packets, PC_PORT_VL_OP_PACKETS0, PC_PORT_VL_OP_PACKETS15)),
    A(PORT_VL_OP_DATA, pm_select, C(pm_vl_op_data, PC_PORT_VL_OP_DATA0, PC_PORT_VL_OP_DATA15)),
    A(PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS, pm_select,
      C(pm_vl_update, PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0, PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS15)),
    A(PORT_VL_XMIT_WAIT_COUNTERS, pm_select, C(pm_vl_wait, PC_PORT_VL_XMIT_WAIT0, PC_PORT_VL_XMIT_WAIT15)),
    {IB_GSI_PORT_EXT_SPEEDS_COUNTERS,
     "EXTENDED_SPEEDS_COUNTERS",
     IBA_M_pm_speeds,
     {C(pm_lane_errors, PESC_ERR_DET_CTR_LANE0, PESC_ERR_DET_CTR_LANE11),
      C(pm_lane_corrected, PESC_FEC_CORR_BLOCK_CTR_LANE0, PESC_FEC_CORR_BLOCK_CTR_LANE11),
      C(pm_lane_uncorrected, PESC_FEC_UNCORR_BLOCK_CTR_LANE0, PESC_FEC_UNCORR_BLOCK_CTR_LANE11)}},
    {IB_GSI_SW_PORT_VL_CONGESTION,
     "SW_PORT_VL_CONGESTION",
     IBA_M_pm_select,
     {C(pm_vl_congestion, PC_SW_PORT_VL_CONGESTION0, PC_SW_PORT_VL_CONGESTION15)}},
    A(RCV_CON_CTRL, pm_select, C(pm_con_ctrl, PC_RCV_CON_CTRL_PKT_RCV_FECN, PC_RCV_CON_CTRL_PKT_RCV_BECN)),
    A(SL_RCV_FECN, pm_select, C(pm_sl_fecn, PC_SL_RCV_FECN0, PC_SL_RCV_FECN15)),
    A(SL_RCV_BECN, pm_select, C(pm_sl_becn, PC_SL_RCV_BECN0, PC_SL_RCV_BECN15)),
    A(XMIT_CON_CTRL, pm_select, C(pm_xmit_con, PC_XMIT_CON_CTRL_TIME_CONG, PC_XMIT_CON_CTRL_TIME_CONG)),
    A(VL_XMIT_TIME_CONG, pm_select, C(pm_vl_time, PC_VL_XMIT_TIME_CONG0, PC_VL_XMIT_TIME_CONG14)),
    A(XMIT_DATA_SL, pm_select, C(pm_xmit_sl, PC_XMT_DATA_SL0, PC_XMT_DATA_SL15)),
    A(RCV_DATA_SL, pm_select, C(pm_rcv_sl, PC_RCV_DATA_SL0, PC_RCV_DATA_SL15)),
};

/* Returns whether the names are equal, as "PORT_RCV_DATA_SL" is PortRcvDataSL. */
static bool same_name(const char *ours, const char *constant)
{
    while (*constant == '_')
        constant++;
    if (!*ours || !*constant)
        return !*ours && !*constant;
    return tolower((unsigned char)*ours) == tolower((unsigned char)*constant) && same_name(ours + 1, constant + 1);
}

/* Finds the bits that libibmad writes for a field, from the first to the last. */
static void bits_of(enum MAD_FIELDS field, unsigned *from, unsigned *to)
{
    uint8_t w[IBA_MAD_BYTES] = {0}, ones[8];

    memset(ones, 0xff, sizeof ones);
    mad_encode_field(w, field, ones);
    for (*from = 0; *from < sizeof w * 8 && !(w[*from / 8] << *from % 8 & 0x80);)
        ++*from;
    for (*to = sizeof w * 8; *to > 0 && !(w[(*to - 1) / 8] << (*to - 1) % 8 & 0x80);)
        --*to;
}

static void check(const struct attribute *a)
{
    uint8_t w[IBA_MAD_BYTES] = {0};
    struct iba_mad m;
    unsigned n = 0, from, to, last_from;

    iba_madhdr_set_mgmtclass(w, PM);
    iba_madhdr_set_attributeid(w, a->id);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_not_null(m.attr, "%s (%04x) is unknown", a->name, a->id);
    cr_expect(same_name(m.attr->name, a->name) ||
                  (strncmp(m.attr->name, "Port", 4) == 0 && same_name(m.attr->name + 4, a->name)),
              "%04x is %s, not %s", a->id, m.attr->name, a->name);
    while (n < MOST && a->of[n].layout)
        n++;
    cr_assert_geq(m.n_part, n + 1);
    cr_expect(m.part[m.n_part - n - 1].layout == a->head && m.part[m.n_part - n - 1].at == DATA);
    for (unsigned i = 0; i < n; i++) {
        const struct iba_mad_part *p = &m.part[m.n_part - n + i];
        bits_of(a->of[i].first, &from, &to);
        bits_of(a->of[i].last, &last_from, &to);
        cr_expect_eq(p->layout, a->of[i].layout, "%s: counters %u are %s", a->name, i, iba_mad_layouts[p->layout].name);
        cr_expect((unsigned)p->at == DATA + from / 8, "%s: counters %u begin at byte %u", a->name, i, p->at - DATA);
        cr_expect((unsigned)p->at + p->n * p->stride == DATA + (to + 7) / 8, "%s: counters %u end at byte %u", a->name,
                  i, p->at + p->n * p->stride - DATA);
    }
}

Test(libibmad_counters, begin_and_end_where_libibmad_encodes_them)
{
    for (size_t i = 0; i < COUNT(attributes); i++)
        check(&attributes[i]);
}
