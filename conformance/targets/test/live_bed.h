/* SPDX-License-Identifier: BSD-2-Clause */
/* A live target whose agent is a thread of the test: it records each request, and sends the reply that the test chose.
 */
#ifndef IBC_TEST_LIVE_BED_H
#define IBC_TEST_LIVE_BED_H
#include "../live_inside.h"

struct live_bed {
    struct ibc_target *t;
    struct ibc_wire *tester[IBC_DEVICES], *device[IBC_DEVICES];
    char err[512];
    struct ibc_live o; /* the options with which it was opened */
    /* replies to hello and to other requests: members after the ID, as "\"ok\":{}". Empty: the agent says nothing;
     * "close": it closes the connection; "text:...": this line, as it is */
    char hello[1024], probe[256], reply[2048];
    char asked[8192];   /* the last request without its ID */
    unsigned greetings; /* number of times it was greeted */
    bool in_use;
    int listener;
};

#define LIVE_BED_HELLO                                                                                                 \
    "\"ok\":{\"version\":1,\"name\":\"bed\",\"devices\":2,\"links\":[\"roce2-ipv4\",\"ib-local\"],\"capabilities\":["  \
    "\"rc\"],"                                                                                                         \
    "\"time\":\"virtual\",\"limits\":{\"line\":65536,\"bytes\":1024}}"
#define LIVE_BED_UNSUPPORTED "\"error\":\"unsupported\",\"text\":\"\""
#define LIVE_BED_RESET                                                                                                 \
    "\"ok\":{\"now\":1000,\"device\":[{\"mac\":\"02:00:00:00:00:01\",\"ipv4\":\"192.0.2.1\",\"lid\":1},"               \
    "{\"mac\":\"02:00:00:00:00:02\",\"ipv4\":\"192.0.2.2\",\"lid\":2}],"                                               \
    "\"stranger\":{\"mac\":\"02:00:00:00:00:04\",\"ipv4\":\"192.0.2.4\",\"lid\":4},"                                   \
    "\"tester\":{\"mac\":\"02:00:00:00:00:03\",\"ipv4\":\"192.0.2.3\",\"lid\":3}}"

/* Starts the agent. The replies to greetings are LIVE_BED_HELLO and LIVE_BED_UNSUPPORTED until the test sets others. */
struct live_bed *live_bed_new(void);
/* Opens the target over two loops, or over as many as `wires`. False: b->err says why it failed. */
bool live_bed_open(struct live_bed *b, unsigned wires);
/* Resets the target on that link with the reply LIVE_BED_RESET. */
void live_bed_reset(struct live_bed *b, enum ibc_link link);
void live_bed_free(struct live_bed *b);
#endif
