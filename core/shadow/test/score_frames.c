/* What two frames of a run have to do with each other. */
#include "score.h"

enum score_missing score_missing(const struct score_run *r, const struct score_sight *e, uint32_t frame)
{
    const struct score_frame *f = &r->frame[frame];
    enum score_missing least = SCORE_MISSING;

    for (const struct score_sight *o = r->sight; o < e; o++) {
        const struct score_frame *g = &r->frame[o->frame];
        const bool same = g->from == f->from && g->request == f->request && iba_psn_eq(g->psn, f->psn);
        const enum score_missing is = o->headers_damaged ? SCORE_UNCERTAIN : SCORE_CAPTURED;
        if (o->seen && o->refused && same && r->way != SCORE_CUT && o->frame >= frame && is < least)
            least = is;
    }
    return least;
}

uint64_t score_changed(const struct score_run *r, const struct score_frame *f, uint32_t id)
{
    while (id-- > 0) {
        const struct score_frame *b = &r->frame[id];
        if (!b->captured || !b->request || b->from != f->from || !iba_psn_eq(b->psn, f->psn))
            continue;
        if (b->opcode != f->opcode || b->asked != f->asked)
            return SCORE_KIND(RETRY_CHANGED);
        return b->content != f->content ? SCORE_KIND(RETRY_PAYLOAD) : 0;
    }
    return 0;
}
