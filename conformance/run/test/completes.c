/* SPDX-License-Identifier: BSD-2-Clause */
/* A completion, or an event, that a line expects, but for one value: the device's own is changed before the runner
 * reads it. A value that the line gives, the status, and the queue must be right; any other may differ. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL

enum member {
    NOTHING,
    STATUS,
    OP,
    FLAGS,
    SL,
    PATH_BITS,
    SLID,
    PKEY_INDEX,
    BYTE_LEN,
    IMM_OR_KEY,
    QPN,
    SRC_QPN,
    WR_ID,
    MEMBERS
};
static enum member which;
static uint32_t turned; /* these bits of it */
static unsigned event_kind, events_left;
static int completions; /* more, or fewer, than came */

static void turn(struct iba_wc *wc)
{
    switch (which) {
    case STATUS: wc->status ^= (uint8_t)turned; break;
    case OP: wc->op ^= (uint8_t)turned; break;
    case FLAGS: wc->flags ^= (uint8_t)turned; break;
    case SL: wc->sl ^= (uint8_t)turned; break;
    case PATH_BITS: wc->path_bits ^= (uint8_t)turned; break;
    case SLID: wc->slid ^= (uint16_t)turned; break;
    case PKEY_INDEX: wc->pkey_index ^= (uint16_t)turned; break;
    case BYTE_LEN: wc->byte_len ^= turned; break;
    case IMM_OR_KEY: wc->imm_or_key ^= turned; break;
    case QPN: wc->qpn ^= turned; break;
    case SRC_QPN: wc->src_qpn ^= turned; break;
    case WR_ID: wc->wr_id ^= turned; break;
    default: break;
    }
}

static enum ibc_rc poll_changed(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    static struct iba_wc last;
    const enum ibc_rc rc = whole->poll_cq(t, d, cq, wc, n);

    if (*n > 0 && completions < 0) { /* loses it */
        completions++;
        *n = 0;
    } else if (*n > 0) {
        turn(wc);
        last = *wc;
    } else if (completions > 0 && last.wr_id) { /* gives it once more */
        completions--;
        *wc = last;
        *n = 1;
    }
    if (completions == 0)
        last.wr_id = 0;
    return rc;
}

static enum ibc_rc event_changed(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    const enum ibc_rc rc = whole->poll_event(t, d, e, n);

    if (*n > 0 && event_kind)
        e->kind = (uint8_t)event_kind;
    else if (*n > 0 && events_left == 0)
        *n = 0;
    return rc;
}

struct row {
    const char *text;
    enum member which;
    uint32_t turned;
    enum ibc_verdict verdict;
    const char *expected, *got; /* of the finding; NULL: not checked */
};

static bool same(const char *want, const char *is)
{
    return !want || strcmp(want, is) == 0;
}

static void check(const struct row *c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        which = c[i].which;
        turned = c[i].turned;
        changed.poll_cq = poll_changed;
        changed.poll_event = event_changed;
        r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect(r.verdict == c[i].verdict && same(c[i].expected, r.finding.expected) && same(c[i].got, r.finding.got),
                  "row %zu: %s\n  expected: %s\n  got: %s", i, ibc_verdict_names[r.verdict], r.finding.expected,
                  r.finding.got);
        close_changed(t, &r);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

#define SENT "> a SEND_ONLY payload=9 ackreq=1\n< a ACKNOWLEDGE\n"
#define RECEIVED(values) RC "qp a recv=1\n" SENT " a completion recv" values "\n"
#define DATAGRAM(values) UD "qp a recv=1\n> a SEND_ONLY payload=9\n a completion recv" values "\n"
#define POSTED(values)                                                                                                 \
    RC "qp a\n a post SEND len=4\n< a SEND_ONLY\n> a ACKNOWLEDGE psn=+0 msn=1\n a completion SEND" values "\n"

#define ID(n)                                                                                                          \
    RC "qp a\n a post SEND len=4 id=5\n< a SEND_ONLY\n> a ACKNOWLEDGE psn=+0 msn=1\n a completion SEND id=" n "\n"

Test(completes, with_another_value)
{
    static const struct row rows[] = {
        {RECEIVED(""), NOTHING, 0, P, NULL, NULL},
        {RECEIVED(""), STATUS, 1, F, "completion.status Success", NULL},
        {RECEIVED(""), STATUS, 0x80, F, "completion.status Success", "completion.status ?"},
        {RECEIVED(" bytes=9"), BYTE_LEN, 1, F, "completion.bytes 0x9", "completion.bytes 0x8"},
        {RECEIVED(" bytes=9"), BYTE_LEN, 0x10000, F, "completion.bytes 0x9", "completion.bytes 0x10009"},
        {RECEIVED(""), BYTE_LEN, 1, P, NULL, NULL},
        {RECEIVED(" solicited=0"), FLAGS, IBA_WC_SOLICITED, F, "completion.solicited 0x0", "completion.solicited 0x1"},
        {RECEIVED(" grh=0"), FLAGS, IBA_WC_GRH, F, "completion.grh 0x0", "completion.grh 0x1"},
        {RECEIVED(""), FLAGS, IBA_WC_SOLICITED, P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY_IMM payload=9 ackreq=1 imm=7\n< a ACKNOWLEDGE\n a completion recv imm=7\n",
         NOTHING, 0, P, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY_IMM payload=9 ackreq=1 imm=7\n< a ACKNOWLEDGE\n a completion recv imm=7\n",
         IMM_OR_KEY, 1, F, "completion.imm 0x7", "completion.imm 0x6"},
        {RC "qp a recv=1\n> a SEND_ONLY_IMM payload=9 ackreq=1 imm=7\n< a ACKNOWLEDGE\n a completion recv imm=7\n",
         FLAGS, IBA_WC_WITH_IMM, F, "completion.imm 0x7", "completion.imm 0xffffffffffffffff"},
        /* values that this completion does not have */
        {RECEIVED(" imm=0"), NOTHING, 0, F, "completion.imm 0x0", "completion.imm 0xffffffffffffffff"},
        {RECEIVED(" inv=0"), NOTHING, 0, F, "completion.inv 0x0", "completion.inv 0xffffffffffffffff"},
        {RECEIVED(" inv=0"), FLAGS, IBA_WC_WITH_INV, P, NULL, NULL},
        {RECEIVED(" inv=0"), FLAGS, IBA_WC_WITH_IMM, F, "completion.inv 0x0", "completion.inv 0xffffffffffffffff"},
        {RECEIVED(" match=0 data=0"), NOTHING, 0, P, NULL, NULL},
        {RECEIVED(" match=0"), FLAGS, IBA_WC_TAG_MATCH, F, "completion.match 0x0", "completion.match 0x1"},
        {RECEIVED(" data=0"), FLAGS, IBA_WC_TAG_DATA, F, "completion.data 0x0", "completion.data 0x1"},
        {RECEIVED(" match=1"), FLAGS, IBA_WC_TAG_DATA, F, "completion.match 0x1", "completion.match 0x0"},
        {RECEIVED(" tag=0"), NOTHING, 0, F, "completion.tag 0x0", "completion.tag 0xffffffffffffffff"},
        {RECEIVED(" tag=0 app=0"), FLAGS, IBA_WC_TAG_MATCH, P, NULL, NULL},
        {RECEIVED(" app=0"), FLAGS, IBA_WC_TAG_DATA, F, "completion.app 0x0", "completion.app 0xffffffffffffffff"},
        {DATAGRAM(" srcqp=a.peer"), SRC_QPN, 1, F, NULL, NULL},
        {DATAGRAM(" pkey_index=0"), PKEY_INDEX, 1, F, "completion.pkey_index 0x0", "completion.pkey_index 0x1"},
        {DATAGRAM(" sl=0"), SL, 1, F, "completion.sl 0x0", "completion.sl 0x1"},
        {DATAGRAM(" path_bits=0"), PATH_BITS, 1, F, "completion.path_bits 0x0", "completion.path_bits 0x1"},
        {DATAGRAM(" slid=0"), SLID, 1, F, "completion.slid 0x0", "completion.slid 0x1"},
        {DATAGRAM(""), SRC_QPN, 1, P, NULL, NULL},
        {POSTED(""), NOTHING, 0, P, NULL, NULL},
        {POSTED(""), OP, 1, F, "completion.op SEND", NULL},
        {ID("5"), NOTHING, 0, P, NULL, NULL},
        {ID("6"), NOTHING, 0, F, "completion.id 0x6", "completion.id 0x5"},
        {POSTED(""), QPN, 1, F, "completions of what was posted", NULL},
        {POSTED(""), WR_ID, 0x100, F, "completions of what was posted", NULL},
    };
    CHECK(rows);
}

#define BOTH "qp a recv=3\n" SENT " a post SEND len=4\n< a SEND_ONLY\n> a ACKNOWLEDGE psn=+0 msn=1\n"

/* Each queue of a queue pair may have its own completion queue. */
Test(completes, of_other_queues)
{
    static const struct row rows[] = {
        {RC "cq k\nqp a scq=k recv=3\n" SENT " a post SEND len=4\n< a SEND_ONLY\n> a ACKNOWLEDGE psn=+0 msn=1\n"
            " a completion recv\n a completion SEND\n a completions none\n",
         NOTHING, 0, P, NULL, NULL},
        {RC "cq k\nqp a rcq=k recv=3\n" SENT " a post SEND len=4\n< a SEND_ONLY\n> a ACKNOWLEDGE psn=+0 msn=1\n"
            " a completion SEND\n a completion recv\n a completions none\n",
         NOTHING, 0, P, NULL, NULL},
        {RC "cq k\ncq o\nqp a scq=k rcq=o recv=3\n" SENT " a completion recv\n a completions none\n", NOTHING, 0, P,
         NULL, NULL},
    };
    CHECK(rows);
}

/* A line `completions` names how many completions of sends and of receives come; their order does not matter. */
Test(completes, so_many)
{
    static const struct row as_they_came[] = {
        {RC BOTH " a completions send=1 recv=1\n", NOTHING, 0, P, NULL, NULL},
        {RC BOTH " a completions recv=1\n a completions send=1\n", NOTHING, 0, P, NULL, NULL},
        {RC BOTH " a completions recv=1\n a completions recv=1\n", NOTHING, 0, F, "completions send=1 recv=1",
         "completions send=1 recv=0"},
        {RC BOTH " a completions send=2 recv=1\n", NOTHING, 0, F, "completions send=2 recv=1",
         "completions send=1 recv=1"},
        {RC BOTH " a completions send=1 recv=0\n", NOTHING, 0, F, "completions send=1 recv=0",
         "completions send=1 recv=1"},
        {RC BOTH " a completions none\n", NOTHING, 0, F, "no completion", NULL},
        {RC BOTH " a completions send=1 recv=1\n a completions none\n", NOTHING, 0, P, NULL, NULL},
        {RC "qp a recv=1\n a completions none\n", NOTHING, 0, P, NULL, NULL},
        {RC BOTH " a completion recv\n a completion SEND\n a completion recv\n", NOTHING, 0, F, NULL, "no completion"},
        /* more completions than the runner keeps, but each is asked for */
        {RC "qp a\nrepeat 1100\n a recv\n> a SEND_ONLY\n a completion recv\nend\n<* a ACKNOWLEDGE\n", NOTHING, 0, P,
         NULL, NULL},
        {RC "qp a\nrepeat 1100\n a recv\n> a SEND_ONLY\n a completions recv=1\nend\n<* a ACKNOWLEDGE\n", NOTHING, 0, P,
         NULL, NULL},
    };
    static const struct row lost[] = {{RECEIVED(""), NOTHING, 0, F, NULL, "no completion"}};
    static const struct row twice[] = {
        {RECEIVED("") " a completions none\n", NOTHING, 0, F, "no completion", "a completion of a receive, Success"}};

    CHECK(as_they_came);
    completions = -1;
    CHECK(lost);
    completions = 1;
    CHECK(twice);
}

#define DRAINED RC "qp a timeout=0\n a modify state=sqd sqd_notify=1\n a event "

Test(completes, events)
{
    static const struct row rows[] = {{DRAINED "sq_drained\n", NOTHING, 0, P, NULL, NULL},
                                      {DRAINED "comm_established\n", NOTHING, 0, F, NULL, NULL}};
    static const struct row other[] = {{DRAINED "sq_drained\n", NOTHING, 0, F, NULL, NULL}};

    events_left = 1;
    CHECK(rows);
    event_kind = IBA_EVENT_COMM_ESTABLISHED;
    CHECK(other);
    event_kind = 0;
    events_left = 0;
    CHECK(other);
}

#define DRAINS RC "qp a timeout=0\n a modify state=sqd sqd_notify=1\n"

/* A scenario fails if the device reports an event that no line expects. */
Test(completes, no_event)
{
    static const struct row rows[] = {
        {DRAINS " a events none\n", NOTHING, 0, F, "no event", "event Send Queue Drained"},
        {DRAINS " a event sq_drained\n a events none\n", NOTHING, 0, P, NULL, NULL},
        {RC "qp a\n a events none\n", NOTHING, 0, P, NULL, NULL}};

    events_left = 1;
    CHECK(rows);
}

/* The finding names the event that came, of a kind that we know. */
Test(completes, events_by_name)
{
    events_left = 1;
    for (unsigned kind = 1; kind <= IBA_EVENT_COUNT; kind++) {
        struct ibc_target *t = open_changed();
        struct ibc_result r;
        char got[64];
        which = NOTHING;
        changed.poll_event = event_changed;
        event_kind = kind;
        snprintf(got, sizeof got, "event %s", kind < IBA_EVENT_COUNT ? iba_event_name((enum iba_event_kind)kind) : "?");
        r = run_text(t, DRAINS "events none\n", &(struct ibc_options){.seed = 1, .stop_at_first = true});
        cr_expect_eq(r.verdict, F, "kind %u: %s", kind, ibc_verdict_names[r.verdict]);
        cr_expect_str_eq(r.finding.got, got, "kind %u: %s", kind, r.finding.got);
        close_changed(t, &r);
    }
}
