/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes changed copies of rule tables, and has the list of all lists of behaviours. */
#include "adapter/iba_change_rules.h"
#include <string.h>
#include "cm/deviations_cm.h"
#include "fabric/deviations_port.h"
#include "memory/deviations_memory.h"
#include "transport/deviations_limiter.h"
#include "transport/deviations_qp.h"
#include "transport/deviations_rd.h"
#include "transport/deviations_receiver.h"
#include "transport/deviations_requester.h"

#define LIST_ADDRESS(list) &list,
static const struct iba_behaviours *const lists[] = {
    IBA_MEM_LISTS(LIST_ADDRESS) IBA_PORT_LISTS(LIST_ADDRESS) IBA_QP_LISTS(LIST_ADDRESS) IBA_RECEIVE_LISTS(LIST_ADDRESS)
        IBA_RD_LISTS(LIST_ADDRESS) IBA_REQUESTER_LISTS(LIST_ADDRESS) IBA_CM_LISTS(LIST_ADDRESS)
            IBA_LIMITER_LISTS(LIST_ADDRESS)};

const struct iba_behaviours *const *iba_behaviour_lists(size_t *n)
{
    *n = sizeof lists / sizeof *lists;
    return lists;
}

static const struct iba_rules *const true_tables[IBA_TABLE_COUNT] = {
#define TABLE(id, rules, title) [IBA_TABLE_##id] = &rules,
    IBA_RULE_TABLES(TABLE)};

enum { PLAIN = 16, ACTIONS = 3 };
typedef void action(struct iba_rx *x);

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* The list of names ends with NULL. */
static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (same(name, *names))
            return true;
    return false;
}

/* The guards. Later rows read fields that exist only if none of these rows applied. The row multicast is no guard: a
 * device without it finds no QP for the packet, which is safe. */
static const char *const guards[] = {
    "cut_by_capture", "malformed", "foreign_link", "no_transport", "raw_unwanted", "raw", "multicast", "no_qp", NULL};
static const char *const may_go[] = {"multicast", NULL};

/* Rows whose actions any row may have: they use no field that a packet may lack, and do not walk the table again. The
 * first action of each table drops the packet without an answer. */
static const char *const plain[IBA_TABLE_COUNT][PLAIN] = {
    [IBA_TABLE_VALIDATE] = {"fragment", "pkey_differs", "cnp"},
    [IBA_TABLE_RC_RESPONDER] = {"gap_after_rnr", "gap", "duplicate", "reserved", "no_receive_wqe", "send_too_long",
                                "receive_protected", "write_denied"},
    [IBA_TABLE_RC_COMPLETER] = {"DUPLICATE", "UNSOLICITED_ACK", "RETRIES_EXHAUSTED", "RESPONSE_LOST", "NAK_SEQUENCE",
                                "RNR_EXHAUSTED", "NAK_INVALID_REQUEST", "NAK_REMOTE_ACCESS", "NAK_REMOTE_OPERATION",
                                "ACK", "OTHER_KIND", "READ_WRONG_LENGTH"},
    [IBA_TABLE_UC_RECEIVER] = {"reserved", "hole", "receive_protected"},
    [IBA_TABLE_UD_RECEIVER] = {"no_mad", "receive_protected"},
};

static const struct iba_rule *named(enum iba_rule_table t, const char *name)
{
    for (const struct iba_rule *r = true_tables[t]->row; r < true_tables[t]->row + true_tables[t]->n; r++)
        if (same(r->name, name))
            return r;
    return NULL;
}

/* Before the row no_qp the packet has no QP to act on. */
static bool has_qp(enum iba_rule_table t, uint16_t row)
{
    return t != IBA_TABLE_VALIDATE || &true_tables[t]->row[row] > named(t, "no_qp");
}

static bool is_plain(enum iba_rule_table t, uint16_t row, action *a)
{
    for (size_t i = 0; i < PLAIN && plain[t][i] && (i == 0 || has_qp(t, row)); i++) {
        const struct iba_rule *r = named(t, plain[t][i]);
        if (r && r->then == a)
            return true;
    }
    return false;
}

/* Adds the action of `from` to the list, if `row` can have that action, and neither `row` nor the list has it. */
static uint16_t offer(const struct iba_rule **list, uint16_t n, enum iba_rule_table t, uint16_t row,
                      const struct iba_rule *from)
{
    if (!from || from->then == true_tables[t]->row[row].then || !is_plain(t, row, from->then))
        return n;
    for (uint16_t i = 0; i < n; i++)
        if (list[i]->then == from->then)
            return n;
    list[n] = from;
    return (uint16_t)(n + 1);
}

/* Collects other actions that the row can have: those of the nearest rows after and before it, and the silent drop. */
static uint16_t others(enum iba_rule_table t, uint16_t row, const struct iba_rule **list)
{
    const struct iba_rules *table = true_tables[t];
    uint16_t n = 0;

    if (row >= table->n)
        return 0;
    for (uint16_t i = (uint16_t)(row + 1); i < table->n && n == 0; i++)
        n = offer(list, n, t, row, &table->row[i]);
    for (uint16_t i = row, had = n; i-- > 0 && n == had;)
        n = offer(list, n, t, row, &table->row[i]);
    return offer(list, n, t, row, named(t, plain[t][0]));
}

uint16_t iba_rules_actions(enum iba_rule_table t, uint16_t row)
{
    const struct iba_rule *list[ACTIONS];

    return others(t, row, list);
}

const char *iba_rules_action_name(enum iba_rule_table t, uint16_t row, uint16_t with)
{
    const struct iba_rule *list[ACTIONS];

    return with < others(t, row, list) ? list[with]->name : NULL;
}

bool iba_rule_is_guard(enum iba_rule_table t, uint16_t row)
{
    return t == IBA_TABLE_VALIDATE && row < true_tables[t]->n && is_among(true_tables[t]->row[row].name, guards);
}

/* Returns whether the row can be left out. A row that cannot be left out cannot be swapped with its successor either:
 * for a packet to which both apply, the two changes are the same. */
static bool can_go(enum iba_rule_table t, uint16_t row)
{
    return !iba_rule_is_guard(t, row) || is_among(true_tables[t]->row[row].name, may_go);
}

/* Returns whether the row can be swapped with its successor. If both have the same action, the swap changes nothing. */
static bool can_swap(enum iba_rule_table t, uint16_t row)
{
    const struct iba_rules *table = true_tables[t];

    return can_go(t, row) && row + 1u < table->n && table->row[row].then != table->row[row + 1].then;
}

static bool is_possible(enum iba_rule_table t, uint16_t row, enum iba_change_kind kind, uint16_t with)
{
    switch (kind) {
    case IBA_CHANGE_DROP: return can_go(t, row);
    case IBA_CHANGE_SWAP: return can_swap(t, row);
    case IBA_CHANGE_OTHER: return with < iba_rules_actions(t, row);
    }
    return false;
}

bool iba_rules_change(struct iba_changed_rules *out, enum iba_rule_table t, uint16_t row, enum iba_change_kind kind,
                      uint16_t with)
{
    const struct iba_rules *table = true_tables[t];
    const struct iba_rule *list[ACTIONS];

    if (row >= table->n || !is_possible(t, row, kind, with))
        return false;
    memcpy(out->row, table->row, table->n * sizeof *table->row);
    out->rules = (struct iba_rules){.name = table->name, .row = out->row, .n = table->n};
    if (kind == IBA_CHANGE_DROP) {
        out->rules.n--;
        memmove(&out->row[row], &out->row[row + 1], (size_t)(table->n - row - 1) * sizeof *out->row);
    } else if (kind == IBA_CHANGE_SWAP) {
        out->row[row] = table->row[row + 1];
        out->row[row + 1] = table->row[row];
    } else if (with < others(t, row, list))
        out->row[row].then = list[with]->then;
    return true;
}
