/* SPDX-License-Identifier: BSD-2-Clause */
/* -z tm: messages of tag matching (VN-04, VN-05), and each rendezvous with the READs of its data and its FIN. The view
 * has their headers only if -d names the QPs that get them. */
#include "judge/judge.h"
#include <stdlib.h>
#include "field/bound.h"
#include "stats/ends.h"
#include "stats/kinds.h"

/* MAX_RNDV: rendezvous that are listed. NEWEST: those of a direction, and those of all directions, among which a READ
 * or a FIN finds its own. FOLLOWED: newest packets whose messages have not ended yet. */
enum { MAX_RNDV = BOUND(16384, 16), NEWEST = BOUND(256, 8), FOLLOWED = BOUND(65536, 32) };
/* Kinds of messages that are counted: those of IBA_TM_OPS, and all others. */
enum { KIND_OTHER = IBA_TM_EAGER + 1, KINDS };
#define UNTIMED UINT64_MAX

struct rndv {
    const struct direction *d;
    uint32_t older; /* the one before it of the same direction: index plus 1; 0: none */
    uint32_t app_ctx, r_key, len;
    iba_psn psn, fin_psn;
    uint64_t tag, va;
    uint64_t read;                           /* bytes that READs brought */
    uint64_t frame, read_frame, fin_frame;   /* 0: the capture has no such packet; read_frame: of the first READ */
    uint64_t began_ns, read_ns, finished_ns; /* UNTIMED: not known */
};
/* A message that has not ended, by its first packet. */
struct begun {
    uint64_t frame; /* 0: none */
    uint32_t rndv;  /* of a READ: index plus 1 */
    uint8_t kind;
};
struct tm {
    uint64_t count[KINDS], fins_alone, others;
    uint32_t n;
    uint32_t newest[JUDGE_DIRECTIONS]; /* index plus 1 */
    struct begun begun[FOLLOWED];
    struct rndv rndv[MAX_RNDV];
};

void *stat_tm_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("tm", sizeof(struct tm), arg, err, errlen);
}

static uint64_t time_of(const struct packet *p)
{
    return p->cap->has_ts ? p->cap->ts_ns : UNTIMED;
}

static void note(struct tm *s, const struct packet *p, unsigned kind, uint32_t rndv)
{
    s->begun[p->number % FOLLOWED] = (struct begun){p->number, rndv, (uint8_t)kind};
}

/* ---- which rendezvous a packet belongs to ---- */

typedef bool fits(const struct rndv *r, const struct packet *p);

static bool same_message(const struct rndv *r, const struct packet *p)
{
    const uint8_t *h = iba_view_hdr(&p->view, IBA_H_tmh);

    return r->psn.v == iba_bth_psn(iba_view_bth(&p->view)) && r->tag == iba_tmh_tag(h);
}

static bool is_read_of(const struct rndv *r, const struct packet *p)
{
    const uint8_t *reth = iba_view_hdr(&p->view, IBA_H_reth);
    const uint64_t at = iba_reth_va(reth) - r->va;

    return !r->fin_frame && iba_reth_r_key(reth) == r->r_key && at <= r->len && iba_reth_dmalen(reth) <= r->len - at;
}

static bool is_fin_of(const struct rndv *r, const struct packet *p)
{
    const uint8_t *h = iba_view_hdr(&p->view, IBA_H_tmh);

    if (r->fin_frame || iba_tmh_tag(h) != r->tag || iba_tmh_app_ctx(h) != r->app_ctx)
        return false;
    if (!iba_view_has(&p->view, IBA_H_rvh))
        return true;
    h = iba_view_hdr(&p->view, IBA_H_rvh);
    return iba_rvh_va(h) == r->va && iba_rvh_r_key(h) == r->r_key && iba_rvh_len(h) == r->len;
}

static bool is_same_fin(const struct rndv *r, const struct packet *p)
{
    return r->fin_frame && r->fin_psn.v == iba_bth_psn(iba_view_bth(&p->view)) &&
           r->tag == iba_tmh_tag(iba_view_hdr(&p->view, IBA_H_tmh));
}

static bool is_read_whole(const struct rndv *r)
{
    return r->len > 0 && r->read >= r->len;
}

/* The newest rendezvous of a direction that fits. With `oldest` the oldest, those first whose data were read: a FIN
 * without RVH fits several of one tag. */
static struct rndv *of_direction(struct tm *s, uint32_t id, const struct packet *p, fits *fit, bool oldest)
{
    struct rndv *best = NULL;
    uint32_t at = s->newest[id];

    for (unsigned i = 0; i < NEWEST && at && (oldest || !best); i++, at = s->rndv[at - 1].older) {
        struct rndv *r = &s->rndv[at - 1];
        if (fit(r, p) && (!best || is_read_whole(r) >= is_read_whole(best)))
            best = r;
    }
    return best;
}

static bool goes_back(const struct direction *there, const struct direction *back)
{
    return there->key.kind == back->key.kind && memcmp(there->key.src, back->key.dst, sizeof there->key.src) == 0 &&
           memcmp(there->key.dst, back->key.src, sizeof there->key.dst) == 0;
}

/* The rendezvous to which a packet of the receiver belongs. Its connection may have no known other direction, so that
 * only addresses are left. */
static struct rndv *answered_by(struct tm *s, const struct packet *p, fits *fit, bool oldest)
{
    const struct direction *d = p->verdict->direction;
    struct rndv *best = d->peer ? of_direction(s, d->peer - 1, p, fit, oldest) : NULL;

    for (uint32_t i = s->n; !best && i > 0 && s->n - i < NEWEST; i--)
        if (goes_back(s->rndv[i - 1].d, d) && fit(&s->rndv[i - 1], p))
            best = &s->rndv[i - 1];
    return best;
}

/* ---- packets and messages ---- */

static void begin(struct tm *s, const struct packet *p)
{
    const uint8_t *tmh = iba_view_hdr(&p->view, IBA_H_tmh), *rvh = iba_view_hdr(&p->view, IBA_H_rvh);
    const struct direction *d = p->verdict->direction;

    if (of_direction(s, d->id, p, same_message, false))
        return; /* sent again, or copied by the network */
    if (s->n == MAX_RNDV) {
        s->others++;
        return;
    }
    s->rndv[s->n++] = (struct rndv){.d = d,
                                    .older = s->newest[d->id],
                                    .app_ctx = iba_tmh_app_ctx(tmh),
                                    .r_key = iba_rvh_r_key(rvh),
                                    .len = iba_rvh_len(rvh),
                                    .psn = iba_psn_of(iba_bth_psn(iba_view_bth(&p->view))),
                                    .tag = iba_tmh_tag(tmh),
                                    .va = iba_rvh_va(rvh),
                                    .frame = p->number,
                                    .began_ns = time_of(p),
                                    .read_ns = UNTIMED,
                                    .finished_ns = UNTIMED};
    s->newest[d->id] = s->n;
}

static void finish(struct tm *s, const struct packet *p)
{
    struct rndv *r;

    if (answered_by(s, p, is_same_fin, false))
        return; /* sent again, or copied by the network */
    r = answered_by(s, p, is_fin_of, true);
    if (!r) {
        s->fins_alone++;
        return;
    }
    r->fin_frame = p->number;
    r->fin_psn = iba_psn_of(iba_bth_psn(iba_view_bth(&p->view)));
    r->finished_ns = time_of(p);
}

static void read_data(struct tm *s, const struct packet *p)
{
    struct rndv *r = answered_by(s, p, is_read_of, false);

    if (!r)
        return;
    note(s, p, KINDS, (uint32_t)(r - s->rndv) + 1);
    if (r->read_frame)
        return;
    r->read_frame = p->number;
    r->read_ns = time_of(p);
}

static void message(struct tm *s, const struct packet *p)
{
    const bool tagged = iba_view_has(&p->view, IBA_H_tmh);
    const uint8_t *h = iba_view_hdr(&p->view, tagged ? IBA_H_tmh : IBA_H_tmop);
    const uint8_t kind = tagged ? iba_tmh_opcode(h) : iba_tmop_opcode(h);

    note(s, p, kind < KIND_OTHER ? kind : KIND_OTHER, 0);
    if (kind == IBA_TM_RNDV && iba_view_has(&p->view, IBA_H_rvh))
        begin(s, p);
    else if (kind == IBA_TM_FIN && tagged)
        finish(s, p);
}

void stat_tm_packet(void *state, const struct packet *p)
{
    const struct verdict *v = p->verdict;

    if (!v || !v->direction || verdict_is_twin(v, p->number) || iba_view_is_damaged(&p->view))
        return;
    if (iba_view_has(&p->view, IBA_H_tmh) || iba_view_has(&p->view, IBA_H_tmop))
        message(state, p);
    else if (p->view.op && p->view.op->operation == IBA_OPERATION_READ && iba_view_has(&p->view, IBA_H_reth))
        read_data(state, p);
}

void stat_tm_message(void *state, const struct iba_message *m, const struct verdict_names *names)
{
    struct tm *s = state;
    struct begun *b = &s->begun[m->first_frame % FOLLOWED];

    (void)names; /* the packet had its direction */
    if (m->first_frame == 0 || b->frame != m->first_frame)
        return;
    b->frame = 0;
    if (b->rndv == 0)
        s->count[b->kind]++;
    else if (m->end == IBA_MESSAGE_END_ANSWERED)
        s->rndv[b->rndv - 1].read += m->bytes;
}

/* ---- output ---- */

/* How far a rendezvous came in the capture. That it came no further is no fault: the capture may end, or lack packets,
 * and a receiver may look for the data later. */
#define RNDV_STATES(S)                                                                                                 \
    S(OPEN, "open")         /* neither a READ nor the FIN */                                                           \
    S(READING, "reading")   /* a READ, but not all of the data */                                                      \
    S(READ, "read")         /* all of the data, and no FIN */                                                          \
    S(FINISHED, "finished") /* the FIN */
enum rndv_state {
#define RNDV_STATE_ID(name, words) RNDV_##name,
    RNDV_STATES(RNDV_STATE_ID) RNDV_STATE_COUNT
};
static const char *const state_names[] = {
#define RNDV_STATE_NAME(name, words) words,
    RNDV_STATES(RNDV_STATE_NAME)};

static enum rndv_state state_of(const struct rndv *r)
{
    if (r->fin_frame)
        return RNDV_FINISHED;
    if (is_read_whole(r))
        return RNDV_READ;
    return r->read_frame ? RNDV_READING : RNDV_OPEN;
}

static bool is_timed(const struct rndv *r, uint64_t then)
{
    return r->began_ns != UNTIMED && then != UNTIMED;
}

static void since(struct table *t, const struct rndv *r, uint64_t then)
{
    if (is_timed(r, then))
        table_time(t, (int64_t)(then - r->began_ns));
    else
        table_str(t, "-");
}

static void print_rndv(struct table *t, const struct rndv *r)
{
    ends_cells(t, r->d);
    table_str(t, state_names[state_of(r)]);
    table_begin(t);
    out_hex(t->o, r->tag, 16);
    table_end(t);
    table_u64(t, r->len);
    table_u64(t, r->read);
    table_u64(t, r->frame);
    table_known(t, r->read_frame != 0, r->read_frame);
    table_known(t, r->fin_frame != 0, r->fin_frame);
    since(t, r, r->read_ns);
    since(t, r, r->finished_ns);
}

/* Lists the directions of the rendezvous, each as often as it has some: only their widths count. */
static size_t directions(const struct tm *s, const struct direction **d)
{
    for (uint32_t i = 0; i < s->n; i++)
        d[i] = s->rndv[i].d;
    return s->n;
}

static void count_states(const struct tm *s, uint64_t count[RNDV_STATE_COUNT])
{
    memset(count, 0, RNDV_STATE_COUNT * sizeof *count);
    for (uint32_t i = 0; i < s->n; i++)
        count[state_of(&s->rndv[i])]++;
}

static void figure(struct out *o, const char *what, uint64_t n)
{
    out_str(o, what);
    out_ch(o, ' ');
    out_u64(o, n);
}

static void print_counts(const struct tm *s, struct out *o)
{
    uint64_t count[RNDV_STATE_COUNT], all = 0;

    count_states(s, count);
    figure(o, "Rendezvous", s->n);
    for (unsigned i = 0; i < RNDV_STATE_COUNT; i++) {
        out_str(o, i == 0 ? ": " : ", ");
        figure(o, state_names[i], count[i]);
    }
    figure(o, "; not listed, beyond these", s->others);
    figure(o, "; FIN whose rendezvous the capture lacks", s->fins_alone);
    OUT_LIT(o, "\nMessages that ended: ");
    for (unsigned i = 0; i < KINDS; i++) {
        all += s->count[i];
        if (i > 0)
            OUT_LIT(o, ", ");
        figure(o, i == KIND_OTHER ? "other kinds" : iba_value_name(IBA_VALUES_TM_OP, i), s->count[i]);
    }
    if (all + s->n == 0)
        OUT_LIT(o, "\nNo packet names its messages as those of tag matching: -d qp==N,tm does, for each QP that "
                   "receives them");
    out_ch(o, '\n');
}

static void print_text(const struct tm *s, struct out *o)
{
    static const struct direction *d[MAX_RNDV];
    struct column column[ENDS_COLUMNS + 9] = {[ENDS_COLUMNS] = {"State", 8, true},
                                              {"Tag", 18, true},
                                              {"Bytes", 10, false},
                                              {"Bytes read", 10, false},
                                              {"Packet", 9, false},
                                              {"READ", 9, false},
                                              {"FIN", 9, false},
                                              {"To READ (s)", 13, false},
                                              {"To FIN (s)", 13, false}};
    struct table t;

    ends_columns(o, column, d, directions(s, d));
    table_open(&t, o, "Tag matching: each rendezvous", column, sizeof column / sizeof *column);
    for (uint32_t i = 0; i < s->n; i++)
        print_rndv(&t, &s->rndv[i]);
    table_rule(&t, '-');
    print_counts(s, o);
    table_close(&t);
}

static void json_since(struct out *o, const char *key, const struct rndv *r, uint64_t then)
{
    json_key(o, key);
    if (is_timed(r, then))
        out_time(o, (int64_t)(then - r->began_ns));
    else
        OUT_LIT(o, "null");
}

static void json_rndv(struct out *o, const struct rndv *r)
{
    OUT_LIT(o, "{\"direction\":");
    out_u64(o, r->d->id);
    ends_json(o, r->d);
    json_str(o, "state", state_names[state_of(r)]);
    json_u64(o, "tag", r->tag);
    json_u64(o, "app_ctx", r->app_ctx);
    json_u64(o, "va", r->va);
    json_u64(o, "r_key", r->r_key);
    json_u64(o, "bytes", r->len);
    json_u64(o, "bytes_read", r->read);
    json_u64(o, "frame", r->frame);
    json_known(o, "read_frame", r->read_frame != 0, r->read_frame);
    json_known(o, "fin_frame", r->fin_frame != 0, r->fin_frame);
    json_since(o, "to_read", r, r->read_ns);
    json_since(o, "to_fin", r, r->finished_ns);
    out_ch(o, '}');
}

static void print_json(const struct tm *s, struct out *o)
{
    static const char *const kinds[KINDS] = {"no_tag", "rendezvous_messages", "fin", "eager", "other_kinds"};
    uint64_t count[RNDV_STATE_COUNT];

    out_str(o, "{\"stat\":\"tm\",\"rendezvous\":[");
    for (uint32_t i = 0; i < s->n; i++) {
        if (i > 0)
            out_ch(o, ',');
        json_rndv(o, &s->rndv[i]);
    }
    out_ch(o, ']');
    json_u64(o, "limit", MAX_RNDV);
    json_u64(o, "others", s->others);
    count_states(s, count);
    for (unsigned i = 0; i < RNDV_STATE_COUNT; i++)
        json_u64(o, state_names[i], count[i]);
    json_u64(o, "fins_alone", s->fins_alone);
    for (unsigned i = 0; i < KINDS; i++)
        json_u64(o, kinds[i], s->count[i]);
    out_str(o, "}\n");
}

void stat_tm_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
