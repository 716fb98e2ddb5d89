/* SPDX-License-Identifier: BSD-2-Clause */
/* Feeds hand-built packets to a statistic, and returns its output. */
#ifndef STATS_TEST_FEED_H
#define STATS_TEST_FEED_H
#include "stats/stats.h"

struct feed {
    const struct stat_kind *kind;
    void *state;
    struct cap_packet cap;
    struct packet p;
    bool unchecked; /* as -o icrc:off */
};
/* Opens the statistic that -z would open; the test fails if that fails. */
void feed_open(struct feed *f, const char *text);
void feed_close(struct feed *f);

struct frame {
    enum iba_link link;
    size_t n, caplen; /* caplen 0: all of it was captured */
    uint8_t b[400];
};
/* The differences between the packets of these tests. */
struct spec {
    enum iba_proto proto;
    bool v6;          /* IPv6 for RoCEv2, a GRH for native packets */
    uint8_t src, dst; /* last byte of the addresses */
    uint8_t opcode;
    uint16_t p_key;
    uint32_t dest_qp, source_qp, psn; /* source_qp: for UD opcodes */
    uint8_t words;                    /* of payload */
    bool bad_icrc, bad_vcrc;
};
/* Returns a frame with correct CRCs, unless the spec asks for wrong ones. */
struct frame frame_of(const struct spec *s);
/* A datagram of the connection manager between 10.0.0.1 and 10.0.0.2, `reply`: from the second one; and its 256 bytes.
 */
struct frame frame_cm(bool reply, uint16_t attribute);
uint8_t *frame_datagram(struct frame *f);
/* Returns a RoCEv2 frame of a real device, from Scapy's tests: a UC SEND Only with a correct ICRC and 18 bytes of
 * payload. */
struct frame frame_captured(void);
/* Returns an Ethernet frame without InfiniBand. */
struct frame frame_other(void);

enum { UNTIMED = -1 };
/* When the run begins, in nanoseconds since 1970. */
#define RUN_NS UINT64_C(1700000000000000000)
/* Feeds the frame with the time `at_ns` after the start of the run, or UNTIMED. */
void feed(struct feed *f, const struct frame *frame, int64_t at_ns);
void feed_at(struct feed *f, const struct frame *frame, uint64_t ts_ns);

/* Returns the whole output, which the caller frees. */
char *printed(struct feed *f, bool json);
/* Checks that text and JSON equal golden/<name>.txt and .json, and closes the feed. */
void expect(struct feed *f, const char *name);
/* Returns how often `what` occurs. */
size_t occurrences(const char *in, const char *what);
#endif
