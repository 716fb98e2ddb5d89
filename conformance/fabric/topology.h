/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads topology files: the output of ibnetdiscover, and the net files of ibsim. */
#ifndef IBF_TOPOLOGY_H
#define IBF_TOPOLOGY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_NAME = 65, TOPOLOGY_PORTS = 254, TOPOLOGY_ERROR = 256 };

struct topology_end {
    int32_t node; /* index of the node at the other end; -1: no cable */
    uint8_t port;
    unsigned line; /* line of the file that names this cable; 0: the line of the other end names it */
};
struct topology_node {
    char id[TOPOLOGY_NAME]; /* unique */
    char description[TOPOLOGY_NAME];
    uint64_t guid, system_guid;
    uint32_t vendor;
    uint16_t device;
    uint8_t ports;
    bool is_switch, is_router; /* neither: a channel adapter */
    struct topology_end *end;  /* has ports + 1 entries; entry 0 is not used */
};
struct topology {
    struct topology_node *node;
    size_t n;
};

/* Reads a topology file; "-" is the standard input. NULL: it failed, and err has one line "FILE:LINE: what is
 * wrong". The caller owns the result: topology_free(). */
struct topology *topology_read(const char *path, char err[TOPOLOGY_ERROR]);
void topology_free(struct topology *t);
#endif
