/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ibconform, after it was checked. */
#ifndef IBC_OPTIONS_H
#define IBC_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_WORDS = 256, MAX_CHILDREN = 256, MAX_REPEAT = 100000, MAX_MUTANTS = 1000000 };

/* clang-format off */
/*   id             name             letter  argument   kind     member        what for */
#define IBC_OPTIONS(O)                                                                                                  \
    O(exclude,       "exclude",       0,   "PATTERN", WORDS,  exclude,       "leave these out; may be repeated")        \
    O(rerun_failed,  "rerun-failed",  0,   "FILE",    TEXT,   rerun_failed,  "only what failed or was not judged in FILE, a report of --json") \
    O(shard,         "shard",         0,   "I/N",     TEXT,   shard,         "only part I of N, for N machines: 1/4 to 4/4")  \
    O(max_failures,  "max-failures",  0,   "N",       COUNT,  max_failures,  "begin no scenario after N failures that no waiver excuses") \
    O(deadline,      "deadline",      0,   "SECONDS", COUNT,  deadline,      "begin no scenario later than this")      \
    O(target,        "target",        0,   "SPEC",    TEXT,   target,        "reference (the default), live, sm:COMMAND, mutant:RULE=CHANGE or mutant:emit.FIELD=VALUE") \
    O(wire,          "wire",          0,   "ADAPTER", WORDS,  wire,          "live: unix:PEER,OWN, dgram:HOST:PORT,HOST:PORT, afpacket:IFACE (one a device)") \
    O(agent,         "agent",         0,   "CHANNEL", TEXT,   agent,         "live: exec:COMMAND, unix:PATH or tcp:HOST:PORT") \
    O(agent_token_file, "agent-token-file", 0, "FILE", TEXT,  agent_token_file, "live: its first line is the agent's token") \
    O(device,        "device",        0,   "ADDRESS", WORDS,  device,        "live: the device's MAC, IPv4 or IPv6 address: the agent may name no other") \
    O(user,          "user",          0,   "NAME",    TEXT,   user,          "live: run as NAME once the wires are open (see the manual page)") \
    O(no_sandbox,    "no-sandbox",    0,   NULL,      FLAG,   no_sandbox,    "live, check: read what others sent with all rights of this user") \
    O(link,          "link",          0,   "NAME",    TEXT,   link,          "link where the scenario leaves it open, or all: each that the target has") \
    O(junit,         "junit",         0,   "FILE",    TEXT,   junit,         "report as JUnit XML; - is the standard output") \
    O(json_file,     "json",          0,   "FILE",    TEXT,   json_file,     "report as JSON; - is the standard output") \
    O(html,          "html",          0,   "FILE",    TEXT,   html,          "report as one page; - is the standard output") \
    O(evidence,      "evidence",      0,   "DIR",     TEXT,   evidence,      "a pcapng of every case, with comments on what was judged") \
    O(waivers,       "waivers",       0,   "FILE",    TEXT,   waivers,       "known failures (see the manual page)")    \
    O(seed,          "seed",          0,   "N",       SEED,   seed,          "seed of all random choices (1)")    \
    O(repeat,        "repeat",        0,   "N",       COUNT,  repeat,        "play each N times, with seeds from --seed on: the verdicts must agree") \
    O(jobs,          "jobs",          'j', "N",       COUNT,  jobs,          "play in N processes (all cores; 1 where time is real)") \
    O(timeout_scale, "timeout-scale", 0,   "X",       SCALE,  timeout_scale, "multiply every wait by X (live targets)") \
    O(hazardous,     "hazardous",     0,   NULL,      FLAG,   hazardous,     "live: also play scenarios that are known to crash devices (\"hazard\" lines)") \
    O(verbose,       "verbose",       'v', NULL,      FLAG,   verbose,       "print what passed too")                   \
    O(json,          "json",          0,   NULL,      FLAG,   json,          "as JSON")                                 \
    O(capabilities,  "capabilities",  0,   NULL,      FLAG,   capabilities,  "the words of \"needs\" lines instead")    \
    O(missing,       "missing",       0,   NULL,      FLAG,   missing,       "what is not covered, with status and reason") \
    O(matrix,        "matrix",        0,   "FILE",    TEXT,   matrix,        "a file that ibconform mutants --out wrote: the mutants that each scenario catches") \
    O(sample,        "sample",        0,   "N",       COUNT,  sample,        "only N mutants, chosen by --seed")        \
    O(only,          "only",          0,   "GLOB",    TEXT,   only,          "only mutants whose name matches, as \"mutant:emit.*\"") \
    O(list,          "list",          0,   NULL,      FLAG,   list,          "name the mutants, play nothing")          \
    O(out,           "out",           0,   "FILE",    TEXT,   out,           "write which scenario catches which mutant, as JSON; - is the standard output") \
    O(strict,        "strict",        0,   NULL,      FLAG,   strict,        "fail unless the requirements of a release are met: see the manual page") \
    O(least,         "least",         0,   "N",       COUNT,  least,         "fail when fewer statements are covered, or cited without --matrix") \
    O(count,         "count",         0,   "N",       COUNT,  count,         "sequences (1000, or as many as fit --time)") \
    O(seconds,       "time",          0,   "SECONDS", COUNT,  seconds,       "go on for so long")                       \
    O(rate,          "rate",          0,   "N",       COUNT,  rate,          "begin at most N sequences in a second")   \
    O(own_network,   "i-own-this-network", 0, NULL,   FLAG,   own_network,   "broken packets may leave this machine")   \
    O(scenarios,     "scenarios",     0,   "DIR",     TEXT,   scenarios,     "folder of scenarios (else $IBPROOF_SCENARIOS, else those installed)") \
    O(color,         "color",         0,   "[WHEN]",  COLOR,  color,         "auto (default; honours NO_COLOR), always, never")
/* clang-format on */
enum option_id {
#define IBC_OPTION_ID(id, ...) OPT_##id,
    IBC_OPTIONS(IBC_OPTION_ID) OPT_COUNT
};

struct words {
    const char *w[MAX_WORDS];
    size_t n;
};
struct options {
    struct words pattern, exclude, wire, device;
    const char *target, *link, *junit, *json_file, *html, *evidence, *waivers, *matrix, *only, *out, *scenarios;
    const char *agent, *agent_token_file, *user, *rerun_failed, *shard;
    uint64_t seed;
    unsigned repeat, jobs, sample, least, count, seconds, rate, max_failures,
        deadline; /* 0: the option was not given; `repeat` is 1 then */
    double timeout_scale;
    bool verbose, json, capabilities, missing, list, strict, own_network, hazardous, no_sandbox, color;
};

struct command;
/* Reads the command line. EXIT_OK: the caller runs `*command`; NULL: help was printed, and nothing is to run. Other
 * results are the exit code of the program, after the message. */
int options_parse(struct options *o, int argc, char **argv, const struct command **command);
#endif
