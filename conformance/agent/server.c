/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes each verb on the target. */
#include "server.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "watch.h"

/* frames that are taken in before one request is served; if more arrive, they wait until its reply */
enum { MOST_FRAMES = 4096 };

unsigned ag_devices(const struct ag_server *s)
{
    return s->n_wire > 1 ? IBC_DEVICES : 1;
}

void ag_forget_client(struct ag_server *s)
{
    s->greeted = false;
}

/* ---- the wire ---- */

static bool wire_gone(struct ag_server *s, const struct ibc_wire *w)
{
    (void)snprintf(s->target->fault, sizeof s->target->fault, "%s", w->fault);
    return false;
}

/* In real time: runs the devices up to the present, and not beyond `until` (ibc_wire_clock()). A frame that leaves
 * late delays the devices' time: timers may expire late, but never early. A device that never stops sending is
 * interrupted, and continues in the next round. */
static void let_live(struct ag_server *s, uint64_t until)
{
    unsigned from = 0;
    uint64_t at;
    size_t len = 1;

    for (unsigned n = 0; s->real_time && len > 0 && n < MOST_FRAMES; n++) {
        const uint64_t clock = ibc_wire_clock(), now = (clock < until ? clock : until) - s->ahead;
        if (s->target->ops->collect_any(s->target, now, s->frame, &len, &at, &from) != IBC_OK)
            return; /* the next verb reports the error */
        if (len == 0)
            return;
        s->ahead = ibc_wire_clock() - at;
        if (from < s->n_wire)
            /* if the frame has no receiver, it is lost, as on any wire */
            (void)ibc_wire_send(s->wire[from], s->frame, len);
    }
}

/* Timers that expire after a frame's arrival run after the frame, however late it is read: an acknowledgement that
 * came in time stops its timer. */
bool ag_take_in(struct ag_server *s)
{
    enum ibc_wire_got got = IBC_WIRE_FRAME;
    uint64_t at;
    size_t len;

    for (unsigned d = 0; d < s->n_wire; d++) {
        for (unsigned n = 0; n < MOST_FRAMES; n++) {
            got = ibc_wire_receive(s->wire[d], s->arrived, &len, &at, 0);
            if (got != IBC_WIRE_FRAME)
                break;
            let_live(s, at);
            if (len <= IBC_FRAME)
                (void)s->target->ops->inject(s->target, d, s->arrived, len);
        }
        if (got == IBC_WIRE_GONE)
            return wire_gone(s, s->wire[d]);
    }
    let_live(s, UINT64_MAX);
    return true;
}

/* ---- verbs ---- */

/* Refuses a request that is well formed, but requests something impossible. */
static enum ibc_rc bad(struct ag_server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum ibc_rc bad(struct ag_server *s, const char *format, ...)
{
    char text[AG_SENTENCE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ag_refuse(&s->r, AG_E_bad_request, NULL, "%s", text);
    return IBC_BROKEN;
}

/* DO(verb) defines the function of one verb. CALL(op, ...) is the target's result, or UNSUPPORTED if the target has
 * no such function. */
#define DO(verb)                                                                                                       \
    static enum ibc_rc do_##verb(struct ag_server *s, unsigned d, const struct ag_##verb##_args *a,                    \
                                 struct ag_##verb##_ok *ok)
#define CALL(op, ...) (s->target->ops->op ? s->target->ops->op(s->target, __VA_ARGS__) : IBC_UNSUPPORTED)
#define UNUSED(what) (void)(what)

static uint64_t claimed(struct ag_server *s)
{
    uint64_t caps = s->target->ops->capabilities(s->target);

    /* On real time the engine sends more slowly than its limiter allows, so congestion notifications do not change its
     * pace. */
    if (s->real_time)
        caps &= ~(UINT64_C(1) << IBC_CAP_virtual_time | UINT64_C(1) << IBC_CAP_rate_control);
    if (!s->target->ops->cm_open)
        caps &= ~(UINT64_C(1) << IBC_CAP_cm | UINT64_C(1) << IBC_CAP_cm_fields | UINT64_C(1) << IBC_CAP_cm_verbs);
    return ag_devices(s) > 1 ? caps : caps & ~(UINT64_C(1) << IBC_CAP_two_devices);
}

const struct ag_text *ag_boot(void)
{
    static struct ag_text id;
    static bool asked;
    FILE *f = asked ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");

    asked = true;
    if (f && fgets(id.s, sizeof id.s, f))
        id.s[strcspn(id.s, "\n")] = '\0';
    if (f)
        (void)fclose(f);
    return id.s[0] ? &id : NULL;
}

DO(hello)
{
    UNUSED(d);
    if (a->version != AG_VERSION) {
        ag_refuse(&s->r, AG_E_bad_version, NULL, "this agent speaks version %d", (int)AG_VERSION);
        return IBC_BROKEN;
    }
    s->greeted = true;
    ok->version = AG_VERSION;
    (void)snprintf(ok->name.s, sizeof ok->name.s, "%s", s->name);
    ok->devices = ag_devices(s);
    ok->links = s->target->ops->links(s->target);
    ok->capabilities = claimed(s);
    ok->time = s->target->virtual_time && !s->real_time;
    ok->limits = (struct ag_limits){.line = AG_LINE, .bytes = AG_BYTES};
    if (ag_boot()) {
        ok->boot = *ag_boot();
        ok->given |= AG_BIT(hello_ok, boot);
    }
    return IBC_OK;
}

static uint64_t now_of(struct ag_server *s)
{
    return s->target->ops->now ? s->target->ops->now(s->target) : 0;
}

/* Defines the function of a verb without a result. */
#define DO_PLAIN(verb, ...)                                                                                            \
    DO(verb)                                                                                                           \
    {                                                                                                                  \
        UNUSED(ok);                                                                                                    \
        return CALL(verb, d, __VA_ARGS__);                                                                             \
    }

DO(reset)
{
    struct ibc_target *t = s->target;
    enum ibc_rc rc;

    UNUSED(d);
    for (unsigned i = 0; i < s->n_wire; i++)
        ibc_wire_drain(s->wire[i]);
    rc = t->ops->reset(t, (enum ibc_link)a->link, a->seed);
    ok->now = now_of(s);
    s->ahead = ibc_wire_clock() - ok->now;
    ok->device.n = ok->second.n = ag_devices(s);
    for (unsigned i = 0; i < ag_devices(s); i++) {
        ok->device.v[i] = ag_from_address(&t->device[i]);
        ok->second.v[i] = ag_from_address(&t->second[i]);
    }
    if (t->ops->capabilities(t) >> IBC_CAP_two_ports & 1)
        ok->given |= AG_BIT(reset_ok, second);
    ok->stranger = ag_from_address(&t->stranger);
    ok->tester = ag_from_address(&t->tester);
    return rc;
}

DO(create_pd)
{
    UNUSED(a);
    return CALL(create_pd, d, &ok->pd);
}

DO(create_cq)
{
    return CALL(create_cq, d, a->depth, &ok->cq);
}

DO(create_srq)
{
    return CALL(create_srq, d, a->pd, a->depth, a->limit, &ok->srq);
}

DO(create_xrcd)
{
    UNUSED(a);
    return CALL(create_xrcd, d, &ok->xrcd);
}

DO(create_xrc_srq)
{
    const struct ibc_xrc_srq_spec q = {.pd = a->pd, .depth = a->depth, .xrcd = a->xrcd, .cq = a->cq};

    return CALL(create_xrc_srq, d, &q, &ok->srq, &ok->number);
}

DO(create_ah)
{
    const struct ibc_address to = ag_to_address(&a->to);

    return CALL(create_ah, d, a->pd, &to, &ok->ah);
}

DO(create_qp)
{
    const struct ibc_qp_spec q = ag_to_qp_spec(a);

    return CALL(create_qp, d, &q, &ok->qpn);
}

DO(modify_qp)
{
    struct ibc_address room[2];
    struct ibc_qp_attr attr;

    UNUSED(ok);
    ag_to_modify(&attr, a, room);
    return CALL(modify_qp, d, a->qpn, &attr);
}

DO(query_qp)
{
    struct iba_qp_attr attr = {0};
    const enum ibc_rc rc = CALL(query_qp, d, a->qpn, &attr);

    if (rc == IBC_OK)
        ag_from_query(ok, &attr);
    return rc;
}

DO_PLAIN(destroy, (enum ibc_object_kind)a->kind, a->number)

/* The replies of reg_mr and reregister have these members. */
#define TELL_REGION(ok, mr)                                                                                            \
    ((ok)->id = (mr).id, (ok)->va = (mr).va, (ok)->local = (mr).local, (ok)->lkey = (mr).lkey, (ok)->rkey = (mr).rkey)

DO(reg_mr)
{
    const struct ibc_mr_spec spec = ag_to_mr_spec(a);
    struct ibc_mr mr = {0};
    const enum ibc_rc rc = CALL(reg_mr, d, &spec, &mr);

    TELL_REGION(ok, mr);
    return rc;
}

DO(alloc_mw)
{
    if (a->type < 1 || a->type > 3)
        return bad(s, "alloc_mw: type: want 1, 2, or 3 for type 2A");
    return CALL(alloc_mw, d, a->type, a->pd, &ok->rkey);
}

DO_PLAIN(arm_cq, a->cq, a->solicited)
DO_PLAIN(resize_cq, a->cq, a->depth)
DO_PLAIN(arm_srq, a->srq, a->limit)

DO(notified)
{
    return CALL(notified, d, a->cq, &ok->times);
}

DO(post_send)
{
    struct ibc_address room;
    struct ibc_send send;

    UNUSED(ok);
    ag_to_send(&send, a, &room);
    return CALL(post_send, d, a->qpn, &send);
}

DO(post_recv)
{
    const struct iba_recv_wr wr = ag_to_recv(&a->wr);

    UNUSED(ok);
    if (AG_HAS(a, post_recv_args, qpn) == AG_HAS(a, post_recv_args, srq))
        return bad(s, "post_recv: want either qpn or srq");
    if (AG_HAS(a, post_recv_args, qpn))
        return CALL(post_recv, d, a->qpn, &wr);
    return CALL(post_srq_recv, d, a->srq, &wr);
}

DO(poll_cq)
{
    struct iba_wc wc = {0};
    unsigned n = 0;
    const enum ibc_rc rc = CALL(poll_cq, d, a->cq, &wc, &n);

    if (n > 0)
        AG_SET(ok, poll_cq_ok, wc, ag_from_wc(&wc));
    return rc;
}

DO(poll_event)
{
    struct iba_event e = {0};
    unsigned n = 0;
    const enum ibc_rc rc = CALL(poll_event, d, &e, &n);

    UNUSED(a);
    if (n > 0)
        AG_SET(ok, poll_event_ok, event, ag_from_event(&e));
    return rc;
}

DO(cm_open)
{
    const enum ibc_rc rc = CALL(cm_open, d);

    UNUSED(a);
    if (rc == IBC_OK && s->target->cm_service)
        AG_SET(ok, cm_open_ok, service, s->target->cm_service);
    return rc;
}

DO(cm_call)
{
    struct ibc_cm_call c = {.verb = (enum ibc_cm_verb)a->call,
                            .id = a->conn,
                            .backlog = AG_HAS(a, cm_call_args, backlog) ? a->backlog : 0,
                            .datagrams = AG_HAS(a, cm_call_args, datagrams) && a->datagrams,
                            .both = AG_HAS(a, cm_call_args, both) && a->both};

    if (a->hex.n < sizeof c.mad || a->hex.n > sizeof c.mad + sizeof c.compare)
        return bad(s, "cm_call: hex: a datagram of %d bytes, then what a listener compares", (int)sizeof c.mad);
    memcpy(c.mad, a->hex.b, sizeof c.mad);
    c.compare_n = (uint8_t)(a->hex.n - sizeof c.mad);
    memcpy(c.compare, a->hex.b + sizeof c.mad, c.compare_n);
    const enum ibc_rc rc = CALL(cm_call, d, &c);
    ok->conn = c.id;
    return rc;
}

DO(cm_event)
{
    struct iba_cm_event e = {0};
    unsigned n = 0;
    const enum ibc_rc rc = CALL(cm_event, d, &e, &n);

    UNUSED(a);
    ok->kind = n > 0 ? e.kind : IBA_CME_NONE;
    if (n == 0)
        return rc;
    AG_SET(ok, cm_event_ok, conn, e.id);
    AG_SET(ok, cm_event_ok, reason, e.reason);
    ok->given |= AG_BIT(cm_event_ok, hex);
    ok->hex.n = sizeof e.mad;
    memcpy(ok->hex.b, e.mad, sizeof e.mad);
    return rc;
}

DO(cm_attributes)
{
    struct iba_qp_attr attr = {0};
    struct ag_query_qp_ok q;
    const enum ibc_rc rc = CALL(cm_attributes, d, a->conn, (enum iba_qp_state)a->state, &attr);

    _Static_assert(sizeof q == sizeof *ok, "the members of both are the same");
    if (rc == IBC_OK) {
        ag_from_query(&q, &attr);
        memcpy(ok, &q, sizeof q);
    }
    return rc;
}

DO(attach)
{
    const uint16_t usual = s->target->framing == IBA_LINK_IB ? ibc_group_lid(a->gid.b) : 0;

    UNUSED(ok);
    return CALL(attach, d, a->qpn, a->gid.b, AG_HAS(a, attach_args, lid) ? a->lid : usual, a->on);
}

DO(read_memory)
{
    if (a->n > AG_BYTES)
        return bad(s, "read_memory: n: at most %d bytes at once", (int)AG_BYTES);
    ok->hex.n = a->n;
    return CALL(read_memory, d, a->at, ok->hex.b, a->n);
}

DO_PLAIN(write_memory, a->at, a->hex.b, a->hex.n)
DO_PLAIN(page, a->at, a->present)

DO(prefetch)
{
    const struct ibc_prefetch p = {a->at, a->len, a->lkey, a->pd, a->write, a->no_fault, a->later};

    UNUSED(ok);
    return CALL(prefetch, d, &p);
}

DO(reregister)
{
    const struct ibc_reregister r = ag_to_reregister(a);
    struct ibc_mr mr = {0};

    if (r.has_range && !AG_HAS(a, reregister_args, fill))
        return bad(s, "reregister: fill: with length, the letter of the pattern that fills the memory");
    const enum ibc_rc rc = CALL(reregister, d, &r, &mr);
    TELL_REGION(ok, mr);
    return rc;
}

DO_PLAIN(set_port, (enum ibc_key)a->key, a->index, a->value)
DO_PLAIN(set_gid, a->index, a->gid.b)

DO(choose_psn)
{
    UNUSED(a);
    return CALL(choose_psn, d, &ok->psn);
}

DO(counters)
{
    struct ibc_counter c[IBC_MAX_COUNTERS];

    UNUSED(a);
    if (!s->target->ops->counters)
        return IBC_UNSUPPORTED;
    ok->counters.n = s->target->ops->counters(s->target, d, c);
    for (unsigned i = 0; i < ok->counters.n && i < IBC_MAX_COUNTERS; i++) {
        (void)snprintf(ok->counters.c[i].name, sizeof ok->counters.c[i].name, "%s", c[i].name);
        ok->counters.c[i].value = c[i].value;
    }
    return ok->counters.n > 0 ? IBC_OK : IBC_UNSUPPORTED;
}

DO(log)
{
    enum ibc_rc rc;

    ok->text.s[0] = '\0';
    s->target->log_at = AG_HAS(a, log_args, since) ? a->since : 0;
    rc = CALL(log, d, ok->text.s, sizeof ok->text.s);
    if (ok->text.s[0])
        AG_SET(ok, log_ok, text, ok->text);
    if (s->target->log_at > 0)
        AG_SET(ok, log_ok, at, s->target->log_at);
    return rc;
}

/* Advances time until at most one frame leaves: the tester may want to answer it before the next one. */
DO(advance)
{
    struct ibc_target *t = s->target;
    unsigned from = 0;
    uint64_t at = 0;
    size_t len = 0;
    enum ibc_rc rc;

    UNUSED(d);
    if (!t->virtual_time || s->real_time)
        return IBC_UNSUPPORTED;
    rc = ag_devices(s) > 1 ? CALL(collect_any, a->until, s->frame, &len, &at, &from)
                           : CALL(collect, 0, a->until, s->frame, &len, &at);
    ok->now = now_of(s);
    if (rc != IBC_OK || len == 0)
        return rc;
    ok->frames = 1;
    if (from < s->n_wire && !ibc_wire_send(s->wire[from], s->frame, len)) {
        (void)wire_gone(s, s->wire[from]);
        return IBC_BROKEN;
    }
    return IBC_OK;
}

static enum ibc_rc dispatch(struct ag_server *s)
{
    switch (s->q.verb) {
#define CASE(verb)                                                                                                     \
    case AG_V_##verb: return do_##verb(s, s->q.device, &s->q.u.verb, &s->r.u.verb);
        AG_VERBS(CASE)
    default: return IBC_UNSUPPORTED;
    }
}

static enum ibc_rc perform(struct ag_server *s)
{
    enum ibc_rc rc;

    if (s->watched)
        ag_watch_begin(s->out, s->q.id, s->q.verb);
    rc = dispatch(s);
    s->is_late = s->watched && ag_watch_end();
    let_live(s, UINT64_MAX); /* posted work is sent at once */
    return rc;
}

/* ---- answers ---- */

/* Returns the sentence for one of core's error names: "attr_missing", "mem_busy". */
static const char *sentence_of(const char *word)
{
#define SENTENCE(name, text) {#name, text},
    static const struct {
        const char *name, *text;
    } rows[] = {IBA_VERB_ERRS(SENTENCE) IBA_MEM_ERRS(SENTENCE)};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *name = rows[i].name;
        if (strcasecmp(name + (strncmp(name, "VERB_", 5) == 0 ? 5 : 0), word) == 0)
            return rows[i].text;
    }
    return "the device refuses it";
}

static void answer(struct ag_server *s, enum ibc_rc rc)
{
    const struct ibc_target *t = s->target;

    if (s->r.error != AG_FINE)
        return;
    switch (rc) {
    case IBC_OK: break;
    case IBC_REFUSED: ag_refuse(&s->r, AG_E_COUNT, t->refusal, "%s", sentence_of(t->refusal)); break;
    case IBC_UNSUPPORTED:
        ag_refuse(&s->r, AG_E_unsupported, NULL, "%s cannot be done on this device", ag_verb_name(s->q.verb));
        break;
    case IBC_DEAD: ag_refuse(&s->r, AG_E_dead, NULL, "%s", t->fault); break;
    case IBC_BROKEN:
    case IBC_LOST: ag_refuse(&s->r, AG_E_fault, NULL, "%s", t->fault); break;
    }
}

static size_t written(struct ag_server *s, char *reply)
{
    size_t n = ag_write_reply(&s->r, reply, AG_LINE);

    if (n > 0)
        return n;
    ag_refuse(&s->r, AG_E_fault, NULL, "the answer is longer than a line may be");
    return ag_write_reply(&s->r, reply, AG_LINE);
}

/* Compares two tokens in constant time. */
static bool same_token(const char *want, const char *got)
{
    struct ag_text a = {""}, b = {""};
    volatile unsigned differ = 0;

    (void)snprintf(a.s, sizeof a.s, "%s", want);
    (void)snprintf(b.s, sizeof b.s, "%s", got);
    for (size_t i = 0; i < sizeof a.s; i++)
        differ |= (unsigned)(a.s[i] ^ b.s[i]);
    return differ == 0;
}

static bool is_let_in(const struct ag_server *s)
{
    return !s->token || s->greeted ||
           (s->r.error == AG_FINE && s->q.verb == AG_V_hello && same_token(s->token, s->q.u.hello.token.s));
}

size_t ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE])
{
    memset(&s->r, 0, sizeof s->r);
    s->is_late = false;
    (void)ag_read_request(line, len, &s->q, &s->r);
    s->r.verb = s->q.verb;
    if (!is_let_in(s))
        return 0;
    if (s->r.error == AG_FINE && !s->greeted && s->q.verb != AG_V_hello)
        ag_refuse(&s->r, AG_E_no_hello, NULL, "hello comes first");
    if (s->r.error == AG_FINE && s->q.device >= ag_devices(s))
        ag_refuse(&s->r, AG_E_bad_request, NULL, "device: there is one only");
    if (s->r.error == AG_FINE)
        answer(s, s->q.verb == AG_V_reset || ag_take_in(s) ? perform(s) : IBC_BROKEN);
    return s->is_late ? AG_ANSWERED : written(s, reply);
}

size_t ag_serve_too_long(struct ag_server *s, char reply[AG_LINE])
{
    memset(&s->r, 0, sizeof s->r);
    if (s->token && !s->greeted)
        return 0;
    ag_refuse(&s->r, AG_E_line_too_long, NULL, "a line of more than %d bytes", (int)AG_LINE);
    return written(s, reply);
}
