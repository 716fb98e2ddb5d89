/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters of benchmarks: RoCEv2 over IPv4, one port, numbered from 0. An error ends the program. */
#ifndef BENCH_CA_H
#define BENCH_CA_H
#include "adapter/iba_ca.h"

/* Exits with 1 when it is not ok. */
void bench_need(bool ok, const char *what);
#define NEED(call) bench_need((call) == 0, #call)

/* Port 1 gets the MAC and the address of adapter i. */
void bench_port(struct iba_ca *ca, unsigned i);
/* From Reset to Ready to Send: a reliable connection to the QP of the same number at adapter `to`. */
void bench_connect(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp_init *init, unsigned to);
/* The adapter receives the frame. */
void bench_feed(struct iba_ca *ca, const uint8_t *frame, size_t len, iba_time now);
#endif
