/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of a run in chunks, in their order. Each thread reads some of the chunks; all threads see all of them.
 * The bytes of several chunks are read at the same time. The first record of a chunk begins where the last record of
 * the chunk before it ends, so only one thread at a time looks for records. */
#ifndef DISSECT_JOBS_CHUNK_H
#define DISSECT_JOBS_CHUNK_H
#include "field/bound.h"
#include "input/merge.h"
#include "jobs/deal.h"
#include "options.h"

/* Bytes of the file in one chunk. No record is shorter than 16 bytes, which limits the packets of a chunk. */
enum { CHUNK_BYTES = 384 * 1024, CHUNK_PACKETS = CHUNK_BYTES / 16, CHUNK_SIZE = CHUNK_BYTES + CAP_PIECE_MORE };

/* One packet, in one line of a cache, so that another core fetches one line for it, not two. */
struct dealt {
    _Alignas(64) const uint8_t *data;
    uint64_t ts_ns, frame, number; /* number: of the packet in its capture */
    uint32_t caplen, len;
    uint32_t point; /* capture point of the packet in its file: cap_packet.point */
    uint8_t link, source, worker;
    bool plain, is_datagram; /* plain: see deal_is_plain(); is_datagram: a management datagram */
    bool checked;
    uint8_t icrc, vcrc; /* enum iba_check, valid with `checked` */
    bool has_content;
    uint64_t content; /* iba_observer_content(), valid with `has_content` */
};
/* The packets of one worker: indices in `order`, the first at `from`. */
struct chunk_list {
    uint16_t from, n;
};
struct chunk {
    struct chunk *next;                 /* the next chunk that is free */
    unsigned n, owner;                  /* owner: the worker that reads into the chunk */
    uint32_t used;                      /* bytes of copied packets */
    struct chunk_list of[DEAL_WORKERS]; /* the packets of each worker */
    struct chunk_list datagrams;        /* the datagrams that all workers follow */
    uint16_t order[CHUNK_PACKETS], datagram[CHUNK_PACKETS];
    uint8_t bytes[CHUNK_SIZE];
    struct dealt packet[CHUNK_PACKETS];
};

struct reading { /* what the threads read with, one at a time */
    const struct options *opt;
    struct capture *const *capture;
    size_t n_capture;
    struct cap_merge *merge; /* NULL: there is only one capture */
    bool in_pieces;
    struct iba_view view; /* view of a packet that must be parsed before it is dealt out */
    uint64_t read, first_ns, begin_ns, last_ns;
    bool timed;
    uint32_t point; /* capture point of the last packet */
    bool several;   /* there were several capture points */
    void (*progress)(void *ctx, uint64_t packets, uint64_t bytes);
    void *ctx;
};
enum reading_end { READING_ON, READING_OVER, READING_VAIN }; /* vain: the run cannot be split */

/* Reads the bytes that are probably in chunk `number` of the file, while other threads read other chunks. Returns how
 * many bytes it read. */
size_t chunk_bytes(struct chunk *c, const struct reading *r, uint64_t number);
/* Finds the packets of the chunk. One thread does this at a time, in the order of the chunks. */
enum reading_end chunk_find(struct chunk *c, struct reading *r, uint64_t number, size_t have);
/* Deals the packets of the chunk out to workers; other threads may do that with other chunks meanwhile. False: the run
 * cannot be split. */
bool chunk_deal(struct chunk *c, const struct reading *r, struct deal *d);
#endif
