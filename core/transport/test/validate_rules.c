/* SPDX-License-Identifier: BSD-2-Clause */
/* Each row of header validation, hit by a packet that has only this fault. */
#include "receive.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* ---- RC over IB with a fault ---- */
static void good(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void malformed(struct bed *b)
{
    good(b);
    iba_recipe_set(&b->r, 0, iba_field_find(IBA_H_lrh, "pktlen"), 200);
}

static void foreign_link(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE1, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
}

static void fragment(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_ipv4_set_mf(PART(b, ipv4), 1);
}

static void bad_vcrc(struct bed *b)
{
    good(b);
    b->r.vcrc_mode = IBA_CRC_BAD;
}

static void bad_icrc(struct bed *b)
{
    good(b);
    b->r.icrc_mode = IBA_CRC_BAD;
}

static void longer_than_mtu(struct bed *b)
{
    b->ca.port[0].mtu = IBA_MTU_256;
    ask(b, IBA_RC_WRITE_ONLY, 0, 512);
}

static void mac_foreign(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_eth_set_dst(PART(b, eth), 0x020000000001);
}

static void dlid_foreign(struct bed *b)
{
    good(b);
    iba_lrh_set_dlid(PART(b, lrh), LID + 1);
}

static void slid_impossible(struct bed *b)
{
    good(b);
    iba_lrh_set_slid(PART(b, lrh), GROUP_LID);
}

static void permissive_misuse(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 256);
    iba_lrh_set_dlid(PART(b, lrh), 0xffff);
}

static void vl_of_other_kind(struct bed *b)
{
    good(b);
    iba_lrh_set_vl(PART(b, lrh), 15);
}

static void good_raw(struct bed *b)
{
    raw_packet(b, IBA_ENCAP_IB_RAW, 32);
}

static void raw_unwanted(struct bed *b)
{
    good_raw(b);
    b->raw.state = IBA_QPS_ERR;
}

static void ip_length_absent(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    iba_recipe_set(&b->r, 1, iba_field_find(IBA_H_ipv4, "len"), 0);
}

static void ip_options(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V6_EXT, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
}

static void ip_mapped_wrongly(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
    from_mapped_address(b);
}

static void other_version(struct bed *b)
{
    good(b);
    iba_bth_set_tver(PART(b, bth), 1);
}

static void split_word(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V6, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 7);
    b->r.keep |= IBA_KEEP_PAD;
}

static void to_qp0_over_ethernet(struct bed *b)
{
    packet(b, IBA_ENCAP_ROCE2_V6, IBA_UD_SEND_ONLY, 0, 0, 256);
}

static void multicast_no_grh(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 0xffffff, 0, 16);
    iba_lrh_set_dlid(PART(b, lrh), GROUP_LID);
}

static void to_group(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY, 0xffffff, 0, 16);
    iba_lrh_set_dlid(PART(b, lrh), GROUP_LID);
    iba_grh_set_dgid(PART(b, grh), group_gid);
}

static void multicast_disagrees(struct bed *b)
{
    to_group(b);
    iba_bth_set_destqp(PART(b, bth), UD_QPN);
}

static void multicast(struct bed *b)
{
    MUST(iba_attach_mcast(&b->ca, UD_QPN, group_gid, GROUP_LID));
    to_group(b);
}

static void no_qp(struct bed *b)
{
    good(b);
    iba_bth_set_destqp(PART(b, bth), 0x777777);
}

static void other_service(struct bed *b)
{
    ask(b, IBA_UC_SEND_ONLY, 0, 8);
}

static void reserved_datagram(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, 0x66, UD_QPN, 0, 8);
}

static void imm_to_management(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY_IMM, 1, 0, 256);
}

static void request_out_of_season(struct bed *b)
{
    b->rc.state = IBA_QPS_INIT;
    good(b);
}

static void response_out_of_season(struct bed *b)
{
    b->rc.state = IBA_QPS_RTR;
    ask(b, IBA_RC_ACKNOWLEDGE, 0, 0);
}

static void pkey_differs(struct bed *b)
{
    good(b);
    iba_bth_set_p_key(PART(b, bth), 0x8005); /* an entry of the port, not the QP's (PV-12) */
}

static void arm_alternate(struct bed *b)
{
    b->rc.attr.path_mig = IBA_PATH_ARMED;
    b->rc.attr.alt_av = b->rc.attr.av;
    b->rc.attr.alt_av.dlid = ALT_LID;
    good(b);
}

static void migrates(struct bed *b)
{
    arm_alternate(b);
    iba_lrh_set_slid(PART(b, lrh), ALT_LID);
}

static void other_port(struct bed *b)
{
    b->rc.attr.port = 2;
    good(b);
}

static void grh_missing(struct bed *b)
{
    b->rc.attr.av.grh = true;
    good(b);
}

static void grh_unwanted(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_GLOBAL, IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
}

static void gids_differ(struct bed *b)
{
    b->rc.attr.av.grh = true;
    grh_unwanted(b);
    iba_bits_put(PART(b, grh), IBA_AT_grh_sgid + 64, 64, 5);
}

static void slid_differs(struct bed *b)
{
    good(b);
    iba_lrh_set_slid(PART(b, lrh), PEER_LID + 1);
}

static void dlid_differs(struct bed *b)
{
    b->ca.port[0].lmc = 1;
    good(b);
    iba_lrh_set_dlid(PART(b, lrh), LID + 1);
}

static void xrc_foreign_srq(struct bed *b)
{
    as_target(b, true);
    ask(b, IBA_XRC_WRITE_ONLY, 0, 8);
}

static void gid_foreign(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_GLOBAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
    iba_bits_put(PART(b, grh), IBA_AT_grh_dgid + 64, 64, 5);
}

static void datagram(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 0, 8);
}

static void qkey_differs(struct bed *b)
{
    datagram(b);
    iba_deth_set_q_key(PART(b, deth), QKEY + 1);
}

static void cnp(struct bed *b)
{
    ask(b, IBA_CNP_IB, 100, 0);
}

static void peer_armed(struct bed *b)
{
    b->rc.attr.path_mig = IBA_PATH_REARM;
    good(b);
    iba_bth_set_m(PART(b, bth), 0);
}

static void marked(struct bed *b)
{
    b->ca.port[0].congestion = true;
    good(b);
    iba_bth_set_fecn(PART(b, bth), 1);
}

static void backward_mark(struct bed *b)
{
    b->ca.port[0].congestion = true;
    good(b);
    iba_bth_set_becn(PART(b, bth), 1);
}

static void rc_response(struct bed *b)
{
    ask(b, IBA_RC_ACKNOWLEDGE, 0, 0);
}

static void uc_packet(struct bed *b)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UC_WRITE_ONLY, UC_QPN, 0, 8);
}

static const enum iba_rule_table V = IBA_TABLE_VALIDATE;
struct row_case {
    const char *row;
    void (*prepare)(struct bed *b);
    uint8_t port; /* enum iba_port_kind */
    uint8_t rows; /* hits in this table: more than one if a row applies the table again */
    bool passes;  /* the packet is for some receiver */
};
static const struct row_case cases[] = {
    {"malformed", malformed, IBA_PORT_IB, 1, false},
    {"foreign_link", foreign_link, IBA_PORT_ROCE2, 1, false},
    {"fragment", fragment, IBA_PORT_ROCE2, 1, false},
    {"bad_vcrc", bad_vcrc, IBA_PORT_IB, 1, false},
    {"bad_icrc", bad_icrc, IBA_PORT_IB, 1, false},
    {"longer_than_mtu", longer_than_mtu, IBA_PORT_IB, 1, false},
    {"mac_foreign", mac_foreign, IBA_PORT_ROCE2, 1, false},
    {"dlid_foreign", dlid_foreign, IBA_PORT_IB, 1, false},
    {"slid_impossible", slid_impossible, IBA_PORT_IB, 1, false},
    {"permissive_misuse", permissive_misuse, IBA_PORT_IB, 1, false},
    {"vl_of_other_kind", vl_of_other_kind, IBA_PORT_IB, 1, false},
    {"raw_unwanted", raw_unwanted, IBA_PORT_IB, 1, false},
    {"raw", good_raw, IBA_PORT_IB, 1, true},
    {"ip_length_absent", ip_length_absent, IBA_PORT_ROCE2, 1, false},
    {"ip_options", ip_options, IBA_PORT_ROCE2, 1, false},
    {"ip_mapped_wrongly", ip_mapped_wrongly, IBA_PORT_ROCE2, 1, false},
    {"other_version", other_version, IBA_PORT_IB, 1, false},
    {"split_word", split_word, IBA_PORT_ROCE2, 1, false},
    {"to_qp0_over_ethernet", to_qp0_over_ethernet, IBA_PORT_ROCE2, 1, false},
    {"multicast_no_grh", multicast_no_grh, IBA_PORT_IB, 1, false},
    {"multicast_disagrees", multicast_disagrees, IBA_PORT_IB, 1, false},
    {"multicast", multicast, IBA_PORT_IB, 2, true},
    {"no_qp", no_qp, IBA_PORT_IB, 1, false},
    {"other_service", other_service, IBA_PORT_IB, 1, false},
    {"reserved_datagram", reserved_datagram, IBA_PORT_IB, 1, false},
    {"imm_to_management", imm_to_management, IBA_PORT_IB, 1, false},
    {"request_out_of_season", request_out_of_season, IBA_PORT_IB, 1, false},
    {"response_out_of_season", response_out_of_season, IBA_PORT_IB, 1, false},
    {"pkey_differs", pkey_differs, IBA_PORT_IB, 1, false},
    {"migrates", migrates, IBA_PORT_IB, 2, true},
    {"migration_refused", arm_alternate, IBA_PORT_IB, 1, false},
    {"other_port", other_port, IBA_PORT_IB, 1, false},
    {"grh_missing", grh_missing, IBA_PORT_IB, 1, false},
    {"grh_unwanted", grh_unwanted, IBA_PORT_IB, 1, false},
    {"gids_differ", gids_differ, IBA_PORT_IB, 1, false},
    {"slid_differs", slid_differs, IBA_PORT_IB, 1, false},
    {"dlid_differs", dlid_differs, IBA_PORT_IB, 1, false},
    {"xrc_foreign_srq", xrc_foreign_srq, IBA_PORT_IB, 1, false},
    {"gid_foreign", gid_foreign, IBA_PORT_IB, 1, false},
    {"qkey_differs", qkey_differs, IBA_PORT_IB, 1, false},
    {"cnp", cnp, IBA_PORT_IB, 1, false},
    {"peer_armed", peer_armed, IBA_PORT_IB, 2, true},
    {"marked", marked, IBA_PORT_IB, 2, true},
    {"backward_mark", backward_mark, IBA_PORT_IB, 2, true},
    {"rc_response", rc_response, IBA_PORT_IB, 1, true},
    {"rc_request", good, IBA_PORT_IB, 1, true},
    {"uc_packet", uc_packet, IBA_PORT_IB, 1, true},
    {"datagram", datagram, IBA_PORT_IB, 1, true},
};

static uint32_t received(const struct bed *b)
{
    return all_hits(b, IBA_TABLE_RC_RESPONDER) + all_hits(b, IBA_TABLE_RC_COMPLETER) +
           all_hits(b, IBA_TABLE_UC_RECEIVER) + all_hits(b, IBA_TABLE_UD_RECEIVER);
}

static void check_row(const struct row_case *c)
{
    const bool raw = strncmp(c->row, "raw", 3) == 0;

    bed_make(&bed, (enum iba_port_kind)c->port, false);
    c->prepare(&bed);
    if (raw)
        bed.r.keep = 0;
    const uint32_t epsn = bed.rc.r.epsn.v;
    give(&bed);
    cr_assert_eq(hits(&bed, V, c->row), 1, "%s is hit", c->row);
    cr_assert_eq(all_hits(&bed, V), c->rows, "%s is hit alone: %u", c->row, all_hits(&bed, V));
    cr_assert_eq(received(&bed) > 0, c->passes, "%s lets through", c->row);
    if (!c->passes) { /* silent discard: nothing changes (section 2) */
        cr_assert_eq(bed.rc.r.epsn.v, epsn, "%s: ePSN", c->row);
        cr_assert(!answer(&bed), "%s is silent", c->row);
        cr_assert(no_completion(&bed), "%s: no completion", c->row);
        cr_assert_eq(bed.ca.port[0].counters.pkey_violations, !strcmp(c->row, "pkey_differs"), "%s", c->row);
    }
}

static const struct row_case *case_of(const char *row)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        if (!strcmp(cases[i].row, row))
            return &cases[i];
    return NULL;
}

Test(validate_rules, each_row_alone)
{
    for (unsigned i = 0; i < iba_validate_rules.n; i++) {
        const char *row = iba_validate_rules.row[i].name;
        if (!strcmp(row, "cut_by_capture") || !strcmp(row, "no_transport"))
            continue; /* has a test of its own below */
        cr_assert(case_of(row), "validation rule %s has no case in core/transport/test/validate_rules.c", row);
        check_row(case_of(row));
    }
    cr_assert_eq(COUNT(cases) + 2, iba_validate_rules.n,
                 "core/transport/test/validate_rules.c has %zu cases for %u validation rules", COUNT(cases) + 2,
                 iba_validate_rules.n);
}

static void meet(const struct iba_rules *changed)
{
    for (size_t c = 0; c < COUNT(cases); c++) {
        bed_make(&bed, (enum iba_port_kind)cases[c].port, false);
        cases[c].prepare(&bed);
        iba_ca_set_rules(&bed.ca, V, changed);
        give(&bed);
        answer(&bed);
    }
}

/* A device with any one row changed still works with all packets. */
Test(validate_rules, a_changed_row)
{
    each_changed_table(V, iba_validate_rules.n, meet);
}

static void feed(struct bed *b, enum iba_link link, size_t caplen, size_t len)
{
    struct iba_view v;

    memset(&v, 0xee, sizeof v);
    iba_view_parse(&v, link, b->in, caplen, len, NULL);
    iba_view_check(&v);
    memset(b->ca.hits, 0, sizeof b->ca.hits);
    iba_ca_feed(&b->ca, 1, &v, 0);
}

Test(validate_rules, cut_by_capture)
{
    bed_make(&bed, IBA_PORT_IB, false);
    good(&bed);
    const size_t len = built(&bed.r, bed.in, sizeof bed.in);
    for (size_t n = 0; n < len; n++) {
        feed(&bed, IBA_LINK_IB, n, len);
        cr_assert_eq(hits(&bed, V, "cut_by_capture"), 1, "%zu bytes", n);
    }
}

/* Every prefix of a good packet, given as a packet, is dropped. The adapter never reads bytes after it. */
Test(validate_rules, every_prefix_is_dropped)
{
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE1, IBA_PORT_ROCE2};
    static const uint8_t encaps[] = {IBA_ENCAP_IB_LOCAL, IBA_ENCAP_ROCE1, IBA_ENCAP_ROCE2_V6};

    for (size_t k = 0; k < COUNT(kinds); k++) {
        bed_make(&bed, (enum iba_port_kind)kinds[k], false);
        packet(&bed, (enum iba_encap)encaps[k], IBA_RC_WRITE_ONLY, RC_QPN, EPSN, 8);
        const size_t len = built(&bed.r, bed.in, sizeof bed.in);
        for (size_t n = 0; n < len; n++) {
            uint8_t *exact = malloc(n ? n : 1);
            memcpy(exact, bed.in, n);
            struct iba_view v;
            iba_view_parse(&v, iba_port_link(&bed.ca.port[0]), exact, n, n, NULL);
            iba_view_check(&v);
            iba_ca_feed(&bed.ca, 1, &v, 0);
            free(exact);
            cr_assert(!answer(&bed), "kind %u, %zu bytes", kinds[k], n);
        }
        feed(&bed, iba_port_link(&bed.ca.port[0]), len, len);
        cr_assert(answer(&bed), "the whole packet of kind %u", kinds[k]);
    }
}

/* A packet without the BTH that it should have. An Ethernet frame of another protocol hits the row for foreign links on
 * a RoCE port, and an IB packet without BTH is malformed. This row is for all other such packets. */
Test(validate_rules, no_transport)
{
    struct iba_view v = {.proto = IBA_PROTO_IB, .vcrc = IBA_CHECK_GOOD, .icrc = IBA_CHECK_GOOD, .wire = bed.in};

    bed_make(&bed, IBA_PORT_IB, false);
    iba_ca_feed(&bed.ca, 1, &v, 0);
    cr_assert_eq(hits(&bed, V, "no_transport"), 1);
}

Test(validate_rules, violations_are_counted_and_told)
{
    bed_make(&bed, IBA_PORT_IB, false);
    pkey_differs(&bed);
    give(&bed);
    cr_assert_eq(bed.ca.port[0].counters.pkey_violations, 1);
    cr_assert_eq(bed.events[IBA_EVENT_PKEY_VIOLATION], 1);
    qkey_differs(&bed);
    give(&bed);
    cr_assert_eq(bed.ca.port[0].counters.qkey_violations, 1);
    cr_assert_eq(bed.events[IBA_EVENT_QKEY_VIOLATION], 1);
}

/* PV-09..PV-13: which P_Keys of packets match which QP. */
Test(validate_rules, pkeys)
{
    static const struct {
        uint16_t table, packet;
        bool match;
    } pairs[] = {
        {0xffff, 0xffff, true},  {0xffff, 0x7fff, true},  {0x7fff, 0xffff, true}, {0x7fff, 0x7fff, false},
        {0x8000, 0x8000, false}, {0x0000, 0x0000, false}, {0x8123, 0x0123, true}, {0x8123, 0x8124, false},
    };

    for (size_t i = 0; i < COUNT(pairs); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.ca.port[0].pkey[0] = pairs[i].table;
        good(&bed);
        iba_bth_set_p_key(PART(&bed, bth), pairs[i].packet);
        give(&bed);
        cr_assert_eq(hits(&bed, V, "rc_request"), pairs[i].match, "pair %zu", i);
    }
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 256); /* QP1: any entry */
    iba_bth_set_p_key(PART(&bed, bth), 0x8005);
    post(&bed, 1, FULL);
    give(&bed);
    cr_assert_eq(completion(&bed).pkey_index, 1);
    packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 0, 0, 256); /* QP0: none, and any Q_Key (PV-14, PV-20) */
    iba_bth_set_p_key(PART(&bed, bth), 0x1234);
    iba_deth_set_q_key(PART(&bed, deth), 99);
    post(&bed, 0, FULL);
    give(&bed);
    cr_assert_eq(completion(&bed).qpn, 0);
}

/* PV-05, PV-06 */
Test(validate_rules, states)
{
    for (uint8_t s = IBA_QPS_RESET; s < IBA_QPS_COUNT; s++) {
        const bool requests = s >= IBA_QPS_RTR && s <= IBA_QPS_SQE, responses = s >= IBA_QPS_RTS && s <= IBA_QPS_SQE;
        bed_make(&bed, IBA_PORT_IB, false);
        bed.uc.state = s;
        uc_packet(&bed);
        struct iba_view v;
        const size_t len = built(&bed.r, bed.in, sizeof bed.in);
        look(&v, IBA_LINK_IB, bed.in, len, len);
        struct iba_rx x = {.ca = &bed.ca, .port = &bed.ca.port[0], .v = &v};
        iba_receive(&x);
        cr_assert_eq(hits(&bed, V, "uc_packet"), requests, "requests in state %u", s);
        bed.rc.state = s;
        cr_assert_eq(iba_qp_may_receive_responses(&bed.rc), responses, "responses in state %u", s);
    }
}

/* UU-40: a raw packet goes to the QP of its kind and port, wherever the adapter keeps it. */
Test(validate_rules, raw_queue_pairs)
{
    struct iba_view v;

    for (uint32_t at = 0; at < sizeof bed.qp_slot / sizeof *bed.qp_slot; at++)
        for (unsigned k = 0; k < 3; k++) {
            bed_make(&bed, IBA_PORT_IB, false);
            memset(bed.qp_slot, 0, sizeof bed.qp_slot);
            bed.qp_slot[at] = &bed.raw;
            bed.raw.type = k == 1 ? IBA_QPT_RAW_IPV6 : IBA_QPT_RAW_ETHERTYPE;
            bed.raw.attr.port = k == 2 ? 2 : 1;
            good_raw(&bed);
            const size_t len = built(&bed.r, bed.in, sizeof bed.in);
            look(&v, IBA_LINK_IB, bed.in, len, len);
            struct iba_rx x = {.ca = &bed.ca, .port = &bed.ca.port[0], .v = &v};
            iba_receive(&x);
            cr_expect_eq(hits(&bed, V, "raw"), k == 0, "slot %u, case %u", at, k);
            cr_expect_eq(hits(&bed, V, "raw_unwanted"), k != 0, "slot %u, case %u", at, k);
        }
}

/* PV-15, PV-29: each member of a multicast group is checked separately. */
Test(validate_rules, members_differ)
{
    bed_make(&bed, IBA_PORT_IB, false);
    multicast(&bed);
    bed.ud.attr.qkey = QKEY + 1;
    post(&bed, UD_QPN, FULL);
    give(&bed);
    cr_assert_eq(hits(&bed, V, "qkey_differs"), 1);
    bed.ud.attr.qkey = QKEY;
    give(&bed);
    cr_assert_eq(completion(&bed).qpn, UD_QPN);
    MUST(iba_detach_mcast(&bed.ca, UD_QPN, group_gid, GROUP_LID));
    give(&bed);
    cr_assert_eq(all_hits(&bed, IBA_TABLE_UD_RECEIVER), 0);
}

/* PV-32: after migration the QP uses the new path at once, also for its answer. */
Test(validate_rules, migration)
{
    bed_make(&bed, IBA_PORT_IB, false);
    migrates(&bed);
    give(&bed);
    cr_assert_eq(bed.events[IBA_EVENT_PATH_MIGRATED], 1);
    cr_assert(answer(&bed));
    cr_assert_eq(iba_lrh_dlid(iba_view_hdr(&bed.answer, IBA_H_lrh)), ALT_LID);
    cr_assert(iba_bth_m(iba_view_bth(&bed.answer)));
}
