/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of ibdissect: one row each, for options.c and for the completions of shells. help.c says more of them. */
#ifndef DISSECT_OPTION_ROWS_H
#define DISSECT_OPTION_ROWS_H

/* clang-format off */
/*    letter and ':' if it takes a value; value; what */
#define DISSECT_LETTERS(O)                                                                                             \
    O("r:", "FILE",      "read this capture")                                                                          \
    O("i:", "IFACE",     "capture live")                                                                               \
    O("f:", "BPF",       "capture filter of -i")                                                                       \
    O("Y:", "EXPR",      "only packets that match")                                                                    \
    O("c:", "N",         "stop after N packets")                                                                       \
    O("n",  "",          "for tshark's users: no name is looked up")                                                   \
    O("V",  "",          "print every field: -T tree")                                                                 \
    O("x",  "",          "print bytes, too")                                                                           \
    O("l",  "",          "flush after each packet")                                                                    \
    O("T:", "FORM",      "form of the output")                                                                         \
    O("e:", "FIELD",     "print this field")                                                                           \
    O("E:", "KEY=VALUE", "form of -T fields")                                                                          \
    O("t:", "FORMAT",    "form of the time")                                                                           \
    O("w:", "FILE",      "write packets as pcapng")                                                                    \
    O("P",  "",          "print packets, also with -w")                                                                \
    O("2",  "",          "buffer packets until later ones complete them")                                              \
    O("q",  "",          "no packets, only statistics")                                                                \
    O("z:", "STATISTIC", "statistics")                                                                                 \
    O("d:", "SEL,PROTO", "decode as")                                                                                  \
    O("o:", "KEY:VALUE", "preference")                                                                                 \
    O("G:", "LIST",      "print a list")                                                                               \
    O("h",  "",          "help")                                                                                       \
    O("v",  "",          "the version")
/*    id           name          value     argument     what */
#define DISSECT_LONGS(O)                                                                                               \
    O(COLOR,      "color",      optional, "WHEN",      "colours")                                                      \
    O(FAIL_ON,    "fail-on",    required, "SEVERITY",  "exit code 3 when a packet has a finding of this severity or worse") \
    O(FROM,       "from",       required, "TIME",      "only packets from this time on")                               \
    O(TO,         "to",         required, "TIME",      "only packets before this time")                                \
    O(MTU,        "mtu",        required, "N",         "path MTU of all connections")                                  \
    O(PORT,       "port",       required, "N",         "another UDP port that carries RoCEv2")                         \
    O(REPORT,     "report",     required, "FILE",      "write an HTML page")                                           \
    O(SAMPLE,     "sample",     required, "N[,SEED]",  "only 1 in N pairs of hosts")                                    \
    O(SUMMARY,    "summary",    required, "FILE",      "write numbers that ibdissect merge adds")                       \
    O(EVERY,      "every",      required, "SECONDS",   "with --summary: a folder, into which it writes so often")       \
    O(METRICS,    "metrics",    required, "FILE",      "write counts as OpenMetrics text")                              \
    O(ROWS,       "rows",       required, "DIR",       "write rows for databases into a new folder")                    \
    O(HOST,       "host",       required, "NAME",      "with --summary and --rows: where the captures were made")       \
    O(JOBS,       "jobs",       required, "N",         "judge with N threads")                                         \
    O(USER,       "user",       required, "NAME",      "with -i: run as NAME then")                                    \
    O(NO_SANDBOX, "no-sandbox", no,       "",          "parse with all rights of this user")                           \
    O(HELP,       "help",       no,       "",          "help")                                                         \
    O(VERSION,    "version",    no,       "",          "the version")
/* clang-format on */
#endif
