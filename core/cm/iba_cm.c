/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager: datagrams and time go in. */
#include "cm/iba_cm.h"
#include <assert.h>
#include <string.h>
#include "cm/iba_cm_input.h"

static const struct iba_cm_rules *const true_tables[IBA_CM_TABLES] = {&iba_cm_message_rules, &iba_cm_timer_rules,
                                                                      &iba_cm_verb_rules};

void iba_cm_init(struct iba_cm *cm, const struct iba_cm_config *cfg)
{
    assert(cfg->n_conn > 0 && cfg->n_port > 0 && cfg->random);
    assert(cfg->n_out >= IBA_CM_RINGS_LEAST && cfg->n_event >= IBA_CM_RINGS_LEAST);
    memset(cm, 0, sizeof *cm);
    cm->cfg = *cfg;
    if (cfg->n_listener > 0)
        memset(cfg->listener, 0, cfg->n_listener * sizeof *cfg->listener);
    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        cm->table[t] = true_tables[t];
    iba_cm_conns_init(cm);
}

static void clock_to(struct iba_cm *cm, iba_time now)
{
    assert(now >= cm->now);
    cm->now = now;
}

/* Other classes, methods and attributes are not the CM's (MD-54). Of messages of another class version, the CM answers
 * only REQ and SIDR_REQ, so that the sender learns the CM's version. */
static bool is_message(const uint8_t *mad)
{
    const uint16_t attribute = iba_madhdr_attributeid(mad);
    const bool known =
        iba_madhdr_classversion(mad) == IBA_CM_VERSION || attribute == IBA_CM_ID_REQ || attribute == IBA_CM_ID_SIDR_REQ;

    return iba_madhdr_baseversion(mad) == 1 && iba_madhdr_mgmtclass(mad) == IBA_CLASS_CM &&
           iba_madhdr_method(mad) == IBA_CM_SEND && attribute >= IBA_CM_ID_REQ && attribute <= IBA_CM_ID_SPR && known;
}

void iba_cm_feed(struct iba_cm *cm, const struct iba_cm_source *from, const uint8_t mad[IBA_MAD_BYTES], iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .from = from, .mad = mad, .data = mad + IBA_BYTES_madhdr, .now = now};

    assert(from->port >= 1 && from->port <= cm->cfg.n_port);
    clock_to(cm, now);
    if (!is_message(mad)) {
        cm->foreign++;
        return;
    }
    if (!iba_cm_has_room(cm)) {
        cm->overrun++;
        return;
    }
    x.on = (uint8_t)(iba_madhdr_attributeid(mad) - IBA_CM_ID_REQ);
    iba_cm_match(&x);
    if (!iba_cm_apply(&x, IBA_CM_TABLE_MESSAGES))
        cm->unexpected++;
}

void iba_cm_advance(struct iba_cm *cm, iba_time now)
{
    struct iba_cm_conn *c;

    clock_to(cm, now);
    while ((c = iba_cm_first_due(cm)) && c->due <= now && iba_cm_has_room(cm)) {
        struct iba_cm_rx x = {.cm = cm, .c = c, .on = IBA_CM_ON_TIMER, .now = now};
        iba_cm_apply(&x, IBA_CM_TABLE_TIMERS);
        if (c->due <= now) /* only a broken CM leaves the timer due */
            iba_cm_set_timer(cm, c, IBA_NEVER);
    }
}

iba_time iba_cm_deadline(const struct iba_cm *cm)
{
    const struct iba_cm_conn *c = iba_cm_first_due(cm);

    return c ? c->due : IBA_NEVER;
}

const struct iba_cm_conn *iba_cm_find(const struct iba_cm *cm, uint32_t id)
{
    return iba_cm_by_id(cm, id);
}

/* ---- names ---- */

#define WORDS(name, words) words,
#define NAMES(name, words) #name,

const char *iba_cm_state_name(enum iba_cm_state s)
{
    static const char *const names[] = {IBA_CM_STATES(WORDS)};

    return names[s];
}

const char *iba_cm_event_name(enum iba_cm_event_kind k)
{
    static const char *const names[] = {IBA_CM_EVENTS(NAMES)};

    return names[k];
}

const char *iba_cm_err_name(enum iba_cm_err e)
{
    static const char *const names[] = {IBA_CM_ERRS(WORDS)};

    return names[e];
}
