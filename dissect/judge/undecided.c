/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/undecided.h"
#include <assert.h>
#include <stdlib.h>

struct one {
    struct packet packet;
    struct cap_packet cap;
    struct verdict verdict;
    size_t at; /* offset of the packet's bytes, followed by its comment */
};
struct undecided {
    size_t first, n;
    size_t next; /* offset for the next packet's bytes */
    struct one one[UNDECIDED_PACKETS];
    bool taken[UNDECIDED_TABLES];
    struct iba_rmpp_transfer table[UNDECIDED_TABLES];
    uint8_t bytes[UNDECIDED_BYTES];
};

struct undecided *undecided_open(void)
{
    return calloc(1, sizeof(struct undecided));
}

void undecided_close(struct undecided *h)
{
    free(h);
}

static size_t comment_bytes(const struct packet *p)
{
    return p->cap->comment ? strlen(p->cap->comment) + 1 : 0;
}

/* The offset of a free place for n bytes; UNDECIDED_BYTES: there is none. A place never extends over the end of the
 * ring. */
static size_t room(const struct undecided *h, size_t n)
{
    const size_t oldest = h->n ? h->one[h->first].at : 0;

    if (h->n == 0)
        return 0;
    if (h->next > oldest)
        return n < UNDECIDED_BYTES - h->next ? h->next : n < oldest ? 0 : (size_t)UNDECIDED_BYTES;
    return h->next < oldest && n < oldest - h->next ? h->next : (size_t)UNDECIDED_BYTES;
}

bool undecided_fits(const struct undecided *h, const struct packet *p)
{
    return h->n < UNDECIDED_PACKETS &&
           room(h, p->cap->caplen + comment_bytes(p) + p->cap->options.bytes) < UNDECIDED_BYTES;
}

/* Keeps a copy of the table, since the table no longer exists when the packet is printed. If there is no space, the
 * packet is printed without the table. */
static void keep_table(struct undecided *h, struct one *o, const struct iba_rmpp_transfer *t)
{
    unsigned i = 0;

    o->packet.table = NULL;
    while (t && i < UNDECIDED_TABLES && h->taken[i])
        i++;
    if (!t || i == UNDECIDED_TABLES)
        return;
    h->table[i] = *t;
    h->taken[i] = true;
    o->packet.table = &h->table[i];
}

void undecided_push(struct undecided *h, const struct packet *p)
{
    const size_t comment = comment_bytes(p), caplen = p->cap->caplen, options = p->cap->options.bytes;
    const size_t all = caplen + comment + options;
    struct one *o = &h->one[(h->first + h->n) % UNDECIDED_PACKETS];

    assert(undecided_fits(h, p) && all < UNDECIDED_BYTES);
    o->at = room(h, all);
    h->next = o->at + all + (all == 0); /* so that no two have the same offset */
    h->n++;
    memcpy(h->bytes + o->at, p->cap->data, caplen);
    if (comment)
        memcpy(h->bytes + o->at + caplen, p->cap->comment, comment);
    if (options)
        memcpy(h->bytes + o->at + caplen + comment, p->cap->options.list, options);
    o->packet = *p;
    o->cap = *p->cap;
    o->cap.options.list = h->bytes + o->at + caplen + comment;
    o->verdict = *p->verdict;
    o->cap.data = h->bytes + o->at;
    o->cap.comment = comment ? (const char *)h->bytes + o->at + caplen : NULL;
    o->packet.cap = &o->cap;
    keep_table(h, o, p->table);
    o->packet.view.wire = o->cap.data;
    o->packet.verdict = &o->verdict;
}

const struct packet *undecided_first(const struct undecided *h)
{
    return h->n ? &h->one[h->first].packet : NULL;
}

void undecided_drop_first(struct undecided *h)
{
    assert(h->n > 0);
    if (h->one[h->first].packet.table)
        h->taken[h->one[h->first].packet.table - h->table] = false;
    h->first = (h->first + 1) % UNDECIDED_PACKETS;
    h->n--;
}

static struct one *find(struct undecided *h, uint64_t number)
{
    size_t lo = 0, hi = h->n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        struct one *o = &h->one[(h->first + mid) % UNDECIDED_PACKETS];
        if (o->packet.number == number)
            return o;
        if (o->packet.number < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

struct verdict *undecided_verdict(struct undecided *h, uint64_t number)
{
    struct one *o = find(h, number);

    return o ? &o->verdict : NULL;
}

void undecided_response(struct undecided *h, uint64_t request, uint64_t answer)
{
    struct one *o = find(h, request);

    if (o && o->packet.mad_context.response_in == 0)
        o->packet.mad_context.response_in = answer;
}
