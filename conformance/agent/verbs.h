/* SPDX-License-Identifier: BSD-2-Clause */
/* A device under libibverbs as a target: verbs without the wire, which belongs to the tester. One device, one port of
 * it, one tester at a time.
 *
 * The limits are VERBS_* below; the device itself decides about its own limits. Work request ids have 56 bits. */
#ifndef IBC_VERBS_H
#define IBC_VERBS_H
#include "targets/target.h"

enum {
    VERBS_QPS = 256,
    VERBS_CQS = 256,
    VERBS_SRQS = 64,
    VERBS_XRCDS = 8,
    VERBS_PDS = 64,
    VERBS_AHS = 64,
    VERBS_MWS = 512,
    VERBS_GROUPS = 64,
    VERBS_REGIONS = 1024,         /* that the tester may still read, deregistered ones included */
    VERBS_DEPTH = 16384,          /* of a queue */
    VERBS_REGION_MOST = 16 << 20, /* bytes of one region */
    VERBS_MEMORY = 64 << 20,      /* bytes of all regions */
};

struct ibc_verbs_options {
    const char *device; /* as `ibv_devices` names it; NULL: the only one there is */
    unsigned port;      /* 0: 1 */
    /* The addresses of the tester and of a third host: "mac=02:..,ipv4=10.0.0.3,ipv6=2001:db8::3,gid=fe80::3,lid=17".
     * Addresses that are not given, or all when NULL, are the device's own with 2, 3 added to the last number. */
    const char *tester, *stranger;
};

/* NULL with one line in err. Closed by ibc_target_close(). The ops of the wire are NULL (inject, collect, collect_any),
 * and set_gid and choose_psn, which no verb can do; page and set_port are UNSUPPORTED. */
struct ibc_target *ibc_verbs_open(const struct ibc_verbs_options *o, char *err, size_t errlen);
/* "rxe0 Linux 6.1.0-56-amd64", with the firmware's version in between if it has one: waivers are bound to this name. */
void ibc_verbs_describe(const struct ibc_target *t, char *out, size_t n);
#endif
