/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packets as pcapng, with comments: Wireshark shows our findings this way. */
#ifndef IBPROOF_DISSECT_INPUT_PCAPNG_WRITE_H
#define IBPROOF_DISSECT_INPUT_PCAPNG_WRITE_H

#include "capture.h"

struct pcapng_writer;

/* Creates or empties the file and begins one section, little-endian; "-" is stdout. NULL on failure with one line
 * "PATH: what is wrong" in err. Owned: pcapng_close(). */
struct pcapng_writer *pcapng_open(const char *path, char *err, size_t errlen);

/* Writes one packet. Its interface (snapshot length CAP_MAX_RECORD, ns) is described before its first packet, with the
 * options that the interface had, such as its name. Interfaces without options become one interface for each link type.
 * `comment`, unless NULL, comes first, then the packet's own comment with its other options; of either at most 65535
 * bytes are kept. A packet without time gets the time of the packet before. Returns 0, or the errno value of the first
 * write that failed: after that nothing is written. Refused are a packet above CAP_MAX_RECORD (EMSGSIZE), more than 64
 * link types (E2BIG), and an ERF record that is shorter than its header (EBADMSG): other programs would refuse the
 * whole file for it. */
int pcapng_packet(struct pcapng_writer *w, const struct cap_packet *p, const char *comment);

/* Passes all that is buffered to the system, for a reader that follows the file. 0 or an errno value as above. */
int pcapng_flush(struct pcapng_writer *w);

/* Writes what is buffered, closes the file (stdout stays open) and frees. 0, or the errno value of the first failure
 * since opening. */
int pcapng_close(struct pcapng_writer *w);

#endif
