/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/worker.h"
#include <signal.h>
#include <stdlib.h>
#include "observer/iba_finding_kinds.h"

static void late(void *ctx, const struct iba_finding *f, const struct verdict_names *names)
{
    struct worker *w = ctx;
    const enum iba_severity severity = iba_findings[f->kind].severity;

    w->worst = severity > w->worst ? severity : w->worst;
    for (size_t i = 0; i < w->cfg.opt->n_stat; i++)
        if (w->cfg.opt->stat[i].kind->late)
            w->cfg.opt->stat[i].kind->late(w->state[i], f, names);
}

/* ---- packets ---- */

struct batch { /* packets that are parsed and checked together */
    struct cap_packet cap[JUDGE_AHEAD];
    struct packet packet[JUDGE_AHEAD];
};

static void parse(struct worker *w, struct batch *b, unsigned i, const struct chunk *c, const struct dealt *d)
{
    struct packet *p = &b->packet[i];
    struct cap_packet *cap = &b->cap[i];

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
    p->source_name = cap_name(w->cfg.capture[d->source]);
    if (d->context)
        p->mad_context = c->context[d->context - 1];
    else if (p->mad_context.used)
        p->mad_context = (struct mad_context){0};
    (void)iba_view_parse(&p->view, (enum iba_link)d->link, d->data, d->caplen, d->len, &w->cfg.opt->view);
}

static void count(struct worker *w, struct packet *p)
{
    const struct options *opt = w->cfg.opt;

    if (w->judge) {
        p->verdict = judge_packet(w->judge, p);
        w->worst = p->verdict->worst > w->worst ? p->verdict->worst : w->worst;
    }
    for (size_t i = 0; i < opt->n_stat; i++)
        opt->stat[i].kind->packet(w->state[i], p);
}

__attribute__((hot)) static void take(struct worker *w, struct batch *b, const struct chunk *c)
{
    for (unsigned from = 0; from < c->n; from += JUDGE_AHEAD) {
        const unsigned n = c->n - from < JUDGE_AHEAD ? c->n - from : (unsigned)JUDGE_AHEAD;
        for (unsigned i = from + n; i < from + n + JUDGE_AHEAD && i < c->n; i++) {
            __builtin_prefetch(c->packet[i].data);
            __builtin_prefetch(c->packet[i].data + 64);
        }
        for (unsigned i = 0; i < n; i++)
            parse(w, b, i, c, &c->packet[from + i]);
        for (unsigned i = 0; w->cfg.opt->check_crc && i < n; i++)
            iba_view_check(&b->packet[i].view);
        for (unsigned i = 0; i < n; i++)
            count(w, &b->packet[i]);
    }
    if (w->judge && judge_part(w->judge).observer.depends)
        atomic_store(w->cfg.vain, true);
}

/* The next chunk; NULL: there are no more. */
static struct chunk *next(struct worker *w)
{
    struct chunk *c = NULL;

    pthread_mutex_lock(&w->lock);
    while (w->taken == w->put && !w->over)
        pthread_cond_wait(&w->changed, &w->lock);
    if (w->taken != w->put)
        c = &w->chunk[w->taken % CHUNKS];
    pthread_mutex_unlock(&w->lock);
    return c;
}

static void give_back(struct worker *w, struct chunk *c)
{
    c->n = c->contexts = 0;
    c->used = 0;
    pthread_mutex_lock(&w->lock);
    if (w->put - w->taken++ == CHUNKS)
        pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void *work(void *ctx)
{
    struct worker *w = ctx;
    struct batch *b = calloc(1, sizeof *b);

    if (!b)
        atomic_store(w->cfg.vain, true);
    for (struct chunk *c; (c = next(w)) != NULL; give_back(w, c))
        if (!atomic_load(w->cfg.vain))
            take(w, b, c);
    if (w->judge && !atomic_load(w->cfg.vain)) {
        judge_pass(w->judge, w->last_ns);
        judge_end(w->judge);
    }
    free(b);
    return NULL;
}

/* ---- the thread, from outside ---- */

static bool open_states(struct worker *w)
{
    const struct options *opt = w->cfg.opt;
    char err[256];
    bool good = true;

    if (opt->judge)
        good = (w->judge = judge_open(&(struct judge_config){
                    .part = true, .pmtu = opt->pmtu, .seed = w->cfg.seed, .late = late, .ctx = w})) != NULL;
    for (size_t i = 0; good && i < opt->n_stat; i++)
        good = (w->state[i] = opt->stat[i].kind->open(NULL, err, sizeof err)) != NULL;
    return good;
}

/* Signals go to the thread that reads. */
static bool begin(struct worker *w)
{
    sigset_t all, before;

    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->started = pthread_create(&w->thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w->started;
}

bool worker_open(struct worker *w, const struct worker_config *cfg)
{
    w->cfg = *cfg;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return open_states(w) && begin(w);
}

struct chunk *worker_chunk(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    while (w->put - w->taken == CHUNKS)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return &w->chunk[w->put % CHUNKS];
}

void worker_put(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    if (w->put++ == w->taken)
        pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void worker_end(struct worker *w, uint64_t last_ns)
{
    if (!w->started)
        return;
    pthread_mutex_lock(&w->lock);
    w->last_ns = last_ns;
    w->over = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->started = false;
}

void worker_close(struct worker *w)
{
    worker_end(w, 0);
    judge_close(w->judge);
    for (size_t i = 0; i < w->cfg.opt->n_stat; i++)
        if (w->state[i])
            w->cfg.opt->stat[i].kind->close(w->state[i]);
    for (unsigned i = 0; i < CHUNKS; i++) {
        free(w->chunk[i].bytes);
        free(w->chunk[i].context);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
}
