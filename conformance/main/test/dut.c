/* SPDX-License-Identifier: BSD-2-Clause */
/* The device under test before it is played: options of a live one, its health, and the messages to people. Wires, the
 * agent's starter and plays are the test's own. */
#include "main/dut.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "main/fault.h"
#include "parts.h"

static struct options o;
static struct dut dut;
static struct live_dut live;
static unsigned wires, starters, closed_wires, closed_starters, plays;
static int no_starter; /* errno */
static const char *dropped;
static const char *script; /* a letter for each play */
static char started[8][64];

struct ibc_wire *__wrap_ibc_wire_open(const char *spec, char *err, size_t errlen);
struct ibc_wire *__wrap_ibc_wire_open(const char *spec, char *err, size_t errlen)
{
    struct ibc_wire *w = calloc(1, sizeof *w);

    cr_assert(w);
    if (strncmp(spec, "bad", 3) == 0) {
        free(w);
        snprintf(err, errlen, "wire %s: it is%s", spec, spec + 3);
        return NULL;
    }
    snprintf(w->spec, sizeof w->spec, "%s", spec);
    wires++;
    return w;
}

void __wrap_ibc_wire_close(struct ibc_wire *w);
void __wrap_ibc_wire_close(struct ibc_wire *w)
{
    closed_wires += w != NULL;
    free(w);
}

bool __wrap_starter_open(struct starter *s, const char *agent, const struct channel_ops *ops);
bool __wrap_starter_open(struct starter *s, const char *agent, const struct channel_ops *ops)
{
    cr_expect(s->fd == -1 && ops);
    snprintf(started[starters++ % 8], sizeof started[0], "%s", agent);
    errno = no_starter;
    return no_starter == 0;
}

void __wrap_starter_close(struct starter *s);
void __wrap_starter_close(struct starter *s)
{
    cr_expect_not_null(s);
    closed_starters++;
}

bool __wrap_privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen);
bool __wrap_privileges_drop(const char *user, char as[PRIVILEGES_USER], char *err, size_t errlen)
{
    dropped = user ? user : "somebody";
    snprintf(as, PRIVILEGES_USER, "%s", dropped);
    if (strcmp(dropped, "no-one") == 0)
        snprintf(err, errlen, "--user no-one: there is no such user");
    return strcmp(dropped, "no-one") != 0;
}

/* p passes, n does not apply, o open, f fails, s nothing comes, e an error after which nothing answers */
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *how,
                    struct ibc_result *r);
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *how,
                    struct ibc_result *r)
{
    const char is = script[plays++];

    cr_expect(strcmp(s->id, "health") == 0 && t && how->seed == 9 && how->link == IBC_LINK_roce1 && is);
    *r = (struct ibc_result){.scenario = s, .verdict = IBC_IS_FAIL};
    snprintf(r->finding.expected, sizeof r->finding.expected, "an answer");
    snprintf(r->finding.got, sizeof r->finding.got, "%s",
             is == 's'   ? "nothing for 2 s"
             : is == 'e' ? "refused: the device did not survive"
                         : "nonsense");
    snprintf(r->measured, sizeof r->measured, "no queue pairs");
    r->verdict = is == 'p'   ? IBC_IS_PASS
                 : is == 'n' ? IBC_IS_NOT_APPLICABLE
                 : is == 'o' ? IBC_IS_INCONCLUSIVE
                             : IBC_IS_FAIL;
}

void __wrap_ibc_live_describe(const struct ibc_target *t, char *out, size_t n);
void __wrap_ibc_live_describe(const struct ibc_target *t, char *out, size_t n)
{
    cr_expect_not_null(t);
    snprintf(out, n, ": 3 went, 0 came");
}

static void begin(void)
{
    o = (struct options){.seed = 9, .repeat = 1, .timeout_scale = 2, .target = "live", .agent = "exec:x"};
    o.wire.w[o.wire.n++] = "unix:a,b";
    wires = starters = closed_wires = closed_starters = plays = 0;
    no_starter = 0;
    dropped = NULL;
}
TestSuite(dut, .init = begin);

static int choose(void)
{
    parts_listen();
    const int code = dut_choose(&dut, &live, &o);
    parts_hear();
    return code;
}

static void refuses(int code, const char *text)
{
    const int is = choose();

    cr_expect_eq(is, code);
    cr_expect_str_eq(parts_said, text, "%s", parts_said);
    live_end(&live);
    cr_expect_eq(wires, closed_wires);
}

Test(dut, wrong_options)
{
    static char long_name[5000];
    char bad[204], said[500];

    memset(long_name, 'x', sizeof long_name - 1);
    o.agent = NULL;
    refuses(EXIT_USAGE, "ibconform: --target live wants --agent CHANNEL: exec:COMMAND, unix:PATH or tcp:HOST:PORT\n");
    begin();
    o.wire.n = 0;
    refuses(EXIT_USAGE, "ibconform: --target live wants --wire ADAPTER: unix:PEER,OWN, dgram:HOST:PORT,HOST:PORT or "
                        "afpacket:IFACE\n");
    begin();
    o.wire.w[1] = o.wire.w[2] = "unix:c,d";
    o.wire.n = 3;
    refuses(EXIT_USAGE, "ibconform: --wire: one for each device, 2 at most\n");
    begin();
    o.wire.w[0] = "bad";
    refuses(EXIT_USAGE, "ibconform: --wire: wire bad: it is\n");
    snprintf(bad, sizeof bad, "bad%.200s", long_name); /* what a wire says may be twice as long as its name */
    snprintf(said, sizeof said, "ibconform: --wire: wire %s: it is%s\n", bad, bad + 3);
    begin();
    o.wire.w[0] = bad;
    refuses(EXIT_USAGE, said);
    begin();
    o.wire.w[0] = long_name;
    refuses(EXIT_USAGE, "ibconform: --wire: wire xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...: longer than 239 bytes\n");
    begin();
    o.agent = long_name;
    refuses(EXIT_USAGE, "ibconform: --agent: longer than 4095 bytes\n");
    begin();
    o.user = "no-one";
    refuses(EXIT_USAGE, "ibconform: --user no-one: there is no such user\n");
    begin();
    no_starter = EAGAIN;
    refuses(EXIT_HARNESS, "ibconform: no process to be had for the agent: Resource temporarily unavailable\n");
    begin();
    for (o.device.n = 0; o.device.n < 9; o.device.n++)
        o.device.w[o.device.n] = "192.0.2.1";
    refuses(EXIT_USAGE, "ibconform: --device 192.0.2.1: want a MAC, IPv4 or IPv6 address, 8 of them at most\n");
    o.device.n = 8;
    refuses(EXIT_OK, "");
}

Test(dut, longest_options)
{
    static char agent[4096], wire[240];

    memset(agent, 'a', sizeof agent - 1);
    memset(wire, 'w', sizeof wire - 1);
    o.agent = agent;
    o.wire.w[0] = wire;
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect_str_eq(live.lane[0].agent, agent);
    cr_expect_str_eq(live.lane[0].live.wire[0]->spec, wire);
    live_end(&live);
    memcpy(agent, "exec:{}", 7); /* with two digits it is as long as before */
    o.agent = agent;
    o.jobs = 11;
    memcpy(wire, "unix:{}", 7);
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect_eq(strlen(live.lane[10].agent), sizeof agent - 1);
    live_end(&live);
}

/* Several devices that are alike have their number in place of each {}. */
Test(dut, lanes)
{
    o.jobs = 3;
    o.agent = "exec:run {} at {}!";
    o.wire.w[0] = "unix:p{},q{}";
    o.wire.w[o.wire.n++] = "unix:{}r,s{}";
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect(live.n == 3 && dut.live == &live && !dut.manager && wires == 6 && starters == 3 && !dropped);
    cr_expect_str_eq(live.lane[0].agent, "exec:run 1 at 1!");
    cr_expect_str_eq(live.lane[2].agent, "exec:run 3 at 3!");
    cr_expect_str_eq(started[1], "exec:run 2 at 2!");
    cr_expect_str_eq(live.lane[1].live.wire[0]->spec, "unix:p2,q2");
    cr_expect_str_eq(live.lane[2].live.wire[1]->spec, "unix:3r,s3");
    for (unsigned i = 0; i < 3; i++) {
        const struct ibc_live *l = &live.lane[i].live;
        cr_expect(l->agent == live.lane[i].agent && l->starter == &live.lane[i].starter && !l->token && !l->pins);
        cr_expect(l->accepted == &live.lane[i].accepted && l->time_scale >= 2 && l->time_scale <= 2);
    }
    live_end(&live);
    cr_expect(closed_wires == 6 && closed_starters == 3 && live.n == 0);
    o.wire.w[1] = "unix:r,s";
    cr_expect_eq(choose(), EXIT_USAGE);
    o.jobs = 1;
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect_eq(live.n, 1);
    live_end(&live);
}

/* The token is the first line of a file, without its end. */
Test(dut, tokens)
{
    static const struct {
        const char *text, *token; /* NULL: there is none */
    } rows[] = {{"abc\n", "abc"}, {"abc", "abc"}, {"a b\r\nnext\n", "a b"},
                {"", NULL},       {"\n", NULL},   {"\r\nabc\n", NULL}};
    char want[600];

    parts_folder();
    o.jobs = 2;
    o.agent = "exec:{}";
    o.wire.w[0] = "unix:{}";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        o.agent_token_file = parts_write("token", rows[i].text);
        snprintf(want, sizeof want, "ibconform: --agent-token-file %s: its first line is empty\n", o.agent_token_file);
        cr_expect_eq(choose(), rows[i].token ? EXIT_OK : EXIT_USAGE);
        cr_expect_str_eq(parts_said, rows[i].token ? "" : want);
        if (rows[i].token) {
            cr_expect_str_eq(live.lane[0].live.token, rows[i].token);
            cr_expect_str_eq(live.lane[1].live.token, rows[i].token);
        }
        live_end(&live);
    }
    parts_remove();
}

/* A wire that needs rights, or --user, ends those of root. */
Test(dut, rights)
{
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect(!dropped && !live.user[0]);
    live_end(&live);
    o.wire.w[0] = "afpacket:eth9";
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect_str_eq(dropped, "somebody");
    cr_expect_str_eq(live.user, "somebody");
    live_end(&live);
    o.wire.w[0] = "unix:a,b";
    o.user = "joe";
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect_str_eq(live.user, "joe");
    live_end(&live);
}

/* People see who takes part on the standard output, or, if a report is there, on the other one. */
Test(dut, parties)
{
    o.device.w[o.device.n++] = "192.0.2.1";
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect(live.lane[0].live.pins && live.lane[0].live.pins->n == 1);
    parts_listen();
    live.lane[0].live.show("the device is \033 here");
    parts_hear();
    cr_expect_str_eq(parts_said, "the device is \\033 here\n");
    live_end(&live);
}

Test(dut, other_targets)
{
    static const char says[] =
        "ibconform: --wire, --agent, --agent-token-file, --device and --user are for --target live\n";

    o.target = NULL;
    refuses(EXIT_USAGE, says);
    o.agent = NULL;
    refuses(EXIT_USAGE, says);
    o.wire.n = 0;
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect(strcmp(dut.spec, "reference") == 0 && !dut.live && !dut.manager);
    o.target = "sm:opensm";
    cr_expect_eq(choose(), EXIT_OK);
    cr_expect(strcmp(dut.spec, "sm:opensm") == 0 && !dut.live && dut.manager);
    cr_expect_str_eq(dut_name(&dut), "sm:opensm");
    o.user = "joe";
    refuses(EXIT_USAGE, says);
    o.user = NULL;
    o.agent_token_file = "t";
    refuses(EXIT_USAGE, says);
    o.agent_token_file = NULL;
    o.device.n = 1;
    refuses(EXIT_USAGE, says);
}

Test(dut, names)
{
    struct live_dut l = {.n = 0};
    const struct dut d = {.spec = "live", .live = &l};

    cr_expect_str_eq(dut_name(&d), "live");
    snprintf(l.name, sizeof l.name, "live:cx");
    cr_expect_str_eq(dut_name(&d), "live:cx");
}

/* Only frames for this machine stay here; a host name is looked up before the wire is opened, too. */
Test(dut, leaving)
{
    static const struct {
        const char *first, *second, *leaves; /* leaves: by which one; NULL: by none */
    } rows[] = {{"unix:a,b", NULL, NULL},
                {"dgram:127.0.0.1:9,127.0.0.1:8", NULL, NULL},
                {"dgram:192.0.2.1:9,127.0.0.1:8", NULL, "dgram:192.0.2.1:9,127.0.0.1:8"},
                {"unix:a,b", "afpacket:eth9", "afpacket:eth9"},
                {"unix:a,b", "unix:c,d", NULL}};
    const struct dut before = {.spec = "live"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wire = "";
        o.wire.w[0] = rows[i].first;
        o.wire.w[1] = rows[i].second;
        o.wire.n = rows[i].second ? 2 : 1;
        cr_expect_eq(dut_leaves(&before, &o, &wire), rows[i].leaves != NULL, "%zu", i);
        if (rows[i].leaves)
            cr_expect_str_eq(wire, rows[i].leaves);
    }
}

/* If the agent cannot be reached since root was given up, the message says so. */
Test(dut, hints)
{
    static const struct {
        const char *agent, *user, *why, *says;
    } rows[] = {
        {"exec:ssh x", "joe", "denied",
         " (root was given up: the agent is reached as user joe, with that user's keys and rights; --user NAME chooses "
         "another)"},
        {"unix:ctl", "joe", "denied",
         " (root was given up: the agent is reached as user joe, with that user's keys and rights; --user NAME chooses "
         "another)"},
        {"unix:ctl", "joe", "denied; --user NAME chooses", " (root was given up: this user is joe)"},
        {"tcp:host:1", "joe", "denied", ""},
        {"exec:ssh x", "", "denied", ""},
        {"exec:ssh x", "", "denied --user", ""},
    };
    static struct live_lane lane;
    struct live_dut l = {.lane = &lane, .n = 1};
    const struct dut d = {.spec = "live", .live = &l}, other = {.spec = "reference"};
    char out[320] = "x";

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lane.live.agent = rows[i].agent;
        snprintf(l.user, sizeof l.user, "%s", rows[i].user);
        dut_hint(&d, rows[i].why, out, sizeof out);
        cr_expect_str_eq(out, rows[i].says);
    }
    dut_hint(&other, "denied", out, sizeof out);
    cr_expect_str_eq(out, "");
}

/* ---- health ---- */

Test(dut, health)
{
    static const struct {
        const char *script;
        int code;
        const char *says;
    } rows[] = {
        {"p", EXIT_OK, ""},
        {"ooop", EXIT_OK, ""},
        {"oof", EXIT_HARNESS, "ibconform: the device is not well at all: expected an answer, got nonsense\n"},
        {"ooooo", EXIT_HARNESS, "ibconform: the device is not well at all: expected an answer, got nonsense\n"},
        {"n", EXIT_HARNESS, "ibconform: no health exchange at all: no queue pairs\n"},
        {"s", EXIT_HARNESS,
         "ibconform: the device is not well at all: expected an answer, got nothing for 2 s: 3 went, 0 came\n"},
        {"e", EXIT_HARNESS, "ibconform: the device is not well at all: expected an answer, got refused\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target t = {.hurried = false};
        script = rows[i].script;
        plays = 0;
        parts_listen();
        const int code = live_health(&t, &o, IBC_LINK_roce1, "at all");
        parts_hear();
        cr_expect_eq(code, rows[i].code, "%s", script);
        cr_expect_str_eq(parts_said, rows[i].says, "%s", parts_said);
        cr_expect(t.hurried && plays == strlen(script), "%s: %u plays", script, plays);
    }
}

Test(dut, is_well)
{
    const struct ibc_options how = {.seed = 9, .link = IBC_LINK_roce1, .evidence_dir = "x"};
    struct ibc_target t = {.hurried = false};
    char why[200];

    for (const char *p = "pnofs"; *p; p++) {
        script = p;
        plays = 0;
        cr_expect_eq(dut_is_well(&t, &how, why, sizeof why), *p == 'p' || *p == 'n');
        cr_expect_str_eq(why,
                         *p == 's' ? "expected an answer, got nothing for 2 s" : "expected an answer, got nonsense");
        cr_expect(plays == 1 && !t.hurried);
    }
}
