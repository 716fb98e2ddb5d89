/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target over a pretended libibverbs: objects, what each verb asks of the library, and what the tester gets
 * back. */
#include "adapter.h"
#include <errno.h>

static void refuse(const char *name, int error)
{
    adapter.refuses = name;
    adapter.error = error;
}

/* A domain, a CQ, an SRQ and a QP of each kind. */
struct objects {
    uint32_t pd, cq, srq, xrcd, xrc_srq, number, rc, ud, tgt;
};

static void make(struct verbs *v, struct objects *o)
{
    struct ibc_qp_spec s = {.type = IBA_QPT_RC, .sq = 3, .rq = 4, .sig_all = true};

    OK(verbs_create_pd(&v->t, 0, &o->pd));
    OK(verbs_create_cq(&v->t, 0, 64, &o->cq));
    OK(verbs_create_srq(&v->t, 0, o->pd, 9, 0, &o->srq));
    OK(verbs_create_xrcd(&v->t, 0, &o->xrcd));
    OK(verbs_create_xrc_srq(&v->t, 0, &(struct ibc_xrc_srq_spec){.pd = o->pd, .depth = 5, .xrcd = o->xrcd, .cq = o->cq},
                            &o->xrc_srq, &o->number));
    s.pd = o->pd, s.scq = s.rcq = o->cq;
    OK(verbs_create_qp(&v->t, 0, &s, &o->rc));
    s.type = IBA_QPT_UD, s.has_srq = true, s.srq = o->srq, s.sig_all = false;
    OK(verbs_create_qp(&v->t, 0, &s, &o->ud));
    OK(verbs_create_qp(&v->t, 0, &(struct ibc_qp_spec){.type = IBA_QPT_XRC_TGT, .xrcd = o->xrcd}, &o->tgt));
}

Test(object, are_made_as_they_are_asked_for)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct objects o;

    make(v, &o);
    SAID("alloc_pd 1\n"
         "create_cq 1 depth 64\n"
         "create_srq 1 pd 1 depth 9 sges 4 limit 0\n"
         "open_xrcd 1 fd -1 create 1 mask 3\n"
         "create_srq_ex 2 pd 1 cq 1 depth 5 sges 4 mask f\n"
         "create_qp 1 type 2 pd 1 cqs 1 1 srq 0 depths 3 4 sges 4 4 inline 32 all 1 mask 0\n"
         "create_qp 2 type 4 pd 1 cqs 1 1 srq 1 depths 3 0 sges 4 0 inline 0 all 0 mask 0\n"
         "create_qp_ex 3 type 10 pd 0 cqs 0 0 srq 0 depths 0 0 sges 0 0 inline 0 all 0 mask 2\n");
    cr_assert(o.pd == 0 && o.cq == 0 && o.srq == 0 && o.xrcd == 0 && o.xrc_srq == 1, "slots count from 0");
    cr_assert(o.number == ADAPTER_KEYS + 2 && o.rc == ADAPTER_KEYS + 1 && o.ud == ADAPTER_KEYS + 2);
    cr_assert_eq(o.tgt, ADAPTER_KEYS + 3);
    adapter_close(v);
}

Test(object, types_of_queue_pairs)
{
    static const struct {
        enum iba_qp_type type;
        enum ibv_qp_type theirs;
    } rows[] = {{IBA_QPT_RC, IBV_QPT_RC},
                {IBA_QPT_UC, IBV_QPT_UC},
                {IBA_QPT_UD, IBV_QPT_UD},
                {IBA_QPT_XRC_INI, IBV_QPT_XRC_SEND},
                {IBA_QPT_XRC_TGT, IBV_QPT_XRC_RECV},
                {IBA_QPT_RD, IBV_QPT_DRIVER},
                {IBA_QPT_SMI, IBV_QPT_DRIVER},
                {IBA_QPT_GSI, IBV_QPT_DRIVER}};
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct objects o;
    uint32_t qpn;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(verbs_qp_type((uint8_t)rows[i].type), rows[i].theirs, "%zu", i);
    make(v, &o);
    cr_assert_eq(verbs_create_qp(&v->t, 0, &(struct ibc_qp_spec){.type = IBA_QPT_GSI}, &qpn), IBC_UNSUPPORTED);
    adapter_close(v);
}

/* ATOMIC WRITE needs a QP of the newer interface; only RC has this operation. */
Test(object, atomic_writes_need_another_kind_of_queue_pair)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct ibc_qp_spec s = {.type = IBA_QPT_RC, .sq = 3, .rq = 4, .sig_all = true};
    struct objects o;
    uint32_t qpn;

    make(v, &o);
    adapter.said[0] = 0;
    v->attr.device_cap_flags_ex = VERBS_DEVICE_ATOMIC_WRITE;
    OK(verbs_create_qp(&v->t, 0, &s, &qpn));
    SAID("create_qp_ex 4 type 2 pd 1 cqs 1 1 srq 0 depths 3 4 sges 4 4 inline 32 all 1 mask 41\n");
    s.type = IBA_QPT_UC, s.has_srq = true;
    OK(verbs_create_qp(&v->t, 0, &s, &qpn));
    SAID("create_qp 5 type 3 pd 1 cqs 1 1 srq 1 depths 3 0 sges 4 0 inline 0 all 1 mask 0\n");
    v->attr.device_cap_flags_ex = 0;
    v->inlines = false;
    s.type = IBA_QPT_RC;
    OK(verbs_create_qp(&v->t, 0, &s, &qpn));
    SAID("create_qp 6 type 2 pd 1 cqs 1 1 srq 1 depths 3 0 sges 4 0 inline 0 all 1 mask 0\n");
    adapter_close(v);
}

Test(object, a_part_that_does_not_exist)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct ibc_qp_spec s = {.type = IBA_QPT_RC};
    struct objects o;
    uint32_t n, number;

    make(v, &o);
    adapter.said[0] = 0;
    REFUSED(v, verbs_create_srq(&v->t, 0, 1, 1, 0, &n), "no_pd");
    REFUSED(v, verbs_create_srq(&v->t, 0, VERBS_PDS, 1, 0, &n), "no_pd");
    s.scq = 1;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "no_cq");
    s.scq = 0, s.rcq = VERBS_CQS;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "no_cq");
    s.rcq = 0, s.has_srq = true, s.srq = 2;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "no_srq");
    s.has_srq = false, s.pd = 1;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "no_pd");
    s.pd = 0, s.sq = VERBS_DEPTH + 1;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "full");
    s.sq = 0, s.rq = VERBS_DEPTH + 1;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "full");
    s.type = IBA_QPT_XRC_TGT, s.xrcd = 1;
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "no_xrcd");
    struct ibc_xrc_srq_spec x = {.pd = 1};
    REFUSED(v, verbs_create_xrc_srq(&v->t, 0, &x, &n, &number), "no_pd");
    x.pd = 0, x.xrcd = VERBS_XRCDS;
    REFUSED(v, verbs_create_xrc_srq(&v->t, 0, &x, &n, &number), "no_xrcd");
    x.xrcd = 0, x.cq = 1;
    REFUSED(v, verbs_create_xrc_srq(&v->t, 0, &x, &n, &number), "no_cq");
    x.cq = 0, x.depth = VERBS_DEPTH + 1;
    REFUSED(v, verbs_create_xrc_srq(&v->t, 0, &x, &n, &number), "full");
    REFUSED(v, verbs_create_srq(&v->t, 0, 0, VERBS_DEPTH + 1, 0, &n), "full");
    REFUSED(v, verbs_create_cq(&v->t, 0, VERBS_DEPTH + 1, &n), "full");
    REFUSED(v, verbs_resize_cq(&v->t, 0, 0, VERBS_DEPTH + 1), "full");
    REFUSED(v, verbs_resize_cq(&v->t, 0, 1, 1), "no_cq");
    REFUSED(v, verbs_arm_cq(&v->t, 0, 1, false), "no_cq");
    REFUSED(v, verbs_arm_srq(&v->t, 0, 2, 1), "no_srq");
    REFUSED(v, verbs_arm_srq(&v->t, 0, VERBS_SRQS, 1), "no_srq");
    SAID("");
    adapter_close(v);
}

/* The deepest queues that the target offers are asked of the device. */
Test(object, depths_up_to_the_limit)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct ibc_qp_spec s = {.type = IBA_QPT_UC, .sq = VERBS_DEPTH, .rq = VERBS_DEPTH};
    struct objects o;
    uint32_t n, number;

    make(v, &o);
    adapter.said[0] = 0;
    OK(verbs_create_cq(&v->t, 0, VERBS_DEPTH, &n));
    OK(verbs_resize_cq(&v->t, 0, n, VERBS_DEPTH));
    OK(verbs_create_srq(&v->t, 0, 0, VERBS_DEPTH, 0, &n));
    OK(verbs_create_xrc_srq(&v->t, 0, &(struct ibc_xrc_srq_spec){.depth = VERBS_DEPTH}, &n, &number));
    OK(verbs_create_qp(&v->t, 0, &s, &n));
    SAID("create_cq 2 depth 16384\n"
         "resize_cq 2 depth 16384\n"
         "create_srq 3 pd 1 depth 16384 sges 4 limit 0\n"
         "create_srq_ex 4 pd 1 cq 1 depth 16384 sges 4 mask f\n"
         "create_qp 4 type 3 pd 1 cqs 1 1 srq 0 depths 16384 16384 sges 4 4 inline 0 all 0 mask 0\n");
    adapter_close(v);
}

/* Each table holds exactly as many objects as verbs.h says. */
Test(object, tables_are_full)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct ibc_qp_spec s = {.type = IBA_QPT_UD};
    struct objects o;
    uint32_t n, number;

    make(v, &o);
    for (unsigned i = 1; i < VERBS_PDS; i++)
        OK(verbs_create_pd(&v->t, 0, &n));
    cr_assert_eq(n, VERBS_PDS - 1);
    REFUSED(v, verbs_create_pd(&v->t, 0, &n), "mem_full");
    for (unsigned i = 1; i < VERBS_CQS; i++, adapter.said[0] = 0)
        OK(verbs_create_cq(&v->t, 0, 1, &n));
    REFUSED(v, verbs_create_cq(&v->t, 0, 1, &n), "full");
    for (unsigned i = 2; i < VERBS_SRQS; i++, adapter.said[0] = 0)
        OK(verbs_create_srq(&v->t, 0, 0, 1, 0, &n));
    REFUSED(v, verbs_create_srq(&v->t, 0, 0, 1, 0, &n), "full");
    REFUSED(v, verbs_create_xrc_srq(&v->t, 0, &(struct ibc_xrc_srq_spec){0}, &n, &number), "full");
    for (unsigned i = 1; i < VERBS_XRCDS; i++)
        OK(verbs_create_xrcd(&v->t, 0, &n));
    REFUSED(v, verbs_create_xrcd(&v->t, 0, &n), "full");
    for (unsigned i = 3; i < VERBS_QPS; i++, adapter.said[0] = 0)
        OK(verbs_create_qp(&v->t, 0, &s, &n));
    REFUSED(v, verbs_create_qp(&v->t, 0, &s, &n), "full");
    cr_assert(verbs_find_qp(v, ADAPTER_KEYS + VERBS_QPS) && !verbs_find_qp(v, ADAPTER_KEYS + VERBS_QPS + 1));
    cr_assert(verbs_find_pd(v, VERBS_PDS - 1) && !verbs_find_pd(v, VERBS_PDS));
    cr_assert(verbs_find_cq(v, VERBS_CQS - 1) && !verbs_find_cq(v, VERBS_CQS));
    cr_assert(verbs_find_srq(v, VERBS_SRQS - 1) && !verbs_find_srq(v, VERBS_SRQS));
    cr_assert(verbs_find_xrcd(v, VERBS_XRCDS - 1) && !verbs_find_xrcd(v, VERBS_XRCDS));
    OK(verbs_destroy(&v->t, 0, IBC_O_qp, ADAPTER_KEYS + 7));
    OK(verbs_create_qp(&v->t, 0, &s, &n));
    cr_assert(v->qp[6].qp && v->qp[6].qp->qp_num == n, "a free slot is used again");
    adapter.said[0] = 0;
    adapter_close(v);
}

/* The device's errors: refusals by errno, unsupported, dead. */
Test(object, the_device_s_own_errors)
{
    static const struct {
        int error;
        enum ibc_rc rc;
        const char *word;
    } rows[] = {{ENOMEM, IBC_REFUSED, "errno_12"},
                {EINVAL, IBC_REFUSED, "errno_22"},
                {EBUSY, IBC_REFUSED, "errno_16"},
                {EOPNOTSUPP, IBC_UNSUPPORTED, ""},
                {ENOSYS, IBC_UNSUPPORTED, ""},
                {EIO, IBC_DEAD, ""},
                {ENODEV, IBC_DEAD, ""},
                {0, IBC_REFUSED, "errno_22"}};
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct objects o;
    uint32_t n;

    make(v, &o);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned minus = 0; minus < 2; minus++) {
            v->t.refusal[0] = v->t.fault[0] = 0;
            refuse("alloc_pd,resize_cq", rows[i].error);
            adapter.minus = minus;
            cr_assert_eq(verbs_create_pd(&v->t, 0, &n), rows[i].rc, "%d", rows[i].error);
            cr_assert_str_eq(v->t.refusal, rows[i].word);
            if (rows[i].error) {
                cr_assert_eq(verbs_resize_cq(&v->t, 0, o.cq, 5), rows[i].rc);
                cr_assert_str_eq(v->t.refusal, rows[i].word);
            }
            if (rows[i].rc == IBC_DEAD)
                cr_assert_str_eq(v->t.fault,
                                 rows[i].error == EIO ? "pretty0: Input/output error" : "pretty0: No such device");
        }
    cr_assert_null(v->pd[1]);
    adapter_close(v);
}

Test(object, arming_and_notifications)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct objects o;
    uint64_t times = 9;
    uint32_t second, srq;

    make(v, &o);
    OK(verbs_create_cq(&v->t, 0, 1, &second));
    adapter.said[0] = 0;
    OK(verbs_arm_cq(&v->t, 0, o.cq, true));
    OK(verbs_arm_cq(&v->t, 0, second, false));
    OK(verbs_resize_cq(&v->t, 0, second, 7));
    OK(verbs_arm_srq(&v->t, 0, o.srq, 3));
    OK(verbs_create_srq(&v->t, 0, o.pd, 8, 2, &srq));
    SAID("notify 1 solicited 1\nnotify 2 solicited 0\nresize_cq 2 depth 7\nmodify_srq 1 limit 3 mask 2\n"
         "create_srq 3 pd 1 depth 8 sges 4 limit 0\nmodify_srq 3 limit 2 mask 2\n");
    OK(verbs_notified(&v->t, 0, o.cq, &times));
    cr_assert_eq(times, 0);
    adapter.completed[0] = adapter.completed[1] = v->cq[o.cq].cq;
    adapter.completed[2] = v->cq[second].cq;
    adapter.n_completed = 3;
    OK(verbs_notified(&v->t, 0, o.cq, &times));
    cr_assert_eq(times, 2);
    OK(verbs_notified(&v->t, 0, second, &times));
    cr_assert_eq(times, 1);
    SAID("ack_cq 1 1\nack_cq 1 1\nack_cq 2 1\n");
    REFUSED(v, verbs_notified(&v->t, 0, 9, &times), "no_cq");
    cr_assert_eq(times, 0);
    adapter_close(v);
}

/* Objects in use stay; a destroyed object has no number any more. */
Test(object, destruction)
{
    static const struct {
        enum ibc_object_kind kind;
        const char *call, *busy, *none;
    } rows[] = {
        {IBC_O_qp, "destroy_qp", "busy", "no_qp"},         {IBC_O_srq, "destroy_srq", "busy", "no_srq"},
        {IBC_O_cq, "destroy_cq", "busy", "no_cq"},         {IBC_O_xrcd, "close_xrcd", "errno_16", "no_xrcd"},
        {IBC_O_handle, "destroy_ah", "errno_16", "no_ah"}, {IBC_O_pd, "dealloc_pd", "mem_pd_busy", "mem_no_pd"}};
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct objects o;
    uint32_t ah;

    make(v, &o);
    OK(verbs_create_ah(&v->t, 0, o.pd, NULL, &ah));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned minus = 0; minus < 2; minus++) {
            const uint32_t n = rows[i].kind == IBC_O_qp ? o.rc : 0;
            const int alive = adapter.alive;
            refuse(rows[i].call, EBUSY);
            adapter.minus = minus;
            REFUSED(v, verbs_destroy(&v->t, 0, rows[i].kind, n), rows[i].busy);
            cr_assert_eq(adapter.alive, alive);
            if (minus == 0)
                continue;
            adapter.refuses = NULL;
            OK(verbs_destroy(&v->t, 0, rows[i].kind, n));
            cr_assert_eq(adapter.alive, alive - 1);
            REFUSED(v, verbs_destroy(&v->t, 0, rows[i].kind, n), rows[i].none);
            REFUSED(v, verbs_destroy(&v->t, 0, rows[i].kind, 100000), rows[i].none);
        }
    cr_assert_eq(verbs_destroy(&v->t, 0, IBC_O_group, 0), IBC_UNSUPPORTED);
    adapter_close(v);
}

/* Users before what they use; windows before queue pairs, for which rdma_rxe would wait. */
Test(object, a_reset_destroys_in_order)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    const uint8_t group[16] = {0xff, 0x0e, [15] = 5};
    const struct ibc_mr_spec m = {.length = 10, .fill = 'a'};
    struct ibc_mr mr;
    struct objects o;
    uint32_t ah, rkey;

    make(v, &o);
    OK(verbs_create_ah(&v->t, 0, o.pd, NULL, &ah));
    OK(verbs_reg_mr(&v->t, 0, &m, &mr));
    OK(verbs_alloc_mw(&v->t, 0, 2, o.pd, &rkey));
    OK(verbs_attach(&v->t, 0, o.ud, group, 0, true));
    adapter.async[0].event_type = IBV_EVENT_SM_CHANGE;
    adapter.n_async = 1;
    adapter.said[0] = 0;
    OK(v->t.ops->reset(&v->t, IBC_LINK_roce1, 1));
    SAID("detach 2 ff..05 lid 0\ndealloc_mw 1\ndestroy_qp 1\ndestroy_qp 2\ndestroy_qp 3\ndestroy_ah 1\ndestroy_srq 1\n"
         "destroy_srq 2\nclose_xrcd 0\ndereg_mr 1\ndestroy_cq 1\ndealloc_pd 1\nack_event 13\n");
    cr_assert(v->memory == 0 && v->link == IBC_LINK_roce1);
    cr_assert_eq(adapter.alive, 2, "the context and the channel");
    adapter_close(v);
}

/* A reset destroys the last object of each table, too. */
Test(object, a_reset_of_full_tables)
{
    enum { DOMAINS, QUEUES, SHARED, XRC_DOMAINS, PAIRS, WINDOWS, HANDLES, REGIONS, GROUPS, TABLES };
    static const unsigned most[TABLES] = {VERBS_PDS, VERBS_CQS, VERBS_SRQS,    VERBS_XRCDS, VERBS_QPS,
                                          VERBS_MWS, VERBS_AHS, VERBS_REGIONS, VERBS_GROUPS};

    for (unsigned k = 0; k < TABLES; k++) {
        struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
        uint8_t group[16] = {0xff, 0x0e};
        uint32_t pd, cq, qpn, n;
        struct ibc_mr mr;
        OK(verbs_create_pd(&v->t, 0, &pd));
        OK(verbs_create_cq(&v->t, 0, 1, &cq));
        const struct ibc_qp_spec s = {.type = IBA_QPT_UD, .pd = pd, .scq = cq, .rcq = cq};
        OK(verbs_create_qp(&v->t, 0, &s, &qpn));
        for (unsigned i = k == DOMAINS || k == QUEUES || k == PAIRS; i < most[k]; i++) {
            group[15] = (uint8_t)i;
            switch (k) {
            case DOMAINS: OK(verbs_create_pd(&v->t, 0, &n)); break;
            case QUEUES: OK(verbs_create_cq(&v->t, 0, 1, &n)); break;
            case SHARED: OK(verbs_create_srq(&v->t, 0, pd, 1, 0, &n)); break;
            case XRC_DOMAINS: OK(verbs_create_xrcd(&v->t, 0, &n)); break;
            case PAIRS: OK(verbs_create_qp(&v->t, 0, &s, &n)); break;
            case WINDOWS: OK(verbs_alloc_mw(&v->t, 0, 2, pd, &n)); break;
            case HANDLES: OK(verbs_create_ah(&v->t, 0, pd, NULL, &n)); break;
            case REGIONS: OK(verbs_reg_mr(&v->t, 0, &(struct ibc_mr_spec){.length = 10, .fill = 'a'}, &mr)); break;
            default: OK(verbs_attach(&v->t, 0, qpn, group, 0, true)); break;
            }
            adapter.said[0] = 0;
        }
        OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv4, 1));
        cr_expect_eq(adapter.alive, 2, "table %u: the context and the channel, not %d objects", k, adapter.alive);
        cr_expect_null(strstr(adapter.said, "close_device"), "table %u", k);
        adapter.said[0] = 0;
        adapter_close(v);
    }
}

/* A device that keeps one object is closed and opened again. */
Test(object, what_the_device_does_not_let_go)
{
    static const char *const calls[] = {"detach",     "dealloc_mw", "destroy_qp", "destroy_ah", "destroy_srq",
                                        "close_xrcd", "dereg_mr",   "destroy_cq", "dealloc_pd"};

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct verbs *v = adapter_open(IBC_LINK_roce2_ipv6);
        const uint8_t group[16] = {0xff, 0x0e, [15] = 5};
        struct ibc_mr mr;
        struct objects o;
        uint32_t n;
        make(v, &o);
        OK(verbs_create_ah(&v->t, 0, o.pd, NULL, &n));
        OK(verbs_reg_mr(&v->t, 0, &(struct ibc_mr_spec){.length = 10, .fill = 'a'}, &mr));
        OK(verbs_alloc_mw(&v->t, 0, 2, o.pd, &n));
        OK(verbs_attach(&v->t, 0, o.ud, group, 0, true));
        adapter.said[0] = 0;
        refuse(calls[i], EBUSY);
        OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv6, 1));
        cr_assert(strstr(adapter.said, "close_device\nopen_device\n"), "%s", calls[i]);
        cr_assert(strstr(adapter.said, calls[i]));
        refuse("open_device", EIO);
        OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv6, 1));
        adapter.refuses = NULL;
        OK(verbs_create_pd(&v->t, 0, &n));
        refuse("open_device,dealloc_pd", EIO);
        cr_assert_eq(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv6, 1), IBC_DEAD);
        cr_assert_str_eq(v->t.fault, "pretty0 does not let go of its objects and cannot be opened again");
        v->t.ops->close(&v->t);
        cr_assert_eq(adapter.alive, 0);
    }
}
