/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/chunk.h"
#include <string.h>
#include "link.h"
#include "mad/iba_mad.h"
#include "system/signals.h"

_Static_assert(sizeof(struct dealt) == 64, "one line of a cache");

size_t chunk_bytes(struct chunk *c, const struct reading *r, uint64_t number)
{
    c->n = c->used = 0;
    memset(c->of, 0, sizeof c->of);
    c->datagrams = (struct chunk_list){0};
    if (!r->in_pieces)
        return 0;
    const ssize_t have = cap_read_at(r->capture[0], c->bytes, CHUNK_BYTES, number * CHUNK_BYTES);
    return have < 0 ? 0 : (size_t)have;
}

/* ---- finding packets ---- */

/* --from and --to. */
static bool is_wanted(struct reading *r, const struct cap_packet *cap)
{
    const struct window *w = &r->opt->window;

    if (!r->timed) {
        r->begin_ns = cap->ts_ns;
        r->timed = true;
    }
    return (!w->from.set && !w->to.set) || window_has(w, r->begin_ns, cap->ts_ns);
}

/* Whether the packet is a management datagram, which all workers must see. A packet that is plainly RoCEv2 data is not
 * parsed for that. */
static bool is_datagram(struct reading *r, const struct dealt *d)
{
    if (d->plain)
        return false;
    (void)iba_view_parse(&r->view, (enum iba_link)d->link, d->data, d->caplen, d->len, &r->opt->view);
    return iba_mad_in(&r->view);
}

static const uint8_t *kept(struct chunk *c, const struct reading *r, const struct cap_packet *cap)
{
    uint8_t *to = c->bytes + c->used;

    if (r->in_pieces)
        return cap->data;
    memcpy(to, cap->data, cap->caplen);
    c->used += cap->caplen;
    return to;
}

static void say_progress(const struct reading *r)
{
    uint64_t bytes = 0, done, total;

    for (size_t i = 0; i < r->n_capture; i++) {
        cap_progress(r->capture[i], &done, &total);
        bytes += done;
    }
    r->progress(r->ctx, r->read, bytes);
}

/* Takes a packet into the chunk. False: the run cannot be split, as when time steps back: a worker's statistics see
 * only the worker's packets, so they would not notice a step back among other packets. */
static bool one_packet(struct chunk *c, struct reading *r, struct cap_packet *cap, size_t source)
{
    enum { PROGRESS_EVERY = 1 << 16 };
    enum iba_link link;

    cap_erf_time(cap);
    if (!cap->has_ts || cap->ts_ns < r->last_ns || !link_of(r->opt, cap->dlt, &link))
        return false;
    r->last_ns = cap->ts_ns;
    if (!is_wanted(r, cap))
        return true;
    if (r->read++ == 0)
        r->first_ns = cap->ts_ns;
    else if (cap->point != r->point)
        r->several = true;
    r->point = cap->point;
    if (r->read % PROGRESS_EVERY == 0)
        say_progress(r);
    struct dealt *d = &c->packet[c->n++];
    *d = (struct dealt){.data = kept(c, r, cap),
                        .ts_ns = cap->ts_ns,
                        .frame = r->read,
                        .number = cap->number,
                        .caplen = cap->caplen,
                        .len = cap->len,
                        .link = (uint8_t)link,
                        .source = (uint8_t)source,
                        .point = cap->point,
                        .plain = link == IBA_LINK_ETHERNET && deal_is_plain(cap->data, cap->caplen)};
    d->is_datagram = is_datagram(r, d);
    return true;
}

/* Gives the capture the chunk's bytes. Returns the offset in the file before which all packets of the chunk begin. */
static uint64_t place_piece(struct chunk *c, const struct reading *r, uint64_t number, size_t have)
{
    struct capture *capture = r->capture[0];
    const uint64_t place = cap_place(capture);
    uint64_t begin = number * CHUNK_BYTES;

    if (place < begin) { /* the chunks before this one had no room for all their packets */
        begin = place;
        const ssize_t got = cap_read_at(capture, c->bytes, CHUNK_BYTES, begin);
        have = got < 0 ? 0 : (size_t)got;
    }
    if (place < begin + CHUNK_BYTES)
        cap_piece(capture, c->bytes, have, CHUNK_SIZE, begin);
    return begin + CHUNK_BYTES;
}

static bool has_room(const struct chunk *c, const struct reading *r, uint64_t end)
{
    if (c->n == CHUNK_PACKETS)
        return false;
    return r->in_pieces ? cap_place(r->capture[0]) < end : c->used < CHUNK_BYTES;
}

__attribute__((hot)) enum reading_end chunk_find(struct chunk *c, struct reading *r, uint64_t number, size_t have)
{
    const uint64_t end = r->in_pieces ? place_piece(c, r, number, have) : 0;
    struct cap_packet cap;
    size_t source = 0;

    if (signals_came())
        return READING_OVER;
    while (has_room(c, r, end)) {
        const enum cap_result got = r->merge ? cap_merge_next(r->merge, &cap, &source) : cap_next(r->capture[0], &cap);
        if (got == CAP_END)
            return READING_OVER;
        if (got == CAP_ERROR || !one_packet(c, r, &cap, source))
            return READING_VAIN;
    }
    return READING_ON;
}

/* ---- dealing them out ---- */

/* Computes all that needs the packet's bytes. The thread that has just read a long packet does it, since its core has
 * the bytes in the cache. */
static void use_bytes(struct dealt *d, struct iba_view *v, const struct options *opt)
{
    if (opt->check_crc) {
        iba_view_check(v);
        d->icrc = (uint8_t)v->icrc;
        d->vcrc = (uint8_t)v->vcrc;
        d->checked = true;
    }
    d->has_content = opt->judge && iba_view_has_bth(v);
    if (d->has_content)
        d->content = iba_observer_content(v);
}

/* The worker that gets the packet; DEAL_WORKERS: the run cannot be split. */
static unsigned worker_of(struct dealt *d, const struct reading *r, struct deal *deal)
{
    enum { LONG = 512 };
    struct iba_endpoints e;
    struct iba_view v;

    if (!d->plain || d->caplen >= LONG)
        (void)iba_view_parse(&v, (enum iba_link)d->link, d->data, d->caplen, d->len, &r->opt->view);
    if (d->caplen >= LONG)
        use_bytes(d, &v, r->opt);
    if (d->plain)
        return deal_plain(deal, d->data);
    return iba_endpoints_of(&e, &v) ? deal_ends(deal, &e) : 0;
}

/* Lists the packets of each worker, and the datagrams that all workers follow, in their order. */
static void list(struct chunk *c, unsigned workers)
{
    unsigned from = 0;

    for (unsigned w = 0; w < workers; from += c->of[w++].n)
        c->of[w].from = (uint16_t)from;
    for (unsigned w = 0; w < workers; w++)
        c->of[w].n = 0;
    for (unsigned i = 0; i < c->n; i++) {
        struct chunk_list *l = &c->of[c->packet[i].worker];
        c->order[l->from + l->n++] = (uint16_t)i;
        if (c->packet[i].is_datagram)
            c->datagram[c->datagrams.n++] = (uint16_t)i;
    }
}

__attribute__((hot)) bool chunk_deal(struct chunk *c, const struct reading *r, struct deal *deal)
{
    for (unsigned i = 0; i < c->n; i++) {
        const unsigned to = worker_of(&c->packet[i], r, deal);
        if (to == DEAL_WORKERS)
            return false;
        c->packet[i].worker = (uint8_t)to;
        c->of[to].n++;
    }
    list(c, r->opt->jobs);
    return true;
}
