/* SPDX-License-Identifier: BSD-2-Clause */
/* -z hosts: the payload of each host, with how many hosts it exchanges that payload, and how many hosts send to one
 * host in the same millisecond. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "judge/judge.h"
#include "stats/kinds.h"
#include "wire/iba_opcode_rows.h"

enum { MS = 1000000 };

static struct verdict v;

/* Feeds a packet whose payload has `words` words of 4 bytes. `at` is its time, or UNTIMED. */
static void packet(struct feed *f, uint8_t src, uint8_t dst, uint8_t words, int64_t at)
{
    const struct frame frame = frame_of(
        &(struct spec){.proto = IBA_PROTO_ROCE2, .src = src, .dst = dst, .opcode = IBA_UC_SEND_ONLY, .words = words});

    f->p.verdict = &v;
    feed(f, &frame, at);
}

static void has(struct feed *f, const char *json)
{
    char *j = printed(f, true);

    cr_expect(strstr(j, json), "%s\nis not in\n%s", json, j);
    free(j);
}

Test(hosts, payload_and_incast)
{
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    packet(&f, 1, 9, 2, 0);
    packet(&f, 2, 9, 3, 10);
    packet(&f, 2, 9, 3, 20); /* the same one */
    packet(&f, 3, 9, 0, 30); /* without payload */
    packet(&f, 3, 9, 1, 40);
    packet(&f, 1, 9, 4, 2 * MS); /* in another millisecond */
    packet(&f, 2, 9, 4, 3 * MS);
    packet(&f, 9, 1, 5, 3 * MS);
    v.again = true;
    packet(&f, 2, 9, 6, UNTIMED);
    const struct frame other = frame_other();
    feed(&f, &other, 4 * MS);
    has(&f, "\"packets\":10,\"no_address\":1,\"untimed\":1,\"beyond\":0,");
    has(&f,
        "\"host\":\"10.0.0.1\",\"sent\":24,\"received\":20,\"sends_to\":1,\"receives_from\":1,\"senders_at_once\":1,"
        "\"senders_at\":0.003000000}");
    has(&f,
        "\"host\":\"10.0.0.9\",\"sent\":20,\"received\":92,\"sends_to\":1,\"receives_from\":3,\"senders_at_once\":3,"
        "\"senders_at\":0.000000000}");
    has(&f, "\"host\":\"10.0.0.2\",\"sent\":64,\"received\":0,\"sends_to\":1,\"receives_from\":0,\"senders_at_once\":0,"
            "\"senders_at\":null}");
    has(&f, "{\"packets\":4,\"src\":\"10.0.0.2\",\"dst\":\"10.0.0.9\",\"payload_bytes\":64,\"sent_again\":1,"
            "\"first\":0.000000010,\"last\":0.003000000}");
    has(&f, "{\"packets\":2,\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.9\",\"payload_bytes\":24,\"sent_again\":0,"
            "\"first\":0.000000000,\"last\":0.002000000}");
    has(&f, "{\"packets\":2,\"src\":\"10.0.0.3\",\"dst\":\"10.0.0.9\",\"payload_bytes\":4,");
    feed_close(&f);
}

/* Hosts with the same address on different kinds of network are different hosts. Within each kind, hosts have the order
 * of their address bytes. */
Test(hosts, of_each_kind)
{
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    f.p.verdict = &v;
    for (unsigned v6 = 0; v6 < 2; v6++)
        for (unsigned i = 0; i <= v6; i++) {
            const struct frame frame = frame_of(&(struct spec){
                .proto = IBA_PROTO_ROCE2, .v6 = v6 == 1, .src = 1, .dst = 2, .opcode = IBA_UC_SEND_ONLY, .words = 3});
            feed(&f, &frame, 5);
        }
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"host\":"), 4, "%s", j);
    cr_expect_eq(occurrences(j, "\"address\":\"ipv6\""), 2, "%s", j);
    cr_expect(strstr(j, "\"pairs\":[{\"packets\":2,"), "the larger one first: %s", j);
    free(j);
    feed_close(&f);
}

/* Three hosts send to a fourth one, 8 bytes each, every 50 ms: the second 100 us after the first, the third 300 us
 * after that. */
Test(hosts, rounds_and_their_straggler)
{
    enum { ROUNDS = 6, US = 1000 };
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    for (int64_t i = 0; i < ROUNDS; i++) {
        packet(&f, 1, 9, 2, 50 * i * MS);
        packet(&f, 2, 9, 2, 50 * i * MS + 100 * US);
        packet(&f, 3, 9, 2, 50 * i * MS + 400 * US);
    }
    expect(&f, "hosts-rounds");
}

/* A packet older than the newest one counts in its own millisecond; a packet without a time counts in none. */
Test(hosts, as_text)
{
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    packet(&f, 1, 9, 3, 5 * MS);
    packet(&f, 2, 9, 1, 4 * MS);
    packet(&f, 3, 9, 0, UNTIMED);
    const struct frame damaged = frame_of(
        &(struct spec){.proto = IBA_PROTO_ROCE2, .src = 4, .dst = 9, .opcode = IBA_UC_SEND_ONLY, .bad_icrc = true});
    feed(&f, &damaged, 6 * MS); /* counts nowhere */
    expect(&f, "hosts-late");
}

/* Feeds a packet with 4 bytes of payload between hosts with numbers of 16 bits. */
static void between(struct feed *f, unsigned src, unsigned dst)
{
    struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_UC_SEND_ONLY, .words = 1});
    uint8_t *ends = frame.b + 14 + 12; /* after Ethernet, in IPv4 */
    const uint8_t to[8] = {10, 1, (uint8_t)(src >> 8), (uint8_t)src, 10, 1, (uint8_t)(dst >> 8), (uint8_t)dst};

    memcpy(ends, to, sizeof to);
    feed(f, &frame, 7);
}

/* The tables keep 1024 hosts and 16384 pairs; packets of others are counted together. */
Test(hosts, beyond_the_tables)
{
    enum { HOSTS = 1024, MORE = 5 };
    struct feed f;

    feed_open(&f, "hosts");
    f.unchecked = true; /* the addresses change, and the ICRC does not */
    v = (struct verdict){0};
    f.p.verdict = &v;
    for (unsigned i = 1; i < HOSTS + MORE; i++)
        between(&f, i, 0);
    between(&f, 0, HOSTS + 1);
    between(&f, 1, HOSTS - 1);
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"host\":"), HOSTS);
    cr_expect_eq(occurrences(j, "\"src\":"), HOSTS);
    free(j);
    has(&f, "\"packets\":1030,\"no_address\":0,\"untimed\":0,\"beyond\":6,");
    has(&f, "\"host\":\"10.1.3.255\",\"sent\":4,\"received\":4,");
    has(&f, "\"host\":\"10.1.0.0\",\"sent\":0,\"received\":4092,\"sends_to\":0,\"receives_from\":1023,\"senders_at_"
            "once\":1023,");
    feed_close(&f);
}

Test(hosts, pairs_beyond_the_table)
{
    enum { SIDE = 128, PAIRS = SIDE * SIDE };
    struct feed f;

    feed_open(&f, "hosts");
    f.unchecked = true;
    v = (struct verdict){0};
    f.p.verdict = &v;
    for (unsigned i = 0; i < PAIRS; i++)
        between(&f, i / SIDE, SIDE + i % SIDE);
    has(&f, "\"packets\":16384,\"no_address\":0,\"untimed\":0,\"beyond\":0,");
    between(&f, SIDE, 0);
    between(&f, 0, SIDE);
    has(&f, "\"packets\":16386,\"no_address\":0,\"untimed\":0,\"beyond\":1,");
    feed_close(&f);
}

/* Rounds of three hosts as above; the third begins `late` after the second. */
static void says(uint64_t late, bool another, const char *sentence)
{
    enum { ROUNDS = 6, US = 1000 };
    static struct out o;
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    if (another)
        packet(&f, 5, 9, 2, 0); /* a host of no round */
    for (int64_t i = 1; i <= ROUNDS; i++) {
        packet(&f, 1, 9, 2, 50 * i * MS);
        packet(&f, 2, 9, 2, 50 * i * MS + 100 * US);
        packet(&f, 3, 9, 2, 50 * i * MS + 100 * US + (int64_t)late);
    }
    out_init(&o, -1);
    stat_hosts_say_straggler(f.state, &o);
    o.buf[o.n] = '\0';
    cr_expect_str_eq(o.buf, sentence, "%s", o.buf);
    char *j = printed(&f, true), *t = printed(&f, false);
    cr_expect_null(strstr(strstr(j, "\"round_hosts\":"), "10.0.0.5"), "the host of no round: %s", j);
    cr_expect_null(strstr(strstr(t, "\nRounds: "), "10.0.0.5"), "the host of no round: %s", t);
    free(j);
    free(t);
    feed_close(&f);
}

/* The straggler is named when it is the last of most rounds, and more than half of its delay is its own. */
Test(hosts, who_begins_last)
{
    says(300000, false,
         " 10.0.0.3 begins last in 6 of 6 rounds of a collective, on average 0.000300000 s after the host before it.");
    says(100000, false, "");
    says(100001, false,
         " 10.0.0.3 begins last in 6 of 6 rounds of a collective, on average 0.000100001 s after the host before it.");
    says(300000, true,
         " 10.0.0.3 begins last in 6 of 6 rounds of a collective, on average 0.000300000 s after the host before it.");
}

/* Feeds six rounds of three hosts, and in every second one another packet. */
static void with_another(const struct spec *other, bool again, uint64_t same_as, const char *rounds)
{
    const struct frame frame = frame_of(other);
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    for (int64_t i = 0; i < 6; i++) {
        packet(&f, 1, 9, 2, 50 * i * MS);
        packet(&f, 2, 9, 2, 50 * i * MS + 1000);
        packet(&f, 3, 9, 2, 50 * i * MS + 2000);
        v = (struct verdict){.again = again, .same_as = same_as};
        if (i % 2)
            feed(&f, &frame, 50 * i * MS + 3000);
        v = (struct verdict){0};
    }
    has(&f, rounds);
    feed_close(&f);
}

/* Notifications, responses, and packets that are sent again are no part of a round, so all rounds are alike. */
Test(hosts, what_begins_no_round)
{
    struct spec other = {.proto = IBA_PROTO_ROCE2, .src = 9, .dst = 1, .opcode = IBA_CNP_ROCE};
    static const char alike[] =
        "\"rounds\":6,\"straggler\":\"10.0.0.3\",\"behind\":0.000001000,\"round_hosts\":[{\"packets\":1,"
        "\"host\":\"10.0.0.1\",\"payload_bytes\":8,\"last\":0,\"after_first\":0.000000000,\"before_"
        "last\":0.000002000},";

    with_another(&other, false, 0, alike);
    other.opcode = IBA_RC_ACKNOWLEDGE;
    with_another(&other, false, 0, alike);
    other.opcode = IBA_UC_SEND_ONLY;
    other.words = 2;
    with_another(&other, true, 0, alike);
    with_another(&other, false, 1, alike); /* another capture point had it before */
    with_another(&other, false, 0, "\"rounds\":0,");
}

/* Of pairs with as much payload, the one that was seen first comes first. */
Test(hosts, pairs_with_as_much_payload)
{
    struct feed f;

    feed_open(&f, "hosts");
    v = (struct verdict){0};
    packet(&f, 3, 9, 2, 0);
    packet(&f, 1, 9, 2, 1);
    packet(&f, 2, 9, 3, 2);
    char *j = printed(&f, true), *at = strstr(j, "\"pairs\":");
    static const char *const order[] = {"\"src\":\"10.0.0.2\"", "\"src\":\"10.0.0.3\"", "\"src\":\"10.0.0.1\""};
    for (size_t i = 0; i < sizeof order / sizeof *order && at; i++) {
        at = strstr(at, order[i]);
        cr_expect(at, "%s: %s", order[i], j);
    }
    free(j);
    feed_close(&f);
}
