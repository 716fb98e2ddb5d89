/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures built as bytes for the tests, and opened through a memory file, so no test needs a file of this tree. */
#ifndef IBPROOF_DISSECT_INPUT_TEST_BYTES_H
#define IBPROOF_DISSECT_INPUT_TEST_BYTES_H

#include "capture.h"

struct bytes {
    uint8_t *b; /* owned: bytes_free() */
    size_t n, room;
};

void put(struct bytes *f, const void *data, size_t n);
void put_fill(struct bytes *f, uint8_t value, size_t n);
void put16(struct bytes *f, uint16_t v, bool big);
void put32(struct bytes *f, uint32_t v, bool big);
void put64(struct bytes *f, uint64_t v, bool big);
void bytes_free(struct bytes *f);

/* Writes a classic pcap file of version 2.4. A record's data is n bytes of the value `fill`; if `modified`, record
 * headers have 24 bytes. */
void pcap_header(struct bytes *f, uint32_t magic, bool big, uint32_t snaplen, uint32_t network);
void pcap_record(struct bytes *f, bool big, uint32_t sec, uint32_t frac, uint32_t n, uint8_t fill);

/* Writes pcapng blocks. `options` has bytes in the section's byte order, with the end of options; NULL: no options. */
void ng_block(struct bytes *f, bool big, uint32_t type, const struct bytes *body);
void ng_section(struct bytes *f, bool big);
void ng_interface(struct bytes *f, bool big, uint16_t dlt, uint32_t snaplen, const struct bytes *options);
void ng_packet(struct bytes *f, bool big, uint32_t iface, uint64_t ts, uint32_t n, uint8_t fill,
               const struct bytes *options);
void ng_option(struct bytes *f, bool big, uint16_t code, const void *value, uint16_t n);

/* Writes an ERF record of variable length. `ts` is fixed point 32.32; the payload has n bytes. */
void erf_record(struct bytes *f, uint8_t type, uint64_t ts, uint16_t loss, uint16_t n, uint8_t fill);

/* Small complete files, one of each kind, with at least three packets each. The index is below SAMPLES. */
enum { SAMPLES = 8 };
struct bytes sample(int index);

/* A pcap file of packets of noise, which deflate does not compress, so that a cut of the gzip file falls inside a
 * packet. */
struct bytes noisy_pcap(uint32_t packets);

/* Appends one gzip member that holds n bytes. */
void put_gzip(struct bytes *f, const void *data, size_t n);

/* Calls cap_open_fd() on a copy of the bytes. The capture's name is "f". */
struct capture *open_bytes(const void *data, size_t n, char *err, size_t errlen);

/* Opens the bytes, reads to the end and closes. The outcome has the line with which the file ends ("" if it has no
 * fault), and the number of packets before it. */
struct outcome {
    uint64_t packets;
    unsigned sum; /* of all bytes given */
    char line[512];
};
struct outcome read_all(const void *data, size_t n);
/* The same, with a thread that inflates the file. Fails where none can be started. */
struct outcome read_all_ahead(const void *data, size_t n);

/* Returns the next random number of the sequence that *state defines, which is the same on every machine. */
uint64_t next_random(uint64_t *state);

#endif
