/* SPDX-License-Identifier: BSD-2-Clause */
/* The internals of a simulated network: its players, and the adapter behaviour that the engine lacks. */
#ifndef SCORE_PLAY_H
#define SCORE_PLAY_H
#include "score.h"
#include "sound.h"

enum { SCORE_FLOWS = 16, SCORE_QUEUED = 512, SCORE_QUEUED_BYTES = 1024 };

struct score_play {
    struct pair *p;
    struct score_run *r;
    struct iba_observer *observer;
    _Alignas(64) unsigned char memory[OBSERVER_BYTES(SCORE_FLOWS, SCORE_FLOWS)];
    struct iba_random random;
    uint32_t skip, delivered; /* skip: packets before the capture begins; delivered: the frame delivered last */
    uint32_t earlier;         /* captured packets of the earlier connection */
    struct score_why {
        uint64_t kind;
        uint32_t frame;     /* the frame of the response that was the cause, plus 1; 0: none */
    } cause[2], running[2]; /* cause: an engine was asked to send again for this, and has not begun; running: it has
                               begun; kind 0: none */
    uint32_t run[2];        /* the frame with which that end went back last */
    bool began[2];
    iba_psn high[2], next[2];
    uint32_t reads[2], answer[2]; /* answer: the first frame of the newest answer to a READ */
    bool passed[SCORE_FRAMES], arrived[SCORE_FRAMES];
    struct score_waits { /* waiting for packets that were overtaken, by the end that waits */
        struct score_queued {
            iba_time since;
            uint32_t frame, len;
            uint8_t bytes[SCORE_QUEUED_BYTES];
        } queued[SCORE_QUEUED];
        uint32_t n, next; /* next: a frame; the end waits for no frame before it */
    } waits[2];
    struct score_again { /* the packet that each end sent again last; all: also the packets after it, in the same
                            instant */
        bool any, all;
        iba_psn psn;
        iba_time at;
    } again[2];
    struct { /* for an end with an adaptive timer: the packet that was unanswered when the timer ran out last, and when
                it runs out next */
        iba_psn una;
        iba_time due;
    } timer[2];
};

/* Gives the ends the adapter behaviour of this kind of network. */
void score_peer_open(struct score_play *y);
#endif
