/* SPDX-License-Identifier: BSD-2-Clause */
/* What is tested, before it is opened: by each child process for itself. */
#ifndef IBC_DUT_H
#define IBC_DUT_H
#include "options.h"
#include "run/run.h"
#include "targets/live.h"

struct dut {
    const char *spec;            /* as ibc_target_open() takes it, else "live" */
    const struct live_dut *live; /* NULL: spec says it all */
};
/* lane: which of several live devices that are all alike. NULL with one line in err. */
struct ibc_target *dut_open(const struct dut *d, unsigned lane, char *err, size_t errlen);
/* What --target says. Of a live one the wires are open then, and privileges given up. EXIT_OK, or the exit code after
 * the message. */
int dut_choose(struct dut *d, struct live_dut *l, const struct options *o);
/* As waivers and reports have it. */
const char *dut_name(const struct dut *d);
/* What helps who cannot reach the agent, behind the sentence `why`; empty: nothing is known. */
void dut_hint(const struct dut *d, const char *why, char *out, size_t n);
/* Of the tester's ports in that lane the smallest MTU; 0: they set no limit. */
unsigned dut_mtu(const struct dut *d, unsigned lane);
/* Whether the tester's ports can do their work: EXIT_OK, or EXIT_HARNESS after the message. What spoils some scenarios
 * only is a warning. */
struct cases;
int dut_look_at_ports(const struct dut *d, const struct cases *cases);
/* One good exchange. `why` is what it came to. */
bool dut_is_well(struct ibc_target *t, const struct ibc_options *o, char *why, size_t n);

/* ---- live ---- */
enum { DUT_NAME = 160, DUT_TOKEN = 128, DUT_AGENT = 4096, DUT_USER = 64 };
struct live_lane {
    struct ibc_live live;
    char agent[DUT_AGENT];
};
struct live_dut {
    struct live_lane *lane; /* owned */
    unsigned n;             /* processes may test as many devices at a time */
    char token[DUT_TOKEN];
    char user[DUT_USER]; /* whom root was given up for; empty: it was not */
    char name[DUT_NAME]; /* "live:NAME OF THE AGENT" once live_name() has taken it */
};
void live_end(struct live_dut *l); /* all zero is allowed */
void live_name(struct live_dut *l, const struct ibc_target *t);
/* One good exchange: a device that is not well is told of once, and not by every scenario. EXIT_OK, or EXIT_HARNESS
 * after the message. when: "before the first scenario". */
int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when);

/* ---- privileges ---- */
/* The rest of the program runs as `user`: NULL: the owner of the working directory, or nobody where that is root.
 * Without root only CAP_NET_RAW is given up. as: who it became; empty: nobody else. False with one line in err. */
bool privileges_drop(const char *user, char as[DUT_USER], char *err, size_t errlen);
#endif
