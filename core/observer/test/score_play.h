/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a simulated network: who plays, and what an adapter does that the engine does not. */
#ifndef SCORE_PLAY_H
#define SCORE_PLAY_H
#include "score.h"
#include "sound.h"

enum { SCORE_FLOWS = 16, SCORE_HELD = 512, SCORE_HELD_BYTES = 1024 };

struct score_play {
    struct pair *p;
    struct score_run *r;
    struct iba_observer *observer;
    _Alignas(64) unsigned char memory[OBSERVER_BYTES(SCORE_FLOWS, SCORE_FLOWS)];
    struct iba_random random;
    uint32_t skip, delivered; /* sights before the capture begins; frame delivered last */
    uint32_t earlier;         /* sights of the connection before */
    struct score_why {
        uint64_t kind;
        uint32_t frame;     /* of the response that was the cause, plus 1; 0: none */
    } cause[2], running[2]; /* what an engine was told to send again for, and has not begun to; kind 0: nothing */
    uint32_t run[2];        /* frame: with which that end went back last */
    bool began[2];
    iba_psn high[2], next[2];
    uint32_t reads[2];
    bool passed[SCORE_FRAMES], arrived[SCORE_FRAMES];
    struct score_waits { /* for packets that were overtaken, by the end that waits */
        struct score_held {
            iba_time since;
            uint32_t frame, len;
            uint8_t bytes[SCORE_HELD_BYTES];
        } held[SCORE_HELD];
        uint32_t n, next; /* next: frame; of those before it the end waits for none */
    } waits[2];
    struct score_again { /* what was sent again last, by its end; all: and what is behind it, at once */
        bool any, all;
        iba_psn psn;
        iba_time at;
    } again[2];
    struct { /* of an end whose timer adapts: what was not answered when it ran last, and when it runs out */
        iba_psn una;
        iba_time due;
    } timer[2];
};

/* Makes the ends do what the kind of network says. */
void score_peer_open(struct score_play *y);
#endif
