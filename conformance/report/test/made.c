/* SPDX-License-Identifier: BSD-2-Clause */
#include "made.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "input/pcapng_write.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

#define GOOD_FILE IBPROOF_SOURCE_DIR "/conformance/scenarios/rc/responder/psn-gap-one-nak.ibt"

static const char *gap[] = {"RR-03", "RR-04"}, *hostile[] = {HOSTILE, "RR-04"}, *ud[] = {"UU-18"};
static struct ibc_scenario scenarios[MADE_RESULTS];
static struct ibc_result results[MADE_RESULTS];
static struct ibc_waiver waiver = {
    .reason = (char *)HOSTILE, .pattern = (char *)"rc.*", .expires = (char *)"2099-12-31"};

static void scenario(struct ibc_scenario *s, const char *id, const char *title, const char **spec, unsigned n)
{
    *s = (struct ibc_scenario){
        .id = (char *)id, .path = (char *)GOOD_FILE, .title = (char *)title, .spec = spec, .n_spec = n};
    s->klass = UINT8_MAX;
    s->role = IBC_ROLE_responder;
}

static void fill(char *to, size_t n, const char *with)
{
    for (size_t i = 0; i < n; i++)
        to[i] = with[i % strlen(with)]; /* and no 0 at the end */
}

static void everything_hostile(struct ibc_result *r)
{
    struct ibc_finding *f[] = {&r->finding, &r->counter_finding};

    for (size_t i = 0; i < 2; i++) {
        f[i]->line = UINT32_MAX;
        f[i]->packet = UINT32_MAX;
        fill(f[i]->variation, sizeof f[i]->variation, HOSTILE);
        fill(f[i]->expected, sizeof f[i]->expected, HOSTILE);
        fill(f[i]->got, sizeof f[i]->got, HOSTILE);
        fill(f[i]->sentence, sizeof f[i]->sentence, HOSTILE);
    }
    fill(r->measured, sizeof r->measured, HOSTILE);
    r->counters = IBC_IS_FAIL;
    r->variations = r->passed = UINT32_MAX;
    r->wall_ns = UINT64_MAX;
    r->waiver = &waiver;
}

static void found(struct ibc_result *r)
{
    r->finding = (struct ibc_finding){.line = 15, .packet = 5};
    snprintf(r->finding.expected, sizeof r->finding.expected, "bth.psn 0x000101");
    snprintf(r->finding.got, sizeof r->finding.got, "bth.psn 0x000102 <of> \"device\" & co");
    snprintf(r->finding.variation, sizeof r->finding.variation, "pmtu=256 epsn=0x000100");
}

static const char *const ids[IBC_IS_COUNT] = {
    "rc.responder.a-pass",       "rc.responder.b-tolerated", "rc.responder.c-inconclusive",   "rc.responder.d-deviates",
    "rc.responder.d-fail",       "rc.requester.e-error",     "rc.requester.f-info",           "uc.g-not-applicable",
    "ud.receiver.h-unsupported", "ud.receiver.i-xfail",      "ud.receiver.some.part.j-xpass",
};

const struct ibc_report *made_report(const char *path)
{
    static char very_long[100001];
    static struct ibc_run_info info = {.target = HOSTILE,
                                       .link = "roce2-ipv4",
                                       .version = "0.1.0",
                                       .seed = UINT64_MAX,
                                       .repeat = 1,
                                       .jobs = 2,
                                       .wall_ns = 1500000,
                                       .started = "2026-11-21T16:00:00Z"};
    static struct ibc_report report = {.info = &info, .result = results, .n = MADE_RESULTS};
    size_t n = 0;

    memset(results, 0, sizeof results);
    for (; n < IBC_IS_COUNT; n++) {
        scenario(&scenarios[n], ids[n], "a gap in the PSN sequence gets exactly one NAK", n < 7 ? gap : ud,
                 n < 7 ? 2 : 1);
        results[n] = (struct ibc_result){.verdict = (enum ibc_verdict)n,
                                         .counters = IBC_IS_NOT_APPLICABLE,
                                         .variations = 9,
                                         .passed = 3,
                                         .wall_ns = 1234567,
                                         .evidence = (char *)path};
        if (n != IBC_IS_PASS)
            found(&results[n]);
    }
    scenarios[IBC_IS_DEVIATES].drawn = "drawn <from> it";
    results[IBC_IS_XFAIL].waiver = &waiver;
    results[IBC_IS_PASS].counters = IBC_IS_PASS;
    results[IBC_IS_NOT_APPLICABLE].spared = true;
    scenarios[IBC_IS_NOT_APPLICABLE].hazard = (char *)HOSTILE;
    snprintf(results[IBC_IS_NOT_APPLICABLE].measured, sizeof results->measured, "not played: it kills");
    memset(very_long, 'x', sizeof very_long - 1);
    scenario(&scenarios[n++], HOSTILE, HOSTILE, hostile, 2);
    scenario(&scenarios[n++], "rc." HOSTILE ".z", very_long, hostile, 1);
    scenario(&scenarios[n++], "ud.zz", "", NULL, 0);
    scenario(&scenarios[n++], "rc.responder.y-no-file", "t", gap, 1);
    scenarios[14].path = NULL;
    for (n = IBC_IS_COUNT; n < MADE_RESULTS; n++)
        results[n] = (struct ibc_result){.verdict = IBC_IS_FAIL, .counters = IBC_IS_NOT_APPLICABLE, .variations = 1};
    everything_hostile(&results[11]);
    results[12].evidence = (char *)"/nowhere/" HOSTILE;
    for (n = 0; n < MADE_RESULTS; n++)
        results[n].scenario = &scenarios[n];
    return &report;
}

static size_t packet(uint8_t *out, size_t room, uint8_t opcode, uint32_t psn, bool back)
{
    struct iba_recipe r;
    uint8_t *ip;
    size_t n = 0;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, opcode);
    ip = iba_recipe_part(&r, IBA_H_ipv4);
    iba_ipv4_set_src(ip, back ? 0x0a000002 : 0x0a000001);
    iba_ipv4_set_dst(ip, back ? 0x0a000001 : 0x0a000002);
    iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), psn);
    cr_assert_eq(iba_build(&r, out, room, &n), IBA_OK);
    return n;
}

void made_evidence(const char *path)
{
    static const struct {
        uint8_t opcode;
        bool back;
        uint32_t psn;
        const char *comment;
    } p[] = {
        {IBA_RC_SEND_ONLY, false, 0x80, "variation: RC pmtu=4096\nline 11: > a SEND_ONLY"},
        {IBA_RC_SEND_ONLY, false, 0x100, "variation: RC pmtu=256 epsn=0x000100\nnot asked for"},
        {IBA_RC_ACKNOWLEDGE, true, 0x100, NULL},
        {IBA_RC_SEND_ONLY, false, 0x102, "line 13: > " HOSTILE},
        {IBA_RC_ACKNOWLEDGE, true, 0x102, "line 15: < a ACKNOWLEDGE: FAIL: expected bth.psn 0x000101, got 0x000102"},
        {IBA_RC_SEND_ONLY, false, 0x103, NULL},
        {IBA_RC_ACKNOWLEDGE, true, 0x101, NULL},
        {IBA_RC_SEND_ONLY, false, 0x90, "variation: RC pmtu=1024"}};
    char err[256];
    struct pcapng_writer *w = pcapng_open(path, err, sizeof err);

    cr_assert(w, "%s", err);
    for (size_t i = 0; i < sizeof p / sizeof p[0]; i++) {
        uint8_t frame[256];
        struct cap_packet c = {.data = frame, .dlt = 1, .has_ts = true, .ts_ns = 1000000000 + i * 1500};

        c.caplen = c.len = (uint32_t)packet(frame, sizeof frame, p[i].opcode, p[i].psn, p[i].back);
        cr_assert_eq(pcapng_packet(w, &c, p[i].comment), 0);
    }
    cr_assert_eq(pcapng_close(w), 0);
}
