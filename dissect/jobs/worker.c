/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/worker.h"
#include <signal.h>
#include <stdlib.h>
#include "observer/iba_finding_kinds.h"

static void late(void *ctx, const struct iba_finding *f, const struct verdict_names *names)
{
    struct worker *w = ctx;
    const struct options *opt = w->team->reading.opt;
    const enum iba_severity severity = iba_findings[f->kind].severity;

    w->worst = severity > w->worst ? severity : w->worst;
    for (size_t i = 0; i < opt->n_stat; i++)
        if (opt->stat[i].kind->late)
            opt->stat[i].kind->late(w->state[i], f, names);
}

/* ---- packets ---- */

struct batch { /* packets that are parsed and checked together */
    unsigned n;
    bool own[JUDGE_AHEAD]; /* the worker judges it; other packets it only follows */
    struct cap_packet cap[JUDGE_AHEAD];
    struct packet packet[JUDGE_AHEAD];
};

static void parse(const struct worker *w, struct batch *b, const struct dealt *d)
{
    const struct reading *r = &w->team->reading;
    struct packet *p = &b->packet[b->n];
    struct cap_packet *cap = &b->cap[b->n++];

    cap->data = d->data;
    cap->caplen = d->caplen;
    cap->len = d->len;
    cap->ts_ns = d->ts_ns;
    cap->has_ts = true;
    cap->number = d->number;
    cap->point = d->point;
    p->cap = cap;
    p->number = d->frame;
    p->first_ns = w->first_ns;
    p->source = d->source;
    p->source_name = w->source_name[d->source];
    (void)iba_view_parse(&p->view, (enum iba_link)d->link, d->data, d->caplen, d->len, &r->opt->view);
    p->content = d->has_content ? &d->content : NULL;
    if (d->checked) {
        p->view.icrc = (enum iba_check)d->icrc;
        p->view.vcrc = (enum iba_check)d->vcrc;
    }
}

static void count(struct worker *w, struct packet *p)
{
    const struct options *opt = w->team->reading.opt;

    if (w->judge) {
        p->verdict = judge_packet(w->judge, p);
        w->worst = p->verdict->worst > w->worst ? p->verdict->worst : w->worst;
    }
    for (size_t i = 0; i < opt->n_stat; i++)
        opt->stat[i].kind->packet(w->state[i], p);
}

struct steps { /* the worker's packets, and the datagrams, in their order in the chunk */
    const struct chunk *c;
    const uint16_t *own, *own_end, *datagram, *datagram_end;
};

/* The next packet; NULL: there is none. */
static const struct dealt *step(struct steps *s, bool *is_own)
{
    const bool any = s->datagram < s->datagram_end;

    *is_own = s->own < s->own_end && (!any || *s->own <= *s->datagram);
    if (!*is_own)
        return any ? &s->c->packet[*s->datagram++] : NULL;
    s->datagram += any && *s->own == *s->datagram;
    return &s->c->packet[*s->own++];
}

/* Prefetches packets: those that another thread has read are in the cache of another core. */
static void fetch_packets(const struct steps *s)
{
    for (unsigned i = 0; i < JUDGE_AHEAD && i < (size_t)(s->own_end - s->own); i++) {
        const struct dealt *d = &s->c->packet[s->own[i]];
        __builtin_prefetch(d->data);
        __builtin_prefetch(d->data + 64);
    }
    for (unsigned i = JUDGE_AHEAD; i < 2 * JUDGE_AHEAD && i < (size_t)(s->own_end - s->own); i++)
        __builtin_prefetch(&s->c->packet[s->own[i]]);
}

static void check(const struct worker *w, struct batch *b, unsigned from, unsigned end)
{
    for (unsigned i = from; w->team->reading.opt->check_crc && i < end; i++)
        iba_view_check(&b->packet[i].view);
}

/* The last of three steps that prefetch the state of connections; run.c does the same. */
static void fetch(struct worker *w)
{
    const struct options *opt = w->team->reading.opt;
    uint32_t direction[JUDGE_AHEAD];
    const unsigned n = w->judge ? judge_fetch_more(w->judge, direction) : 0;

    for (size_t s = 0; n > 0 && s < opt->n_stat; s++)
        for (unsigned i = 0; opt->stat[s].kind->expect && i < n; i++)
            opt->stat[s].kind->expect(w->state[s], direction[i]);
}

__attribute__((hot)) static void take(struct worker *w, struct batch *b, const struct chunk *c)
{
    const struct chunk_list own = c->of[w->number];
    struct steps s = {c, c->order + own.from, c->order + own.from + own.n, c->datagram, c->datagram + c->datagrams.n};
    const struct dealt *d;

    do {
        for (b->n = 0; b->n < JUDGE_AHEAD && (d = step(&s, &b->own[b->n])) != NULL;) {
            parse(w, b, d);
            if (w->judge && b->own[b->n - 1])
                judge_expect(w->judge, &b->packet[b->n - 1].view);
        }
        fetch_packets(&s);
        if (w->judge)
            judge_fetch(w->judge);
        check(w, b, 0, b->n / 2);
        fetch(w);
        check(w, b, b->n / 2, b->n);
        for (unsigned i = 0; i < b->n; i++) {
            track_packet(w->track, &b->packet[i]);
            if (b->own[i])
                count(w, &b->packet[i]);
        }
    } while (b->n == JUDGE_AHEAD);
}

/* ---- the thread ---- */

/* Reads a chunk for all workers. */
static void read_chunk(struct worker *w, struct chunk *c, uint64_t number)
{
    struct team *t = w->team;
    struct pending *p = &t->pending[number % t->places];
    const size_t have = chunk_bytes(c, &t->reading, number);

    pthread_mutex_lock(&t->lock);
    while (t->found != number && !t->vain && number < t->end)
        pthread_cond_wait(&t->changed, &t->lock);
    const bool wanted = !t->vain && number < t->end;
    pthread_mutex_unlock(&t->lock);
    if (!wanted)
        return;
    const enum reading_end end = chunk_find(c, &t->reading, number, have);
    pthread_mutex_lock(&t->lock);
    t->found++;
    t->end = end == READING_OVER ? t->found : t->end;
    t->vain = t->vain || end == READING_VAIN;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    const bool good = chunk_deal(c, &t->reading, &w->deal);
    deal_count(&w->deal);
    pthread_mutex_lock(&t->lock);
    t->vain = t->vain || !good;
    p->ready = number + 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void judge_chunk(struct worker *w, struct batch *b)
{
    struct team *t = w->team;
    struct pending *p = &t->pending[w->at % t->places];

    w->first_ns = t->reading.first_ns;
    take(w, b, p->chunk);
    const struct judge_part part = w->judge ? judge_part(w->judge) : (struct judge_part){0};
    const bool depends = part.observer.depends || part.native;
    pthread_mutex_lock(&t->lock);
    t->vain = t->vain || depends;
    w->at++;
    if (--p->left == 0) {
        struct worker *owner = t->worker[p->chunk->owner];
        p->chunk->next = owner->free;
        owner->free = p->chunk;
        p->chunk = NULL;
    }
    if (!p->chunk || depends)
        pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

enum act { JUDGE, READ, END };

/* Takes a free chunk to read into. NULL: none is free, or enough chunks are read. */
static struct chunk *to_read(struct worker *w, uint64_t *number)
{
    struct team *t = w->team;
    struct pending *p = &t->pending[t->begun % t->places];
    struct chunk *c = w->free;

    if (!c || p->chunk || t->begun >= t->end)
        return NULL;
    w->free = c->next;
    *number = t->begun++;
    *p = (struct pending){.chunk = c, .left = t->workers};
    return c;
}

/* Waits until the worker has something to do. */
static enum act next(struct worker *w, struct chunk **chunk, uint64_t *number)
{
    struct team *t = w->team;
    enum act act = END;

    pthread_mutex_lock(&t->lock);
    for (; act == END && !t->vain && w->at < t->end;) {
        if (t->pending[w->at % t->places].ready == w->at + 1)
            act = JUDGE;
        else if ((*chunk = to_read(w, number)) != NULL)
            act = READ;
        else
            pthread_cond_wait(&t->changed, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
    return act;
}

static void *work(void *ctx)
{
    struct worker *w = ctx;
    struct batch *b = calloc(1, sizeof *b);
    struct chunk *chunk;
    uint64_t number;

    if (!b) {
        team_give_up(w->team);
        return NULL;
    }
    for (enum act act; (act = next(w, &chunk, &number)) != END;)
        if (act == JUDGE)
            judge_chunk(w, b);
        else
            read_chunk(w, chunk, number);
    if (w->judge && w->at > 0 && w->at == w->team->end) {
        judge_pass(w->judge, w->team->reading.last_ns);
        judge_end(w->judge);
    }
    free(b);
    return NULL;
}

/* ---- from outside ---- */

void team_open(struct team *t, unsigned workers)
{
    t->workers = workers;
    t->places = CHUNKS * workers;
    t->end = UINT64_MAX;
    t->deal.deal.workers = workers;
    t->deal.deal.seed = t->seed;
    pthread_mutex_init(&t->deal.lock, NULL);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
}

void team_close(struct team *t)
{
    pthread_mutex_destroy(&t->deal.lock);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
}

void team_give_up(struct team *t)
{
    pthread_mutex_lock(&t->lock);
    t->vain = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static bool open_states(struct worker *w)
{
    const struct options *opt = w->team->reading.opt;
    char err[256];
    bool good = (w->track = track_open()) != NULL;

    for (size_t i = 0; good && i < opt->n_service; i++)
        track_hint(w->track, opt->service[i].service_id, (enum iba_upper)opt->service[i].upper);
    if (good && opt->judge)
        good = (w->judge = judge_open(&(struct judge_config){
                    .part = true, .pmtu = opt->pmtu, .seed = w->team->seed, .late = late, .ctx = w})) != NULL;
    for (size_t i = 0; good && i < opt->n_stat; i++)
        good = (w->state[i] = opt->stat[i].kind->open(NULL, err, sizeof err)) != NULL;
    return good;
}

static bool open_chunks(struct worker *w)
{
    for (unsigned i = 0; i < CHUNKS; i++) {
        struct chunk *c = aligned_alloc(_Alignof(struct chunk), sizeof *c);
        if (!c)
            return false;
        c->owner = w->number;
        c->next = w->free;
        w->own[i] = w->free = c;
    }
    return true;
}

/* Starts the thread. Signals go to the thread that waits for the workers. */
static bool begin(struct worker *w)
{
    sigset_t all, before;

    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->started = pthread_create(&w->thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w->started;
}

bool worker_open(struct worker *w, struct team *t, unsigned number)
{
    w->team = t;
    w->number = number;
    w->deal.workers = t->workers;
    w->deal.seed = t->seed;
    w->deal.shared = &t->deal;
    t->worker[number] = w;
    for (size_t i = 0; i < t->reading.n_capture; i++)
        w->source_name[i] = cap_name(t->reading.capture[i]);
    return open_chunks(w) && open_states(w) && begin(w);
}

void worker_end(struct worker *w)
{
    if (w->started)
        pthread_join(w->thread, NULL);
    w->started = false;
}

void worker_close(struct worker *w)
{
    const struct options *opt = w->team->reading.opt;

    worker_end(w);
    judge_close(w->judge);
    track_close(w->track);
    for (unsigned i = 0; i < CHUNKS; i++)
        free(w->own[i]);
    for (size_t i = 0; i < opt->n_stat; i++)
        if (w->state[i])
            opt->stat[i].kind->close(w->state[i]);
}
