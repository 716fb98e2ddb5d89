/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken CMs: changed rows of the tables, and the deviations of the lists. */
#include "cm/deviations_cm.h"
#include <string.h>

enum { REQ_PRIVATE_AT = IBA_BYTES_cm_req * 8 };
enum { BASE_cm_req = 0, BASE_cm_req_private = REQ_PRIVATE_AT, BASE_cm_mra = 0, BASE_cm_rej = 0, BASE_cm_rep = 0 };
enum { BASE_cm_rtu = 0, BASE_cm_dreq = 0, BASE_cm_drep = 0, BASE_cm_apr = 0, BASE_cm_lap = 0 };
enum { BASE_cm_sidr_req = 0, BASE_cm_sidr_rep = 0 };
static const struct {
    uint16_t answer, at, bits;
} fields[] = {
#define FIELD_PLACE(name, message, layout, field, ...)                                                                 \
    {IBA_CMA_##message, BASE_##layout + IBA_AT_##layout##_##field, IBA_W_##layout##_##field},
    IBA_CM_FIELDS(FIELD_PLACE)};

/* ---- rows ---- */

static const struct iba_cm_rules *const true_tables[IBA_CM_TABLES] = {&iba_cm_message_rules, &iba_cm_timer_rules,
                                                                      &iba_cm_verb_rules};

/* The row handles a message for which no slot is free. Later rows use a slot, so this row cannot be left out. */
static bool is_guard(const struct iba_cm_rule *r)
{
    return r->when == iba_cm_no_slot;
}

/* The CM can run without `take` of this row. The messages of a row that takes a slot or a REP are built from what
 * `take` remembers. */
static bool may_forget(const struct iba_cm_rule *r)
{
    if (r->take == iba_cm_take_alternate || r->take == iba_cm_take_lap)
        return true;
    return r->take && (r->answer == IBA_CMA_REJ || r->answer == IBA_CMA_DREP || r->answer == IBA_CMA_MRA ||
                       r->timer == IBA_CMT_SERVICE);
}

static bool change_row(struct iba_cm_rule *r, enum iba_cm_row_change change)
{
    const struct iba_cm_rule old = *r;

    switch (change) {
    case IBA_CM_ROW_SILENT: r->answer = IBA_CMA_NOTHING; return old.answer != IBA_CMA_NOTHING;
    case IBA_CM_ROW_CODE: r->code++; return old.code != 0;
    case IBA_CM_ROW_STAYS: r->next = IBA_CM_SAME; return old.next != IBA_CM_SAME;
    case IBA_CM_ROW_TIMER: r->timer = IBA_CMT_NONE; return old.timer != IBA_CMT_NONE;
    case IBA_CM_ROW_UNTOLD: r->event = IBA_CME_NONE; return old.event != IBA_CME_NONE;
    case IBA_CM_ROW_FORGETS: r->take = NULL; return may_forget(&old);
    default: return false;
    }
}

bool iba_cm_rules_change(struct iba_cm_changed_rules *out, enum iba_cm_table t, uint16_t row,
                         enum iba_cm_row_change change)
{
    const struct iba_cm_rules *table = true_tables[t];
    struct iba_cm_rule changed;

    if (row >= table->n)
        return false;
    changed = table->row[row];
    if (change == IBA_CM_ROW_DROP ? is_guard(&changed) : !change_row(&changed, change))
        return false;
    memcpy(out->row, table->row, table->n * sizeof *out->row);
    out->rules = (struct iba_cm_rules){table->name, out->row, table->n};
    if (change == IBA_CM_ROW_DROP)
        changed.in = 0;
    out->row[row] = changed;
    return true;
}

const char *iba_cm_row_change_name(enum iba_cm_row_change change)
{
    static const char *const names[IBA_CM_ROW_CHANGES] = {"drop",  "silent", "code",   "stays",
                                                          "timer", "untold", "forgets"};

    return names[change];
}

void iba_cm_set_rules(struct iba_cm *cm, enum iba_cm_table t, const struct iba_cm_rules *rules)
{
    cm->table[t] = rules ? rules : true_tables[t];
    cm->broken = rules || cm->change;
}

/* ---- messages ---- */

static void change_field(const struct iba_cm *cm, enum iba_cm_answer a, uint8_t *mad)
{
    const int row = iba_changed_row(cm->change, &iba_cm_field_behaviours);

    if (row < 0 || fields[row].answer != a)
        return;
    uint8_t *data = mad + IBA_BYTES_madhdr;
    if (fields[row].bits > 64)
        data[fields[row].at / 8] ^= 0xff;
    else
        iba_bits_put(data, fields[row].at, fields[row].bits, iba_bits_get(data, fields[row].at, fields[row].bits) + 1);
}

static bool is_reply(enum iba_cm_answer a)
{
    return a != IBA_CMA_AGAIN && a != IBA_CMA_REQ && a != IBA_CMA_DREQ && a != IBA_CMA_LAP && a != IBA_CMA_SAP &&
           a != IBA_CMA_SIDR_REQ;
}

static void deviate_message(const struct iba_cm_rx *x, enum iba_cm_answer a, uint8_t *mad)
{
    const uint64_t tid = iba_madhdr_transactionid(mad);

    change_field(x->cm, a, mad);
    switch (iba_changed_row(x->cm->change, &iba_cm_behaviours)) {
    case IBA_ROW_cm_CLASS_VERSION: iba_madhdr_set_classversion(mad, IBA_CM_VERSION - 1); break;
    case IBA_ROW_cm_METHOD: iba_madhdr_set_method(mad, IBA_CM_SEND - 1); break;
    case IBA_ROW_cm_TID_REPLY: iba_madhdr_set_transactionid(mad, is_reply(a) ? tid + 1 : tid); break;
    case IBA_ROW_cm_TID_AGAIN: iba_madhdr_set_transactionid(mad, a == IBA_CMA_AGAIN ? tid + 1 : tid); break;
    case IBA_ROW_cm_TID_DREQ:
        if (a == IBA_CMA_DREQ)
            iba_madhdr_set_transactionid(mad, x->c->first_tid);
        break;
    case IBA_ROW_cm_AGAIN_SAME: mad[IBA_MAD_BYTES - 1] ^= a == IBA_CMA_AGAIN ? 0xff : 0; break;
    default: break;
    }
}

/* ---- timers ---- */

static iba_time deviate_timeout(const struct iba_cm_rx *x, enum iba_cm_timer t, iba_time runs)
{
    const bool waits = t == IBA_CMT_RESPONSE || t == IBA_CMT_RETRY;

    switch (iba_changed_row(x->cm->change, &iba_cm_behaviours)) {
    case IBA_ROW_cm_TRIES:
        if (t == IBA_CMT_RESPONSE && x->c->tries > 0)
            x->c->tries = x->cm->change->kind == IBA_CHANGE_DROP ? 0 : (uint8_t)(x->c->tries - 1);
        break;
    case IBA_ROW_cm_TRIES_MORE: x->c->tries = (uint8_t)(x->c->tries + (t == IBA_CMT_RESPONSE)); break;
    case IBA_ROW_cm_RESPONSE_TIME: return waits ? runs / 4 : runs;
    case IBA_ROW_cm_RESPONSE_LATE: return waits ? runs * 8 : runs;
    case IBA_ROW_cm_SERVICE_TIME: return t == IBA_CMT_SERVICE ? iba_cm_timeout(x->c, IBA_CMT_RESPONSE) : runs;
    case IBA_ROW_cm_TIMEWAIT: return t == IBA_CMT_TIMEWAIT ? 1 : runs;
    default: break;
    }
    return runs;
}

/* ---- attributes ---- */

static void deviate_attributes(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a)
{
    const uint32_t of_req = iba_cm_req_startpsn(c->req), of_rep = iba_cm_rep_startpsn(c->rep);

    switch (iba_changed_row(cm->change, &iba_cm_behaviours)) {
    case IBA_ROW_cm_PSN_RECEIVE: a->rq_psn = c->active ? of_rep : of_req; break;
    case IBA_ROW_cm_PSN_SEND: a->sq_psn = c->active ? of_req : of_rep; break;
    case IBA_ROW_cm_ATTR_QPN: a->dest_qpn++; break;
    case IBA_ROW_cm_ATTR_MTU: a->path_mtu = IBA_MTU_256; break;
    case IBA_ROW_cm_ATTR_ALTERNATE: a->alt_av.dlid++; break;
    default: break;
    }
}

static const struct iba_cm_deviations deviations = {
    .message = deviate_message, .timeout = deviate_timeout, .attributes = deviate_attributes};

void iba_cm_change(struct iba_cm *cm, const struct iba_change *c)
{
    cm->change = c;
    cm->deviate = c ? &deviations : NULL;
    cm->broken = c != NULL;
}
