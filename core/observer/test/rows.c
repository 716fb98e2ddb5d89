/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kind of finding, caused by a few packets. Each row of the table has its case, and no case causes other
 * findings. */
#include "rows.h"

static uint64_t play(struct witness *w, const struct row *row, uint32_t base)
{
    iba_time now = MS;
    uint64_t kinds = 0;

    witness_init(w, NULL);
    for (unsigned i = 0; row_has(row, i); i++)
        shoot(w, &row->shot[i], base, &now);
    iba_observer_end(w->observer, now + MS);
    for (unsigned k = 0; k < MASKED; k++)
        kinds |= (uint64_t)(w->found[k] > 0) << k;
    for (unsigned k = MASKED; k < IBA_FINDING_COUNT; k++)
        cr_expect_eq(w->found[k], 0, "%s is found", iba_findings[k].name);
    return kinds;
}

static void differ(unsigned row, uint64_t found)
{
    for (unsigned k = 0; k < MASKED; k++)
        if ((found ^ rows[row].kinds) >> k & 1)
            cr_expect_fail("row %u: %s is %s", row, iba_findings[k].name, found >> k & 1 ? "found" : "not found");
}

/* Plays the case at every start PSN, including those where PSN and MSN wrap during the case. */
Test(rows, each_case_finds_what_it_shows)
{
    static const uint32_t base[] = {0, 0x1000, 0x7ffffe, 0xfffffd, 0xffffff};
    static struct witness w;

    for (unsigned b = 0; b < sizeof base / sizeof *base; b++)
        for (unsigned i = 0; i < N_ROWS; i++)
            differ(i, play(&w, &rows[i], base[b]));
}

Test(rows, each_finding_has_a_case)
{
    uint64_t shown = K(EVICTED) | K(BAD_VCRC); /* these have their own tests below */

    for (unsigned i = 0; i < N_ROWS; i++)
        shown |= rows[i].kinds;
    for (unsigned k = 0; k < MASKED; k++)
        cr_assert(shown >> k & 1, "finding %s has no case in core/observer/test/rows.h", iba_findings[k].name);
}

/* Several findings of one datagram, each with its cause. */
Test(rows, each_finding_of_connection_management_is_reported_as_given)
{
    static struct witness w;

    for (unsigned k = MASKED; k < IBA_FINDING_COUNT; k++) {
        const struct shot x = {.opcode = IBA_UD_SEND_ONLY, .psn = 1, .bytes = 8};
        const struct iba_cm_facts facts = {
            .n = 2,
            .said = {{.kind = (uint8_t)k, .count = 3, .cause = {.frame = 7}, .wait_ns = 5},
                     {.kind = IBA_FINDING_END_REFUSED}}};
        iba_time now = MS;
        witness_init(&w, NULL);
        shoot_with(&w, &x, 0, &now, &facts);
        iba_observer_end(w.observer, now + MS);
        cr_assert_eq(w.n_kept, 2, "%s", iba_findings[k].name);
        cr_assert(w.kept[0].kind == k && w.kept[0].count == 3 && w.kept[0].cause == 7 && w.kept[0].wait_ns == 5);
        cr_assert_eq(w.kept[1].kind, IBA_FINDING_END_REFUSED);
    }
}

Test(rows, findings_are_told_apart_and_cited)
{
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++) {
        const struct iba_finding_info *f = &iba_findings[k];
        cr_assert(*f->name && *f->field && *f->sentence && *f->clause,
                  "finding %u, '%s', of core/observer/iba_finding_kinds.h lacks its name, field, sentence or clause", k,
                  f->name);
        cr_assert(f->severity >= IBA_NOTE && f->severity <= IBA_ERROR, "finding %s has no severity", f->name);
        for (unsigned i = 0; i < k; i++) {
            cr_assert_str_neq(f->name, iba_findings[i].name, "two findings are named %s", f->name);
            cr_assert_str_neq(f->sentence, iba_findings[i].sentence, "findings %s and %s have one sentence", f->name,
                              iba_findings[i].name);
        }
    }
}

/* More connections than the observer remembers. It forgets the one that was unused longest, and reports that. */
Test(rows, connections_are_bounded)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 10 * WITNESS_FLOWS; i++) {
        struct shot x = SEND(i);
        x.opcode = IBA_RC_SEND_ONLY;
        x.from = i % 2 ? B : A;
        now += 1000;
        static struct iba_recipe r;
        uint8_t packet[CAP];
        struct iba_view v;
        size_t len;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x.opcode);
        iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 0x100 + i);
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
        iba_view_check(&v);
        const struct iba_sighting one = {.view = &v, .now = now, .frame = i + 1};
        const struct iba_flow *f = iba_observer_feed(w.observer, &one)->flow;
        cr_assert_eq(iba_flow_key(f)->qpn, 0x100 + i);
        cr_assert_eq(iba_flow_counts(f).packets, 1);
    }
    cr_assert_eq(w.observer->n, WITNESS_FLOWS);
    cr_assert_eq(w.observer->evicted, 9 * WITNESS_FLOWS);
    cr_assert_eq(w.found[IBA_FINDING_EVICTED], 9 * WITNESS_FLOWS);
    cr_assert_eq(w.kept[0].cause, 1, "the first is the one unused longest");
}

/* Tests of facts that the table does not cover: which packet a finding is about, and the contents of the finding. */
Test(rows, findings_name_their_packet)
{
    static struct witness w;
    static const struct {
        enum iba_finding_kind kind;
        uint64_t frame, cause;
        uint32_t psn, count;
        struct shot shot[8];
    } cases[] = {
        {IBA_FINDING_SERVICE,
         3,
         1,
         7,
         0,
         {SEND(1), REPLY(1, 1), {.opcode = IBA_UC_SEND_ONLY, .psn = 7, .bytes = 8}, SEND(2), REPLY(2, 2)}},
        {IBA_FINDING_NAK_IGNORED, 4, 5, 2, 0, {SEND(1), REPLY(1, 1), SEND(3), REFUSE(2, NAK, 1), LATER(2)}},
        {IBA_FINDING_RETRY_PAYLOAD,
         2,
         1,
         1,
         IBA_COPY_UNKNOWN,
         {SEND(1), {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
        {IBA_FINDING_RETRY_PAYLOAD,
         3,
         1,
         1,
         IBA_COPY_ARRIVED,
         {SEND(1),
          REPLY(1, 1),
          {.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS}}},
        {IBA_FINDING_RETRY_PAYLOAD,
         5,
         3,
         2,
         IBA_COPY_LOST,
         {SEND(1),
          REPLY(1, 1),
          SEND(2),
          REFUSE(2, NAK, 1),
          {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = OTHER_BYTES}}},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        iba_time now = MS;
        bool found = false;
        witness_init(&w, NULL);
        for (unsigned k = 0; k < 8 && cases[i].shot[k].opcode; k++)
            shoot(&w, &cases[i].shot[k], 0, &now);
        for (size_t k = 0; k < w.n_kept; k++) {
            const struct iba_finding *f = &w.kept[k];
            found |= f->kind == cases[i].kind && f->frame == cases[i].frame && f->cause == cases[i].cause &&
                     f->psn.v == cases[i].psn && f->count == cases[i].count;
        }
        cr_expect(found, "case %u: %s", i, iba_findings[cases[i].kind].name);
    }
}

/* The capture shows more and more messages, and the responder's MSN counts none of them. */
Test(rows, each_wrong_count_is_told)
{
    static struct witness w;

    for (uint32_t before = 0; before <= 8; before += 8) {
        iba_time now = MS;
        witness_init(&w, NULL);
        for (uint32_t psn = 1; psn <= before + 8; psn++) {
            shoot(&w, &(struct shot)SEND(psn), 0, &now);
            shoot(&w, &(struct shot)REPLY(psn, psn <= before ? psn : 0), 0, &now);
        }
        cr_expect_eq(w.found[IBA_FINDING_MSN_WRONG], before ? 8 : 7); /* a single response does not show a wrong MSN */
    }
}

/* The same packets at two capture points count as one conversation. */
Test(rows, a_packet_seen_twice_is_one)
{
    static struct witness w;
    static const struct shot shots[] = {
        SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2), {.opcode = IBA_RC_SEND_ONLY, .psn = 3, .bytes = 8, .how = DAMAGED}};
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 2 * sizeof shots / sizeof *shots; i++) {
        static struct iba_recipe r;
        uint8_t payload[8] = {0}, packet[CAP];
        struct iba_view v;
        size_t len;
        const struct shot *x = &shots[i / 2];
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, x->opcode);
        address(&r, x);
        headers(&r, x, 0);
        r.payload = payload;
        r.payload_len = x->bytes;
        r.icrc_mode = x->how == DAMAGED ? IBA_CRC_BAD : IBA_CRC_GOOD;
        cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
        now += 5000;
        (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
        iba_view_check(&v);
        (void)iba_observer_feed(w.observer,
                                &(struct iba_sighting){.view = &v, .now = now, .frame = 1 + i / 2, .source = i % 2});
    }
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
    cr_assert_eq(w.found[IBA_FINDING_BAD_ICRC], 1);
    cr_assert_eq(w.observer->seen_twice, 5);
    cr_assert_eq(w.observer->seen.same_as, 5);
}

Test(rows, a_path_mtu_that_is_told_is_believed)
{
    static struct witness w;
    static const struct shot first = {.opcode = IBA_RC_SEND_FIRST, .psn = 1, .bytes = 256};

    for (uint32_t mtu = 256; mtu <= 512; mtu *= 2) {
        iba_time now = MS;
        witness_init(&w, &(struct iba_observer_config){.pmtu = mtu});
        shoot(&w, &first, 0, &now);
        cr_assert_eq(w.observer->flow[0].pmtu, mtu);
        cr_assert_eq(w.found[IBA_FINDING_LENGTH], mtu != 256);
    }
}

/* The finding has the marked packet that the notification answers, the time since that packet, and the time since the
 * previous notification. */
Test(rows, notifications_answer_marked_packets)
{
    static struct witness w;
    static const struct shot shots[] = {SEND(1),
                                        REPLY(1, 1),
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 2, .bytes = 8, .how = MARKED},
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 3, .bytes = 8, .how = MARKED},
                                        {.opcode = 0x81, .from = B},
                                        {.opcode = 0x81, .from = B, .wait = 50000},
                                        {.opcode = IBA_RC_SEND_ONLY, .psn = 4, .bytes = 8, .how = MARKED},
                                        {.opcode = 0x81, .from = B}};
    static const struct {
        uint64_t cause, wait, since;
    } want[] = {{3, 20000, 0}, {0, 0, 50}, {7, 10000, 20}};
    iba_time now = MS;
    unsigned n = 0;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < sizeof shots / sizeof *shots; i++)
        shoot(&w, &shots[i], 0, &now);
    for (size_t i = 0; i < w.n_kept; i++) {
        const struct iba_finding *f = &w.kept[i];
        if (f->kind != IBA_FINDING_CNP)
            continue;
        cr_assert_lt(n, 3);
        cr_assert_eq(f->cause, want[n].cause);
        cr_assert_eq(f->wait_ns, want[n].wait);
        cr_assert_eq(f->count, want[n].since);
        n++;
    }
    cr_assert_eq(n, 3);
}

/* A sender that changes its path with each packet is reported only a few times. */
Test(rows, a_way_that_changes_all_the_time)
{
    static struct witness w;
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < 40; i++) {
        struct shot x = SEND(i);
        x.how = i % 2 ? FARTHER : PLAIN;
        shoot(&w, &x, 0, &now);
    }
    cr_assert_eq(w.found[IBA_FINDING_PATH_CHANGED], IBA_OBS_ROUTES);
    cr_assert_eq(w.kept[0].count, 1u << IBA_PATH_HOPS);
    cr_assert_eq(w.kept[0].cause, 1);
}

/* Writes a SEND of 8 bytes into `packet`, which has CAP bytes; returns its length. */
static size_t build_send(uint8_t *packet, enum iba_encap encap, bool bad_vcrc)
{
    static struct iba_recipe r;
    static uint8_t payload[8];
    size_t len;

    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    r.payload = payload;
    r.payload_len = sizeof payload;
    r.vcrc_mode = bad_vcrc ? IBA_CRC_BAD : IBA_CRC_GOOD;
    cr_assert_eq(iba_build(&r, packet, CAP, &len), IBA_OK);
    return len;
}

/* A damaged packet whose BTH cannot be read belongs to no known direction. */
Test(rows, damage_before_the_bth_is_told)
{
    static struct witness w;
    uint8_t packet[CAP];
    struct iba_view v;
    const size_t len = build_send(packet, IBA_ENCAP_ROCE1, false);

    witness_init(&w, NULL);
    packet[IBA_BYTES_eth + IBA_AT_grh_nxthdr / 8] ^= 1;
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, packet, len, len, NULL);
    iba_view_check(&v);
    cr_assert_null(iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v, .now = MS, .frame = 1})->flow);
    cr_assert_eq(w.found[IBA_FINDING_MALFORMED], 1);
    cr_assert_null(w.kept[0].flow);
    cr_assert(w.kept[0].no_psn);
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
}

/* The ICRC may be good although the VCRC is bad: it does not cover fields that switches change. */
Test(rows, a_bad_vcrc_is_damage)
{
    static struct witness w;
    uint8_t packet[CAP];
    struct iba_view v;
    const size_t len = build_send(packet, IBA_ENCAP_IB_LOCAL, true);

    witness_init(&w, NULL);
    (void)iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL);
    iba_view_check(&v);
    cr_assert_eq(v.icrc, IBA_CHECK_GOOD);
    (void)iba_observer_feed(w.observer, &(struct iba_sighting){.view = &v, .now = MS, .frame = 1});
    cr_assert_eq(w.found[IBA_FINDING_BAD_VCRC], 1);
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
}

/* If a direction goes on with another P_Key, that P_Key is the right one: the direction's first packet may have been
 * damaged, and without an ICRC nothing shows that. */
Test(rows, the_second_of_another_partition_is_the_last_to_be_told)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    shoot(&w, &(struct shot)SEND(1), 0, &now);
    for (uint32_t psn = 2; psn < 9; psn++)
        shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .how = OTHER_PKEY}, 0, &now);
    cr_assert_eq(w.found[IBA_FINDING_PKEY], 2);
}

/* The first packet is far ahead of all that follow. So it was damaged, and without an ICRC nothing else shows that. */
Test(rows, a_first_request_that_is_far_off_is_forgotten)
{
    static struct witness w;
    iba_time now = 0;

    witness_init(&w, NULL);
    shoot(&w, &(struct shot)SEND(0x80000), 0, &now);
    for (uint32_t psn = 1; psn < 9; psn++) {
        shoot(&w, &(struct shot)SEND(psn), 0, &now);
        shoot(&w, &(struct shot)REPLY(psn, psn), 0, &now);
    }
    cr_assert_eq(witness_count(&w, IBA_NOTE), 0);
}

/* The observer no longer remembers a request, which is then sent again. This retransmission replaces no newer request,
 * be it the newest, the oldest that is remembered, or one between them. */
Test(rows, an_old_request_displaces_no_newer_one)
{
    enum { LATEST = 2 * IBA_OBSERVER_WINDOW + 12 };
    static const uint32_t before_newest[] = {1, 7, 8, 9, 100, IBA_OBSERVER_WINDOW - 1};
    static struct witness w;

    for (unsigned i = 0; i < sizeof before_newest / sizeof *before_newest; i++) {
        const uint32_t newer = LATEST - before_newest[i];
        iba_time now = MS;
        witness_init(&w, NULL);
        for (uint32_t psn = 0; psn <= LATEST; psn++)
            shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .wait = 100}, 0, &now);
        shoot(&w, &(struct shot)LATER(newer - IBA_OBSERVER_WINDOW), 0, &now);
        cr_expect_eq(w.found[IBA_FINDING_RETRY_TIMEOUT], 1);
        shoot(&w,
              &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = newer, .how = OTHER_BYTES, .bytes = 8, .wait = 70 * MS},
              0, &now);
        cr_expect_eq(w.found[IBA_FINDING_RETRY_PAYLOAD], 1, "%u before the newest", (unsigned)before_newest[i]);
        cr_expect_eq(w.kept[w.n_kept - 1].cause, newer + 1);
        shoot(&w, &(struct shot)REPLY(LATEST, LATEST), 0, &now);
        cr_expect_eq(w.found[IBA_FINDING_NOT_CAPTURED], 0);
    }
}

/* The capture lacks the end of both packets, so they differ in their identification alone: the network made no copy. */
Test(rows, another_identification_is_another_packet)
{
    static struct witness w;

    for (unsigned bit = 0; bit <= 16; bit++) {
        const uint16_t other = (uint16_t)(0x1000 ^ 1u << bit);
        iba_time now = MS;
        witness_init(&w, NULL);
        shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .id = 0x1000, .cut = 12}, 0, &now);
        shoot(&w, &(struct shot){.opcode = IBA_RC_SEND_ONLY, .psn = 1, .bytes = 8, .id = other, .cut = 12}, 0, &now);
        iba_observer_end(w.observer, now);
        cr_expect_eq(w.found[IBA_FINDING_NETWORK_COPY], bit == 16, "bit %u", bit);
    }
}
