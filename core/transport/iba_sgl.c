/* SPDX-License-Identifier: BSD-2-Clause */
/* Scatter and gather: lists of local buffers, each under its own L_Key (QS-55). */
#include <string.h>
#include "transport/deviations.h"

uint64_t iba_sgl_length(const struct iba_sge *sge, unsigned n)
{
    uint64_t length = 0;

    for (unsigned i = 0; i < n; i++)
        length += sge[i].length;
    return length;
}

/* A walk over the pieces of the bytes [at, at + len) of the list. */
struct walk {
    struct iba_ca *ca;
    const struct iba_sge *sge;
    unsigned n;
    uint32_t pd;
    uint16_t need; /* enum iba_access */
    uint64_t at;   /* offset into the entry; its length or more: the entry is used up */
};

/* Returns the place and the length of the next piece, which has at most `most` bytes. */
static enum iba_wc_status next_piece(struct walk *w, uint64_t most, struct iba_place *place, uint64_t *len,
                                     bool *absent)
{
    while (w->n > 0 && w->at >= w->sge->length) {
        w->at -= w->sge->length;
        w->sge++;
        w->n--;
    }
    if (w->n == 0)
        return IBA_WC_LOCAL_LENGTH;
    const struct iba_sge *e = w->sge;
    *len = e->length - w->at < most ? e->length - w->at : most;
    const struct iba_reach r = {
        .va = e->addr + w->at, .length = *len, .key = e->lkey, .pd = w->pd, .qpn = IBA_NONE, .need = w->need};
    const enum iba_mem_verdict v = iba_mem_reach(&w->ca->mem, &r, place);
    w->at += *len;
    *absent = v == IBA_REACH_ABSENT;
    return v == IBA_REACH_OK || v == IBA_REACH_ABSENT ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION;
}

enum iba_wc_status iba_sgl_check(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                 size_t len, bool write, bool *absent)
{
    struct walk w = {ca, sge, n, pd, write ? IBA_ACCESS_LOCAL_WRITE : 0, at};
    enum iba_wc_status s = IBA_WC_SUCCESS;
    bool missing = false;
    uint64_t piece = 0;

    *absent = false;
    for (uint64_t done = 0; done < len && s == IBA_WC_SUCCESS; done += piece) {
        struct iba_place place;
        s = next_piece(&w, len - done, &place, &piece, &missing);
        *absent |= missing;
    }
    return s;
}

enum iba_wc_status iba_sgl_scatter(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                   const uint8_t *data, size_t len, bool *absent)
{
    struct iba_sge room[IBA_MAX_SGE];
    struct walk w = {ca, ca->deviate ? ca->deviate->scatters(ca, sge, n, room) : sge, n, pd, IBA_ACCESS_LOCAL_WRITE,
                     at};
    uint64_t piece = 0;

    *absent = false;
    for (uint64_t done = 0; done < len; done += piece) {
        struct iba_place place;
        const enum iba_wc_status s = next_piece(&w, len - done, &place, &piece, absent);
        if (s != IBA_WC_SUCCESS || *absent)
            return s;
        iba_mem_put(&place, data + done, piece);
    }
    return IBA_WC_SUCCESS;
}

enum iba_wc_status iba_sgl_gather(struct iba_ca *ca, uint32_t pd, const struct iba_sge *sge, unsigned n, uint64_t at,
                                  uint8_t *data, size_t len, bool *absent)
{
    struct walk w = {ca, sge, n, pd, 0, at};
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
