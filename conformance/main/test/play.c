/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases in child processes, with a device and plays of the test's own: which are played in what order, and how each
 * ends. A scenario's id begins with a letter for its result: g good, b bad, x: the process dies, i: inconclusive; where
 * the tester was late, l: in the first play, L: in each, d: in the first, and the process dies in the second. */
#include "main/play.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "main/progress.h"
#include "main/settle.h"
#include "parts.h"

enum { MOST = 6, NARROW = 1500 };

/* In memory that the children share with the test. */
static struct lab {
    unsigned refused; /* so many attempts to open the device fail */
    unsigned mtu, bytes;
    uint64_t now, takes; /* takes: ns of each play */
    unsigned opens, closes, begun;
    char first;     /* the second letter of the id of the first scenario that began */
    char log[4096]; /* for each play: "id:link:seed", '!' after it if settle() plays, and the folder for evidence */
} * lab;
static struct ibc_target target;
static struct ibc_scenario scenario[MOST];
static struct play_case play_case[MOST];
static struct cases cases = {.c = play_case};
static struct ibc_result result[2 * MOST];
static bool has[2 * MOST];
static const char *spec[] = {"RR-03"};
static bool waits; /* time is real */

/* ---- the parts that play_cases() is made of ---- */

struct ibc_target *__wrap_dut_open(const struct dut *d, unsigned lane, char *err, size_t n);
struct ibc_target *__wrap_dut_open(const struct dut *d, unsigned lane, char *err, size_t n)
{
    cr_assert(d && lane < 2);
    snprintf(err, n, "no device in attempt %u", ++lab->opens);
    return lab->opens > lab->refused ? &target : NULL;
}

void __wrap_ibc_target_close(struct ibc_target *t);
void __wrap_ibc_target_close(struct ibc_target *t)
{
    lab->closes += t == &target;
}

unsigned __wrap_dut_mtu(const struct dut *d, unsigned lane);
unsigned __wrap_dut_mtu(const struct dut *d, unsigned lane)
{
    return d->live && lane == 0 ? lab->mtu : 0;
}

unsigned __wrap_ibc_packet_bytes(const struct ibc_scenario *s);
unsigned __wrap_ibc_packet_bytes(const struct ibc_scenario *s)
{
    return s ? lab->bytes : 0;
}

uint64_t __wrap_wall_ns(void);
uint64_t __wrap_wall_ns(void)
{
    return lab->now;
}

/* A scenario waits as long as its number says. */
uint64_t __wrap_ibc_waits(const struct ibc_scenario *s);
uint64_t __wrap_ibc_waits(const struct ibc_scenario *s)
{
    return (uint64_t)(s->id[1] - '0');
}

static void played(const struct ibc_scenario *s, const struct ibc_options *o, const char *how, struct ibc_result *r)
{
    const bool again = strstr(lab->log, s->id) != NULL;
    const bool late = s->id[0] == 'L' || (strchr("ld", s->id[0]) && !again);
    if (__atomic_fetch_add(&lab->begun, 1, __ATOMIC_SEQ_CST) == 0)
        lab->first = s->id[1];
    const size_t n = strlen(lab->log);

    snprintf(lab->log + n, sizeof lab->log - n, "%s%s:%u:%u%s%s", n ? " " : "", s->id, o->link, (unsigned)o->seed, how,
             o->evidence_dir ? o->evidence_dir : "");
    lab->now += lab->takes;
    if (s->id[0] == 'x' || (s->id[0] == 'd' && again))
        (void)raise(SIGKILL);
    *r = (struct ibc_result){.scenario = s, .verdict = s->id[0] == 'b' ? IBC_IS_FAIL : IBC_IS_PASS};
    r->counters = IBC_IS_NOT_APPLICABLE;
    r->wall_ns = 1;
    if (late || s->id[0] == 'i')
        r->verdict = IBC_IS_INCONCLUSIVE;
    if (late)
        r->finding.what = IBC_FOUND_UNSURE;
    if (late && o->evidence_dir)
        r->evidence = strdup(parts_file(s->id));
    r->passed = o->stop_at_first;
    snprintf(r->finding.got, sizeof r->finding.got, "%s", s->id[0] == 'b' ? "a NAK" : late ? "late" : "");
    snprintf(r->finding.variation, sizeof r->finding.variation, "scale %.1f", target.time_scale);
}

void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r);
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r)
{
    cr_assert_eq(t, &target);
    played(s, o, "", r);
}

void __wrap_settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r);
void __wrap_settle(struct settle *x, const struct ibc_scenario *s, struct ibc_result *r)
{
    cr_assert_eq(x->t, &target);
    played(s, x->o, "!", r);
}

/* ---- */

static void begin(void)
{
    lab = mmap(NULL, sizeof *lab, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)lab, MAP_FAILED);
}
TestSuite(play, .init = begin);

/* Plays scenarios with these ids on the link roce1, and returns what was played. */
static const char *plays(const struct play_run *how, const char *const *id, size_t n)
{
    struct play_run run = *how;

    cr_assert_leq(n, MOST);
    for (size_t i = 0; i < n; i++) {
        const char *hazard = scenario[i].hazard;
        scenario[i] = (struct ibc_scenario){.id = (char *)(uintptr_t)id[i],
                                            .spec = spec,
                                            .n_spec = 1,
                                            .klass = UINT8_MAX,
                                            .hazard = (char *)(uintptr_t)hazard};
        play_case[i] = (struct play_case){.s = &scenario[i], .index = i, .link = IBC_LINK_roce1, .named = i == 1};
    }
    cases.n = n;
    cases.virtual_time = !waits;
    run.cases = &cases;
    run.seed = 7;
    run.repeat = how->repeat ? how->repeat : 1;
    run.children = how->children ? how->children : 1;
    run.timeout_scale = 2;
    run.target = "dut";
    memset(result, 0, sizeof result);
    memset(has, 0, sizeof has);
    lab->log[0] = '\0';
    lab->opens = lab->closes = lab->begun = 0;
    cr_assert(play_cases(&run, result, has));
    for (size_t i = 0; i < n * run.repeat; i++)
        cr_expect_eq(result[i].scenario, has[i] ? &scenario[i / run.repeat] : NULL);
    return lab->log;
}

static void ends(size_t i, enum ibc_verdict v, const char *got)
{
    cr_expect_eq(result[i].verdict, v, "%zu: verdict %d", i, (int)result[i].verdict);
    cr_expect_str_eq(result[i].finding.got, got, "%zu: %s", i, result[i].finding.got);
}

static const char *const four[] = {"g1", "b2", "g3", "b4"};

Test(play, each_with_each_seed)
{
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 2}, four, 3), "g1:2:7 g1:2:8 b2:2:7 b2:2:8 g3:2:7 g3:2:8");
    cr_expect(lab->opens == 1 && lab->closes == 1);
    ends(1, IBC_IS_PASS, "");
    ends(2, IBC_IS_FAIL, "a NAK");
    cr_expect_str_eq(result[0].finding.variation, "scale 2.0");
    cr_expect_str_eq(result[3].finding.variation, "link=roce1 scale 2.0", "only the second names its link");
    cr_expect_eq(result[0].passed, 0);
    (void)plays(&(struct play_run){.stop_at_first = true}, four, 1);
    cr_expect_eq(result[0].passed, 1);
}

/* Evidence of each link and of each seed but the first has a folder of its own. */
Test(play, folders_of_evidence)
{
    const char *folder = parts_folder();
    char want[1000];
    struct stat st;

    snprintf(want, sizeof want, "g1:2:7%s", folder);
    cr_expect_str_eq(plays(&(struct play_run){.evidence = folder}, four, 1), want);
    snprintf(want, sizeof want, "g1:2:7%s g1:2:8%s/seed-8", folder, folder);
    cr_expect_str_eq(plays(&(struct play_run){.evidence = folder, .repeat = 2}, four, 1), want);
    cr_expect(stat(parts_file("seed-8"), &st) == 0 && S_ISDIR(st.st_mode));
    cases.all = true;
    snprintf(want, sizeof want, "g1:2:7%s/roce1 g1:2:8%s/roce1/seed-8", folder, folder);
    cr_expect_str_eq(plays(&(struct play_run){.evidence = folder, .repeat = 2}, four, 1), want);
    cr_expect(stat(parts_file("roce1/seed-8"), &st) == 0 && S_ISDIR(st.st_mode));
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, four, 1), "g1:2:7");
    cases.all = false;
    (void)remove(parts_file("roce1/seed-8"));
    parts_remove();
}

/* A process that dies costs its case alone. */
Test(play, a_process_dies)
{
    static const char *const id[] = {"g1", "x2", "g3"};

    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, id, 3), "g1:2:7 x2:2:7 g3:2:7");
    ends(0, IBC_IS_PASS, "");
    ends(1, IBC_IS_ERROR, "the harness died: signal 9 (Killed)");
    ends(2, IBC_IS_PASS, "");
    cr_expect_eq(lab->opens, 2);
}

/* Three failed attempts to open the device are enough. */
Test(play, a_device_that_is_not_there)
{
    lab->refused = 2;
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, four, 4), "g3:2:7 b4:2:7");
    ends(0, IBC_IS_ERROR, "no device in attempt 1");
    ends(1, IBC_IS_ERROR, "no device in attempt 2");
    ends(3, IBC_IS_FAIL, "a NAK");
    cr_expect(lab->opens == 3 && lab->closes == 1);
    lab->refused = 3;
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, four, 4), "");
    for (size_t i = 0; i < 4; i++)
        ends(i, IBC_IS_ERROR,
             i == 0   ? "no device in attempt 1"
             : i == 1 ? "no device in attempt 2"
                      : "no device in attempt 3");
    cr_expect(lab->opens == 3 && lab->closes == 0);
}

Test(play, limits)
{
    static struct ibc_waiver one = {.pattern = (char *)(uintptr_t) "b2",
                                    .target = (char *)(uintptr_t) "d*",
                                    .statement = (char *)(uintptr_t) "RR-03",
                                    .reason = (char *)(uintptr_t) "r",
                                    .symptom = (char *)(uintptr_t) "a NAK",
                                    .expires = (char *)(uintptr_t) "2999-12-31"};
    const struct ibc_waivers w = {.w = &one, .n = 1};

    cr_expect_str_eq(plays(&(struct play_run){.max_failures = 1}, four, 4), "g1:2:7 b2:2:7");
    ends(2, IBC_IS_INCONCLUSIVE, "not played: 1 failed before (--max-failures)");
    ends(3, IBC_IS_INCONCLUSIVE, "not played: 1 failed before (--max-failures)");
    cr_expect_str_eq(plays(&(struct play_run){.max_failures = 2}, four, 4), "g1:2:7 b2:2:7 g3:2:7 b4:2:7");
    cr_expect_str_eq(plays(&(struct play_run){.max_failures = 1, .waivers = &w}, four, 4),
                     "g1:2:7 b2:2:7 g3:2:7 b4:2:7");
    ends(1, IBC_IS_FAIL, "a NAK");
    lab->now = 100;
    lab->takes = 10;
    cr_expect_str_eq(plays(&(struct play_run){.deadline_ns = 120}, four, 4), "g1:2:7 b2:2:7");
    ends(3, IBC_IS_INCONCLUSIVE, "not played: its turn came after the deadline (--deadline)");
    lab->now = 100;
    cr_expect_str_eq(plays(&(struct play_run){.deadline_ns = 121}, four, 4), "g1:2:7 b2:2:7 g3:2:7");
}

/* Of the repeats that follow each other and were not played, the first has a result. */
Test(play, repeats_that_are_not_played)
{
    static const char why[] = "not played: its turn came after the deadline (--deadline)";

    lab->now = 100;
    lab->takes = 10;
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 4, .deadline_ns = 120}, four, 2), "g1:2:7 g1:2:8");
    ends(1, IBC_IS_PASS, "");
    ends(2, IBC_IS_INCONCLUSIVE, why);
    ends(4, IBC_IS_INCONCLUSIVE, why);
    for (size_t i = 0; i < 8; i++)
        cr_expect_eq(has[i], i != 3 && i <= 4, "%zu", i);
}

/* On a live device scenarios that may crash it are left out, unless the user allows them; on others they come last. */
Test(play, hazards)
{
    static struct live_dut live;
    struct play_run run = {.dut = {.spec = "reference"}};

    scenario[0].hazard = scenario[2].hazard = (char *)(uintptr_t) "it may crash";
    cr_expect_str_eq(plays(&run, four, 4), "b2:2:7 b4:2:7 g1:2:7 g3:2:7");
    run.dut.live = &live;
    cr_expect_str_eq(plays(&run, four, 4), "b2:2:7! b4:2:7!");
    cr_expect(result[0].spared && result[0].verdict == IBC_IS_NOT_APPLICABLE && !result[1].spared);
    run.hazardous = true;
    cr_expect_str_eq(plays(&run, four, 4), "b2:2:7! b4:2:7! g1:2:7! g3:2:7!");
    scenario[0].hazard = scenario[2].hazard = NULL;
    run = (struct play_run){.dut = {.spec = "sm:x", .manager = true}};
    cr_expect_str_eq(plays(&run, four, 2), "g1:2:7! b2:2:7!", "a manager's verdict is settled, too");
}

/* Where several processes wait in real time, the scenarios that wait longest begin. */
Test(play, the_longest_first)
{
    const struct play_run alone = {.children = 1}, two = {.children = 2};

    (void)plays(&two, four, 4);
    cr_expect(lab->first == '1' || lab->first == '2', "%c", lab->first);
    waits = true;
    cr_expect_str_eq(plays(&alone, four, 4), "g1:2:7 b2:2:7 g3:2:7 b4:2:7");
    (void)plays(&two, four, 4);
    cr_expect(lab->first == '3' || lab->first == '4', "%c", lab->first);
    ends(0, IBC_IS_PASS, "");
    ends(3, IBC_IS_FAIL, "a NAK");
    waits = false;
}

/* In real time, cases of which the tester was late are played once more when all others have ended. */
Test(play, late_testers_try_again)
{
    static const char *const id[] = {"l1", "L2", "i3", "d4", "g5"};

    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, id, 5), "l1:2:7 L2:2:7 i3:2:7 d4:2:7 g5:2:7", "virtual");
    waits = true;
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 1}, id, 5),
                     "l1:2:7 L2:2:7 i3:2:7 d4:2:7 g5:2:7 l1:2:7 L2:2:7 d4:2:7");
    ends(0, IBC_IS_PASS, "");
    ends(1, IBC_IS_INCONCLUSIVE, "late");
    ends(2, IBC_IS_INCONCLUSIVE, "");
    ends(3, IBC_IS_ERROR, "the harness died: signal 9 (Killed)");
    cr_expect_str_eq(result[0].measured, "played again alone: late");
    cr_expect_str_eq(result[1].measured, "");
    cr_expect(result[0].wall_ns == 2 && result[1].wall_ns == 2 && result[4].wall_ns == 1);
    cr_expect_str_eq(plays(&(struct play_run){.repeat = 2}, id, 1), "l1:2:7 l1:2:8 l1:2:7");
    lab->now = 100;
    lab->takes = 10;
    cr_expect_str_eq(plays(&(struct play_run){.deadline_ns = 105}, id, 2), "l1:2:7", "the deadline is over");
    ends(0, IBC_IS_INCONCLUSIVE, "late");
    waits = false;
}

/* Of a case that passes the second time no evidence is left of the first. */
Test(play, evidence_of_late_testers)
{
    static const char *const id[] = {"l1", "L2"};
    const char *folder = parts_folder();

    waits = true;
    for (size_t i = 0; i < 2; i++)
        parts_write(id[i], "");
    (void)plays(&(struct play_run){.evidence = folder}, id, 2);
    cr_expect(!result[0].evidence && access(parts_file("l1"), F_OK) != 0);
    cr_expect(result[1].evidence && access(parts_file("L2"), F_OK) == 0);
    waits = false;
    parts_remove();
}

/* A port of the tester must carry the largest packets. */
Test(play, ports_that_are_too_narrow)
{
    static struct live_dut live;
    const struct play_run run = {.dut = {.live = &live}};

    lab->mtu = NARROW;
    lab->bytes = NARROW;
    cr_expect_str_eq(plays(&run, four, 1), "g1:2:7!");
    lab->bytes = NARROW + 1;
    cr_expect_str_eq(plays(&run, four, 1), "");
    ends(0, IBC_IS_INCONCLUSIVE, "MTU 1500 (ip link set IFACE mtu 9000)");
    cr_expect_str_eq(result[0].finding.expected, "a port of the tester's that carries packets of 1501 bytes");
    lab->mtu = 0;
    cr_expect_str_eq(plays(&run, four, 1), "g1:2:7!", "an unknown MTU");
}
