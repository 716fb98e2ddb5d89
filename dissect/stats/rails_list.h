/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of hosts of -z rails: a text file with a line for each host, "NAME RAIL RAIL ...". A rail is the list of the
 * addresses of one port of the host, separated by commas. '#' begins a comment. */
#ifndef DISSECT_STATS_RAILS_LIST_H
#define DISSECT_STATS_RAILS_LIST_H
#include <stdio.h>
#include "field/bound.h"
#include "track/addr.h"

enum { RAILS_HOSTS = BOUND(4096, 8), RAILS_MOST = 16, RAILS_ADDRESSES = BOUND(32768, 32), RAILS_NAME = 64 };

struct rails_address {
    struct stat_addr key; /* must be first: see stat_slot() */
    uint16_t host;        /* index of the host */
    uint8_t rail;         /* from 0 */
};
struct rails_host {
    char name[RAILS_NAME];
    unsigned n; /* rails */
};
struct rails_list {
    size_t n_host, n_address;
    uint32_t slot[2 * RAILS_ADDRESSES];
    struct rails_address address[RAILS_ADDRESSES];
    struct rails_host host[RAILS_HOSTS];
};

/* Fills an empty list. An IPv6 address is also taken for the GID with the same bytes. False with one line in err, which
 * names the line of the file. */
bool rails_list_read(struct rails_list *list, FILE *in, char *err, size_t errlen);
/* The address in the list; NULL: the list has none such. `addr` is in wire order, and bytes after it are zero. */
const struct rails_address *rails_list_find(const struct rails_list *list, uint8_t kind,
                                            const uint8_t addr[IBA_ADDR_MOST]);
#endif
