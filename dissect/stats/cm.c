/* SPDX-License-Identifier: BSD-2-Clause */
/* -z cm: connections as the connection manager established them. */
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "stats/cm_outcome.h"
#include "stats/kinds.h"

void *stat_cm_open(const char *arg, char *err, size_t errlen)
{
    struct cm_survey *s = stat_open_plain("cm", sizeof *s, arg, err, errlen);

    if (s)
        cm_survey_begin(s);
    return s;
}

void stat_cm_packet(void *state, const struct packet *p)
{
    cm_survey_packet(state, p);
}

static const char *service_name(const struct cm_connection *c)
{
    const char *name = c->sidr ? "UD" : iba_value_name(IBA_VALUES_CM_SERVICE, c->service);

    if (cm_is_xrc(c))
        return "XRC";
    return name && c->service < IBA_CM_EXTENDED ? name : "other";
}

static const char *reason_name(const struct cm_connection *c)
{
    const char *name = iba_value_name(c->sidr ? IBA_VALUES_CM_SIDR : IBA_VALUES_CM_REJECT, c->reason);

    return name ? name : "?";
}

static void end_cells(struct table *t, const struct cm_connection *c, const struct cm_end *e)
{
    table_begin(t);
    stat_addr_print(t->o, (enum iba_addr_kind)c->kind, e->addr);
    table_end(t);
    table_begin(t);
    if (e->known)
        out_hex(t->o, e->qpn, 6);
    else
        out_ch(t->o, '-');
    table_end(t);
}

static void row(struct table *t, const struct cm_connection *c)
{
    const char *mtu = iba_value_name(IBA_VALUES_MTU, c->mtu_code);
    char owner[OWNER_BYTES];

    table_u64(t, c->begin_frame);
    end_cells(t, c, &c->active);
    end_cells(t, c, &c->passive);
    table_str(t, service_name(c));
    table_begin(t);
    out_hex(t->o, c->service_id, 16);
    table_end(t);
    owner_text(owner, c->service_id, c->upper);
    table_str(t, owner);
    table_str(t, c->sidr ? "-" : mtu ? mtu : "?");
    table_known(t, c->active.known, c->active.psn);
    table_known(t, c->passive.known && !c->sidr, c->passive.psn);
    table_known(t, !c->sidr, c->retries);
    table_known(t, !c->sidr, c->passive.rnr_retries);
    table_begin(t);
    if (c->sidr)
        out_ch(t->o, '-');
    else
        out_str(t->o, iba_value_name(IBA_VALUES_TIMEOUT, c->ack_timeout));
    table_end(t);
    table_begin(t);
    if (c->answer_frame)
        out_time(t->o, c->answer_ns - c->begin_ns);
    else
        out_ch(t->o, '-');
    table_end(t);
    table_u64(t, c->again);
    table_begin(t);
    out_str(t->o, c->state == CM_REJECTED ? reason_name(c) : cm_state_name((enum cm_state)c->state));
    table_end(t);
}

static void print_text(const struct cm_track *s, const struct cm_outcomes *outcomes, struct out *o)
{
    struct column column[] = {
        {"Packet", 7, false}, {"Active", 15, true},       {"QP", 8, true},           {"Passive", 15, true},
        {"QP", 8, true},      {"Service", 7, true},       {"Service ID", 18, true},  {"Owner", 17, true},
        {"MTU", 5, false},    {"PSN", 8, false},          {"PSN", 8, false},         {"Retries", 7, false},
        {"RNR", 3, false},    {"ACK timeout", 11, false}, {"Answer (s)", 13, false}, {"Again", 5, false},
        {"State", 16, false}};
    const struct cm_connection *c;
    struct table t;

    for (size_t i = 0; (c = cm_track_nth(s, i)) != NULL; i++) {
        column[1].width = stat_addr_wider(o, column[1].width, (enum iba_addr_kind)c->kind, c->active.addr);
        column[3].width = stat_addr_wider(o, column[3].width, (enum iba_addr_kind)c->kind, c->passive.addr);
    }
    table_open(&t, o, "Connections, as the connection manager's messages tell", column, sizeof column / sizeof *column);
    for (size_t i = 0; (c = cm_track_nth(s, i)) != NULL; i++)
        row(&t, c);
    table_rule(&t, '-');
    OUT_LIT(o, "Begun ");
    out_u64(o, s->begun);
    OUT_LIT(o, ", forgotten for want of room ");
    out_u64(o, s->forgotten);
    OUT_LIT(o, ", messages of connections that did not begin here ");
    out_u64(o, s->unknown);
    out_ch(o, '\n');
    table_close(&t);
    cm_outcome_text(outcomes, s, o);
}

static void end_json(struct out *o, const char *key, const struct cm_connection *c, const struct cm_end *e)
{
    json_key(o, key);
    OUT_LIT(o, "{\"address\":\"");
    stat_addr_print(o, (enum iba_addr_kind)c->kind, e->addr);
    out_ch(o, '"');
    json_known(o, "qp", e->known, e->qpn);
    json_known(o, "comm_id", e == &c->active || (e->known && !c->sidr), e->comm_id);
    json_known(o, "psn", e->known && !c->sidr, e->psn);
    json_known(o, "initiator_depth", e->known && !c->sidr, e->reads);
    json_known(o, "rnr_retry_count", !c->sidr && (e == &c->passive || c->passive.known), e->rnr_retries);
    json_key(o, "end_to_end_flow_control");
    out_str(o, !e->known || c->sidr ? "null" : e->flow_control ? "true" : "false");
    out_ch(o, '}');
}

static void connection_json(struct out *o, const struct cm_connection *c, int64_t now_ns)
{
    const char *mtu = iba_value_name(IBA_VALUES_MTU, c->mtu_code);
    char owner[OWNER_BYTES];

    OUT_LIT(o, "{\"frame\":");
    out_u64(o, c->begin_frame);
    json_known(o, "answer_frame", c->answer_frame != 0, c->answer_frame);
    json_known(o, "end_frame", c->end_frame != 0, c->end_frame);
    json_key(o, "answer_time");
    if (c->answer_frame)
        out_time(o, c->answer_ns - c->begin_ns);
    else
        OUT_LIT(o, "null");
    json_str(o, "state", cm_state_name((enum cm_state)c->state));
    json_known(o, "reason", c->state == CM_REJECTED, c->reason);
    json_key(o, "reason_name");
    if (c->state == CM_REJECTED) {
        out_ch(o, '"');
        out_str(o, reason_name(c));
        out_ch(o, '"');
    } else
        OUT_LIT(o, "null");
    json_str(o, "service", service_name(c));
    json_u64(o, "service_id", c->service_id);
    owner_text(owner, c->service_id, c->upper);
    json_str(o, "owner", owner);
    end_json(o, "active", c, &c->active);
    end_json(o, "passive", c, &c->passive);
    json_key(o, "pmtu");
    out_str(o, c->sidr || !mtu ? "null" : mtu);
    json_known(o, "ack_timeout", !c->sidr, c->ack_timeout);
    json_known(o, "retry_count", !c->sidr, c->retries);
    json_known(o, "cm_response_timeout", !c->sidr, c->cm_timeout);
    json_u64(o, "mra", c->mras);
    json_u64(o, "again", c->again);
    cm_outcome_connection_json(o, c, now_ns);
    out_ch(o, '}');
}

static void print_json(const struct cm_track *s, const struct cm_outcomes *outcomes, struct out *o)
{
    const struct cm_connection *c;

    OUT_LIT(o, "{\"stat\":\"cm\"");
    json_u64(o, "begun", s->begun);
    json_u64(o, "forgotten", s->forgotten);
    json_u64(o, "stray", s->unknown);
    json_u64(o, "limit", CM_CONNECTIONS);
    json_key(o, "connections");
    out_ch(o, '[');
    for (size_t i = 0; (c = cm_track_nth(s, i)) != NULL; i++) {
        if (i > 0)
            out_ch(o, ',');
        connection_json(o, c, outcomes->now_ns);
    }
    out_ch(o, ']');
    cm_outcome_json(outcomes, o);
    OUT_LIT(o, "}\n");
}

void stat_cm_print(void *state, struct out *o, bool json)
{
    const struct cm_survey *s = state;
    struct cm_outcomes all;

    cm_survey_outcomes(s, &all);
    (json ? print_json : print_text)(&s->track, &all, o);
}
