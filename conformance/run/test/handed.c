/* SPDX-License-Identifier: BSD-2-Clause */
/* Each value of a line reaches the device: a recorder between the runner and the reference writes down the arguments of
 * each verb, and passes them on. The device may refuse them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"
#include "recorder.h"

static void play(const char *text)
{
    const struct ibc_options o = {.seed = 5};
    struct ibc_target *t = open_changed();
    struct ibc_result r;
    char whole_text[1024];

    snprintf(whole_text, sizeof whole_text, "%swait 1us\n", text); /* a scenario has a step */
    recorder_begin();
    recorder_attach();
    r = run_text(t, whole_text, &o);
    close_changed(t, &r);
}

/* ---- attributes of modify ---- */

/* Each attribute sets its own bit of the mask and no other. Codes are those of the specification: an MTU of 4096 has
 * code 5 (WF-18). Access rights and migration states have core's numbers. */
Test(handed, attributes)
{
    static const struct {
        const char *key;
        uint32_t mask;
        const char *is;
    } rows[] = {
        {"cur_state=sqd", 1 << 1, "cur_state=4"},
        {"sqd_notify=1", 1 << 2, "sqd_notify=1"},
        {"sqd_notify=0", 1 << 2, "sqd_notify=0"},
        {"access=remote_read", 1 << 3, "access=0x4"},
        {"access=remote_read,remote_write", 1 << 3, "access=0x6"},
        {"pkey=3", 1 << 4, "pkey=3"},
        {"port=2", 1 << 5, " port=2"},
        {"qkey=0x1234", 1 << 6, "qkey=0x1234"},
        {"av=stranger", 1 << 7, "to=stranger"},
        {"av=nowhere", 1 << 7, "to=other"},
        {"av=peer", 1 << 7, "to=peer"},
        {"av_port=2", 1 << 7, "av_port=2"},
        {"sl=5", 1 << 7, "sl=5"},
        {"hop=9", 1 << 7, "hop=9"},
        {"tclass=33", 1 << 7, "tclass=33"},
        {"flow=0x54321", 1 << 7, "flow=0x54321"},
        {"vlan=7", 1 << 7, "tagged=1 vlan=7"},
        {"sport=0xd123", 1 << 7, "sport=53539"},
        {"gid_index=2", 1 << 7, "gid_index=2"},
        {"path_bits=3", 1 << 7, "path_bits=3"},
        {"pmtu=256", 1 << 8, "pmtu=1"},
        {"pmtu=4096", 1 << 8, "pmtu=5"},
        {"timeout=17", 1 << 9, "timeout=17"},
        {"retry=3", 1 << 10, " retry=3"},
        {"rnr_retry=2", 1 << 11, "rnr_retry=2"},
        {"epsn=0x123456", 1 << 12, "epsn=0x123456"},
        {"rd=2", 1 << 13, " rd=2"},
        {"alt=stranger", 1 << 14, "alt=stranger"},
        {"alt_port=2", 1 << 14, "alt_port=2"},
        {"min_rnr=21", 1 << 15, "min_rnr=21"},
        {"psn=0x654321", 1 << 16, " psn=0x654321"},
        {"dest_rd=3", 1 << 17, "dest_rd=3"},
        {"mig=rearm", 1 << 18, "mig=1"},
        {"qpn=0x777", 1 << 20, "qpn=0x777"},
        {"flow_control=1", 0, "flow_control=1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256], mask[32];
        snprintf(text, sizeof text, RC "qp a\n a modify state=sqd only %s\n", rows[i].key);
        play(text);
        const char *const line = strstr(recorder_calls(), "modify state=4 "); /* nothing else drains a queue */
        cr_assert(line, "%s", rows[i].key);
        snprintf(mask, sizeof mask, "mask=0x%x ", rows[i].mask);
        cr_expect(strncmp(line + strlen("modify state=4 "), mask, strlen(mask)) == 0, "%s: %.40s", rows[i].key, line);
        cr_expect(strstr(line, rows[i].is), "%s: no %s in %s", rows[i].key, rows[i].is, line);
    }
}

/* The mask with which a queue pair in Init is brought to RTR, where the line leaves out these attributes. */
static uint32_t mask_without(const char *words)
{
    char text[512];
    unsigned mask = 0;

    snprintf(text, sizeof text, RC "qp a state=init\n a modify state=rtr%s%s\n", *words ? " without=" : "", words);
    play(text);
    const char *const line = strstr(recorder_calls(), "modify state=2 mask=");
    cr_assert(line && sscanf(line, "modify state=2 mask=0x%x ", &mask) == 1, "%s: %s", words, recorder_calls());
    return mask;
}

/* A line may leave out each attribute that the transition requires, or several, together or one by one. */
Test(handed, attributes_left_out)
{
    static const struct {
        const char *word;
        uint32_t mask;
    } rows[] = {{"av", 1 << 7},    {"pmtu", 1 << 8},     {"qpn", 1 << 20},
                {"epsn", 1 << 12}, {"dest_rd", 1 << 17}, {"min_rnr", 1 << 15}};
    enum { N = sizeof rows / sizeof *rows };
    const uint32_t all = mask_without("");

    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            char words[40];
            snprintf(words, sizeof words, k == i ? "%s" : "%s,%s", rows[i].word, rows[k].word);
            cr_expect(all & rows[i].mask);
            cr_expect_eq(mask_without(words), all & ~rows[i].mask & ~rows[k].mask, "%s", words);
            snprintf(words, sizeof words, "%s without=%s", rows[i].word, rows[k].word);
            cr_expect_eq(mask_without(words), all & ~rows[i].mask & ~rows[k].mask, "%s", words);
        }
    cr_expect_eq(mask_without("av,pmtu,qpn,epsn,dest_rd,min_rnr,timeout"), all & ~(uint32_t)0x129180);
}

/* ---- other verbs ---- */

static const struct {
    const char *text, *call;
} arguments[] = {
    /* objects, with what docs/scenarios.md says of values that their lines leave out */
    {RC "qp a\n", "\nqp type=0 sq=32 rq=32 all=1 srq=0 one_cq=1\n"},
    {RC "qp a sq=5 rq=6\n", "\ncq depth=27\nqp type=0 sq=5 rq=6 all=1 srq=0 one_cq=1\n"},
    {RC "qp a sig=wr\n", " all=0 "},
    {RC "cq c\ncq e depth=9\nqp a scq=c rcq=e\n", "\ncq depth=64\ncq depth=9\nqp type=0 sq=32 rq=32 all=1 srq=0 "
                                                  "one_cq=0\n"},
    {RC "srq s\nqp a srq=s\n", "\nsrq depth=16 limit=0\n"},
    {RC "srq s depth=7 limit=3\nqp a srq=s\n", "\nsrq depth=7 limit=3\n"},
    {RC "srq s\nqp a srq=s\n", " srq=1 "},
    {RC "srq s recv=2 recv_bytes=32\nqp a srq=s\n", "\nshared l+32768:32\nshared l+32800:32\n"},
    {RC "srq s\nqp a srq=s\n s limit 4\n", "\nlimit=4\n"},
    {RC "qp a recv=2 recv_bytes=100\n", "\nrecv l+32768:100\nrecv l+32868:100\n"},
    {RC "qp a recv=1\n", "\nrecv l+32768:1024\n"},
    {RC "qp a\n a recv times=2\n", "\nrecv l+32768:1024\nrecv l+33792:1024\n"},
    {RC "qp a\n a recv len=64 at=m+128\n", "\nrecv m+128:64\n"},
    {RC "qp a\n a recv times=2 len=64 at=m+128\n", "\nrecv m+128:64\nrecv m+192:64\n"},
    {RC "qp a\n a recv len=0\n", "\nrecv\n"},
    {RC "qp a\n a recv len=32768\n a recv len=1\n", "\nrecv l+32768:32768\nrecv l+32768:1\n"},
    {RC "qp a\n a recv len=16\n a recv len=32768\n", "\nrecv l+32768:16\nrecv l+32768:32768\n"},
    {RC "mr x length=4096\nqp a\n", "\nmr fill=x length=4096 access=0xdf iova=0 has_iova=0\n"},
    {RC "mr x access=remote_read\nqp a\n", "\nmr fill=x length=65536 access=0x4 iova=0 has_iova=0\n"},
    {RC "mr x iova=0x70000\nqp a\n", " iova=70000 has_iova=1\n"},
    {RC "mw w\nqp a\n", "\nmw type=1\n"},
    {RC "mw w type=2\nqp a\n", "\nmw type=2\n"},
    {RC "cq c\nqp a\n c arm\n", "\narm solicited=0\n"},
    {RC "cq c\nqp a\n c arm solicited\n", "\narm solicited=1\n"},
    {RC "cq c\nqp a\n c destroy\n", "\ndestroy cq\n"},
    {RC "qp a\n a destroy\n", "\ndestroy qp\n"},
    {RC "mr x\nqp a\n x dereg\n", "\ndestroy mr\n"},
    {RC "mw w\nqp a\n w free\n", "\ndestroy mw\n"},
    /* 239.192.0.5: the group is the fifth object, after a domain, two regions, and the queue pair */
    {UD "qp a\ngroup g\nattach a g\n", "\nattach=1 gid=0000..05 lid="},
    {UD "qp a\ngroup g lid=0xc055\nattach a g\ndetach a g\n", "\nattach=0 gid=0000..05 lid=0xc055\n"},
    /* work */
    {RC "qp a\n a post SEND\n", "\nsend op=SEND flags=signaled imm=0x0 l+0:64 "},
    {RC "qp a\n a post SEND len=9 at=m+5\n", " imm=0x0 m+5:9 "},
    {RC "qp a\n a post SEND len=0\n", "\nsend op=SEND flags=signaled imm=0x0 va="},
    {RC "qp a\n a post SEND lkey=0x77\n", " imm=0x0 key=0x77:64 "},
    {RC "qp a\n a post SEND signaled=0 solicited=1 fence=1\n", " flags=+solicited+fence "},
    {RC "qp a\n a post SEND_IMM imm=0x89abcdef\n", " imm=0x89abcdef "},
    {RC "qp a\n a post SEND_INV inv=0x4567\n", " imm=0x4567 "},
    {RC "qp a\n a post WRITE to=0x5555 rkey=0x66\n", " va=0x5555 rkey=0x66 "},
    {RC "qp a\n a post CMP_SWAP cmp=5 swap=6\n", ":8 va=0x10000 rkey=0x1234 swap=6 operand=5\n"},
    {RC "qp a\n a post FETCH_ADD add=7\n", ":8 va=0x10000 rkey=0x1234 swap=0 operand=7\n"},
    {RC "qp a\n a post FLUSH placement=2 selectivity=1\n", " placement=2 selectivity=1\n"},
    {RC "qp a\n a post FLUSH\n", " placement=1 selectivity=0\n"},
    {RC "mw w\nqp a\n a post BIND_MW mw=w mr=m len=128 access=remote_read key=0x42\n",
     " bind length=128 access=0x4 key=0x42\n"},
    {RC "mw w\nqp a\n a post BIND_MW mw=w va=m+64\n", " bind length=65472 access=0xe key="},
    {UD "qp a\n a post SEND qpn=0x55 qkey=0x66\n", " qpn=0x55 qkey=0x66 port=0 to=peer\n"},
    {UD "qp a\n a post SEND av_port=2 dest=stranger\n", " qkey=0x11111111 port=2 to=stranger\n"},
    {UD "qp a\n a post SEND dest=none\n", " to=none\n"},
    {UD "qp a\n a post SEND dest=nowhere\n", " to=other\n"},
    {UD "qp a\ngroup g\n a post SEND dest=g\n", " qpn=0xffffff qkey=0x11111111 port=0 to=group\n"},
    /* memory and ports */
    {RC "qp a\nwrite m+3 hex:0a0b0c\n", "\nwrite m+3 n=3 0a 0b 0c\n"},
    {RC "qp a\nwrite m u64=0x1122334455667788\n", "\nwrite m+0 n=8 88 77 66 55\n"},
    {RC "qp a\nport pkey[1]=0x8123\n", "\nport pkey[1]=0x8123\n"},
    {RC "qp a\nport lmc=2 mtu=512\n", "\nport lmc[0]=0x2\nport mtu[0]=0x200\n"},
    {RC "qp a\nport sl2vl[3]=4\n", "\nport sl2vl[3]=0x4\n"},
    {RC "qp a\nport pkey_violations=5 qkey_violations=6\n",
     "\nport pkey_violations[0]=0x5\nport qkey_violations[0]=0x6\n"},
    {RC "mr x access=local_write,remote_write,on_demand\nqp a\npage x+4096 absent\npage x+8192 present\n",
     "\npage x+4096 present=0\npage x+8192 present=1\n"},
};

Test(handed, arguments)
{
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        play(arguments[i].text);
        cr_expect(strstr(recorder_calls(), arguments[i].call), "row %zu: no\n%s\nin the calls of\n%s\n%s", i,
                  arguments[i].call, arguments[i].text, recorder_calls());
    }
}

/* ---- keys of two devices ---- */

static uint32_t key_sent;
static enum ibc_rc own_key(struct ibc_target *t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out)
{
    const enum ibc_rc rc = whole->reg_mr(t, d, m, out);

    if (m->fill == 'x')
        out->rkey = 0x77000 + d;
    return rc;
}

static enum ibc_rc see_key(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    key_sent = key_sent ? key_sent : s->wr.imm_or_key;
    return whole->post_send(t, d, qpn, s);
}

/* A queue pair invalidates its own device's key with LOCAL_INV, and that of the other device with SEND_INV. */
Test(handed, keys_to_invalidate)
{
    static const struct {
        const char *text;
        uint32_t key;
    } rows[] = {{MIDDLE "mr x\n a post LOCAL_INV inv=x.rkey\n", 0x77000},
                {MIDDLE "mr x\n b post LOCAL_INV inv=x.rkey\n", 0x77001},
                {MIDDLE "mr x\n a post SEND_INV inv=x.rkey\n", 0x77001},
                {MIDDLE "mr x\n b post SEND_INV inv=x.rkey\n", 0x77000}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        changed.reg_mr = own_key;
        changed.post_send = see_key;
        key_sent = 0;
        struct ibc_result r = run_text(t, rows[i].text, &(struct ibc_options){.seed = 5});
        cr_expect_eq(key_sent, rows[i].key, "%s: 0x%x", rows[i].text, key_sent);
        close_changed(t, &r);
    }
}

/* ---- ports ---- */

static unsigned port_device;
static enum ibc_rc see_port(struct ibc_target *t, unsigned d, enum ibc_key key, uint32_t index, uint64_t value)
{
    port_device = d;
    return whole->set_port(t, d, key, index, value);
}

Test(handed, a_port_of_each_device)
{
    static const char *const text[] = {MIDDLE "port pkey[1]=0x8123\n", MIDDLE "port dut=2 pkey[1]=0x8123\n"};

    for (unsigned d = 0; d < 2; d++) {
        struct ibc_target *t = open_changed();
        changed.set_port = see_port;
        port_device = 9;
        struct ibc_result r = run_text(t, text[d], &(struct ibc_options){.seed = 5});
        cr_expect(r.verdict == IBC_IS_PASS && port_device == d, "%s: device %u, %s", text[d], port_device,
                  r.finding.got);
        close_changed(t, &r);
    }
}

/* ---- packets that the tester forwards ---- */

static uint8_t came[IBC_FRAME], went[4][IBC_FRAME];
static size_t came_len, went_len[4];
static unsigned n_went;
static enum ibc_rc see_frame(struct ibc_target *t, uint64_t until, uint8_t frame[IBC_FRAME], size_t *len, uint64_t *at,
                             unsigned *from)
{
    const enum ibc_rc rc = whole->collect_any(t, until, frame, len, at, from);

    if (rc == IBC_OK && *len > 0 && came_len == 0) {
        came_len = *len;
        memcpy(came, frame, *len);
    }
    return rc;
}

static enum ibc_rc see_forwarded(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    if (d == 1 && n_went < 4) {
        went_len[n_went] = len;
        memcpy(went[n_went++], frame, len);
    }
    return whole->inject(t, d, frame, len);
}

/* A corrupt packet differs in the last byte of its ICRC, the last of an Ethernet frame, and in nothing else. */
Test(handed, forwarded_packets)
{
    static const struct {
        const char *then;
        unsigned times;
        uint8_t turned; /* bits of the last byte */
    } rows[] = {
        {"", 1, 0}, {" then=forward", 1, 0}, {" then=twice", 2, 0}, {" then=corrupt", 1, 1}, {" then=drop", 0, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_changed();
        char text[512];
        changed.collect_any = see_frame;
        changed.inject = see_forwarded;
        came_len = n_went = 0;
        snprintf(text, sizeof text, MIDDLE " a post SEND len=64\n< a SEND_ONLY%s\n", rows[i].then);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 5, .stop_at_first = true});
        cr_assert_gt(came_len, 64);
        cr_expect_geq(n_went, rows[i].times, "%s: %u", rows[i].then, n_went);
        for (unsigned k = 0; k < rows[i].times && k < n_went; k++) {
            cr_assert_eq(went_len[k], came_len);
            cr_expect_arr_eq(went[k], came, came_len - 1, "%s", rows[i].then);
            cr_expect_eq(went[k][came_len - 1], came[came_len - 1] ^ rows[i].turned, "%s", rows[i].then);
        }
        for (unsigned k = rows[i].times; k < n_went; k++) /* those of the health probe */
            cr_expect(went_len[k] != came_len || memcmp(went[k], came, came_len) != 0, "%s: %u", rows[i].then, k);
        close_changed(t, &r);
    }
}
