/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios of subnet managers against a target that only notes what it is asked: the settings of managers and
 * partitions, and how long a line waits for what a manager must do. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

#define HEAD                                                                                                           \
    "title a test\nspec MD-108\nrole sm\nswitch s ports=3\nadapter a ports=1\nadapter b ports=1\nadapter c ports=2\n"  \
    "cable one s.1 a.1\ncable two s.2 b.1\ncable three s.3 c.1\n"
#define ONE HEAD "manager sm at=a.1\n"
enum { S0, S1, S2, S3, A0, A1, B0, B1, C0, C1, C2 }; /* ends, in the order of nodes and ports */
static const uint64_t ms = 1000000;

static struct {
    uint64_t begun, now;
    struct ibc_fabric fabric;
    struct ibc_manager manager[IBC_MANAGERS];
    char did[128];      /* "start 0, stop 1" */
    uint64_t good_from; /* time from which the subnet is as a line wants it */
    unsigned looks;     /* at the subnet */
    unsigned end;       /* that was read last */
    uint64_t sent[16];  /* times of packets */
    unsigned n_sent, sent_by;
    uint8_t answer[IBA_MGMT_BYTES]; /* a packet that arrives, unless `answer_at` is 0 */
    uint64_t answer_at;
    unsigned answer_end;
    uint64_t waits; /* for a processor, in each ms */
} fake;

static uint64_t fake_now(struct ibc_target *t)
{
    (void)t;
    return fake.now;
}

static uint64_t fake_capabilities(struct ibc_target *t)
{
    return whole->capabilities(t) | UINT64_C(1) << IBC_CAP_sm;
}

static enum ibc_rc fake_open(struct ibc_target *t, const struct ibc_fabric *f)
{
    (void)t;
    fake.fabric = *f;
    return IBC_OK;
}

static void did(const char *what, unsigned number)
{
    const size_t n = strlen(fake.did);

    (void)snprintf(fake.did + n, sizeof fake.did - n, "%s%s %u", n ? ", " : "", what, number);
}

static enum ibc_rc fake_start(struct ibc_target *t, unsigned number, const struct ibc_manager *m)
{
    (void)t;
    did("start", number);
    fake.manager[number] = *m;
    return IBC_OK;
}

static enum ibc_rc fake_stop(struct ibc_target *t, unsigned number)
{
    (void)t;
    did("stop", number);
    return IBC_OK;
}

static uint64_t fake_waited(struct ibc_target *t)
{
    (void)t;
    return 77 * ms + fake.now / ms * fake.waits;
}

static enum ibc_rc fake_read(struct ibc_target *t, unsigned end, uint8_t mad[IBA_MAD_BYTES])
{
    enum { DATA = 64 };

    (void)t;
    fake.looks++;
    fake.end = end;
    iba_madhdr_set_method(mad, IBA_METHOD_GET_RESP);
    memset(mad + DATA, 0, DATA);
    iba_portinfo_set_lid(mad + DATA, fake.now >= fake.good_from ? 5 : 3);
    return IBC_OK;
}

static bool fake_check(struct ibc_target *t, enum ibc_check check, char *got, size_t n)
{
    (void)t;
    fake.looks++;
    (void)snprintf(got, n, "check %u fails", (unsigned)check);
    return fake.now >= fake.good_from;
}

static enum ibc_rc fake_inject(struct ibc_target *t, unsigned end, const uint8_t *frame, size_t len)
{
    (void)t;
    (void)frame;
    (void)len;
    cr_assert_lt(fake.n_sent, 16);
    fake.sent[fake.n_sent++] = fake.now;
    fake.sent_by = end;
    return IBC_OK;
}

static enum ibc_rc fake_collect(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                                uint64_t *at, unsigned *from)
{
    const bool comes = fake.answer_at && fake.answer_at <= until;
    const uint64_t to = comes ? fake.answer_at : until;

    (void)t;
    fake.now = to > fake.now ? to : fake.now;
    *len = comes ? sizeof fake.answer : 0;
    *at = fake.now;
    *from = fake.answer_end;
    if (!comes)
        return IBC_OK;
    memcpy(frame, fake.answer, sizeof fake.answer);
    fake.answer_at = 0;
    return IBC_OK;
}

static struct ibc_target *opened(void)
{
    struct ibc_target *t = open_changed();

    memset(&fake, 0, sizeof fake);
    fake.now = fake.begun = 5000 * ms;
    changed.now = fake_now;
    changed.capabilities = fake_capabilities;
    changed.fabric_open = fake_open;
    changed.manager_start = fake_start;
    changed.manager_stop = fake_stop;
    changed.managers_waited = fake_waited;
    changed.fabric_read = fake_read;
    changed.fabric_check = fake_check;
    changed.inject = fake_inject;
    changed.collect_any = fake_collect;
    return t;
}

static struct ibc_result play(struct ibc_target *t, const char *text)
{
    return run_text(t, text, &(struct ibc_options){.seed = 1, .link = IBC_LINK_ib_local, .stop_at_first = true});
}

static void passes(struct ibc_target *t, const char *text)
{
    struct ibc_result r = play(t, text);

    cr_expect_eq(r.verdict, IBC_IS_PASS, "%s: %s, %s, not %s", text, ibc_verdict_names[r.verdict], r.finding.got,
                 r.finding.expected);
    close_changed(t, &r);
}

/* ---- managers and partitions ---- */

Test(manager, settings)
{
    passes(opened(), HEAD "manager sm at=a.1\nmanager other at=c.2 priority=3 lmc=1 mkey=0x1234 protect=2 lease=9 "
                          "sweep=3s poll=250ms\n  other start\n  sm start\n  other stop\n  sm stop\n");
    const struct ibc_manager *m = fake.manager;
    cr_expect_str_eq(fake.did, "start 1, start 0, stop 1, stop 0");
    cr_expect(m[0].node == 1 && m[1].node == 3, "%u and %u", m[0].node, m[1].node);
    cr_expect(m[0].priority == IBC_UNSAID && m[0].lmc == IBC_UNSAID && m[0].protect == IBC_UNSAID);
    cr_expect(m[0].lease == IBC_UNSAID && m[0].mkey == 0 && m[0].sweep == 0 && m[0].poll == 0);
    cr_expect(m[1].priority == 3 && m[1].lmc == 1 && m[1].protect == 2 && m[1].lease == 9);
    cr_expect(m[1].mkey == 0x1234 && m[1].sweep == 3000 * ms && m[1].poll == 250 * ms);
    cr_expect(fake.fabric.unmanaged && fake.fabric.n_node == 4 && fake.fabric.n_end == C2 + 1);
    cr_expect_eq(fake.fabric.n_partition, 0);
    cr_expect_eq(fake.now, fake.begun, "none of it takes time");
}

Test(manager, partitions)
{
    passes(opened(),
           ONE "partition five pkey=5 full=a.1 limited=c.2\npartition six pkey=0x7ffe limited=b.1\n  sm start\n");
    const struct ibc_partition *p = fake.fabric.partition;
    cr_expect_eq(fake.fabric.n_partition, 2);
    cr_expect(p[0].pkey == 5 && p[0].n == 2 && p[1].pkey == 0x7ffe && p[1].n == 1);
    cr_expect(p[0].member[0].node == 1 && p[0].member[0].port == 1 && p[0].member[0].full);
    cr_expect(p[0].member[1].node == 3 && p[0].member[1].port == 2 && !p[0].member[1].full);
    cr_expect(p[1].member[0].node == 2 && p[1].member[0].port == 1 && !p[1].member[0].full);
}

/* Lists of partitions, members and managers have limits. */
Test(manager, too_many)
{
    static const struct {
        const char *what;
        unsigned most;
        const char *says;
    } rows[] = {{"partition p%u pkey=%u full=a.1\n", IBC_PARTITIONS, "too many partitions or members"},
                {" full=a.1", IBC_MEMBERS, "too many partitions or members"},
                {"manager m%u at=a.1\n", IBC_MANAGERS, "too many managers"}};

    for (unsigned i = 0; i < 3; i++)
        for (unsigned over = 0; over < 2; over++) {
            char text[1024] = HEAD;
            size_t n = strlen(text);
            if (i == 1)
                n += (size_t)snprintf(text + n, sizeof text - n, "partition p pkey=5");
            for (unsigned k = 0; k < rows[i].most + over; k++)
                n += (size_t)snprintf(text + n, sizeof text - n, rows[i].what, k, k + 1);
            if (i < 2)
                n += (size_t)snprintf(text + n, sizeof text - n, "\nmanager sm at=a.1\n");
            (void)snprintf(text + n, sizeof text - n, "  subnet active\n");
            struct ibc_target *t = opened();
            struct ibc_result r = play(t, text);
            cr_expect_eq(r.verdict, over ? IBC_IS_ERROR : IBC_IS_PASS, "%s: %s", text, r.finding.got);
            if (over)
                cr_expect_str_eq(r.finding.got, rows[i].says, "%s", r.finding.got);
            close_changed(t, &r);
        }
}

/* ---- time limits ---- */

/* A line looks at the subnet every 10 ms, and for the last time when its limit is over, which is 10 s if it names
 * none. */
Test(manager, how_long_a_line_waits)
{
    static const struct {
        const char *line;
        uint64_t good_after, ends_after; /* ms */
        unsigned looks;
        bool passes;
    } rows[] = {
        {"  subnet active\n", 0, 0, 1, true},
        {"  subnet active\n", 1, 10, 2, true},
        {"  subnet active\n", 10, 10, 2, true},
        {"  subnet active\n", 11, 20, 3, true},
        {"  subnet active\n", 10000, 10000, 1001, true},
        {"  subnet active\n", 10001, 10000, 1001, false},
        {"  subnet active within=25ms\n", 25, 25, 4, true},
        {"  subnet active within=25ms\n", 26, 25, 4, false},
        {"  subnet active within=20s\n", 15000, 15000, 1501, true},
        {"  a.1 has PortInfo lid=5\n", 0, 0, 1, true},
        {"  a.1 has PortInfo lid=5\n", 31, 40, 5, true},
        {"  a.1 has PortInfo lid=5\n", 10001, 10000, 1001, false},
        {"  a.1 has PortInfo lid=5 within=15ms\n", 15, 15, 3, true},
        {"  a.1 has PortInfo lid=5 within=15ms\n", 16, 15, 3, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct ibc_target *t = opened();
        fake.good_from = fake.begun + rows[i].good_after * ms;
        (void)snprintf(text, sizeof text, "%s%s", ONE, rows[i].line);
        struct ibc_result r = play(t, text);
        cr_expect_eq(r.verdict, rows[i].passes ? IBC_IS_PASS : IBC_IS_FAIL, "row %zu: %s, %s", i,
                     ibc_verdict_names[r.verdict], r.finding.got);
        cr_expect_eq(fake.now - fake.begun, rows[i].ends_after * ms, "row %zu: %" PRIu64, i,
                     (fake.now - fake.begun) / ms);
        cr_expect_eq(fake.looks, rows[i].looks, "row %zu: %u", i, fake.looks);
        close_changed(t, &r);
    }
}

Test(manager, what_differs)
{
    static const struct {
        const char *line, *expected, *got;
    } rows[] = {
        {"  subnet lids within=1ms\n",
         "each adapter port and switch has LIDs of its own, in a row that begins at a multiple of 2^LMC",
         "check 0 fails"},
        {"  subnet active within=1ms\n", "both ports of each cable are Active", "check 1 fails"},
        {"  subnet routed within=1ms\n", "a data packet from each adapter port to each LID of each other one arrives",
         "check 2 fails"},
        {"  c.2 has PortInfo lid=5 within=1ms\n", "lid 5", "lid 3"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        struct ibc_target *t = opened();
        fake.good_from = UINT64_MAX;
        (void)snprintf(text, sizeof text, "%s%s", ONE, rows[i].line);
        struct ibc_result r = play(t, text);
        cr_expect_eq(r.verdict, IBC_IS_FAIL, "row %zu", i);
        cr_expect_str_eq(r.finding.expected, rows[i].expected, "%s", r.finding.expected);
        cr_expect_str_eq(r.finding.got, rows[i].got, "%s", r.finding.got);
        if (i == 3)
            cr_expect_eq(fake.end, C2, "end %u", fake.end);
        close_changed(t, &r);
    }
}

/* A manager that had no processor for more than a quarter of the time is not blamed. */
Test(manager, without_a_processor)
{
    static const struct {
        unsigned per_mille;
        enum ibc_verdict verdict;
    } rows[] = {{0, IBC_IS_FAIL}, {250, IBC_IS_FAIL}, {251, IBC_IS_INCONCLUSIVE}, {900, IBC_IS_INCONCLUSIVE}};
    static const char *const lines[] = {"  subnet active\n", "  a.1 has PortInfo lid=5\n", "  b.1 gets SET SMInfo\n"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < 3; k++) {
            char text[512], says[96];
            struct ibc_target *t = opened();
            fake.good_from = UINT64_MAX;
            fake.waits = rows[i].per_mille * ms / 1000;
            (void)snprintf(text, sizeof text, "%s%s", ONE, lines[k]);
            struct ibc_result r = play(t, text);
            cr_expect_eq(r.verdict, rows[i].verdict, "%u per mille: %s", rows[i].per_mille,
                         ibc_verdict_names[r.verdict]);
            (void)snprintf(says, sizeof says, "the manager waited %u ms for a processor", 10 * rows[i].per_mille);
            if (rows[i].verdict == IBC_IS_INCONCLUSIVE)
                cr_expect(strstr(r.measured, says) || strstr(r.finding.got, says), "%s, %s", r.measured, r.finding.got);
            close_changed(t, &r);
        }
}

/* ---- datagrams ---- */

/* A datagram with this method and attribute arrives there, so many ms after the beginning. */
static void answers(unsigned end, uint8_t method, uint16_t attribute, uint64_t after)
{
    const struct iba_mgmt_to to = {.dlid = 5, .slid = 4, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {1, 1, 1, method, [22] = 0, [23] = 1};

    iba_madhdr_set_attributeid(mad, attribute);
    cr_assert_eq(iba_mgmt_build(fake.answer, &to, 15, mad), sizeof fake.answer);
    fake.answer_at = fake.begun + after * ms;
    fake.answer_end = end;
}

Test(manager, a_datagram_comes)
{
    static const struct {
        unsigned end;
        uint8_t method;
        uint16_t attribute;
        uint64_t after;
        bool passes;
    } rows[] = {{B1, 2, 0x20, 5, true},  {B1, 2, 0x20, 10000, true}, {B1, 2, 0x20, 10001, false},
                {B1, 1, 0x20, 5, false}, {B1, 2, 0x15, 5, false},    {A1, 2, 0x20, 5, false},
                {B0, 2, 0x20, 5, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = opened();
        answers(rows[i].end, rows[i].method, rows[i].attribute, rows[i].after);
        struct ibc_result r = play(t, ONE "  b.1 gets SET SMInfo modifier=1\n");
        cr_expect_eq(r.verdict, rows[i].passes ? IBC_IS_PASS : IBC_IS_FAIL, "row %zu: %s: %s, not %s", i,
                     ibc_verdict_names[r.verdict], r.finding.got, r.finding.expected);
        if (i == 5)
            cr_expect_str_eq(r.finding.got, "no such datagram");
        cr_expect_eq(fake.n_sent, 0, "nobody asked");
        close_changed(t, &r);
    }
}

/* A request without an answer is sent again every two seconds. */
Test(manager, requests_are_repeated)
{
    struct ibc_target *t = opened();
    struct ibc_result r = play(t, ONE "> b.0 GET SMInfo lrh.dlid=5\n  b.0 gets GET_RESP SMInfo within=7s\n");

    cr_expect_eq(r.verdict, IBC_IS_FAIL, "%s", ibc_verdict_names[r.verdict]);
    cr_expect_eq(fake.n_sent, 4, "%u", fake.n_sent);
    for (unsigned i = 0; i < fake.n_sent; i++)
        cr_expect_eq(fake.sent[i] - fake.begun, 2000 * i * ms, "%u: %" PRIu64, i, (fake.sent[i] - fake.begun) / ms);
    cr_expect_eq(fake.sent_by, B0);
    close_changed(t, &r);
    t = opened();
    r = play(t, ONE "> b.0 GET SMInfo lrh.dlid=5\n  b.0 gets SET SMInfo within=7s\n");
    cr_expect_eq(fake.n_sent, 1, "only lines that wait for the answer send it again");
    close_changed(t, &r);
}
