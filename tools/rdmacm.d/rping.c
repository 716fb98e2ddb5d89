/* SPDX-License-Identifier: BSD-2-Clause */
/* rping: the client sends the address of its text, the server READs the text, then WRITEs it to an address that the
 * client gives. Both ends check each byte. */
#include <inttypes.h>
#include <string.h>
#include "end.h"
#include "transport/iba_wr_ops.h"

enum {
    PORT = 7174,
    ADVERT = 16, /* bytes: address 64, R_Key 32, length 32 */
    RECV_AT = 0,
    SEND_AT = 64,
    TEXT_AT = 4096,
    SINK_AT = 4096 + 65536 /* in the region */
};

/* The number of completions of each operation that no call has waited for yet. */
struct done {
    unsigned of[IBA_WR_OP_COUNT];
};

static void await(struct end *e, struct done *d, enum iba_wr_op op)
{
    while (d->of[op] == 0)
        d->of[end_completion(e).op]++;
    d->of[op]--;
}

static void fill(uint8_t *to, unsigned size, unsigned ping)
{
    unsigned at = (unsigned)snprintf((char *)to, size, "rdma-ping-%u: ", ping);

    for (unsigned c = 65 + ping % 58; at < size; at++, c = c == 122 ? 65 : c + 1)
        to[at] = (uint8_t)c;
    to[size - 1] = 0;
}

static void must_be(const uint8_t *is, unsigned size, unsigned ping)
{
    static uint8_t text[65536];

    fill(text, size, ping);
    if (memcmp(is, text, size) != 0)
        die("the text of ping %u is another one", ping);
}

static void advertise(struct end *e, const struct pair *p, size_t at, unsigned size)
{
    uint8_t *m = e->memory + SEND_AT;

    iba_bits_put(m, 0, 64, MEMORY_VA + at);
    iba_bits_put(m, 64, 32, e->rkey);
    iba_bits_put(m, 96, 32, size);
    end_post_send(e, p, SEND_AT, ADVERT);
}

/* Waits for the peer's advert, and posts the next receive. */
static struct iba_send_wr advert(struct end *e, const struct pair *p, struct done *d, enum iba_wr_op op, unsigned size)
{
    const uint8_t *m = e->memory + RECV_AT;

    await(e, d, IBA_WR_RECV);
    const struct iba_send_wr wr = {
        .op = (uint8_t)op, .va = iba_bits_get(m, 0, 64), .rkey = (uint32_t)iba_bits_get(m, 64, 32)};
    if (iba_bits_get(m, 96, 32) != size)
        die("the peer's text has %" PRIu64 " bytes, not %u", iba_bits_get(m, 96, 32), size);
    end_post_recv(e, p, RECV_AT, ADVERT);
    return wr;
}

static void serve(struct end *e, const struct play *play)
{
    struct pair *p = end_pair(e, IBA_QPT_RC);
    struct done d = {{0}};

    end_listen(e, TCP_SPACE, play->port ? play->port : PORT);
    end_accept(e, p, end_event(e, IBA_CME_REQ)->id, NULL, 0);
    end_post_recv(e, p, RECV_AT, ADVERT);
    end_established(e, p);
    for (unsigned ping = 0; ping < play->count; ping++) {
        struct iba_send_wr wr = advert(e, p, &d, IBA_WR_READ, play->size);
        memset(e->memory + TEXT_AT, 0xee, play->size);
        end_post(e, p, &wr, TEXT_AT, play->size);
        await(e, &d, IBA_WR_READ);
        must_be(e->memory + TEXT_AT, play->size, ping);
        end_post_send(e, p, SEND_AT, ADVERT);
        wr = advert(e, p, &d, IBA_WR_WRITE, play->size);
        end_post(e, p, &wr, TEXT_AT, play->size);
        await(e, &d, IBA_WR_WRITE);
        end_post_send(e, p, SEND_AT, ADVERT);
    }
    end_disconnect(e, end_event(e, IBA_CME_DREQ)->id);
}

static void ask(struct end *e, const struct play *play)
{
    struct pair *p = end_pair(e, IBA_QPT_RC);
    struct done d = {{0}};

    end_connect(e, p, play->port ? play->port : PORT, 7);
    (void)end_event(e, IBA_CME_REP);
    end_confirm(e, p);
    end_post_recv(e, p, RECV_AT, ADVERT);
    for (unsigned ping = 0; ping < play->count; ping++) {
        fill(e->memory + TEXT_AT, play->size, ping);
        memset(e->memory + SINK_AT, 0xee, play->size);
        advertise(e, p, TEXT_AT, play->size);
        await(e, &d, IBA_WR_RECV);
        end_post_recv(e, p, RECV_AT, ADVERT);
        await(e, &d, IBA_WR_SEND);
        advertise(e, p, SINK_AT, play->size);
        await(e, &d, IBA_WR_RECV);
        end_post_recv(e, p, RECV_AT, ADVERT);
        await(e, &d, IBA_WR_SEND);
        must_be(e->memory + SINK_AT, play->size, ping);
    }
    end_disconnect(e, p->id);
    (void)end_event(e, IBA_CME_DREP);
}

void play_rping(struct end *e, const struct play *play)
{
    (play->server ? serve : ask)(e, play);
}
