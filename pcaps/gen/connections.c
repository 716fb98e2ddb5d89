/* What becomes of connections, each on a pair of QPs of its own: how they end. dissect/test/connections.py says what
 * the judge is to say of each. Packets are 10 ms apart. */
#include "gen.h"

/* clang-format off */
#define TO(qp, psn, rest) "roce2-ipv4 RC_SEND_ONLY bth.destqp=0x10" qp " bth.a=1 payload=64 bth.psn=" psn rest "\n"
#define ACK(qp, psn, syndrome, msn) "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.destqp=0x20" qp " bth.psn=" psn " aeth.syndrome=" syndrome " aeth.msn=" msn "\n"

const char *const connections[] = {
    /* 01: an answer, then none: eight times the same, and no more */
    TO("01", "1", "") ACK("01", "1", "0x1f", "1") TO("01", "2", "") TO("01", "2", "") TO("01", "2", "") TO("01", "2", "")
    TO("01", "2", "") TO("01", "2", "") TO("01", "2", "") TO("01", "2", ""),
    /* 02: twice, and no more for long */
    TO("02", "1", "") TO("02", "1", ""),
    /* 03: a key is refused: the end */
    "roce2-ipv4 RC_WRITE_ONLY bth.destqp=0x1003 bth.a=1 payload=64 reth.dmalen=64 bth.psn=1\n" ACK("03", "1", "0x62", "0"),
    /* 04: a receiver that is never ready */
    TO("04", "1", "") ACK("04", "1", "0x2e", "0") TO("04", "1", "") ACK("04", "1", "0x2e", "0") TO("04", "1", "") ACK("04", "1", "0x2e", "0"),
    NULL};
