/* SPDX-License-Identifier: BSD-2-Clause */
/* The health probe: one good exchange on a queue pair, region and domain of its own. */
#include <string.h>
#include "run/play.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode.h"

enum { HEALTH = IBC_MAX_OBJECTS, BYTES = 64, BUFFER = 256 };

static enum iba_qp_type service_of(const struct run_player *p)
{
    const enum iba_qp_type s = p->play->service;

    if (s == IBA_QPT_RC || s == IBA_QPT_UC || s == IBA_QPT_UD)
        return s;
    return p->caps >> IBC_CAP_rc & 1 ? IBA_QPT_RC : IBA_QPT_UD;
}

/* Returns the index of a P_Key with full membership, whatever the scenario wrote to the table. */
static uint8_t pkey_index(const struct run_player *p, unsigned d)
{
    for (unsigned i = 0; i < RUN_PKEYS; i++)
        if (p->pkey[d][i] > 0x8000)
            return (uint8_t)i;
    return 0;
}

static void describe(const struct run_player *p, struct run_live *q, unsigned d)
{
    static const struct ibc_object line = {.name = "health", .kind = IBC_O_qp};

    memset(q, 0, sizeof *q);
    q->o = &line;
    q->kind = IBC_O_qp;
    q->type = (uint8_t)service_of(p);
    q->device = (uint8_t)d;
    q->epsn = q->next_psn = 0x000100;
    q->psn = 0x000200;
    q->peer = 0xfedc00 | (uint32_t)p->seed % 256;
    q->qkey = 0x22222222;
    q->pkey_index = pkey_index(p, d);
    q->attr.hop = 64;
    q->attr.a = (struct iba_qp_attr){
        .port = 1,
        .path_mtu = IBA_MTU_256,
        .rq_psn = q->epsn,
        .sq_psn = q->psn,
        .qkey = q->qkey,
        .pkey_index = (uint8_t)q->pkey_index,
        .min_rnr = 12,
        .retry = 7,
        .rnr_retry = 7,
        .max_rd = 1,
        .max_dest_rd = 1,
    };
}

static enum ibc_rc make(struct run_player *p, struct run_live *q, struct ibc_mr *mr)
{
    const struct ibc_target_ops *ops = p->t->ops;
    const struct ibc_mr_spec m = {.length = BUFFER, .access = IBA_ACCESS_LOCAL_WRITE, .fill = 'h'};
    struct ibc_mr_spec spec = m;
    struct ibc_qp_spec qp = {.type = q->type, .sig_all = true, .sq = 4, .rq = 4};
    enum ibc_rc rc = ops->create_pd(p->t, q->device, &qp.pd);

    spec.pd = qp.pd;
    if (rc == IBC_OK)
        rc = ops->reg_mr(p->t, q->device, &spec, mr);
    if (rc == IBC_OK)
        rc = ops->create_cq(p->t, q->device, 16, &q->scq);
    qp.scq = qp.rcq = q->rcq = q->scq;
    if (rc == IBC_OK)
        rc = ops->create_qp(p->t, q->device, &qp, &q->id[0]);
    q->made = rc == IBC_OK;
    return rc;
}

static bool set_up(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    struct iba_recv_wr wr = {.n_sge = 1};
    struct ibc_mr mr = {0};
    struct run_wr *w = &p->wr[p->n_wr];

    if (p->n_wr == RUN_MAX_WR)
        return run_error(p, s, "more work requests than a play may post");
    if (!run_did(p, s, make(p, q, &mr), "make a QP") || !run_raise_qp(p, q, IBA_QPS_INIT, s))
        return false;
    wr.sge[0] = (struct iba_sge){.addr = mr.local, .length = BUFFER, .lkey = mr.lkey};
    *w = (struct run_wr){.object = HEALTH, .recv = true, .op = IBA_WR_RECV, .n_sge = 1, .sge = {wr.sge[0]}};
    wr.wr_id = ++p->n_wr;
    return run_did(p, s, p->t->ops->post_recv(p->t, q->device, q->id[0], &wr), "take a receive") &&
           run_raise_from(p, q, IBA_QPS_INIT, IBA_QPS_RTS, s);
}

static struct ibc_arg number(enum ibc_key key, uint64_t n)
{
    return (struct ibc_arg){.key = (uint8_t)key, .n = 1, .v = {{.kind = IBC_V_NUMBER, .n = n, .mask = UINT64_MAX}}};
}

static struct ibc_arg field(enum iba_hdr hdr, const char *name, uint64_t n, uint64_t mask)
{
    return (struct ibc_arg){.key = IBC_K_FIELD,
                            .hdr = (uint8_t)hdr,
                            .field = iba_field_find(hdr, name),
                            .n = 1,
                            .name = name,
                            .v = {{.kind = IBC_V_NUMBER, .n = n, .mask = mask}}};
}

/* Returns the service's first opcode for an operation of one packet without immediate data. */
static uint16_t only(enum iba_svc svc, enum iba_operation operation)
{
    for (unsigned code = 0; code < IBC_ANY_OPCODE; code++)
        if (iba_opcodes[code].svc == svc && iba_opcodes[code].operation == operation &&
            iba_opcodes[code].pos == IBA_ONLY)
            return (uint16_t)code;
    return IBC_ANY_OPCODE;
}

static uint16_t send_only(uint8_t type)
{
    return only(type == IBA_QPT_RC ? IBA_RC : type == IBA_QPT_UC ? IBA_UC : IBA_UD, IBA_OPERATION_SEND);
}

static bool exchange(struct run_player *p, const struct ibc_step *s, struct run_live *q)
{
    enum { KIND = 0x60 };
    const struct ibc_arg out[] = {number(IBC_K_payload, BYTES),
                                  field(IBA_H_bth, "a", q->type == IBA_QPT_RC, UINT64_MAX)};
    const struct ibc_arg in[] = {field(IBA_H_bth, "psn", q->epsn, UINT64_MAX), field(IBA_H_aeth, "syndrome", 0, KIND)};
    const struct ibc_arg done[] = {number(IBC_K_recv, 1)};
    struct ibc_step step = {.kind = IBC_S_send,
                            .n_arg = 2,
                            .object = HEALTH,
                            .op = send_only(q->type),
                            .arg = out,
                            .line = s->line,
                            .text = "health: SEND_ONLY"};

    if (!run_step_send(p, &step))
        return false;
    step = (struct ibc_step){.kind = IBC_S_expect,
                             .n_arg = 2,
                             .object = HEALTH,
                             .op = only(IBA_RC, IBA_OPERATION_ACK),
                             .arg = in,
                             .line = s->line,
                             .text = "health: ACKNOWLEDGE syndrome=ack"};
    if (q->type == IBA_QPT_RC) {
        if (!run_step_expect(p, &step))
            return false;
        run_flight_measure(p, run_now(p) - p->sent_by);
    }
    step = (struct ibc_step){.kind = IBC_S_completion,
                             .n_arg = 1,
                             .object = HEALTH,
                             .op = IBC_NO_OP,
                             .arg = done,
                             .line = s->line,
                             .text = "health: a receive completes"};
    return run_step_completion(p, &step);
}

bool run_health(struct run_player *p, const struct ibc_step *s)
{
    struct run_live *q = &p->live[HEALTH];
    bool well = true;

    for (unsigned d = 0; well && d < p->n_device; d++) {
        describe(p, q, d);
        well = set_up(p, s, q) && exchange(p, s, q);
        q->made = false;
        q->head = q->tail = NULL;
    }
    if (!well && p->verdict == IBC_IS_FAIL)
        run_gone(p);
    return well;
}
