/* SPDX-License-Identifier: BSD-2-Clause */
#include "changed_wire.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "cases.h"

enum { REPAIR = 900000 }; /* of a million changed frames, so many get good CRCs */

static struct changed_wire *wire; /* functions of targets have no argument of the caller's */
static uint8_t again[IBC_FRAME];
static size_t again_bytes;

static void change(struct changed_wire *w, uint8_t *frame, size_t *len)
{
    struct changed_frame *c = &w->changed[w->n_changed++];

    c->place = w->place;
    c->all = w->all;
    c->bytes = *len;
    memcpy(c->was, frame, *len);
    *len = iba_mutate(&w->random, w->t->framing, frame, *len, IBC_FRAME, REPAIR, &c->how);
    w->changes++;
}

/* Returns false if the frame is dropped. */
static bool passes(struct changed_wire *w, uint8_t *frame, size_t *len)
{
    const unsigned eighth = w->some ? (unsigned)iba_random_below(&w->random, 8) : 7;

    if (w->n_changed < WIRE_MANY && (eighth < 2 || (long)w->all == w->one))
        change(w, frame, len);
    else if (eighth == 2)
        return false;
    if (eighth == 3) {
        memcpy(again, frame, *len);
        again_bytes = *len;
    }
    w->place++;
    w->all++;
    return true;
}

static bool repeated(struct changed_wire *w, uint8_t *frame, size_t *len)
{
    if (again_bytes == 0)
        return false;
    memcpy(frame, again, again_bytes);
    *len = again_bytes;
    again_bytes = 0;
    w->place++;
    w->all++;
    return true;
}

static enum ibc_rc collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                           uint64_t *at)
{
    enum ibc_rc rc;

    if (repeated(wire, frame, len)) {
        *at = t->ops->now(t);
        return IBC_OK;
    }
    do
        rc = whole->collect(t, d, until, frame, len, at);
    while (rc == IBC_OK && *len > 0 && !passes(wire, frame, len));
    return rc;
}

static enum ibc_rc collect_any(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len,
                               uint64_t *at, unsigned *from)
{
    enum ibc_rc rc;

    if (repeated(wire, frame, len)) {
        *at = t->ops->now(t);
        *from = 0;
        return IBC_OK;
    }
    do
        rc = whole->collect_any(t, until, frame, len, at, from);
    while (rc == IBC_OK && *len > 0 && !passes(wire, frame, len));
    return rc;
}

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    wire->place = wire->n_changed = 0;
    wire->played = wire->all;
    again_bytes = 0;
    return whole->reset(t, link, seed);
}

struct changed_wire *changed_wire_open(void)
{
    wire = calloc(1, sizeof *wire);
    cr_assert_not_null(wire);
    wire->t = open_changed();
    changed.reset = reset;
    changed.collect = collect;
    changed.collect_any = collect_any;
    return wire;
}

void changed_wire_close(struct changed_wire *w)
{
    w->t->ops = whole;
    ibc_target_close(w->t);
    free(w);
}

void changed_wire_begin(struct changed_wire *w, uint64_t seed, long one, bool some)
{
    iba_random_seed(&w->random, seed);
    w->one = one;
    w->some = some;
    w->place = w->all = w->n_changed = w->changes = 0;
}

const struct changed_frame *changed_wire_at(const struct changed_wire *w, unsigned place)
{
    for (unsigned i = 0; i < w->n_changed; i++)
        if (w->changed[i].place == place)
            return &w->changed[i];
    return NULL;
}
