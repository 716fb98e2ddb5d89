/* SPDX-License-Identifier: BSD-2-Clause */
/* The device under test, before it is opened: each child process opens it. */
#ifndef IBC_DUT_H
#define IBC_DUT_H
#include "options.h"
#include "run/run.h"
#include "system/privileges.h"
#include "targets/live.h"
#include "targets/live_starter.h"

struct dut {
    const char *spec;            /* the argument of ibc_target_open(), or "live" */
    const struct live_dut *live; /* NULL: spec is sufficient */
    bool manager;                /* the spec names a subnet manager */
};
/* Opens the device. lane: number of one of several equal live devices. NULL: it failed, and err has one line. */
struct ibc_target *dut_open(const struct dut *d, unsigned lane, char *err, size_t errlen);
/* Handles --target. For a live device also opens the wires, and drops privileges. Returns EXIT_OK, or the exit code
 * after the message. */
int dut_choose(struct dut *d, struct live_dut *l, const struct options *o);
/* Whether frames may leave this machine; works before and after dut_choose(). *wire: the --wire by which they
 * leave. */
bool dut_leaves(const struct dut *d, const struct options *o, const char **wire);
/* Returns the name of the device in waivers and reports. */
const char *dut_name(const struct dut *d);
/* Writes a hint for users who cannot reach the agent, to be printed after the sentence `why`; empty: there is none. */
void dut_hint(const struct dut *d, const char *why, char *out, size_t n);
/* Returns the smallest MTU of the tester's ports in that lane; 0: they set no limit. */
unsigned dut_mtu(const struct dut *d, unsigned lane);
/* Checks whether the tester's ports are suitable. Returns EXIT_OK, or EXIT_HARNESS after the message. A fault that
 * affects only some scenarios is a warning. */
struct cases;
int dut_look_at_ports(const struct dut *d, const struct cases *cases);
/* Plays the health probe. `why` becomes its result. */
bool dut_is_well(struct ibc_target *t, const struct ibc_options *o, char *why, size_t n);

/* ---- live ---- */
enum { DUT_NAME = 160, DUT_TOKEN = 128, DUT_AGENT = 4096 };
struct live_lane {
    struct ibc_live live;
    char agent[DUT_AGENT];
    struct live_accepted accepted;
    struct starter starter;
};
struct live_dut {
    struct live_lane *lane; /* owned */
    unsigned n;             /* number of lanes: so many processes may each test a device at the same time */
    char token[DUT_TOKEN];
    char user[PRIVILEGES_USER]; /* the user that replaced root; empty: root was kept */
    char name[DUT_NAME];        /* "live:NAME OF THE AGENT" once live_name() has taken it */
};
void live_end(struct live_dut *l); /* *l may be all zero */
void live_name(struct live_dut *l, const struct ibc_target *t);
/* Plays the health probe, so that its failure is reported once and not for every scenario. Returns EXIT_OK, or
 * EXIT_HARNESS after the message. when: "before the first scenario". */
int live_health(struct ibc_target *t, const struct options *o, enum ibc_link link, const char *when);
#endif
