/* SPDX-License-Identifier: BSD-2-Clause */
/* One random step: a packet leaves, arrives, is lost, damaged or forged; time passes; software calls a verb. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "chaos.h"

static void feed(struct chaos *c, unsigned end, const uint8_t *frame, size_t len)
{
    struct iba_view v;
    /* An allocation of exactly this size lets the sanitizer detect reads beyond it. */
    uint8_t *exact = malloc(len);

    cr_assert_not_null(exact);
    memcpy(exact, frame, len);
    (void)iba_view_parse(&v, c->link, exact, len, len, NULL);
    iba_view_check(&v);
    iba_ca_feed(&c->end[end].ca, 1, &v, c->now);
    c->fed++;
    free(exact);
}

static void send_one(struct chaos *c, unsigned end)
{
    struct chaos_frame *f;

    if (c->n_flight == CHAOS_FLIGHT) { /* one is lost */
        const unsigned lost = (unsigned)chaos_below(c, CHAOS_FLIGHT);
        memmove(&c->flight[lost], &c->flight[lost + 1], (CHAOS_FLIGHT - 1 - lost) * sizeof *c->flight);
        c->n_flight--;
    }
    f = &c->flight[c->n_flight];
    cr_assert_eq(iba_ca_poll(&c->end[end].ca, 1, f->bytes, sizeof f->bytes, &f->len, c->now), IBA_OK);
    if (f->len == 0)
        return;
    f->to = (uint8_t)(1 - end);
    chaos_hash(c, f->bytes, f->len);
    c->n_flight++;
}

/* Delivers the oldest frame, or sometimes another one. Sometimes the frame also stays on the wire to come again, is
 * lost, or is damaged. */
static void deliver_one(struct chaos *c)
{
    const unsigned i = c->n_flight > 0 && chaos_one_in(c, 8) ? (unsigned)chaos_below(c, c->n_flight) : 0;
    static uint8_t frame[IBA_TX_MOST + 64];
    size_t len;

    if (c->n_flight == 0)
        return;
    len = c->flight[i].len;
    memcpy(frame, c->flight[i].bytes, len);
    const unsigned to = c->flight[i].to;
    if (!chaos_one_in(c, 16))
        memmove(&c->flight[i], &c->flight[i + 1], (--c->n_flight - i) * sizeof *c->flight);
    if (chaos_one_in(c, 32))
        return;
    if (chaos_one_in(c, 8))
        len = iba_mutate(&c->r, c->link, frame, len, sizeof frame, 900000, NULL);
    feed(c, to, frame, len);
}

static void craft_one(struct chaos *c, unsigned end)
{
    static uint8_t frame[IBA_TX_MOST + 64];
    size_t len = chaos_craft(c, end, frame, sizeof frame);

    if (len == 0)
        return;
    if (chaos_one_in(c, 3))
        len = iba_mutate(&c->r, c->link, frame, len, sizeof frame, 900000, NULL);
    feed(c, end, frame, len);
}

static void pass_time(struct chaos *c)
{
    const uint64_t jump = chaos_below(c, UINT64_C(1) << chaos_below(c, 36));

    for (unsigned i = 0; i < 2; i++) {
        const iba_time t = iba_ca_deadline(&c->end[i].ca);
        if (chaos_one_in(c, 2) && t != IBA_NEVER && t > c->now && t < UINT64_C(1) << 62)
            c->now = t;
    }
    if (chaos_one_in(c, 2))
        c->now += jump;
    for (unsigned i = 0; i < 2; i++)
        iba_ca_advance(&c->end[i].ca, c->now);
}

void chaos_step(struct chaos *c)
{
    const unsigned end = (unsigned)chaos_below(c, 2);
    const uint64_t choice = chaos_below(c, 100);

    if (choice < 25)
        send_one(c, end);
    else if (choice < 60)
        deliver_one(c);
    else if (choice < 68)
        craft_one(c, end);
    else if (choice < 72)
        pass_time(c);
    else
        chaos_verb(c, end);
}
