/* SPDX-License-Identifier: BSD-2-Clause */
/* riostream, which speaks librdmacm's rsockets: the private data of each end contain the addresses of a list of
 * buffers and of its data buffer. Messages are WRITEs with Immediate; their immediate data have an operation in bits
 * 31:29. A buffer that is offered by riomap is an entry that its owner writes to the peer's list; the
 * peer then WRITEs to it without a message, and the owner polls its last byte. */
#include <string.h>
#include "end.h"
#include "transport/iba_wr_ops.h"

enum {
    PORT = 7471,
    LIST_AT = 0, /* ours, for the peer to write to: two entries for data buffers, one for an offered buffer */
    SGE = 16,    /* bytes of an entry: address 64, R_Key 32, length 32 */
    OFFER_AT = LIST_AT + 2 * SGE, /* offset 64, then an entry */
    OFFER = 8 + SGE,
    DATA_AT = 4096,      /* the peer's messages */
    DATA = 4096,         /* bytes of it */
    RECEIVES_AT = 16384, /* receives take immediate data only */
    OWN_AT = 32768,      /* buffer for our entries and messages before they are sent */
    BUFFER_AT = 65536,   /* what we offer, and send from */
    SYNC = 16,           /* bytes of the message with which each end begins */
    CONNECT = 40,        /* bytes of private data */
    CREDITS = 384,
    IP_HEADER = 36
};
enum operation { OP_DATA = 0, OP_CREDITS = 4, OP_OFFER = 6, OP_CONTROL = 7 };

struct stream {
    struct end *e;
    struct pair *p;
    const struct play *play;
    struct {
        uint64_t list, data;
        uint32_t list_key, data_key;
    } peer;
    bool synced, over;
    unsigned sent;                 /* work requests whose completion is to come */
    uint8_t marker, writes, reads; /* the last two: next bytes of the pattern */
};

/* The private data of REQ and REP. */
static void format(const struct end *e, uint8_t c[CONNECT])
{
    memset(c, 0, CONNECT);
    c[0] = 1;      /* version */
    c[1] = 1 << 1; /* it offers buffers; numbers in the list are little endian */
    iba_bits_put(c, 16, 16, CREDITS);
    c[7] = 1; /* one buffer at a time */
    iba_bits_put(c, 64, 64, MEMORY_VA + LIST_AT);
    iba_bits_put(c, 128, 32, e->rkey);
    iba_bits_put(c, 160, 32, 2);
    iba_bits_put(c, 192, 64, MEMORY_VA + DATA_AT);
    iba_bits_put(c, 256, 32, e->rkey);
    iba_bits_put(c, 288, 32, DATA);
}

static void learn(struct stream *s, const uint8_t *c)
{
    if (c[0] != 1)
        die("version %u of rsockets, not 1", c[0]);
    s->peer.list = iba_bits_get(c, 64, 64);
    s->peer.list_key = (uint32_t)iba_bits_get(c, 128, 32);
    s->peer.data = iba_bits_get(c, 192, 64);
    s->peer.data_key = (uint32_t)iba_bits_get(c, 256, 32);
}

static void write_message(struct stream *s, enum operation op, uint32_t value, uint64_t va, uint32_t key, size_t at,
                          uint32_t n)
{
    end_post(
        s->e, s->p,
        &(struct iba_send_wr){.op = IBA_WR_WRITE_IMM, .imm_or_key = (uint32_t)op << 29 | value, .va = va, .rkey = key},
        at, n);
    s->sent++;
}

/* Takes a completion: a message of the peer, or a work request of ours that has ended. */
static void take(struct stream *s, const struct iba_wc *wc)
{
    const unsigned op = wc->imm_or_key >> 29, value = wc->imm_or_key & 0x1fffffff;

    if (wc->op != IBA_WR_RECV_WRITE_IMM) {
        s->sent--;
        return;
    }
    if (op == OP_DATA && value != SYNC)
        die("a message of %u bytes, not %d", value, SYNC);
    s->synced |= op == OP_DATA;
    s->over |= op == OP_CONTROL;
    end_post_recv(s->e, s->p, RECEIVES_AT, 1);
}

static void await(struct stream *s, const bool *flag)
{
    while (!*flag) {
        const struct iba_wc wc = end_completion(s->e);
        take(s, &wc);
    }
}

static void await_sent(struct stream *s)
{
    while (s->sent > 0) {
        const struct iba_wc wc = end_completion(s->e);
        take(s, &wc);
    }
}

/* Our buffer's entry, then the first message. */
static void offer(struct stream *s)
{
    uint8_t *m = s->e->memory + OWN_AT;
    const uint64_t offset = 0, va = MEMORY_VA + BUFFER_AT;
    const uint32_t length = s->play->size;

    memcpy(m, &offset, 8); /* in the order of bytes of this machine, which the private data named */
    memcpy(m + 8, &va, 8);
    memcpy(m + 16, &s->e->rkey, 4);
    memcpy(m + 20, &length, 4);
    write_message(s, OP_OFFER, 0, s->peer.list + 2 * SGE, s->peer.list_key, OWN_AT, OFFER);
    write_message(s, OP_DATA, SYNC, s->peer.data, s->peer.data_key, OWN_AT + 64, SYNC);
    await_sent(s);
}

/* Posts so many WRITEs of the whole buffer; the last WRITE has the marker and the pattern. */
static void write_buffer(struct stream *s)
{
    uint8_t *b = s->e->memory + BUFFER_AT;
    const uint8_t *o = s->e->memory + OFFER_AT + 8;
    uint64_t va;
    uint32_t key;

    memcpy(&va, o, 8);
    memcpy(&key, o + 8, 4);
    for (unsigned t = 0; t < s->play->count; t++) {
        if (t + 1 == s->play->count) {
            b[s->play->size - 1] = s->marker++;
            for (unsigned i = 0; i + 1 < s->play->size; i++)
                b[i] = s->writes++;
        }
        end_post(s->e, s->p, &(struct iba_send_wr){.op = IBA_WR_WRITE, .va = va, .rkey = key}, BUFFER_AT,
                 s->play->size);
        s->sent++;
        await_sent(s);
    }
}

static void read_buffer(struct stream *s)
{
    const volatile uint8_t *b = s->e->memory + BUFFER_AT;
    struct iba_wc wc;

    while (b[s->play->size - 1] != s->marker) {
        end_serve(s->e, 0.001);
        while (iba_poll_cq(&s->e->ca, s->e->cqn, &wc) > 0)
            take(s, &wc);
    }
    s->marker++;
    for (unsigned i = 0; i + 1 < s->play->size; i++)
        if (b[i] != s->reads++)
            die("byte %u of a WRITE is another one", i);
}

static void rounds(struct stream *s)
{
    for (unsigned i = 0; i < s->play->connections; i++) {
        if (s->play->server)
            read_buffer(s);
        write_buffer(s);
        if (!s->play->server)
            read_buffer(s);
    }
}

static void start(struct stream *s)
{
    uint8_t own[CONNECT];
    size_t n;

    format(s->e, own);
    s->p = end_pair(s->e, IBA_QPT_RC);
    s->e->memory[BUFFER_AT + s->play->size - 1] = 0xff; /* no marker */
    if (s->play->server) {
        end_listen(s->e, TCP_SPACE, s->play->port ? s->play->port : PORT);
        const struct iba_cm_event *v = end_event(s->e, IBA_CME_REQ);
        learn(s, iba_cm_event_private(v, &n) + IP_HEADER);
        end_accept(s->e, s->p, v->id, own, sizeof own);
    } else {
        end_connect_with(s->e, s->p, s->play->port ? s->play->port : PORT, 7, own, sizeof own);
        learn(s, iba_cm_event_private(end_event(s->e, IBA_CME_REP), &n));
        end_confirm(s->e, s->p);
    }
    for (unsigned i = 0; i < DEPTH; i++)
        end_post_recv(s->e, s->p, RECEIVES_AT, 1);
    if (s->play->server)
        end_established(s->e, s->p);
}

void play_riostream(struct end *e, const struct play *play)
{
    struct stream s = {.e = e, .play = play};

    start(&s);
    if (play->server)
        await(&s, &s.synced);
    offer(&s);
    await(&s, &s.synced);
    rounds(&s);
    if (!play->server)
        write_message(&s, OP_CONTROL, 0, 0, 0, OWN_AT, 0);
    while (!s.over && s.sent > 0) {
        const struct iba_wc wc = end_completion(e);
        take(&s, &wc);
    }
    end_leave(e, s.p->id);
}
