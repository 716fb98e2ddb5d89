/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of ibconform, one row each, for command.c and for the completion files of shells. */
#ifndef IBC_COMMAND_ROWS_H
#define IBC_COMMAND_ROWS_H
#include "options.h"

#define HAS(id) (UINT64_C(1) << OPT_##id)
enum { ANY = MAX_WORDS };

/*    id, name, words, least, most, summary, options, examples */
#define IBC_COMMANDS(C)                                                                                                \
    C(list, "list", "[PATTERN]...", 0, ANY, "scenarios: id, clause, class, sentence",                                  \
      HAS(json) | HAS(capabilities) | HAS(scenarios),                                                                  \
      "  ibconform list                          all of them\n"                                                        \
      "  ibconform list 'rc.responder.*' RR-04   a group, and those that cite a statement\n"                           \
      "  ibconform list --json | jq '.[].id'     for scripts\n")                                                       \
    C(show, "show", "ID", 1, 1, "a scenario, its statements, what it needs, how each target sets it up",               \
      HAS(scenarios), "  ibconform show rc.responder.psn-gap-one-nak\n")                                               \
    C(run, "run", "[PATTERN]...", 0, ANY, "play scenarios against a target; verdicts with evidence",                   \
      HAS(exclude) | HAS(target) | HAS(wire) | HAS(agent) | HAS(agent_token_file) | HAS(user) | HAS(no_sandbox) |      \
          HAS(device) | HAS(own_network) | HAS(link) | HAS(junit) | HAS(json_file) | HAS(html) | HAS(evidence) |       \
          HAS(waivers) | HAS(seed) | HAS(repeat) | HAS(jobs) | HAS(timeout_scale) | HAS(hazardous) | HAS(verbose) |    \
          HAS(scenarios) | HAS(color) | HAS(strict) | HAS(rerun_failed) | HAS(shard) | HAS(max_failures) |             \
          HAS(deadline),                                                                                               \
      "  ibconform run                                        everything, against the reference engine\n"              \
      "  ibconform run rc.responder --evidence out -v         one group, with packets\n"                               \
      "  ibconform run --link all --junit results.xml         on every link the target has\n"                          \
      "  ibconform run --rerun-failed r.json --max-failures 5 what failed in a report, until five fail again\n"        \
      "  ibconform run RR-04 --target 'mutant:emit.aeth.msn=+1'    see a scenario fail\n"                              \
      "  ibconform run sm --target sm:opensm                  a subnet manager, in a simulated subnet\n"               \
      "  ibconform run sm --target sm:umad:opensm             the same, with P_Keys, SLs, GRHs and RMPP\n"             \
      "  ibconform run --target live --wire afpacket:eth1 --agent 'exec:ssh root@dut ibagent'\n")                      \
    C(statements, "statements", "[PATTERN]...", 0, ANY, "coverage of the normative statements",                        \
      HAS(missing) | HAS(json) | HAS(matrix) | HAS(least) | HAS(scenarios),                                            \
      "  ibconform statements                                 by area and by class\n"                                  \
      "  ibconform statements RR-52                           one: its clause, who confirms and who contradicts it\n"  \
      "  ibconform statements --missing 'RR-*'                statements that no scenario cites, and why\n"            \
      "  ibconform mutants --out m.json && ibconform statements --matrix m.json\n"                                     \
      "                                                       covered: a scenario that cites it catches a "            \
      "violation\n")                                                                                                   \
    C(mutants, "mutants", "[PATTERN]...", 0, ANY, "which broken engines the scenarios catch; survivors listed",        \
      HAS(exclude) | HAS(sample) | HAS(seed) | HAS(jobs) | HAS(out) | HAS(list) | HAS(only) | HAS(link) |              \
          HAS(strict) | HAS(scenarios),                                                                                \
      "  ibconform mutants                                    every scenario against every broken engine\n"            \
      "  ibconform mutants rc.responder --only 'mutant:RC-responder.*'\n"                                              \
      "  ibconform mutants --sample 50 --seed 7               a quick look\n")                                         \
    C(fuzz, "fuzz", "", 0, 0, "generated sequences, judged by the model; differences as scenarios",                    \
      HAS(target) | HAS(wire) | HAS(agent) | HAS(agent_token_file) | HAS(user) | HAS(no_sandbox) | HAS(device) |       \
          HAS(evidence) | HAS(seed) | HAS(count) | HAS(seconds) | HAS(rate) | HAS(own_network) | HAS(timeout_scale) |  \
          HAS(only) | HAS(sample) | HAS(jobs) | HAS(verbose) | HAS(waivers),                                           \
      "  ibconform fuzz --target 'mutant:emit.aeth.msn=+1' --evidence found\n"                                         \
      "  ibconform fuzz --target mutant:all --sample 100      how many broken engines are found, and which not\n"      \
      "  ibconform fuzz --target live --wire unix:dut,tester --agent unix:ctl --time 600 --evidence found\n"           \
      "  ibconform run --scenarios found/scenarios            the kept differences again\n")                           \
    C(check, "check", "CAPTURE...", 1, ANY, "judge captures by the rules, passively",                                  \
      HAS(json) | HAS(verbose) | HAS(no_sandbox),                                                                      \
      "  ibconform check trace.pcap                           what went wrong in it, frame by frame; nothing if "      \
      "nothing "                                                                                                       \
      "did\n"                                                                                                          \
      "  ibconform check client.pcapng server.pcapng -v       both ends as one stretch of time, with a line per "      \
      "connection\n")                                                                                                  \
    C(diff, "diff", "OLD NEW", 2, 2, "what changed between two reports of run --json", HAS(json),                      \
      "  ibconform diff before.json after.json                newly failing, newly passing, other symptoms\n"          \
      "  ibconform diff 6.1.json 7.3.json --json | jq '.changes[] | select(.change == \"newly failing\").id'\n")       \
    C(devices, "devices", "REPORT...", 1, ANY, "reports of run --json side by side: devices and scenarios",            \
      HAS(html) | HAS(verbose),                                                                                        \
      "  ibconform devices cx5.json cx6.json rxe.json         as Markdown: what each passes, and what one did not\n"   \
      "  ibconform devices *.json --html devices.html         as a page\n")
#endif
