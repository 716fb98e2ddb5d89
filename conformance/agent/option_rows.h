/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of ibagent, one row each, for options.c and for the completion files of shells. */
#ifndef IBC_AGENT_OPTION_ROWS_H
#define IBC_AGENT_OPTION_ROWS_H

/* clang-format off */
/*    name          value       what */
#define IBAGENT_OPTIONS(O)                                                                                                     \
    O("engine",     optional,   "[=SPEC]", "the reference engine as the device, on virtual time; SPEC as in\n"         \
                                           "`ibconform run --target`: reference (the default), mutant:...")            \
    O("wire",       required,   " SPEC",   "of the engine's port: unix:PEER,OWN, dgram:HOST:PORT,HOST:PORT, ...;\n"    \
                                           "given twice: two devices")                                                 \
    O("real-time",  no,         "",        "the engine's time follows the clock")                                    \
    O("device",     required,   " NAME",   "of libibverbs; left out: the only one there is")                           \
    O("port",       required,   " N",      "of the device; left out: 1")                                               \
    O("tester",     required,   " WHERE",  "addresses of the tester, mac=02:..,ipv4=10.0.0.3; left out: the\n"         \
                                           "device's own with 2 added to the last number")                             \
    O("stranger",   required,   " WHERE",  "likewise, of a third host; 3 added")                                      \
    O("listen",     required,   " WHERE",  "unix:PATH or tcp:[HOST:]PORT; left out: standard input and output")        \
    O("token-file", required,   " FILE",   "with tcp: the token that hello must carry; left out: a random one,\n"      \
                                           "printed on the standard error")                                            \
    O("no-sandbox", no,         "",        "with --engine: read requests and frames with all rights of this user")     \
    O("help",       no,         "",        "this")                                                                     \
    O("version",    no,         "",        "the version")
/* clang-format on */
#endif
