/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes messages and events of a connection manager as expectations. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "grammar.h"
#include "known.h"
#include "predict.h"
#include "scenario/field.h"

enum { MOST_FIELDS = 14 }; /* a line has IBC_MAX_ARGS */

/* Fields that each connection manager must fill with the same value: those that its user chooses, and reasons. */
static const char *const always[] = {"reason", "msgrej", "status", "localqpn", "qpn"};
/* Fields that are not compared: another word of the line determines them, or the device chooses their value. */
static const char *const never[] = {"localcommid", "remotecommid", "requestid", "localcaguid",
                                    "localeecn",   "remoteeecn",   "localqkey"};

static bool is_in(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_said(const struct iba_field *f, uint32_t is_free)
{
    if (f->mem_size == 0 || f->bits > 64 || f->name[0] == '=' || is_in(never, sizeof never / sizeof *never, f->name))
        return false;
    return !(is_free & FUZZ_FREE_cm) || is_in(always, sizeof always / sizeof *always, f->name);
}

static size_t put_id(char *to, size_t room, const char *name, uint32_t is, uint32_t known, const char *as)
{
    const int n = is == known && known ? snprintf(to, room, " %s=%s", name, as)
                  : is == 0            ? snprintf(to, room, " %s=0", name)
                                       : 0;

    return n > 0 ? (size_t)n : 0;
}

/* Writes the two communication IDs of a message, or its one request ID. */
static size_t put_ids(char *to, size_t room, const struct run_live *c, uint16_t attribute, const uint8_t *data)
{
    char device[IBC_NAME + 8], tester[IBC_NAME + 8];
    size_t n;

    snprintf(device, sizeof device, "%s.id", c->o->name);
    snprintf(tester, sizeof tester, "%s.peer", c->o->name);
    if (attribute == IBA_CM_ID_SIDR_REQ || attribute == IBA_CM_ID_SIDR_REP)
        return put_id(to, room, "requestid", iba_cm_sidr_req_requestid(data),
                      attribute == IBA_CM_ID_SIDR_REQ ? c->id[1] : c->peer,
                      attribute == IBA_CM_ID_SIDR_REQ ? device : tester);
    n = put_id(to, room, "localcommid", iba_cm_rtu_localcommid(data), c->id[1], device);
    if (attribute == IBA_CM_ID_REQ)
        return n;
    return n + put_id(to + n, room - n, "remotecommid", iba_cm_rtu_remotecommid(data), c->peer, tester);
}

size_t predict_cm_message(char *to, size_t room, const struct predicting *f, const struct run_live *c,
                          const uint8_t *mad, bool same_tid)
{
    const uint8_t *data = mad + IBA_BYTES_madhdr;
    const uint16_t attribute = iba_madhdr_attributeid(mad);
    const struct iba_mad_attr *a = iba_mad_attr(IBA_CLASS_CM, attribute);
    unsigned said = 0;
    size_t n;

    assert(a && attribute >= IBA_CM_ID_REQ && attribute < IBA_CM_ID_REQ + IBC_MESSAGES);
    const struct iba_hdr_info *l = &iba_mad_layouts[a->part[0].layout];
    n = (size_t)snprintf(to, room, "%s %s", c->o->name, ibc_message_name((size_t)attribute - IBA_CM_ID_REQ, NULL));
    if (same_tid)
        n += (size_t)snprintf(to + n, room - n, " tid=%s.tid", c->o->name);
    n += put_ids(to + n, room - n, c, attribute, data);
    for (unsigned k = 0; k < l->n_field && said < MOST_FIELDS && n + 60 < room; k++)
        if (is_said(&l->field[k], f->c.is_free)) {
            n += (size_t)snprintf(to + n, room - n, " %s=0x%" PRIx64, l->field[k].name,
                                  iba_field_get(&l->field[k], data));
            said++;
        }
    return n;
}

const uint8_t *predict_cm_of(const struct run_live *c, const struct iba_view *v)
{
    return c->kind == IBC_O_cm && v->payload_len == IBA_MAD_BYTES ? v->wire + v->payload_at : NULL;
}

void predict_cm_events(struct predicting *f, struct run_player *p)
{
    struct iba_cm_event e;

    if (f->c.is_free & FUZZ_FREE_cm)
        return;
    for (const struct run_live *c; (c = run_cm_next_event(p, &e)) != NULL;)
        predict_print(f, "  %s" FUZZ_WORD(told) "%s\n", c->o->name, iba_cm_event_name((enum iba_cm_event_kind)e.kind));
    for (unsigned i = 0; i < IBC_MAX_OBJECTS; i++)
        if (p->live[i].made && p->live[i].kind == IBC_O_cm)
            predict_print(f, "  %s" FUZZ_WORD(told) "none\n", p->live[i].o->name);
}
