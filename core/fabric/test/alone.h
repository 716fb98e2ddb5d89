/* SPDX-License-Identifier: BSD-2-Clause */
/* One node alone, which a test asks at chosen times: an adapter or a switch with any number of ports. */
#ifndef ALONE_H
#define ALONE_H
#include <criterion/criterion.h>
#include "fabric/iba_hop.h"

enum { ALONE_SLOTS = 8, MAD_AT = 28, DATA_AT = 64, DATA_BYTES = 192, LOG_AT = 32, NODE_LID = 1, MANAGER_LID = 0x31 };
enum { GET = IBA_METHOD_GET, SET = IBA_METHOD_SET, SECOND = 1000000000 };

struct alone {
    struct iba_node n;
    void *memory;
    struct iba_pool pool;
    struct iba_slot slot[ALONE_SLOTS];
    uint8_t bytes[ALONE_SLOTS][IBA_PACKET_MOST];
    iba_time now;
    uint8_t answer[IBA_MAD_BYTES]; /* of the last request */
};

/* Makes an adapter or switch with that number of ports, all of them Active. Port p of an adapter has LID NODE_LID + p,
 * a switch NODE_LID. Its P_Key tables have 40 entries, its tables of arbitration 32. */
struct alone *alone_new(uint8_t type, uint8_t ports);
void alone_free(struct alone *a);

struct request {
    uint8_t mgmt_class, method, base, version; /* base and version 0: those of the class */
    uint16_t attribute;
    uint32_t modifier;
    uint64_t key;
    uint8_t port; /* by which the request comes; 0: port 1 */
    uint8_t rest; /* of each byte after the key, but the data of the attribute */
    uint8_t data[DATA_BYTES];
};

/* Sends the request from MANAGER_LID. Returns the status of the answer; -1: there is none. */
int alone_ask(struct alone *a, const struct request *r);
int alone_get(struct alone *a, uint8_t mgmt_class, uint16_t attribute, uint32_t modifier);
/* Checks the first `most` bytes of data of the answer: these bytes, then zeros. */
void alone_expect(const struct alone *a, const void *bytes, size_t n, size_t most, const char *what);
#endif
