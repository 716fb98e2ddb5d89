/* SPDX-License-Identifier: BSD-2-Clause */
/* The table as data: members of structures with their places, and words with their numbers. */
#include <string.h>
#include "protocol.h"
#include "transport/iba_wr_ops.h"

/* ---- structures ---- */

#define FIELD(shape, k, member, want)                                                                                  \
    {.name = #member,                                                                                                  \
     .kind = AG_K_##k,                                                                                                 \
     .need = AG_##want,                                                                                                \
     .size = sizeof(((const struct ag_##shape *)0)->member),                                                           \
     .at = offsetof(struct ag_##shape, member)},
#define FIELDS(shape) static const struct ag_field shape##_fields[] = {AG_M_##shape(FIELD, shape){0}};
#define VERB_FIELDS(verb) FIELDS(verb##_args) FIELDS(verb##_ok)
AG_LEAVES(FIELDS)
AG_BRANCHES(FIELDS)
AG_VERBS(VERB_FIELDS)

#define SHAPE(shape) [AG_S_##shape] = {shape##_fields, AG_N_##shape, sizeof(struct ag_##shape)},
#define VERB_SHAPES(verb) SHAPE(verb##_args) SHAPE(verb##_ok)
const struct ag_shape ag_shapes[AG_S_COUNT] = {AG_LEAVES(SHAPE) AG_BRANCHES(SHAPE) AG_VERBS(VERB_SHAPES)};

#define FORM(kind, how, of) AG_H_##how,
#define OF(kind, how, of) of,
const uint8_t ag_form[AG_K_COUNT] = {AG_KINDS(FORM)}, ag_of[AG_K_COUNT] = {AG_KINDS(OF)};

/* ---- words ---- */

#define STATE(name, text) {#name, IBA_QPS_##name},
#define TYPE(name, text) {#name, IBA_QPT_##name},
#define OP(name, text) {#name, IBA_WR_##name},
#define STATUS(name, text) {#name, IBA_WC_##name},
#define EVENT(name, text) {#name, IBA_EVENT_##name},
#define LINK(id, word, encap) {word, IBC_LINK_##id},
#define OBJECT(name) {#name, IBC_O_##name},
#define CAP(name, text) {#name, IBC_CAP_##name},
#define SETTING(name) {#name, IBC_K_##name},
#define ACCESS(name, bit) {#name, bit},

static const struct ag_word states[] = {IBA_QP_STATES(STATE)};
static const struct ag_word types[] = {IBA_QP_TYPES(TYPE)};
static const struct ag_word ops[] = {IBA_WR_OPS(OP)};
static const struct ag_word statuses[] = {IBA_WC_STATUSES(STATUS)};
static const struct ag_word events[] = {IBA_EVENTS(EVENT)};
static const struct ag_word migs[] = {
    {"migrated", IBA_PATH_MIGRATED}, {"rearm", IBA_PATH_REARM}, {"armed", IBA_PATH_ARMED}};
static const struct ag_word links[] = {IBC_LINKS(LINK)};
static const struct ag_word objects[] = {IBC_OBJECT_KINDS(OBJECT)};
static const struct ag_word settings[] = {SETTING(pkey) SETTING(lmc) SETTING(lid) SETTING(mtu) SETTING(congestion)
                                              SETTING(sl2vl) SETTING(pkey_violations) SETTING(qkey_violations)};
#define CM_VERB(name, message) {#name, IBC_CM_##name},
static const struct ag_word cm_verbs[] = {IBC_CM_VERBS(CM_VERB)};
#define CM_EVENT(name, text) {#name, IBA_CME_##name},
static const struct ag_word cm_events[] = {IBA_CM_EVENTS(CM_EVENT)};
static const struct ag_word clocks[] = {{"real", 0}, {"virtual", 1}};
/* numbers of bits, as in the lists of capabilities and links */
static const struct ag_word rights[] = {ACCESS(local_write, 0) ACCESS(remote_write, 1) ACCESS(remote_read, 2)
                                            ACCESS(remote_atomic, 3) ACCESS(mw_bind, 4) ACCESS(zero_based, 5)
                                                ACCESS(flush_global, 6) ACCESS(flush_persistent, 7) ACCESS(on_demand, 8)
                                                    ACCESS(invalidate, 9) ACCESS(unknown, 15)};
static const struct ag_word capabilities[] = {IBC_CAPABILITIES(CAP)};
_Static_assert(IBA_ACCESS_INVALIDATE == 1 << 9 && IBA_ACCESS_OF_REGION == (1 << 10) - 1 &&
                   IBC_ACCESS_UNKNOWN == 1 << 15,
               "the rights above are core's");

#define WORDS(list, text)                                                                                              \
    {                                                                                                                  \
        text, list, sizeof(list) / sizeof(*(list))                                                                     \
    }
const struct ag_words ag_words[AG_W_COUNT] = {
    [AG_W_STATE] = WORDS(states, "state"),
    [AG_W_TYPE] = WORDS(types, "type of QP"),
    [AG_W_OP] = WORDS(ops, "operation"),
    [AG_W_STATUS] = WORDS(statuses, "status"),
    [AG_W_EVENT] = WORDS(events, "event"),
    [AG_W_MIG] = WORDS(migs, "migration state"),
    [AG_W_LINK] = WORDS(links, "link"),
    [AG_W_OBJECT] = WORDS(objects, "kind of object"),
    [AG_W_SETTING] = WORDS(settings, "setting of a port"),
    [AG_W_CM_VERB] = WORDS(cm_verbs, "verb of a connection manager"),
    [AG_W_CM_EVENT] = WORDS(cm_events, "event of a connection manager"),
    [AG_W_CLOCK] = WORDS(clocks, "kind of time"),
    [AG_W_ACCESS] = WORDS(rights, "access right"),
    [AG_W_CAP] = WORDS(capabilities, "capability"),
};

const char *ag_verb_name(enum ag_verb v)
{
#define VERB(verb) #verb,
    static const char *const names[] = {AG_VERBS(VERB) "no_such_verb"};

    return names[v <= AG_V_COUNT ? v : AG_V_COUNT];
}

const char *ag_error_word(enum ag_error e)
{
#define ERROR_WORD(word, text) #word,
    static const char *const words[] = {"", AG_ERRORS(ERROR_WORD) "refused"};

    return words[e <= AG_E_COUNT ? e : AG_E_COUNT];
}
