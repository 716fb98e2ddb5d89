/* SPDX-License-Identifier: BSD-2-Clause */
/* The initiator of the DC model (iba_dc.h): it connects when an operation asks for it. */
#include <assert.h>
#include <string.h>
#include "transport/iba_dc.h"

enum happening { ANSWER, TIMER, QUIET, WORK };
struct event {
    struct iba_dc_initiator *i;
    enum happening what;
    const struct iba_dc_message *m; /* ANSWER */
    struct iba_dc_message *out;     /* WORK: the operation to send, if `sends` is set */
    bool sends;
    iba_time now;
};

/* The operation at place `at` of those that have not completed. */
static struct iba_dc_operation *operation(const struct iba_dc_initiator *i, uint32_t at)
{
    return &i->ring[(i->head + i->done + at) % i->n];
}

static bool waits(const struct iba_dc_initiator *i)
{
    return i->done + i->sent < i->count;
}

static bool is_for_connection(const struct iba_dc_initiator *i, const struct iba_dc_operation *op)
{
    return op->target == i->target && op->key == i->key;
}

static bool may_send(const struct iba_dc_initiator *i)
{
    return i->next < i->sent || (waits(i) && i->sent < i->config.window && is_for_connection(i, operation(i, i->sent)));
}

/* ---- conditions ---- */

static bool answers(const struct event *e, enum iba_dc_kind kind)
{
    return e->what == ANSWER && e->m->kind == kind;
}

static bool request(const struct event *e)
{
    return e->what == ANSWER && e->m->kind <= IBA_DC_DISCONNECT;
}

static bool other_connection(const struct event *e)
{
    return e->what == ANSWER && (e->i->state == IBA_DC_IDLE || e->m->connection != e->i->connection);
}

static bool accepted_stray(const struct event *e)
{
    return other_connection(e) && answers(e, IBA_DC_ACCEPTED);
}

static bool accepted(const struct event *e)
{
    return answers(e, IBA_DC_ACCEPTED) && e->i->state == IBA_DC_OPENING;
}

static bool accepted_again(const struct event *e)
{
    return answers(e, IBA_DC_ACCEPTED);
}

static bool done(const struct event *e)
{
    return answers(e, IBA_DC_DONE) && e->i->state != IBA_DC_CLOSING && e->m->sequence - e->i->first - 1 < e->i->sent;
}

static bool done_again(const struct event *e)
{
    return answers(e, IBA_DC_DONE);
}

static bool cnak(const struct event *e)
{
    return answers(e, IBA_DC_CNAK) && e->i->state == IBA_DC_OPENING;
}

static bool bad_key(const struct event *e)
{
    return answers(e, IBA_DC_BAD_KEY) && e->i->state == IBA_DC_OPENING;
}

static bool refused_late(const struct event *e)
{
    return answers(e, IBA_DC_CNAK) || answers(e, IBA_DC_BAD_KEY);
}

static bool closed(const struct event *e)
{
    return answers(e, IBA_DC_CLOSED) && e->i->state == IBA_DC_CLOSING;
}

static bool closed_early(const struct event *e)
{
    return answers(e, IBA_DC_CLOSED);
}

static bool resend(const struct event *e)
{
    return e->what == TIMER && e->i->left > 0;
}

static bool end_unconfirmed(const struct event *e)
{
    return e->what == TIMER && e->i->state == IBA_DC_CLOSING;
}

static bool no_answer(const struct event *e)
{
    return e->what == TIMER;
}

static bool idle(const struct event *e)
{
    return e->what == QUIET && !waits(e->i);
}

static bool connect(const struct event *e)
{
    return e->what == WORK && e->i->state == IBA_DC_IDLE && waits(e->i);
}

static bool half(const struct event *e)
{
    return e->what == WORK && e->i->state == IBA_DC_OPENING && !e->i->config.full && may_send(e->i);
}

static bool connected(const struct event *e)
{
    return e->what == WORK && e->i->state == IBA_DC_OPEN && may_send(e->i);
}

static bool other_target(const struct event *e)
{
    return e->what == WORK && e->i->state == IBA_DC_OPEN && e->i->sent == 0 && waits(e->i);
}

/* ---- actions ---- */

static void drop(struct event *e)
{
    (void)e;
}

static void enter(struct iba_dc_initiator *i, enum iba_dc_state state)
{
    i->state = (uint8_t)state;
    i->request_due = state == IBA_DC_OPENING || state == IBA_DC_CLOSING;
    i->left = i->config.retry;
    i->due = i->idle_due = IBA_NEVER;
}

/* Runs the timer that fits: of answers that are due, or of a connection without work. */
static void run_timer(struct iba_dc_initiator *i, iba_time now)
{
    i->left = i->config.retry;
    i->due = i->sent > 0 ? now + i->config.timeout_ns : IBA_NEVER;
    i->idle_due = i->sent > 0 || waits(i) ? IBA_NEVER : now + i->config.idle_ns;
}

/* The oldest n operations complete. */
static void complete(struct iba_dc_initiator *i, uint32_t n, enum iba_dc_status status)
{
    for (uint32_t k = 0; k < n; k++)
        operation(i, k)->status = (uint8_t)status;
    i->done += n;
    i->first += n;
    i->sent -= n < i->sent ? n : i->sent;
    i->next -= n < i->next ? n : i->next;
}

/* All operations that were sent fail; in a full handshake none was, so the one that asked for the connection does. */
static void fail(struct iba_dc_initiator *i, enum iba_dc_status status)
{
    complete(i, i->sent > 0 ? i->sent : waits(i), status);
}

/* The target has taken a responder for a connection that we have given up: it may be free again. */
static void end_stray(struct event *e)
{
    if (e->i->stray_due)
        return;
    e->i->stray_due = true;
    e->i->stray = (struct iba_dc_message){
        .kind = IBA_DC_DISCONNECT, .initiator = e->i->number, .target = e->m->target, .connection = e->m->connection};
}

static void open(struct event *e)
{
    enter(e->i, IBA_DC_OPEN);
    e->i->token = e->m->token;
    run_timer(e->i, e->now);
}

/* In a half handshake the answer to an operation may come before that to the request to connect. */
static void succeed(struct event *e)
{
    enter(e->i, IBA_DC_OPEN);
    complete(e->i, e->m->sequence - e->i->first, IBA_DC_STATUS_SUCCESS);
    run_timer(e->i, e->now);
}

static void fail_cnak(struct event *e)
{
    fail(e->i, IBA_DC_STATUS_CNAK);
    enter(e->i, IBA_DC_IDLE);
}

static void fail_key(struct event *e)
{
    fail(e->i, IBA_DC_STATUS_BAD_KEY);
    enter(e->i, IBA_DC_IDLE);
}

static void rest(struct event *e)
{
    enter(e->i, IBA_DC_IDLE);
}

/* All that has no answer is sent again. */
static void send_again(struct event *e)
{
    struct iba_dc_initiator *i = e->i;

    i->left--;
    i->next = 0;
    i->request_due = i->state != IBA_DC_OPEN;
    i->due = e->now + i->config.timeout_ns;
}

/* The target may have taken a responder, so the connection is closed in any case. */
static void give_up(struct event *e)
{
    fail(e->i, IBA_DC_STATUS_TIMEOUT);
    enter(e->i, IBA_DC_CLOSING);
}

static void close(struct event *e)
{
    enter(e->i, IBA_DC_CLOSING);
}

static void begin(struct event *e)
{
    struct iba_dc_initiator *i = e->i;
    const struct iba_dc_operation *op = operation(i, 0);

    enter(i, IBA_DC_OPENING);
    i->connection++;
    i->target = op->target;
    i->key = op->key;
    i->token = 0;
    i->first = 0;
}

static void send(struct event *e)
{
    struct iba_dc_initiator *i = e->i;
    const struct iba_dc_operation *op = operation(i, i->next);

    *e->out = (struct iba_dc_message){.kind = IBA_DC_OPERATION,
                                      .initiator = i->number,
                                      .target = i->target,
                                      .connection = i->connection,
                                      .sequence = i->first + i->next,
                                      .key = i->key,
                                      .token = i->token,
                                      .at = op->at,
                                      .value = op->value};
    e->sends = true;
    i->sent += i->next == i->sent;
    i->next++;
    i->idle_due = IBA_NEVER;
    if (i->due == IBA_NEVER)
        i->due = e->now + i->config.timeout_ns;
}

/* clang-format off */
/*    name              when              then        described  the initiator ... */
#define ROWS(R)                                                                                                                \
    R(request,          request,          drop,       false, "ignores a request: initiators get answers only")                 \
    R(accepted_stray,   accepted_stray,   end_stray,  false, "ends a connection that was accepted too late")                   \
    R(other_connection, other_connection, drop,       false, "ignores an answer about another connection")                    \
    R(accepted,         accepted,         open,       true,  "is connected: the target accepts")                              \
    R(accepted_again,   accepted_again,   drop,       false, "ignores a repeated acceptance")                                 \
    R(done,             done,             succeed,    true,  "completes operations that the target executed")                 \
    R(done_again,       done_again,       drop,       false, "ignores a repeated confirmation")                               \
    R(cnak,             cnak,             fail_cnak,  true,  "fails the operations whose connection got CNAK")                \
    R(bad_key,          bad_key,          fail_key,   true,  "fails the operations whose key is wrong")                       \
    R(refused_late,     refused_late,     drop,       false, "ignores a refusal of the connection that it has")               \
    R(closed,           closed,           rest,       true,  "is no longer connected, since the target confirmed the end")        \
    R(closed_early,     closed_early,     drop,       false, "ignores a confirmed end that it has not asked for")             \
    R(resend,           resend,           send_again, false, "sends again after the timeout")                                 \
    R(end_unconfirmed,  end_unconfirmed,  rest,       false, "counts as disconnected when nobody confirms the end")           \
    R(no_answer,        no_answer,        give_up,    false, "fails its operations after the last retry, and disconnects")    \
    R(idle,             idle,             close,      true,  "disconnects when it was idle for some time")                    \
    R(connect,          connect,          begin,      true,  "connects to the target of an operation")                        \
    R(half,             half,             send,       true,  "sends operations before the answer, in a half handshake")       \
    R(connected,        connected,        send,       true,  "sends operations to the target that it is connected to")        \
    R(other_target,     other_target,     close,      true,  "disconnects when the next operation is for another target")
/* clang-format on */
#define ROW(name_, when_, then_, described_, sentence_) {#name_, sentence_, described_},
const struct iba_dc_row iba_dc_initiator_rows[IBA_DC_INITIATOR_ROWS] = {ROWS(ROW)};

static const struct {
    bool (*when)(const struct event *e);
    void (*then)(struct event *e);
} acts[IBA_DC_INITIATOR_ROWS] = {
#define ACT(name_, when_, then_, described_, sentence_) {when_, then_},
    ROWS(ACT)};

static void decide(struct event *e)
{
    for (unsigned row = 0; row < IBA_DC_INITIATOR_ROWS; row++) {
        if (e->i->left_out >> row & 1 || !acts[row].when(e))
            continue;
        e->i->hits[row]++;
        acts[row].then(e);
        return;
    }
}

/* ---- calls ---- */

void iba_dc_initiator_init(struct iba_dc_initiator *i, const struct iba_dc_config *c, uint32_t number,
                           struct iba_dc_operation *ring, uint32_t n)
{
    assert(ring && n > 0 && c->window > 0 && c->timeout_ns > 0 && c->idle_ns > 0);
    *i = (struct iba_dc_initiator){
        .config = *c, .number = number, .ring = ring, .n = n, .due = IBA_NEVER, .idle_due = IBA_NEVER};
}

bool iba_dc_post(struct iba_dc_initiator *i, const struct iba_dc_operation *op)
{
    if (i->count == i->n)
        return false;
    i->ring[(i->head + i->count++) % i->n] = *op;
    return true;
}

bool iba_dc_take(struct iba_dc_initiator *i, struct iba_dc_operation *op)
{
    if (i->done == 0)
        return false;
    *op = i->ring[i->head];
    i->head = (i->head + 1) % i->n;
    i->count--;
    i->done--;
    return true;
}

void iba_dc_initiator_receive(struct iba_dc_initiator *i, const struct iba_dc_message *m, iba_time now)
{
    struct event e = {.i = i, .what = ANSWER, .m = m, .now = now};

    if (m->initiator == i->number)
        decide(&e);
}

void iba_dc_advance(struct iba_dc_initiator *i, iba_time now)
{
    struct event e = {.i = i, .now = now};

    if (i->due <= now) {
        i->due = IBA_NEVER;
        e.what = TIMER;
        decide(&e);
    }
    if (i->idle_due <= now) {
        i->idle_due = IBA_NEVER;
        e.what = QUIET;
        decide(&e);
    }
}

static void write_request(struct iba_dc_initiator *i, struct iba_dc_message *m, iba_time now)
{
    *m = (struct iba_dc_message){.kind = i->state == IBA_DC_OPENING ? IBA_DC_CONNECT : IBA_DC_DISCONNECT,
                                 .full = i->config.full,
                                 .initiator = i->number,
                                 .target = i->target,
                                 .connection = i->connection,
                                 .key = i->state == IBA_DC_OPENING ? i->key : 0};
    i->request_due = false;
    i->due = now + i->config.timeout_ns;
}

bool iba_dc_poll(struct iba_dc_initiator *i, struct iba_dc_message *m, iba_time now)
{
    struct event e = {.i = i, .what = WORK, .out = m, .now = now};

    if (i->stray_due) {
        i->stray_due = false;
        *m = i->stray;
        return true;
    }
    if (!i->request_due)
        decide(&e);
    if (!i->request_due)
        return e.sends;
    write_request(i, m, now);
    return true;
}

iba_time iba_dc_deadline(const struct iba_dc_initiator *i)
{
    return i->due < i->idle_due ? i->due : i->idle_due;
}
