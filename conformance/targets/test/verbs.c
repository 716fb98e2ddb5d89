/* The verbs of the reference target, one after the other. */
#include "bed.h"
#include <string.h>
#include "wire/iba_build.h"

static void rc_exchange(enum ibc_link link)
{
    struct bed *b = bed_open("reference", link, 1);
    struct iba_wc wc;

    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_recv(b, 0, 4096, 256);
    bed_send(b, 0, IBA_RC_SEND_ONLY, BED_EPSN, 64);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert(bed_wc(b, 0, &wc) && wc.status == IBA_WC_SUCCESS && wc.byte_len == 64);
    bed_send(b, 0, IBA_RC_READ_REQUEST, BED_EPSN + 1, 100);
    bed_expect(b, 0, IBA_RC_READ_RESP_ONLY, BED_EPSN + 1);
    cr_assert_eq(b->v.payload_len, 100);
    cr_assert_eq(bed_post(b, 0, IBA_WR_WRITE, 1500, 0x1234, 0x5678), IBC_OK);
    bed_expect(b, 0, IBA_RC_WRITE_FIRST, BED_PSN);
    bed_expect(b, 0, IBA_RC_WRITE_LAST, BED_PSN + 1);
    bed_quiet(b, 0);
    bed_close(b);
}

Test(verbs, a_request_is_answered_on_every_link)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        rc_exchange((enum ibc_link)l);
}
