/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of a run in chunks, in their order. Each thread reads some of the chunks; all threads see all of them.
 *
 * The bytes of chunks are read at the same time. Where a chunk's first record begins is known when the records of the
 * chunk before it were found, so threads do that one after the other. */
#ifndef DISSECT_JOBS_CHUNK_H
#define DISSECT_JOBS_CHUNK_H
#include "field/bound.h"
#include "input/merge.h"
#include "jobs/deal.h"
#include "options.h"

/* Bytes of a file in a chunk; no record is shorter than 16 bytes. */
enum { CHUNK_BYTES = 128 * 1024, CHUNK_PACKETS = CHUNK_BYTES / 16, CHUNK_SIZE = CHUNK_BYTES + CAP_PIECE_MORE };

struct dealt { /* a packet */
    const uint8_t *data;
    uint64_t ts_ns, frame, number; /* number: in its capture */
    uint32_t caplen, len;
    uint32_t point; /* of its file: cap_packet */
    uint8_t link, source, worker;
    bool plain, is_datagram; /* plain: deal_is_plain(); is_datagram: of management */
    bool checked;
    uint8_t icrc, vcrc; /* enum iba_check, valid with `checked` */
    bool has_content;
    uint64_t content; /* iba_observer_content(), valid with `has_content` */
};
/* The packets of a worker: indices begin at `from` in `order`. */
struct chunk_list {
    uint16_t from, n;
};
struct chunk {
    struct chunk *next;                 /* of those that are free */
    unsigned n, owner;                  /* owner: the worker that reads into it */
    uint32_t used;                      /* bytes of copied packets */
    struct chunk_list of[DEAL_WORKERS]; /* the packets of each worker */
    struct chunk_list datagrams;        /* which all workers follow */
    uint16_t order[CHUNK_PACKETS], datagram[CHUNK_PACKETS];
    uint8_t bytes[CHUNK_SIZE];
    struct dealt packet[CHUNK_PACKETS];
};

struct reading { /* what the threads read by turns */
    const struct options *opt;
    struct capture *const *capture;
    size_t n_capture;
    struct cap_merge *merge; /* NULL: of one capture */
    bool in_pieces;
    struct iba_view view; /* of a packet that must be parsed to deal it out */
    uint64_t read, first_ns, begin_ns, last_ns;
    bool timed;
    uint32_t point; /* of the last packet */
    bool several;   /* capture points */
    void (*progress)(void *ctx, uint64_t packets, uint64_t bytes);
    void *ctx;
};
enum reading_end { READING_ON, READING_OVER, READING_VAIN }; /* vain: the run cannot be split */

/* Chunk `number` of the file, while other threads read others: the bytes that are probably in it. How many. */
size_t chunk_bytes(struct chunk *c, const struct reading *r, uint64_t number);
/* Finds its packets: one thread at a time, in the order of chunks. */
enum reading_end chunk_find(struct chunk *c, struct reading *r, uint64_t number, size_t have);
/* Deals its packets out, while other threads do that with others. False: the run cannot be split. */
bool chunk_deal(struct chunk *c, const struct reading *r, struct deal *d);
#endif
