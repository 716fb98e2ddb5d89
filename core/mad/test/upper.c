/* SPDX-License-Identifier: BSD-2-Clause */
/* Upper protocols: which one a service identifier is of, and where in REQ, REP and REJ its private data are. Numbers
 * are those of other texts: ports of IANA, offsets of the messages of chapter 12 (a REQ has 140 bytes before its
 * private data, a REP 36, a REJ 84), 36 bytes of the IP CM service (annex A11), type codes of SRP (T10), SDP (annex A4)
 * and RFC 8797. */
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { REQ = 0x10, REJ = 0x12, REP = 0x13, MAD = 24, IP_CM = 36, SERVICE = MAD + 8 };
enum { AT_REQ = MAD + 140, AT_IP_REQ = AT_REQ + IP_CM, AT_REP = MAD + 36, AT_REJ = MAD + 84 };
#define TCP(port) (UINT64_C(0x01060000) + (port))

static const struct message {
    uint8_t upper, id;
    bool ip; /* of the IP CM service */
    uint8_t at;
    uint8_t type_at, type_bytes; /* of the code that marks them, from `at`; 0 bytes: none */
    uint8_t type[4];
    uint8_t layout[2];
    uint8_t second_at;
} messages[] = {
    {IBA_UPPER_IPOIB, REQ, false, AT_REQ, 0, 1, {0}, {IBA_M_ipoib_cm}, 0},
    {IBA_UPPER_IPOIB, REP, false, AT_REP, 0, 1, {0}, {IBA_M_ipoib_cm}, 0},
    {IBA_UPPER_SDP, REQ, false, AT_REQ, 0, 1, {0}, {IBA_M_sdp_bsdh, IBA_M_sdp_hh}, 16},
    {IBA_UPPER_SDP, REP, false, AT_REP, 0, 1, {1}, {IBA_M_sdp_bsdh, IBA_M_sdp_hah}, 16},
    {IBA_UPPER_SRP, REQ, false, AT_REQ, 0, 1, {0x00}, {IBA_M_srp_login_req}, 0},
    {IBA_UPPER_SRP, REQ, true, AT_IP_REQ, 11, 1, {0x00}, {IBA_M_srp_login_rdma}, 0},
    {IBA_UPPER_SRP, REP, false, AT_REP, 0, 1, {0xc0}, {IBA_M_srp_login_rsp}, 0},
    {IBA_UPPER_SRP, REJ, false, AT_REJ, 0, 1, {0xc2}, {IBA_M_srp_login_rej}, 0},
    {IBA_UPPER_ISER, REQ, true, AT_IP_REQ, 0, 0, {0}, {IBA_M_iser_cm}, 0},
    {IBA_UPPER_ISER, REP, false, AT_REP, 0, 0, {0}, {IBA_M_iser_cm}, 0},
    {IBA_UPPER_NVME, REQ, true, AT_IP_REQ, 0, 0, {0}, {IBA_M_nvme_req}, 0},
    {IBA_UPPER_NVME, REP, false, AT_REP, 0, 0, {0}, {IBA_M_nvme_rsp}, 0},
    {IBA_UPPER_NVME, REJ, false, AT_REJ, 0, 0, {0}, {IBA_M_nvme_rej}, 0},
    {IBA_UPPER_RPC, REQ, true, AT_IP_REQ, 0, 4, {0xf6, 0xab, 0x0e, 0x18}, {IBA_M_rpc_cm}, 0},
    {IBA_UPPER_RPC, REP, false, AT_REP, 0, 4, {0xf6, 0xab, 0x0e, 0x18}, {IBA_M_rpc_cm}, 0},
};

/* Makes a datagram with the message. All other bytes are not zero, so that a code at a wrong place does not match.
 * Returns how many parts the protocol adds. */
static unsigned added(struct iba_mad *m, uint8_t *w, uint8_t id, bool ip, size_t captured, enum iba_upper u)
{
    unsigned before;

    iba_madhdr_set_mgmtclass(w, IBA_CLASS_CM);
    iba_madhdr_set_attributeid(w, id);
    if (id == REQ)
        iba_cm_req_set_serviceid(w + MAD, ip ? TCP(4420) : UINT64_C(0x0002c90300001f2d));
    cr_assert(iba_mad_parse(m, w, captured, IBA_MAD_BYTES));
    before = m->n_part;
    iba_mad_add_private(m, u);
    return m->n_part - before;
}

static void expect_message(const struct message *e)
{
    uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;
    const unsigned n = e->layout[1] ? 2 : 1;

    memset(w, 0x55, sizeof w);
    memcpy(w + e->at + e->type_at, e->type, e->type_bytes);
    cr_expect_eq(added(&m, w, e->id, e->ip, sizeof w, (enum iba_upper)e->upper), n, "%s: parts of message %x",
                 iba_upper_name((enum iba_upper)e->upper), e->id);
    for (unsigned i = 0; i < n; i++) {
        const struct iba_mad_part *p = &m.part[m.n_part - n + i];
        cr_expect(p->layout == e->layout[i] && p->at == e->at + (i ? e->second_at : 0) && p->n == 1 && p->record == 0,
                  "%s: message %x, part %u is %s at %u", iba_upper_name((enum iba_upper)e->upper), e->id, i,
                  iba_mad_layouts[p->layout].name, p->at);
    }
    for (unsigned k = 0; k < e->type_bytes; k++) {
        const size_t at = (size_t)e->at + e->type_at + k;
        w[at] ^= 1;
        cr_expect_eq(added(&m, w, e->id, e->ip, sizeof w, (enum iba_upper)e->upper), 0, "%s: the wrong code",
                     iba_upper_name((enum iba_upper)e->upper));
        w[at] ^= 1;
        cr_expect_eq(added(&m, w, e->id, e->ip, at, (enum iba_upper)e->upper), 0, "%s: the code was not captured",
                     iba_upper_name((enum iba_upper)e->upper));
        cr_expect_eq(added(&m, w, e->id, e->ip, at + 1, (enum iba_upper)e->upper) > 0, k + 1 == e->type_bytes);
    }
}

Test(upper, private_data_of_each_message)
{
    for (size_t i = 0; i < COUNT(messages); i++)
        expect_message(&messages[i]);
}

static bool has_message(uint8_t upper, uint8_t id, bool ip)
{
    bool found = false;

    for (size_t i = 0; i < COUNT(messages); i++)
        found |= messages[i].upper == upper && messages[i].id == id && (id != REQ || messages[i].ip == ip);
    return found;
}

/* Messages and protocols without private data of their own, other classes, and unknown attributes get nothing. */
Test(upper, nothing_else_has_any)
{
    struct iba_mad m;
    uint8_t w[IBA_MAD_BYTES] = {0};

    for (unsigned u = 0; u < IBA_UPPERS; u++)
        for (unsigned id = 0x0f; id <= 0x1d; id++)
            for (unsigned ip = 0; ip < 2; ip++) {
                memset(w, 0x55, sizeof w);
                if (!has_message((uint8_t)u, (uint8_t)id, ip))
                    cr_expect_eq(added(&m, w, (uint8_t)id, ip, sizeof w, (enum iba_upper)u), 0, "%s in message %x",
                                 iba_upper_name((enum iba_upper)u), id);
            }
    memset(w, 0, sizeof w);
    iba_madhdr_set_mgmtclass(w, 0x04);
    iba_madhdr_set_attributeid(w, REP);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    const unsigned before = m.n_part;
    iba_mad_add_private(&m, IBA_UPPER_ISER);
    cr_assert_eq(m.n_part, before, "performance management");
}

/* The service identifier shows the protocol once it is captured: 8 bytes that follow the message's first 8. */
Test(upper, the_service_identifier_was_captured)
{
    uint8_t w[IBA_MAD_BYTES] = {0};
    struct iba_mad m;

    cr_assert_eq(added(&m, w, REP, false, SERVICE + 7, IBA_UPPER_ISER), 0);
    cr_assert_eq(added(&m, w, REP, false, AT_REP, IBA_UPPER_ISER), 0, "no byte of the private data");
    cr_assert_eq(added(&m, w, REP, false, AT_REP + 1, IBA_UPPER_ISER), 1);
}

Test(upper, protocols_of_services)
{
    static const struct {
        uint64_t service;
        uint8_t upper;
    } known[] = {
        {TCP(445), IBA_UPPER_SMB_DIRECT},
        {TCP(987), IBA_UPPER_LNET},
        {TCP(3260), IBA_UPPER_ISER},
        {TCP(4420), IBA_UPPER_NVME},
        {TCP(20049), IBA_UPPER_RPC},
        {TCP(444), IBA_UPPER_NONE},
        {TCP(20050), IBA_UPPER_NONE},
        {TCP(0), IBA_UPPER_NONE},
        {TCP(65535), IBA_UPPER_NONE},
        {0x01110000 + 4420, IBA_UPPER_NONE},                   /* UDP */
        {UINT64_C(0x0000000101060000) + 4420, IBA_UPPER_NONE}, /* not the IP CM service */
        {0x02060000 + 4420, IBA_UPPER_NONE},
        {0x00060000 + 4420, IBA_UPPER_NONE},
        {0x10000, IBA_UPPER_SDP}, /* and the port below it */
        {0x1ffff, IBA_UPPER_SDP},
        {0x20000, IBA_UPPER_NONE},
        {0x0ffff, IBA_UPPER_NONE},
        {UINT64_C(0x1000000000000000), IBA_UPPER_IPOIB}, /* and a QPN below it */
        {UINT64_C(0x1000000000ffffff), IBA_UPPER_IPOIB},
        {UINT64_C(0x1000000001000000), IBA_UPPER_NONE},
        {UINT64_C(0x0fffffffffffffff), IBA_UPPER_NONE},
        {0, IBA_UPPER_NONE},
        {UINT64_MAX, IBA_UPPER_NONE},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        cr_expect_eq(iba_upper_of(known[i].service), known[i].upper, "%016llx", (unsigned long long)known[i].service);
    cr_assert(iba_mad_is_ip_service(0x01000000) && iba_mad_is_ip_service(0x01ffffff));
    cr_assert(!iba_mad_is_ip_service(0x00ffffff) && !iba_mad_is_ip_service(0x02000000));
}

Test(upper, names)
{
    static const struct {
        uint8_t upper;
        const char *name;
    } known[] = {{IBA_UPPER_NONE, ""},     {IBA_UPPER_SDP, "SDP"},        {IBA_UPPER_IPOIB, "IPoIB"},
                 {IBA_UPPER_SRP, "SRP"},   {IBA_UPPER_ISER, "iSER"},      {IBA_UPPER_SMB_DIRECT, "SMB Direct"},
                 {IBA_UPPER_LNET, "LNet"}, {IBA_UPPER_NVME, "NVMe/RDMA"}, {IBA_UPPER_RPC, "RPC-over-RDMA"}};

    cr_assert_eq(COUNT(known), IBA_UPPERS);
    for (size_t i = 0; i < COUNT(known); i++)
        cr_expect_str_eq(iba_upper_name((enum iba_upper)known[i].upper), known[i].name);
}
