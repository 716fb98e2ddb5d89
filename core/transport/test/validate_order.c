/* SPDX-License-Identifier: BSD-2-Clause */
/* Validation of packets with more than one fault: the order of the rows (PV-02). Events and counters of faults. */
#include "receive.h"
#include "transport/deviations_qp.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* ---- the order of the rows (PV-02): link, version, QP, service, state, partition, addresses ---- */
#define FAULTS(F)                                                                                                      \
    F(malformed)                                                                                                       \
    F(bad_vcrc)                                                                                                        \
    F(bad_icrc)                                                                                                        \
    F(longer_than_mtu)                                                                                                 \
    F(dlid_foreign)                                                                                                    \
    F(slid_impossible)                                                                                                 \
    F(permissive_misuse)                                                                                               \
    F(vl_of_other_kind)                                                                                                \
    F(other_version)                                                                                                   \
    F(no_qp)                                                                                                           \
    F(other_service)                                                                                                   \
    F(request_out_of_season)                                                                                           \
    F(pkey_differs)                                                                                                    \
    F(migrates)                                                                                                        \
    F(migration_refused)                                                                                               \
    F(other_port)                                                                                                      \
    F(grh_missing)                                                                                                     \
    F(slid_differs)                                                                                                    \
    F(dlid_differs)
#define NUMBER(row) FAULT_##row,
enum fault { FAULTS(NUMBER) N_FAULTS };
#define NAME(row) #row,
static const char *const fault_names[] = {FAULTS(NAME)};

static void spoil(enum fault f)
{
    switch (f) {
    case FAULT_malformed: iba_recipe_set(&bed.r, 0, iba_field_find(IBA_H_lrh, "pktlen"), 200); break;
    case FAULT_bad_vcrc: bed.r.vcrc_mode = IBA_CRC_BAD; break;
    case FAULT_bad_icrc: bed.r.icrc_mode = IBA_CRC_BAD; break;
    case FAULT_longer_than_mtu: bed.ca.port[0].mtu = IBA_MTU_256; break;
    case FAULT_dlid_foreign: iba_lrh_set_dlid(PART(&bed, lrh), LID + 4); break;
    case FAULT_slid_impossible: iba_lrh_set_slid(PART(&bed, lrh), GROUP_LID); break;
    case FAULT_permissive_misuse: iba_lrh_set_dlid(PART(&bed, lrh), 0xffff); break;
    case FAULT_vl_of_other_kind: iba_lrh_set_vl(PART(&bed, lrh), 15); break;
    case FAULT_other_version: iba_bth_set_tver(PART(&bed, bth), 1); break;
    case FAULT_no_qp: iba_bth_set_destqp(PART(&bed, bth), 0x777777); break;
    case FAULT_other_service: iba_bth_set_opcode(PART(&bed, bth), IBA_UC_WRITE_ONLY); break;
    case FAULT_request_out_of_season: bed.rc.state = IBA_QPS_INIT; break;
    case FAULT_pkey_differs: iba_bth_set_p_key(PART(&bed, bth), 0x8005); break;
    case FAULT_migrates: /* and no fault of the path */
        iba_lrh_set_slid(PART(&bed, lrh), ALT_LID);
        iba_lrh_set_dlid(PART(&bed, lrh), LID);
        break;
    case FAULT_migration_refused:
        bed.rc.attr.path_mig = IBA_PATH_ARMED;
        bed.rc.attr.alt_av = path_to_peer(&bed);
        bed.rc.attr.alt_av.dlid = ALT_LID;
        break;
    case FAULT_other_port: bed.rc.attr.port = 2; break;
    case FAULT_grh_missing: bed.rc.attr.av.grh = true; break;
    case FAULT_slid_differs: iba_lrh_set_slid(PART(&bed, lrh), PEER_LID + 1); break;
    case FAULT_dlid_differs:
        bed.ca.port[0].lmc = 1;
        iba_lrh_set_dlid(PART(&bed, lrh), LID + 1);
        break;
    case N_FAULTS: break;
    }
}

/* A packet has a fault and all those that come after it in the table: the first one decides. */
Test(validate_order, first_fault_decides)
{
    for (unsigned first = 0; first < N_FAULTS; first++) {
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, IBA_RC_WRITE_ONLY, 0, 2 * MTU);
        for (unsigned f = N_FAULTS; f-- > first;)
            spoil((enum fault)f);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, fault_names[first]), 1, "%s", fault_names[first]);
        if (first != FAULT_migrates) /* after which the table is applied again */
            cr_expect_eq(all_hits(&bed, IBA_TABLE_VALIDATE), 1, "%s", fault_names[first]);
    }
}

/* The same for datagrams to QP1, and to a UD QP over a GRH. */
Test(validate_order, first_fault_of_a_datagram_decides)
{
    static const char *const rows[][4] = {
        {"imm_to_management", "request_out_of_season", "pkey_differs", "qkey_differs"},
        {"pkey_differs", "other_port", "gid_foreign", "qkey_differs"}};

    for (unsigned k = 0; k < 8; k++) {
        const unsigned ud = k / 4, first = k % 4;
        bed_make(&bed, IBA_PORT_IB, false);
        packet(&bed, ud ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL,
               !ud && first == 0 ? IBA_UD_SEND_ONLY_IMM : IBA_UD_SEND_ONLY, ud ? UD_QPN : 1, 0, 256);
        iba_deth_set_q_key(PART(&bed, deth), 5);
        if (ud && first <= 2)
            iba_bits_put(PART(&bed, grh), IBA_AT_grh_dgid + 64, 64, 5);
        if (ud && first <= 1)
            bed.ud.attr.port = 2;
        if (first <= (ud ? 0 : 2))
            iba_bth_set_p_key(PART(&bed, bth), 0x9999);
        if (!ud && first <= 1)
            bed.gsi.state = IBA_QPS_INIT;
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, rows[ud][first]), 1, "%s", rows[ud][first]);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_VALIDATE), 1, "%s", rows[ud][first]);
    }
}

/* The same over IPv4. */
Test(validate_order, first_fault_over_ip_decides)
{
    static const char *const rows[] = {"fragment",         "bad_icrc",      "mac_foreign",
                                       "ip_length_absent", "other_version", "to_qp0_over_ethernet"};

    for (unsigned first = 0; first < COUNT(rows); first++) {
        bed_make(&bed, IBA_PORT_ROCE2, false);
        packet(&bed, IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY, 0, 0, 2 * MTU);
        if (first <= 4)
            iba_bth_set_tver(PART(&bed, bth), 1);
        if (first <= 3)
            iba_recipe_set(&bed.r, 1, iba_field_find(IBA_H_ipv4, "len"), 0);
        if (first <= 2)
            iba_eth_set_dst(PART(&bed, eth), 0x020000000001);
        if (first <= 1)
            bed.r.icrc_mode = IBA_CRC_BAD;
        if (first == 0)
            iba_ipv4_set_mf(PART(&bed, ipv4), 1);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, rows[first]), 1, "%s", rows[first]);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_VALIDATE), 1, "%s", rows[first]);
    }
}

/* ---- packets with two faults of other kinds ---- */
static void other_network_malformed(void)
{
    packet(&bed, IBA_ENCAP_ROCE1, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_recipe_set(&bed.r, 1, iba_field_find(IBA_H_grh, "paylen"), 2000);
}
static void fragment_of_another_network(void)
{
    packet(&bed, IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_ipv4_set_mf(PART(&bed, ipv4), 1);
}
static void raw_on_vl_15(void)
{
    raw_packet(&bed, IBA_ENCAP_IB_RAW, 32);
    iba_lrh_set_vl(PART(&bed, lrh), 15);
    bed.raw.state = IBA_QPS_ERR;
}
static void extensions_from_a_mapped_address(void)
{
    packet(&bed, IBA_ENCAP_ROCE2_V6_EXT, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    from_mapped_address(&bed);
}
static void version_from_a_mapped_address(void)
{
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    from_mapped_address(&bed);
    iba_bth_set_tver(PART(&bed, bth), 1);
}
static void version_with_a_split_word(void)
{
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 7);
    bed.r.keep |= IBA_KEEP_PAD;
    iba_bth_set_tver(PART(&bed, bth), 1);
}
static void split_word_to_qp0(void)
{
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_UD_SEND_ONLY, 0, 0, 255);
    bed.r.keep |= IBA_KEEP_PAD;
}
static void multicast_by_its_qp_alone(void)
{
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 0xffffff, 0, 16);
}
static void reserved_to_another_service(void)
{
    packet(&bed, IBA_ENCAP_IB_LOCAL, 0x7f, RC_QPN, EPSN, 16);
}
static void response_of_another_partition(void)
{
    ask(&bed, IBA_RC_ACKNOWLEDGE, 0, 0);
    iba_bth_set_p_key(PART(&bed, bth), 0x8005);
    bed.rc.state = IBA_QPS_RTR;
}

Test(validate_order, the_first_of_two_faults_decides)
{
    static const struct {
        uint8_t kind; /* enum iba_port_kind */
        void (*prepare)(void);
        const char *row;
    } c[] = {
        {IBA_PORT_IB, other_network_malformed, "malformed"},
        {IBA_PORT_ROCE1, fragment_of_another_network, "foreign_link"},
        {IBA_PORT_IB, raw_on_vl_15, "vl_of_other_kind"},
        {IBA_PORT_ROCE2, extensions_from_a_mapped_address, "ip_options"},
        {IBA_PORT_ROCE2, version_from_a_mapped_address, "ip_mapped_wrongly"},
        {IBA_PORT_ROCE2, version_with_a_split_word, "other_version"},
        {IBA_PORT_ROCE2, split_word_to_qp0, "split_word"},
        {IBA_PORT_IB, multicast_by_its_qp_alone, "multicast_no_grh"},
        {IBA_PORT_IB, reserved_to_another_service, "other_service"},
        {IBA_PORT_IB, response_of_another_partition, "response_out_of_season"},
    };

    for (size_t i = 0; i < COUNT(c); i++) {
        bed_make(&bed, (enum iba_port_kind)c[i].kind, false);
        c[i].prepare();
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, c[i].row), 1, "%s", c[i].row);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_VALIDATE), 1, "%s", c[i].row);
    }
}

/* WF-84: a congestion notification is counted, and does nothing else, whatever its bits say. */
Test(validate_order, a_notification_arms_nothing)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.port[0].congestion = true;
    bed.rc.attr.path_mig = IBA_PATH_REARM;
    ask(&bed, IBA_CNP_IB, 100, 0);
    iba_bth_set_m(PART(&bed, bth), 0);
    iba_bth_set_fecn(PART(&bed, bth), 1);
    iba_bth_set_becn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect_eq(bed.ca.port[0].counters.cnp_in, 1);
    cr_expect_eq(bed.ca.port[0].counters.becn_in, 0);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 0);
    cr_expect_eq(bed.rc.attr.path_mig, IBA_PATH_REARM);
    bed.rc.state = IBA_QPS_INIT; /* PV-05: and not even counted in Init */
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "request_out_of_season"), 1);
    cr_expect_eq(bed.ca.port[0].counters.cnp_in, 1);
    bed.rc.state = IBA_QPS_RTR; /* PV-06 is about responses */
    give(&bed);
    cr_expect_eq(bed.ca.port[0].counters.cnp_in, 2);
}

/* PV-17, PV-18: what the events of violations tell. A packet of a connection does not name its source QP. */
Test(validate_order, violations_name_key_and_source)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    iba_bth_set_p_key(PART(&bed, bth), 0x8005);
    give(&bed);
    cr_expect(bed.last_event.kind == IBA_EVENT_PKEY_VIOLATION && bed.last_event.port == 1 &&
              bed.last_event.object == RC_QPN);
    cr_expect(bed.last_event.a == 0x8005 && bed.last_event.b == 0);
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
    iba_bth_set_p_key(PART(&bed, bth), 0x8005);
    give(&bed);
    cr_expect(bed.last_event.kind == IBA_EVENT_PKEY_VIOLATION && bed.last_event.port == 1 &&
              bed.last_event.object == UD_QPN);
    cr_expect(bed.last_event.a == 0x8005 && bed.last_event.b == PEER_QPN);
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
    iba_deth_set_q_key(PART(&bed, deth), 0x77);
    give(&bed);
    cr_expect(bed.last_event.kind == IBA_EVENT_QKEY_VIOLATION && bed.last_event.port == 1 &&
              bed.last_event.object == UD_QPN);
    cr_expect(bed.last_event.a == 0x77 && bed.last_event.b == PEER_QPN);
}

/* PV-07: a QP hears packets of its own service alone. A raw QP has none, so no datagram reaches it by its number; an
 * XRC initiator hears responses, a target requests (QS-44). */
Test(validate_order, services)
{
    static const struct {
        uint8_t type, opcode;
        bool hears;
    } c[] = {
        {IBA_QPT_RAW_ETHERTYPE, IBA_UD_SEND_ONLY, false},
        {IBA_QPT_RAW_IPV6, IBA_UD_SEND_ONLY, false},
        {IBA_QPT_RAW_ETHERTYPE, IBA_RC_ACKNOWLEDGE, false},
        {IBA_QPT_RD, IBA_UC_WRITE_ONLY, false},
        {IBA_QPT_XRC_INI, IBA_XRC_ACKNOWLEDGE, true},
        {IBA_QPT_XRC_INI, IBA_XRC_WRITE_ONLY, false},
        {IBA_QPT_XRC_TGT, IBA_XRC_ACKNOWLEDGE, false},
        {IBA_QPT_XRC_TGT, IBA_XRC_WRITE_ONLY, true},
        {IBA_QPT_XRC_TGT, IBA_RC_WRITE_ONLY, false},
        {IBA_QPT_RC, IBA_RC_WRITE_ONLY, true},
        {IBA_QPT_RC, IBA_UC_WRITE_ONLY, false},
        {IBA_QPT_UC, IBA_UC_WRITE_ONLY, true},
        {IBA_QPT_UC, IBA_RC_WRITE_ONLY, false},
        {IBA_QPT_UD, IBA_UD_SEND_ONLY, true},
        {IBA_QPT_UD, IBA_UC_SEND_ONLY, false},
    };

    for (size_t i = 0; i < COUNT(c); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        if (c[i].type == IBA_QPT_XRC_TGT)
            as_target(&bed, false);
        bed.rc.type = c[i].type;
        bed.rc.attr.qkey = QKEY;
        packet(&bed, IBA_ENCAP_IB_LOCAL, c[i].opcode, RC_QPN, EPSN, 8);
        if (c[i].opcode == IBA_RC_ACKNOWLEDGE || c[i].opcode == IBA_XRC_ACKNOWLEDGE)
            bed.r.payload_len = 0;
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "other_service"), !c[i].hears, "case %zu", i);
    }
}

/* WF-81, WF-83, RO-41: which counter counts a mark, and which answer a connection owes for it. */
Test(validate_order, marks_are_counted)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.port[0].congestion = true;
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UC_WRITE_ONLY, UC_QPN, 0, 8);
    iba_bth_set_fecn(PART(&bed, bth), 1);
    iba_bth_set_becn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect(bed.uc.cnp_due && !bed.uc.becn_due);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 1);
    cr_expect_eq(bed.ca.port[0].counters.becn_in, 1);
    cr_expect_eq(bed.ca.port[0].counters.ecn_ce_in, 0);
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    iba_bth_set_fecn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect(bed.rc.becn_due && !bed.rc.cnp_due);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 2);
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 256); /* RO-41: management owes none */
    iba_bth_set_fecn(PART(&bed, bth), 1);
    give(&bed);
    cr_expect_not(bed.gsi.cnp_due || bed.gsi.becn_due);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 3);

    bed_make(&bed, IBA_PORT_ROCE2, false);
    bed.ca.port[0].congestion = true;
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_ipv6_set_ecn(PART(&bed, ipv6), 3);
    iba_bth_set_becn(PART(&bed, bth), 1); /* only InfiniBand has it */
    give(&bed);
    cr_expect(bed.rc.cnp_due && !bed.rc.becn_due);
    cr_expect_eq(bed.ca.port[0].counters.ecn_ce_in, 1);
    cr_expect_eq(bed.ca.port[0].counters.fecn_in, 0);
    cr_expect_eq(bed.ca.port[0].counters.becn_in, 0);

    const struct iba_av back = path_to_peer(&bed);
    uint8_t expected[128];
    enum { UDP_SOURCE_AT = 14 + 40 }; /* RO-19: one source port for all notifications to a queue pair */
    (void)iba_envelope_write(&bed.ca.port[0], &back, UD_QPN ^ PEER_QPN << 8, expected);
    packet(&bed, IBA_ENCAP_ROCE2_V6, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
    iba_ipv6_set_ecn(PART(&bed, ipv6), 3);
    give(&bed);
    cr_expect(bed.ud.cnp_due && bed.ud.cnp_to == PEER_QPN);
    cr_expect_arr_eq(bed.ud.envelope + UDP_SOURCE_AT, expected + UDP_SOURCE_AT, 2);
}

/* A device may destroy a QP that is attached to a group (a broken one): the group's packets then have one copy less. */
Test(validate_order, a_member_that_is_gone)
{
    const struct iba_change destroys = {.list = &iba_verb_behaviours, .row = IBA_ROW_verb_QP_ATTACHED};

    bed_make(&bed, IBA_PORT_IB, false);
    iba_ca_change(&bed.ca, &destroys);
    MUST(iba_attach_mcast(&bed.ca, UD_QPN, group_gid, GROUP_LID));
    packet(&bed, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY, 0xffffff, 0, 16);
    iba_lrh_set_dlid(PART(&bed, lrh), GROUP_LID);
    iba_grh_set_dgid(PART(&bed, grh), group_gid);
    give(&bed);
    cr_expect_eq(all_hits(&bed, IBA_TABLE_UD_RECEIVER), 1);
    MUST(iba_destroy_qp(&bed.ca, UD_QPN));
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "multicast"), 1);
    cr_expect_eq(all_hits(&bed, IBA_TABLE_UD_RECEIVER), 0);
}

/* PV-12: an index that the table no longer has matches nothing. */
Test(validate_order, a_partition_table_that_has_become_shorter)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.attr.pkey_index = 1;
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    iba_bth_set_p_key(PART(&bed, bth), 0x8005);
    for (uint8_t n = 3; n > 0; n--) {
        bed.ca.port[0].n_pkey = n;
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "pkey_differs"), n == 1, "%u entries", n);
    }
}
