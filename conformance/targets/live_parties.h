/* SPDX-License-Identifier: BSD-2-Clause */
/* The parties of a live test. The agent names the addresses of device, tester and stranger, so a device that is
 * broken, or taken over, would choose whom the tester sends to and whose place it takes. */
#ifndef IBC_LIVE_PARTIES_H
#define IBC_LIVE_PARTIES_H
#include "live_host.h"
#include "targets/target.h"
#include "wire.h"

enum { LIVE_PINS = 8, LIVE_PARTIES = 6 };

/* Addresses that the user named: each device must have one of each family that is named. */
struct live_pins {
    struct live_pin {
        enum live_family family;
        uint8_t bytes[16]; /* 6, 4 or 16 of them */
    } pin[LIVE_PINS];
    unsigned n;
};
/* "02:00:00:00:00:01", "192.0.2.1", "2001:db8::1". False: it is none, or there are too many. */
bool live_pin_add(struct live_pins *p, const char *text);

/* The addresses that were accepted, so that a run checks them once. All zero: none yet. */
struct live_accepted {
    struct ibc_address is[LIVE_PARTIES];
    bool any;
};

/* Checks the addresses of `t`: none may be zero, of a group, or for all; tester, stranger and devices differ; pinned
 * ones are right. Where a wire is an interface of this machine, none may be this machine's or its gateways', and those
 * of tester and stranger must be free there: asks for them first (RFC 5227 2.1.1, RFC 4862 5.4: three times within a
 * second). pins, show may be NULL; show gets one line with all addresses before the first frame is sent. False with one
 * line in t->fault. */
bool live_accept(struct ibc_target *t, enum ibc_link link, struct ibc_wire *const wire[IBC_DEVICES],
                 const struct live_pins *pins, struct live_accepted *a, void (*show)(const char *line));
#endif
