/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves the cursor over one packet, and records headers that do not fit as faults. */
#include "iba_walk.h"

void iba_walk_fault(struct walk *w, enum iba_err e, enum iba_hdr h)
{
    if (w->inner || w->v->err != IBA_OK)
        return;
    w->v->err = e;
    w->v->err_hdr = (uint8_t)h;
}

static bool whole(struct walk *w, uint32_t n, enum iba_hdr h)
{
    if (n > w->end - w->at) {
        if (!w->v->fragment) /* in a fragment the rest of the header may be in another packet */
            iba_walk_fault(w, IBA_HEADER_CUT, h);
        return false;
    }
    if (w->at + n > w->v->caplen) {
        w->v->truncated = true;
        if (w->v->proto == IBA_PROTO_NONE)
            w->v->proto = IBA_PROTO_UNDECIDED;
        return false;
    }
    return true;
}

const uint8_t *iba_walk_refuse(struct walk *w, enum iba_hdr h)
{
    if (whole(w, iba_headers[h].bytes, h))
        iba_walk_fault(w, IBA_TOO_DEEP, h);
    return NULL;
}

bool iba_walk_skip(struct walk *w, uint32_t n, enum iba_hdr h)
{
    if (!whole(w, n, h))
        return false;
    w->at += n;
    return true;
}

void iba_walk_bound(struct walk *w, uint32_t from, uint32_t n, enum iba_err e, enum iba_hdr h)
{
    if (n > w->end - from || from + n < w->at)
        iba_walk_fault(w, e, h);
    else
        w->end = from + n;
}
