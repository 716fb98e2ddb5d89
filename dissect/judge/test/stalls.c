/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes without credits. The credits of lanes are what each test says, since two functions of track/ are replaced:
 * senders 0 and 1 are the two ends of a cable, sender 2 has no known neighbour. */
#include "judge/stalls.h"
#include <criterion/criterion.h>
#include <string.h>
#include "mad/iba_mad.h"
#include "fabric/iba_node.h"

enum { UNKNOWN = -1, SENDERS = 3 };

static struct stalls stalls;
static struct fabric fabric;
static int credits[SENDERS][FABRIC_LANES];
static uint64_t frame;

bool fabric_credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left)
{
    const int is = credits[s - f->sender][vl];

    *left = is == UNKNOWN ? 0 : (unsigned)is;
    return is != UNKNOWN;
}

const struct fabric_sender *fabric_neighbour(const struct fabric *f, const struct fabric_sender *s)
{
    const size_t i = (size_t)(s - f->sender);

    return i < 2 ? &f->sender[1 - i] : NULL;
}

static void take(unsigned sender, const uint8_t *bytes, size_t n, enum iba_link link, iba_time at)
{
    struct packet p = {.number = ++frame};
    const struct iba_obs_mark now = {frame, 1000 + frame, at};

    (void)iba_view_parse(&p.view, link, bytes, n, n, NULL);
    iba_view_check(&p.view);
    stalls_packet(&stalls, &fabric, &fabric.sender[sender], &now, &p);
}

/* The sender sends a packet of data. */
static void data(unsigned sender, unsigned vl, iba_time at)
{
    static const uint8_t mad[IBA_MAD_BYTES];
    uint8_t bytes[IBA_MGMT_BYTES];
    const struct iba_mgmt_to to = {.dlid = 9, .slid = 1, .dqp = 77, .sqp = 77, .psn = 1, .pkey = 0xffff};

    take(sender, bytes, iba_mgmt_build(bytes, &to, (uint8_t)vl, mad), IBA_LINK_IB, at);
}

/* The sender announces how much it has sent and may receive. op: 0 and 1 are the normal and the first announcement. */
static void flow(unsigned sender, unsigned vl, unsigned op, iba_time at)
{
    uint8_t bytes[IBA_BYTES_fc] = {0};

    iba_fc_set_op(bytes, op);
    iba_fc_set_vl(bytes, vl);
    iba_put_le16(bytes + IBA_BYTES_fc - 2, iba_lpcrc(bytes));
    take(sender, bytes, sizeof bytes, IBA_LINK_IB, at);
}

static void begin(void)
{
    memset(&stalls, 0, sizeof stalls);
    frame = 0;
    for (unsigned s = 0; s < SENDERS; s++)
        for (unsigned vl = 0; vl < FABRIC_LANES; vl++)
            credits[s][vl] = 0;
}
TestSuite(stalls, .init = begin);

/* The frame that last refused so many blocks to the lane of sender 0; 0: none. *since: changed as stalls_of() does. */
static uint64_t refused(unsigned vl, unsigned blocks, iba_time *since)
{
    const struct iba_obs_mark *m = stalls_of(&stalls, &fabric, &fabric.sender[0], vl, blocks, since);

    cr_assert(!m || m->tag == 1000 + m->frame);
    return m ? m->frame : 0;
}

static uint64_t refused_of(unsigned vl, unsigned blocks)
{
    iba_time since = 0;

    return refused(vl, blocks, &since);
}

/* Frames: 1 data, 2 refusal, 3 grant of 5, 4 grant of 7, 5 the same. */
static void wait_for_credits(unsigned vl)
{
    data(0, vl, 100);
    flow(1, vl, 0, 200);
    credits[0][vl] = 5;
    flow(1, vl, 0, 300);
}

Test(stalls, the_last_refusal)
{
    iba_time since = 50;

    wait_for_credits(3);
    cr_expect_eq(refused(3, 5, &since), 2);
    cr_expect_eq(since, 100, "the packet before left then");
    since = 150;
    cr_expect_eq(refused(3, 1, &since), 2);
    cr_expect_eq(since, 150);
    cr_expect_eq(refused_of(3, 0), 0);
    cr_expect_eq(refused_of(2, 5), 0, "another lane");
    const struct iba_obs_mark *m = stalls_of(&stalls, &fabric, &fabric.sender[0], 3, 5, &since);
    cr_expect(m && m->at == 200);
}

Test(stalls, steps)
{
    wait_for_credits(0);
    credits[0][0] = 7;
    flow(1, 0, 0, 400);
    cr_expect_eq(refused_of(0, 6), 3);
    cr_expect_eq(refused_of(0, 5), 0, "it granted that much");
    flow(1, 0, 0, 500); /* no more than before */
    cr_expect_eq(refused_of(0, 6), 3);
    credits[0][0] = 8;
    flow(1, 0, 1, 600);
    cr_expect_eq(refused_of(0, 8), 5, "the last of those that granted 7");
    cr_expect_eq(refused_of(0, 7), 0);
}

/* Each of these begins the record of the lane again: nothing has refused since. */
Test(stalls, what_begins_anew)
{
    enum { DATA, FEWER, UNKNOWN_NOW, TOO_MANY, OWN, WAYS };

    for (unsigned way = 0; way < WAYS; way++) {
        begin();
        wait_for_credits(0);
        credits[0][0] = way == FEWER || way == OWN ? 4 : way == UNKNOWN_NOW ? UNKNOWN : 5;
        if (way == TOO_MANY)
            credits[0][0] = FABRIC_CREDITS_MOST + 1; /* the port sent more than it may */
        if (way == DATA)
            data(0, 0, 400);
        else
            flow(way == OWN ? 0 : 1, 0, 0, 400);
        cr_expect_eq(refused_of(0, 5), 0, "way %u", way);
        const int now = way == UNKNOWN_NOW || way == TOO_MANY ? 0 : credits[0][0];
        credits[0][0] = now;
        flow(1, 0, 0, 500);
        credits[0][0] = now + 5;
        flow(1, 0, 0, 600);
        iba_time since = 0;
        cr_expect_eq(refused(0, (unsigned)now + 5, &since), 5, "way %u", way);
        cr_expect_eq(since, way == UNKNOWN_NOW || way == TOO_MANY ? 500 : 400, "way %u", way);
    }
}

/* None of these touches the record of the lane. */
Test(stalls, what_goes_on)
{
    static const uint8_t ethernet[64] = {[12] = 8};
    enum { OWN, OTHER_LANE, OTHER_PORT, RESERVED, VL15, NO_LANE, OTHER_LINK, WAYS };

    for (unsigned way = 0; way < WAYS; way++) {
        begin();
        wait_for_credits(0);
        credits[0][1] = way == OTHER_LANE ? 9 : 0;
        if (way == OWN)
            flow(0, 0, 0, 400); /* it still has the same credits */
        else if (way == OTHER_LANE)
            data(0, 1, 400);
        else if (way == OTHER_PORT)
            data(2, 0, 400);
        else if (way == NO_LANE)
            data(0, 15, 400);
        else if (way == OTHER_LINK)
            take(0, ethernet, sizeof ethernet, IBA_LINK_ETHERNET, 400);
        else
            flow(1, way == VL15 ? 15 : 0, way == RESERVED ? 2 : 0, 400);
        iba_time since = 0;
        cr_expect_eq(refused(0, 5, &since), 2, "way %u", way);
        cr_expect_eq(since, 100, "way %u", way);
    }
}

/* Lanes whose credits were never known, or are the most that there may be. */
Test(stalls, bounds)
{
    credits[0][0] = UNKNOWN;
    data(0, 0, 100);
    flow(1, 0, 0, 200);
    cr_expect_eq(refused_of(0, 5), 0);
    credits[0][0] = FABRIC_CREDITS_MOST - 1;
    flow(1, 0, 0, 300);
    cr_expect_eq(refused_of(0, FABRIC_CREDITS_MOST), 0, "nothing was granted since");
    credits[0][0] = FABRIC_CREDITS_MOST;
    flow(1, 0, 0, 400);
    cr_expect_eq(refused_of(0, FABRIC_CREDITS_MOST), 3);
    cr_expect_eq(refused_of(14, 1), 0);
    flow(2, 0, 0, 500); /* its neighbour is not known */
    cr_expect_eq(refused_of(0, FABRIC_CREDITS_MOST), 3);
    flow(1, 14, 0, 600);
    credits[0][14] = 1;
    flow(1, 14, 0, 700);
    cr_expect_eq(refused_of(14, 1), 6, "the last lane");
}
