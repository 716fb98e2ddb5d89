/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to dissect/input: shared by the readers of the formats. */
#ifndef IBPROOF_DISSECT_INPUT_READER_H
#define IBPROOF_DISSECT_INPUT_READER_H

#include "capture.h"
#include "stream.h"

struct pcap; /* libpcap's pcap_t */

struct cap_pcap {
    bool big;
    uint32_t header;  /* bytes of a record's header */
    uint32_t ts_unit; /* ns in one unit of the fraction */
    uint32_t minor;
    uint32_t snaplen;
    uint32_t dlt;
};

/* How a pcapng interface counts time: ticks, then seconds to add. */
struct cap_iface {
    uint32_t dlt, snaplen;
    bool binary;       /* a tick is 2^-exponent s, else 10^-exponent */
    uint8_t exponent;  /* 0 to 127 */
    int64_t ts_offset; /* s */
    struct cap_options options;
    const char *name; /* NULL: none */
    uint32_t point;   /* as cap_packet.point */
};

struct cap_kept { /* bytes that stay until the capture is closed */
    struct cap_kept *before;
    uint8_t bytes[];
};

struct cap_pcapng {
    bool big;                 /* the section is big-endian */
    struct cap_iface *ifaces; /* interfaces of the section */
    uint32_t count, room;
    uint32_t before; /* number of interfaces in earlier sections */
    struct cap_kept *kept;
    uint32_t kept_bytes;
    char *comment; /* the first comment of the current packet */
};

struct capture {
    struct cap_stream in; /* `in` and `next` are first: the fields of the fast path */
    enum cap_result (*next)(struct capture *c, struct cap_packet *p);
    bool (*ready)(const struct capture *c); /* NULL: the format does not show whether the next packet is in memory */
    uint64_t number;                        /* packets that were returned */
    struct cap_pcap pcap;
    struct cap_pcapng pcapng;
    uint64_t lost;         /* .erf loss counters, summed */
    struct pcap *live;     /* NULL: a file */
    uint32_t live_ts_unit; /* ns */
    bool tells_quiet;
    enum cap_result verdict; /* the final result, once `next` is no longer called: CAP_END or CAP_ERROR */
    char *name;
    char *error;
    size_t errlen;
};

/* Each reads the file header at the start of the stream. False, with c->error set. */
bool cap_pcap_begin(struct capture *c);
bool cap_pcapng_begin(struct capture *c);
bool cap_erf_begin(struct capture *c);

/* Whether the bytes at the start of the stream can only be ERF records. */
bool cap_erf_plausible(struct cap_stream *s);

/* Makes a capture that has no source yet; NULL when out of memory. */
struct capture *cap_new(const char *name);

/* Ends the capture with the error "NAME: " and the text. */
enum cap_result cap_fail(struct capture *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the capture with an error about the next packet, at the current place of the stream: "NAME: packet N at offset
 * 0xO: " and the text. */
enum cap_result cap_fail_packet(struct capture *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the capture as cap_fail() does; if the stream itself had a fault, the message ends with it. */
enum cap_result cap_fail_early(struct capture *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Ends the capture: the file header, or the next packet, has only `have` of its `need` bytes. */
enum cap_result cap_fail_header(struct capture *c, uint64_t have, uint64_t need);
enum cap_result cap_fail_cut(struct capture *c, uint64_t have, uint64_t need);

/* Ends the capture at the end of its stream: CAP_END, or CAP_ERROR if the stream itself had a fault. */
enum cap_result cap_finish(struct capture *c);

static inline uint16_t cap_get16(const uint8_t *b, bool big)
{
    return (uint16_t)(big ? b[0] << 8 | b[1] : b[1] << 8 | b[0]);
}

static inline uint32_t cap_get32(const uint8_t *b, bool big)
{
    if (big)
        return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static inline uint64_t cap_get64(const uint8_t *b, bool big)
{
    uint64_t first = cap_get32(b, big), second = cap_get32(b + 4, big);
    return big ? first << 32 | second : second << 32 | first;
}

#endif
