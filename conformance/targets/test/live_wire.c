/* SPDX-License-Identifier: BSD-2-Clause */
/* A live target whose wires fail or lose frames, whose agent answers wrongly or comes back as another one, and what
 * people read about it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "live_bed.h"
#include "held.h"

static struct live_bed *b;
static const struct ibc_target_ops *o;
static const struct ibc_wire_ops *was;
static struct ibc_wire_ops other;
static uint8_t frame[IBC_FRAME];
static size_t len;
static uint64_t at;

static void replies(const char *reply)
{
    (void)snprintf(b->reply, sizeof b->reply, "%s", reply);
}

static void opened(unsigned wires)
{
    cr_assert(live_bed_open(b, wires), "%s", b->err);
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    o = b->t->ops;
    was = b->tester[0]->ops;
    other = *was;
    b->tester[0]->ops = &other;
}

static void begin(void)
{
    b = live_bed_new();
}

static void end(void)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++)
        if (b->tester[d] && b->tester[d]->ops == &other)
            b->tester[d]->ops = was;
    live_bed_free(b);
}

TestSuite(live_wire, .init = begin, .fini = end);

/* ---- agents ---- */

/* An answer that belongs to another request, or that is none, ends the connection. */
Test(live_wire, answers_that_do_not_fit)
{
    static const struct {
        const char *reply, *says;
    } rows[] = {
        {"text:{\"id\":99,\"ok\":{\"pd\":1}}", "agent: asked for create_pd: it answers another request"},
        {"text:{\"ok\":{\"pd\":1}}", "agent: asked for create_pd: it answers another request"},
        {"text:nonsense", "agent: asked for create_pd: create_pd: the answer is no JSON object"},
        {"\"okay\":{}", "agent: asked for create_pd: create_pd: the answer has neither ok nor error, or both"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t pd = 7;
        cr_assert(live_bed_open(b, 1), "%s", b->err);
        replies(rows[i].reply);
        cr_expect_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST);
        cr_expect_str_eq(b->t->fault, rows[i].says, "row %zu: %s", i, b->t->fault);
        cr_expect(pd == 7 && !live_of(b->t)->up && live_of(b->t)->channel.fd == -1, "row %zu", i);
        b->t->ops->close(b->t);
        b->t = NULL;
    }
}

/* An agent that comes back may have another clock than before, and a log. */
Test(live_wire, an_agent_that_comes_back_as_another)
{
    char text[100], *time;
    uint32_t pd;

    opened(1);
    cr_assert(b->t->virtual_time);
    replies(LIVE_BED_UNSUPPORTED);
    cr_expect_eq(o->log(b->t, 0, text, sizeof text), IBC_UNSUPPORTED);
    replies("close");
    cr_expect_eq(o->create_pd(b->t, 0, &pd), IBC_LOST);
    time = strstr(b->hello, "virtual");
    memcpy(time, "real\",", 6);
    memmove(time + 6, time + 9, strlen(time + 9) + 1);
    (void)snprintf(b->t->fault, sizeof b->t->fault, "of the case before");
    (void)snprintf(b->t->refusal, sizeof b->t->refusal, "of the case before");
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    cr_expect_not(b->t->virtual_time);
    cr_expect(b->t->fault[0] == '\0' && b->t->refusal[0] == '\0');
    replies("\"ok\":{\"text\":\"BUG\"}");
    cr_expect(o->log(b->t, 0, text, sizeof text) == IBC_OK && strcmp(text, "BUG") == 0);
}

/* Nothing stays of a target that is closed, or that could not be opened. */
Test(live_wire, nothing_stays)
{
    const unsigned descriptors_before = held_descriptors();
    struct ibc_live q = {.agent = "unix:no/such/socket", .token = "secret"};
    size_t held[HELD_ROUNDS];

    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        b->t = ibc_live_open(&q, b->err, sizeof b->err);
        held[i] = held_bytes();
    }
    cr_assert_null(b->t);
    cr_expect_str_eq(b->err, "agent unix:no/such/socket: No such file or directory");
    held_the_same(held);
    cr_expect_eq(held_descriptors(), descriptors_before);
}

/* ---- wires ---- */

Test(live_wire, a_device_without_a_wire)
{
    opened(1);
    cr_expect_eq(o->inject(b->t, 1, frame, 60), IBC_UNSUPPORTED);
    cr_expect_eq(o->inject(b->t, 0, frame, 60), IBC_OK);
    cr_expect_eq(o->inject(b->t, IBC_DEVICES, frame, 60), IBC_OK, "the first device");
    memset(frame, 0, 60);
    memcpy(frame + 12, "\x89\x15", 2);
    cr_assert(ibc_wire_send(b->device[0], frame, 60));
    cr_expect(o->collect(b->t, IBC_DEVICES, 1000, frame, &len, &at) == IBC_OK && len == 60);
}

static int broken(struct ibc_wire *w, uint8_t *bytes, size_t room, size_t *n, uint64_t *when)
{
    (void)w;
    (void)bytes;
    (void)room;
    *n = 9;
    *when = 9;
    return EIO;
}

Test(live_wire, a_wire_that_breaks)
{
    for (unsigned virtual = 0; virtual < 2; virtual ++) {
        opened(2);
        other.take = broken;
        b->t->virtual_time = virtual;
        b->t->fault[0] = '\0';
        cr_expect_eq(o->collect(b->t, 0, 2000, frame, &len, &at), IBC_BROKEN);
        cr_expect_str_eq(b->t->fault, "wire loop: Input/output error");
        cr_expect_eq(len, 0);
        b->tester[0]->ops = was;
        o->close(b->t);
        b->t = NULL;
    }
}

enum { LOST = 25 }; /* more than LIVE_MOST_MISSED */
static unsigned takes;

/* Loses a frame at each second look, and then has one. */
static int loses(struct ibc_wire *w, uint8_t *bytes, size_t room, size_t *n, uint64_t *when)
{
    (void)w;
    (void)room;
    if (++takes <= 2 * LOST)
        return takes % 2 ? EMSGSIZE : EAGAIN;
    memset(bytes, 0, 60);
    memcpy(bytes + 12, "\x89\x15", 2);
    *n = 60;
    *when = 5;
    return 0;
}

/* Frames that the wire lost itself are not those that the agent did not send. */
Test(live_wire, frames_that_the_wire_lost)
{
    opened(1);
    replies("\"ok\":{\"now\":2000,\"frames\":1}");
    other.take = loses;
    takes = 0;
    cr_expect_eq(o->collect(b->t, 0, 9000, frame, &len, &at), IBC_OK, "%s", b->t->fault);
    cr_expect(len == 60 && at == 2000);
    cr_expect_eq(o->lost(b->t), LOST, "%lu", (unsigned long)o->lost(b->t));
}

/* A reset begins with the first turn again. */
Test(live_wire, turns_after_a_reset)
{
    unsigned from = 7;

    opened(2);
    for (unsigned round = 0; round < 2; round++) {
        memset(frame, 0, 60);
        memcpy(frame + 12, "\x89\x15", 2);
        cr_assert(ibc_wire_send(b->device[0], frame, 60) && ibc_wire_send(b->device[1], frame, 60));
        cr_assert_eq(o->collect_any(b->t, 1000, frame, &len, &at, &from), IBC_OK);
        cr_expect(len == 60 && from == 1, "from %u", from);
        live_bed_reset(b, IBC_LINK_roce2_ipv4);
    }
}

/* ---- for people ---- */

static bool link_is_up;

static void look(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    (void)w;
    p->mtu = 1501;
    p->link = link_is_up;
}

Test(live_wire, what_people_read_about_an_interface)
{
    char text[500];

    opened(1);
    (void)snprintf(b->tester[0]->spec, sizeof b->tester[0]->spec, "afpacket:eth7");
    other.look = look;
    for (unsigned i = 0; i < 2; i++) {
        link_is_up = i;
        ibc_live_describe(b->t, text, sizeof text);
        cr_expect(strstr(text, i ? " by afpacket:eth7 (MTU 1501, link up): 0 frames sent"
                                 : " by afpacket:eth7 (MTU 1501, link down): 0 frames sent"),
                  "%s", text);
        cr_expect(strstr(text, " or another port at the device (tcpdump shows what comes), or the tester's address"),
                  "%s", text);
    }
}
