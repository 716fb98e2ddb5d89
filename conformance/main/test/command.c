/* SPDX-License-Identifier: BSD-2-Clause */
/* Each command as a function: its exit code, and that it gives back all memory and all descriptors, whether it succeeds
 * or ends early. The program ends after a command, so nothing else shows what is lost; but the fuzz targets and the
 * tests call many of them. */
#include "main/command.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "main/fault.h"
#include "parts.h"
#include "run/run.h"

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define IBPROOF_SANITIZED
#endif
#elif defined __SANITIZE_ADDRESS__
#define IBPROOF_SANITIZED
#endif

#define TITLE(words) "title    " words "\nspec     RR-03 RR-04\nrole     responder\nservice  rc\n"
#define EXCHANGE(msn)                                                                                                  \
    "qp a     recv=1\n> a SEND_ONLY psn=+0 ackreq=1 payload=64\n< a ACKNOWLEDGE psn=+0 syndrome=ack msn=" msn "\n"

static void write_suite(void)
{
    static const char report[] =
        "{\"tool\": \"ibconform\", \"format\": 1, \"run\": {\"target\": \"live:a\"}, \"results\": [%s"
        "{\"id\": \"good\", \"verdict\": \"%s\", \"waiver\": {}, \"cause\": \"odd\", \"finding\": "
        "{\"statement\": \"RR-03\", \"expected\": \"1\", \"got\": \"%s\"}}]}";
    char text[600];

    cr_assert_eq(mkdir(parts_file("suite"), 0777), 0);
    (void)parts_write("suite/good.ibt",
                      TITLE("a SEND is acknowledged") "vary     pmtu 256 1024\nqp b     pmtu=$pmtu\n" EXCHANGE("1"));
    (void)parts_write("suite/odd.ibt", TITLE("a SEND is counted oddly") EXCHANGE("9"));
    (void)parts_write("suite/none.ibt", TITLE("what no device has") "needs    two_devices\n" EXCHANGE("1"));
    snprintf(text, sizeof text, report, "{\"id\": \"odd\", \"verdict\": \"FAIL\"}, ", "XFAIL", "2");
    (void)parts_write("old.json", text);
    snprintf(text, sizeof text, report, "", "FAIL", "3");
    (void)parts_write("new.json", text);
    (void)parts_write("twice.json",
                      "{\"tool\": \"ibconform\", \"format\": 1, \"results\": [{\"id\": \"a\", \"verdict\": \"PASS\"}, "
                      "{\"id\": \"a\", \"verdict\": \"PASS\"}]}");
    (void)parts_write("waivers.json",
                      "[{\"name\": \"odd\", \"pattern\": \"odd good\", \"target\": \"*\", \"statement\": \"RR-04\", "
                      "\"reason\": \"a test\", \"symptom\": \"msn\", \"expires\": \"2999-12-31\"}]");
    (void)parts_write("others.json",
                      "[{\"name\": \"odd\", \"pattern\": \"oddd\", \"target\": \"*\", \"statement\": \"RR-04\", "
                      "\"reason\": \"a test\", \"symptom\": \"msn\", \"expires\": \"2999-12-31\"}]");
    (void)parts_write("matrix.json", "{\"mutants\": [{\"spec\": \"mutant:x\", \"clause\": [\"RR-03\"], \"killed_by\": "
                                     "[{\"scenario\": \"good\"}]}]}");
    (void)parts_write("no-matrix.json",
                      "{\"mutants\": [{\"spec\": \"mutant:x\", \"clause\": [1], \"killed_by\": []}]}");
}

static size_t descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    while (d && readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

/* Allocations that are in use. A sanitizer has functions of its own, and looks for lost memory itself. */
static _Atomic long pieces;
static _Atomic long left = -1; /* so many allocations succeed, and the next one fails; below 0: none fails */
static _Atomic bool refused;   /* an allocation has failed */
static bool overrun;           /* a message was written beyond the end of its buffer */
#if defined __GLIBC__ && !defined IBPROOF_SANITIZED
enum { REFUSES = true };
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void __libc_free(void *p);
extern const char __executable_start[], etext[];

/* Whether this allocation fails. Only those of the program fail, not those of libraries. */
static bool none_left(const void *caller)
{
    if (left < 0 || (const char *)caller < __executable_start || (const char *)caller > etext)
        return false;
    refused = left-- == 0;
    return refused;
}

/* The loader's memory for a scenario (scenario/arena.c): without it the process aborts on purpose. */
static bool is_arena(size_t n)
{
    return n >= 48 * 1024 && n < 64 * 1024;
}

/* The buffer for the loader's messages gets one byte more than was asked for. A changed byte shows an overrun. */
enum { ROOM = 64 * 1024 };
static const unsigned char after = 0x5a;
static unsigned char *room;

void *malloc(size_t n)
{
    void *p = !is_arena(n) && none_left(__builtin_return_address(0)) ? NULL : __libc_malloc(n + (n == ROOM));

    if (p && n == ROOM) {
        room = p;
        room[ROOM] = after;
    }
    pieces += p != NULL;
    return p;
}

void *calloc(size_t n, size_t size)
{
    void *p = none_left(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);

    pieces += p != NULL;
    return p;
}

void *realloc(void *p, size_t n)
{
    void *more = none_left(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);

    pieces += !p && more;
    return more;
}

void free(void *p)
{
    pieces -= p != NULL;
    if (p && p == room) {
        overrun |= room[ROOM] != after;
        room = NULL;
    }
    __libc_free(p);
}
#else
enum { REFUSES = false };
#endif

/* Other than 0: a scenario that another process than this one plays kills that process. */
static pid_t tester;
void __real_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r);
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r);
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r)
{
    if (tester && getpid() != tester)
        (void)raise(SIGKILL);
    __real_ibc_run(s, t, o, r);
}

/* Plays a command line; '@' before a name: a file of the folder. */
static int play(const char *line)
{
    static struct options o;
    const struct command *command = NULL;
    char text[400], *words[32] = {"ibconform"};
    int n = 1;

    snprintf(text, sizeof text, "%s", line);
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        words[n++] = *w == '@' ? (char *)(uintptr_t)parts_file(w + 1) : w;
    words[n] = NULL;
    o = (struct options){.repeat = 0};
    optind = 0; /* getopt_long() begins again */
    const int rc = options_parse(&o, n, words, &command);
    return rc == EXIT_OK && command ? command->run(&o) : rc;
}

/* The first turn may set up something for all later ones, but no later turn takes more. */
static void play_often(const char *line, int code)
{
    enum { TURNS = 3 };
    long used[TURNS];
    size_t open[TURNS];
    int is = 0;

    parts_listen();
    for (unsigned i = 0; i < TURNS; i++) {
        is = play(line);
        used[i] = pieces;
        open[i] = descriptors();
    }
    parts_hear();
    cr_expect_eq(is, code, "%s: exit code %d; %.300s", line, is, parts_said);
    cr_expect_eq(used[TURNS - 1], used[TURNS - 2], "%s: %ld pieces of memory are lost", line,
                 used[TURNS - 1] - used[TURNS - 2]);
    cr_expect_eq(open[TURNS - 1], open[TURNS - 2], "%s: files are left open", line);
}

static const struct row {
    const char *line;
    int code;
} reading[] =
    {
        {"list", EXIT_OK},
        {"list --json", EXIT_OK},
        {"list --capabilities --json", EXIT_OK},
        {"list --exclude good", EXIT_USAGE},
        {"list gode", EXIT_USAGE},
        {"list qwertyuiop", EXIT_USAGE},
        {"list RR-05", EXIT_USAGE},
        {"run --exclude od", EXIT_USAGE},
        {"run --exclude good --exclude odd --exclude none", EXIT_USAGE},
        {"list --scenarios @nowhere", EXIT_USAGE},
        {"show good", EXIT_OK},
        {"show none", EXIT_OK},
        {"show *o*", EXIT_USAGE},
        {"statements", EXIT_OK},
        {"statements RR-03 RR-05", EXIT_OK},
        {"statements RR-03 --json", EXIT_OK},
        {"statements RR-03 --missing", EXIT_OK},
        {"statements --matrix @matrix.json RR-03 --json", EXIT_OK},
        {"statements --matrix @matrix.json --least 9000", EXIT_FAILED},
        {"statements --matrix @no-matrix.json", EXIT_USAGE},
        {"statements --matrix @suite/good.ibt", EXIT_USAGE},
        {"statements RR03", EXIT_USAGE},
        {"diff @old.json @old.json", EXIT_OK},
        {"diff @old.json @new.json", EXIT_FAILED},
        {"diff @old.json @new.json --json", EXIT_FAILED},
        {"diff @new.json @old.json --json", EXIT_FAILED},
        {"diff @new.json @twice.json", EXIT_USAGE},
        {"diff @matrix.json @new.json", EXIT_USAGE},
        {"diff @nowhere @new.json", EXIT_USAGE},
        {"devices @old.json @new.json", EXIT_OK},
        {"devices @old.json @new.json -v --html @devices.html", EXIT_OK},
        {"devices @old.json --html @nowhere/devices.html", EXIT_HARNESS},
        {"devices @old.json @twice.json", EXIT_USAGE},
        {"mutants --list --sample 9", EXIT_OK},
        {"mutants --only mutant:emit.ack/bth.pns=+1", EXIT_USAGE},
        {"mutants --only mutant:emit.ack/bth.psn=+1 od", EXIT_USAGE},
        {"mutants --only mutant:emit.ack/bth.psn=+1 --link roce9", EXIT_USAGE},
        {"run od", EXIT_USAGE},
        {"run --waivers @others.json", EXIT_USAGE},
        {"run --waivers @nowhere", EXIT_USAGE},
        {"run --target nonsense --json @none.json", EXIT_USAGE},
        {"run --link roce9", EXIT_USAGE},
        {"run --shard 9/9 --junit @none.xml", EXIT_USAGE},
        {"run --rerun-failed @none.json", EXIT_USAGE},
        {"run --rerun-failed @twice.json", EXIT_USAGE},
        {"run --wire unix:a,b", EXIT_USAGE},
        {"run --target live --agent exec:false --wire nonsense", EXIT_USAGE},
        {"run --evidence @suite/good.ibt", EXIT_USAGE},
        {"fuzz --target nonsense", EXIT_USAGE},
        {"fuzz --waivers @nowhere", EXIT_USAGE},
        {"fuzz --target mutant:all --only mutant:none", EXIT_USAGE},
},
  playing[] = {
      {"run -j 1", EXIT_FAILED},
      {"run -j 1 good --repeat 2 --link all --seed 7", EXIT_OK},
      {"run -j 1 --waivers @waivers.json --strict -v", EXIT_FAILED},
      {"run -j 1 --rerun-failed @old.json --max-failures 1 --deadline 9", EXIT_FAILED},
      {"run -j 1 --evidence @seen odd good --junit @r.xml --json @r.json --html @r.html", EXIT_FAILED},
      {"run -j 1 good --json @nowhere/r.json", EXIT_HARNESS},
      {"mutants -j 1 --only mutant:emit.ack/bth.psn=+1 --out @m.json", EXIT_FAILED},
      {"mutants -j 1 good --only mutant:emit.ack/bth.p* --strict --link all", EXIT_FAILED},
      {"fuzz --count 2 --seed 4", EXIT_OK},
      {"fuzz --count 3 --target mutant:emit.aeth.msn=+1 --seed 4 --evidence @seen", EXIT_FAILED},
      {"fuzz --target mutant:all -j 1 --only mutant:emit.ack/bth.psn=+1 --count 2", EXIT_OK},
};

static int take_away(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void play_rows(const struct row *row, size_t n)
{
    const char *folder = parts_folder();

    write_suite();
    cr_assert(setenv("IBPROOF_SCENARIOS", parts_file("suite"), 1) == 0);
    for (size_t i = 0; i < n; i++)
        play_often(row[i].line, row[i].code);
    cr_expect_eq(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
}

Test(command, reads)
{
    play_rows(reading, sizeof reading / sizeof *reading);
}

Test(command, plays)
{
    play_rows(playing, sizeof playing / sizeof *playing);
}

/* A report says when its run began, in UTC. */
Test(command, a_report_has_its_time)
{
    const char *folder = parts_folder();
    const time_t before = time(NULL);
    struct tm tm = {.tm_isdst = 0};

    write_suite();
    cr_assert(setenv("IBPROOF_SCENARIOS", parts_file("suite"), 1) == 0);
    parts_listen();
    const int code = play("run -j 1 good --json @r.json");
    parts_hear();
    cr_expect_eq(code, EXIT_OK, "%s", parts_said);
    const char *started = strstr(parts_read("r.json"), "\"started\"");
    cr_assert(started && (started = strchr(started + strlen("\"started\""), '"')) != NULL);
    cr_assert_eq(sscanf(started, "\"%d-%d-%dT%d:%d:%dZ\"", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
                        &tm.tm_min, &tm.tm_sec),
                 6, "%.40s", started);
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    const time_t is = timegm(&tm);
    cr_expect(is >= before && is <= time(NULL), "%.40s", started);
    cr_expect_eq(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* As many faults of scenarios are reported as have room in 64 KB. */
Test(command, more_faults_than_have_room)
{
    enum { FILES = 550 };
    char name[240];
    const char *folder = parts_folder();
    size_t lines = 0;

    cr_assert_eq(mkdir(parts_file("suite"), 0777), 0);
    for (unsigned i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "suite/%0200u.IBT", i); /* too long a name */
        (void)parts_write(name, "");
    }
    cr_assert(setenv("IBPROOF_SCENARIOS", parts_file("suite"), 1) == 0);
    parts_listen();
    const int code = play("list");
    parts_hear();
    cr_expect_eq(code, EXIT_USAGE);
    for (const char *at = parts_said; (at = strstr(at, "ibconform: ")) != NULL; at++)
        lines++;
    cr_expect(lines > 100 && lines < FILES, "%zu lines", lines);
    cr_expect_not(overrun);
    cr_expect_eq(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The search for broken engines tells the processor time that the sequences took to make, and that an engine took until
 * one differed: to make the sequences up to that one, and to play them. The clock moves by 1.5 s each time it is read.
 */
Test(command, broken_engines_cost_processor_time)
{
    char text[80];
    unsigned nth = 0;

    parts_processor(1500000000);
    parts_listen();
    const int code = play("fuzz --target mutant:all -j 1 --only mutant:emit.ack/bth.psn=+1 --count 4 -v");
    parts_hear();
    parts_processor(0);
    cr_expect_eq(code, EXIT_OK);
    cr_expect(strstr(parts_said, "4 sequences, seed 1: made and predicted in 6.0 s\n"), "%s", parts_said);
    const char *found = strstr(parts_said, " s, sequence-");
    cr_assert(found && sscanf(found, " s, sequence-%u ", &nth) == 1, "%s", parts_said);
    snprintf(text, sizeof text, ": %.2f s, sequence-%u ", 1.5 * nth + 1.5, nth);
    cr_expect(strstr(parts_said, text), "%s: %s", text, parts_said);
    snprintf(text, sizeof text, "; the slowest took %.1f s\n", 1.5 * nth + 1.5);
    cr_expect(strstr(parts_said, text), "%s: %s", text, parts_said);
}

/* The table of devices shows no control character of a report, and no mark that would end a cell; of a long name of a
 * file it shows 127 letters. */
Test(command, devices_with_odd_names)
{
    char name[220];
    const char *folder = parts_folder();

    memset(name, 'n', sizeof name);
    snprintf(name + 200, sizeof name - 200, ".json");
    (void)parts_write(name, "{\"tool\": \"ibconform\", \"format\": 1, \"run\": {\"target\": \"x\"}, \"results\": "
                            "[{\"id\": \"a\\u0001b\\u001fc d\\u007fe|\\u00e9\", \"verdict\": \"FAIL\"}]}");
    cr_assert_lt(strlen(folder), 100);
    char line[400];
    snprintf(line, sizeof line, "devices @%s", name);
    parts_listen();
    const int code = play(line);
    parts_hear();
    cr_expect_eq(code, EXIT_OK, "%s", parts_said);
    cr_expect(strstr(parts_said, "\n| a?b?c d?e&#124;\u00e9 | FAIL |\n"), "%s", parts_said);
    name[127] = '\0';
    snprintf(line, sizeof line, "\n| scenario | %s |\n", name);
    cr_expect(strstr(parts_said, line), "%s", parts_said);
    cr_expect_eq(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* A search for broken engines in which no sequence can be predicted finds nothing, and fails. */
Test(command, broken_engines_without_a_sequence)
{
    char line[120], say[80];
    unsigned seed = 0;

    do {
        snprintf(line, sizeof line, "fuzz --count 1 --seed %u", seed++);
        parts_listen();
        (void)play(line);
        parts_hear();
    } while (seed < 1000 && strncmp(parts_said, "0 sequences", 11) != 0);
    seed--;
    snprintf(line, sizeof line, "fuzz --target mutant:all -j 1 --only mutant:emit.ack/bth.psn=+1 --count 1 --seed %u",
             seed);
    snprintf(say, sizeof say, "ibconform: none of 1 sequences from seed %u on can be predicted: try more\n", seed);
    parts_listen();
    const int code = play(line);
    parts_hear();
    cr_expect_eq(code, EXIT_HARNESS);
    cr_expect_str_eq(parts_said, say, "%s", parts_said);
}

/* An engine that ends its process counts as found, and the progress has a step for it. */
Test(command, broken_engines_that_die)
{
    static const char one[] = "mutant:header-validation.bad_icrc=drop";
    char line[200], say[400];

    snprintf(line, sizeof line, "fuzz --target mutant:all -j 1 --only %s --count 1 -v", one);
    tester = getpid();
    parts_terminal = true;
    parts_listen();
    const int code = play(line);
    parts_hear();
    parts_terminal = false;
    tester = 0;
    cr_expect_eq(code, EXIT_OK);
    snprintf(say, sizeof say,
             "\r1 of 1, 0 s to go  %s\033[K"
             "found      %s: signal 9 (Killed)\n\r\033[K"
             "1 mutants: 1 found (100.0 %%), of 1 of rules 1 (100.0 %%); 1 of them died; the slowest took 0.0 s\n",
             one, one);
    cr_expect_eq(strncmp(parts_said, say, strlen(say)), 0, "%s", parts_said);
}

/* Each allocation of a command fails once: the command then ends with an exit code that says so, and frees what it
 * allocated. `strict`: it does not succeed without any of them. */
static const struct {
    const char *line;
    int code;
    bool strict;
} starving[] = {
    {"list", EXIT_OK, true},
    {"list --json", EXIT_OK, true},
    {"list qwertyuiop", EXIT_USAGE, false},
    {"show good", EXIT_OK, false},
    {"statements", EXIT_OK, true},
    {"statements --matrix @matrix.json RR-03 --json", EXIT_OK, true},
    {"diff @old.json @new.json", EXIT_FAILED, true},
    {"devices @old.json @new.json", EXIT_OK, true},
    {"mutants --list --sample 9", EXIT_OK, true},
    {"run -j 1 good", EXIT_OK, true},
    {"run -j 1 --rerun-failed @old.json", EXIT_FAILED, true},
    {"mutants -j 1 good --only mutant:emit.ack/bth.psn=+1 --out @m.json", EXIT_OK, true},
    {"fuzz --target mutant:all -j 1 --only mutant:emit.ack/bth.psn=+1 --count 2", EXIT_OK, false},
    {"fuzz --count 2", EXIT_OK, false},
    {"run -j 1 odd --waivers @waivers.json --json @r.json --junit @r.xml", EXIT_OK, false},
    {"devices @old.json @new.json --html @d.html", EXIT_OK, true},
};

/* Plays a command line of which allocation n, counted from 0, fails. False: it made no more than n allocations. */
static bool starve(size_t i, long n)
{
    const char *line = starving[i].line;

    parts_listen();
    const long before = pieces;
    refused = false;
    left = n;
    const int code = play(line);
    left = -1;
    const long lost = pieces - before;
    parts_hear();
    /* a scenario that the unbroken engine has no memory for is left out, so that a broken one is not caught */
    const bool told = code == EXIT_FAILED && strstr(parts_said, "\nLeft out, for they do not pass on the reference\n");
    cr_expect(code == EXIT_HARNESS || code == EXIT_USAGE || told ||
                  (code == starving[i].code && !(refused && starving[i].strict)),
              "%s: exit code %d with %ld pieces of memory: %.300s", line, code, n, parts_said);
    cr_expect_eq(lost, 0, "%s: %ld pieces are lost if it gets %ld", line, lost, n);
    cr_expect_not(strstr(parts_said, "File too large"), "%s", line);
    cr_expect(code == starving[i].code || parts_said[0], "%s with %ld pieces", line, n);
    return refused || code != starving[i].code; /* the allocation may have failed in a child process */
}

Test(command, memory_runs_out)
{
    const char *folder = parts_folder();

    write_suite();
    cr_assert(setenv("IBPROOF_SCENARIOS", parts_file("suite"), 1) == 0);
    for (size_t i = 0; REFUSES && i < sizeof starving / sizeof *starving; i++) {
        play_often(starving[i].line, starving[i].code);
        for (long n = 0; starve(i, n); n++)
            cr_assert_lt(n, 1000, "%s", starving[i].line);
    }
    cr_expect_eq(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
}
