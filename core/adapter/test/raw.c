/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw datagrams (section 9.8.4; UU-39, UU-40) have no transport header, no P_Key and no ICRC, and the adapter delivers
 * all of their bytes. */
#include <criterion/criterion.h>
#include <string.h>
#include "pair.h"
#include "transport/iba_wr_ops.h"

enum { LENGTH = 64, WHERE = 1024, RWH = 4 };

static void one(enum iba_qp_type type, uint32_t before)
{
    const struct pair_config c = {.seed = 3, .kind = IBA_PORT_IB, .type = type, .mtu = IBA_MTU_1024, .bytes = 4096};
    struct pair *p = pair_open(&c);
    struct iba_send_wr wr = {.wr_id = 7, .op = IBA_WR_SEND, .imm_or_key = 0x88b5, .ah = p->end[0].ah};
    struct iba_wc wc;

    pair_memory(p, 0)[0] = 0x60; /* an IPv6 header, if the case needs one */
    pair_post_recv(p, 1, 9, WHERE, 256);
    pair_post_send(p, 0, &wr, 0, LENGTH);
    cr_assert(pair_run(p, 1000000));
    cr_assert(pair_poll(p, 0, &wc) == 1 && wc.wr_id == 7 && wc.status == IBA_WC_SUCCESS);
    cr_assert(pair_poll(p, 1, &wc) == 1 && wc.wr_id == 9 && wc.status == IBA_WC_SUCCESS);
    cr_assert_eq(wc.byte_len, LENGTH + before);
    cr_assert_eq(memcmp(pair_memory(p, 1) + WHERE + before, pair_memory(p, 0), LENGTH), 0);
    cr_assert(pair_guards_hold(p));
    pair_close(p);
}

Test(raw, an_ethertype_datagram_arrives_with_its_header)
{
    one(IBA_QPT_RAW_ETHERTYPE, RWH);
}

Test(raw, an_ipv6_datagram_arrives)
{
    one(IBA_QPT_RAW_IPV6, 0);
}

Test(raw, ethernet_has_none)
{
    const struct pair_config c = {
        .seed = 3, .kind = IBA_PORT_ROCE2, .type = IBA_QPT_RAW_IPV6, .mtu = IBA_MTU_1024, .bytes = 4096};
    struct pair *p = pair_open(&c);
    struct iba_send_wr wr = {.wr_id = 7, .op = IBA_WR_SEND, .ah = p->end[0].ah};
    struct iba_wc wc;

    pair_post_send(p, 0, &wr, 0, LENGTH);
    cr_assert(pair_run(p, 1000000));
    cr_assert(pair_poll(p, 0, &wc) == 1 && wc.status == IBA_WC_LOCAL_QP_OPERATION); /* UU-42 */
    pair_close(p);
}

Test(raw, the_shortest_packet_is_five_words)
{
    static const uint32_t least[] = {[IBA_QPT_RAW_IPV6] = 12, [IBA_QPT_RAW_ETHERTYPE] = 8}; /* WF-09 */

    for (unsigned t = IBA_QPT_RAW_IPV6; t <= IBA_QPT_RAW_ETHERTYPE; t++)
        for (uint32_t n = 0; n <= 16; n += 2) {
            const struct pair_config c = {
                .seed = 3, .kind = IBA_PORT_IB, .type = (enum iba_qp_type)t, .mtu = IBA_MTU_1024, .bytes = 4096};
            struct pair *p = pair_open(&c);
            struct iba_send_wr wr = {.op = IBA_WR_SEND, .ah = p->end[0].ah};
            struct iba_wc wc;
            pair_post_send(p, 0, &wr, 0, n);
            cr_assert(pair_run(p, 1000000));
            cr_assert_eq(pair_poll(p, 0, &wc), 1);
            cr_assert_eq(wc.status, n % 4 == 0 && n >= least[t] ? IBA_WC_SUCCESS : IBA_WC_LOCAL_LENGTH,
                         "type %u, %u bytes", t, n);
            pair_close(p);
        }
}
