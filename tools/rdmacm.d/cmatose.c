/* SPDX-License-Identifier: BSD-2-Clause */
/* ucmatose: several connections; the server sends on each, then the client, and the server disconnects.
 * cmtime: several connections without data; the client disconnects. */
#include "end.h"
#include "transport/iba_wr_ops.h"

enum { PORT = 7471, RECV_AT = 0, SEND_AT = 65536, RETRIES = 5 };

static struct pair *pair_of(struct end *e, uint32_t id)
{
    struct pair *p = end_pair_of(e, id);

    if (!p)
        die("an event of a connection that is none of ours");
    return p;
}

static void receives(struct end *e, const struct pair *p, const struct play *play)
{
    for (unsigned i = 0; i < play->count; i++)
        end_post_recv(e, p, RECV_AT, play->size);
}

static void send_on_all(struct end *e, const struct play *play)
{
    for (const struct pair *p = e->pair; p < e->pair + PAIRS; p++)
        for (unsigned i = 0; p->used && i < play->count; i++)
            end_post_send(e, p, SEND_AT, play->size);
}

/* Waits until so many messages have arrived, and so many of ours are acknowledged. */
static void exchange(struct end *e, const struct play *play, unsigned received, unsigned sent)
{
    while (received + sent > 0) {
        const struct iba_wc wc = end_completion(e);
        if (wc.op == IBA_WR_RECV && wc.byte_len != play->size)
            die("a message of %u bytes, not %u", wc.byte_len, play->size);
        unsigned *left = wc.op == IBA_WR_RECV ? &received : &sent;
        if (*left == 0)
            die("a message too many");
        --*left;
    }
}

/* Accepts all connections; with `data` each connection first gets its receives. */
static void accept_all(struct end *e, const struct play *play)
{
    end_listen(e, TCP_SPACE, play->port ? play->port : PORT);
    for (unsigned established = 0; established < play->connections;) {
        const struct iba_cm_event *v = end_event_within(e, 1);
        if (v && v->kind == IBA_CME_REQ) {
            struct pair *p = end_pair(e, IBA_QPT_RC);
            end_accept(e, p, v->id, NULL, 0);
            receives(e, p, play);
        } else if (v && v->kind == IBA_CME_ESTABLISHED)
            established++;
        else if (v)
            die("event %s", iba_cm_event_name((enum iba_cm_event_kind)v->kind));
    }
}

static void connect_all(struct end *e, const struct play *play)
{
    for (unsigned i = 0; i < play->connections; i++)
        end_connect(e, end_pair(e, IBA_QPT_RC), play->port ? play->port : PORT, RETRIES);
    for (unsigned i = 0; i < play->connections; i++) {
        struct pair *p = pair_of(e, end_event(e, IBA_CME_REP)->id);
        end_confirm(e, p);
        receives(e, p, play);
    }
}

static void disconnect_all(struct end *e, const struct play *play)
{
    for (const struct pair *p = e->pair; p < e->pair + PAIRS; p++)
        if (p->used)
            end_disconnect(e, p->id);
    for (unsigned i = 0; i < play->connections; i++)
        (void)end_event(e, IBA_CME_DREP);
}

static void all_disconnect(struct end *e, const struct play *play)
{
    for (unsigned i = 0; i < play->connections; i++)
        end_disconnect(e, end_event(e, IBA_CME_DREQ)->id);
}

void play_ucmatose(struct end *e, const struct play *play)
{
    const unsigned all = play->connections * play->count;

    if (play->server) {
        accept_all(e, play);
        send_on_all(e, play);
        exchange(e, play, all, all);
        disconnect_all(e, play);
        return;
    }
    connect_all(e, play);
    exchange(e, play, all, 0);
    send_on_all(e, play);
    exchange(e, play, 0, all);
    all_disconnect(e, play);
}

void play_cmtime(struct end *e, const struct play *play)
{
    const struct play bare = {
        .server = play->server, .port = play->port, .connections = play->connections}; /* no messages */

    if (play->server) {
        accept_all(e, &bare);
        all_disconnect(e, &bare);
        return;
    }
    connect_all(e, &bare);
    disconnect_all(e, &bare);
}
