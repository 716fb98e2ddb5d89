/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes packets as pcapng, with comments: Wireshark shows our findings this way. */
#ifndef IBPROOF_DISSECT_INPUT_PCAPNG_WRITE_H
#define IBPROOF_DISSECT_INPUT_PCAPNG_WRITE_H

#include "capture.h"

struct pcapng_writer;

/*
 * One section, little-endian; the file is created or emptied, "-" is stdout. NULL on failure with one line
 * "PATH: what is wrong" in err. Owned: pcapng_close().
 */
struct pcapng_writer *pcapng_open(const char *path, char *err, size_t errlen);

/*
 * Writes one packet; its interface (snapshot length CAP_MAX_RECORD, ns) is described before its first packet,
 * with the options that it had, as its name; interfaces without options are one for each link type.
 * comment, or NULL, comes first, then the packet's own with its other options; of either 65535 bytes are kept at most.
 * A packet without time gets the time of the one before. 0, or the errno value of the first write that failed: from
 * then on nothing is written. A packet above CAP_MAX_RECORD is refused (EMSGSIZE), and so are more than 64 link types
 * (E2BIG), and an ERF record that is shorter than its header (EBADMSG), for which other programs refuse the whole file.
 */
int pcapng_packet(struct pcapng_writer *w, const struct cap_packet *p, const char *comment);

/* Hands everything to the system, for a reader that follows the file. 0 or an errno value as above. */
int pcapng_flush(struct pcapng_writer *w);

/* Writes the rest, closes (stdout stays open) and frees. 0, or the errno value of the first failure since opening. */
int pcapng_close(struct pcapng_writer *w);

#endif
