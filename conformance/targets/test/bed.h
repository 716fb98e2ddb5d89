/* SPDX-License-Identifier: BSD-2-Clause */
/* A target with the usual objects, and functions for the tester's end of the wire. */
#ifndef BED_H
#define BED_H
#include <criterion/criterion.h>
#include "targets/target.h"
#include "transport/iba_wr_ops.h"

enum { BED_PEER = 0x000777, BED_EPSN = 0x1000, BED_PSN = 0x2000, BED_QKEY = 0x11111111, BED_VLAN = 7 };
#define BED_MS UINT64_C(1000000)
#define BED_SECOND UINT64_C(1000000000)

struct bed {
    struct ibc_target *t;
    enum ibc_link link;
    struct {
        uint32_t pd, cq, qpn;
        enum iba_qp_type type; /* of the QP */
        struct ibc_mr mr;
    } d[IBC_DEVICES];
    uint8_t frame[IBC_FRAME]; /* the last one collected, its view, when and from where it came */
    size_t len;
    uint64_t at;
    unsigned from;
    struct iba_view v;
    bool tagged;  /* the next connections have a VLAN tag, if frames of the link can have one */
    bool lenient; /* a broken device: refusals and bad CRCs are expected */
};

struct bed *bed_open(const char *spec, enum ibc_link link, uint64_t seed);
void bed_close(struct bed *b);
/* Resets the target and creates the objects of device d again: a protection domain, a CQ, and a region of 64 KiB with
 * every right. */
void bed_reset(struct bed *b, enum ibc_link link, uint64_t seed);
/* Creates a QP of device d in RTS. Its peer is the tester's BED_PEER, or the twin's `peer` if `peer` is not 0. */
uint32_t bed_qp(struct bed *b, unsigned d, enum iba_qp_type type);
void bed_connect(struct bed *b, unsigned d, uint32_t qpn, enum iba_qp_type type, uint32_t peer);
void bed_recv(struct bed *b, unsigned d, uint32_t offset, uint32_t len);
enum ibc_rc bed_post(struct bed *b, unsigned d, enum iba_wr_op op, uint32_t len, uint64_t va, uint32_t rkey);

/* Returns the recipe of a packet from the tester to device d's QP; `set` may change the recipe before the packet is
 * built. */
struct iba_recipe bed_recipe(const struct bed *b, unsigned d, uint8_t opcode, uint32_t psn);
void bed_inject(struct bed *b, unsigned d, const struct iba_recipe *r);
void bed_send(struct bed *b, unsigned d, uint8_t opcode, uint32_t psn, uint32_t payload);
/* Takes the next frame of device d. Returns false if none comes within a millisecond. */
bool bed_take(struct bed *b, unsigned d);
/* The next frame must have that opcode and PSN. */
void bed_expect(struct bed *b, unsigned d, uint8_t opcode, uint32_t psn);
void bed_quiet(struct bed *b, unsigned d);
bool bed_wc(struct bed *b, unsigned d, struct iba_wc *wc);
#endif
