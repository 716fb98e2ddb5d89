/* SPDX-License-Identifier: BSD-2-Clause */
/* A device under libibverbs as a target. It has the verbs and no wire, since the tester has the wire. It serves one
 * device, one port of the device, and one tester at a time. The limits of the target are VERBS_* below; the device
 * has limits of its own. Work request ids have 56 bits. */
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
    VERBS_REGIONS = 1024,         /* regions that the tester may still read, deregistered ones included */
    VERBS_DEPTH = 16384,          /* entries of a queue */
    VERBS_REGION_MOST = 16 << 20, /* bytes of one region */
    VERBS_MEMORY = 64 << 20,      /* bytes of all regions */
};

struct ibc_verbs_options {
    const char *device; /* name of the device in `ibv_devices`; NULL: the only device */
    unsigned port;      /* 0: 1 */
    /* The addresses of the tester and of a third host: "mac=02:..,ipv4=10.0.0.3,ipv6=2001:db8::3,gid=fe80::3,lid=17".
     * Addresses that are not given, or all when NULL, are the device's own with 2, 3 added to the last number. */
    const char *tester, *stranger;
};

/* Opens a device. NULL: it failed, and err has one line. ibc_target_close() closes it. The operations of the wire
 * (inject, collect, collect_any), set_gid and choose_psn are NULL, since no verb offers them; page and set_port are
 * UNSUPPORTED. */
struct ibc_target *ibc_verbs_open(const struct ibc_verbs_options *o, char *err, size_t errlen);
/* Writes the name to which waivers are bound: "rxe0 Linux 6.1.0-56-amd64", with the firmware's version in between
 * if the device has one. */
void ibc_verbs_describe(const struct ibc_target *t, char *out, size_t n);
#endif
