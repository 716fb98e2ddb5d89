/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ibfabric. */
#ifndef IBF_OPTIONS_H
#define IBF_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

enum { EXIT_OK = 0, EXIT_WRONG = 2, EXIT_BROKEN = 4 };

struct options {
    const char *topology, *sim, *pcap;
    uint16_t udp_port;
    uint16_t credits; /* size of each receive buffer in blocks of 64 bytes; 0: links have no credits */
    bool console, list_rules;
    const char *mutant;
};

/* Reads the command line. Returns EXIT_OK, or EXIT_WRONG after printing one line. *done: --help or --version was
 * answered. */
int options_read(struct options *o, int argc, char **argv, bool *done);
/* Prints one line "ibfabric: ..." on the standard error, and returns `code`. */
int options_wrong(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
