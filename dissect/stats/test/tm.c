/* SPDX-License-Identifier: BSD-2-Clause */
/* -z tm: which READ and which FIN belong to which rendezvous, what the tables say of them, and where the tables end.
 * Packets are made by hand; what is expected follows from VN-04 and VN-05, and is counted by hand. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "feed.h"
#include "judge/judge.h"
#include "stats/kinds.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"
#include "wire/iba_values.h"

/* ALONE goes back, too, but nobody knows to which direction it belongs. */
enum { THERE, BACK, ALONE, DIRECTIONS };
enum { RECEIVER_QP = 16, SENDER_QP = 17, WORDS = 8, US = 1000, KEY = 0xabcdef, VA = 0x10000 };
enum { NO_TAG = IBA_TM_NO_TAG, RNDV = IBA_TM_RNDV, FIN = IBA_TM_FIN, EAGER = IBA_TM_EAGER };

static struct feed f;
static struct direction d[DIRECTIONS];
static struct verdict_names names;
static struct verdict v;

static void begin(void)
{
    feed_open(&f, "tm");
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        d[i] = (struct direction){.id = i, .peer = i == ALONE ? 0 : 2 - i, .svc = IBA_RC, .knows_source_qp = true};
        d[i].key.kind = IBA_ADDR_IPV4;
        d[i].key.src[0] = d[i].key.dst[0] = 10;
        d[i].key.src[3] = i == THERE ? 1 : 2;
        d[i].key.dst[3] = i == THERE ? 2 : 1;
        d[i].key.qpn = i == THERE ? RECEIVER_QP : SENDER_QP;
        d[i].source_qp = i == THERE ? SENDER_QP : RECEIVER_QP;
    }
    names.direction = d;
    v = (struct verdict){.names = &names};
    f.p.verdict = &v;
}

TestSuite(tm, .init = begin);

/* ---- packets ---- */

/* A message of tag matching; `len` and `va` are those of its RVH, which a FIN may lack: `bare`. */
struct told {
    uint8_t kind;
    uint64_t tag;
    uint32_t app;
    uint64_t va;
    uint32_t len;
    bool bare;
};

static uint64_t put(unsigned way, struct frame *frame, int64_t at)
{
    static const struct iba_view_opts opts = {.qp = {{RECEIVER_QP, IBA_HOLDS_TM}, {SENDER_QP, IBA_HOLDS_TM}}};

    f.cap = (struct cap_packet){.data = frame->b,
                                .caplen = (uint32_t)frame->n,
                                .len = (uint32_t)frame->n,
                                .has_ts = at != UNTIMED,
                                .ts_ns = at == UNTIMED ? 0 : RUN_NS + (uint64_t)at};
    f.p.number++;
    (void)iba_view_parse(&f.p.view, frame->link, frame->b, frame->n, frame->n, &opts);
    iba_view_check(&f.p.view);
    v.direction = way < DIRECTIONS ? &d[way] : NULL;
    stat_tm_packet(f.state, &f.p);
    v = (struct verdict){.names = &names};
    return f.p.number;
}

static struct frame frame_with(unsigned way, uint8_t opcode, uint32_t psn, uint8_t words)
{
    return frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                   .src = way == THERE ? 1 : 2,
                                   .dst = way == THERE ? 2 : 1,
                                   .opcode = opcode,
                                   .dest_qp = way == THERE ? RECEIVER_QP : SENDER_QP,
                                   .psn = psn,
                                   .words = words});
}

/* Puts the ICRC right after a change. */
static void seal(struct frame *frame)
{
    struct iba_view view;

    (void)iba_view_parse(&view, frame->link, frame->b, frame->n, frame->n, NULL);
    iba_put_le32(frame->b + view.end - IBA_ICRC_BYTES, iba_view_icrc(&view));
}

static struct frame frame_told(unsigned way, uint32_t psn, const struct told *x)
{
    struct frame frame = frame_with(way, IBA_RC_SEND_ONLY, psn, x->bare ? IBA_BYTES_tmh / 4 : WORDS);
    uint8_t *h = frame.b + frame.n - IBA_ICRC_BYTES - 4 * (x->bare ? IBA_BYTES_tmh / 4 : WORDS);

    iba_tmop_set_opcode(h, x->kind);
    if (x->kind != NO_TAG && x->kind <= EAGER) {
        iba_tmh_set_app_ctx(h, x->app);
        iba_tmh_set_tag(h, x->tag);
    }
    if ((x->kind == RNDV || x->kind == FIN) && !x->bare) {
        iba_rvh_set_va(h + IBA_BYTES_tmh, x->va);
        iba_rvh_set_r_key(h + IBA_BYTES_tmh, KEY);
        iba_rvh_set_len(h + IBA_BYTES_tmh, x->len);
    }
    seal(&frame);
    return frame;
}

static uint64_t tells(unsigned way, uint32_t psn, int64_t at, struct told x)
{
    struct frame frame = frame_told(way, psn, &x);

    return put(way, &frame, at);
}

static uint64_t reads_with(unsigned way, int64_t at, uint64_t va, uint32_t len, uint32_t key)
{
    struct frame frame = frame_with(way, IBA_RC_READ_REQUEST, 7, 0);
    uint8_t *h = frame.b + frame.n - IBA_ICRC_BYTES - IBA_BYTES_reth;

    iba_reth_set_va(h, va);
    iba_reth_set_r_key(h, key);
    iba_reth_set_dmalen(h, len);
    seal(&frame);
    return put(way, &frame, at);
}

static uint64_t reads(unsigned way, int64_t at, uint64_t va, uint32_t len)
{
    return reads_with(way, at, va, len, KEY);
}

static void ends(uint64_t frame, enum iba_message_end end, uint64_t bytes)
{
    stat_tm_message(f.state, &(struct iba_message){.first_frame = frame, .end = (uint8_t)end, .bytes = bytes}, &names);
}

/* Checks the number behind `key`. */
static void counts(const char *key, unsigned long long want, const char *why)
{
    char *j = printed(&f, true), name[64];

    (void)snprintf(name, sizeof name, "\"%s\":", key);
    const char *at = strstr(strstr(j, "\"limit\":"), name);
    cr_assert(at, "%s: no %s", why, key);
    cr_expect_eq(strtoull(at + strlen(name), NULL, 10), want, "%s: %.60s", why, at);
    free(j);
}

/* ---- whole tables ---- */

/* One rendezvous in each state, a message of each kind; and packets that do not count: of no direction, the twin of an
 * earlier one, and a damaged one. */
Test(tm, states_and_kinds)
{
    ends(
        tells(THERE, 0x100, 0, (struct told){.kind = RNDV, .tag = 0x1122334455667788, .app = 9, .va = VA, .len = 1000}),
        IBA_MESSAGE_END_ANSWERED, 32);
    ends(tells(THERE, 0x101, 10 * US, (struct told){.kind = RNDV, .tag = 2, .va = 2 * VA, .len = 500}),
         IBA_MESSAGE_END_ANSWERED, 32);
    ends(tells(THERE, 0x102, UNTIMED, (struct told){.kind = RNDV, .tag = 3, .va = 3 * VA, .len = 300}),
         IBA_MESSAGE_END_OPEN, 32); /* sent, whether or not it was answered */
    (void)tells(THERE, 0x103, 30 * US, (struct told){.kind = RNDV, .tag = 4, .va = 4 * VA, .len = 0});
    ends(reads(BACK, 50 * US, VA, 600), IBA_MESSAGE_END_ANSWERED, 600);
    ends(reads(BACK, 60 * US, VA + 600, 400), IBA_MESSAGE_END_ANSWERED, 400);
    ends(reads(BACK, 75 * US, 2 * VA, 500), IBA_MESSAGE_END_ANSWERED, 500);
    ends(reads(BACK, 80 * US, 3 * VA, 200), IBA_MESSAGE_END_ANSWERED, 200);
    ends(reads(BACK, 90 * US, 3 * VA + 200, 100), IBA_MESSAGE_END_OPEN, 100);
    ends(tells(BACK, 0x20, 100 * US + 5, (struct told){.kind = FIN, .tag = 0x1122334455667788, .app = 9, .bare = true}),
         IBA_MESSAGE_END_ANSWERED, 16);
    ends(tells(BACK, 0x21, 110 * US, (struct told){.kind = FIN, .tag = 77, .bare = true}), IBA_MESSAGE_END_ANSWERED,
         16);
    ends(tells(THERE, 0x104, 120 * US, (struct told){.kind = EAGER, .tag = 5}), IBA_MESSAGE_END_ANSWERED, 16);
    ends(tells(THERE, 0x105, 130 * US, (struct told){.kind = NO_TAG}), IBA_MESSAGE_END_ANSWERED, 32);
    ends(tells(THERE, 0x106, 140 * US, (struct told){.kind = EAGER + 1}), IBA_MESSAGE_END_ANSWERED, 32);
    ends(tells(THERE, 0x107, 140 * US, (struct told){.kind = 255}), IBA_MESSAGE_END_ANSWERED, 32);
    const struct told more = {.kind = RNDV, .tag = 6, .va = 6 * VA, .len = 600};
    ends(tells(DIRECTIONS, 0x108, 150 * US, more), IBA_MESSAGE_END_ANSWERED, 32);
    v.same_as = 1;
    ends(tells(THERE, 0x108, 150 * US, more), IBA_MESSAGE_END_ANSWERED, 32);
    struct frame damaged = frame_told(THERE, 0x108, &more);
    damaged.b[damaged.n - 1] ^= 1;
    ends(put(THERE, &damaged, 150 * US), IBA_MESSAGE_END_ANSWERED, 32);
    expect(&f, "tm-states");
}

Test(tm, without_messages_the_text_says_which_option_is_missing)
{
    char *t = printed(&f, false);
    cr_expect(strstr(t, "\nNo packet names its messages as those of tag matching: -d qp==N,tm does, for each QP that "
                        "receives them\n"),
              "%s", t);
    free(t);
    ends(tells(THERE, 1, 0, (struct told){.kind = NO_TAG}), IBA_MESSAGE_END_ANSWERED, 32);
    t = printed(&f, false);
    cr_expect(strstr(t, "\nMessages that ended: No Tag 1, Rendezvous 0, Rendezvous Finished 0, Eager 0, other kinds "
                        "0\n=="),
              "%s", t);
    free(t);
    feed_close(&f);
}

/* ---- what belongs to a rendezvous ---- */

/* A READ has the key of the rendezvous, and lies within its range; its FIN ends that. */
Test(tm, reads_that_belong_to_it)
{
    static const struct {
        uint64_t va;
        uint32_t len, key;
        bool belongs;
    } rows[] = {{VA, 1000, KEY, true},     {VA, 1001, KEY, false},     {VA, 1000, KEY + 1, false},
                {VA - 1, 1, KEY, false},   {VA + 999, 1, KEY, true},   {VA + 999, 2, KEY, false},
                {VA + 1000, 0, KEY, true}, {VA + 1000, 1, KEY, false}, {VA + 1001, 0, KEY, false}};

    for (unsigned way = BACK; way <= ALONE; way++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char why[32];
            feed_close(&f);
            begin();
            (void)snprintf(why, sizeof why, "way %u, row %zu", way, i);
            (void)tells(THERE, 1, 0, (struct told){.kind = RNDV, .tag = 1, .va = VA, .len = 1000});
            (void)reads_with(way, US, rows[i].va, rows[i].len, rows[i].key);
            counts("reading", rows[i].belongs, why);
            (void)tells(way, 1, 2 * US, (struct told){.kind = FIN, .tag = 1, .bare = true});
            counts("finished", 1, why);
            const uint64_t late = reads(way, 3 * US, VA, 1000);
            ends(late, IBA_MESSAGE_END_ANSWERED, 1000);
            char *j = printed(&f, true);
            cr_expect(strstr(j, "\"bytes_read\":0,"), "after the FIN: %s", j);
            free(j);
        }
    feed_close(&f);
}

/* A FIN has the tag and the context, and, if it has an RVH, also the range and the key. Each FIN ends one rendezvous,
 * and a copy of it ends no other. */
Test(tm, fins_that_belong_to_it)
{
    static const struct {
        struct told fin;
        bool belongs;
    } rows[] = {{{.kind = FIN, .tag = 1, .app = 5, .va = VA, .len = 8}, true},
                {{.kind = FIN, .tag = 1, .app = 5, .bare = true}, true},
                {{.kind = FIN, .tag = 2, .app = 5, .va = VA, .len = 8}, false},
                {{.kind = FIN, .tag = 1, .app = 6, .va = VA, .len = 8}, false},
                {{.kind = FIN, .tag = 1, .app = 5, .va = VA + 1, .len = 8}, false},
                {{.kind = FIN, .tag = 1, .app = 5, .va = VA, .len = 9}, false}};

    for (unsigned way = BACK; way <= ALONE; way++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char why[32];
            feed_close(&f);
            begin();
            (void)snprintf(why, sizeof why, "way %u, row %zu", way, i);
            (void)tells(THERE, 1, 0, (struct told){.kind = RNDV, .tag = 1, .app = 5, .va = VA, .len = 8});
            (void)tells(way, 1, US, rows[i].fin);
            counts("finished", rows[i].belongs, why);
            counts("fins_alone", !rows[i].belongs, why);
            (void)tells(way, 1, US, rows[i].fin);
            counts("finished", rows[i].belongs, why);
            counts("fins_alone", rows[i].belongs ? 0 : 2, "a copy");
            (void)tells(way, 2, US, rows[i].fin); /* has another PSN: no copy */
            counts("fins_alone", rows[i].belongs ? 1 : 3, "another one");
        }
    feed_close(&f);
}

/* A rendezvous that is sent again is one; another PSN or another tag makes another. */
Test(tm, what_is_sent_again)
{
    const struct told one = {.kind = RNDV, .tag = 1, .va = VA, .len = 8},
                      other = {.kind = RNDV, .tag = 2, .va = VA, .len = 8};

    (void)tells(THERE, 1, 0, one);
    (void)tells(THERE, 1, 1, one);
    counts("open", 1, "the same");
    (void)tells(THERE, 2, 2, one);
    counts("open", 2, "another PSN");
    (void)tells(THERE, 2, 2, other);
    counts("open", 3, "another tag");
    (void)tells(BACK, 2, 2, other);
    counts("open", 4, "another direction");
    feed_close(&f);
}

/* Of several with one tag, a FIN without RVH ends the oldest; a READ goes to the newest that it fits. */
Test(tm, of_several_that_fit)
{
    for (uint32_t i = 0; i < 3; i++)
        (void)tells(THERE, i, 0, (struct told){.kind = RNDV, .tag = 1, .va = VA, .len = 8});
    const uint64_t read = reads(BACK, US, VA, 4),
                   fin = tells(BACK, 1, US, (struct told){.kind = FIN, .tag = 1, .bare = true});
    char *j = printed(&f, true), want[128];
    (void)snprintf(want, sizeof want, "\"frame\":1,\"read_frame\":null,\"fin_frame\":%u,", (unsigned)fin);
    cr_expect(strstr(j, want), "%s", j);
    (void)snprintf(want, sizeof want, "\"frame\":3,\"read_frame\":%u,\"fin_frame\":null,", (unsigned)read);
    cr_expect(strstr(j, want), "%s", j);
    free(j);
    feed_close(&f);
}

/* Without a known other direction, both addresses must go back, and be of one kind. */
Test(tm, which_way_goes_back)
{
    for (unsigned changed = 0; changed < 4; changed++) {
        feed_close(&f);
        begin();
        if (changed == 1)
            d[ALONE].key.src[3] = 3;
        if (changed == 2)
            d[ALONE].key.dst[15] = 1;
        if (changed == 3)
            d[ALONE].key.kind = IBA_ADDR_IPV6;
        (void)tells(THERE, 1, 0, (struct told){.kind = RNDV, .tag = 1, .va = VA, .len = 8});
        (void)reads(ALONE, US, VA, 8);
        counts("reading", changed == 0, "the way of the READ");
    }
    feed_close(&f);
}

/* ---- bounds ---- */

/* A READ finds its rendezvous among the newest 256. */
Test(tm, the_newest_256)
{
    enum { NEWEST = 256 };

    for (unsigned way = BACK; way <= ALONE; way++) {
        feed_close(&f);
        begin();
        for (uint32_t i = 0; i <= NEWEST; i++)
            (void)tells(THERE, i, 0, (struct told){.kind = RNDV, .tag = i, .va = (uint64_t)i * VA, .len = 8});
        (void)reads(way, US, 0, 8);
        counts("reading", 0, "the oldest is forgotten");
        (void)reads(way, US, VA, 8);
        counts("reading", 1, "the one after it is not");
        (void)tells(way, 1, US, (struct told){.kind = FIN, .tag = 0, .bare = true});
        (void)tells(way, 2, US, (struct told){.kind = FIN, .tag = 1, .bare = true});
        counts("finished", 1, "and so of FINs");
        counts("fins_alone", 1, "and so of FINs");
    }
    feed_close(&f);
}

/* 16384 rendezvous are listed. */
Test(tm, more_than_are_listed)
{
    enum { LISTED = 16384 };
    struct frame frame = frame_told(THERE, 0, &(struct told){.kind = RNDV, .tag = 0, .va = VA, .len = 8});
    uint8_t *tmh = frame.b + frame.n - IBA_ICRC_BYTES - 4 * WORDS;

    for (unsigned i = 0; i < LISTED + 2; i++) {
        iba_tmh_set_tag(tmh, i);
        seal(&frame);
        (void)put(THERE, &frame, 0);
    }
    counts("limit", LISTED, "rows");
    counts("others", 2, "rows");
    counts("open", LISTED, "rows");
    char *t = printed(&f, false);
    cr_expect(strstr(t,
                     "\nRendezvous 16384: open 16384, reading 0, read 0, finished 0; not listed, beyond these 2; FIN "
                     "whose rendezvous the capture lacks 0\n"));
    free(t);
    feed_close(&f);
}

/* A message that ends more than 65535 packets after its first packet is not counted; nor is one whose first packet the
 * capture lacks, or that is of something else. */
Test(tm, messages_that_last_long)
{
    enum { FOLLOWED = 65536 };
    const uint64_t first = tells(THERE, 1, 0, (struct told){.kind = EAGER}),
                   second = tells(THERE, 2, 0, (struct told){.kind = EAGER});

    f.p.number = first + FOLLOWED - 1;
    const uint64_t late = tells(THERE, 3, 0, (struct told){.kind = EAGER});
    cr_assert_eq(late, first + FOLLOWED);
    ends(first, IBA_MESSAGE_END_ANSWERED, 16);
    counts("eager", 0, "its packet is forgotten");
    ends(second, IBA_MESSAGE_END_ANSWERED, 16);
    counts("eager", 1, "the next one is not");
    ends(late, IBA_MESSAGE_END_ANSWERED, 16);
    ends(late, IBA_MESSAGE_END_ANSWERED, 16);
    counts("eager", 2, "each once");
    ends(0, IBA_MESSAGE_END_ANSWERED, 16);
    ends(12345, IBA_MESSAGE_END_ANSWERED, 16);
    counts("eager", 2, "messages of no such packet");
    feed_close(&f);
}
