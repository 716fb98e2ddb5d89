/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag matching of an SRQ: random lists and messages, and devices that lack a row. */
#include "tags.h"

/* ---- random lists and messages, against a list that is searched here ---- */

struct modelled {
    uint64_t id, tag, mask;
    uint32_t handle;
    bool listed;
};

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static void list_known(struct modelled *m, unsigned n, uint32_t handled, uint32_t unexpected)
{
    for (unsigned i = 0; handled == unexpected && i < n; i++)
        m[i].listed = true;
}

static void forget(struct modelled *m, unsigned *n, unsigned at)
{
    for ((*n)--; at < *n; at++)
        m[at] = m[at + 1];
}

/* Sends a message, and checks which receive takes it. */
static void send_one(struct world *w, struct modelled *m, unsigned *n, uint32_t *unexpected)
{
    const uint64_t tag = below(4);
    const uint32_t bytes = 16 + below(100);
    const bool large = below(4) == 0;
    unsigned at = 0;

    while (at < *n && !(m[at].listed && ((m[at].tag ^ tag) & m[at].mask) == 0))
        at++;
    if (large)
        send_rndv(w, tag, bytes, 0);
    else
        send_tm(w, IBV_TMH_EAGER, tag, bytes);
    struct iba_wc wc = lab_wc(w->l, 1);
    cr_assert_eq(wc.wr_id, at < *n ? m[at].id : ORDINARY_ID, "tag %lu", (unsigned long)tag);
    cr_assert_eq(wc.byte_len, large ? (at < *n ? 0 : 32) : at < *n ? bytes - 16 : bytes);
    if (at == *n) {
        const struct iba_recv_wr again = {
            .wr_id = ORDINARY_ID, .n_sge = 1, .sge = {{LAB_VA + ORDINARY_AT, 4096, w->l->end[1].lkey}}};
        (*unexpected)++;
        cr_assert_eq(iba_post_srq_recv(&w->l->end[1].ca, w->srq, &again), IBA_VERB_OK);
        return;
    }
    cr_assert_eq(wc.tag, tag);
    if (large) {
        wc = lab_done(w->l, 1, m[at].id, IBA_WC_SUCCESS);
        cr_assert(wc.byte_len == bytes && wc.flags == IBA_WC_TAG_DATA);
        cr_assert_eq(lab_done(w->l, 0, 0, IBA_WC_SUCCESS).byte_len, 32, "the FIN");
        lab_recv(w->l, 0, w->from, 0, FIN_AT, 64);
    }
    forget(m, n, at);
}

Test(tags, random_lists_and_messages)
{
    struct modelled m[TAGS];
    struct world w;
    unsigned n = 0, taken = 0;
    uint32_t unexpected = 0;
    uint64_t id = 1000;

    open_world(&w, 0, 1);
    for (unsigned step = 0; step < 4000; step++) {
        const uint32_t handled = unexpected - (below(3) == 0 && unexpected > 0);
        struct iba_ca *ca = &w.l->end[1].ca;
        if (below(3) > 0 && n < TAGS) {
            const struct iba_recv_wr wr = {
                .wr_id = id, .n_sge = 1, .sge = {{LAB_VA + TAGGED_AT, 4096, w.l->end[1].lkey}}};
            m[n] = (struct modelled){id++, below(4), below(4), 0, false};
            cr_assert_eq(iba_add_tag(ca, w.srq, &wr, m[n].tag, m[n].mask, handled, &m[n].handle), IBA_VERB_OK);
            list_known(m, ++n, handled, unexpected);
        } else if (below(3) == 0 && n > 0) {
            const unsigned at = below(n);
            cr_assert_eq(iba_remove_tag(ca, w.srq, m[at].handle, handled), IBA_VERB_OK);
            cr_assert_eq(iba_remove_tag(ca, w.srq, m[at].handle, handled), IBA_VERB_ATTR_VALUE);
            list_known(m, n, handled, unexpected);
            forget(m, &n, at);
        } else {
            const unsigned before = n;
            send_one(&w, m, &n, &unexpected);
            taken += n < before;
        }
        lab_forget(w.l);
    }
    cr_expect(taken > 100 && unexpected > 100, "%u matched, %u unexpected", taken, unexpected);
    cr_expect_eq(w.l->end[1].srq.tags.unexpected, unexpected);
    close_world(&w);
}

/* Writes the completions of an exchange that needs each row, by a device that lacks one. */
static size_t exchange(uint8_t left_out, char *to, size_t room)
{
    static const struct {
        uint8_t kind;
        uint64_t tag;
        uint32_t bytes, length; /* length: of a rendezvous */
    } messages[] = {{IBV_TMH_NO_TAG, 1, 40, 0},      {IBV_TMH_EAGER, 1, 50, 0},   {IBV_TMH_RNDV, 2, 32, 60},
                    {IBV_TMH_RNDV, 3, 32, ROOM + 1}, {IBV_TMH_RNDV, 0, 1500, 70}, {IBV_TMH_EAGER, 9, 80, 0},
                    {IBV_TMH_EAGER, 0, 90, 0}};
    struct world w;
    struct iba_wc wc;
    size_t n = 0;

    open_world(&w, left_out, 3);
    for (uint64_t tag = 0; tag < TAGS; tag++)
        (void)add(&w, tag, UINT64_MAX, 0);
    for (unsigned i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct ibv_rvh *h = (struct ibv_rvh *)(lab_memory(w.l, 0) + sizeof(struct ibv_tmh));
        *h = (struct ibv_rvh){htobe64(LAB_VA + DATA_AT), htobe32(w.l->end[0].rkey), htobe32(messages[i].length)};
        lab_recv(w.l, 0, w.from, 0, FIN_AT, 64);
        send_only(&w, messages[i].kind, messages[i].tag, messages[i].bytes);
        while (iba_poll_cq(&w.l->end[0].ca, w.l->end[0].cqn, &wc) > 0) {
        }
        while (iba_poll_cq(&w.l->end[1].ca, w.l->end[1].cqn, &wc) > 0)
            n += (size_t)snprintf(to + n, room - n, "%u:%u/%u/%u ", (unsigned)wc.wr_id, wc.status, wc.flags,
                                  wc.byte_len);
        n += (size_t)snprintf(to + n, room - n, "(%u) ", w.l->end[1].srq.tags.unexpected);
        cr_assert_lt(n, room);
        if (lab_state(w.l, 1, w.to) != IBA_QPS_RTS)
            break;
    }
    lab_close(w.l);
    return n;
}

/* The row `no_room` needs a full queue, and has a test of its own. */
Test(tags, each_row_that_a_device_lacks_shows)
{
    char whole[1024], broken[1024];
    size_t n;
    const struct iba_tag_row *row = iba_tag_rules(&n);

    (void)exchange(0, whole, sizeof whole);
    snprintf(broken, sizeof broken, "100:0/0/40 (0) 1:0/%u/34 (0) 2:0/%u/0 2:0/%u/60 (0) 3:%u/%u/32 (0) ",
             IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA, IBA_WC_TAG_MATCH, IBA_WC_TAG_DATA, IBA_WC_TAG_INCOMPLETE,
             IBA_WC_TAG_MATCH);
    snprintf(broken + strlen(broken), 100, "101:0/0/1500 (1) 102:0/0/80 (2) 0:0/%u/74 (2) ",
             IBA_WC_TAG_MATCH | IBA_WC_TAG_DATA);
    cr_expect_str_eq(whole, broken);
    for (size_t i = 0; i < n; i++) {
        cr_expect(row[i].sentence[0] && strncmp(row[i].clause, "VN-0", 4) == 0);
        (void)exchange((uint8_t)(i + 1), broken, sizeof broken);
        cr_expect_eq(strcmp(whole, broken) == 0, row[i].use == IBA_TAG_WAIT, "%s: %s", row[i].name, broken);
    }
}

/* The first row that applies decides, so the order of the rows is a part of the rules. */
Test(tags, rows_in_their_order)
{
    static const struct {
        const char *name;
        uint8_t use;
    } order[] = {{"untagged", IBA_TAG_ORDINARY}, {"long_rndv", IBA_TAG_UNEXPECTED}, {"unmatched", IBA_TAG_UNEXPECTED},
                 {"too_large", IBA_TAG_HEADERS}, {"no_room", IBA_TAG_WAIT},         {"rendezvous", IBA_TAG_READ},
                 {"eager", IBA_TAG_EAGER}};
    size_t n;
    const struct iba_tag_row *row = iba_tag_rules(&n);

    cr_assert_eq(n, sizeof order / sizeof *order);
    for (size_t i = 0; i < n; i++) {
        cr_expect_str_eq(row[i].name, order[i].name);
        cr_expect_eq(row[i].use, order[i].use, "%s", row[i].name);
    }
}

/* Adding, listing and removing receives changes no entry beyond the list. */
Test(tags, a_list_keeps_to_its_entries)
{
    struct iba_tag list[2 * TAGS];
    struct iba_recv_wr ring[1];
    struct iba_srq other;
    uint32_t number, handle[TAGS];
    struct world w;

    open_world(&w, 0, 0);
    struct iba_ca *ca = &w.l->end[1].ca;
    const struct iba_tag_srq_init init = {
        .ring = ring, .list = list, .n = 1, .n_tags = TAGS, .pd = w.l->end[1].pd, .cq = w.l->end[1].cqn};
    cr_assert_eq(iba_create_tag_srq(ca, &other, &init, &number), IBA_VERB_OK);
    for (unsigned remove = 0; remove < TAGS; remove++) {
        for (uint32_t i = 0; i < 2 * TAGS; i++)
            list[i] = (struct iba_tag){.handle = 1000 + i};
        for (unsigned i = 0; i < TAGS; i++)
            cr_assert_eq(iba_add_tag(ca, number, &(struct iba_recv_wr){.wr_id = i}, i, i, 0, &handle[i]), IBA_VERB_OK);
        cr_assert_eq(iba_sync_tags(ca, number, 0), IBA_VERB_OK);
        cr_assert_eq(iba_remove_tag(ca, number, handle[remove], 0), IBA_VERB_OK);
        for (uint32_t i = 0; i < TAGS - 1; i++)
            cr_expect(list[i].wr.wr_id == i + (i >= remove) && list[i].listed, "without %u: %u", remove, i);
        for (uint32_t i = TAGS; i < 2 * TAGS; i++)
            cr_expect(list[i].handle == 1000 + i && !list[i].listed, "without %u: %u", remove, i);
        for (unsigned i = 0; i < TAGS; i++)
            (void)iba_remove_tag(ca, number, handle[i], 0);
    }
    close_world(&w);
}
