/* SPDX-License-Identifier: BSD-2-Clause */
/* Topology files: what ibnetdiscover prints, and ibsim's net files. */
#ifndef IBF_TOPOLOGY_H
#define IBF_TOPOLOGY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPOLOGY_NAME = 65, TOPOLOGY_PORTS = 254, TOPOLOGY_ERROR = 256 };

struct topology_end {
    int32_t node; /* index of the node at the other end; -1: no cable */
    uint8_t port;
    unsigned line; /* that says so; 0: the other end's line does */
};
struct topology_node {
    char id[TOPOLOGY_NAME]; /* unique */
    char description[TOPOLOGY_NAME];
    uint64_t guid, system_guid;
    uint32_t vendor;
    uint16_t device;
    uint8_t ports;
    bool is_switch, is_router; /* neither: a channel adapter */
    struct topology_end *end;  /* ports + 1; entry 0 is not used */
};
struct topology {
    struct topology_node *node;
    size_t n;
};

/* NULL on failure with one line "FILE:LINE: what is wrong" in err. "-" is the standard input. Owned: topology_free().
 */
struct topology *topology_read(const char *path, char err[TOPOLOGY_ERROR]);
void topology_free(struct topology *t);
#endif
