/* SPDX-License-Identifier: BSD-2-Clause */
/* -z hosts: the payload of each host, with how many hosts it exchanges that payload, and how many hosts send to one
 * host in the same millisecond. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "judge/judge.h"
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
