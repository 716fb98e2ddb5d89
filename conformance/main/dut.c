/* SPDX-License-Identifier: BSD-2-Clause */
#include "dut.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fault.h"
#include "reports.h"
#include "system/text.h"
#include "targets/live_channel.h"
#include "targets/sm.h"

struct ibc_target *dut_open(const struct dut *d, unsigned lane, char *err, size_t errlen)
{
    if (d->manager)
        return ibc_sm_open(d->spec, err, errlen);
    return d->live ? ibc_live_open(&d->live->lane[lane].live, err, errlen) : ibc_target_open(d->spec, err, errlen);
}

const char *dut_name(const struct dut *d)
{
    return d->live && d->live->name[0] ? d->live->name : d->spec;
}

/* Reads the token, which is the first line of the file. */
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
    for (unsigned i = 0; i < l->n; i++)
        l->lane[i].live.token = l->token;
    return EXIT_OK;
}

/* ---- several devices that are alike ---- */

static const char place[] = "{}"; /* stands for the number of the device in --wire and --agent */

/* Copies `spec` with `n` in the place of each {}. False: the result is too long. */
static bool fill(const char *spec, unsigned n, char *out, size_t room)
{
    const char *at;
    size_t used = 0;

    for (; (at = strstr(spec, place)) != NULL; spec = at + strlen(place)) {
        const int wrote = snprintf(out + used, room - used, "%.*s%u", (int)(at - spec), spec, n);
        if (wrote < 0 || (size_t)wrote >= room - used)
            return false;
        used += (size_t)wrote;
    }
    return snprintf(out + used, room - used, "%s", spec) < (int)(room - used);
}

static int check_places(const struct options *o)
{
    bool all = strstr(o->agent, place) != NULL;

    for (size_t i = 0; i < o->wire.n; i++)
        all &= strstr(o->wire.w[i], place) != NULL;
    if (all)
        return EXIT_OK;
    return wrong(EXIT_USAGE,
                 "-j %u: a live device is tested by one process; several that are alike want {} for their "
                 "number, from 1 on, in --agent and each --wire",
                 o->jobs);
}

/* ---- who takes part ---- */

static struct live_pins live_pins;
static FILE *parties_to;

static void print_parties(const char *line)
{
    text_line(parties_to, "%s", line);
    fflush(parties_to);
}

static int read_pins(const struct options *o)
{
    live_pins = (struct live_pins){.n = 0};
    for (size_t i = 0; i < o->device.n; i++)
        if (!live_pin_add(&live_pins, o->device.w[i]))
            return wrong(EXIT_USAGE, "--device %s: want a MAC, IPv4 or IPv6 address, %d of them at most",
                         o->device.w[i], (int)LIVE_PINS);
    parties_to = reports_take_stdout(o) ? stderr : stdout;
    return EXIT_OK;
}

bool dut_leaves(const struct dut *d, const struct options *o, const char **wire)
{
    for (size_t i = 0; i < o->wire.n; i++) {
        *wire = o->wire.w[i];
        if (!d->live && ibc_wire_leaves(*wire, NULL))
            return true;
        for (unsigned k = 0; d->live && k < d->live->n; k++)
            if (ibc_wire_leaves(*wire, d->live->lane[k].live.wire[i]))
                return true;
    }
    return false;
}

static int open_lane(struct live_lane *l, const struct options *o, unsigned number)
{
    char spec[sizeof l->live.wire[0]->spec], err[512];

    l->live = (struct ibc_live){.agent = l->agent,
                                .time_scale = o->timeout_scale,
                                .pins = o->device.n ? &live_pins : NULL,
                                .accepted = &l->accepted,
                                .show = print_parties};
    if (!fill(o->agent, number, l->agent, sizeof l->agent))
        return wrong(EXIT_USAGE, "--agent: longer than %zu bytes", sizeof l->agent - 1);
    for (size_t i = 0; i < o->wire.n; i++) {
        if (!fill(o->wire.w[i], number, spec, sizeof spec))
            return wrong(EXIT_USAGE, "--wire: wire %.40s...: longer than %zu bytes", o->wire.w[i], sizeof spec - 1);
        l->live.wire[i] = ibc_wire_open(spec, err, sizeof err);
        if (!l->live.wire[i])
            return wrong(EXIT_USAGE, "--wire: %s", err);
    }
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
    return o->jobs > 1 ? check_places(o) : EXIT_OK;
}

static int live_begin(struct live_dut *l, const struct options *o)
{
    bool privileged = false;
    char err[512];
    int rc = check_options(o);

    if (rc == EXIT_OK)
        rc = read_pins(o);
    if (rc != EXIT_OK)
        return rc;
    l->n = o->jobs ? o->jobs : 1;
    l->lane = calloc(l->n, sizeof *l->lane);
    if (!l->lane)
        return wrong(EXIT_HARNESS, "out of memory");
    for (unsigned i = 0; i < l->n; i++)
        l->lane[i].starter.fd = -1;
    for (unsigned i = 0; rc == EXIT_OK && i < l->n; i++)
        rc = open_lane(&l->lane[i], o, i + 1);
    if (rc == EXIT_OK && o->agent_token_file)
        rc = read_token(l, o->agent_token_file);
    for (size_t i = 0; i < o->wire.n; i++)
        privileged |= ibc_wire_privileged(o->wire.w[i]);
    if (rc == EXIT_OK && (privileged || o->user) && !privileges_drop(o->user, l->user, err, sizeof err))
        rc = wrong(EXIT_USAGE, "%s", err);
    for (unsigned i = 0; rc == EXIT_OK && i < l->n; i++) {
        l->lane[i].live.starter = &l->lane[i].starter;
        if (!starter_open(&l->lane[i].starter, l->lane[i].agent, &channel_direct))
            rc = wrong(EXIT_HARNESS, "no process to be had for the agent: %s", strerror(errno));
    }
    return rc;
}

void dut_hint(const struct dut *d, const char *why, char *out, size_t n)
{
    static const char *const kinds[] = {"exec:", "unix:"};
    const char *agent = d->live ? d->live->lane[0].live.agent : "";
    bool as_user = false;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        as_user |= strncmp(agent, kinds[i], strlen(kinds[i])) == 0;
    out[0] = '\0';
    if (as_user && d->live->user[0] && !strstr(why, "--user"))
        snprintf(out, n,
                 " (root was given up: the agent is reached as user %s, with that user's keys and rights; --user NAME "
                 "chooses another)",
                 d->live->user);
    else if (as_user && d->live->user[0])
        snprintf(out, n, " (root was given up: this user is %s)", d->live->user);
}

void live_name(struct live_dut *l, const struct ibc_target *t)
{
    snprintf(l->name, sizeof l->name, "live:%s", ibc_live_name(t));
}

void live_end(struct live_dut *l)
{
    live_host_forget();
    for (unsigned n = 0; l->lane && n < l->n; n++)
        starter_close(&l->lane[n].starter);
    for (unsigned n = 0; l->lane && n < l->n; n++)
        for (size_t i = 0; i < IBC_DEVICES; i++)
            ibc_wire_close(l->lane[n].live.wire[i]);
    free(l->lane);
    *l = (struct live_dut){0};
}

int dut_choose(struct dut *d, struct live_dut *l, const struct options *o)
{
    *d = (struct dut){.spec = o->target ? o->target : "reference"};
    d->manager = ibc_sm_is(d->spec);
    if (strcmp(d->spec, "live") == 0) {
        d->live = l;
        return live_begin(l, o);
    }
    if (o->wire.n || o->agent || o->agent_token_file || o->user || o->device.n)
        return wrong(EXIT_USAGE, "--wire, --agent, --agent-token-file, --device and --user are for --target live");
    return EXIT_OK;
}

/* ---- health ---- */

static const char health[] = "title    the device is well\n"
                             "spec     RR-03\n"
                             "role     responder\n"
                             "service  rc ud\n"
                             "health\n";

static struct ibc_scenario *exchange(char *err, size_t errlen)
{
    return ibc_load_text(health, sizeof health - 1, "health.ibt", "health", err, errlen);
}

bool dut_is_well(struct ibc_target *t, const struct ibc_options *o, char *why, size_t n)
{
    const struct ibc_options how = {.seed = o->seed, .link = o->link};
    struct ibc_scenario *s = exchange(why, n);
    struct ibc_result r = {0};
    bool well;

    if (!s)
        return false;
    ibc_run(s, t, &how, &r);
    well = r.verdict == IBC_IS_PASS || r.verdict == IBC_IS_NOT_APPLICABLE;
    snprintf(why, n, "expected %s, got %s", r.finding.expected, r.finding.got);
    ibc_result_clear(&r);
    ibc_free(s);
    return well;
}

/* Prints the possible causes of a silent device, and those that the tester can check */
static void list_causes(struct ibc_target *t, struct ibc_result *r, char *out, size_t n)
{
    char *gone = strstr(r->finding.got, ": the device did not survive");

    if (gone) /* the device cannot have been crashed, since only the health probe was sent */
        *gone = '\0';
    out[0] = '\0';
    if (strncmp(r->finding.got, "nothing for", strlen("nothing for")) == 0)
        ibc_live_describe(t, out, n);
}

int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when)
{
    enum { TRIES = 5 };
    const struct ibc_options how = {.seed = o->seed, .link = link};
    char err[256], causes[640];
    struct ibc_scenario *s = exchange(err, sizeof err);
    struct ibc_result r = {0};
    int rc = EXIT_OK;

    if (!s)
        return wrong(EXIT_HARNESS, "%s", err);
    t->hurried = true; /* does not wait for the agent, so that the user sees the message soon */
    /* the probe is repeated, since frames may be lost */
    for (unsigned i = 0; i < TRIES && (i == 0 || r.verdict == IBC_IS_INCONCLUSIVE); i++) {
        ibc_result_clear(&r);
        ibc_run(s, t, &how, &r);
    }
    list_causes(t, &r, causes, sizeof causes);
    if (r.verdict == IBC_IS_NOT_APPLICABLE)
        rc = wrong(EXIT_HARNESS, "no health exchange %s: %s", when, r.measured);
    else if (r.verdict != IBC_IS_PASS)
        rc = wrong(EXIT_HARNESS, "the device is not well %s: expected %s, got %s%s", when, r.finding.expected,
                   r.finding.got, causes);
    ibc_result_clear(&r);
    ibc_free(s);
    return rc;
}
