/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures in: classic pcap, pcapng and .erf files, each also gzipped, known by content and not by name; and live
 * interfaces through libpcap. One packet at a time, in place, in bounded memory: at most 550 KiB a capture, and 384 KiB
 * more with cap_ahead().
 */
#ifndef IBPROOF_DISSECT_INPUT_CAPTURE_H
#define IBPROOF_DISSECT_INPUT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The largest packet, in bytes. A packet whose header states more is a fault of the file. */
enum { CAP_MAX_RECORD = 256 * 1024 };

/* Most bytes on the wire. A packet whose header states more counts as one of this length, which is the most that the
 * packet view takes (core/wire/iba_view.h). */
enum { CAP_MAX_LEN = INT32_MAX };

/* LINKTYPE_ERF: data is a whole ERF record (16-byte header, extension headers, payload, padding). */
enum { CAP_LINKTYPE_ERF = 197 };

/* The options of a pcapng block, unchanged, for a writer. */
struct cap_options {
    const uint8_t *list; /* complete options, without the end-of-options option */
    uint32_t bytes;      /* 0: none */
    bool big;            /* numbers in the options are big-endian */
};

struct cap_packet {
    const uint8_t *data; /* borrowed until the next cap_next() on the same capture; so is `comment` */
    uint32_t caplen;     /* bytes at data */
    uint32_t len;        /* bytes on the wire: at least caplen, at most CAP_MAX_LEN, whatever the file states */
    uint32_t dlt;    /* LINKTYPE_ of its interface, without the FCS bits of a pcap header; CAP_LINKTYPE_ERF in .erf */
    uint64_t ts_ns;  /* since 1970 UTC; 0 when has_ts is false; clamped when a file's units leave 64 bits */
    bool has_ts;     /* a pcapng Simple Packet Block carries no time */
    uint64_t offset; /* offset of the packet's record in the stream (after gunzip); 0 when live */
    uint64_t number; /* number of the packet in its capture, from 1 */
    uint32_t iface;  /* pcapng interface, counted over all sections of the file; 0 elsewhere */
    /* hash of 24 bits of the interface's name: the same in each section and copy of a file; 0: no name */
    uint32_t point;
    const char *comment;              /* the first opt_comment of the packet's block, or NULL */
    struct cap_options options;       /* options of the packet's block, comments included; borrowed as `data` is */
    struct cap_options iface_options; /* options of the packet's interface; borrowed until the capture is closed */
    /* if_name of the interface, or the interface of a live capture; NULL: none. Borrowed until the capture is closed */
    const char *iface_name;
};

enum cap_result { CAP_PACKET, CAP_END, CAP_ERROR, CAP_QUIET };

struct capture;

/* Opens a file, or stdin for "-". NULL on failure, with one line "PATH: what is wrong" in err. Owned: cap_close(). */
struct capture *cap_open(const char *path, char *err, size_t errlen);

/* As cap_open(), from an open descriptor, from its current offset. Takes fd over, also on failure. */
struct capture *cap_open_fd(int fd, const char *name, char *err, size_t errlen);

/* Opens a network interface with libpcap, in promiscuous mode. bpf is a tcpdump filter or NULL. NULL on failure, as
 * cap_open(). */
struct capture *cap_open_live(const char *iface, const char *bpf, char *err, size_t errlen);

/* Gives the packet the time of its ERF record, which is finer than a pcap header's. Packets of other link types stay
 * unchanged. */
void cap_erf_time(struct cap_packet *p);

/* The next packet. CAP_END and CAP_ERROR leave *p unchanged and are final: a capture has at most one fault, and all
 * packets before it were given. A live capture waits until there is a packet or cap_stop() was called; only after
 * cap_tell_quiet() it gives CAP_QUIET, and leaves *p unchanged, when no packet came for a tenth of a second. */
enum cap_result cap_next(struct capture *c, struct cap_packet *p);

/* Whether cap_ahead() would start a thread: much of a gzip file is still to be inflated. */
bool cap_can_ahead(const struct capture *c);
/* Lets a thread of its own inflate the rest of a gzip file, ahead of cap_next(); the packets are the same. To be called
 * after confinement, which holds for later threads only. No-op where cap_can_ahead() is false. */
void cap_ahead(struct capture *c);

/* Whether several threads can read this file, which only a plain file allows. Each thread reads one piece of the file
 * into its own memory, and packets are found in one piece after the other. The bytes of pieces stay, so earlier packets
 * do too. */
bool cap_in_pieces(const struct capture *c);
/* Reads bytes of the file from this offset; any thread may call it. Returns how many bytes it read, fewer at the end of
 * the file; -1: errno. */
ssize_t cap_read_at(const struct capture *c, uint8_t *to, size_t bytes, uint64_t offset);
/* The offset of the next record. */
uint64_t cap_place(const struct capture *c);
/* The next packets are in this piece: `have` bytes of the file from `offset` on, which is not above cap_place(). The
 * rest of the last record is read to its end, so `size` is CAP_PIECE_MORE more than the offsets at which cap_next() is
 * called. The memory stays the caller's. */
enum { CAP_PIECE_MORE = (256 + 68) * 1024 };
void cap_piece(struct capture *c, uint8_t *piece, size_t have, size_t size, uint64_t offset);

/* True: the next packet is in memory already, so cap_next() returns it, and earlier packets stay valid. False tells
 * nothing. */
bool cap_ready(const struct capture *c);

/* After CAP_ERROR one line: "x.pcap: packet 17 at offset 0x2c0: what is wrong"; else "". Borrowed. */
const char *cap_error(const struct capture *c);

/* The path or interface as it was given; "stdin" for "-". Borrowed. */
const char *cap_name(const struct capture *c);
bool cap_is_live(const struct capture *c);

/* Bytes of the file that were read, before gunzip. total is 0 when unknown (pipes, live). */
void cap_progress(const struct capture *c, uint64_t *done, uint64_t *total);

/* Packets that the capture point lost, where it counts them: kernel and interface drops (live), loss counters (.erf).
 */
uint64_t cap_dropped(const struct capture *c);

/* From now on cap_next() on a live capture may return CAP_QUIET. No-op on files. */
void cap_tell_quiet(struct capture *c);

/* Ends a live capture: the call of cap_next() that waits soon returns CAP_END. May be called from a signal handler.
 * No-op on files. */
void cap_stop(struct capture *c);

/* Closes the capture; NULL is allowed. */
void cap_close(struct capture *c);

#endif
