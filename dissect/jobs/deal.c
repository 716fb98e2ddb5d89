/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/deal.h"
#include <string.h>

/* A new pair of addresses counts as this many packets, so that pairs that begin together are dealt out evenly. */
enum { NEW_PAIR = 256 };

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint32_t home(const struct deal *d, const struct deal_pair *p)
{
    const uint64_t h = mix(mix(mix(mix(d->seed ^ p->kind, p->low[0]), p->low[1]), p->high[0]), p->high[1]);

    return (uint32_t)(h >> 32) % DEAL_SLOTS;
}

static bool is_same(const struct deal_pair *a, const struct deal_pair *b)
{
    return a->kind == b->kind && a->low[0] == b->low[0] && a->low[1] == b->low[1] && a->high[0] == b->high[0] &&
           a->high[1] == b->high[1];
}

static unsigned least_loaded(const struct deal *d)
{
    unsigned least = 0;

    for (unsigned i = 1; i < d->workers; i++)
        least = d->load[i] < d->load[least] ? i : least;
    return least;
}

/* The worker of a pair that was seen before. DEAL_WORKERS: the pair is new, and `at` is the slot for it. */
static unsigned known(struct deal *d, const struct deal_pair *p, uint32_t *at)
{
    for (*at = home(d, p); d->slot[*at]; *at = (*at + 1) % DEAL_SLOTS) {
        const struct deal_pair *k = &d->pair[d->slot[*at] - 1];
        if (is_same(k, p)) {
            d->load[k->worker]++;
            return k->worker;
        }
    }
    return DEAL_WORKERS;
}

static unsigned remember(struct deal *d, struct deal_pair *p, uint32_t at, unsigned worker)
{
    p->worker = (uint8_t)worker;
    d->pair[d->n++] = *p;
    d->slot[at] = (uint16_t)d->n;
    return worker;
}

/* Finds or chooses the worker of a pair without the decisions of other threads. */
static unsigned decide(struct deal *d, struct deal_pair *p)
{
    uint32_t at;
    unsigned worker = known(d, p, &at);

    if (worker != DEAL_WORKERS || d->n == DEAL_PAIRS)
        return worker;
    worker = least_loaded(d);
    d->load[worker] += NEW_PAIR;
    return remember(d, p, at, worker);
}

static unsigned ask(struct deal *d, struct deal_pair *p)
{
    uint32_t at;
    unsigned worker = known(d, p, &at);

    if (worker != DEAL_WORKERS || d->n == DEAL_PAIRS)
        return worker;
    pthread_mutex_lock(&d->shared->lock);
    worker = decide(&d->shared->deal, p);
    pthread_mutex_unlock(&d->shared->lock);
    return worker == DEAL_WORKERS ? worker : remember(d, p, at, worker);
}

static unsigned find(struct deal *d, struct deal_pair *p)
{
    return d->shared ? ask(d, p) : decide(d, p);
}

void deal_count(struct deal *d)
{
    pthread_mutex_lock(&d->shared->lock);
    for (unsigned i = 0; i < d->workers; i++)
        d->shared->deal.load[i] += d->load[i];
    pthread_mutex_unlock(&d->shared->lock);
    memset(d->load, 0, sizeof d->load);
}

static void put(uint64_t to[2], enum iba_addr_kind kind, const uint8_t *address)
{
    uint8_t bytes[IBA_ADDR_MOST] = {0};

    iba_addr_copy(bytes, kind, address);
    memcpy(to, bytes, sizeof bytes);
}

static bool is_before(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

unsigned deal_ends(struct deal *d, const struct iba_endpoints *e)
{
    struct deal_pair p = {.kind = (uint8_t)e->kind};
    uint64_t src[2], dst[2];

    put(src, e->kind, e->src);
    put(dst, e->kind, e->dst);
    const bool first = is_before(src, dst);
    memcpy(p.low, first ? src : dst, sizeof p.low);
    memcpy(p.high, first ? dst : src, sizeof p.high);
    return find(d, &p);
}

enum { ETHERTYPE = 12, IP = 14, FRAGMENT = IP + 6, PROTOCOL = IP + 9, SRC = IP + 12, DST = IP + 16, PORT = IP + 22 };

bool deal_is_plain(const uint8_t *frame, uint32_t caplen)
{
    enum { BTH = IP + 28, NEEDED = BTH + 12 };
    static const uint8_t roce[] = {4791 >> 8, 4791 & 0xff};

    return caplen >= NEEDED && frame[ETHERTYPE] == 0x08 && frame[ETHERTYPE + 1] == 0 && frame[IP] == 0x45 &&
           (frame[FRAGMENT] & 0x3f) == 0 && frame[FRAGMENT + 1] == 0 && frame[PROTOCOL] == 17 &&
           memcmp(frame + PORT, roce, sizeof roce) == 0 && frame[BTH] >> 5 != IBA_UD;
}

/* Most pairs are found by one comparison here; the others are looked up as those of any addresses are. */
unsigned deal_plain(struct deal *d, const uint8_t *frame)
{
    uint32_t src, dst;

    memcpy(&src, frame + SRC, sizeof src);
    memcpy(&dst, frame + DST, sizeof dst);
    const uint64_t pair = src < dst ? (uint64_t)src << 32 | dst : (uint64_t)dst << 32 | src;
    struct deal_quick *q = &d->quick[mix(d->seed, pair) >> (64 - DEAL_QUICK_BITS)];
    if (q->pair == pair && pair != 0) {
        d->load[q->worker]++;
        return q->worker;
    }
    const unsigned worker = deal_ends(d, &(struct iba_endpoints){IBA_ADDR_IPV4, frame + SRC, frame + DST});
    if (worker != DEAL_WORKERS)
        *q = (struct deal_quick){pair, (uint8_t)worker};
    return worker;
}
