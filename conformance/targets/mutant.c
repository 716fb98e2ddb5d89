/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of all mutants: changed rows of rule tables and of behaviour lists, and changed fields of sent packets.
 * The list, with names and descriptions, is built at the first call. */
#include "mutant.h"
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include "scenario/scenario.h"
#include "transport/iba_tags.h"

#define PREFIX "mutant:"
enum { MOST = 3072, SAYS = 256, NAME = 96, CLAUSES = 128 };

static struct ibc_mutant all[MOST];
static char says[MOST][SAYS], names[MOST][NAME]; /* names: the part of a spec before '=' */
/* clauses of mutants that break more statements than their row names */
static char clauses[MOST][CLAUSES];
static size_t n_all;
static once_flag once = ONCE_FLAG_INIT;

static const struct iba_rules *const tables[IBA_TABLE_COUNT] = {
#define TABLE(id, rules, title) [IBA_TABLE_##id] = &rules,
    IBA_RULE_TABLES(TABLE)};

/* the beginning of the sentence that a row continues: "the packet ..." */
static const char *const subjects[IBA_TABLE_COUNT] = {
    [IBA_TABLE_VALIDATE] = "the packet ",    [IBA_TABLE_RC_RESPONDER] = "the request ", [IBA_TABLE_RC_COMPLETER] = "",
    [IBA_TABLE_UC_RECEIVER] = "the packet ", [IBA_TABLE_UD_RECEIVER] = "the datagram ",
};
static const char *const kind_names[] = {
    [IBA_CHANGE_DROP] = "drop", [IBA_CHANGE_SWAP] = "swap", [IBA_CHANGE_OTHER] = "other"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

/* ---- names ---- */

/* Writes the names of list and row as one word. */
static void write_name(char *to, size_t room, const char *list, const char *row)
{
    (void)snprintf(to, room, "%s.%s", list, row);
    for (; *to; to++)
        *to = *to == ' ' ? '-' : *to;
}

/* Returns the statements that a broken engine breaks: those of its row, and those that stands.c adds for it. */
static const char *all_clauses(const char *spec, const char *clause)
{
    const char *more = mutant_breaks(spec);

    if (!more)
        return clause;
    (void)snprintf(clauses[n_all], CLAUSES, "%s,%s", clause, more);
    return clauses[n_all];
}

/* Adds a mutant with that name to the list. NULL: the list is full. */
static struct ibc_mutant *next(const char *list, const char *row, const char *change, const char *clause)
{
    struct ibc_mutant *m = n_all < MOST ? &all[n_all] : NULL;

    if (!m)
        return NULL;
    write_name(names[n_all], NAME, list, row);
    (void)snprintf(m->spec, sizeof m->spec, PREFIX "%.70s=%s", names[n_all], change);
    m->clause = all_clauses(m->spec + sizeof PREFIX - 1, clause);
    m->equivalent = mutant_equivalent(m->spec + sizeof PREFIX - 1);
    m->allowed = mutant_allowed(m->spec + sizeof PREFIX - 1);
    m->not_tested = mutant_not_tested(m->spec + sizeof PREFIX - 1);
    m->says = says[n_all++];
    return m;
}

static const char *change_word(enum iba_change_kind kind, uint16_t with, char word[16])
{
    if (kind == IBA_CHANGE_OTHER && with > 0)
        (void)snprintf(word, 16, "%s:%u", kind_names[kind], with);
    else
        (void)snprintf(word, 16, "%s", kind_names[kind]);
    return word;
}

/* ---- rows of rule tables ---- */

static const char *sentence_of(enum iba_rule_table t, const char *name)
{
    for (uint16_t i = 0; i < tables[t]->n; i++)
        if (strcmp(tables[t]->row[i].name, name) == 0)
            return tables[t]->row[i].sentence;
    return "";
}

static void name_rule(char *to, enum iba_rule_table t, uint16_t row, enum iba_change_kind kind, uint16_t with)
{
    const struct iba_rule *r = &tables[t]->row[row];
    const char *who = subjects[t];

    if (kind == IBA_CHANGE_DROP)
        (void)snprintf(to, SAYS, "a device without this rule: %s%s", who, r->sentence);
    else if (kind == IBA_CHANGE_SWAP)
        (void)snprintf(to, SAYS, "a device that checks first whether %s%s, and then whether %s%s", who, r[1].sentence,
                       who, r->sentence);
    else
        (void)snprintf(to, SAYS, "a device that, when %s%s, acts as when %s%s", who, r->sentence, who,
                       sentence_of(t, iba_rules_action_name(t, row, with)));
}

/* False: the row has no such change. */
static bool add_rule(enum iba_rule_table t, uint16_t row, enum iba_change_kind kind, uint16_t with)
{
    struct iba_changed_rules changed;
    char word[16];
    const struct iba_rule *r = &tables[t]->row[row];

    if (!iba_rules_change(&changed, t, row, kind, with))
        return false;
    if (next(tables[t]->name, r->name, change_word(kind, with, word), r->clause))
        name_rule(says[n_all - 1], t, row, kind, with);
    return true;
}

static void add_rules(void)
{
    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        for (uint16_t row = 0; row < tables[t]->n; row++) {
            uint16_t with = 0;
            (void)add_rule((enum iba_rule_table)t, row, IBA_CHANGE_DROP, 0);
            (void)add_rule((enum iba_rule_table)t, row, IBA_CHANGE_SWAP, 0);
            while (add_rule((enum iba_rule_table)t, row, IBA_CHANGE_OTHER, with))
                with++;
        }
}

/* ---- rows of the connection manager's tables ---- */

static const struct {
    const struct iba_cm_rules *rules;
    const char *subject; /* beginning of the sentence that a row continues */
} cm_tables[IBA_CM_TABLES] = {[IBA_CM_TABLE_MESSAGES] = {&iba_cm_message_rules, "the message "},
                              [IBA_CM_TABLE_TIMERS] = {&iba_cm_timer_rules, "the timer of a connection "},
                              [IBA_CM_TABLE_VERBS] = {&iba_cm_verb_rules, "the user "}};
static const char *const cm_changes[IBA_CM_ROW_CHANGES] = {[IBA_CM_ROW_DROP] = "takes no notice of it",
                                                           [IBA_CM_ROW_SILENT] = "sends nothing",
                                                           [IBA_CM_ROW_CODE] = "gives another reason or status",
                                                           [IBA_CM_ROW_STAYS] = "stays in its state",
                                                           [IBA_CM_ROW_TIMER] = "starts no timer",
                                                           [IBA_CM_ROW_UNTOLD] = "does not tell its user",
                                                           [IBA_CM_ROW_FORGETS] = "remembers nothing of it"};

static void add_cm_row(enum iba_cm_table t, uint16_t row)
{
    const struct iba_cm_rules *rules = cm_tables[t].rules;
    struct iba_cm_changed_rules changed;

    for (unsigned k = 0; k < IBA_CM_ROW_CHANGES; k++)
        if (iba_cm_rules_change(&changed, t, row, (enum iba_cm_row_change)k) &&
            next(rules->name, rules->row[row].name, iba_cm_row_change_name((enum iba_cm_row_change)k),
                 rules->row[row].clause))
            (void)snprintf(says[n_all - 1], SAYS, "a device that, when %s%s, %s", cm_tables[t].subject,
                           rules->row[row].sentence, cm_changes[k]);
}

static void add_cm_rules(void)
{
    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (uint16_t row = 0; row < cm_tables[t].rules->n; row++)
            add_cm_row((enum iba_cm_table)t, row);
}

/* ---- rows of a subnet's nodes ---- */

static const struct {
    const char *subject; /* beginning of the sentence that a row continues */
} fabric_subjects[IBA_FABRIC_TABLE_COUNT] = {[IBA_FABRIC_ARRIVAL] = {"a packet that came "},
                                             [IBA_FABRIC_DELIVERY] = {"a packet for the node "},
                                             [IBA_FABRIC_ROUTER] = {"a packet for another subnet "},
                                             [IBA_FABRIC_DEPARTURE] = {"a packet that leaves "},
                                             [IBA_FABRIC_WAITING] = {"a packet that waits "},
                                             [IBA_FABRIC_FLOW] = {"a flow-control packet "},
                                             [IBA_FABRIC_CREDIT] = {"a port "},
                                             [IBA_FABRIC_PACE] = {"a port "},
                                             [IBA_FABRIC_DIRECTED] = {"an SMP "},
                                             [IBA_FABRIC_AGENT] = {"a request "},
                                             [IBA_FABRIC_ATTRIBUTE] = {"the agent "},
                                             [IBA_FABRIC_PORTINFO] = {"a Set "},
                                             [IBA_FABRIC_SWITCHINFO] = {"a Set "},
                                             [IBA_FABRIC_PERFORMANCE] = {"the agent "},
                                             [IBA_FABRIC_BASEBOARD] = {"the request "},
                                             [IBA_FABRIC_CONGESTION] = {"the request "},
                                             [IBA_FABRIC_CONGESTION_ATTRIBUTE] = {"the agent "},
                                             [IBA_FABRIC_NODE] = {"a node "}};

/* Writes the name of a fabric table, such as "fabric.arrival". */
static const char *fabric_list(unsigned t, char name[40])
{
    (void)snprintf(name, 40, "fabric.%.30s", iba_fabric_tables[t]->name);
    return name;
}

static void add_fabric_rules(void)
{
    char list[40];

    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (uint16_t row = 0; row < iba_fabric_tables[t]->n; row++) {
            const struct iba_fabric_row *r = iba_fabric_row(iba_fabric_tables[t], row);
            if (next(fabric_list(t, list), r->name, kind_names[IBA_CHANGE_DROP], r->clause))
                (void)snprintf(says[n_all - 1], SAYS, "a device without this rule: %s%s", fabric_subjects[t].subject,
                               r->sentence);
        }
}

/* ---- rows of tag matching ---- */

static const char tag_list[] = "tag";

static void add_tag_rules(void)
{
    size_t n;
    const struct iba_tag_row *rows = iba_tag_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (next(tag_list, rows[i].name, kind_names[IBA_CHANGE_DROP], rows[i].clause))
            (void)snprintf(says[n_all - 1], SAYS, "a device without this rule: the message %s", rows[i].sentence);
}

/* ---- rows of behaviour lists ---- */

static void add_behaviour(const struct iba_behaviours *list, const struct iba_behaviour *b)
{
    static const char *const forms[] = {[IBA_CHANGE_DROP] = "a device that breaks this rule: it %s",
                                        [IBA_CHANGE_SWAP] = "a device that takes the next row's value where it %s",
                                        [IBA_CHANGE_OTHER] = "a device that follows this rule differently: it %s"};

    for (unsigned kind = 0; kind < KINDS; kind++)
        if ((b->kinds >> kind & 1) && next(list->name, b->name, kind_names[kind], b->clause))
            (void)snprintf(says[n_all - 1], SAYS, forms[kind], b->sentence);
}

static void add_behaviours(void)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t i = 0; i < n; i++)
        for (uint16_t row = 0; row < lists[i]->n; row++)
            add_behaviour(lists[i], &lists[i]->row[row]);
}

/* ---- fields ---- */

static void add_fields(void)
{
    char field[64];

    for (const struct emit_row *e = emit_rows; e < emit_rows + emit_row_count; e++) {
        struct ibc_mutant *m;
        const bool whole = strcmp(e->field, "packet") == 0;
        (void)snprintf(field, sizeof field, "%s%s%s", e->klass == EMIT_any ? "" : emit_class_names[e->klass],
                       e->klass == EMIT_any ? "" : "/", e->field);
        m = next("emit", field, e->change, e->clause);
        if (!m)
            return;
        m->allowed = e->allowed;
        (void)snprintf(says[n_all - 1], SAYS, "a device that sends %s%s%s", emit_class_words[e->klass],
                       whole ? " " : " with ", e->words);
    }
}

static void add_heard(void)
{
    for (const struct hear_row *h = hear_rows; h < hear_rows + hear_row_count; h++)
        if (next("hear", h->name, h->change, h->clause))
            (void)snprintf(says[n_all - 1], SAYS, "a device that %s", h->words);
}

static void name_all(void)
{
    add_rules();
    add_cm_rules();
    add_fabric_rules();
    add_tag_rules();
    add_behaviours();
    add_fields();
    add_heard();
}

size_t ibc_mutant_count(void)
{
    call_once(&once, name_all);
    return n_all;
}

bool ibc_mutant_at(size_t i, struct ibc_mutant *out)
{
    if (i >= ibc_mutant_count())
        return false;
    *out = all[i];
    return true;
}

/* ---- by name ---- */

static bool take_kind(const char *word, enum iba_change_kind *kind, uint16_t *with)
{
    *with = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        const size_t n = strlen(kind_names[k]);
        if (strncmp(word, kind_names[k], n) != 0)
            continue;
        *kind = (enum iba_change_kind)k;
        if (word[n] == ':' && k == IBA_CHANGE_OTHER && word[n + 1] >= '0' && word[n + 1] <= '9' && word[n + 2] == 0)
            *with = (uint16_t)(word[n + 1] - '0');
        else if (word[n] != 0)
            continue;
        return true;
    }
    return false;
}

static bool is_name(const char *list, const char *row, const char *name, size_t len)
{
    char own[NAME];

    write_name(own, sizeof own, list, row);
    return strlen(own) == len && memcmp(own, name, len) == 0;
}

static bool find_rule(struct ref_change *c, const char *name, size_t len, uint16_t *row)
{
    for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
        for (*row = 0; *row < tables[t]->n; ++*row)
            if (is_name(tables[t]->name, tables[t]->row[*row].name, name, len)) {
                c->table = (enum iba_rule_table)t;
                return true;
            }
    return false;
}

static bool find_behaviour(struct ref_change *c, const char *name, size_t len)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t i = 0; i < n; i++)
        for (uint16_t row = 0; row < lists[i]->n; row++)
            if (is_name(lists[i]->name, lists[i]->row[row].name, name, len)) {
                c->change = (struct iba_change){.list = lists[i], .row = row};
                return true;
            }
    return false;
}

static bool find_cm_rule(enum iba_cm_table *t, uint16_t *row, const char *name, size_t len)
{
    for (unsigned i = 0; i < IBA_CM_TABLES; i++)
        for (uint16_t k = 0; k < cm_tables[i].rules->n; k++)
            if (is_name(cm_tables[i].rules->name, cm_tables[i].rules->row[k].name, name, len)) {
                *t = (enum iba_cm_table)i;
                *row = k;
                return true;
            }
    return false;
}

static bool apply_cm(struct ref_change *c, enum iba_cm_table t, uint16_t row, const char *word)
{
    c->cm_table = t;
    for (unsigned k = 0; k < IBA_CM_ROW_CHANGES && !c->cm_decides; k++)
        c->cm_decides = strcmp(word, iba_cm_row_change_name((enum iba_cm_row_change)k)) == 0 &&
                        iba_cm_rules_change(&c->cm_rules, t, row, (enum iba_cm_row_change)k);
    return c->cm_decides;
}

static bool find_fabric_row(struct iba_node_break *b, const char *name, size_t len)
{
    char list[40];

    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++)
        for (b->row = 0; b->row < iba_fabric_tables[t]->n; ++b->row)
            if (is_name(fabric_list(t, list), iba_fabric_row(iba_fabric_tables[t], b->row)->name, name, len)) {
                b->table = iba_fabric_tables[t];
                return true;
            }
    return false;
}

static bool find_tag_row(uint8_t *without, const char *name, size_t len)
{
    size_t n;
    const struct iba_tag_row *rows = iba_tag_rules(&n);

    for (size_t i = 0; i < n; i++)
        if (is_name(tag_list, rows[i].name, name, len)) {
            *without = (uint8_t)(i + 1);
            return true;
        }
    return false;
}

/* Applies the requested change to an existing row. */
static bool apply_row(struct ref_change *c, bool rule, uint16_t row, const char *word)
{
    enum iba_change_kind kind;
    uint16_t with;

    if (!take_kind(word, &kind, &with))
        return false;
    if (rule) {
        c->decides = iba_rules_change(&c->rules, c->table, row, kind, with);
        return c->decides;
    }
    c->change.kind = (uint8_t)kind;
    c->does = with == 0 && (c->change.list->row[c->change.row].kinds >> kind & 1) != 0;
    return c->does;
}

static const char *name_at(size_t i, const void *ctx)
{
    (void)ctx;
    return names[i];
}

static bool unknown(const char *name, size_t len, char *err, size_t errlen)
{
    char word[NAME];
    const char *nearest;

    (void)snprintf(word, sizeof word, "%.*s", (int)(len < NAME ? len : NAME - 1), name);
    nearest = ibc_nearest(word, name_at, ibc_mutant_count(), NULL);
    (void)snprintf(err, errlen, "mutant:%s: no such row or field; %s%s%s", word,
                   nearest ? "did you mean mutant:" : "ibconform mutants --list names all", nearest ? nearest : "",
                   nearest ? "?" : "");
    return false;
}

static const char field_changes[] = "no such change; a number, +N, ^N or *N; -N withholds packets";
static const char hear_changes[] = "no such change; a number or !N";
static const char row_changes[] = "no such change; drop, swap, other or other:N, and not every row has each";
static const char cm_row_changes[] =
    "no such change; drop, silent, code, stays, timer, untold or forgets, and not every row has each";
static const char only_drop[] = "no such change; drop";
static const char guards[] = "not to be had: later rows read what this one lets through, and would crash";

static bool impossible(const char *spec, const char *why, char *err, size_t errlen)
{
    (void)snprintf(err, errlen, "mutant:%s: %s", spec, why);
    return false;
}

/* Writes why a spec names no mutant. `known`: the row or field exists, so its change is wrong. `why`: the changes
 * that exist. */
static bool no_such(const char *spec, size_t len, bool known, const char *why, char *err, size_t errlen)
{
    return known ? impossible(spec, why, err, errlen) : unknown(spec, len, err, errlen);
}

enum { FIELD_AT = 5 }; /* after "emit." or "hear." */

static bool apply_field(struct ref_change *c, const char *spec, size_t len, const char *change, char *err,
                        size_t errlen)
{
    struct ref_emit other;

    c->emits = emit_parse(&c->emit, spec + FIELD_AT, len - FIELD_AT, change);
    return c->emits ||
           no_such(spec, len, emit_parse(&other, spec + FIELD_AT, len - FIELD_AT, "0"), field_changes, err, errlen);
}

static bool apply_heard(struct ref_change *c, const char *spec, size_t len, const char *change, char *err,
                        size_t errlen)
{
    struct ref_hear other;

    c->hears = hear_parse(&c->hear, spec + FIELD_AT, len - FIELD_AT, change);
    return c->hears ||
           no_such(spec, len, hear_parse(&other, spec + FIELD_AT, len - FIELD_AT, "0"), hear_changes, err, errlen);
}

bool mutant_apply(struct ref_change *c, const char *spec, char *err, size_t errlen)
{
    const char *end = strrchr(spec, '='), *change = end ? end + 1 : "";
    const size_t len = end ? (size_t)(end - spec) : strlen(spec);
    uint16_t row;
    bool rule;

    *c = (struct ref_change){0};
    if (strncmp(spec, "emit.", FIELD_AT) == 0)
        return apply_field(c, spec, len, change, err, errlen);
    if (strncmp(spec, "hear.", FIELD_AT) == 0)
        return apply_heard(c, spec, len, change, err, errlen);
    enum iba_cm_table t;
    if (find_cm_rule(&t, &row, spec, len))
        return apply_cm(c, t, row, change) || impossible(spec, cm_row_changes, err, errlen);
    const bool drops = strcmp(change, kind_names[IBA_CHANGE_DROP]) == 0;
    if (find_fabric_row(&c->row, spec, len)) {
        c->breaks = drops;
        return drops || impossible(spec, only_drop, err, errlen);
    }
    if (find_tag_row(&c->without_tag, spec, len))
        return drops || impossible(spec, only_drop, err, errlen);
    rule = find_rule(c, spec, len, &row);
    if (!rule && !find_behaviour(c, spec, len))
        return unknown(spec, len, err, errlen);
    if (apply_row(c, rule, row, change))
        return true;
    return impossible(spec, rule && iba_rule_is_guard(c->table, row) ? guards : row_changes, err, errlen);
}
