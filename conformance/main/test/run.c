/* SPDX-License-Identifier: BSD-2-Clause */
/* run, with a device, plays, signals and a clock of the test's own: when it looks at each device and its ports, and how
 * a run ends if one of them is not well. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "main/command.h"
#include "main/dut.h"
#include "main/fault.h"
#include "main/play.h"
#include "main/sandbox.h"
#include "parts.h"
#include "report/report.h"
#include "system/signals.h"

#define SECOND UINT64_C(1000000000)

/* The values that the test chooses, and after them what it sees. */
static struct lab {
    unsigned lanes; /* of a live device; 0: the device is none */
    bool manager;
    int choice;
    const char *opens, *looks;    /* for each time a letter, x: it fails; after the last it does not */
    bool port_is_down, no_memory; /* no_memory: for the report */
    unsigned signal_at;           /* 1: before the plays, 2: during the plays */
    const char *left_out[4];      /* why a scenario does not apply; NULL: it passes */
    enum ibc_verdict absent[4];   /* and its verdict then; PASS: NOT_APPLICABLE */

    unsigned opened, looked, naps;
    char log[200];
    uint64_t now;
} lab;

static void enters(const char *what, unsigned lane)
{
    const size_t n = strlen(lab.log);

    if (lane < 9)
        snprintf(lab.log + n, sizeof lab.log - n, "%s%s%u", n ? " " : "", what, lane);
    else
        snprintf(lab.log + n, sizeof lab.log - n, "%s%s", n ? " " : "", what);
}

/* ---- the parts that run is made of ---- */

static uint32_t links(struct ibc_target *t)
{
    cr_expect_not_null(t);
    return 1u << IBC_LINK_roce1;
}

static const struct ibc_target_ops ops = {.name = "device", .links = links};
static struct ibc_target device = {.ops = &ops};

int dut_choose(struct dut *d, struct live_dut *l, const struct options *o)
{
    cr_expect_not_null(o);
    enters("choose", 9);
    l->n = lab.lanes;
    *d = (struct dut){.spec = "x", .live = lab.lanes ? l : NULL, .manager = lab.manager};
    return lab.choice;
}

struct ibc_target *dut_open(const struct dut *d, unsigned lane, char *err, size_t n)
{
    const bool fails = lab.opened < strlen(lab.opens) && lab.opens[lab.opened] == 'x';

    cr_expect_not_null(d);
    lab.opened++;
    if (!fails)
        enters("open", lane);
    snprintf(err, n, "no device in attempt %u", lab.opened);
    return fails ? NULL : &device;
}

void __wrap_ibc_target_close(struct ibc_target *t);
void __wrap_ibc_target_close(struct ibc_target *t)
{
    if (t)
        enters("close", 9);
}

const char *dut_name(const struct dut *d)
{
    return d->live ? "live:x" : "x";
}

void dut_hint(const struct dut *d, const char *why, char *out, size_t n)
{
    snprintf(out, n, " (%s, a hint%s)", strncmp(why, "no device", 9) == 0 ? "after all" : "?", d->live ? "" : "?");
}

bool dut_leaves(const struct dut *d, const struct options *o, const char **wire)
{
    cr_expect(d && o && wire);
    return false;
}

void live_name(struct live_dut *l, const struct ibc_target *t)
{
    cr_expect(l && t == &device);
    enters("name", 9);
}

int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when)
{
    const bool fails = lab.looked < strlen(lab.looks) && lab.looks[lab.looked] == 'x';

    cr_expect(t == &device && o && link == IBC_LINK_roce1);
    lab.looked++;
    enters(strcmp(when, "before the first scenario") == 0 ? "before"
           : strcmp(when, "after the last scenario") == 0 ? "after"
                                                          : when,
           9);
    return fails ? wrong(EXIT_HARNESS, "ill %s", when) : EXIT_OK;
}

void live_end(struct live_dut *l)
{
    cr_expect_eq(l->n, lab.lanes);
    enters("end", 9);
}

int dut_look_at_ports(const struct dut *d, const struct cases *cases)
{
    cr_expect(d->live && cases->n == 4);
    enters("ports", 9);
    return lab.port_is_down ? wrong(EXIT_HARNESS, "eth0: it is down") : EXIT_OK;
}

void sandbox_enter(const struct dut *d, const struct options *o, const struct ibc_suite *suite)
{
    cr_expect(d && o && suite->n == 4);
    enters("sandbox", 9);
}

bool play_cases(const struct play_run *run, struct ibc_result *r, bool *has)
{
    enters("play", 9);
    cr_expect(run->repeat == 1 && run->cases->n == 4 && strcmp(run->target, dut_name(&run->dut)) == 0);
    for (size_t i = 0; i < run->cases->n; i++) {
        r[i] = (struct ibc_result){.scenario = run->cases->c[i].s, .counters = IBC_IS_NOT_APPLICABLE};
        r[i].verdict = !lab.left_out[i] ? IBC_IS_PASS : lab.absent[i] ? lab.absent[i] : IBC_IS_NOT_APPLICABLE;
        snprintf(r[i].measured, sizeof r[i].measured, "%s", lab.left_out[i] ? lab.left_out[i] : "");
        has[i] = true;
    }
    return true;
}

bool __real_ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose);
bool __wrap_ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose);
bool __wrap_ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose)
{
    return !lab.no_memory && __real_ibc_report_terminal(out, r, color, verbose);
}

int __wrap_signals_came(void);
int __wrap_signals_came(void)
{
    return lab.signal_at == 1 || (lab.signal_at == 2 && strstr(lab.log, "play"));
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    lab.now = parts_clock(lab.now + (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec);
    lab.naps++;
    return 0;
}

/* ---- */

static int run(const struct lab *how, const char *json)
{
    static const char text[] = "title    t\nspec     RR-03\nrole     responder\nservice  rc\n"
                               "qp a\n> a SEND_ONLY psn=+0 ackreq=1\n";
    struct options o = {.seed = 1, .repeat = 1, .timeout_scale = 0.5, .json_file = json};

    (void)parts_folder();
    for (char name[] = "a.ibt"; *name < 'e'; ++*name)
        (void)parts_write(name, text);
    o.scenarios = parts_file(".");
    lab = *how;
    if (!lab.opens)
        lab.opens = "";
    if (!lab.looks)
        lab.looks = "";
    lab.now = parts_clock(50 * SECOND);
    parts_listen();
    const int code = command_run(&o);
    parts_hear();
    (void)parts_clock(0);
    parts_remove();
    return code;
}

#define BEGINS "choose sandbox open0 "
#define NONE "choose sandbox end"

/* Each live device is looked at before the first scenario and after the last one, and its ports once. */
static const struct {
    struct lab lab;
    int code;
    const char *log, *says; /* says: a line */
} looks[] = {
    {{.lanes = 0}, EXIT_OK, BEGINS "close play end", "4 passed, 0 failed; 1 statements\n"},
    {{.manager = true}, EXIT_OK, BEGINS "close play end", "4 passed, 0 failed; 1 statements\n"},
    {{.lanes = 1},
     EXIT_OK,
     BEGINS "name ports before close play open0 close open0 after close end",
     "4 passed, 0 failed; 1 statements\n"},
    {{.lanes = 2},
     EXIT_OK,
     BEGINS "name ports before close open1 before close play open0 close open0 after close open1 close open1 after "
            "close end",
     "4 passed, 0 failed; 1 statements\n"},
    {{.choice = EXIT_USAGE}, EXIT_USAGE, "choose end", ""},
    {{.no_memory = true}, EXIT_HARNESS, BEGINS "close play end", "ibconform: out of memory\n"},
    {{.lanes = 1, .port_is_down = true}, EXIT_HARNESS, BEGINS "name ports close end", "ibconform: eth0: it is down\n"},
    {{.lanes = 2, .looks = "x"},
     EXIT_HARNESS,
     BEGINS "name ports before close end",
     "ibconform: ill before the first scenario\n"},
    {{.lanes = 3, .looks = "gx"},
     EXIT_HARNESS,
     BEGINS "name ports before close open1 before close end",
     "ibconform: ill before the first scenario\n"},
    {{.lanes = 2, .looks = "ggx"},
     EXIT_HARNESS,
     BEGINS "name ports before close open1 before close play open0 close open0 after close end",
     "4 passed, 0 failed; 1 statements\n"},
    {{.opens = "x"}, EXIT_USAGE, NONE, "ibconform: --target: no device in attempt 1\n"},
    {{.lanes = 1, .opens = "x"}, EXIT_HARNESS, NONE, "ibconform: no device in attempt 1 (after all, a hint)\n"},
    {{.lanes = 2, .opens = "gx"},
     EXIT_HARNESS,
     BEGINS "name ports before close end",
     "ibconform: no device in attempt 2 (after all, a hint)\n"},
    {{.lanes = 1, .opens = "ggx"},
     EXIT_HARNESS,
     BEGINS "name ports before close play open0 close end",
     "ibconform: after the last scenario: no device in attempt 3 (after all, a hint)\n"},
    {{.lanes = 1, .signal_at = 1},
     EXIT_HARNESS,
     BEGINS "name ports before close end",
     "ibconform: a signal ended the run\n"},
    {{.lanes = 1, .signal_at = 2},
     EXIT_HARNESS,
     BEGINS "name ports before close play end",
     "4 passed, 0 failed; 1 statements\n"},
};

Test(run, looks_at_devices)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        cr_expect_eq(run(&looks[i].lab, NULL), looks[i].code, "row %zu", i);
        cr_expect_str_eq(lab.log, looks[i].log, "row %zu: %s", i, lab.log);
        cr_expect(strstr(parts_said, looks[i].says), "row %zu: %s", i, parts_said);
        cr_expect_eq(lab.naps, 0);
    }
}

/* A device that the last scenario took down has 100 s to come back, times the factor of --timeout-scale. */
Test(run, waits_for_the_device)
{
    char never[300];

    cr_expect_eq(run(&(struct lab){.lanes = 1, .opens = "gxxxg"}, NULL), EXIT_OK);
    cr_expect_eq(lab.naps, 3);
    memset(never, 'x', sizeof never - 1);
    never[0] = 'g';
    never[sizeof never - 1] = '\0';
    cr_expect_eq(run(&(struct lab){.lanes = 2, .opens = never}, NULL), EXIT_HARNESS);
    cr_expect_eq(lab.naps, 0, "the second is not there before the first scenario");
    cr_expect_eq(run(&(struct lab){.lanes = 1, .opens = never}, NULL), EXIT_HARNESS);
    cr_expect_eq(lab.naps, 100, "%u naps of half a second", lab.naps);
    cr_expect(strstr(parts_said, "ibconform: after the last scenario: no device in attempt 103 (after"), "%s",
              parts_said);
}

/* After the results a run on a device that others made says how many scenarios were left out for each reason, the most
 * frequent first; unless a report goes to the standard output. */
Test(run, left_out)
{
    static const char says[] = "     2 left out: no SRQ\n     1 left out: no APM\n     1 left out: no XRC\n";
    struct lab how = {
        .lanes = 1, .left_out = {"no XRC", "no SRQ", "no APM", "no SRQ"}, .absent = {[1] = IBC_IS_UNSUPPORTED}};

    cr_expect_eq(run(&how, NULL), EXIT_OK);
    cr_expect(strlen(parts_said) > strlen(says) && strcmp(parts_said + strlen(parts_said) - strlen(says), says) == 0,
              "%s", parts_said);
    (void)run(&how, "-");
    cr_expect(!strstr(parts_said, "left out:") && strstr(parts_said, "\"no SRQ\""), "%s", parts_said);
    how.absent[3] = IBC_IS_INFO;
    (void)run(&how, NULL);
    cr_expect(strstr(parts_said, "     1 left out: no APM\n     1 left out: no SRQ\n     1 left out: no XRC\n"), "%s",
              parts_said);
    how = (struct lab){.manager = true, .left_out = {"no SRQ"}};
    (void)run(&how, NULL);
    cr_expect(strstr(parts_said, "\n     1 left out: no SRQ\n"), "%s", parts_said);
    how.manager = false;
    (void)run(&how, NULL);
    cr_expect_not(strstr(parts_said, "left out: no"), "%s", parts_said);
}
