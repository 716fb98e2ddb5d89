/* SPDX-License-Identifier: BSD-2-Clause */
/* A live target: greeting an agent, its reset, agents that come back or break the protocol, virtual time, and the
 * frames of two wires. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../live_inside.h"
#include "../wire_neighbour.h"
#include "live_bed.h"

static const uint64_t ms = 1000000;
static struct live_bed *b;
static uint8_t frame[IBC_FRAME], got[IBC_FRAME];

static void begin(void)
{
    b = live_bed_new();
}

static void end(void)
{
    live_bed_free(b);
}

static void opened(void)
{
    cr_assert(live_bed_open(b, 2), "%s", b->err);
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
}

static void replies(const char *reply)
{
    (void)snprintf(b->reply, sizeof b->reply, "%s", reply);
}

/* ---- the greeting ---- */

#define HELLO(version, devices, links, more)                                                                           \
    "\"ok\":{\"version\":" version ",\"name\":\"bed\",\"devices\":" devices ",\"links\":[" links                       \
    "],\"capabilities\":[\"rc\"],\"time\":\"real\",\"limits\":{\"line\":65536,\"bytes\":1024}" more "}"

/* Eight answers to an earlier tester are skipped, the ninth is not. */
#define OTHER "{\"id\":99,\"error\":\"unsupported\",\"text\":\"\"}"
#define OTHERS OTHER "\n" OTHER "\n" OTHER

Test(live, agents_that_are_not_accepted, .init = begin, .fini = end)
{
    static const struct {
        const char *hello, *probe, *says;
    } rows[] = {
        {HELLO("2", "1", "\"roce1\"", ""), LIVE_BED_UNSUPPORTED, "it speaks version 2 of the protocol, we speak 1"},
        {HELLO("1", "0", "\"roce1\"", ""), LIVE_BED_UNSUPPORTED, "it says that it has 0 devices; 1 or 2 can be tested"},
        {HELLO("1", "3", "\"roce1\"", ""), LIVE_BED_UNSUPPORTED, "it says that it has 3 devices; 1 or 2 can be tested"},
        {HELLO("1", "1", "", ""), LIVE_BED_UNSUPPORTED, "none of its links goes over the wire loop"},
        {"\"error\":\"bad_token\",\"text\":\"not that\"", LIVE_BED_UNSUPPORTED, "hello: bad_token: not that"},
        {HELLO("1", "1", "\"roce1\"", ""), "\"ok\":{}",
         "it does a verb that cannot exist, where it should say unsupported"},
        {HELLO("1", "1", "\"roce1\"", ""), "\"error\":\"fault\",\"text\":\"\"",
         "asked for a verb that cannot exist: it says fault, not unsupported"},
        {HELLO("1", "1", "\"roce1\"", ""), "close", "asked for no_such_verb: it hung up"},
        {"close", LIVE_BED_UNSUPPORTED, "asked for hello: it hung up"},
        {"text:" OTHERS "\n" OTHERS "\n" OTHERS, LIVE_BED_UNSUPPORTED, "asked for hello: it answers another request"},
        {"text:{\"id\":null,\"error\":\"unsupported\",\"text\":\"\"}", LIVE_BED_UNSUPPORTED,
         "asked for hello: it answers another request"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char says[300];
        (void)snprintf(b->hello, sizeof b->hello, "%s", rows[i].hello);
        (void)snprintf(b->probe, sizeof b->probe, "%s", rows[i].probe);
        cr_expect_not(live_bed_open(b, 1), "row %zu", i);
        (void)snprintf(says, sizeof says, "agent %s: %s", b->o.agent, rows[i].says);
        cr_expect_str_eq(b->err, says, "row %zu: %s", i, b->err);
    }
    (void)snprintf(b->hello, sizeof b->hello, "%s", HELLO("1", "1", "\"roce1\"", ""));
    (void)snprintf(b->probe, sizeof b->probe, "%s", LIVE_BED_UNSUPPORTED);
    b->o.token = "secret";
    cr_assert(live_bed_open(b, 1), "%s", b->err);
    cr_expect_str_eq(b->asked, "\"do\":\"hello\",\"version\":1,\"token\":\"secret\"}\n", "%s", b->asked);
    cr_expect_str_eq(ibc_live_name(b->t), "bed");
    cr_expect_not(b->t->virtual_time);
}

Test(live, an_agent_that_says_nothing, .init = begin, .fini = end)
{
    const uint64_t begun = ibc_wire_clock();

    b->hello[0] = '\0';
    b->o.time_scale = 0.05; /* of 5 s */
    cr_expect_not(live_bed_open(b, 1));
    cr_expect_not_null(strstr(b->err, "asked for hello: no answer in time"), "%s", b->err);
    cr_expect_geq(ibc_wire_clock() - begun, 250 * ms);
}

/* Without a scale the limits of time are those of a device at its full speed. */
Test(live, limits_without_a_scale, .init = begin, .fini = end)
{
    uint32_t pd;

    b->o.time_scale = 0;
    opened();
    replies("\"ok\":{\"pd\":3}");
    cr_expect(b->t->ops->create_pd(b->t, 0, &pd) == IBC_OK && pd == 3, "%s", b->t->fault);
}

/* Capabilities of two devices need a wire to each of them. */
Test(live, capabilities, .init = begin, .fini = end)
{
    static const char has[] =
        "\"ok\":{\"version\":1,\"name\":\"bed\",\"devices\":%s,\"links\":[\"roce1\",\"ib-local\",\"ib-global\"],"
        "\"capabilities\":[\"rc\",\"two_devices\",\"fabric\",\"pieces\",\"rd\",\"tags\"],\"time\":\"real\","
        "\"limits\":{\"line\":65536,\"bytes\":1024}}";
    static const struct {
        const char *devices;
        unsigned wires;
        bool two;
    } rows[] = {{"1", 1, false}, {"2", 1, false}, {"1", 2, false}, {"2", 2, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(b->hello, sizeof b->hello, has, rows[i].devices);
        b->o.wire[1] = rows[i].wires > 1 ? b->tester[1] : NULL;
        cr_assert(live_bed_open(b, rows[i].wires), "%s", b->err);
        cr_expect_eq(b->t->ops->capabilities(b->t),
                     UINT64_C(1) << IBC_CAP_rc | (rows[i].two ? UINT64_C(1) << IBC_CAP_two_devices : 0), "row %zu", i);
        cr_expect_eq(b->t->ops->links(b->t), 1u << IBC_LINK_roce1 | 1u << IBC_LINK_ib_local | 1u << IBC_LINK_ib_global);
        b->t->ops->close(b->t);
        b->t = NULL;
    }
    struct ibc_wire_ops ethernet = *b->tester[0]->ops; /* an interface carries no native InfiniBand */
    const struct ibc_wire_ops *was = b->tester[0]->ops;
    ethernet.infiniband = false;
    b->tester[0]->ops = &ethernet;
    cr_assert(live_bed_open(b, 1), "%s", b->err);
    cr_expect_eq(b->t->ops->links(b->t), 1u << IBC_LINK_roce1);
    cr_expect_eq(b->t->ops->reset(b->t, IBC_LINK_ib_local, 1), IBC_UNSUPPORTED);
    b->tester[0]->ops = was;
}

/* ---- reset ---- */

Test(live, reset, .init = begin, .fini = end)
{
    struct ibc_target *t;

    cr_assert(live_bed_open(b, 2), "%s", b->err);
    t = b->t;
    t->slowest = 5;
    t->slow_verb = "x";
    live_bed_reset(b, IBC_LINK_ib_local);
    cr_expect_str_eq(b->asked, "\"do\":\"reset\",\"link\":\"ib-local\",\"seed\":77}\n", "%s", b->asked);
    cr_expect(t->framing == IBA_LINK_IB && t->ops->now(t) == 1000 && t->slowest == 0 && !t->slow_verb);
    cr_expect(t->tester.mac == 0x020000000003 && t->stranger.lid == 4 && t->device[1].ipv4 == 0xc0000202);
    cr_expect_eq(t->second[0].mac, 0);
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    cr_expect_eq(t->framing, IBA_LINK_ETHERNET);
    cr_expect_eq(t->ops->reset(t, IBC_LINK_roce1, 1), IBC_UNSUPPORTED);
    replies("\"error\":\"dead\",\"text\":\"gone\"");
    cr_expect_eq(t->ops->reset(t, IBC_LINK_roce2_ipv4, 1), IBC_DEAD);
    replies("\"ok\":{\"now\":1,\"device\":[{\"mac\":\"02:00:00:00:00:01\"}],\"stranger\":{},\"tester\":{}}");
    cr_expect_eq(t->ops->reset(t, IBC_LINK_roce2_ipv4, 1), IBC_LOST);
    cr_expect_str_eq(t->fault, "agent: reset: it gives no address of each device");
    replies("\"ok\":{\"now\":1,\"device\":[{\"mac\":\"02:00:00:00:00:01\"},{}],\"second\":[{\"lid\":9}],\"stranger\":{}"
            ",\"tester\":{}}");
    cr_expect_eq(t->ops->reset(t, IBC_LINK_roce2_ipv4, 1), IBC_BROKEN);
    cr_expect_str_eq(t->fault, "the agent's address of the tester, 00:00:00:00:00:00, is zero");
    cr_expect(t->second[0].lid == 9 && t->second[1].lid == 0 && t->device[1].mac == 0);
}

/* Frames of an earlier case are dropped by a reset. */
Test(live, old_frames_are_dropped, .init = begin, .fini = end)
{
    uint64_t at;
    size_t len;

    opened();
    memset(frame, 0x11, 60);
    cr_assert(ibc_wire_send(b->device[0], frame, 60) && ibc_wire_send(b->device[1], frame, 60));
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    replies("\"ok\":{\"now\":2000,\"frames\":0}");
    for (unsigned d = 0; d < 2; d++)
        cr_expect(b->t->ops->collect(b->t, d, 2000, got, &len, &at) == IBC_OK && len == 0);
}

/* ---- agents that are lost ---- */

Test(live, contact, .init = begin, .fini = end)
{
    static const struct {
        const char *boot, *later, *log;
        enum ibc_contact is;
    } rows[] = {
        {"", "", LIVE_BED_UNSUPPORTED, IBC_CONTACT_UNKNOWN},
        {",\"boot\":\"a\"", "", LIVE_BED_UNSUPPORTED, IBC_CONTACT_UNKNOWN},
        {"", ",\"boot\":\"a\"", LIVE_BED_UNSUPPORTED, IBC_CONTACT_UNKNOWN},
        {",\"boot\":\"a\"", ",\"boot\":\"a\"", LIVE_BED_UNSUPPORTED, IBC_CONTACT_SAME},
        {",\"boot\":\"a\"", ",\"boot\":\"b\"", LIVE_BED_UNSUPPORTED, IBC_CONTACT_REBOOT},
        {",\"boot\":\"a\"", ",\"boot\":\"a\"", "\"ok\":{\"text\":\"BUG\"}", IBC_CONTACT_LOG},
        {",\"boot\":\"a\"", ",\"boot\":\"a\"", "\"ok\":{}", IBC_CONTACT_SAME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100] = "x";
        uint32_t pd;
        (void)snprintf(b->hello, sizeof b->hello, "%.*s%s}", (int)strlen(LIVE_BED_HELLO) - 1, LIVE_BED_HELLO,
                       rows[i].boot);
        opened();
        replies("close");
        cr_expect_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST);
        cr_expect_str_eq(b->t->fault, "agent: asked for create_pd: it hung up");
        cr_expect_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST, "it is not asked again");
        cr_expect_eq(b->t->ops->inject(b->t, 0, frame, 60), IBC_LOST);
        (void)snprintf(b->hello, sizeof b->hello, "%.*s%s}", (int)strlen(LIVE_BED_HELLO) - 1, LIVE_BED_HELLO,
                       rows[i].later);
        replies(rows[i].log);
        cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), rows[i].is, "row %zu", i);
        cr_expect_str_eq(b->t->fault, "agent: asked for create_pd: it hung up", "the reason stays");
        cr_expect_str_eq(text, rows[i].is == IBC_CONTACT_LOG ? "BUG" : "");
        live_bed_reset(b, IBC_LINK_roce2_ipv4);
        b->t->ops->close(b->t);
        b->t = NULL;
    }
}

/* The target waits for an agent that stays away, unless it is in a hurry; having waited once, it waits no more. */
Test(live, an_agent_that_stays_away, .init = begin, .fini = end)
{
    uint64_t begun;
    uint32_t pd;
    char text[100];

    opened();
    live_of(b->t)->o.time_scale = 0.01; /* of 100 s */
    replies("close");
    (void)snprintf(b->hello, sizeof b->hello, "close");
    cr_expect_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST);
    b->t->hurried = true;
    begun = ibc_wire_clock();
    const unsigned greetings = b->greetings;
    cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), IBC_CONTACT_NONE);
    cr_expect_eq(b->greetings, greetings + 1);
    b->t->hurried = false;
    begun = ibc_wire_clock();
    cr_expect_eq(b->t->ops->contact(b->t, text, sizeof text), IBC_CONTACT_NONE);
    cr_expect_geq(ibc_wire_clock() - begun, 1000 * ms);
    cr_expect(b->greetings > greetings + 3, "%u", b->greetings - greetings);
    begun = ibc_wire_clock();
    cr_expect_eq(b->t->ops->reset(b->t, IBC_LINK_roce2_ipv4, 1), IBC_LOST);
    cr_expect_lt(ibc_wire_clock() - begun, 900 * ms, "it has waited already");
}

/* The log of a system that has restarted is read from its beginning. */
Test(live, the_log_of_a_system_that_restarted, .init = begin, .fini = end)
{
    static const struct {
        const char *boot, *later;
        bool same;
    } rows[] = {{",\"boot\":\"a\"", ",\"boot\":\"a\"", true},
                {",\"boot\":\"a\"", ",\"boot\":\"b\"", false},
                {",\"boot\":\"a\"", "", false},
                {"", "", false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[100];
        uint32_t pd;
        (void)snprintf(b->hello, sizeof b->hello, "%.*s%s}", (int)strlen(LIVE_BED_HELLO) - 1, LIVE_BED_HELLO,
                       rows[i].boot);
        opened();
        replies("\"ok\":{\"text\":\"BUG\",\"at\":500}");
        cr_expect(b->t->ops->log(b->t, 0, text, sizeof text) == IBC_OK && strcmp(text, "BUG") == 0);
        replies("close");
        cr_expect_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_LOST);
        (void)snprintf(b->hello, sizeof b->hello, "%.*s%s}", (int)strlen(LIVE_BED_HELLO) - 1, LIVE_BED_HELLO,
                       rows[i].later);
        live_bed_reset(b, IBC_LINK_roce2_ipv4);
        replies("\"ok\":{}");
        cr_expect_eq(b->t->ops->log(b->t, 0, text, sizeof text), IBC_OK);
        cr_expect_eq(strstr(b->asked, "\"since\":500") != NULL, rows[i].same, "row %zu: %s", i, b->asked);
        b->t->ops->close(b->t);
        b->t = NULL;
    }
}

/* ---- virtual time ---- */

static void sends(unsigned d, uint8_t mark)
{
    memset(frame, mark, 80);
    memcpy(frame + 12, "\x89\x15", 2);
    cr_assert(ibc_wire_send(b->device[d], frame, 80));
}

/* Expects the next frame of these devices; mark 0: none before `until`. */
static void comes(int device, uint64_t until, uint8_t mark, unsigned from, uint64_t at)
{
    uint64_t is_at = 0;
    size_t len = 7;
    unsigned is_from = 7;
    const enum ibc_rc rc = device < 0 ? b->t->ops->collect_any(b->t, until, got, &len, &is_at, &is_from)
                                      : b->t->ops->collect(b->t, (unsigned)device, until, got, &len, &is_at);

    cr_assert_eq(rc, IBC_OK, "%s", b->t->fault);
    cr_expect_eq(len, mark ? 80 : 0, "%zu", len);
    cr_expect_eq(is_at, at, "%lu", (unsigned long)is_at);
    if (mark) {
        cr_expect_eq(got[40], mark);
        cr_expect(device >= 0 || is_from == from, "from %u", is_from);
    }
}

Test(live, time_of_the_agent, .init = begin, .fini = end)
{
    opened();
    cr_assert_eq(b->t->ops->now(b->t), 1000);
    replies("\"ok\":{\"now\":5000,\"frames\":0}");
    comes(0, 5000, 0, 0, 5000);
    cr_expect_str_eq(b->asked, "\"do\":\"advance\",\"until\":5000}\n", "%s", b->asked);
    comes(1, 5000, 0, 0, 5000);
    cr_expect_str_eq(b->asked, "\"do\":\"advance\",\"device\":1,\"until\":5000}\n", "%s", b->asked);
    comes(-1, 5000, 0, 0, 5000);
    cr_expect_str_eq(b->asked, "\"do\":\"advance\",\"until\":5000}\n", "%s", b->asked);
    sends(0, 3);
    comes(0, 9000, 3, 0, 5000); /* no time has to pass */
    replies("\"ok\":{\"now\":6000,\"frames\":1}");
    sends(0, 4);
    sends(0, 5);
    comes(0, 9000, 4, 0, 5000);
    comes(0, 9000, 5, 0, 5000);
    cr_expect_eq(b->t->ops->lost(b->t), 0);
}

Test(live, time_that_does_not_pass, .init = begin, .fini = end)
{
    static const char *const wrong[] = {"\"ok\":{\"now\":999,\"frames\":0}", "\"ok\":{\"now\":8999,\"frames\":0}",
                                        "\"ok\":{\"now\":999,\"frames\":1}"};
    uint64_t at;
    size_t len;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        opened();
        replies(wrong[i]);
        cr_expect_eq(b->t->ops->collect(b->t, 0, 9000, got, &len, &at), IBC_LOST);
        cr_expect_str_eq(b->t->fault, "agent: asked for advance: its time does not pass");
        cr_expect_eq(b->t->ops->collect(b->t, 0, 9000, got, &len, &at), IBC_LOST);
        b->t->ops->close(b->t);
        b->t = NULL;
    }
}

/* An agent reports frames that do not come: each counts as lost, and after 20 in a row the agent is at fault. */
Test(live, frames_that_do_not_come, .init = begin, .fini = end)
{
    uint64_t at;
    size_t len;

    opened();
    live_of(b->t)->o.time_scale = 0.1; /* of 250 ms for each frame, and of 5 s for each answer */
    replies("\"ok\":{\"now\":2000,\"frames\":1}");
    cr_expect_eq(b->t->ops->collect(b->t, 0, 9000, got, &len, &at), IBC_LOST);
    cr_expect_str_eq(b->t->fault, "agent: frames that it says it sent do not come");
    cr_expect_eq(b->t->ops->lost(b->t), 20);
}

/* ---- frames of two wires ---- */

/* Each device has its turn, however much the other sends. */
Test(live, devices_in_turn, .init = begin, .fini = end)
{
    opened();
    for (uint8_t i = 0; i < 3; i++) {
        sends(0, (uint8_t)(0x20 + i));
        sends(1, (uint8_t)(0x40 + i));
    }
    comes(-1, 1000, 0x40, 1, 1000);
    comes(-1, 1000, 0x20, 0, 1000);
    comes(-1, 1000, 0x41, 1, 1000);
    comes(1, 1000, 0x42, 1, 1000);
    comes(-1, 1000, 0x21, 0, 1000);
    comes(-1, 1000, 0x22, 0, 1000);
}

static int nobody(struct ibc_wire *w, const uint8_t *bytes, size_t len)
{
    (void)w;
    (void)bytes;
    (void)len;
    return ECONNREFUSED;
}

static int too_long(struct ibc_wire *w, const uint8_t *bytes, size_t len)
{
    (void)w;
    (void)bytes;
    (void)len;
    return EMSGSIZE;
}

Test(live, sending, .init = begin, .fini = end)
{
    uint64_t at;
    size_t len;

    opened();
    for (unsigned d = 0; d < 2; d++) {
        memset(frame, (int)(0x60 + d), 70);
        cr_expect_eq(b->t->ops->inject(b->t, d, frame, 70), IBC_OK);
        cr_expect_eq(ibc_wire_receive(b->device[d], got, &len, &at, 1000 * ms), IBC_WIRE_FRAME);
        cr_expect(len == 70 && got[0] == 0x60 + d);
        cr_expect_eq(ibc_wire_receive(b->device[d ^ 1], got, &len, &at, 0), IBC_WIRE_NOTHING);
    }
    struct ibc_wire_ops other = *b->tester[0]->ops;
    const struct ibc_wire_ops *was = b->tester[0]->ops;
    other.send = nobody;
    b->tester[0]->ops = &other;
    cr_expect_eq(b->t->ops->inject(b->t, 0, frame, 70), IBC_LOST);
    cr_expect_str_eq(b->t->fault, "wire loop: nobody is at the other end");
    other.send = too_long;
    cr_expect_eq(b->t->ops->inject(b->t, 0, frame, 70), IBC_BROKEN);
    cr_expect_str_eq(b->t->fault, "wire loop: takes no frame of 70 bytes");
    b->tester[0]->ops = was;
    cr_expect_eq(b->t->ops->inject(b->t, 1, frame, IBC_FRAME), IBC_OK);
}

static uint64_t heard[16];
static size_t n_heard;

static bool note_heard(struct ibc_wire *w, const uint64_t *mac, size_t n)
{
    memcpy(heard, mac, n * sizeof *mac);
    n_heard = n;
    (void)snprintf(w->fault, sizeof w->fault, "it cannot hear");
    return n < 6;
}

/* From a reset on a wire carries only frames of the parties that have an address on it. */
Test(live, who_is_heard, .init = begin, .fini = end)
{
    opened();
    struct ibc_wire_ops other = *b->tester[1]->ops;
    const struct ibc_wire_ops *was = b->tester[1]->ops;
    other.hear = note_heard;
    b->tester[1]->ops = &other;
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    cr_assert_eq(n_heard, 4, "the second ports have no addresses");
    cr_expect(heard[0] == b->t->tester.mac && heard[1] == b->t->stranger.mac);
    cr_expect(heard[2] == b->t->device[0].mac && heard[3] == b->t->device[1].mac);
    (void)snprintf(b->reply, sizeof b->reply,
                   "%.*s,\"second\":[{\"mac\":\"02:00:00:00:00:11\",\"ipv4\":\"192.0.2.17\"},"
                   "{\"mac\":\"02:00:00:00:00:12\",\"ipv4\":\"192.0.2.18\"}]}",
                   (int)strlen(LIVE_BED_RESET) - 1, LIVE_BED_RESET);
    cr_expect_eq(b->t->ops->reset(b->t, IBC_LINK_roce2_ipv4, 1), IBC_BROKEN);
    cr_expect(n_heard == 6 && heard[4] == 0x020000000011 && heard[5] == 0x020000000012, "%zu", n_heard);
    cr_expect_str_eq(b->t->fault, "it cannot hear");
    b->tester[1]->ops = was;
}

/* The target answers for the tester's addresses, and the runner sees only what may be RoCE. */
Test(live, address_resolution, .init = begin, .fini = end)
{
    uint8_t question[IBC_NEIGHBOUR_ANSWER], answer[IBC_NEIGHBOUR_ANSWER];
    uint64_t at;
    size_t len, n;

    opened();
    replies("\"ok\":{\"now\":2000,\"frames\":0}");
    const struct ibc_address *const who[] = {&b->t->tester, &b->t->stranger, &b->t->device[0]};
    for (unsigned i = 0; i < 3; i++) {
        const size_t asks = ibc_neighbour_ask(question, 0x020000000001, who[i], 0);
        cr_assert(ibc_wire_send(b->device[0], question, asks));
        sends(0, (uint8_t)(0x30 + i));
        comes(0, 2000, (uint8_t)(0x30 + i), 0, i ? 2000 : 1000);
        comes(0, 2000, 0, 0, 2000);
        const enum ibc_wire_got is = ibc_wire_receive(b->device[0], got, &len, &at, 0);
        cr_expect_eq(is, i < 2 ? IBC_WIRE_FRAME : IBC_WIRE_NOTHING, "a device answers for itself");
        if (i == 2)
            continue;
        cr_assert(ibc_neighbour(question, asks, who[i], 1, answer, &n));
        cr_expect_eq(len, n);
        cr_expect_arr_eq(got, answer, n);
    }
    live_bed_reset(b, IBC_LINK_ib_local); /* native InfiniBand has no such frames: everything is for the runner */
    cr_assert(ibc_wire_send(b->device[0], question, 42));
    cr_expect(b->t->ops->collect(b->t, 0, 2000, got, &len, &at) == IBC_OK && len == 42);
}

/* However many other frames come on one wire, the other one is read. */
Test(live, chatter, .init = begin, .fini = end)
{
    opened();
    replies("\"ok\":{\"now\":2000,\"frames\":0}");
    memset(frame, 0, 60);
    for (unsigned i = 0; i < 100; i++)
        cr_assert(ibc_wire_send(b->device[1], frame, 60));
    sends(1, 9);
    comes(1, 2000, 9, 1, 1000);
    for (unsigned i = 0; i < 101; i++) {
        memset(frame, 0, 60);
        cr_assert(ibc_wire_send(b->device[0], frame, 60));
    }
    sends(0, 7);
    sends(1, 8);
    comes(-1, 2000, 8, 1, 1000);
    comes(0, 2000, 7, 0, 1000);
}

/* ---- real time ---- */

Test(live, time_of_this_machine, .init = begin, .fini = end)
{
    uint64_t at, begun;
    size_t len;

    (void)snprintf(b->hello, sizeof b->hello, "%s", HELLO("1", "2", "\"roce2-ipv4\"", ""));
    opened();
    cr_expect_not(b->t->virtual_time);
    begun = b->t->ops->now(b->t);
    cr_expect(begun <= ibc_wire_clock() && begun + 60000 * ms > ibc_wire_clock());
    cr_expect(b->t->ops->collect(b->t, 0, begun + 50 * ms, got, &len, &at) == IBC_OK && len == 0);
    cr_expect(at >= begun + 50 * ms && at <= ibc_wire_clock());
    const clock_t worked = clock();
    cr_expect(b->t->ops->collect(b->t, 0, at + 200 * ms, got, &len, &at) == IBC_OK && len == 0);
    cr_expect_lt(clock() - worked, CLOCKS_PER_SEC / 10, "the processor is free while it waits");
    sends(1, 5);
    cr_expect(b->t->ops->collect(b->t, 1, at + 20000 * ms, got, &len, &at) == IBC_OK && len == 80 && got[40] == 5);
    cr_expect_lt(ibc_wire_clock(), begun + 20000 * ms, "it does not wait longer than it must");
    cr_expect(at > begun && at <= ibc_wire_clock());
    cr_expect(b->t->slowest > 0 || b->t->slow_verb == NULL, "no verb was called");
}

Test(live, the_slowest_verb, .init = begin, .fini = end)
{
    uint32_t pd;

    opened();
    cr_expect(b->t->slowest == 0 && !b->t->slow_verb, "a reset does not count");
    replies("\"ok\":{\"pd\":1}");
    cr_assert_eq(b->t->ops->create_pd(b->t, 0, &pd), IBC_OK);
    cr_expect(b->t->slowest > 0 && b->t->slowest < 60000 * ms);
    cr_expect_str_eq(b->t->slow_verb, "create_pd");
    b->t->slowest = 60000 * ms;
    replies("\"ok\":{\"psn\":1}");
    cr_assert_eq(b->t->ops->choose_psn(b->t, 0, &pd), IBC_OK);
    cr_expect_str_eq(b->t->slow_verb, "create_pd");
}

/* ---- for people ---- */

Test(live, what_each_side_sent, .init = begin, .fini = end)
{
    char text[500];

    opened();
    ibc_live_describe(b->t, text, sizeof text);
    cr_expect_str_eq(
        text,
        "; from 02:00:00:00:00:03 192.0.2.3 to 02:00:00:00:00:01 192.0.2.1 by loop: 0 frames sent, 0 came, not even a "
        "question for the tester's address. Likely: cable, VLAN, MTU, a firewall or another port at the device, or "
        "the tester's address outside of the device's subnet",
        "%s", text);
    sends(0, 5);
    comes(0, 2000, 5, 0, 1000);
    cr_expect_eq(b->t->ops->inject(b->t, 0, frame, 70), IBC_OK);
    live_bed_reset(b, IBC_LINK_ib_local);
    ibc_live_describe(b->t, text, sizeof text);
    cr_expect_str_eq(
        text,
        "; from 02:00:00:00:00:03 to 02:00:00:00:00:01 by loop: 1 frames sent, 1 came. Likely: cable, VLAN, MTU, a "
        "firewall or another port at the device, or the tester's address outside of the device's subnet",
        "%s", text);
    (void)snprintf(b->reply, sizeof b->reply, "%s",
                   "\"ok\":{\"now\":1000,\"device\":[{\"mac\":\"12:34:56:78:9a:bc\",\"ipv4\":\"203.117.113.241\"},"
                   "{\"mac\":\"02:00:00:00:00:02\",\"ipv4\":\"192.0.2.2\"}],"
                   "\"stranger\":{\"mac\":\"02:00:00:00:00:04\",\"ipv4\":\"192.0.2.4\"},"
                   "\"tester\":{\"mac\":\"de:cb:ba:a9:98:87\",\"ipv4\":\"203.117.113.249\"}}");
    cr_assert_eq(b->t->ops->reset(b->t, IBC_LINK_roce2_ipv4, 1), IBC_OK, "%s", b->t->fault);
    ibc_live_describe(b->t, text, sizeof text);
    cr_expect(strstr(text, "; from de:cb:ba:a9:98:87 203.117.113.249 to 12:34:56:78:9a:bc 203.117.113.241 by loop"),
              "%s", text);
}
