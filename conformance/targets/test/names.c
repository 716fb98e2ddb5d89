/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of broken devices: each names the row that is changed and how, reasons stand with their rows, and a wrong name
 * is refused with the changes that there are. test/mutants.c lets the devices send. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "targets/mutant.h"
#include "transport/iba_tags.h"

enum { PREFIX = sizeof "mutant:" - 1 };
static const struct iba_rules *const tables[IBA_TABLE_COUNT] = {
#define TABLE(id, rules, title) [IBA_TABLE_##id] = &rules,
    IBA_RULE_TABLES(TABLE)};
static const struct iba_cm_rules *const cm_tables[IBA_CM_TABLES] = {[IBA_CM_TABLE_MESSAGES] = &iba_cm_message_rules,
                                                                    [IBA_CM_TABLE_TIMERS] = &iba_cm_timer_rules,
                                                                    [IBA_CM_TABLE_VERBS] = &iba_cm_verb_rules};

static const struct ibc_mutant *at(size_t i)
{
    static struct ibc_mutant m;

    return ibc_mutant_at(i, &m) ? &m : NULL;
}

/* Returns the broken device of that spec without "mutant:". */
static const struct ibc_mutant *find(const char *spec)
{
    const struct ibc_mutant *m;
    size_t i = 0;

    while ((m = at(i)) && strcmp(m->spec + PREFIX, spec) != 0)
        i++;
    cr_assert_not_null(m, "%s", spec);
    return m;
}

static struct ref_change applied(const char *spec)
{
    struct ref_change c;
    char err[200] = "";

    cr_assert(mutant_apply(&c, spec, err, sizeof err), "%s: %s", spec, err);
    const int set = c.emits + c.hears + c.decides + c.cm_decides + (c.without_tag > 0) + c.breaks + c.does;
    cr_assert_eq(set, 1, "%s: one change, not %d", spec, set);
    return c;
}

/* ---- the row that is changed ---- */

/* Writes the name of the changed row, as it stands in a spec; of a field only the beginning. */
static void name_of(const struct ref_change *c, uint16_t row, char *to, size_t n)
{
    size_t n_tags;
    const char *list = NULL, *name = NULL;
    char fabric[48];

    if (c->emits || c->hears) {
        list = c->emits ? "emit" : "hear", name = "";
    } else if (c->decides) {
        list = tables[c->table]->name, name = tables[c->table]->row[row].name;
    } else if (c->cm_decides) {
        list = cm_tables[c->cm_table]->name, name = cm_tables[c->cm_table]->row[row].name;
    } else if (c->without_tag) {
        list = "tag", name = iba_tag_rules(&n_tags)[c->without_tag - 1].name;
    } else if (c->breaks) {
        (void)snprintf(fabric, sizeof fabric, "fabric.%s", c->row.table->name);
        list = fabric, name = iba_fabric_row(c->row.table, c->row.row)->name;
    } else {
        list = c->change.list->name, name = c->change.list->row[c->change.row].name;
    }
    (void)snprintf(to, n, "%s.%s", list, name);
    for (; *to; to++)
        *to = *to == ' ' ? '-' : *to;
}

/* Returns the number of the row that differs in a changed table. */
static uint16_t changed_row(const struct ref_change *c)
{
    uint16_t i = 0;

    if (c->decides)
        while (i + 1 < tables[c->table]->n && c->rules.row[i].name == tables[c->table]->row[i].name &&
               memcmp(&c->rules.row[i], &tables[c->table]->row[i], sizeof c->rules.row[i]) == 0)
            i++;
    if (c->cm_decides)
        while (i + 1 < cm_tables[c->cm_table]->n &&
               memcmp(&c->cm_rules.row[i], &cm_tables[c->cm_table]->row[i], sizeof c->cm_rules.row[i]) == 0)
            i++;
    return i;
}

Test(names, each_names_its_row)
{
    const struct ibc_mutant *m;

    for (size_t i = 0; (m = at(i)); i++) {
        const char *spec = m->spec + PREFIX;
        char name[128];
        const struct ref_change c = applied(spec);
        name_of(&c, changed_row(&c), name, sizeof name);
        const size_t n = strlen(name);
        cr_expect(strncmp(spec, name, n) == 0 && (spec[n] == '=' || c.emits || c.hears), "%s changes %s", spec, name);
    }
}

/* In lists whose rows can only be left out, each row can be left out. */
Test(names, each_row_has_a_name)
{
    size_t n;
    const struct iba_tag_row *rows = iba_tag_rules(&n);
    char spec[128], name[64];

    for (size_t i = 0; i < n; i++) {
        (void)snprintf(spec, sizeof spec, "tag.%s=drop", rows[i].name);
        cr_expect(strstr(find(spec)->says, rows[i].sentence) != NULL, "%s", spec);
        cr_expect_eq(applied(spec).without_tag, i + 1);
    }
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (uint16_t i = 0; i < iba_fabric_tables[t]->n; i++) {
            const struct iba_fabric_row *row = iba_fabric_row(iba_fabric_tables[t], i);
            (void)snprintf(name, sizeof name, "%s", row->name);
            (void)snprintf(spec, sizeof spec, "fabric.%s.%s=drop", iba_fabric_tables[t]->name, name);
            for (char *p = spec; *p; p++)
                *p = *p == ' ' ? '-' : *p;
            cr_expect(strstr(find(spec)->says, row->sentence) != NULL, "%s", spec);
        }
    for (const struct hear_row *h = hear_rows; h < hear_rows + hear_row_count; h++) {
        (void)snprintf(spec, sizeof spec, "hear.%s=%s", h->name, h->change);
        cr_expect_str_eq(find(spec)->says + strlen("a device that "), h->words);
    }
    for (const struct emit_row *e = emit_rows; e < emit_rows + emit_row_count; e++) {
        (void)snprintf(spec, sizeof spec, "emit.%s%s%s=%s", e->klass == EMIT_any ? "" : emit_class_names[e->klass],
                       e->klass == EMIT_any ? "" : "/", e->field, e->change);
        cr_expect_eq(find(spec)->allowed, e->allowed, "%s", spec);
    }
}

/* The list has each change that the engine can make, and no others. */
Test(names, each_change_is_listed)
{
    size_t n = emit_row_count + hear_row_count, more;
    struct iba_cm_changed_rules cm;
    struct iba_changed_rules rules;
    struct ibc_mutant last;

    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        for (uint16_t row = 0; row < tables[t]->n; row++)
            for (unsigned kind = IBA_CHANGE_DROP; kind <= IBA_CHANGE_OTHER; kind++)
                for (uint16_t with = 0; with < (kind == IBA_CHANGE_OTHER ? 9 : 1); with++)
                    n += iba_rules_change(&rules, (enum iba_rule_table)t, row, (enum iba_change_kind)kind, with);
    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (uint16_t row = 0; row < cm_tables[t]->n; row++)
            for (unsigned k = 0; k < IBA_CM_ROW_CHANGES; k++)
                n += iba_cm_rules_change(&cm, (enum iba_cm_table)t, row, (enum iba_cm_row_change)k);
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        n += iba_fabric_tables[t]->n;
    (void)iba_tag_rules(&more);
    n += more;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&more);
    for (size_t i = 0; i < more; i++)
        for (uint16_t row = 0; row < lists[i]->n; row++)
            n += (size_t)__builtin_popcount(lists[i]->row[row].kinds);
    cr_expect_eq(ibc_mutant_count(), n, "%zu, not %zu", ibc_mutant_count(), n);
    cr_expect(ibc_mutant_at(n - 1, &last) && !ibc_mutant_at(n, &last));
}

Test(names, kinds_of_changes)
{
    struct ref_change c = applied("requester.order=drop");

    cr_expect(c.does && c.change.kind == IBA_CHANGE_DROP);
    c = applied("queue-pair-states.FLUSHED_STATUS=other");
    cr_expect(c.does && c.change.kind == IBA_CHANGE_OTHER);
    c = applied("emit.ack/bth.psn=+1");
    cr_expect(c.emit.klass == EMIT_ack && c.emit.op == '+' && c.emit.value == 1);
    c = applied("hear.ip.ttl=!64");
    cr_expect(c.hear.minds && c.hear.value == 64 && c.hear.field.where == IBA_H_ipv4);
    c = applied("RC-responder.duplicate=drop");
    cr_expect(c.table == IBA_TABLE_RC_RESPONDER && c.rules.rules.n == tables[c.table]->n - 1);
    c = applied("RC-requester.NAK_KNOWN=other:1");
    cr_expect(c.table == IBA_TABLE_RC_COMPLETER && c.rules.rules.n == tables[c.table]->n);
}

/* ---- reasons and statements ---- */

Test(names, reasons_stand_with_their_rows)
{
    size_t equivalent = 0, not_tested = 0, allowed = 0, breaks = 0;
    const struct ibc_mutant *m;
    const char *spec, *clause;

    for (size_t i = 0; (m = at(i)); i++) {
        equivalent += m->equivalent != NULL;
        not_tested += m->not_tested != NULL;
        allowed += m->allowed && strncmp(m->spec, "mutant:emit.", 12) != 0;
    }
    for (; (spec = mutant_equivalent_at(breaks)); breaks++)
        cr_expect_str_eq(find(spec)->equivalent, mutant_equivalent(spec));
    cr_expect(breaks == equivalent && breaks > 40, "%zu of %zu", breaks, equivalent);
    for (breaks = 0; (spec = mutant_not_tested_at(breaks)); breaks++)
        cr_expect_str_eq(find(spec)->not_tested, mutant_not_tested(spec));
    cr_expect(breaks == not_tested && breaks > 0, "%zu of %zu", breaks, not_tested);
    for (breaks = 0; (spec = mutant_allowed_at(breaks)); breaks++)
        cr_expect_str_eq(find(spec)->allowed, mutant_allowed(spec));
    cr_expect(breaks == allowed && breaks > 30, "%zu of %zu", breaks, allowed);
    for (breaks = 0; (spec = mutant_breaks_at(breaks, &clause)); breaks++) {
        const char *all = find(spec)->clause, *more = strchr(all, ',');
        cr_expect(more && strlen(all) > strlen(clause) && strcmp(all + strlen(all) - strlen(clause), clause) == 0,
                  "%s: %s", spec, all);
        cr_expect_str_eq(mutant_breaks(spec), clause, "%s stands there once", spec);
    }
    cr_expect_eq(breaks, 47, "%zu: a row that goes takes its statements with it", breaks);
    cr_expect_str_eq(find("fabric.arrival.damaged=drop")->clause + strlen(find("fabric.arrival.damaged=drop")->clause) -
                         strlen(",MD-108,WF-11"),
                     ",MD-108,WF-11");
}

/* ---- sentences ---- */

Test(names, sentences)
{
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"header-validation.rc_request=swap", "a device that checks first whether the packet "},
        {"RC-responder.duplicate=drop", "a device without this rule: the request "},
        {"RC-responder.duplicate=other", "a device that, when the request "},
        {"requester.order=drop", "a device that breaks this rule: it "},
        {"queue-pair-states.FLUSHED_STATUS=other", "a device that follows this rule differently: it "},
        {"emit.ack/bth.psn=+1", "a device that sends ACKs with a PSN of one too much"},
        {"emit.bth.psn=+1", "a device that sends packets with a PSN of one too much"},
        {"emit.ack/packet=-1", "a device that sends ACKs once and never again"},
        {"hear.ip.ttl=!64", "a device that drops packets with another TTL than 64"},
        {"fabric.arrival.damaged=drop", "a device without this rule: a packet that came "},
        {"fabric.agent.key_for_get=drop", "a device without this rule: a request "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *says = find(rows[i].spec)->says;
        cr_expect_eq(strncmp(says, rows[i].says, strlen(rows[i].says)), 0, "%s: %s", rows[i].spec, says);
    }
    const struct ibc_mutant *m;
    for (size_t i = 0; (m = at(i)); i++)
        cr_expect(!strstr(m->says, "(null)") && strlen(m->says) < 255 && strlen(m->spec) < sizeof m->spec - 1 &&
                      !strchr(m->spec, ' '),
                  "%s", m->spec);
}

/* ---- names that are refused ---- */

Test(names, changes_that_do_not_exist)
{
    static const char rule[] = "no such change; drop, swap, other or other:N, and not every row has each";
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"RC-responder.duplicate=", rule},
        {"RC-responder.duplicate=drop:1", rule},
        {"RC-responder.duplicate=other:", rule},
        {"RC-responder.duplicate=other:/", rule},
        {"RC-responder.duplicate=other::", rule},
        {"RC-responder.duplicate=other:11", rule},
        {"requester.order=swap", rule},
        {"queue-pair-states.FLUSHED_STATUS=other:1", rule}, /* a behaviour has one other way */
        {"header-validation.malformed=drop",
         "not to be had: later rows read what this one lets through, and would crash"},
        {"emit.bth.psn=x", "no such change; a number, +N, ^N or *N; -N withholds packets"},
        {"hear.ip.ttl=x", "no such change; a number or !N"},
        {"fabric.arrival.damaged=swap", "no such change; drop"},
        {"tag.NAME=swap", "no such change; drop"},
        {"CM-NAME=other",
         "no such change; drop, silent, code, stays, timer, untold or forgets, and not every row has each"},
        {"hear.ip.tttl=!64", "no such row or field; did you mean mutant:hear.ip.ttl?"},
        {"emit.bth.psm=+1", "no such row or field; did you mean mutant:emit.bth.psn?"},
        {"q", "no such row or field; ibconform mutants --list names all"},
    };
    size_t n_tags;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char spec[128], says[300], err[300] = "";
        struct ref_change c;
        (void)snprintf(spec, sizeof spec, "%s", rows[i].spec);
        if (strncmp(spec, "tag.", 4) == 0)
            (void)snprintf(spec, sizeof spec, "tag.%s=swap", iba_tag_rules(&n_tags)[0].name);
        if (strncmp(spec, "CM-NAME", 7) == 0)
            (void)snprintf(spec, sizeof spec, "%s.%s=other", iba_cm_verb_rules.name, iba_cm_verb_rules.row[0].name);
        for (char *p = spec; *p; p++)
            *p = *p == ' ' ? '-' : *p;
        cr_expect_not(mutant_apply(&c, spec, err, sizeof err), "%s", spec);
        if (strstr(rows[i].says, "no such row"))
            (void)snprintf(says, sizeof says, "mutant:%.*s: %s", (int)strcspn(spec, "="), spec, rows[i].says);
        else
            (void)snprintf(says, sizeof says, "mutant:%s: %s", spec, rows[i].says);
        cr_expect_str_eq(err, says, "%s", err);
    }
}
