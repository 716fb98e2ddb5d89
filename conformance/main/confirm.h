/* SPDX-License-Identifier: BSD-2-Clause */
/* In real time, one play may fail for reasons that are not the device's. A table decides how often a case is
 * played, and which verdict follows from its plays. */
#ifndef IBC_CONFIRM_H
#define IBC_CONFIRM_H

enum play_kind {
    PLAY_GOOD, /* the play passed, or failed as a waiver expects */
    PLAY_OPEN, /* the evidence of the play is not complete */
    PLAY_LATE, /* the play failed only because a packet came later than it may */
    PLAY_BAD,  /* the play failed */
    PLAY_DOWN, /* the play failed, and then the device went down or failed its health probe */
    /* the play failed, and one play is proof: the device's system reported the failure, or time is virtual */
    PLAY_PROVED,
    PLAY_FAULT, /* a fault of the harness */
    PLAY_KINDS
};
enum confirm {
    CONFIRM_AGAIN,  /* the case is played again */
    CONFIRM_STANDS, /* the result of the last play is the verdict */
    CONFIRM_NOTED,  /* likewise; the result of another play is added as a note */
    CONFIRM_OPEN,   /* INCONCLUSIVE: too few plays agree */
};
struct plays {
    unsigned n[PLAY_KINDS];
};
/* Decides after each play, which `p` includes already. Returns CONFIRM_AGAIN at most four times. */
enum confirm confirm(const struct plays *p);
#endif
