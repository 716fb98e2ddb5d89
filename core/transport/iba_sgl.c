/* SPDX-License-Identifier: BSD-2-Clause */
/* Scatter and gather: lists of local buffers, each under its own L_Key (QS-55). */
#include <string.h>
#include "transport/deviations.h"
#include "transport/iba_recv.h"

uint64_t iba_sgl_length(const struct iba_sge *sge, unsigned n)
{
    uint64_t length = 0;

    for (unsigned i = 0; i < n; i++)
        length += sge[i].length;
    return length;
}

/* A walk over the pieces of the bytes [at, at + len) of a list, or of blocks. */
struct walk {
    struct iba_ca *ca;
    const struct iba_sge *sge;
    uint32_t n;
    uint32_t pd;
    uint16_t need;     /* enum iba_access */
    bool blocks;       /* `sge` is the first of n blocks */
    uint64_t at;       /* offset into the entry or block; its length or more: it is used up */
    uint64_t distance; /* of two blocks */
    uint64_t block;    /* bytes from the start of the first block to the start of the present one */
};

static void next_entry(struct walk *w)
{
    w->at -= w->sge->length;
    w->n--;
    if (__builtin_expect(w->blocks, 0))
        w->block += w->distance;
    else
        w->sge++;
}

/* Returns the place and the length of the next piece, which has at most `most` bytes. */
static enum iba_wc_status next_piece(struct walk *w, uint64_t most, struct iba_place *place, uint64_t *len,
                                     bool *absent)
{
    while (w->n > 0 && w->at >= w->sge->length)
        next_entry(w);
    if (w->n == 0)
        return IBA_WC_LOCAL_LENGTH;
    const struct iba_sge *e = w->sge;
    *len = e->length - w->at < most ? e->length - w->at : most;
    const struct iba_reach r = {.va = e->addr + w->block + w->at,
                                .length = *len,
                                .key = e->lkey,
                                .pd = w->pd,
                                .qpn = IBA_NONE,
                                .need = w->need};
    const enum iba_mem_verdict v = iba_mem_reach(&w->ca->mem, &r, place);
    w->at += *len;
    *absent = v == IBA_REACH_ABSENT;
    return v == IBA_REACH_OK || v == IBA_REACH_ABSENT ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION;
}

static inline enum iba_wc_status check(struct walk *w, size_t len, bool *absent)
{
    enum iba_wc_status s = IBA_WC_SUCCESS;
    bool missing = false;
    uint64_t piece = 0;

    *absent = false;
    for (uint64_t done = 0; done < len && s == IBA_WC_SUCCESS; done += piece) {
        struct iba_place place;
        s = next_piece(w, len - done, &place, &piece, &missing);
        *absent |= missing;
    }
    return s;
}

enum iba_wc_status iba_sgl_check(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                 size_t len, bool write, bool *absent)
{
    struct walk w = {.ca = ca, .sge = sge, .n = n, .pd = pd, .need = write ? IBA_ACCESS_LOCAL_WRITE : 0, .at = at};

    return check(&w, len, absent);
}

static inline enum iba_wc_status scatter(struct walk *w, const uint8_t *data, size_t len, bool *absent)
{
    uint64_t piece = 0;

    *absent = false;
    for (uint64_t done = 0; done < len; done += piece) {
        struct iba_place place;
        const enum iba_wc_status s = next_piece(w, len - done, &place, &piece, absent);
        if (s != IBA_WC_SUCCESS || *absent)
            return s;
        iba_mem_put(&place, data + done, piece);
    }
    return IBA_WC_SUCCESS;
}

enum iba_wc_status iba_sgl_scatter(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                   const uint8_t *data, size_t len, bool *absent)
{
    struct iba_sge room[IBA_MAX_SGE];
    struct walk w = {.ca = ca,
                     .sge = ca->deviate ? ca->deviate->scatters(ca, sge, n, room) : sge,
                     .n = n,
                     .pd = pd,
                     .need = IBA_ACCESS_LOCAL_WRITE,
                     .at = at};

    return scatter(&w, data, len, absent);
}

enum iba_wc_status iba_sgl_gather(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                  uint8_t *data, size_t len, bool *absent)
{
    struct walk w = {.ca = ca, .sge = sge, .n = n, .pd = pd, .at = at};
    uint64_t piece = 0;

    *absent = false;
    for (uint64_t done = 0; done < len; done += piece) {
        struct iba_place place;
        const enum iba_wc_status s = next_piece(&w, len - done, &place, &piece, absent);
        if (s != IBA_WC_SUCCESS || *absent)
            return s;
        iba_mem_get(&place, data + done, piece);
    }
    return IBA_WC_SUCCESS;
}

/* ---- the buffers of a receive ---- */

uint64_t iba_recv_bytes(const struct iba_recv_wr *wr)
{
    return wr->form == IBA_RECV_BLOCKS ? (uint64_t)wr->block.length * wr->n_block : iba_sgl_length(wr->sge, wr->n_sge);
}

/* Returns the byte of the receive with which byte `at` of its message goes. */
static uint64_t byte_of(const struct iba_recv_wr *wr, uint64_t at)
{
    return wr->most > 0 ? ((uint64_t)wr->at << wr->unit_log) + at : at;
}

/* Whole blocks before byte `at` are skipped at once, since there may be many. */
static struct walk blocks(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr, uint64_t at)
{
    const uint64_t byte = byte_of(wr, at), skipped = byte / wr->block.length;

    return (struct walk){.ca = ca,
                         .sge = &wr->block,
                         .n = skipped < wr->n_block ? (uint32_t)(wr->n_block - skipped) : 0,
                         .pd = pd,
                         .need = IBA_ACCESS_LOCAL_WRITE,
                         .blocks = true,
                         .at = byte % wr->block.length,
                         .distance = wr->distance,
                         .block = skipped * wr->distance};
}

enum iba_wc_status iba_recv_check_other(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr, uint64_t at,
                                        size_t len, bool *absent)
{
    struct walk w;

    if (wr->form == IBA_RECV_LIST)
        return iba_sgl_check(ca, pd, wr->sge, wr->n_sge, byte_of(wr, at), len, true, absent);
    w = blocks(ca, pd, wr, at);
    return check(&w, len, absent);
}

enum iba_wc_status iba_recv_scatter_other(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr, uint64_t at,
                                          const uint8_t *data, size_t len, bool *absent)
{
    struct walk w;

    if (wr->form == IBA_RECV_LIST)
        return iba_sgl_scatter(ca, pd, wr->sge, wr->n_sge, byte_of(wr, at), data, len, absent);
    w = blocks(ca, pd, wr, at);
    return scatter(&w, data, len, absent);
}
