/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections of the same two hosts that all begin with the same PSN, as those of collective libraries do: the capture
 * does not show which response belongs to which request until their PSNs part. Nobody is accused in between, and the
 * pairs are right in the end. */
#include "small.h"
#include "wire/iba_opcode_rows.h"

enum { MOST = 3, ACK = 0x1f, STEP = 10000 };
#define MS UINT64_C(1000000)

static struct witness w;
static iba_time now;
static uint32_t sent[MOST], answered[MOST];

static void begin(void)
{
    now = MS;
    memset(sent, 0, sizeof sent);
    memset(answered, 0, sizeof answered);
    witness_init(&w, &(struct iba_observer_config){.n_flow = 16, .n_known = WITNESS_KNOWN});
}

static void send(unsigned i)
{
    feed_small(&w, now += STEP, &(struct small){.opcode = IBA_RC_SEND_ONLY, .qpn = 0x200 + i, .psn = sent[i]++});
}

static void reply(unsigned i)
{
    const uint32_t psn = answered[i]++;

    feed_small(&w, now += STEP,
               &(struct small){IBA_RC_ACKNOWLEDGE, ACK, .answer = true, .qpn = 0x100 + i, .psn = psn, .msn = psn + 1});
}

/* Each connection sends its first request; then the responses come in this order. */
static void first_of(unsigned n, const unsigned *order)
{
    begin();
    for (unsigned i = 0; i < n; i++)
        send(i);
    for (unsigned i = 0; i < n; i++)
        reply(order[i]);
}

static void nobody_is_accused(const char *when)
{
    cr_assert_eq(witness_count(&w, IBA_NOTE), 0, "%s: %s", when, iba_findings[w.n_kept ? w.kept[0].kind : 0].name);
}

/* Connection `busy` sends on alone, then all connections take turns. */
static void part(unsigned n, unsigned busy)
{
    for (unsigned i = 0; i < 5; i++)
        send(busy), reply(busy);
    for (unsigned round = 0; round < 8; round++)
        for (unsigned i = 0; i < n; i++)
            send(i), reply(i);
}

Test(pairing, two_connections_of_one_first_psn)
{
    for (unsigned order = 0; order < 2; order++)
        for (unsigned busy = 0; busy < 2; busy++) {
            first_of(2, order ? (const unsigned[]){1, 0} : (const unsigned[]){0, 1});
            part(2, busy);
            nobody_is_accused("two");
        }
}

/* Three connections: every order of their responses, each with every connection as the busy one. */
Test(pairing, three_connections_of_one_first_psn)
{
    static const unsigned order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

    for (unsigned k = 0; k < sizeof order / sizeof *order; k++)
        for (unsigned busy = 0; busy < 3; busy++) {
            first_of(3, order[k]);
            part(3, busy);
            nobody_is_accused("three");
        }
}
