/* SPDX-License-Identifier: BSD-2-Clause */
/* rdma_client and rdma_server: each end sends a message of zeros, then both disconnect. rdma_xclient and
 * rdma_xserver: one message to the server, whose REP has four bytes of private data. */
#include <string.h>
#include "end.h"
#include "transport/iba_wr_ops.h"

enum { PORT = 7471, BYTES = 16, RECV_AT = 0, SEND_AT = 64 };

static void message(struct end *e, unsigned received, unsigned sent)
{
    static const uint8_t zeros[BYTES];

    while (received + sent > 0) {
        const struct iba_wc wc = end_completion(e);
        if (wc.op != IBA_WR_RECV) {
            sent--;
            continue;
        }
        if (wc.byte_len != BYTES || memcmp(e->memory + RECV_AT, zeros, BYTES) != 0)
            die("the message of %u bytes is another one", wc.byte_len);
        received--;
    }
}

/* Both ends may disconnect at the same time: each answers the other's DREQ. */
static void disconnect(struct end *e, uint32_t id)
{
    end_disconnect(e, id);
    for (const struct iba_cm_event *v; (v = end_event_within(e, 5)) != NULL && v->kind != IBA_CME_DREP;)
        if (v->kind != IBA_CME_DREQ)
            die("event %s", iba_cm_event_name((enum iba_cm_event_kind)v->kind));
}

static struct pair *accept(struct end *e, const struct play *play, size_t private_bytes)
{
    static const uint8_t srqn[4];
    struct pair *p = end_pair(e, IBA_QPT_RC);

    end_listen(e, TCP_SPACE, play->port ? play->port : PORT);
    end_accept(e, p, end_event(e, IBA_CME_REQ)->id, srqn, private_bytes);
    memset(e->memory + RECV_AT, 0xee, BYTES);
    end_post_recv(e, p, RECV_AT, BYTES);
    end_established(e, p);
    return p;
}

static struct pair *connect(struct end *e, const struct play *play)
{
    struct pair *p = end_pair(e, IBA_QPT_RC);

    end_connect(e, p, play->port ? play->port : PORT, 7);
    (void)end_event(e, IBA_CME_REP);
    end_confirm(e, p);
    memset(e->memory + RECV_AT, 0xee, BYTES);
    end_post_recv(e, p, RECV_AT, BYTES);
    return p;
}

void play_client(struct end *e, const struct play *play)
{
    const struct pair *p = play->server ? accept(e, play, 0) : connect(e, play);

    if (play->server)
        message(e, 1, 0);
    end_post_send(e, p, SEND_AT, BYTES);
    message(e, play->server ? 0 : 1, 1);
    disconnect(e, p->id);
}

void play_xclient(struct end *e, const struct play *play)
{
    const struct pair *p = play->server ? accept(e, play, 4) : connect(e, play);

    if (play->server)
        message(e, 1, 0);
    else {
        end_post_send(e, p, SEND_AT, BYTES);
        message(e, 0, 1);
    }
    disconnect(e, p->id);
}
