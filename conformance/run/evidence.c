/* SPDX-License-Identifier: BSD-2-Clause */
/* One capture for each scenario: every frame of every play, with comments on what was judged. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "pcapng_write.h"
#include "run/play.h"

struct run_evidence {
    struct pcapng_writer *w;
};

struct run_evidence *run_evidence_open(const char *dir, const char *id, char **path)
{
    static const char ending[] = ".pcapng";
    const size_t n = strlen(dir) + 1 + strlen(id) + sizeof ending;
    struct run_evidence *e = calloc(1, sizeof *e);
    char err[256];

    *path = malloc(n);
    if (!e || !*path || (mkdir(dir, 0777) != 0 && errno != EEXIST)) {
        free(e);
        free(*path);
        *path = NULL;
        return NULL;
    }
    snprintf(*path, n, "%s/%s%s", dir, id, ending);
    e->w = pcapng_open(*path, err, sizeof err);
    return e;
}

/* A finding that no packet shows becomes a comment on the first packet of the play. */
static void add_finding(const struct run_player *p, char *comment, size_t n)
{
    const struct ibc_finding *f = &p->finding;
    const size_t used = strlen(comment);

    if (run_rank(p->verdict) >= run_rank(IBC_IS_INCONCLUSIVE) && f->packet == 0)
        snprintf(comment + used, n - used, "\nline %u: %s: expected %s, got %s", f->line,
                 run_verdict_name(p, p->verdict), f->expected, f->got);
}

static void write_packet(struct run_evidence *e, const struct run_player *p, const struct run_packet *k, bool first)
{
    enum { LINKTYPE_ETHERNET = 1, LINKTYPE_INFINIBAND = 247 };
    char comment[1024];
    const struct cap_packet c = {
        .data = k->frame,
        .caplen = k->len,
        .len = k->len,
        .dlt = p->t->framing == IBA_LINK_IB ? LINKTYPE_INFINIBAND : LINKTYPE_ETHERNET,
        .ts_ns = k->at,
        .has_ts = true,
    };

    snprintf(comment, sizeof comment, "%s%s%s%s%s", first ? "variation: " : "",
             first ? iba_qp_type_name(p->play->service) : "", first && *p->play->variation ? " " : "",
             first ? p->play->variation : "", first ? "\n" : "");
    snprintf(comment + strlen(comment), sizeof comment - strlen(comment), "%s",
             k->comment ? k->comment : "not asked for");
    if (first)
        add_finding(p, comment, sizeof comment);
    (void)pcapng_packet(e->w, &c, comment); /* a failure to write is reported once, at the end */
}

void run_evidence_write(struct run_evidence *e, const struct run_player *p)
{
    if (!e || !e->w)
        return;
    for (const struct run_packet *k = p->first; k; k = k->next)
        write_packet(e, p, k, k == p->first);
}

bool run_evidence_close(struct run_evidence *e)
{
    const bool good = e && e->w && pcapng_close(e->w) == 0;

    free(e);
    return good;
}

void run_comment(struct run_player *p, struct run_packet *k, const struct ibc_step *s, const char *verdict,
                 const struct run_difference *d)
{
    char text[768];
    char *kept;

    if (!p->keep_evidence)
        return;
    snprintf(text, sizeof text, "line %u: %s%s%s", s->line, s->text, verdict ? ": " : "", verdict ? verdict : "");
    if (d && d->expected[0])
        snprintf(text + strlen(text), sizeof text - strlen(text), ": expected %s, got %s", d->expected, d->got);
    kept = run_alloc(&p->arena, strlen(text) + 1);
    if (kept)
        memcpy(kept, text, strlen(text) + 1);
    k->comment = kept;
}
