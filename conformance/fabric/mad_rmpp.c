/* SPDX-License-Identifier: BSD-2-Clause */
#include "mad_rmpp.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_port.h"
#include "mad/iba_mad.h"
#include "mad/iba_mad_add.h"
#include "mad_send.h"

enum { VENDOR_FIRST = 0x30, VENDOR_LAST = 0x4f, CLASS_DEVICE_ADMINISTRATION = 0x10, CLASS_BIS = 0x12 };
enum { VENDOR_HEADER = 40, SA_HEADER = 56, DEVICE_HEADER = 64 };
enum { RMPP_VERSION = 1, RMPP_HEADER_END = 36, RMPP_DATA_MOST = IBA_MAD_BYTES - RMPP_HEADER_END };
enum { WINDOW = 64 }; /* segments that a receiver takes without an ACK, after the first one */
/* Status of STOP and ABORT (MD-45). */
enum {
    NO_RESOURCES = 1,
    TOTAL_TIME = 118,
    LAST_AND_PAYLOAD = 119,
    FIRST_AND_SEGMENT = 120,
    BAD_TYPE = 121,
    WINDOW_TOO_SMALL = 122,
    SEGMENT_TOO_BIG = 123,
    BAD_STATUS = 124,
    BAD_VERSION = 125,
    TOO_MANY_RETRIES = 126
};
#define MS UINT64_C(1000000)
#define ACK_NS (2000 * MS)      /* longest time for which a sender waits for an ACK */
#define TOTAL_NS (40000 * MS)   /* longest time of a transfer (MD-52) */
#define REPEATS_NS (10000 * MS) /* so long a receiver still sends the last ACK again (MD-43) */

/* ---- the header ---- */

/* Returns the bytes before the data of a segment: the class decides (MD-40). 0: the class has no RMPP header. */
static uint32_t header_of(unsigned class)
{
    if (class == IBA_CLASS_SA)
        return SA_HEADER;
    if (class == CLASS_DEVICE_ADMINISTRATION || class == CLASS_BIS)
        return DEVICE_HEADER;
    return class >= VENDOR_FIRST && class <= VENDOR_LAST ? VENDOR_HEADER : 0;
}

bool mad_rmpp_has_class(unsigned class)
{
    return header_of(class) != 0;
}

bool mad_rmpp_is_active(const uint8_t *mad, size_t len)
{
    return len >= RMPP_HEADER_END && mad_rmpp_has_class(iba_madhdr_mgmtclass(mad)) &&
           iba_rmpp_rmppflag_active(mad + IBA_RMPP_AT);
}

static uint32_t stride_of(unsigned class)
{
    return IBA_MAD_BYTES - header_of(class);
}

uint32_t mad_rmpp_segments(unsigned class, uint32_t bytes)
{
    const uint32_t header = header_of(class), stride = stride_of(class);

    if (bytes < header)
        return 0;
    return bytes == header ? 1 : (bytes - header + stride - 1) / stride; /* MD-101: an empty table is a segment, too */
}

uint32_t mad_rmpp_room(unsigned class, uint32_t segments)
{
    return header_of(class) + segments * stride_of(class);
}

/* ---- sending ---- */

static void set_rmpp(uint8_t *mad, unsigned type, unsigned status, uint32_t data1, uint32_t data2)
{
    uint8_t *rmpp = mad + IBA_RMPP_AT;

    iba_rmpp_set_rmppversion(rmpp, RMPP_VERSION);
    iba_rmpp_set_rmpptype(rmpp, type);
    iba_rmpp_set_rmppflag_active(rmpp, 1);
    iba_rmpp_set_rmppflag_first(rmpp, 0);
    iba_rmpp_set_rmppflag_last(rmpp, 0);
    iba_rmpp_set_rmppstatus(rmpp, status);
    iba_rmpp_set_data1(rmpp, data1);
    iba_rmpp_set_data2(rmpp, data2);
}

/* MD-39, MD-40: the first segment has the payload of all, the last one its own. */
static int send_segment(struct mad_layer *l, const struct mad_send *s, uint32_t number)
{
    const unsigned class = iba_madhdr_mgmtclass(s->mad);
    const uint32_t header = header_of(class), stride = stride_of(class);
    const uint32_t padding = header + s->segments * stride - s->bytes;
    uint32_t payload = 0;
    uint8_t mad[IBA_MAD_BYTES];

    memcpy(mad, s->mad, header);
    memcpy(mad + header, s->mad + header + (number - 1) * stride, stride);
    if (number == 1)
        payload = s->segments * RMPP_DATA_MOST - padding;
    if (number == s->segments)
        payload = RMPP_DATA_MOST - padding;
    set_rmpp(mad, IBA_RMPP_DATA, 0, number, payload);
    iba_rmpp_set_rmppflag_first(mad + IBA_RMPP_AT, number == 1);
    iba_rmpp_set_rmppflag_last(mad + IBA_RMPP_AT, number == s->segments);
    return mad_send_now(l, s->open, &s->to, mad);
}

/* Sends the segments that the window lets out (MD-42). */
static bool send_window(struct mad_layer *l, struct mad_send *s)
{
    const iba_time wait = s->to.timeout_ms * MS;
    bool good = true;

    while (good && s->sent < s->window)
        good = send_segment(l, s, ++s->sent) == 0;
    s->due = subnet_now(l->subnet) + (wait && wait < ACK_NS ? wait : ACK_NS);
    return good;
}

bool mad_rmpp_start(struct mad_layer *l, struct mad_send *s)
{
    s->window = 1; /* MD-41 */
    return send_window(l, s);
}

/* Sends ACK, STOP or ABORT as the receiver of a datagram: it has the header of the datagram, from the other side. */
static void answer(struct mad_layer *l, unsigned open, const struct mad_envelope *e, const uint8_t *mad, unsigned type,
                   unsigned status, uint32_t data1, uint32_t data2)
{
    uint8_t out[IBA_MAD_BYTES] = {0};
    struct mad_envelope to = *e;

    memcpy(out, mad, header_of(iba_madhdr_mgmtclass(mad)));
    iba_madhdr_set_method(out, iba_madhdr_method(out) ^ IBA_METHOD_RESPONSE);
    set_rmpp(out, type, status, data1, data2);
    to.qkey = htonl(IBA_GSI_QKEY);
    (void)mad_send_now(l, open, &to, out);
}

static void abort_send(struct mad_layer *l, struct mad_send *s, unsigned status)
{
    uint8_t out[IBA_MAD_BYTES] = {0};

    memcpy(out, s->mad, header_of(iba_madhdr_mgmtclass(s->mad)));
    set_rmpp(out, IBA_RMPP_ABORT, status, 0, 0);
    (void)mad_send_now(l, s->open, &s->to, out);
}

/* MD-44: segments after the last ACK are sent again, and at last the transaction is aborted. */
bool mad_rmpp_expire(struct mad_layer *l, struct mad_send *s)
{
    if (s->acked == s->segments)
        return false;
    if (s->retries == 0) {
        abort_send(l, s, TOO_MANY_RETRIES);
        mad_send_fail(l, s, ETIMEDOUT);
        return true;
    }
    s->retries--;
    s->sent = s->acked;
    (void)send_window(l, s);
    return true;
}

/* ---- transfers ---- */

static void end_transfer(struct mad_transfer *t)
{
    free(t->mad);
    *t = (struct mad_transfer){0};
}

void mad_rmpp_forget(struct mad_layer *l, unsigned open, unsigned agent)
{
    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        if (l->transfer[i].used && l->transfer[i].open == open && l->transfer[i].agent == agent)
            end_transfer(&l->transfer[i]);
}

static bool is_of(const struct mad_transfer *t, unsigned open, unsigned agent, const struct mad_envelope *e,
                  const uint8_t *mad)
{
    return t->used && t->open == open && t->agent == agent && t->tid == iba_madhdr_transactionid(mad) &&
           t->class == iba_madhdr_mgmtclass(mad) && t->from.lid == e->lid;
}

static struct mad_transfer *find_transfer(struct mad_layer *l, unsigned open, unsigned agent,
                                          const struct mad_envelope *e, const uint8_t *mad)
{
    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        if (is_of(&l->transfer[i], open, agent, e, mad) && l->transfer[i].method == iba_madhdr_method(mad))
            return &l->transfer[i];
    return NULL;
}

/* Returns an entry that is free, or that only remembers a whole transfer. NULL: all are in use. */
static struct mad_transfer *free_transfer(struct mad_layer *l)
{
    struct mad_transfer *found = NULL;

    for (unsigned i = 0; i < MAD_TRANSFERS; i++) {
        struct mad_transfer *t = &l->transfer[i];
        if (!t->used)
            return t;
        if (t->whole && (!found || t->due < found->due))
            found = t;
    }
    return found;
}

static struct mad_transfer *begin(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                                  const uint8_t *mad)
{
    struct mad_transfer *t = free_transfer(l);

    if (!t) {
        answer(l, open, e, mad, IBA_RMPP_STOP, NO_RESOURCES, 0, 0);
        return NULL;
    }
    end_transfer(t);
    *t = (struct mad_transfer){.used = true,
                               .open = (uint8_t)open,
                               .agent = (uint8_t)agent,
                               .tid = iba_madhdr_transactionid(mad),
                               .from = *e,
                               .class = (uint8_t)iba_madhdr_mgmtclass(mad),
                               .method = (uint8_t)iba_madhdr_method(mad),
                               .window = 1,
                               .due = subnet_now(l->subnet) + TOTAL_NS};
    return t;
}

static bool grow(struct mad_transfer *t, uint32_t segment)
{
    const uint32_t need = mad_rmpp_room(t->class, segment);
    const uint32_t room = need < 2 * t->room ? 2 * t->room : need;
    uint8_t *more;

    if (need <= t->room)
        return true;
    more = realloc(t->mad, room);
    if (!more)
        return false;
    t->mad = more;
    t->room = room;
    return true;
}

static bool is_seen(const struct mad_transfer *t, uint32_t segment)
{
    return t->seen[segment / 64] >> segment % 64 & 1;
}

static bool keep_segment(struct mad_transfer *t, uint32_t segment, const uint8_t *mad)
{
    const uint32_t header = header_of(t->class), stride = stride_of(t->class);
    const uint8_t *rmpp = mad + IBA_RMPP_AT;

    if (!grow(t, segment))
        return false;
    if (segment == 1)
        memcpy(t->mad, mad, header);
    memcpy(t->mad + header + (segment - 1) * stride, mad + header, stride);
    t->seen[segment / 64] |= UINT64_C(1) << segment % 64;
    if (iba_rmpp_rmppflag_last(rmpp)) {
        t->last = segment;
        t->last_bytes = iba_rmpp_data2(rmpp) - (RMPP_DATA_MOST - stride);
    }
    while (t->got < MAD_SEGMENTS && is_seen(t, t->got + 1))
        t->got++;
    return true;
}

/* Returns the request or transaction that the datagram is about. One that went to another LID is none: its timer must
 * not stop for segments of a stranger, whose transfer may end without an answer. */
static struct mad_send *request_of(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                                   const uint8_t *mad)
{
    struct mad_send *s =
        mad_send_find(l, open, agent, iba_madhdr_transactionid(mad), (uint8_t)iba_madhdr_mgmtclass(mad));

    return s && s->to.lid == e->lid ? s : NULL;
}

/* The program gets the whole transaction, and its request is no longer open. */
static void complete(struct mad_layer *l, struct mad_transfer *t)
{
    struct mad_envelope e = t->from;
    uint8_t *mad = t->mad;
    const uint32_t bytes = header_of(t->class) + (t->last - 1) * stride_of(t->class) + t->last_bytes;
    const unsigned open = t->open;
    struct mad_send *s = t->method & IBA_METHOD_RESPONSE ? request_of(l, t->open, t->agent, &t->from, mad) : NULL;

    t->whole = true;
    t->mad = NULL;
    t->due = subnet_now(l->subnet) + REPEATS_NS;
    if (s)
        mad_send_forget(l, s);
    l->deliver(l->ctx, open, &e, mad, bytes);
    free(mad);
}

/* MD-39, MD-46: returns the status of the ABORT that a wrong segment gets; 0: it is right. */
static unsigned fault_of(const uint8_t *mad)
{
    const uint8_t *rmpp = mad + IBA_RMPP_AT;
    const uint32_t segment = iba_rmpp_data1(rmpp), payload = iba_rmpp_data2(rmpp);
    const uint32_t least = RMPP_DATA_MOST - stride_of(iba_madhdr_mgmtclass(mad));

    if (iba_rmpp_rmppstatus(rmpp))
        return BAD_STATUS;
    if (segment == 0 || (segment == 1) != (iba_rmpp_rmppflag_first(rmpp) != 0))
        return FIRST_AND_SEGMENT;
    if (iba_rmpp_rmppflag_last(rmpp) && (payload < least || payload > RMPP_DATA_MOST))
        return LAST_AND_PAYLOAD;
    return segment > MAD_SEGMENTS ? SEGMENT_TOO_BIG : 0;
}

/* Ends a transaction that broke a rule: the other side gets an ABORT. */
static void refuse(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e, const uint8_t *mad,
                   unsigned status)
{
    struct mad_transfer *t = find_transfer(l, open, agent, e, mad);
    struct mad_send *s = request_of(l, open, agent, e, mad);

    answer(l, open, e, mad, IBA_RMPP_ABORT, status, 0, 0);
    if (t)
        end_transfer(t);
    if (s)
        mad_send_fail(l, s, ECONNABORTED);
}

static void receive_data(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                         const uint8_t *mad)
{
    const uint8_t *rmpp = mad + IBA_RMPP_AT;
    const bool response = iba_madhdr_method(mad) & IBA_METHOD_RESPONSE;
    const uint32_t segment = iba_rmpp_data1(rmpp);
    struct mad_transfer *t = find_transfer(l, open, agent, e, mad);
    struct mad_send *s = response ? request_of(l, open, agent, e, mad) : NULL;
    const unsigned fault = fault_of(mad);

    if (fault || (t && t->last && segment > t->last)) {
        refuse(l, open, agent, e, mad, fault ? fault : LAST_AND_PAYLOAD);
        return;
    }
    if (!t && (segment != 1 || (response && !s) || !(t = begin(l, open, agent, e, mad))))
        return;
    if (t->whole || segment <= t->got) {
        answer(l, open, e, mad, IBA_RMPP_ACK, 0, t->got, t->window); /* MD-43 */
        return;
    }
    if (segment > t->window || is_seen(t, segment) || !keep_segment(t, segment, mad))
        return;
    if (s) { /* It is not sent again. If another request has its transaction ID, only this time limit ends it. */
        s->due = t->due;
        s->retries = 0;
    }
    if (t->got == t->window && t->got != t->last)
        t->window += WINDOW;
    else if (t->got != t->last)
        return;
    answer(l, open, e, mad, IBA_RMPP_ACK, 0, t->got, t->window);
    if (t->got == t->last)
        complete(l, t);
}

/* ---- ACK, STOP, ABORT ---- */

static void receive_ack(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                        const uint8_t *mad)
{
    const uint8_t *rmpp = mad + IBA_RMPP_AT;
    const uint32_t segment = iba_rmpp_data1(rmpp), window = iba_rmpp_data2(rmpp);
    struct mad_send *s = request_of(l, open, agent, e, mad);

    if (iba_rmpp_rmppstatus(rmpp) || window < segment) { /* MD-48, MD-49 */
        refuse(l, open, agent, e, mad, iba_rmpp_rmppstatus(rmpp) ? BAD_STATUS : WINDOW_TOO_SMALL);
        return;
    }
    if (!s || !s->segments)
        return;
    if (s->acked == s->segments) { /* the direction turns: the answer may begin (MD-51) */
        if (segment == 0)
            answer(l, open, e, mad, IBA_RMPP_ACK, 0, 0, WINDOW);
        return;
    }
    if (segment > s->window) {
        refuse(l, open, agent, e, mad, SEGMENT_TOO_BIG);
        return;
    }
    if (window < s->window || segment < s->acked)
        return; /* an old one */
    s->retries = segment > s->acked ? s->to.retries : s->retries;
    s->acked = segment;
    s->window = window < s->segments ? window : s->segments;
    if (s->acked < s->segments)
        (void)send_window(l, s);
    else if (s->to.timeout_ms == 0 || iba_madhdr_method(s->mad) & IBA_METHOD_RESPONSE)
        mad_send_forget(l, s);
    else
        s->due = subnet_now(l->subnet) + s->to.timeout_ms * MS;
}

/* MD-50: these get no answer. A program that waits for one gets its request back. */
static void receive_end(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                        const uint8_t *mad)
{
    struct mad_send *s = request_of(l, open, agent, e, mad);

    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        if (is_of(&l->transfer[i], open, agent, e, mad))
            end_transfer(&l->transfer[i]);
    if (s)
        mad_send_fail(l, s, ECONNABORTED);
}

void mad_rmpp_received(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                       const uint8_t *mad)
{
    const uint8_t *rmpp = mad + IBA_RMPP_AT;

    switch (iba_rmpp_rmpptype(rmpp)) {
    case IBA_RMPP_STOP:
    case IBA_RMPP_ABORT: receive_end(l, open, agent, e, mad); return;
    default: break;
    }
    if (iba_rmpp_rmppversion(rmpp) != RMPP_VERSION)
        refuse(l, open, agent, e, mad, BAD_VERSION);
    else if (iba_rmpp_rmpptype(rmpp) == IBA_RMPP_DATA)
        receive_data(l, open, agent, e, mad);
    else if (iba_rmpp_rmpptype(rmpp) == IBA_RMPP_ACK)
        receive_ack(l, open, agent, e, mad);
    else
        refuse(l, open, agent, e, mad, BAD_TYPE);
}

/* ---- time ---- */

static void give_up(struct mad_layer *l, struct mad_transfer *t)
{
    const unsigned open = t->open, agent = t->agent;
    const struct mad_envelope from = t->from;
    uint8_t header[DEVICE_HEADER] = {0};
    struct mad_send *s;

    memcpy(header, t->mad, header_of(t->class));
    s = t->method & IBA_METHOD_RESPONSE ? request_of(l, open, agent, &from, header) : NULL;
    end_transfer(t);
    answer(l, open, &from, header, IBA_RMPP_ABORT, TOTAL_TIME, 0, 0);
    if (s)
        mad_send_fail(l, s, ETIMEDOUT);
}

void mad_rmpp_advance(struct mad_layer *l)
{
    const iba_time now = subnet_now(l->subnet);

    for (unsigned i = 0; i < MAD_TRANSFERS; i++) {
        struct mad_transfer *t = &l->transfer[i];
        if (!t->used || t->due > now)
            continue;
        if (t->whole || !t->mad)
            end_transfer(t);
        else
            give_up(l, t);
    }
}

iba_time mad_rmpp_deadline(const struct mad_layer *l)
{
    iba_time first = IBA_NEVER;

    for (unsigned i = 0; i < MAD_TRANSFERS; i++)
        if (l->transfer[i].used && l->transfer[i].due < first)
            first = l->transfer[i].due;
    return first;
}
