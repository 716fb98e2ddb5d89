/* SPDX-License-Identifier: BSD-2-Clause */
/* The target of the DC model (iba_dc.h): a pool of responders, each serving one connection. */
#include <assert.h>
#include <string.h>
#include "transport/iba_dc.h"

struct arrival {
    struct iba_dc_target *t;
    const struct iba_dc_message *m;
    struct iba_dc_responder *r; /* of the initiator; NULL: none */
    iba_time now;
};

static struct iba_dc_responder *responder_of(const struct iba_dc_target *t, uint32_t initiator)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->pool[i].used && t->pool[i].initiator == initiator)
            return &t->pool[i];
    return NULL;
}

static struct iba_dc_responder *free_responder(const struct iba_dc_target *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (!t->pool[i].used)
            return &t->pool[i];
    return NULL;
}

uint32_t iba_dc_serving(const struct iba_dc_target *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n; i++)
        n += t->pool[i].used;
    return n;
}

/* How far the connection of the message is after that of the responder; numbers wrap. */
static int32_t newer(const struct arrival *a)
{
    return (int32_t)(a->m->connection - a->r->connection);
}

/* ---- conditions ---- */

static bool is(const struct arrival *a, enum iba_dc_kind kind)
{
    return a->m->kind == kind;
}

static bool is_answer(const struct arrival *a)
{
    return a->m->kind > IBA_DC_DISCONNECT;
}

static bool wrong_key(const struct arrival *a)
{
    return !is(a, IBA_DC_DISCONNECT) && a->m->key != a->t->key;
}

static bool other_connection(const struct arrival *a)
{
    return !a->r || newer(a) != 0;
}

static bool connect_again(const struct arrival *a)
{
    return is(a, IBA_DC_CONNECT) && a->r && newer(a) == 0;
}

static bool connect_late(const struct arrival *a)
{
    return is(a, IBA_DC_CONNECT) && a->r && newer(a) < 0;
}

static bool connect_next(const struct arrival *a)
{
    return is(a, IBA_DC_CONNECT) && a->r;
}

static bool pool_empty(const struct arrival *a)
{
    return is(a, IBA_DC_CONNECT) && !free_responder(a->t);
}

static bool connect(const struct arrival *a)
{
    return is(a, IBA_DC_CONNECT);
}

static bool close_unknown(const struct arrival *a)
{
    return is(a, IBA_DC_DISCONNECT) && other_connection(a);
}

static bool close(const struct arrival *a)
{
    return is(a, IBA_DC_DISCONNECT);
}

static bool wrong_token(const struct arrival *a)
{
    return a->r && a->r->full && a->m->token != a->r->token;
}

static bool duplicate(const struct arrival *a)
{
    return a->r && (int32_t)(a->m->sequence - a->r->executed) < 0;
}

static bool gap(const struct arrival *a)
{
    return a->r && (int32_t)(a->m->sequence - a->r->executed) > 0;
}

static bool always(const struct arrival *a)
{
    (void)a;
    return true;
}

/* ---- actions: each returns the kind of the answer, or SILENCE ---- */

enum { SILENCE = IBA_DC_KIND_COUNT };

static int drop(struct arrival *a)
{
    (void)a;
    return SILENCE;
}

static int refuse_key(struct arrival *a)
{
    a->t->bad_keys++;
    return IBA_DC_BAD_KEY;
}

static int refuse_connection(struct arrival *a)
{
    a->t->cnaks++;
    return IBA_DC_CNAK;
}

/* The responder is in use, so its lease begins again. */
static void hear(struct arrival *a)
{
    a->r->silent_due = a->t->lease_ns > IBA_NEVER - a->now ? IBA_NEVER : a->now + a->t->lease_ns;
}

static int accept_again(struct arrival *a)
{
    hear(a);
    return IBA_DC_ACCEPTED;
}

/* A broken target without the row pool_empty takes a responder that is in use. */
static int accept(struct arrival *a)
{
    if (!a->r)
        a->r = free_responder(a->t);
    if (!a->r)
        a->r = a->t->pool;
    *a->r = (struct iba_dc_responder){.used = true,
                                      .full = a->m->full,
                                      .initiator = a->m->initiator,
                                      .connection = a->m->connection,
                                      .token = a->m->full ? a->t->random(a->t->ctx) : 0};
    hear(a);
    return IBA_DC_ACCEPTED;
}

static int closed(struct arrival *a)
{
    (void)a;
    return IBA_DC_CLOSED;
}

static int release(struct arrival *a)
{
    if (a->r)
        a->r->used = false;
    a->r = NULL;
    return IBA_DC_CLOSED;
}

static int done_again(struct arrival *a)
{
    hear(a);
    return IBA_DC_DONE;
}

static int execute(struct arrival *a)
{
    if (!a->r) /* only a broken target without a row */
        return SILENCE;
    hear(a);
    a->r->executed++;
    a->t->store(a->t->ctx, a->m);
    return IBA_DC_DONE;
}

/* clang-format off */
/*    name              when              then               described  the message ... */
#define ROWS(R)                                                                                                                    \
    R(answer,           is_answer,        drop,              false, "is an answer: targets get requests only")                     \
    R(wrong_key,        wrong_key,        refuse_key,        true,  "has a wrong access key: the target refuses and counts it")    \
    R(connect_again,    connect_again,    accept_again,      false, "asks again for the connection that is there")                \
    R(connect_late,     connect_late,     drop,              false, "asks for a connection before the one that is there")         \
    R(connect_next,     connect_next,     accept,            false, "asks for the next connection: the one before has ended")      \
    R(pool_empty,       pool_empty,       refuse_connection, true,  "asks for a connection, and no responder is free: CNAK")      \
    R(connect,          connect,          accept,            true,  "asks for a connection: a responder of the pool serves it")   \
    R(close_unknown,    close_unknown,    closed,            false, "ends a connection that is not there: the end is confirmed")   \
    R(close,            close,            release,           true,  "ends its connection: the responder is free again")           \
    R(other_connection, other_connection, drop,              true,  "is an operation without connection, as after a CNAK")        \
    R(wrong_token,      wrong_token,      drop,              false, "is an operation from before the full handshake")             \
    R(duplicate,        duplicate,        done_again,        false, "is an operation that was executed: it is only confirmed")    \
    R(gap,              gap,              drop,              false, "is an operation after one that was lost")                     \
    R(operation,        always,           execute,           true,  "is the next operation: it is executed")
/* clang-format on */
#define ROW(name_, when_, then_, described_, sentence_) {#name_, sentence_, described_},
const struct iba_dc_row iba_dc_target_rows[IBA_DC_TARGET_ROWS] = {ROWS(ROW)};

static const struct {
    bool (*when)(const struct arrival *a);
    int (*then)(struct arrival *a);
} acts[IBA_DC_TARGET_ROWS] = {
#define ACT(name_, when_, then_, described_, sentence_) {when_, then_},
    ROWS(ACT)};

/* Returns the kind of the answer, or SILENCE. */
static int decide(struct arrival *a)
{
    for (unsigned row = 0; row < IBA_DC_TARGET_ROWS; row++) {
        if (a->t->left_out >> row & 1 || !acts[row].when(a))
            continue;
        a->t->hits[row]++;
        return acts[row].then(a);
    }
    return SILENCE;
}

/* A responder that has heard nothing for the lease is free again. */
static void end_leases(struct iba_dc_target *t, iba_time now)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->pool[i].used && t->pool[i].silent_due <= now)
            t->pool[i].used = false;
}

void iba_dc_target_init(struct iba_dc_target *t, struct iba_dc_responder *pool, uint32_t n)
{
    assert(pool && n > 0 && t->store && t->random);
    memset(pool, 0, n * sizeof *pool);
    t->pool = pool;
    t->n = n;
    t->bad_keys = t->cnaks = 0;
    memset(t->hits, 0, sizeof t->hits);
    t->left_out = 0;
}

bool iba_dc_target_receive(struct iba_dc_target *t, const struct iba_dc_message *m, iba_time now,
                           struct iba_dc_message *answer)
{
    struct arrival a = {.t = t, .m = m, .now = now};
    int kind;

    if (m->target != t->number)
        return false;
    end_leases(t, now);
    a.r = responder_of(t, m->initiator);
    kind = decide(&a);
    if (kind == SILENCE)
        return false;
    *answer = (struct iba_dc_message){.kind = (uint8_t)kind,
                                      .initiator = m->initiator,
                                      .target = t->number,
                                      .connection = m->connection,
                                      .sequence = a.r ? a.r->executed : 0,
                                      .token = kind == IBA_DC_ACCEPTED ? a.r->token : 0};
    return true;
}
