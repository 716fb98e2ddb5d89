/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target over a pretended libibverbs: which device and links there are, addresses, capabilities, counters,
 * the log. */
#include "adapter.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "test/golden.h"

static char err[300];

static struct verbs *opened(const struct ibc_verbs_options *o)
{
    struct ibc_target *t = ibc_verbs_open(o, err, sizeof err);

    cr_assert(t, "%s", err);
    adapter.said[0] = 0;
    return (struct verbs *)t;
}

static void fails(const struct ibc_verbs_options *o, const char *why)
{
    err[0] = 0;
    cr_assert_null(ibc_verbs_open(o, err, sizeof err));
    cr_assert_str_eq(err, why);
    cr_assert_eq(adapter.alive, 0);
}

Test(link, which_device)
{
    struct ibc_verbs_options o = {0};

    adapter_begin(IBA_LINK_ETHERNET);
    adapter_close(opened(&o));
    o.device = "pretty0";
    adapter_close(opened(&o));
    o.device = "pretty1";
    fails(&o, "pretty1: no such verbs device; there is pretty0");
    adapter.n_device = 2;
    fails(&o, "pretty1: no such verbs device; there is pretty0, pretty0");
    o.device = NULL;
    fails(&o, "which verbs device? There is pretty0, pretty0");
    adapter.n_device = 0;
    fails(&o, "which verbs device? There is none. Soft-RoCE: rdma link add rxe0 type rxe netdev IFACE; the reference: "
              "--engine");
    adapter.n_device = 1;
    adapter.refuses = "get_device_list";
    fails(&o, "which verbs device? There is none. Soft-RoCE: rdma link add rxe0 type rxe netdev IFACE; the reference: "
              "--engine");
    adapter.refuses = "open_device", adapter.error = EACCES;
    fails(&o, "pretty0: cannot be opened: Permission denied");
    adapter.refuses = "comp_channel", adapter.error = EMFILE;
    fails(&o, "pretty0: Too many open files");
    adapter.refuses = "query_device", adapter.error = EIO;
    fails(&o, "pretty0: Input/output error");
    adapter.refuses = "gid_table";
    fails(&o, "pretty0: port 1 has no address");
    adapter.refuses = "query_port";
    fails(&o, "pretty0: port 1 has no address");
    adapter.refuses = NULL;
    o.port = 3;
    fails(&o, "pretty0: no port 3, it has 2");
    o.port = 2;
    fails(&o, "pretty0: port 2 has no address");
}

Test(link, its_name)
{
    const struct ibc_verbs_options o = {0};
    struct utsname is;
    char name[200], want[400];

    (void)uname(&is);
    adapter_begin(IBA_LINK_ETHERNET);
    struct verbs *v = opened(&o);
    ibc_verbs_describe(&v->t, name, sizeof name);
    (void)snprintf(want, sizeof want, "pretty0 firmware 1.2 %s %s", is.sysname, is.release);
    cr_assert_str_eq(name, want);
    adapter_close(v);
    adapter.attr.orig_attr.fw_ver[0] = 0;
    v = opened(&o);
    ibc_verbs_describe(&v->t, name, sizeof name);
    (void)snprintf(want, sizeof want, "pretty0 %s %s", is.sysname, is.release);
    cr_assert_str_eq(name, want);
    adapter_close(v);
}

/* The first address of each kind; of IPv6 a routable one. Tester and third host have the next ones but one and two. */
Test(link, addresses_on_ethernet)
{
    static const uint8_t ll[16] = {0xfe, 0x80, [8] = 2, [15] = 10}, six[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
    const struct ibc_verbs_options o = {0};

    adapter_begin(IBA_LINK_ETHERNET);
    struct verbs *v = opened(&o);
    const struct ibc_address *me = &v->t.device[0], *it = &v->t.tester, *third = &v->t.stranger;
    cr_assert_eq(v->links, 1u << IBC_LINK_roce1 | 1u << IBC_LINK_roce2_ipv4 | 1u << IBC_LINK_roce2_ipv6);
    cr_assert_eq(v->t.ops->links(&v->t), v->links);
    cr_assert(v->gid_index[IBC_LINK_roce1] == 0 && v->gid_index[IBC_LINK_roce2_ipv4] == 3);
    cr_assert_eq(v->gid_index[IBC_LINK_roce2_ipv6], 5);
    cr_assert(me->mac == 0x02005eab0cfe && me->ipv4 == 0x0a0102fe && me->lid == 0);
    cr_assert(memcmp(me->ipv6, six, 16) == 0 && memcmp(me->gid, ll, 16) == 0);
    cr_assert(it->mac == 0x02005eab0c00 && it->ipv4 == 0x0a010200 && it->ipv6[15] == 3 && it->gid[15] == 12);
    cr_assert(third->mac == 0x02005eab0c01 && third->ipv4 == 0x0a010201 && third->ipv6[15] == 4 && third->lid == 0);
    cr_assert(third->gid[15] == 13 && it->gid[0] == 0xfe && it->lid == 0 && v->ifindex == ADAPTER_IFINDEX);
    cr_assert_eq(v->t.ops->reset(&v->t, IBC_LINK_ib_local, 0), IBC_UNSUPPORTED);
    cr_assert_eq(v->t.ops->reset(&v->t, IBC_LINK_COUNT, 0), IBC_UNSUPPORTED);
    OK(v->t.ops->reset(&v->t, IBC_LINK_roce1, 0));
    cr_assert(v->t.framing == IBA_LINK_ETHERNET && v->link == IBC_LINK_roce1 && v->t.time_scale == 1.0);
    adapter_close(v);
    adapter.mac = NULL;
    v = opened(&o);
    cr_assert_eq(v->t.device[0].mac, 0);
    adapter_close(v);
}

Test(link, addresses_on_infiniband)
{
    const struct ibc_verbs_options o = {.port = 1};

    adapter_begin(IBA_LINK_IB);
    struct verbs *v = opened(&o);
    cr_assert_eq(v->links, 1u << IBC_LINK_ib_local | 1u << IBC_LINK_ib_global);
    cr_assert(v->t.device[0].lid == 0x11 && v->t.tester.lid == 0x13 && v->t.stranger.lid == 0x14);
    cr_assert(v->t.device[0].gid[15] == 0x50 && v->t.tester.gid[15] == 0x52 && v->t.device[0].mac == 0);
    cr_assert_eq(v->link, IBC_LINK_ib_local, "the first of its links");
    OK(v->t.ops->reset(&v->t, IBC_LINK_ib_global, 0));
    cr_assert_eq(v->t.framing, IBA_LINK_IB);
    OK(v->t.ops->reset(&v->t, IBC_LINK_ib_local, 0));
    cr_assert_eq(v->t.framing, IBA_LINK_IB);
    adapter_close(v);
}

/* Entries of the GID table that a link takes, or leaves. */
Test(link, entries_of_the_table)
{
    static const uint8_t ll[16] = {0xfe, 0xbf, [15] = 1}, site[16] = {0xfe, 0xc0, [15] = 1},
                         four[16] = {[10] = 0xff, 0xff, 1, 2, 3, 4};
    static const struct {
        struct {
            enum ibv_gid_type type;
            const uint8_t *gid;
            unsigned index, port;
        } entry[2];
        enum ibc_link link;
        int index; /* -1: none */
    } rows[] = {
        {{{IBV_GID_TYPE_ROCE_V2, ll, 0, 1}, {IBV_GID_TYPE_ROCE_V2, site, 1, 1}}, IBC_LINK_roce2_ipv6, 1},
        {{{IBV_GID_TYPE_ROCE_V2, site, 0, 1}, {IBV_GID_TYPE_ROCE_V2, ll, 1, 1}}, IBC_LINK_roce2_ipv6, 0},
        {{{IBV_GID_TYPE_ROCE_V2, ll, 2, 1}, {IBV_GID_TYPE_ROCE_V2, ll, 3, 1}}, IBC_LINK_roce2_ipv6, 2},
        {{{IBV_GID_TYPE_ROCE_V2, ll, 2, 2}, {IBV_GID_TYPE_ROCE_V2, ll, 3, 1}}, IBC_LINK_roce2_ipv6, 3},
        {{{IBV_GID_TYPE_ROCE_V1, four, 0, 1}, {IBV_GID_TYPE_ROCE_V2, four, 7, 1}}, IBC_LINK_roce1, -1},
        {{{IBV_GID_TYPE_ROCE_V1, ll, 4, 1}, {IBV_GID_TYPE_ROCE_V1, site, 5, 1}}, IBC_LINK_roce1, 4},
        {{{IBV_GID_TYPE_ROCE_V2, four, 255, 1}, {IBV_GID_TYPE_ROCE_V2, ll, 1, 1}}, IBC_LINK_roce2_ipv4, 255},
        {{{IBV_GID_TYPE_ROCE_V2, four, 256, 1}, {IBV_GID_TYPE_ROCE_V2, ll, 1, 1}}, IBC_LINK_roce2_ipv4, -1},
    };
    const struct ibc_verbs_options o = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        adapter_begin(IBA_LINK_ETHERNET);
        adapter.n_gid = 2;
        for (unsigned k = 0; k < 2; k++) {
            adapter.gid[k] = (struct ibv_gid_entry){.gid_type = (uint32_t)rows[i].entry[k].type,
                                                    .gid_index = rows[i].entry[k].index,
                                                    .port_num = rows[i].entry[k].port,
                                                    .ndev_ifindex = ADAPTER_IFINDEX};
            memcpy(adapter.gid[k].gid.raw, rows[i].entry[k].gid, 16);
        }
        struct verbs *v = opened(&o);
        cr_assert_eq(v->links >> rows[i].link & 1, rows[i].index >= 0, "%zu", i);
        if (rows[i].index >= 0)
            cr_assert_eq(v->gid_index[rows[i].link], rows[i].index, "%zu", i);
        adapter_close(v);
    }
}

Test(link, addresses_that_are_given)
{
    const struct ibc_verbs_options o = {
        .tester = "mac=02:00:00:00:0a:ff,ipv4=192.0.2.7,ipv6=2001:db8::77,gid=fe80::99,lid=0xbfff",
        .stranger = "lid=1"};
    static const char *const bad[] = {"",
                                      "mac",
                                      "mac=",
                                      "mac=02:00:00:00:0a",
                                      "mac=02:00:00:00:0a:0b:0c",
                                      "mac=02:00:00:00:0a:100",
                                      "mac=02:00:00:00:0a: b",
                                      "mac=02-00-00-00-0a-0b",
                                      "ipv4=192.0.2",
                                      "ipv6=192.0.2.1",
                                      "gid=fe80",
                                      "lid=0",
                                      "lid=0xc000",
                                      "lid=",
                                      "lid=7x",
                                      "guid=5",
                                      "lid=7,"};

    adapter_begin(IBA_LINK_ETHERNET);
    struct verbs *v = opened(&o);
    const struct ibc_address *it = &v->t.tester;
    cr_assert(it->mac == 0x020000000aff && it->ipv4 == 0xc0000207 && it->ipv6[15] == 0x77 && it->ipv6[0] == 0x20);
    cr_assert(it->gid[15] == 0x99 && it->gid[0] == 0xfe && it->lid == 0xbfff);
    cr_assert(v->t.stranger.lid == 1 && v->t.stranger.ipv4 == 0x0a010201, "the rest is computed");
    adapter_close(v);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned third = 0; third < 2; third++) {
            const struct ibc_verbs_options wrong = {.tester = third ? NULL : bad[i], .stranger = third ? bad[i] : NULL};
            char want[300];
            (void)snprintf(want, sizeof want, "'%s': an address is mac=, ipv4=, ipv6=, gid=, lid= with commas between",
                           bad[i]);
            fails(&wrong, want);
        }
    char text[258] = "";
    memset(text, 'x', 255);
    struct ibc_verbs_options wrong = {.tester = text};
    err[0] = 0;
    cr_assert_null(ibc_verbs_open(&wrong, err, sizeof err));
    cr_assert_eq(strncmp(err, "'xxx", 4), 0);
    text[255] = 'x';
    fails(&wrong, "an address of more than 255 letters");
}

/* ---- capabilities ---- */

static bool can(const struct ibc_verbs_options *o, enum ibc_capability c)
{
    struct verbs *v = opened(o);
    const bool has = v->t.ops->capabilities(&v->t) >> c & 1;

    adapter_close(v);
    return has;
}

static void everything(enum iba_link link)
{
    adapter_begin(link);
    adapter.attr.orig_attr.device_cap_flags =
        IBV_DEVICE_XRC | IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_AUTO_PATH_MIG;
    adapter.attr.device_cap_flags_ex = (UINT64_C(1) << 38) | (UINT64_C(1) << 39) | (UINT64_C(1) << 40);
    adapter.attr.odp_caps.general_caps = IBV_ODP_SUPPORT;
}

/* Each capability goes with one thing that the device lacks or refuses. */
Test(link, capabilities)
{
    static const struct {
        enum ibc_capability c;
        const char *refuses;
        unsigned lacks;    /* bit of device_cap_flags */
        uint64_t lacks_ex; /* bit of device_cap_flags_ex */
    } rows[] = {
        {IBC_CAP_rc, "create_qp_ex", 0, 0},
        {IBC_CAP_write, "create_qp_ex", 0, 0},
        {IBC_CAP_read, "create_qp_ex", 0, 0},
        {IBC_CAP_credits, "create_qp_ex", 0, 0},
        {IBC_CAP_inline_data, "create_qp_ex", 0, 0},
        {IBC_CAP_exact_depth, "create_qp_ex", 0, 0},
        {IBC_CAP_exact_depth, "query_qp", 0, 0},
        {IBC_CAP_uc, "create_qp", 0, 0},
        {IBC_CAP_ud, "create_qp", 0, 0},
        {IBC_CAP_xrc, "create_qp", 0, 0},
        {IBC_CAP_xrc, NULL, IBV_DEVICE_XRC, 0},
        {IBC_CAP_xrc_tgt, NULL, IBV_DEVICE_XRC, 0},
        {IBC_CAP_xrc_tgt, "open_xrcd", 0, 0},
        {IBC_CAP_xrc_tgt, "close_xrcd", 0, 0},
        {IBC_CAP_srq, "create_srq", 0, 0},
        {IBC_CAP_mw1, "alloc_mw", 0, 0},
        {IBC_CAP_mw2, "alloc_mw", 0, 0},
        {IBC_CAP_mw2a, "alloc_mw", 0, 0},
        {IBC_CAP_mw2a, NULL, IBV_DEVICE_MEM_WINDOW_TYPE_2A, 0},
        {IBC_CAP_send_inv, NULL, IBV_DEVICE_MEM_MGT_EXTENSIONS, 0},
        {IBC_CAP_zero_based, "reg_mr", 0, 0},
        {IBC_CAP_odp, "reg_mr", 0, 0},
        {IBC_CAP_prefetch, "reg_mr", 0, 0},
        {IBC_CAP_prefetch, "advise_mr", 0, 0},
        {IBC_CAP_reregister, "reg_mr", 0, 0},
        {IBC_CAP_reregister, "rereg_mr", 0, 0},
        {IBC_CAP_reregister_range, "rereg_mr", 0, 0},
        {IBC_CAP_flush, "reg_mr", 0, 0},
        {IBC_CAP_flush, NULL, 0, UINT64_C(1) << 38},
        {IBC_CAP_persistent, "reg_mr", 0, 0},
        {IBC_CAP_persistent, NULL, 0, UINT64_C(1) << 39},
        {IBC_CAP_atomic_write, NULL, 0, UINT64_C(1) << 40},
        {IBC_CAP_resize_cq, "resize_cq", 0, 0},
        {IBC_CAP_notify, "notify", 0, 0},
        {IBC_CAP_cm, "create_event_channel", 0, 0},
    };
    const struct ibc_verbs_options o = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        everything(IBA_LINK_ETHERNET);
        cr_assert(can(&o, rows[i].c), "row %zu: the device has all", i);
        adapter.refuses = rows[i].refuses;
        adapter.error = EINVAL;
        adapter.attr.orig_attr.device_cap_flags &= ~rows[i].lacks;
        adapter.attr.device_cap_flags_ex &= ~rows[i].lacks_ex;
        cr_assert_not(can(&o, rows[i].c), "row %zu", i);
    }
}

/* The trials by which an opened device shows its abilities: each one with the arguments of which the
 * capability is about, and each object is destroyed again. A device of each link that can do everything, and one that
 * can do little. */
Test(link, trials)
{
    static const struct {
        const char *name, *refuses;
        enum iba_link link;
        bool all;
    } rows[] = {{"Ethernet, all", NULL, IBA_LINK_ETHERNET, true},
                {"InfiniBand, all", NULL, IBA_LINK_IB, true},
                {"Ethernet, little", "create_qp,create_srq,alloc_mw,advise_mr,rereg_mr", IBA_LINK_ETHERNET, false}};
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/conformance/agent/test/trials.golden");
    const struct ibc_verbs_options o = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[GOLDEN_LINE];
        everything(rows[i].link);
        if (!rows[i].all)
            adapter_begin(rows[i].link);
        adapter.refuses = rows[i].refuses;
        adapter.error = EINVAL;
        adapter.said[0] = 0;
        struct ibc_target *t = ibc_verbs_open(&o, err, sizeof err);
        cr_assert(t, "%s", err);
        snprintf(line, sizeof line, "%s: can %llx, %d alive\n", rows[i].name,
                 (unsigned long long)t->ops->capabilities(t), adapter.alive);
        golden_line(&g, line);
        for (const char *at = adapter.said, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
            const char *address = memchr(at, '[', (size_t)(end - at)); /* which is another each time */
            const char *rest = address ? address + strcspn(address, " ") : end;
            snprintf(line, sizeof line, "    %.*s%.*s\n", (int)((address ? address : end) - at), at, (int)(end - rest),
                     rest);
            golden_line(&g, line);
        }
        adapter_close((struct verbs *)t);
    }
    golden_close(&g);
}

Test(link, capabilities_of_other_kinds)
{
    const struct ibc_verbs_options o = {0};

    everything(IBA_LINK_ETHERNET);
    cr_assert(can(&o, IBC_CAP_atomic) && can(&o, IBC_CAP_multicast) && can(&o, IBC_CAP_qp_states));
    cr_assert_not(can(&o, IBC_CAP_apm), "Linux has no alternate paths on Ethernet");
    cr_assert_not(can(&o, IBC_CAP_counters));
    cr_assert_not(can(&o, IBC_CAP_congestion));
    cr_assert_not(can(&o, IBC_CAP_virtual_time));
    adapter.deeper = 1;
    cr_assert_not(can(&o, IBC_CAP_exact_depth));
    adapter.attr.orig_attr.atomic_cap = IBV_ATOMIC_NONE;
    adapter.attr.orig_attr.max_mcast_grp = 0;
    adapter.attr.odp_caps.general_caps = 0;
    cr_assert(!can(&o, IBC_CAP_atomic) && !can(&o, IBC_CAP_multicast));
    cr_assert(!can(&o, IBC_CAP_odp) && !can(&o, IBC_CAP_prefetch));
    everything(IBA_LINK_IB);
    cr_assert(can(&o, IBC_CAP_apm) && !can(&o, IBC_CAP_cm));
    adapter.attr.orig_attr.device_cap_flags &= ~(unsigned)IBV_DEVICE_AUTO_PATH_MIG;
    cr_assert_not(can(&o, IBC_CAP_apm));
    everything(IBA_LINK_ETHERNET);
    adapter.refuses = "create_cq", adapter.error = ENOMEM;
    struct verbs *v = opened(&o);
    cr_assert_eq(v->capabilities, 0);
    adapter_close(v);
    everything(IBA_LINK_ETHERNET);
    v = opened(&o);
    uint8_t byte = 0;
    cr_assert_eq(v->t.ops->page(&v->t, 0, 1, true), IBC_UNSUPPORTED);
    cr_assert_eq(v->t.ops->set_port(&v->t, 0, IBC_K_pkey, 0, 0), IBC_UNSUPPORTED);
    cr_assert_eq(v->t.ops->read_memory(&v->t, 0, 1, &byte, 1), IBC_BROKEN);
    const uint64_t at = v->t.ops->now(&v->t);
    (void)usleep(2000);
    const uint64_t took = v->t.ops->now(&v->t) - at;
    cr_assert(took >= 2000000 && took < UINT64_C(60000000000), "%llu", (unsigned long long)took);
    cr_assert_str_eq(v->t.ops->name, "verbs");
    adapter_close(v);
}

/* ---- counters ---- */

static void file(const char *folder, const char *name, const char *text)
{
    char path[300];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    cr_assert(f);
    (void)fputs(text, f);
    (void)fclose(f);
}

static uint64_t counter(struct verbs *v, const char *name)
{
    struct ibc_counter c[IBC_MAX_COUNTERS];
    const unsigned n = v->t.ops->counters(&v->t, 0, c);

    for (unsigned i = 0; i < n; i++)
        if (strcmp(c[i].name, name) == 0)
            return c[i].value;
    return UINT64_MAX;
}

Test(link, counters)
{
    const char *const tmp = getenv("TMPDIR");
    char sys[100], folder[3][200], text[40];
    static const char *const names[] = {"ports/1/hw_counters", "ports/1/counters", "hw_counters"};
    const struct ibc_verbs_options o = {0};
    struct ibc_counter c[IBC_MAX_COUNTERS];
    FILE *f;

    cr_assert_lt((size_t)snprintf(sys, sizeof sys, "%s/verbs-link-XXXXXX", tmp ? tmp : P_tmpdir), sizeof sys);
    cr_assert(mkdtemp(sys));
    for (unsigned i = 0; i < 3; i++) {
        (void)snprintf(folder[i], sizeof folder[i], "mkdir -p %s/pretty0/%s", sys, names[i]);
        cr_assert_eq(system(folder[i]), 0); /* NOLINT(cert-env33-c): a folder of the test's own */
        (void)snprintf(folder[i], sizeof folder[i], "%s/pretty0/%s", sys, names[i]);
    }
    adapter_begin(IBA_LINK_ETHERNET);
    adapter.sys = sys;
    cr_assert_not(can(&o, IBC_CAP_counters));
    file(folder[0], "np_cnp_sent", "18446744073709551614\n");
    file(folder[0], "lifespan", "10\n");
    file(folder[0], "words", "many\n");
    file(folder[0], "half", "7 apples\n");
    file(folder[0], "none", "");
    file(folder[0], ".hidden", "5\n");
    file(folder[0], "a_name_of_64_letters_is_one_too_many_for_the_table_of_the_counters", "5\n");
    file(folder[1], "port_rcv_data", "12");
    file(folder[2], "of_device", "0\n");
    cr_assert(can(&o, IBC_CAP_counters) && can(&o, IBC_CAP_congestion));
    struct verbs *v = opened(&o);
    cr_assert_eq(v->t.ops->counters(&v->t, 0, c), 3);
    cr_assert(counter(v, "np_cnp_sent") == UINT64_MAX - 1 && counter(v, "port_rcv_data") == 12 &&
              counter(v, "of_device") == 0);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/lifespan", folder[0]);
    f = fopen(path, "r");
    cr_assert(f && fgets(text, sizeof text, f));
    (void)fclose(f);
    cr_assert_str_eq(text, "0\n", "the kernel reads them at each query");
    for (unsigned i = 0; i < IBC_MAX_COUNTERS; i++) {
        (void)snprintf(text, sizeof text, "c%u", i);
        file(folder[1], text, "1\n");
    }
    cr_assert_eq(v->t.ops->counters(&v->t, 0, c), IBC_MAX_COUNTERS);
    adapter_close(v);
    (void)snprintf(path, sizeof path, "rm -r %s", sys);
    cr_assert_eq(system(path), 0); /* NOLINT(cert-env33-c): a folder of the test's own */
}

/* ---- the log ---- */

static const char *complaint(struct verbs *v, const char *record)
{
    static char text[60];

    adapter.record[0] = record;
    adapter.n_record = 1, adapter.at_record = 0;
    text[0] = 0;
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    return text;
}

Test(link, complaints_of_the_kernel)
{
    static const struct {
        const char *record, *text;
    } rows[] = {
        {"4,%u,1,-;WARNING: CPU: 0\n", "WARNING: CPU: 0"},
        {"4,%u,1,-;BUG: unable\n SUBSYSTEM=x\n", "BUG: unable"},
        {"4,%u,1,-;kernel BUG at\n", "kernel BUG at"},
        {"4,%u,1,-;UBSAN: shift\n", "UBSAN: shift"},
        {"4,%u,1,-;KASAN: use\n", "KASAN: use"},
        {"4,%u,1,-;refcount_t: underflow\n", "refcount_t: underflow"},
        {"2,%u,1,-;critical\n", "critical"},
        {"10,%u,1,-;critical of a daemon\n", "critical of a daemon"},
        {"3,%u,1,-;an error\n", ""},
        {"4,%u,1,-;rxe: WARNING: no\n", ""},
        {"2,%u,1,-\n", ""},
        {"0,%u,1,-;0123456789012345678901234567890123456789012345678901234567890123456789\n",
         "01234567890123456789012345678901234567890123456789012345678"},
    };
    const struct ibc_verbs_options o = {0};
    char record[200];

    adapter_begin(IBA_LINK_ETHERNET);
    struct verbs *v = opened(&o);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(record, sizeof record, rows[i].record, (unsigned)(i + 7)); /* NOLINT */
        v->t.log_at = 0;
        cr_assert_str_eq(complaint(v, record), rows[i].text, "%zu", i);
        cr_assert_eq(v->t.log_at, i + 8);
    }
    adapter_close(v);
}

/* The tester hears of the first complaint since the record that it names, and nothing of earlier ones. */
Test(link, the_log_goes_on)
{
    const struct ibc_verbs_options o = {0};
    char text[100] = "";

    adapter_begin(IBA_LINK_ETHERNET);
    adapter.record[0] = "0,5,1,-;before\n";
    adapter.n_record = 1;
    struct verbs *v = opened(&o);
    cr_assert_eq(v->log_at, 6, "it is opened at its end");
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    cr_assert(text[0] == 0 && v->t.log_at == 6);
    adapter.record[1] = NULL;
    adapter.record[2] = "6,7,1,-;harmless\n";
    adapter.record[3] = "1,8,1,-;first\n";
    adapter.record[4] = "1,9,1,-;second\n";
    adapter.n_record = 5;
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    cr_assert_str_eq(text, "first");
    cr_assert_eq(v->t.log_at, 10);
    adapter.said[0] = 0;
    text[0] = 0;
    v->t.log_at = 9;
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    SAID("back\n");
    cr_assert_str_eq(text, "second");
    text[0] = 0;
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    SAID("");
    v->t.log_at = 0;
    OK(v->t.ops->log(&v->t, 0, text, sizeof text));
    SAID("");
    cr_assert_eq(text[0], 0);
    adapter_close(v);
    adapter.no_log = true;
    v = opened(&o);
    cr_assert_eq(v->t.ops->log(&v->t, 0, text, sizeof text), IBC_UNSUPPORTED);
    adapter_close(v);
}
