/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target over a pretended libibverbs: regions, windows, groups, prefetching, registering again. */
#include "adapter.h"
#include <errno.h>

static void refuse(const char *name, int error)
{
    adapter.refuses = name;
    adapter.error = error;
}

static struct verbs *open_with_pd(void)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    uint32_t pd;

    OK(verbs_create_pd(&v->t, 0, &pd));
    adapter.said[0] = 0;
    return v;
}

static struct ibc_mr region(struct verbs *v, uint64_t length, uint32_t access, char fill)
{
    const struct ibc_mr_spec m = {.length = length, .access = access, .fill = fill};
    struct ibc_mr mr = {0};

    OK(verbs_reg_mr(&v->t, 0, &m, &mr));
    return mr;
}

Test(memory, rights_have_the_bits_of_libibverbs)
{
    static const struct {
        uint32_t ours, theirs;
        bool all;
    } rows[] = {{IBA_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE, true},
                {IBA_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE, true},
                {IBA_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ, true},
                {IBA_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC, true},
                {IBA_ACCESS_MW_BIND, IBV_ACCESS_MW_BIND, true},
                {IBA_ACCESS_ZERO_BASED, IBV_ACCESS_ZERO_BASED, true},
                {IBA_ACCESS_ON_DEMAND, IBV_ACCESS_ON_DEMAND, true},
                {IBA_ACCESS_FLUSH_GLOBAL, 0x100, true},
                {IBA_ACCESS_FLUSH_PERSISTENT, 0x200, true},
                {IBA_ACCESS_INVALIDATE, 0, false},
                {IBC_ACCESS_UNKNOWN | IBA_ACCESS_MW_BIND, IBV_ACCESS_MW_BIND, false},
                {IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND, true},
                {0, 0, true}};
    bool all;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(verbs_access(rows[i].ours, &all), rows[i].theirs, "%zu", i);
        cr_assert_eq(all, rows[i].all, "%zu", i);
    }
}

Test(memory, a_region_is_read_and_written_by_its_own_addresses)
{
    struct verbs *v = open_with_pd();
    const struct ibc_mr mr = region(v, 100, IBA_ACCESS_LOCAL_WRITE, 'k');
    uint8_t bytes[101];

    SAID("reg_mr 1 pd 1 length 100 at itself access 1\n");
    cr_assert(mr.id == 0x1001 && mr.lkey == 0x1001 && mr.rkey == 0x2001 && mr.va == mr.local);
    cr_assert(mr.local != 0 && mr.local % 4096 == 0);
    OK(verbs_read_memory(&v->t, 0, mr.local, bytes, 100));
    for (unsigned i = 0; i < 100; i++)
        cr_assert_eq(bytes[i], (uint8_t)ibc_pattern('k', i));
    OK(verbs_write_memory(&v->t, 0, mr.local + 97, (const uint8_t *)"xyz", 3));
    OK(verbs_read_memory(&v->t, 0, mr.local + 96, bytes, 4));
    cr_assert(bytes[0] == (uint8_t)ibc_pattern('k', 96) && memcmp(bytes + 1, "xyz", 3) == 0);
    OK(verbs_read_memory(&v->t, 0, mr.local + 100, bytes, 0));
    cr_assert_eq(verbs_read_memory(&v->t, 0, mr.local, bytes, 101), IBC_BROKEN);
    cr_assert(strstr(v->t.fault, "101 bytes at 0x") && strstr(v->t.fault, " are of no region of the device"));
    cr_assert_eq(verbs_read_memory(&v->t, 0, mr.local - 1, bytes, 1), IBC_BROKEN);
    cr_assert_eq(verbs_write_memory(&v->t, 0, mr.local + 101, bytes, 0), IBC_BROKEN);
    cr_assert_eq(verbs_write_memory(&v->t, 0, 5, bytes, 3), IBC_BROKEN);
    cr_assert_str_eq(v->t.fault, "3 bytes at 0x5 are of no region of the device");
    adapter_close(v);
}

/* Zero-based, at an address of the tester's own, and with a page offset. */
Test(memory, addresses_of_regions)
{
    struct verbs *v = open_with_pd();
    struct ibc_mr_spec m = {.length = 4096, .access = IBA_ACCESS_ZERO_BASED | IBA_ACCESS_REMOTE_READ, .fill = 'z'};
    struct ibc_mr mr;
    uint8_t byte = 0;

    OK(verbs_reg_mr(&v->t, 0, &m, &mr));
    SAID("reg_mr 1 pd 1 length 4096 at 0 access 4\n");
    cr_assert(mr.local == 0 && mr.va == 0);
    OK(verbs_read_memory(&v->t, 0, 4095, &byte, 1));
    cr_assert_eq(byte, (uint8_t)ibc_pattern('z', 4095));
    m = (struct ibc_mr_spec){.length = 8192, .has_iova = true, .iova = 0x700000000123, .fill = 'i'};
    OK(verbs_reg_mr(&v->t, 0, &m, &mr));
    SAID("reg_mr 2 pd 1 length 8192 at another access 0\n");
    cr_assert_eq(mr.local, 0x700000000123);
    cr_assert_eq((uintptr_t)v->region[1].base % 4096, 0x123, "page tables can express it");
    OK(verbs_read_memory(&v->t, 0, 0x700000000123 + 8191, &byte, 1));
    cr_assert_eq(byte, (uint8_t)ibc_pattern('i', 8191));
    cr_assert_eq(v->region[0].mapped, 8192, "4096 bytes and 64 of guard");
    cr_assert_eq(v->region[1].mapped, 12288);
    cr_assert_eq(v->memory, 20480);
    adapter_close(v);
}

Test(memory, refusals)
{
    struct verbs *v = open_with_pd();
    struct ibc_mr_spec m = {.length = 1, .fill = 'a', .access = IBA_ACCESS_INVALIDATE};
    struct ibc_mr mr;
    uint32_t rkey;

    cr_assert_eq(verbs_reg_mr(&v->t, 0, &m, &mr), IBC_UNSUPPORTED);
    m.access = 0, m.pd = 1;
    REFUSED(v, verbs_reg_mr(&v->t, 0, &m, &mr), "mem_no_pd");
    m.pd = 0, m.length = VERBS_REGION_MOST + 1;
    REFUSED(v, verbs_reg_mr(&v->t, 0, &m, &mr), "mem_full");
    refuse("reg_mr,alloc_mw", ENOMEM);
    m.length = 5;
    REFUSED(v, verbs_reg_mr(&v->t, 0, &m, &mr), "errno_12");
    cr_assert(v->memory == 0 && !v->region[0].map, "its memory is free again");
    REFUSED(v, verbs_alloc_mw(&v->t, 0, 1, 0, &rkey), "errno_12");
    cr_assert_eq(rkey, 0);
    REFUSED(v, verbs_alloc_mw(&v->t, 0, 1, 3, &rkey), "mem_no_pd");
    REFUSED(v, verbs_dereg(v, 0x1001), "mem_no_key");
    REFUSED(v, verbs_free_mw(v, 0), "mem_no_key");
    adapter_close(v);
}

Test(memory, a_region_that_a_window_is_bound_to_is_busy)
{
    struct verbs *v = open_with_pd();
    const struct ibc_mr mr = region(v, 10, 0, 'a');
    uint8_t byte = 0;

    adapter.said[0] = 0;
    refuse("dereg_mr", EBUSY);
    REFUSED(v, verbs_destroy(&v->t, 0, IBC_O_mr, mr.lkey), "mem_busy");
    cr_assert(verbs_find_mr(v, mr.lkey));
    adapter.refuses = NULL;
    OK(verbs_destroy(&v->t, 0, IBC_O_mr, mr.lkey));
    SAID("dereg_mr 1\ndereg_mr 1\n");
    REFUSED(v, verbs_destroy(&v->t, 0, IBC_O_mr, mr.lkey), "mem_no_key");
    OK(verbs_read_memory(&v->t, 0, mr.local + 9, &byte, 1));
    cr_assert_eq(byte, (uint8_t)ibc_pattern('a', 9), "the tester may read it still");
    adapter_close(v);
}

/* Of regions at the same addresses the registered one counts, then the newer one. */
Test(memory, regions_with_equal_addresses)
{
    struct verbs *v = open_with_pd();
    struct ibc_mr mr[3];
    uint8_t byte = 0;

    for (unsigned i = 0; i < 3; i++) {
        const struct ibc_mr_spec m = {.length = 10, .has_iova = true, .iova = 0x5000, .fill = (char)('a' + i)};
        OK(verbs_reg_mr(&v->t, 0, &m, &mr[i]));
    }
    static const struct {
        int drop;
        char want;
    } rows[] = {{-1, 'c'}, {2, 'b'}, {1, 'a'}, {0, 'c'}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].drop >= 0)
            OK(verbs_dereg(v, mr[rows[i].drop].lkey));
        OK(verbs_read_memory(&v->t, 0, 0x5003, &byte, 1));
        cr_assert_eq(byte, (uint8_t)ibc_pattern(rows[i].want, 3), "%zu", i);
    }
    adapter_close(v);
}

/* Deregistered regions are replaced, the oldest first; registered ones stay. */
Test(memory, room_for_regions)
{
    struct verbs *v = open_with_pd();
    const uint64_t most = VERBS_REGION_MOST - VERBS_GUARD - 4096;
    struct ibc_mr mr[5];
    const struct ibc_mr_spec m = {.length = VERBS_REGION_MOST, .fill = 'x'};

    for (unsigned i = 0; i < 4; i++)
        mr[i] = region(v, most, 0, 'a');
    REFUSED(v, verbs_reg_mr(&v->t, 0, &m, &mr[4]), "mem_full");
    OK(verbs_dereg(v, mr[2].lkey));
    OK(verbs_dereg(v, mr[1].lkey));
    cr_assert_eq(v->memory, 4 * (VERBS_REGION_MOST - 4096u));
    mr[4] = region(v, 100, 0, 'b');
    cr_assert(v->region[1].map && v->region[2].map && v->region[4].map, "there was room for it");
    mr[4] = region(v, most, 0, 'c');
    cr_assert(!v->region[2].mr && v->region[1].mr && v->region[1].base[0] == (uint8_t)ibc_pattern('c', 0));
    cr_assert(v->region[1].age > v->region[4].age, "the older of the deregistered ones had to go");
    adapter_close(v);
}

Test(memory, as_many_regions_as_there_are_slots)
{
    struct verbs *v = open_with_pd();
    struct ibc_mr mr = {0};
    const struct ibc_mr_spec m = {.length = 1, .fill = 'x'};

    for (unsigned i = 0; i < VERBS_REGIONS; i++) {
        mr = region(v, 1, 0, 'a');
        adapter.said[0] = 0;
    }
    REFUSED(v, verbs_reg_mr(&v->t, 0, &m, &mr), "mem_full");
    OK(verbs_dereg(v, ADAPTER_KEYS + 9));
    mr = region(v, 1, 0, 'a');
    cr_assert(v->region[8].mr && v->region[8].mr->lkey == mr.lkey);
    adapter.said[0] = 0;
    v->t.ops->reset(&v->t, v->link, 0);
    adapter.said[0] = 0;
    adapter_close(v);
}

/* Bytes that the device writes after a region are noticed at the next reset, once. */
Test(memory, guards)
{
    for (unsigned at = 0; at < VERBS_GUARD + 1; at += VERBS_GUARD / 2) {
        struct verbs *v = open_with_pd();
        (void)region(v, 1000, 0, 'a');
        cr_assert(verbs_guards_hold(v));
        v->region[0].base[at == 0 ? 999 : 999 + at] ^= 1;
        cr_assert_eq(verbs_guards_hold(v), at == 0, "%u", at);
        cr_assert_eq(v->t.ops->reset(&v->t, v->link, 0), at == 0 ? IBC_OK : IBC_BROKEN);
        cr_assert_str_eq(v->t.fault, at == 0 ? "" : "the device wrote outside its regions before this reset");
        OK(v->t.ops->reset(&v->t, v->link, 0));
        adapter_close(v);
    }
}

Test(memory, windows)
{
    struct verbs *v = open_with_pd();
    uint32_t rkey[4];

    for (unsigned type = 1; type <= 3; type++)
        OK(verbs_alloc_mw(&v->t, 0, type, 0, &rkey[type]));
    SAID("alloc_mw 1 pd 1 type 1\nalloc_mw 2 pd 1 type 2\nalloc_mw 3 pd 1 type 2\n");
    cr_assert(rkey[1] == 0x300100 && rkey[2] == 0x300200 && verbs_find_mw(v, rkey[3]) == &v->mw[2]);
    refuse("dealloc_mw", EBUSY);
    REFUSED(v, verbs_free_mw(v, rkey[2]), "errno_16");
    adapter.refuses = NULL;
    OK(verbs_destroy(&v->t, 0, IBC_O_mw, rkey[2]));
    REFUSED(v, verbs_destroy(&v->t, 0, IBC_O_mw, rkey[2]), "mem_no_key");
    for (unsigned i = 2; i < VERBS_MWS; i++, adapter.said[0] = 0)
        OK(verbs_alloc_mw(&v->t, 0, 1, 0, &rkey[0]));
    REFUSED(v, verbs_alloc_mw(&v->t, 0, 1, 0, &rkey[0]), "mem_full");
    adapter_close(v);
}

/* ---- registering again ---- */

static struct ibc_reregister again(const struct ibc_mr *mr)
{
    return (struct ibc_reregister){.lkey = mr->lkey};
}

Test(memory, a_region_is_registered_again)
{
    struct verbs *v = open_with_pd();
    struct ibc_mr mr = region(v, 50, 0, 'a'), was = mr;
    struct ibc_reregister r = again(&mr);
    uint32_t pd;
    uint8_t byte = 0;

    OK(verbs_create_pd(&v->t, 0, &pd));
    adapter.said[0] = 0;
    r.has_access = true, r.access = IBA_ACCESS_REMOTE_READ;
    OK(verbs_reregister(&v->t, 0, &r, &mr));
    SAID("rereg_mr 1 flags 4 pd 0 memory 0 length 0 access 4\n");
    cr_assert(mr.lkey == was.lkey + 0x100 && mr.rkey == was.rkey + 0x100 && mr.local == was.local);
    r = again(&mr);
    r.has_pd = true, r.pd = pd;
    OK(verbs_reregister(&v->t, 0, &r, &mr));
    SAID("rereg_mr 1 flags 2 pd 2 memory 0 length 0 access 0\n");
    r = again(&mr);
    r.has_range = true, r.length = 5000, r.fill = 'm';
    OK(verbs_reregister(&v->t, 0, &r, &mr));
    SAID("rereg_mr 1 flags 1 pd 0 memory 1 length 5000 access 0\n");
    cr_assert_neq(mr.local, was.local);
    OK(verbs_read_memory(&v->t, 0, mr.local + 4999, &byte, 1));
    cr_assert_eq(byte, (uint8_t)ibc_pattern('m', 4999));
    OK(verbs_read_memory(&v->t, 0, was.local + 49, &byte, 1));
    cr_assert_eq(byte, (uint8_t)ibc_pattern('a', 49), "the memory that it had stays readable");
    OK(verbs_dereg(v, mr.lkey));
    adapter_close(v);
}

Test(memory, what_cannot_be_registered_again)
{
    struct verbs *v = open_with_pd();
    const struct ibc_mr_spec zero = {.length = 10, .access = IBA_ACCESS_ZERO_BASED, .fill = 'z'};
    struct ibc_mr mr = region(v, 50, 0, 'a'), z, out;
    struct ibc_reregister r = {.lkey = 5};

    OK(verbs_reg_mr(&v->t, 0, &zero, &z));
    adapter.said[0] = 0;
    REFUSED(v, verbs_reregister(&v->t, 0, &r, &out), "mem_no_key");
    r = again(&mr);
    r.has_access = true, r.access = IBA_ACCESS_INVALIDATE;
    cr_assert_eq(verbs_reregister(&v->t, 0, &r, &out), IBC_UNSUPPORTED);
    r.access = IBA_ACCESS_ZERO_BASED;
    cr_assert_eq(verbs_reregister(&v->t, 0, &r, &out), IBC_UNSUPPORTED, "its addresses would begin elsewhere");
    r = again(&z);
    r.has_access = true;
    cr_assert_eq(verbs_reregister(&v->t, 0, &r, &out), IBC_UNSUPPORTED);
    r = again(&z);
    r.has_range = true, r.length = 1;
    cr_assert_eq(verbs_reregister(&v->t, 0, &r, &out), IBC_UNSUPPORTED);
    r = again(&mr);
    r.has_pd = true, r.pd = 9;
    REFUSED(v, verbs_reregister(&v->t, 0, &r, &out), "mem_no_pd");
    r = again(&mr);
    r.has_range = true, r.length = VERBS_REGION_MOST + 1;
    REFUSED(v, verbs_reregister(&v->t, 0, &r, &out), "mem_full");
    SAID("");
    r = again(&z);
    r.has_access = true, r.access = IBA_ACCESS_ZERO_BASED | IBA_ACCESS_LOCAL_WRITE;
    OK(verbs_reregister(&v->t, 0, &r, &z));
    SAID("rereg_mr 2 flags 4 pd 0 memory 0 length 0 access 1\n");
    refuse("rereg_mr", EBUSY);
    r = again(&mr);
    r.has_range = true, r.length = VERBS_REGION_MOST, r.fill = 'b';
    REFUSED(v, verbs_reregister(&v->t, 0, &r, &out), "mem_busy");
    cr_assert_eq(v->memory, 8192, "the new memory is free again");
    refuse("rereg_mr", EINVAL);
    REFUSED(v, verbs_reregister(&v->t, 0, &r, &out), "errno_22");
    adapter_close(v);
}

/* The provider of Soft-RoCE lacks the verb; then the kernel is asked. */
Test(memory, the_kernel_registers_again)
{
    static const int lacks[] = {EOPNOTSUPP, ENOSYS};

    for (unsigned i = 0; i < 2; i++) {
        struct verbs *v = open_with_pd();
        struct ibc_mr mr = region(v, 50, 0, 'a');
        struct ibc_reregister r = again(&mr);
        uint32_t pd;
        OK(verbs_create_pd(&v->t, 0, &pd));
        refuse("rereg_mr", lacks[i]);
        adapter.said[0] = 0;
        r.has_range = r.has_pd = true, r.length = 77, r.pd = pd, r.fill = 'q';
        r.has_access = true, r.access = IBA_ACCESS_LOCAL_WRITE;
        OK(verbs_reregister(&v->t, 0, &r, &mr));
        SAID("rereg_mr 1 flags 7 pd 2 memory 1 length 77 access 1\n"
             "kernel: rereg_mr 1 flags 7 memory 1 length 77 pd 2 access 1\n");
        cr_assert(mr.lkey == 0x1201 && mr.rkey == 0x2201);
        cr_assert(verbs_find_mr(v, mr.lkey)->mr->pd == v->pd[pd]);
        r = again(&mr);
        r.has_access = true;
        OK(verbs_reregister(&v->t, 0, &r, &mr));
        SAID("rereg_mr 1 flags 4 pd 0 memory 0 length 0 access 0\n"
             "kernel: rereg_mr 1 flags 4 memory 0 length 0 pd 0 access 0\n");
        cr_assert(verbs_find_mr(v, mr.lkey)->mr->pd == v->pd[pd], "it stays in its domain");
        refuse("rereg_mr,ioctl", lacks[i]);
        cr_assert_eq(verbs_reregister(&v->t, 0, &r, &mr), IBC_UNSUPPORTED);
        adapter_close(v);
    }
}

/* ---- prefetching ---- */

Test(memory, prefetching)
{
    static const struct {
        struct ibc_prefetch p;
        int advice, flags;
    } rows[] = {{{.at = 0x1000, .length = 5, .lkey = 7}, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH},
                {{.at = 0x1000, .length = 5, .lkey = 7, .write = true},
                 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
                 IBV_ADVISE_MR_FLAG_FLUSH},
                {{.at = 0x1000, .length = 5, .lkey = 7, .write = true, .no_fault = true, .later = true},
                 IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
                 0}};
    struct verbs *v = open_with_pd();
    char want[400];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(verbs_prefetch(&v->t, 0, &rows[i].p));
        (void)snprintf(want, sizeof want, "advise_mr pd 1 advice %d flags %x [1000 5 7]\n", rows[i].advice,
                       (unsigned)rows[i].flags);
        SAID(want);
        refuse("advise_mr", i % 2 ? ENOSYS : EOPNOTSUPP);
        OK(verbs_prefetch(&v->t, 0, &rows[i].p));
        (void)snprintf(want + strlen(want), sizeof want - strlen(want),
                       "kernel: advise_mr pd 1 advice %d flags %x [1000 5 7]\n", rows[i].advice,
                       (unsigned)rows[i].flags);
        SAID(want);
        refuse("advise_mr,ioctl", EOPNOTSUPP);
        cr_assert_eq(verbs_prefetch(&v->t, 0, &rows[i].p), IBC_UNSUPPORTED);
        refuse("advise_mr", EFAULT);
        adapter.said[0] = 0;
        REFUSED(v, verbs_prefetch(&v->t, 0, &rows[i].p), "errno_14");
        cr_assert_null(strstr(adapter.said, "kernel"));
        adapter.refuses = NULL;
        adapter.said[0] = 0;
    }
    REFUSED(v, verbs_prefetch(&v->t, 0, &(struct ibc_prefetch){.pd = 1}), "mem_no_pd");
    adapter_close(v);
}

/* ---- groups ---- */

static uint32_t datagrams(struct verbs *v)
{
    const struct ibc_qp_spec s = {.type = IBA_QPT_UD};
    uint32_t n, qpn;

    OK(verbs_create_pd(&v->t, 0, &n));
    OK(verbs_create_cq(&v->t, 0, 1, &n));
    OK(verbs_create_qp(&v->t, 0, &s, &qpn));
    adapter.said[0] = 0;
    return qpn;
}

/* Over IP the host joins as well. The LID counts on InfiniBand alone. */
Test(memory, groups)
{
    static const uint8_t four[16] = {[10] = 0xff, 0xff, 239, 1, 2, 3}, six[16] = {0xff, 0x0e, [15] = 9};
    static const struct {
        enum ibc_link link;
        const uint8_t *gid;
        const char *joins, *leaves;
    } rows[] = {
        {IBC_LINK_roce2_ipv4, four, "attach 1 00..03 lid 0\njoin 239.1.2.3 7\n", "detach 1 00..03 lid 0\n"},
        {IBC_LINK_roce2_ipv6, six, "attach 1 ff..09 lid 0\njoin ff0e::9 7\n", "detach 1 ff..09 lid 0\n"},
        {IBC_LINK_roce1, six, "attach 1 ff..09 lid 0\n", "detach 1 ff..09 lid 0\n"},
        {IBC_LINK_ib_local, six, "attach 1 ff..09 lid c005\n", "detach 1 ff..09 lid c005\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verbs *v = adapter_open(rows[i].link);
        const uint32_t qpn = datagrams(v);
        OK(verbs_attach(&v->t, 0, qpn, rows[i].gid, 0xc005, true));
        SAID(rows[i].joins);
        cr_assert_eq(v->group[0].member >= 0, strstr(rows[i].joins, "join") != NULL);
        OK(verbs_attach(&v->t, 0, qpn, rows[i].gid, 0xc005, true));
        cr_assert_null(strstr(adapter.said, "join"), "it is a member already");
        cr_assert_null(v->group[1].qp);
        adapter.said[0] = 0;
        refuse("detach", EINVAL);
        REFUSED(v, verbs_attach(&v->t, 0, qpn, rows[i].gid, 0xc005, false), "errno_22");
        cr_assert(v->group[0].qp);
        adapter.refuses = NULL;
        adapter.said[0] = 0;
        OK(verbs_attach(&v->t, 0, qpn, rows[i].gid, 0xc005, false));
        SAID(rows[i].leaves);
        cr_assert_null(v->group[0].qp);
        OK(verbs_attach(&v->t, 0, qpn, rows[i].gid, 0xc005, false));
        SAID(rows[i].leaves);
        adapter_close(v);
    }
}

/* On InfiniBand a queue pair may have one group's address with two LIDs: each is a group of its own. */
Test(memory, groups_with_one_address)
{
    static const uint8_t gid[16] = {0xff, 0x0e, [15] = 9};
    struct verbs *v = adapter_open(IBC_LINK_ib_local);
    const uint32_t qpn = datagrams(v);

    for (uint16_t lid = 0xc005; lid <= 0xc006; lid++)
        OK(verbs_attach(&v->t, 0, qpn, gid, lid, true));
    SAID("attach 1 ff..09 lid c005\nattach 1 ff..09 lid c006\n");
    cr_assert(v->group[0].lid == 0xc005 && v->group[1].lid == 0xc006);
    OK(verbs_attach(&v->t, 0, qpn, gid, 0xc006, false));
    cr_assert(v->group[0].qp && !v->group[1].qp);
    adapter_close(v);
}

Test(memory, groups_that_are_refused)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv6);
    const uint32_t qpn = datagrams(v);
    uint8_t gid[16] = {0xff, 0x0e};

    REFUSED(v, verbs_attach(&v->t, 0, qpn + 1, gid, 0, true), "no_qp");
    refuse("attach", ENOMEM);
    REFUSED(v, verbs_attach(&v->t, 0, qpn, gid, 0, true), "errno_12");
    cr_assert_null(v->group[0].qp);
    refuse("join", ENODEV);
    OK(verbs_attach(&v->t, 0, qpn, gid, 0, true));
    cr_assert(v->group[0].qp && v->group[0].member == -1, "the system does not let the host join");
    for (unsigned i = 1; i < VERBS_GROUPS; i++) {
        gid[15] = (uint8_t)i;
        OK(verbs_attach(&v->t, 0, qpn, gid, 0, true));
    }
    gid[15] = VERBS_GROUPS;
    REFUSED(v, verbs_attach(&v->t, 0, qpn, gid, 0, true), "full");
    adapter_close(v);
}

/* A reset forgets each object, also one that the device does not let go: it is closed and opened again then, and the
 * object's pointer means nothing more. */
Test(memory, a_reset_forgets_what_the_device_keeps)
{
    static const char *const kept[] = {"detach", "destroy_qp", "dealloc_mw", "destroy_srq", "destroy_cq", "dealloc_pd"};
    static const uint8_t gid[16] = {0xff, 0x0e, [15] = 9};

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct verbs *v = adapter_open(IBC_LINK_roce2_ipv6);
        const uint32_t qpn = datagrams(v);
        uint32_t n;
        OK(verbs_attach(&v->t, 0, qpn, gid, 0, true));
        OK(verbs_alloc_mw(&v->t, 0, 1, 0, &n));
        OK(verbs_create_srq(&v->t, 0, 0, 4, 0, &n));
        refuse(kept[i], EBUSY);
        adapter.said[0] = 0;
        OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv6, 0));
        cr_expect(strstr(adapter.said, "close_device\nopen_device\n"), "%s: %s", kept[i], adapter.said);
        adapter.refuses = NULL;
        cr_expect(!v->group[0].qp && !v->qp[0].qp && !v->mw[0].mw, "%s", kept[i]);
        cr_expect(!v->srq[0] && !v->cq[0].cq && !v->pd[0], "%s", kept[i]);
        cr_expect(v->group[0].lid == 0 && v->mw[0].rkey == 0 && v->qp[0].type == 0, "%s", kept[i]);
        adapter_close(v);
    }
}
