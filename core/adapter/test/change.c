/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices: whichever row is changed, two adapters exchange traffic without harm to the host; and an unchanged
 * device behaves the same whether or not it could be changed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "adapter/iba_change_rules.h"
#include "change.h"
#include "transport/deviations.h"
#include "transport/deviations_requester.h"

typedef void visit(const struct iba_change *c);

/* Returns whether this list is tested here. The other lists have tests of their own: changed.c in this folder, in
 * core/fabric and in core/transport. */
static bool is_of_requester(const struct iba_behaviours *list)
{
#define IS_LIST(id) || list == &(id)
    return false IBA_REQUESTER_LISTS(IS_LIST);
}

static void each_change(visit *v)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    cr_assert_gt(n, 0);
    for (size_t l = 0; l < n; l++)
        for (uint16_t row = 0; row < lists[l]->n; row++)
            for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++) {
                const struct iba_change c = {.list = lists[l], .row = row, .kind = (uint8_t)kind};
                if (is_of_requester(lists[l]) && lists[l]->row[row].kinds >> kind & 1)
                    v(&c);
            }
}

static void survives(const struct iba_change *c)
{
    for (unsigned s = 0; s < change_scenarios; s++)
        (void)change_outcome(s, c, c, c->row);
}

/* Both ends are broken in the same way; the test checks only that the host is safe. */
Test(change, every_row_of_every_list)
{
    each_change(survives);
}

static unsigned alike, looked_at;

/* These need an XRC or management QP, a second port, an armed path, a buffer that changes, or a peer that answers
 * nonsense. */
static bool is_out_of_reach(const struct iba_change *c)
{
    static const char *const names[] = {"xrc_srqn",     "pkey_smi",  "handle_port",
                                        "BAD_RESPONSE", "LOCAL_RDD", "inline_copied"};
    const char *name = c->list->row[c->row].name;

    if (c->list == &iba_credit_behaviours) /* below, all of them */
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return strcmp(name, "mig_req") == 0 && c->kind == IBA_CHANGE_OTHER;
}

static uint64_t outcome_of_whole(unsigned s, uint16_t row)
{
    static uint64_t known[64];

    cr_assert_lt(change_scenarios, 64);
    if (change_has_codes(s) || !known[s])
        known[s] = change_outcome(s, NULL, NULL, row);
    return known[s];
}

static void differs(const struct iba_change *c)
{
    looked_at++;
    for (unsigned s = 0; s < change_scenarios; s++)
        if (change_outcome(s, c, NULL, c->row) != outcome_of_whole(s, c->row))
            return;
    if (is_out_of_reach(c))
        return;
    alike++;
    fprintf(stderr, "behaviour %s of %s: change of kind %u makes no difference in core/adapter/test/change_world.c\n",
            c->list->row[c->row].name, c->list->name, c->kind);
}

Test(change, a_changed_row_is_another_device)
{
    each_change(differs);
    cr_assert_gt(looked_at, 250);
    cr_assert_eq(alike, 0, "%u of %u changes make no difference", alike, looked_at);
}

static uint32_t limit_of(const struct iba_change *change, uint8_t code)
{
    const struct iba_ca ca = {.change = change, .deviate = change ? &iba_deviations : NULL};
    struct iba_qp qp = {.attr.flow_control = true};

    iba_requester_credit(&ca, &qp, code, 100);
    return qp.s.unlimited ? UINT32_MAX : qp.s.lsn;
}

Test(change, credit_codes)
{
    for (uint8_t row = 0; row < 31; row++) {
        const struct iba_change c = {.list = &iba_credit_behaviours, .row = row, .kind = IBA_CHANGE_SWAP};
        for (uint8_t code = 0; code < 32; code++) {
            const uint8_t as = code == row ? row + 1 : code == row + 1 ? row : code;
            cr_assert_eq(limit_of(&c, code), limit_of(NULL, as), "row %u, code %u", row, code);
        }
    }
    const struct iba_change none = {.list = &iba_credit_behaviours, .row = 31, .kind = IBA_CHANGE_DROP};
    cr_assert_eq(limit_of(NULL, 31), UINT32_MAX);
    cr_assert_eq(limit_of(&none, 31), 0);
}

/* A change to a row that no code consults, and to a list that no code consults. */
Test(change, a_whole_device_does_not_notice)
{
    static const struct iba_behaviour row = {"unused", "does nothing", "RQ-01", 1 << IBA_CHANGE_DROP};
    static const struct iba_behaviours list = {"unused", &row, 1};
    const struct iba_change nobodys = {.list = &list, .kind = IBA_CHANGE_DROP};
    const struct iba_change unasked = {
        .list = &iba_requester_behaviours, .row = IBA_ROW_requester_fence, .kind = IBA_CHANGE_SWAP};

    for (unsigned s = 0; s < change_scenarios; s++) {
        const uint64_t w = change_outcome(s, NULL, NULL, 0);
        cr_assert_eq(change_outcome(s, NULL, NULL, 0), w, "scenario %u is repeatable", s);
        cr_assert_eq(change_outcome(s, &nobodys, &nobodys, 0), w, "scenario %u", s);
        cr_assert_eq(change_outcome(s, &unasked, &unasked, 0), w, "scenario %u", s);
    }
}

/* ---- rule tables ---- */

static void rules_survive(enum iba_rule_table t, const struct iba_rules *rules)
{
    for (unsigned s = 0; s < change_scenarios; s++)
        change_rules_outcome(s, t, rules);
}

static unsigned change_row(enum iba_rule_table t, uint16_t row)
{
    struct iba_changed_rules c;
    unsigned n = 0;

    for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++) {
        const uint16_t most = kind == IBA_CHANGE_OTHER ? iba_rules_actions(t, row) : 1;
        cr_assert_leq(most, 3);
        for (uint16_t with = 0; with < most; with++)
            if (iba_rules_change(&c, t, row, (enum iba_change_kind)kind, with)) {
                rules_survive(t, &c.rules);
                n++;
            }
    }
    return n;
}

static const struct iba_rules *const tables[] = {
#define TABLE(id, rules, title) &rules,
    IBA_RULE_TABLES(TABLE)};

Test(change, every_row_of_every_rule_table)
{
    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        for (uint16_t row = 0; row < tables[t]->n; row++)
            cr_assert(change_row((enum iba_rule_table)t, row) > 0 || iba_rule_is_guard((enum iba_rule_table)t, row),
                      "rule %s of %s cannot be changed, and is no guard (iba_rule_is_guard)", tables[t]->row[row].name,
                      tables[t]->name);
}

static void check_form(enum iba_rule_table t, uint16_t row)
{
    const struct iba_rule *was = tables[t]->row;
    const uint16_t n = tables[t]->n;
    struct iba_changed_rules c;

    if (iba_rules_change(&c, t, row, IBA_CHANGE_DROP, 0)) {
        cr_assert_eq(c.rules.n, n - 1);
        for (uint16_t i = 0; i + 1 < n; i++)
            cr_assert_eq(c.row[i].hit, was[i < row ? i : i + 1].hit);
    }
    if (iba_rules_change(&c, t, row, IBA_CHANGE_SWAP, 0))
        cr_assert(c.rules.n == n && c.row[row].hit == was[row + 1].hit && c.row[row + 1].hit == was[row].hit);
    for (uint16_t with = 0; with < iba_rules_actions(t, row); with++) {
        cr_assert(iba_rules_change(&c, t, row, IBA_CHANGE_OTHER, with));
        cr_assert(c.rules.n == n && c.row[row].when == was[row].when && c.row[row].then != was[row].then);
        cr_assert_not_null(iba_rules_action_name(t, row, with));
    }
    cr_assert_not(iba_rules_change(&c, t, row, IBA_CHANGE_OTHER, iba_rules_actions(t, row)));
    cr_assert_null(iba_rules_action_name(t, row, iba_rules_actions(t, row)));
}

Test(change, the_form_of_a_changed_table)
{
    struct iba_changed_rules c;
    unsigned guards = 0;

    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++) {
        for (uint16_t row = 0; row < tables[t]->n; row++) {
            check_form((enum iba_rule_table)t, row);
            guards += iba_rule_is_guard((enum iba_rule_table)t, row);
        }
        cr_assert_not(iba_rules_change(&c, (enum iba_rule_table)t, tables[t]->n, IBA_CHANGE_DROP, 0));
        cr_assert_not(iba_rules_change(&c, (enum iba_rule_table)t, tables[t]->n, IBA_CHANGE_OTHER, 0));
    }
    cr_assert_eq(guards, 8);
    for (uint16_t row = 0; row < 3; row++) /* cut_by_capture, malformed, foreign_link */
        for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++)
            cr_assert_not(iba_rules_change(&c, IBA_TABLE_VALIDATE, row, (enum iba_change_kind)kind, 0));
}
