/* SPDX-License-Identifier: BSD-2-Clause */
/* An exchange without faults that uses every opcode of a service: messages, their responses, correct PSNs, MSNs and
 * lengths. */
#include <stdio.h>
#include "gen.h"
#include "wire/iba_opcode_rows.h"

enum { RESPONDER_QP = 0x12, PMTU = 256, LAST_BYTES = 61, END = 0xff };

/* Low five bits of the opcodes of each exchange, as RC numbers them. An exchange that the service lacks is left out. */
#define OP(name) (IBA_RC_##name)
static const uint8_t exchanges[][6] = {
    {OP(SEND_FIRST), OP(SEND_MIDDLE), OP(SEND_LAST), OP(ACKNOWLEDGE), END},
    {OP(SEND_FIRST), OP(SEND_LAST_IMM), OP(ACKNOWLEDGE), END},
    {OP(SEND_ONLY), OP(ACKNOWLEDGE), END},
    {OP(SEND_ONLY_IMM), OP(ACKNOWLEDGE), END},
    {OP(WRITE_FIRST), OP(WRITE_MIDDLE), OP(WRITE_LAST), OP(ACKNOWLEDGE), END},
    {OP(WRITE_FIRST), OP(WRITE_LAST_IMM), OP(ACKNOWLEDGE), END},
    {OP(WRITE_ONLY), OP(ACKNOWLEDGE), END},
    {OP(WRITE_ONLY_IMM), OP(ACKNOWLEDGE), END},
    {OP(READ_REQUEST), OP(READ_RESP_FIRST), OP(READ_RESP_MIDDLE), OP(READ_RESP_LAST), END},
    {OP(READ_REQUEST), OP(READ_RESP_ONLY), END},
    {OP(CMP_SWAP), OP(ATOMIC_ACKNOWLEDGE), END},
    {OP(FETCH_ADD), OP(ATOMIC_ACKNOWLEDGE), END},
    {OP(SEND_FIRST), OP(SEND_LAST_INV), OP(ACKNOWLEDGE), END},
    {OP(SEND_ONLY_INV), OP(ACKNOWLEDGE), END},
    {OP(FLUSH), OP(READ_RESP_ONLY), END},
    {OP(ATOMIC_WRITE), OP(READ_RESP_ONLY), END},
    {IBA_RD_RESYNC & 0x1f, OP(ACKNOWLEDGE), END},
};

struct flow {
    struct job *job;
    const char *encap;
    uint8_t service; /* the opcode's high bits */
    uint32_t psn, msn;
    uint8_t request; /* low bits of the exchange's first opcode */
    unsigned size;   /* of its message */
};

static const struct iba_opcode *row(const struct flow *f, uint8_t low)
{
    return &iba_opcodes[f->service | low];
}

static unsigned payload_of(const struct flow *f, const struct iba_opcode *op)
{
    /* the answers to FLUSH and ATOMIC WRITE are READ responses without data (Annex A19) */
    if (op->dir == IBA_RSP && (f->request == IBA_RC_FLUSH || f->request == IBA_RC_ATOMIC_WRITE))
        return 0;
    switch (op->pay) {
    case IBA_PAY_NONE: return 0;
    case IBA_PAY_PMTU: return PMTU;
    case IBA_PAY_EIGHT: return 8;
    default: return LAST_BYTES;
    }
}

static void one_packet(const struct flow *f, uint8_t low, uint32_t psn)
{
    const struct iba_opcode *op = row(f, low);
    const bool response = op->dir == IBA_RSP, asks = iba_opcode_ends(op);
    const bool connected = op->svc != IBA_UC && op->svc != IBA_UD;
    char line[LINE_BYTES];
    int n =
        snprintf(line, sizeof line, "%s %s payload=%u bth.m=0 bth.psn=%u%s", f->encap, op->name, payload_of(f, op), psn,
                 response            ? " reverse=1"
                 : connected && asks ? " bth.a=1"
                                     : "");
#define ADD(...) n += snprintf(line + n, sizeof line - (size_t)n, __VA_ARGS__)

    if (op->hdrs & IBA_HDR_BIT(IBA_H_reth))
        ADD(" reth.va=0x7f0000001000 reth.r_key=0x00001234 reth.dmalen=%u", f->size);
    if (op->hdrs & IBA_HDR_BIT(IBA_H_atomiceth))
        ADD(" atomiceth.va=0x7f0000001008 atomiceth.r_key=0x1234 atomiceth.swapdt=2 atomiceth.cmpdt=1");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_atomicacketh))
        ADD(" atomicacketh.origremdt=1");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_aeth))
        ADD(" aeth.syndrome=0x1f aeth.msn=%u", f->msn);
    if (op->hdrs & IBA_HDR_BIT(IBA_H_immdt))
        ADD(" immdt.data=0x01020304");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_ieth))
        ADD(" ieth.r_key=0x5678");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_xrceth))
        ADD(" xrceth.srqn=0x21");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_rdeth))
        ADD(" rdeth.eecnxt=0x31");
    if (op->hdrs & IBA_HDR_BIT(IBA_H_feth))
        ADD(" feth.selectivity=1 feth.placement=3");
    packet_line(f->job, line);
}

static void one_exchange(struct flow *f, const uint8_t *ops)
{
    uint32_t request = f->psn, response = f->psn, n_request = 0, n_response = 0;

    f->request = ops[0];
    f->size = ops[0] == IBA_RC_FLUSH ? 4096 : 0;
    for (const uint8_t *op = ops; *op != END; op++) {
        const struct iba_opcode *o = row(f, *op);
        if (!o->name && (*op & 0x1f) != OP(ACKNOWLEDGE)) /* the service has no such opcode; UC only lacks responses */
            return;
        if (!o->name)
            continue;
        f->size += payload_of(f, o);
        n_request += o->dir == IBA_REQ;
        n_response += o->dir == IBA_RSP;
    }
    /* one ACK answers the last of several requests; responses to a READ have PSNs of their own */
    if (n_request > 1)
        response += n_request - 1;
    f->psn += n_request > n_response ? n_request : n_response;
    f->msn++;
    for (const uint8_t *op = ops; *op != END; op++)
        if (row(f, *op)->name)
            one_packet(f, *op, row(f, *op)->dir == IBA_REQ ? request++ : response++);
}

void flow_line(struct job *job, const char *service, const char *encap)
{
    struct flow f = {.job = job, .encap = encap, .psn = 0xfffff0, .msn = 0};

    for (unsigned svc = IBA_RC; svc <= IBA_XRC; svc++)
        if (strcmp(iba_svc_name((enum iba_svc)svc), service) == 0) {
            f.service = (uint8_t)(svc << 5);
            for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
                one_exchange(&f, exchanges[i]);
            return;
        }
    die(job, "no such service", service);
}
