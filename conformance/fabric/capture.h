/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes every packet of every wire to a pcapng file of link type 247, with an interface for each port that sends. */
#ifndef IBF_CAPTURE_H
#define IBF_CAPTURE_H
#include "subnet.h"

struct fabric_capture;

/* Opens a capture. NULL: it failed, and err has one line. A packet's time stamp is the time of the subnet added to
 * `begun_ns`, which counts from 1970. */
struct fabric_capture *fabric_capture_open(const char *path, const struct topology *t, uint64_t begun_ns, char *err,
                                           size_t errlen);
void fabric_capture_packet(struct fabric_capture *c, size_t node, uint8_t port, const uint8_t *packet, size_t len,
                           iba_time now);
/* Writes all buffered packets to the file. Returns 0 or an errno value. */
int fabric_capture_flush(struct fabric_capture *c);
/* Closes the capture. Returns 0, or the errno value of the first failure. */
int fabric_capture_close(struct fabric_capture *c);
#endif
