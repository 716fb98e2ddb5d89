/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz, with sequences, a device and a clock of the test's own: a script has a letter for the result of each play. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "fuzz/known.h"
#include "main/command.h"
#include "main/dut.h"
#include "main/fault.h"
#include "main/fuzz_mutants.h"
#include "main/progress.h"
#include "main/sandbox.h"
#include "parts.h"
#include "system/signals.h"

#define SECOND UINT64_C(1000000000)

/* The values that the test chooses, and after them those that it sees. */
static struct lab {
    const char *script; /* after its end each play passes */
    bool live, real_time, manager, leaves;
    const char *cannot_open, *ill; /* ill: when the health probe fails */
    unsigned dead;                 /* number of resets that fail */
    unsigned trials;               /* plays of fuzz_minimise() */
    uint64_t play_ns, unfit;       /* unfit: a bit for each sequence that cannot be predicted */
    const char *input[4];
    uint32_t links;
    unsigned signal_after; /* plays */

    unsigned plays, naps, steps, looks;
    uint64_t total, known;
    uint32_t link;
    char shown[32], evidence[64], when[64];
} lab;
static uint64_t now;
static char folder[200];

/* ---- the parts that fuzz is made of ---- */

uint64_t wall_ns(void)
{
    return now;
}

void progress_begin(struct progress *p, uint64_t total)
{
    (void)p;
    lab.total = total;
}

void progress_step(struct progress *p, const char *what)
{
    cr_expect(p && !what);
    lab.steps++;
}

void progress_end(struct progress *p)
{
    (void)p;
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    cr_expect(t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
    now += (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
    lab.naps++;
    return 0;
}

int __wrap_signals_came(void);
int __wrap_signals_came(void)
{
    return lab.signal_after && lab.plays >= lab.signal_after;
}

void fuzz_make(struct fuzz_case *c, const struct fuzz_may *may, uint64_t seed)
{
    const unsigned nth = (unsigned)(seed - 5);

    *c = (struct fuzz_case){.kind = "test", .n = 3};
    snprintf(c->id, sizeof c->id, "sequence-%u", (unsigned)seed);
    if (nth < 4 && lab.input[nth])
        snprintf(c->input[0], sizeof c->input[0], "%s", lab.input[nth]);
    cr_expect(may->caps == 9 && may->links == lab.links);
    lab.known = may->known;
}

static struct ibc_scenario scenario;

struct ibc_scenario *fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, char text[FUZZ_TEXT],
                                  char err[256])
{
    const unsigned nth = (unsigned)strtoul(c->id + strlen("sequence-"), NULL, 10) - 5;

    cr_expect(strcmp(model->ops->name, "model") == 0 && err);
    snprintf(text, FUZZ_TEXT, "text of %s\n", c->id);
    return nth < 64 && lab.unfit >> nth & 1 ? NULL : &scenario;
}

void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx)
{
    for (unsigned i = 0; i < lab.trials; i++)
        lab.shown[i] = shows(ctx, c) ? 'y' : 'n';
    lab.shown[lab.trials] = '\0';
}

void __wrap_ibc_free(struct ibc_scenario *s);
void __wrap_ibc_free(struct ibc_scenario *s)
{
    cr_expect(!s || s == &scenario);
}

static enum ibc_rc reset(struct ibc_target *t, enum ibc_link link, uint64_t seed)
{
    cr_expect(t && seed == 5 && (lab.links >> link & 1));
    return lab.dead && lab.dead-- ? IBC_DEAD : IBC_OK;
}

static uint64_t capabilities(struct ibc_target *t)
{
    (void)t;
    return 9;
}

static uint32_t links(struct ibc_target *t)
{
    (void)t;
    return lab.links;
}

static const struct ibc_target_ops device_ops = {.name = "device",
                                                 .reset = reset,
                                                 .capabilities = capabilities,
                                                 .links = links},
                                   model_ops = {.name = "model"};
static struct ibc_target device = {.ops = &device_ops}, model = {.ops = &model_ops};

struct ibc_target *ibc_target_open(const char *spec, char *err, size_t errlen)
{
    cr_expect(strcmp(spec, "reference") == 0 && err && errlen);
    return &model;
}

void ibc_target_close(struct ibc_target *t)
{
    cr_expect(t == &device || t == &model);
}

int dut_choose(struct dut *d, struct live_dut *l, const struct options *o)
{
    *d = (struct dut){.spec = o->target ? o->target : "x", .live = lab.live ? l : NULL, .manager = lab.manager};
    return EXIT_OK;
}

bool dut_leaves(const struct dut *d, const struct options *o, const char **wire)
{
    cr_expect(d && o);
    *wire = "dgram:far";
    return lab.leaves;
}

struct ibc_target *dut_open(const struct dut *d, unsigned lane, char *err, size_t errlen)
{
    cr_expect(d && lane == 0);
    if (lab.cannot_open)
        snprintf(err, errlen, "%s", lab.cannot_open);
    device.virtual_time = !lab.real_time;
    device.time_scale = 0;
    return lab.cannot_open ? NULL : &device;
}

const char *dut_name(const struct dut *d)
{
    return d->live ? "live:dev" : "mutant:x";
}

void live_name(struct live_dut *l, const struct ibc_target *t)
{
    cr_expect(t == &device);
    snprintf(l->name, sizeof l->name, "dev");
}

int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when)
{
    cr_expect(t == &device && o && link == IBC_LINK_roce1);
    lab.looks++;
    return lab.ill && strcmp(lab.ill, when) == 0 ? wrong(EXIT_HARNESS, "ill %s", when) : EXIT_OK;
}

void live_end(struct live_dut *l)
{
    cr_expect_not_null(l);
}

void sandbox_enter(const struct dut *d, const struct options *o, const struct ibc_suite *suite)
{
    cr_expect(d && o && !suite);
}

int fuzz_mutants(const struct options *o)
{
    cr_expect_str_eq(o->target, "mutant:all");
    return 77;
}

/* ---- results ---- */

static void finds(struct ibc_result *r, const char *expected, const char *got)
{
    r->verdict = IBC_IS_FAIL;
    r->finding.line = 7;
    snprintf(r->finding.expected, sizeof r->finding.expected, "%s", expected);
    snprintf(r->finding.got, sizeof r->finding.got, "%s", got);
}

/* g good; b bad, with a number; m memory, L and l long texts that differ at character 99 and 98; w another way each
 * time; k and n known ones; o open, f a fault; d the device goes down, D with a complaint in its log, U before the play
 * began */
void ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o, struct ibc_result *r)
{
    const unsigned nth = lab.plays++;
    const char is = nth < strlen(lab.script) ? lab.script[nth] : 'g', letter = (char)('a' + (int)nth % 26);
    char text[160];

    cr_expect(s == &scenario && t == &device && o->seed == 5 && !o->stop_at_first);
    lab.link = o->link;
    snprintf(lab.evidence, sizeof lab.evidence, "%s", o->evidence_dir ? o->evidence_dir + strlen(folder) : "");
    now += lab.play_ns;
    *r = (struct ibc_result){.scenario = s, .verdict = IBC_IS_PASS};
    if (is == 'b')
        snprintf(text, sizeof text, "aeth.msn %u", nth + 90);
    else if (is == 'm')
        snprintf(text, sizeof text, "12 bytes of the memory (%c)", letter);
    else if (is == 'w')
        snprintf(text, sizeof text, "%c%c", letter, 'a' + (int)(nth / 26));
    else
        snprintf(
            text, sizeof text, "%.*s%c", is == 'l' ? 97 : 98,
            "-----------------------------------------------------------------------------------------------------",
            letter);
    switch (is) {
    case 'b': finds(r, "aeth.msn 1", text); break;
    case 'm':
    case 'l':
    case 'L':
    case 'w': finds(r, text, "way"); break;
    case 'k': finds(r, "completion.status Bad Response Error", "completion.status Success"); break;
    case 'n': finds(r, "an ACK", "nothing for 3 ms"); break;
    case 'o': r->verdict = IBC_IS_INCONCLUSIVE; break;
    case 'f': finds(r, "", "the harness is at fault"), r->verdict = IBC_IS_ERROR; break;
    case 'd':
    case 'D':
    case 'U': finds(r, "an ACK", "silence"); break;
    default: break;
    }
    r->died = is == 'd' || is == 'D' || is == 'U';
    r->logged = is == 'D';
    r->finding.what = is == 'U' ? IBC_FOUND_UNCLEAN : IBC_FOUND_OTHERWISE;
    if (is == 'D')
        snprintf(r->measured, sizeof r->measured, "kernel: oops");
}

/* ---- what is said ---- */

static const struct options usual = {.seed = 5, .repeat = 1, .timeout_scale = 1};

static int fuzz(const struct options *o)
{
    now = 50 * SECOND;
    if (!lab.links)
        lab.links = 1u << IBC_LINK_roce1 | 1u << IBC_LINK_ib_local;
    parts_listen();
    const int code = command_fuzz(o);
    parts_hear();
    return code;
}

static void says(const struct options *o, int code, const char *text)
{
    const int is = fuzz(o);

    cr_expect_eq(is, code, "%s: exit code %d", lab.script, is);
    cr_expect_str_eq(parts_said, text, "%s: %s", lab.script, parts_said);
}

#define LINE(n, differ, ways, open, unfit)                                                                             \
#n " sequences, seed 5: " #differ " differ in " #ways " ways, " #open " inconclusive, " #unfit                     \
       " not to be predicted\n"
#define SILENT(seed) "sequence-" #seed ": expected an ACK, got silence (line 7; 3 inputs)\n"
#define AWAY(known, n) #known " of the ways are known, " #n " times the device went away\n"
#define BAD(seed, got) "sequence-" #seed ": expected aeth.msn 1, got aeth.msn " #got " (line 7; 3 inputs)\n"

/* On virtual time one play is enough; in real time a difference must be seen twice in three plays. */
Test(fuzz, plays)
{
    static const struct {
        const char *script;
        bool real_time;
        unsigned count;
        int code;
        const char *says;
    } rows[] = {
        {"gg", false, 2, EXIT_OK, LINE(2, 0, 0, 0, 0)},
        {"b", false, 1, EXIT_FAILED, BAD(5, 90) LINE(1, 1, 1, 0, 0)},
        {"gb", false, 2, EXIT_FAILED, BAD(6, 91) LINE(2, 1, 1, 0, 0)},
        {"go", false, 2, EXIT_INCONCLUSIVE, LINE(2, 0, 0, 1, 0)},
        {"bo", false, 2, EXIT_FAILED, BAD(5, 90) LINE(2, 1, 1, 1, 0)},
        {"bb", true, 1, EXIT_FAILED, BAD(5, 91) LINE(1, 1, 1, 0, 0)},
        {"bgb", true, 1, EXIT_FAILED, BAD(5, 92) LINE(1, 1, 1, 0, 0)},
        {"bgg", true, 1, EXIT_OK, LINE(1, 0, 0, 0, 0)},
        {"bog", true, 1, EXIT_OK, LINE(1, 0, 0, 0, 0)},
        {"bgo", true, 1, EXIT_INCONCLUSIVE, LINE(1, 0, 0, 1, 0)},
        {"og", true, 2, EXIT_INCONCLUSIVE, LINE(2, 0, 0, 1, 0)},
        {"bgdg", true, 2, EXIT_FAILED, SILENT(5) LINE(2, 1, 1, 0, 0) AWAY(0, 1)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options o = usual;
        lab = (struct lab){.script = rows[i].script, .real_time = rows[i].real_time};
        o.count = rows[i].count;
        says(&o, rows[i].code, rows[i].says);
        cr_expect_eq(lab.plays, strlen(rows[i].script), "%s: %u plays", rows[i].script, lab.plays);
        cr_expect(lab.steps == rows[i].count && lab.total == rows[i].count && lab.link == IBC_LINK_roce1);
        cr_expect_eq(lab.looks, 0);
    }
}

/* Differences are of one kind if they differ in numbers, in the content of memory, or after 98 characters. */
Test(fuzz, ways)
{
    static const struct {
        const char *script;
        unsigned count, ways;
    } rows[] = {{"bbb", 3, 1}, {"mm", 2, 1}, {"LL", 2, 1}, {"ll", 2, 2}, {"bmb", 3, 2}, {"wwwbw", 5, 5}};
    char many[301] = "", end[120];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct options o = usual;
        unsigned lines = 0;
        lab = (struct lab){.script = rows[i].script};
        o.count = rows[i].count;
        cr_expect_eq(fuzz(&o), EXIT_FAILED);
        snprintf(end, sizeof end, "differ in %u ways", rows[i].ways);
        cr_expect(strstr(parts_said, end), "%s: %s", rows[i].script, parts_said);
        for (const char *p = parts_said; (p = strstr(p, "(line 7")) != NULL; p++)
            lines++;
        cr_expect_eq(lines, rows[i].ways);
    }
    memset(many, 'w', sizeof many - 1);
    lab = (struct lab){.script = many};
    cr_expect_eq(fuzz(&(struct options){.seed = 5, .timeout_scale = 1, .count = 300}), EXIT_FAILED);
    cr_expect(strstr(parts_said, "300 sequences, seed 5: 300 differ in 256 ways, 0 inconclusive"), "%s", parts_said);
}

/* Twenty faults of the harness in a row end the run. */
Test(fuzz, faults)
{
    static const char text[] = "ibconform: sequence-%u: the harness is at fault\n";
    struct options o = usual;
    char want[4096];
    size_t n = 0;

    o.count = 40;
    lab = (struct lab){.script = "ffffffffffffffffffff"};
    for (unsigned i = 0; i < 20; i++)
        n += (size_t)snprintf(want + n, sizeof want - n, text, 5 + i);
    snprintf(want + n, sizeof want - n, "%s", LINE(20, 0, 0, 0, 0));
    says(&o, EXIT_HARNESS, want);
    lab = (struct lab){.script = "fffffffffffffffffffgfffffffffffffffffff"};
    cr_expect_eq(fuzz(&o), EXIT_OK);
    cr_expect_eq(lab.plays, 40);
}

/* A device that goes down is waited for, up to 100 s. */
Test(fuzz, deaths)
{
    struct options o = usual;

    o.count = 2;
    lab = (struct lab){.script = "dg", .real_time = true, .dead = 3};
    says(&o, EXIT_FAILED, SILENT(5) LINE(2, 1, 1, 0, 0) AWAY(0, 1));
    cr_expect_eq(lab.naps, 3);
    lab = (struct lab){.script = "Dd", .real_time = true};
    says(&o, EXIT_FAILED,
         "sequence-5: expected no complaint in the log of the device's system, got kernel: oops (line 7; 3 "
         "inputs)\n" SILENT(6) LINE(2, 2, 2, 0, 0) AWAY(0, 2));
    lab = (struct lab){.script = "Ug", .real_time = true};
    says(&o, EXIT_OK,
         "sequence-5: the device went away: expected an ACK, got silence\n" LINE(2, 0, 0, 0, 0) AWAY(0, 1));
    lab = (struct lab){.script = "U", .real_time = true, .dead = UINT32_MAX};
    o.timeout_scale = 0.5;
    says(&o, EXIT_HARNESS,
         "sequence-5: the device went away: expected an ACK, got silence\n"
         "ibconform: the device: it did not come back\n" LINE(1, 0, 0, 0, 0) AWAY(0, 1));
    cr_expect_eq(lab.naps, 50);
}

/* A case is made smaller as long as it shows the same difference, and while not more than eight plays crash the device.
 */
Test(fuzz, smaller_cases)
{
    struct options o = usual;

    o.count = 1;
    lab = (struct lab){.script = "bbwgb", .trials = 4};
    says(&o, EXIT_FAILED, BAD(5, 90) LINE(1, 1, 1, 0, 0));
    cr_expect_str_eq(lab.shown, "ynny");
    lab = (struct lab){.script = "bbbbbgbg", .real_time = true, .trials = 3};
    cr_expect_eq(fuzz(&o), EXIT_FAILED);
    cr_expect_str_eq(lab.shown, "yyn");
    lab = (struct lab){.script = "dddddddddddd", .real_time = true, .trials = 10, .dead = 2};
    cr_expect_eq(fuzz(&o), EXIT_FAILED);
    cr_expect_str_eq(lab.shown, "yyyyyyyynn");
    cr_expect(lab.plays == 9 && lab.naps == 2, "%u plays", lab.plays);
}

/* ---- files ---- */

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%.150s/fuzz.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
}

static const char *file(const char *name)
{
    static char path[300];

    snprintf(path, sizeof path, "%s%s", folder, name);
    return path;
}

static void end(void)
{
    static const char *const names[] = {"/scenarios/sequence-5.ibt", "/scenarios/sequence-6.ibt", "/scenarios",
                                        "/packets", "/w.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)remove(file(names[i]));
    cr_expect_eq(rmdir(folder), 0);
}

Test(fuzz, evidence, .init = begin, .fini = end)
{
    struct options o = usual;
    char text[100] = "", want[300];

    o.count = 1;
    o.evidence = folder;
    lab = (struct lab){.script = "bbb", .trials = 1};
    says(&o, EXIT_FAILED, BAD(5, 92) LINE(1, 1, 1, 0, 0)); /* as in the play that was kept */
    cr_expect_str_eq(lab.evidence, "/packets");
    FILE *f = fopen(file("/scenarios/sequence-5.ibt"), "r");
    cr_assert(f && fread(text, 1, sizeof text - 1, f) > 0 && fclose(f) == 0);
    cr_expect_str_eq(text, "text of sequence-5\n");
    lab = (struct lab){.script = "bg"};
    says(&o, EXIT_FAILED, BAD(5, 90) LINE(1, 1, 1, 0, 0));
    lab = (struct lab){.script = "bd", .dead = 2};
    says(&o, EXIT_FAILED, BAD(5, 90) LINE(1, 1, 1, 0, 0));
    cr_expect_eq(lab.naps, 2);
    o.count = 3;
    cr_assert(remove(file("/scenarios/sequence-5.ibt")) == 0 && mkdir(file("/scenarios/sequence-5.ibt"), 0777) == 0);
    lab = (struct lab){.script = "bb"};
    snprintf(want, sizeof want, "%sibconform: %s cannot be written\n%s", BAD(5, 91), file("/scenarios/sequence-5.ibt"),
             LINE(1, 1, 1, 0, 0));
    says(&o, EXIT_HARNESS, want);
    static char path[600];
    memset(path, 'x', sizeof path - 1);
    o.evidence = path;
    snprintf(text, sizeof text, "ibconform: --evidence xxx");
    lab = (struct lab){.script = ""};
    cr_expect_eq(fuzz(&o), EXIT_USAGE);
    cr_expect(strncmp(parts_said, text, strlen(text)) == 0 && lab.plays == 0, "%s", parts_said);
}

/* Known differences are printed once, and apart from new ones; a new one of the same kind is printed nevertheless. */
Test(fuzz, known_differences, .init = begin, .fini = end)
{
#define KNOWN                                                                                                          \
    "known: wrong-answer-completes-as-success: sequence-5: expected completion.status Bad Response Error, got "        \
    "completion.status Success (line 7; 3 inputs)\n"
    static const char waivers[] =
        "[{\"pattern\":\"rc\",\"target\":\"live:d*\",\"statement\":\"RR-03\",\"reason\":\"r\",\"symptom\":\"s\","
        "\"expires\":\"2999-12-31\",\"name\":\"wrong-answer-completes-as-success\"},"
        "{\"pattern\":\"rc\",\"target\":\"mutant:x\",\"statement\":\"RR-03\",\"reason\":\"r\",\"symptom\":\"s\","
        "\"expires\":\"2999-12-31\",\"name\":\"implied-nak-once\"},"
        "{\"pattern\":\"rc\",\"target\":\"*\",\"statement\":\"RR-03\",\"reason\":\"r\",\"symptom\":\"s\","
        "\"expires\":\"2999-12-31\"}]";
    struct options o = usual;
    uint64_t open = 0, live = 0;

    for (size_t k = 0; k < fuzz_known_count; k++) {
        open |= fuzz_known[k].waiver[0] == '=' ? UINT64_C(1) << k : 0;
        live |= strcmp(fuzz_known[k].waiver, "wrong-answer-completes-as-success") == 0 ? UINT64_C(1) << k : 0;
    }
    o.count = 2;
    lab = (struct lab){.script = "kk"};
    cr_expect_eq(fuzz(&o), EXIT_FAILED);
    cr_expect(lab.known == open && strncmp(parts_said, "sequence-5: ", 12) == 0);
    FILE *f = fopen(file("/w.json"), "w");
    cr_assert(f && fputs(waivers, f) >= 0 && fclose(f) == 0);
    o.waivers = strdup(file("/w.json"));
    o.evidence = folder;
    lab = (struct lab){.script = "kk", .live = true};
    says(&o, EXIT_FAILED, KNOWN LINE(2, 2, 1, 0, 0) AWAY(1, 0));
    cr_expect(lab.known == (open | live) && lab.looks == 2);
    cr_expect(lab.plays == 2 && access(file("/scenarios/sequence-5.ibt"), F_OK) != 0);
    o.evidence = NULL;
    o.count = 4;
    lab = (struct lab){.script = "nnnn", .input = {"syndrome=nak:0", "syndrome=nak:1", "syndrome=nak:0", "x"}};
    says(&o, EXIT_FAILED,
         "known: implied-nak-once: sequence-5: expected an ACK, got nothing for 3 ms (line 7; 3 inputs)\n"
         "sequence-6: expected an ACK, got nothing for 3 ms (line 7; 3 inputs)\n" LINE(4, 4, 2, 0, 0) AWAY(1, 0));
    free((char *)(uintptr_t)o.waivers);
}

/* ---- how long ---- */

Test(fuzz, time_and_rate)
{
    struct options o = usual;

    lab = (struct lab){.script = ""};
    says(&o, EXIT_OK, LINE(1000, 0, 0, 0, 0));
    cr_expect(lab.naps == 0 && lab.total == 1000);
    o.seconds = 2;
    lab = (struct lab){.script = "", .play_ns = SECOND / 2};
    says(&o, EXIT_OK, LINE(4, 0, 0, 0, 0));
    cr_expect(lab.naps == 0 && lab.total == 0);
    o.count = 3;
    lab = (struct lab){.script = "", .play_ns = SECOND / 2};
    says(&o, EXIT_OK, LINE(3, 0, 0, 0, 0));
    o.seconds = 0;
    o.rate = 10;
    lab = (struct lab){.script = "", .play_ns = SECOND / 50};
    says(&o, EXIT_OK, LINE(3, 0, 0, 0, 0));
    cr_expect(lab.naps == 2 && now == 50 * SECOND + SECOND / 5 + SECOND / 50, "%u naps", lab.naps);
    o.rate = 1;
    lab = (struct lab){.script = "", .play_ns = 1};
    cr_expect_eq(fuzz(&o), EXIT_OK);
    cr_expect_eq(now, 52 * SECOND + 1);
    o.rate = 0;
    o.count = 9;
    lab = (struct lab){.script = "", .signal_after = 4};
    says(&o, EXIT_OK, LINE(4, 0, 0, 0, 0));
}

/* Sequences that cannot be predicted are counted, and not played; with -v each other one is printed. */
Test(fuzz, unpredictable_ones)
{
    struct options o = usual;

    o.count = 3;
    o.verbose = true;
    lab = (struct lab){.script = "g", .unfit = 2};
    says(&o, EXIT_OK, "# sequence-5\ntext of sequence-5\n\n# sequence-7\ntext of sequence-7\n\n" LINE(2, 0, 0, 0, 1));
    cr_expect(lab.plays == 2 && lab.steps == 3);
}

/* ---- the device ---- */

Test(fuzz, devices)
{
    struct options o = usual;

    o.count = 1;
    lab = (struct lab){.script = "", .live = true};
    says(&o, EXIT_OK, LINE(1, 0, 0, 0, 0));
    cr_expect(lab.looks == 2 && device.time_scale >= 1 && device.time_scale <= 1);
    lab = (struct lab){.script = "b", .live = true, .ill = "before the first sequence"};
    says(&o, EXIT_HARNESS, "ibconform: ill before the first sequence\n");
    cr_expect_eq(lab.plays, 0);
    lab = (struct lab){.script = "b", .live = true, .ill = "after the last sequence"};
    says(&o, EXIT_HARNESS, BAD(5, 90) LINE(1, 1, 1, 0, 0) "ibconform: ill after the last sequence\n");
    lab = (struct lab){.script = "", .live = true, .cannot_open = "agent x: gone"};
    says(&o, EXIT_HARNESS, "ibconform: agent x: gone\n");
    lab = (struct lab){.script = "", .cannot_open = "y: no such target"};
    says(&o, EXIT_USAGE, "ibconform: --target: y: no such target\n");
    lab = (struct lab){.script = "", .manager = true};
    says(&o, EXIT_USAGE, "ibconform: --target x: the sequences are for queue pairs, and a subnet manager has none\n");
    lab = (struct lab){.script = "", .leaves = true};
    says(&o, EXIT_USAGE,
         "ibconform: --wire dgram:far: broken packets go out on it; say --i-own-this-network if you do\n");
    o.own_network = true;
    lab = (struct lab){.script = "", .leaves = true, .links = 1u << IBC_LINK_ib_global};
    says(&o, EXIT_OK, LINE(1, 0, 0, 0, 0));
    cr_expect_eq(lab.link, IBC_LINK_ib_global);
    o.target = "mutant:all";
    says(&o, 77, "");
}
