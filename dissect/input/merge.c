/* SPDX-License-Identifier: BSD-2-Clause */
#include "merge.h"

#include <stdlib.h>

struct head {
    struct capture *capture;
    struct cap_packet packet; /* the next packet of its capture, while in the heap */
    uint64_t ts_ns;           /* time of the packet, or of the last packet before it that had one */
};

struct cap_merge {
    size_t count;
    size_t started; /* captures whose first packet was requested */
    /* the source whose packet was returned last, and whose next packet is not in the heap yet; count: none */
    size_t taken;
    size_t size; /* entries in the heap */
    uint8_t heap[CAP_MERGE_MAX];
    struct head heads[];
};

struct cap_merge *cap_merge_open(struct capture *const *captures, size_t count)
{
    if (count == 0 || count > CAP_MERGE_MAX)
        return NULL;
    struct cap_merge *m = calloc(1, sizeof *m + count * sizeof *m->heads);
    if (m == NULL)
        return NULL;
    m->count = m->taken = count;
    for (size_t i = 0; i < count; i++)
        m->heads[i].capture = captures[i];
    return m;
}

static bool earlier(const struct cap_merge *m, uint8_t a, uint8_t b)
{
    uint64_t ta = m->heads[a].ts_ns, tb = m->heads[b].ts_ns;
    return ta != tb ? ta < tb : a < b;
}

/* Moves the entry at index i down in the heap, below all entries with earlier times. */
static void sink(struct cap_merge *m, size_t i)
{
    uint8_t entry = m->heap[i];
    for (size_t child; (child = 2 * i + 1) < m->size; i = child) {
        if (child + 1 < m->size && earlier(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!earlier(m, m->heap[child], entry))
            break;
        m->heap[i] = m->heap[child];
    }
    m->heap[i] = entry;
}

static void push(struct cap_merge *m, uint8_t entry)
{
    size_t i = m->size++;
    for (; i > 0 && earlier(m, entry, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = entry;
}

static enum cap_result advance(struct cap_merge *m, size_t source)
{
    struct head *h = &m->heads[source];
    enum cap_result r = cap_next(h->capture, &h->packet);
    if (r == CAP_PACKET && h->packet.has_ts)
        h->ts_ns = h->packet.ts_ns;
    return r;
}

/* Puts the first packets of all captures into the heap. Stops at each capture that fails; the next call continues after
 * it. */
static enum cap_result start(struct cap_merge *m, size_t *source)
{
    while (m->started < m->count) {
        size_t i = m->started++;
        enum cap_result r = advance(m, i);
        if (r == CAP_PACKET)
            push(m, (uint8_t)i);
        *source = i;
        if (r == CAP_ERROR)
            return CAP_ERROR;
    }
    return CAP_PACKET;
}

/* Replaces the packet that was returned last, which is still at the heap's top, by the next packet of its capture. */
static enum cap_result replace(struct cap_merge *m, size_t *source)
{
    if (m->taken == m->count)
        return CAP_PACKET;
    *source = m->taken;
    m->taken = m->count;
    enum cap_result r = advance(m, *source);
    if (r != CAP_PACKET)
        m->heap[0] = m->heap[--m->size];
    if (m->size > 0)
        sink(m, 0);
    return r;
}

enum cap_result cap_merge_next(struct cap_merge *m, struct cap_packet *p, size_t *source)
{
    if (start(m, source) == CAP_ERROR || replace(m, source) == CAP_ERROR)
        return CAP_ERROR;
    if (m->size == 0)
        return CAP_END;
    m->taken = *source = m->heap[0];
    *p = m->heads[m->taken].packet;
    return CAP_PACKET;
}

void cap_merge_close(struct cap_merge *m)
{
    free(m);
}
