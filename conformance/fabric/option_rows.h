/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of ibfabric, one row each, for options.c and for the completion files of shells. */
#ifndef IBC_FABRIC_OPTION_ROWS_H
#define IBC_FABRIC_OPTION_ROWS_H

/* clang-format off */
/*    name          value       what */
#define IBFABRIC_OPTIONS(O)                                                                                                     \
    O("sim",        required,   " NAME",   "serve under this name: $IBFABRIC_SIM or $IBSIM_SOCKNAME of the\n"           \
                                           "programs; left out: sim")                                                  \
    O("udp",        required,   " PORT",   "serve UDP of 127.0.0.1 from this port on: $IBSIM_SERVER_NAME 127.0.0.1")   \
    O("pcap",       required,   " FILE",   "write every packet of every wire: pcapng, link type 247, an interface\n"   \
                                           "for each port that sends")                                                 \
    O("console",    no,         "",        "commands from the standard input; its end ends the program")               \
    O("credits",    required,   " BLOCKS", "links count credits: each data lane has a receive buffer of so many blocks\n"  \
                                           "of 64 bytes, 68 or more; left out: packets never wait for room")           \
    O("mutant",     required,   " ROW",    "every node lacks this row of its rules, TABLE.ROW")                        \
    O("rules",      no,         "",        "list the rows of all tables, and end")                                     \
    O("help",       no,         "",        "this")                                                                     \
    O("version",    no,         "",        "the version")
/* clang-format on */
#endif
