/* SPDX-License-Identifier: BSD-2-Clause */
/* Every packet of every wire into a pcapng file: link type 247, an interface for each port that sends. */
#ifndef IBF_CAPTURE_H
#define IBF_CAPTURE_H
#include "subnet.h"

struct fabric_capture;

/* NULL on failure with one line in err. Packets get the time of the subnet on top of `begun_ns`, since 1970. */
struct fabric_capture *fabric_capture_open(const char *path, const struct topology *t, uint64_t begun_ns, char *err,
                                           size_t errlen);
void fabric_capture_packet(struct fabric_capture *c, size_t node, uint8_t port, const uint8_t *packet, size_t len,
                           iba_time now);
/* Hands everything to the system. 0 or an errno value. */
int fabric_capture_flush(struct fabric_capture *c);
/* 0, or the errno value of the first failure. */
int fabric_capture_close(struct fabric_capture *c);
#endif
