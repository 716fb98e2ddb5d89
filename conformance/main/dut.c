#include "dut.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct ibc_target *dut_open(const struct dut *d, char *err, size_t errlen)
{
    return d->live ? ibc_live_open(d->live, err, errlen) : ibc_target_open(d->spec, err, errlen);
}

/* The first line of the file. */
static int read_token(struct live_dut *l, const char *path)
{
    FILE *f = fopen(path, "r");
    const bool there = f && fgets(l->token, sizeof l->token, f);
    const int e = errno;

    if (f)
        fclose(f);
    l->token[strcspn(l->token, "\r\n")] = '\0';
    if (!f)
        return wrong(EXIT_USAGE, "--agent-token-file %s: %s", path, strerror(e));
    if (!there || !l->token[0])
        return wrong(EXIT_USAGE, "--agent-token-file %s: its first line is empty", path);
    l->live.token = l->token;
    return EXIT_OK;
}

static int check_options(const struct options *o)
{
    if (!o->agent)
        return wrong(EXIT_USAGE, "--target live wants --agent CHANNEL: exec:COMMAND, unix:PATH or tcp:HOST:PORT");
    if (o->wire.n == 0)
        return wrong(EXIT_USAGE, "--target live wants --wire ADAPTER: unix:PEER,OWN, dgram:HOST:PORT,HOST:PORT or "
                                 "afpacket:IFACE");
    if (o->wire.n > IBC_DEVICES)
        return wrong(EXIT_USAGE, "--wire: one for each device, %d at most", (int)IBC_DEVICES);
    if (o->jobs > 1)
        return wrong(EXIT_USAGE, "-j %u: a live device is tested by one process", o->jobs);
    return EXIT_OK;
}

int live_begin(struct live_dut *l, const struct options *o)
{
    bool privileged = false;
    char err[512];
    int rc = check_options(o);

    l->live = (struct ibc_live){.agent = o->agent, .time_scale = o->timeout_scale};
    if (rc == EXIT_OK && o->agent_token_file)
        rc = read_token(l, o->agent_token_file);
    for (size_t i = 0; rc == EXIT_OK && i < o->wire.n; i++) {
        l->live.wire[i] = ibc_wire_open(o->wire.w[i], err, sizeof err);
        privileged |= ibc_wire_privileged(o->wire.w[i]);
        if (!l->live.wire[i])
            rc = wrong(EXIT_USAGE, "--wire: %s", err);
    }
    if (rc == EXIT_OK && (privileged || o->user) && !privileges_drop(o->user, err, sizeof err))
        rc = wrong(EXIT_USAGE, "%s", err);
    return rc;
}

void live_end(struct live_dut *l)
{
    for (size_t i = 0; i < IBC_DEVICES; i++)
        ibc_wire_close(l->live.wire[i]);
    *l = (struct live_dut){0};
}

/* ---- health ---- */

static const char health[] = "title    the device is well\n"
                             "spec     RR-03\n"
                             "role     responder\n"
                             "service  rc ud\n"
                             "health\n";

int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when)
{
    enum { TRIES = 5 };
    const struct ibc_options how = {.seed = o->seed, .link = link};
    char err[256];
    struct ibc_scenario *s = ibc_load_text(health, sizeof health - 1, "health.ibt", "health", err, sizeof err);
    struct ibc_result r = {0};
    int rc = EXIT_OK;

    if (!s)
        return wrong(EXIT_HARNESS, "%s", err);
    for (unsigned i = 0; i < TRIES && (i == 0 || r.verdict == IBC_IS_INCONCLUSIVE); i++) { /* frames may be lost */
        ibc_result_clear(&r);
        ibc_run(s, t, &how, &r);
    }
    if (r.verdict == IBC_IS_NOT_APPLICABLE)
        rc = wrong(EXIT_HARNESS, "no health exchange %s: %s", when, r.measured);
    else if (r.verdict != IBC_IS_PASS)
        rc = wrong(EXIT_HARNESS, "the device is not well %s: expected %s, got %s", when, r.finding.expected,
                   r.finding.got);
    ibc_result_clear(&r);
    ibc_free(s);
    return rc;
}
