/* SPDX-License-Identifier: BSD-2-Clause */
/* Where time is real, one play may be wrong for reasons that are not the device's: how often a case is played, and what
 * its plays come to. A table. */
#ifndef IBC_CONFIRM_H
#define IBC_CONFIRM_H

enum play_kind {
    PLAY_GOOD,   /* nothing that nobody expects */
    PLAY_OPEN,   /* its evidence is not complete */
    PLAY_LATE,   /* it failed, but only for a packet that came later than it may */
    PLAY_BAD,    /* it failed */
    PLAY_DOWN,   /* it failed, and then the device went down or failed its health probe */
    PLAY_PROVED, /* it failed, and the device's system itself said so, or no time is real: once is enough */
    PLAY_FAULT,  /* a fault of the harness */
    PLAY_KINDS
};
enum confirm {
    CONFIRM_AGAIN,  /* to be played again */
    CONFIRM_STANDS, /* what the last play said */
    CONFIRM_NOTED,  /* likewise; what another one said is noted beside it */
    CONFIRM_OPEN,   /* INCONCLUSIVE: too few plays agree */
};
struct plays {
    unsigned n[PLAY_KINDS];
};
/* After each play, the last one counted. CONFIRM_AGAIN four times at most. */
enum confirm confirm(const struct plays *p);
#endif
