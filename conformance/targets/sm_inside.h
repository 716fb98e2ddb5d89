/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the target of subnet managers: the simulated subnet, and the programs that manage it. */
#ifndef IBC_SM_INSIDE_H
#define IBC_SM_INSIDE_H
#include <sys/types.h>
#include "fabric/mad_server.h"
#include "fabric/server.h"
#include "sm_spoil.h"
#include "target.h"

enum { SM_PATH = 256, SM_COMMAND = 1024, SM_FRAMES = 65536 };

struct sm_program { /* a manager that was started */
    pid_t pid;      /* 0: it does not run */
    char folder[SM_PATH];
    pid_t keeper; /* a process that removes the folder when this process ends; 0: none */
    int alive;    /* our end of a pipe to the keeper; the kernel closes it when this process ends */
};
struct sm_frame { /* a packet on a wire of the subnet */
    uint64_t at;
    uint8_t *bytes;
    uint16_t len;
    uint8_t end; /* the end at which it arrives */
};
struct sm {
    struct ibc_target t;
    char command[SM_COMMAND], shim[SM_PATH]; /* shim: the library that programs preload */
    bool own;                                /* it is libibfabric-umad.so, else libumad2sim */
    struct sm_spoiling spoil;                /* its row is NULL if the manager is as it is */
    uint64_t begun;                          /* clock at time 0 */
    unsigned plays;
    /* the subnet; NULL: none */
    struct ibc_fabric is;
    struct topology topology;
    struct topology_node node[IBC_NODES];
    struct topology_end end[IBC_ENDS];
    uint8_t first_end[IBC_NODES]; /* number of the end of each node's port 0 */
    struct subnet *subnet;
    struct server server;
    struct mad_server mads; /* open if `own` */
    struct sm_program program[IBC_MANAGERS];
    struct sm_frame *frame; /* SM_FRAMES entries: a ring */
    size_t first_frame, n_frame;
    uint64_t lost; /* packets for which the ring had no room */
};

static inline struct sm *sm_of(struct ibc_target *t)
{
    return (struct sm *)t;
}
enum ibc_rc sm_fault(struct sm *s, enum ibc_rc rc, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- sm_program.c ---- */
enum ibc_rc sm_start(struct ibc_target *t, unsigned number, const struct ibc_manager *m);
enum ibc_rc sm_stop(struct ibc_target *t, unsigned number);
void sm_stop_all(struct sm *s);
/* Whether all programs that were started run. A program that has ended is a fault, of the device if a signal ended
 * it. */
enum ibc_rc sm_all_run(struct sm *s);
uint64_t sm_waited(struct ibc_target *t);
/* Whether a program of that name, the first word of `command`, can be executed. */
bool sm_is_program(const char *command);

/* ---- sm_subnet.c ---- */
enum ibc_rc sm_subnet_open(struct ibc_target *t, const struct ibc_fabric *f);
void sm_subnet_close(struct sm *s);
enum ibc_rc sm_plug(struct ibc_target *t, unsigned end, bool in);
enum ibc_rc sm_inject(struct ibc_target *t, unsigned end, const uint8_t *frame, size_t len);
enum ibc_rc sm_collect(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                       unsigned *from);
uint64_t sm_now(struct ibc_target *t);

/* ---- sm_read.c ---- */
enum ibc_rc sm_read(struct ibc_target *t, unsigned end, uint8_t mad[IBA_MAD_BYTES]);
bool sm_check(struct ibc_target *t, enum ibc_check check, char *got, size_t n);
#endif
