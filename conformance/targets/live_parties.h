/* SPDX-License-Identifier: BSD-2-Clause */
/* The parties of a live test: device, tester and stranger. The agent names their addresses. They are checked, since
 * a broken device, or one that an attacker controls, would choose to whom the tester sends, and whose addresses it
 * uses. */
#ifndef IBC_LIVE_PARTIES_H
#define IBC_LIVE_PARTIES_H
#include "live_host.h"
#include "targets/target.h"
#include "wire.h"

enum { LIVE_PINS = 8, LIVE_PARTIES = 6 };

/* Addresses that the user named. If the user named addresses of a family, each device must have one of them. */
struct live_pins {
    struct live_pin {
        enum live_family family;
        uint8_t bytes[16]; /* 6, 4 or 16 bytes are used */
    } pin[LIVE_PINS];
    unsigned n;
};
/* Adds an address such as "02:00:00:00:00:01", "192.0.2.1" or "2001:db8::1". False: the text is no address, or
 * there are too many. */
bool live_pin_add(struct live_pins *p, const char *text);

/* The addresses that were accepted, so that a run checks them once. All zero: none were accepted yet. */
struct live_accepted {
    struct ibc_address is[LIVE_PARTIES];
    bool any;
};

/* Checks the addresses of `t`. None may be zero, a group or a broadcast address; tester, stranger and devices must
 * differ; pinned addresses must be right. On a wire that is an interface of this machine, none may belong to this
 * machine or its gateways, and no host may have those of tester and stranger: the function asks the network for
 * them first (RFC 5227 2.1.1, RFC 4862 5.4: three times within a second). `pins` and `show` may be NULL; `show`
 * gets one line with all addresses before the first frame is sent. False: t->fault has one line. */
bool live_accept(struct ibc_target *t, enum ibc_link link, struct ibc_wire *const wire[IBC_DEVICES],
                 const struct live_pins *pins, struct live_accepted *a, void (*show)(const char *line));
#endif
