/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/jobs.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input/merge.h"
#include "jobs/deal.h"
#include "jobs/join.h"
#include "link.h"
#include "mad/iba_mad.h"
#include "system/signals.h"
#include "track/track.h"

_Static_assert((int)JOBS_MOST <= (int)DEAL_WORKERS, "every worker can get packets");

struct jobs {
    struct jobs_config cfg;
    struct capture *capture[MAX_FILES];
    size_t n_capture;
    struct cap_merge *merge; /* NULL: of one capture */
    struct track *track;
    struct worker *worker[JOBS_MOST];
    unsigned n;
    struct chunk *chunk[JOBS_MOST]; /* of each worker, being filled; NULL: none */
    struct deal deal;
    struct join join;
    struct packet packet; /* one that the reader must parse */
    bool tracks;          /* there was a management datagram: every packet may belong to a connection of theirs */
    uint64_t read, begin_ns, last_ns;
    bool timed;
    uint32_t point; /* of the last packet */
    bool several;   /* capture points */
    atomic_bool vain;
};

static bool is_file(const char *path)
{
    struct stat st;

    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool jobs_can(const struct options *opt)
{
    bool can = opt->jobs > 1 && opt->quiet && opt->n_stat > 0 && opt->n_file > 0 && !opt->filter && !opt->count;

    can = can && !opt->hold && !opt->iface && !opt->write_path && !opt->report_path && !opt->summary_path && !opt->rows;
    can = can && opt->view.qp[0].holds == IBA_HOLDS_UNKNOWN && !opt->view.dc;
    for (size_t i = 0; i < opt->n_stat; i++)
        can = can && opt->stat[i].kind->join;
    for (size_t i = 0; can && i < opt->n_file; i++)
        can = is_file(opt->file[i]);
    return can;
}

struct jobs *jobs_open(const struct jobs_config *cfg)
{
    struct jobs *j = calloc(1, sizeof *j);
    const struct options *opt = cfg->opt;
    char err[512];

    if (!j)
        return NULL;
    j->cfg = *cfg;
    j->deal.seed = cfg->seed;
    j->deal.workers = opt->jobs;
    bool good = (j->track = track_open()) != NULL;
    for (size_t i = 0; good && i < opt->n_service; i++)
        track_hint(j->track, opt->service[i].service_id, (enum iba_upper)opt->service[i].upper);
    for (size_t i = 0; good && i < opt->n_file; i++) {
        good = (j->capture[i] = cap_open(opt->file[i], err, sizeof err)) != NULL;
        j->n_capture += good;
    }
    if (good && j->n_capture > 1)
        good = (j->merge = cap_merge_open(j->capture, j->n_capture)) != NULL;
    if (good)
        return j;
    jobs_close(j);
    return NULL;
}

static bool begin(struct jobs *j)
{
    bool good = true;

    while (good && j->n < j->cfg.opt->jobs) {
        struct worker *w = calloc(1, sizeof *w);
        if (!w)
            return false;
        j->worker[j->n++] = w;
        good = worker_open(w, &(struct worker_config){j->cfg.opt, j->capture, j->cfg.seed, &j->vain});
    }
    return good;
}

static void put(struct jobs *j, unsigned worker)
{
    worker_put(j->worker[worker]);
    j->chunk[worker] = NULL;
    for (size_t i = 0; i < j->n_capture; i++)
        cap_map_passed(j->capture[i]);
}

/* A chunk with room for a packet of so many bytes. */
static struct chunk *room(struct jobs *j, unsigned worker, uint32_t bytes)
{
    struct chunk **c = &j->chunk[worker];

    if (*c && ((*c)->n == CHUNK_PACKETS || (*c)->used + bytes > CHUNK_BYTES))
        put(j, worker);
    if (!*c)
        *c = worker_chunk(j->worker[worker]);
    return *c;
}

static bool add_context(struct chunk *c, struct dealt *d, const struct mad_context *m)
{
    if (!c->context && !(c->context = calloc(CHUNK_PACKETS, sizeof *c->context)))
        return false;
    c->context[c->contexts++] = *m;
    d->context = (uint16_t)c->contexts;
    return true;
}

static bool keep_bytes(struct chunk *c, struct dealt *d)
{
    if (!c->bytes && !(c->bytes = malloc(CHUNK_BYTES)))
        return false;
    memcpy(c->bytes + c->used, d->data, d->caplen);
    d->data = c->bytes + c->used;
    c->used += d->caplen;
    return true;
}

/* Parses the packet, as far as the reader needs it. */
static unsigned look(struct jobs *j, const struct cap_packet *cap, enum iba_link link, uint32_t source)
{
    struct packet *p = &j->packet;
    struct iba_endpoints e;

    p->cap = cap;
    p->number = j->read;
    p->first_ns = j->worker[0]->first_ns;
    p->source = source;
    p->source_name = cap_name(j->capture[source]);
    (void)iba_view_parse(&p->view, link, cap->data, cap->caplen, cap->len, &j->cfg.opt->view);
    if (iba_mad_in(&p->view)) {
        j->tracks = true;
        if (j->cfg.opt->check_crc)
            iba_view_check(&p->view);
    }
    if (j->tracks)
        track_packet(j->track, p);
    return iba_endpoints_of(&e, &p->view) ? deal_ends(&j->deal, &e) : 0;
}

/* False: the run cannot be split. */
static bool deal(struct jobs *j, const struct cap_packet *cap, enum iba_link link, uint32_t source)
{
    unsigned to;

    if (j->tracks || link != IBA_LINK_ETHERNET || !deal_plain(&j->deal, cap->data, cap->caplen, &to))
        to = look(j, cap, link, source);
    if (to == DEAL_WORKERS)
        return false;
    if (j->read > 1 && cap->point != j->point)
        j->several = true;
    j->point = cap->point;
    const bool stays = cap_is_mapped(j->capture[source]);
    struct chunk *c = room(j, to, stays ? 0 : cap->caplen);
    struct dealt *d = &c->packet[c->n++];
    *d = (struct dealt){.data = cap->data,
                        .ts_ns = cap->ts_ns,
                        .frame = j->read,
                        .number = cap->number,
                        .caplen = cap->caplen,
                        .len = cap->len,
                        .link = (uint8_t)link,
                        .source = (uint8_t)source,
                        .point = cap->point};
    return (stays || keep_bytes(c, d)) && (!j->packet.mad_context.used || add_context(c, d, &j->packet.mad_context));
}

/* --from and --to. */
static bool is_wanted(struct jobs *j, const struct cap_packet *cap)
{
    const struct window *w = &j->cfg.opt->window;

    if (!j->timed) {
        j->begin_ns = cap->ts_ns;
        j->timed = true;
    }
    return (!w->from.set && !w->to.set) || window_has(w, j->begin_ns, cap->ts_ns);
}

/* Statistics of a worker see only its packets, so they could not know of a step back between those of others. */
static bool one_packet(struct jobs *j, struct cap_packet *cap, uint32_t source)
{
    enum { PROGRESS_EVERY = 1 << 16 };
    enum iba_link link;

    cap_erf_time(cap);
    if (!cap->has_ts || cap->ts_ns < j->last_ns || !link_of(j->cfg.opt, cap->dlt, &link))
        return false;
    j->last_ns = cap->ts_ns;
    if (!is_wanted(j, cap))
        return true;
    if (j->read++ == 0)
        for (unsigned i = 0; i < j->n; i++)
            j->worker[i]->first_ns = cap->ts_ns;
    if (j->read % PROGRESS_EVERY == 0)
        j->cfg.progress(j->cfg.ctx, j->read);
    return deal(j, cap, link, source);
}

__attribute__((hot)) static bool read_all(struct jobs *j)
{
    struct cap_packet cap;
    size_t source = 0;
    bool good = true;

    while (good && !signals_came() && !atomic_load_explicit(&j->vain, memory_order_relaxed)) {
        const enum cap_result got = j->merge ? cap_merge_next(j->merge, &cap, &source) : cap_next(j->capture[0], &cap);
        if (got == CAP_END)
            return true;
        good = got == CAP_PACKET && one_packet(j, &cap, (uint32_t)source);
    }
    return good;
}

/* A capture was mapped, and somebody cut it since. */
static void file_is_shorter(int signal)
{
    static const char text[] = "ibdissect: a capture became shorter while it was read; without --jobs it can be read\n";

    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_INPUT);
}

bool jobs_run(struct jobs *j)
{
    for (size_t i = 0; i < j->n_capture; i++)
        (void)cap_map(j->capture[i]);
    (void)sigaction(SIGBUS, &(struct sigaction){.sa_handler = file_is_shorter}, NULL);
    if (!begin(j) || !read_all(j))
        atomic_store(&j->vain, true);
    for (unsigned i = 0; i < j->n; i++)
        if (j->chunk[i])
            put(j, i);
    for (unsigned i = 0; i < j->n; i++)
        worker_end(j->worker[i], j->last_ns);
    return !atomic_load(&j->vain) &&
           join_all(&j->join, j->cfg.opt, j->worker, j->n, j->n_capture, j->several || j->n_capture > 1);
}

uint64_t jobs_read(const struct jobs *j)
{
    return j->read;
}

enum iba_severity jobs_worst(const struct jobs *j)
{
    enum iba_severity worst = IBA_SEVERITY_NONE;

    for (unsigned i = 0; i < j->n; i++)
        worst = j->worker[i]->worst > worst ? j->worker[i]->worst : worst;
    return worst;
}

void jobs_close(struct jobs *j)
{
    if (!j)
        return;
    for (unsigned i = 0; i < j->n; i++) {
        if (j->worker[i])
            worker_close(j->worker[i]);
        free(j->worker[i]);
    }
    join_close(&j->join);
    cap_merge_close(j->merge);
    for (size_t i = 0; i < j->n_capture; i++)
        cap_close(j->capture[i]);
    track_close(j->track);
    free(j);
}
