/* SPDX-License-Identifier: BSD-2-Clause */
/* ibtables rules|rows|behaviours|qp-states|opcodes|fields|counters|findings|decisions|fabric|spoiled [--format
 * md|dot|man]: the tables of libiba, as the code has them.
 *
 * rules: every rule table; rows: the same for programs, table<TAB>row; behaviours: every list of them; qp-states: the
 * transitions of modify QP; opcodes, fields: the wire formats; counters: of a port; findings, decisions: of the
 * observer; fabric: of switches and agents. Markdown; DOT for qp-states; a manual page for findings, with what
 * ibdissect says of them. */
#include <stdio.h>
#include <string.h>
#include "adapter/iba_change_rules.h"
#include "cm/iba_cm_rules.h"
#include "fabric/iba_node.h"
#include "targets/sm_spoil_rows.h"
#include "finding_help.h"
#include "observer/iba_decision.h"
#include "observer/iba_finding_kinds.h"
#include "transport/iba_dc.h"
#include "transport/iba_recv.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define MEMORY_NAME "memory translation"

static const struct {
    const struct iba_rules *rules;
    const char *title;
} tables[] = {
#define TABLE(id, rules_, title_) {&rules_, title_},
    IBA_RULE_TABLES(TABLE)};

/* ---- rules ---- */

static void rule_head(const char *title, const char *name)
{
    printf("## %s\n\nTable `%s`; the first row that applies decides.\n\n", title, name);
    printf("| no. | rule | sentence | clause |\n|---:|---|---|---|\n");
}

/* The states of a row, by their names. */
static void states(uint32_t in)
{
    const char *comma = "";

    for (unsigned s = 0; s < IBA_CMS_COUNT; s++)
        if (in >> s & 1) {
            printf("%s%s", comma, iba_cm_state_name((enum iba_cm_state)s));
            comma = ", ";
        }
}

static void cm_md(void)
{
    static const struct iba_cm_rules *const of[] = {&iba_cm_message_rules, &iba_cm_timer_rules, &iba_cm_verb_rules};
    static const char *const titles[] = {"Connection manager: messages (sections 12.6 to 12.11)",
                                         "Connection manager: timers (section 12.9.8)",
                                         "Connection manager: verbs (section 12.9)"};
    static const char *const answers[] = {
#define ANSWER(name) #name,
        IBA_CM_ANSWERS(ANSWER)};

    for (size_t t = 0; t < COUNT(of); t++) {
        printf("\n## %s\n\nTable `%s`; the first row that applies decides.\n\n"
               "| no. | rule | sentence | states | answer | next state | clause |\n|---:|---|---|---|---|---|---|\n",
               titles[t], of[t]->name);
        for (unsigned i = 0; i < of[t]->n; i++) {
            const struct iba_cm_rule *r = &of[t]->row[i];
            printf("| %u | `%s` | %s | ", i + 1, r->name, r->sentence);
            states(r->in);
            printf(" | %s", r->answer == IBA_CMA_NOTHING ? "" : answers[r->answer]);
            if (r->code)
                printf(" %u", r->code);
            printf(" | %s | %s |\n", r->next == IBA_CM_SAME ? "" : iba_cm_state_name((enum iba_cm_state)r->next),
                   r->clause);
        }
    }
}

/* The rows of a model without a specification say whether the public description has them. */
static void dc_md(const char *title, const char *name, const struct iba_dc_row *row, unsigned n)
{
    printf("\n## %s\n\nTable `%s` (`core/transport/iba_dc.h`); the first row that applies decides.\n\n", title, name);
    printf("| no. | rule | sentence | source |\n|---:|---|---|---|\n");
    for (unsigned i = 0; i < n; i++)
        printf("| %u | `%s` | %s | %s |\n", i + 1, row[i].name, row[i].sentence,
               row[i].described ? "public description" : "our choice");
}

static void rules_md(void)
{
    for (size_t t = 0; t < COUNT(tables); t++) {
        const struct iba_rules *r = tables[t].rules;
        rule_head(tables[t].title, r->name);
        for (unsigned i = 0; i < r->n; i++)
            printf("| %u | `%s` | %s | %s |\n", i + 1, r->row[i].name, r->row[i].sentence, r->row[i].clause);
        printf("\n");
    }
    rule_head("Memory translation (section 10.6)", MEMORY_NAME);
    for (size_t i = 0; i < iba_mem_rule_count; i++)
        printf("| %zu | `%s` | %s | %s |\n", i + 1, iba_mem_rules[i].name, iba_mem_rules[i].sentence,
               iba_mem_rules[i].clause);
    printf("\n");
    rule_head("Receives of several messages (iba_recv.h)", "streaming receives");
    for (unsigned i = 0; i < IBA_RECV_ROWS; i++)
        printf("| %u | `%s` | the receive %s | |\n", i + 1, iba_recv_rows[i].name, iba_recv_rows[i].sentence);
    dc_md("Model of dynamic connections: initiator", "DC initiator", iba_dc_initiator_rows, IBA_DC_INITIATOR_ROWS);
    dc_md("Model of dynamic connections: target", "DC target", iba_dc_target_rows, IBA_DC_TARGET_ROWS);
    cm_md();
}

static void rows(void)
{
    for (size_t t = 0; t < COUNT(tables); t++)
        for (unsigned i = 0; i < tables[t].rules->n; i++)
            printf("%s\t%s\n", tables[t].rules->name, tables[t].rules->row[i].name);
    for (size_t i = 0; i < iba_mem_rule_count; i++)
        printf(MEMORY_NAME "\t%s\n", iba_mem_rules[i].name);
}

/* ---- behaviours ---- */

static const char *changes(uint8_t kinds)
{
    static const char *const words[] = {"",
                                        "left out",
                                        "exchanged",
                                        "left out, exchanged",
                                        "otherwise",
                                        "left out, otherwise",
                                        "exchanged, otherwise",
                                        "any"};
    return words[kinds & 7];
}

static void behaviours_md(void)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t l = 0; l < n; l++) {
        printf("%s## %s\n\n| no. | row | an unbroken device | can be | clause |\n|---:|---|---|---|---|\n",
               l ? "\n" : "", lists[l]->name);
        for (unsigned i = 0; i < lists[l]->n; i++) {
            const struct iba_behaviour *b = &lists[l]->row[i];
            printf("| %u | `%s` | %s | %s | %s |\n", i + 1, b->name, b->sentence, changes(b->kinds), b->clause);
        }
    }
}

/* ---- states of a QP ---- */

static const char *state_id(uint8_t state)
{
    static const char *const id[] = {
#define STATE_ID(name, words) #name,
        IBA_QP_STATES(STATE_ID)};
    return id[state];
}

static void attributes(uint32_t mask)
{
    static const struct {
        uint32_t bit;
        const char *words;
    } attr[] = {
#define ATTR(name, bit, words) {UINT32_C(1) << (bit), words},
        IBA_QP_ATTRS(ATTR)};
    const char *comma = "";

    for (size_t i = 0; i < COUNT(attr); i++)
        if (mask & attr[i].bit) {
            printf("%s%s", comma, attr[i].words);
            comma = ", ";
        }
    if (!*comma)
        printf("-");
}

static bool takes_attributes(const struct iba_transition *t)
{
    for (unsigned type = 0; type < IBA_QPT_COUNT; type++)
        if (t->required[type] | t->optional[type])
            return true;
    return false;
}

static bool same_attributes(const struct iba_transition *t, unsigned a, unsigned b)
{
    return t->required[a] == t->required[b] && t->optional[a] == t->optional[b];
}

/* QP types from `type` on with the same attributes share the line of the first of them. */
static bool listed_before(const struct iba_transition *t, unsigned type)
{
    for (unsigned earlier = 0; earlier < type; earlier++)
        if (same_attributes(t, earlier, type))
            return true;
    return false;
}

static void types_alike(const struct iba_transition *t, unsigned type)
{
    const char *comma = "";

    for (unsigned other = type; other < IBA_QPT_COUNT; other++)
        if (same_attributes(t, type, other)) {
            printf("%s%s", comma, iba_qp_type_name((enum iba_qp_type)other));
            comma = ", ";
        }
}

static void transition_rows(const struct iba_transition *t)
{
    if (!takes_attributes(t)) {
        printf("| %s → %s | all | - | - | %s |\n", state_id(t->from), state_id(t->to), t->clause);
        return;
    }
    for (unsigned type = 0; type < IBA_QPT_COUNT; type++) {
        if (listed_before(t, type))
            continue;
        printf("| %s → %s | ", state_id(t->from), state_id(t->to));
        types_alike(t, type);
        printf(" | ");
        attributes(t->required[type]);
        printf(" | ");
        attributes(t->optional[type]);
        printf(" | %s |\n", t->clause);
    }
}

static void qp_states_md(void)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    printf("| transition | QP types | must be given | may be given | clause |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++)
        transition_rows(&t[i]);
}

static void qp_states_dot(void)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    printf("digraph qp_states {\n    rankdir=LR;\n    node [shape=box, style=rounded];\n");
    for (unsigned s = 0; s < IBA_QPS_COUNT; s++)
        printf("    %s [label=\"%s\"];\n", state_id((uint8_t)s), iba_qp_state_name((enum iba_qp_state)s));
    for (size_t i = 0; i < n; i++) {
        const bool any_time = t[i].to == IBA_QPS_RESET || t[i].to == IBA_QPS_ERR;
        printf("    %s -> %s [label=\"%s\"%s];\n", state_id(t[i].from), state_id(t[i].to), t[i].clause,
               any_time ? ", color=gray, fontcolor=gray" : "");
    }
    /* Behaviour of the adapter apart from rules. */
    printf("    RTS -> SQE [label=\"QS-24 (UC, UD)\", style=dashed];\n");
    for (unsigned s = IBA_QPS_RTR; s < IBA_QPS_ERR; s++)
        printf("    %s -> ERR [label=\"QS-25\", style=dashed];\n", state_id((uint8_t)s));
    printf("}\n");
}

/* ---- wire formats ---- */

static void headers_of(uint64_t set)
{
    const char *comma = "";

    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        if (h != IBA_H_bth && (set & IBA_HDR_BIT(h))) {
            printf("%s%s", comma, iba_headers[h].title);
            comma = ", ";
        }
}

static void opcodes_md(void)
{
    static const char *const dir[] = {"request", "response"}, *const pos[] = {"First", "Middle", "Last", "Only"};
    static const char *const pay[] = {"none", "path MTU", "1 to path MTU", "0 to path MTU", "8"};

    printf("| code | opcode | direction | position | payload bytes | headers after the BTH "
           "|\n|---|---|---|---|---|---|\n");
    for (unsigned code = 0; code < COUNT(iba_opcodes); code++) {
        const struct iba_opcode *op = &iba_opcodes[code];
        if (!op->name)
            continue;
        printf("| 0x%02x | %s | %s | %s | %s | ", code, op->title, dir[op->dir], pos[op->pos], pay[op->pay]);
        headers_of(op->hdrs);
        printf(" |\n");
    }
}

static void fields_md(void)
{
    printf("| header | field | first bit | bits | label |\n|---|---|---:|---:|---|\n");
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        for (unsigned i = 0; i < iba_headers[h].n_field; i++) {
            const struct iba_field *f = &iba_headers[h].field[i];
            if (f->mem_size > 0) /* not a view */
                printf("| %s | `%s` | %u | %u | %s |\n", iba_headers[h].title, f->name, f->at, f->bits, f->label);
        }
}

static void findings_md(void)
{
    printf("| finding | field | severity | sentence | clause |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        const struct iba_finding_info *f = &iba_findings[i];
        printf("| `%s` | `%s` | %s | %s | %s |\n", f->name, f->field, iba_severity_name(f->severity), f->sentence,
               f->clause);
    }
}

/* A text in a manual page: mdoc reads a line that begins with a dot or an apostrophe as a macro, and a backslash as an
 * escape. Sentences begin on lines of their own, as mdoc wants them. */
static void mdoc_text(const char *s)
{
    for (; *s; s++) {
        if (*s == '\\')
            putchar('\\');
        putchar(*s == ' ' && (s[-1] == '.' || s[-1] == ':') ? '\n' : *s);
    }
    putchar('\n');
}

static void findings_man(void)
{
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        const struct iba_finding_info *f = &iba_findings[i];
        printf(".Ss %s\nThe packet %s.\n(%s, infiniband.analysis.%s, clause %s)\n.Pp\n", f->name, f->sentence,
               iba_severity_name(f->severity), f->field, f->clause);
        mdoc_text(finding_help[i].means);
        printf(".Pp\n.Em Causes :\n");
        mdoc_text(finding_help[i].causes);
        printf(".Pp\n.Em What to do :\n");
        mdoc_text(finding_help[i].advice);
    }
}

static void decisions_md(void)
{
    static const struct iba_decisions *const decisions[] = {&iba_why_rules, &iba_late_rules,  &iba_answer_rules,
                                                            &iba_ack_rules, &iba_alone_rules, &iba_copy_rules};

    for (size_t t = 0; t < COUNT(decisions); t++) {
        printf("%s## %s\n\nTable `%s`; the first row that applies decides.\n\n", t ? "\n" : "", decisions[t]->question,
               decisions[t]->name);
        printf("| no. | rule | says | sentence | clause |\n|---:|---|---|---|---|\n");
        for (unsigned i = 0; i < decisions[t]->n; i++) {
            const struct iba_decision *d = &decisions[t]->row[i];
            printf("| %u | `%s` | %s | %s | %s |\n", i + 1, d->name, d->says, d->sentence, d->clause);
        }
    }
}

static void fabric_md(void)
{
    for (unsigned t = 0; t < IBA_FABRIC_TABLE_COUNT; t++) {
        const struct iba_fabric_table *table = iba_fabric_tables[t];
        printf("%s## %s\n\nTable `%s`.\n\n| no. | rule | sentence | clause |\n|---:|---|---|---|\n", t ? "\n" : "",
               table->title, table->name);
        for (unsigned i = 0; i < table->n; i++) {
            const struct iba_fabric_row *r = iba_fabric_row(table, i);
            printf("| %u | `%s` | %s | %s |\n", i + 1, r->name, r->sentence, r->clause);
        }
    }
}

static void spoiled_md(void)
{
    static const struct {
        const char *name, *sentence;
    } spoil[] = {
#define SPOIL(name, class, method, attribute, when, change, sentence) {#name, sentence},
        SM_SPOILS(SPOIL)};

    printf("| spoiled manager | it ... |\n|---|---|\n");
    for (size_t i = 0; i < COUNT(spoil); i++)
        printf("| `%s` | %s |\n", spoil[i].name, spoil[i].sentence);
}

static void counters_md(void)
{
    static const struct {
        const char *type, *name, *words, *clause;
    } counter[] = {
#define COUNTER(type, name, words, clause) {#type, #name, words, clause},
        IBA_PORT_COUNTERS(COUNTER)};

    printf("| counter | type | counts | clause |\n|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT(counter); i++)
        printf("| `%s` | `%s` | %s | %s |\n", counter[i].name, counter[i].type, counter[i].words, counter[i].clause);
}

static const struct {
    const char *name, *format;
    void (*print)(void);
} commands[] = {
    {"rules", "md", rules_md},           {"rows", "md", rows},
    {"qp-states", "md", qp_states_md},   {"qp-states", "dot", qp_states_dot},
    {"opcodes", "md", opcodes_md},       {"fields", "md", fields_md},
    {"counters", "md", counters_md},     {"findings", "md", findings_md},
    {"behaviours", "md", behaviours_md}, {"decisions", "md", decisions_md},
    {"findings", "man", findings_man},   {"fabric", "md", fabric_md},
    {"spoiled", "md", spoiled_md},
};

int main(int argc, char **argv)
{
    const char *format = argc == 4 && !strcmp(argv[2], "--format") ? argv[3] : "md";

    for (size_t i = 0; i < COUNT(commands) && (argc == 2 || argc == 4); i++)
        if (!strcmp(argv[1], commands[i].name) && !strcmp(format, commands[i].format)) {
            commands[i].print();
            return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
        }
    fprintf(stderr,
            "ibtables rules|rows|behaviours|qp-states|opcodes|fields|counters|findings|decisions|fabric|spoiled "
            "[--format md|dot|man]; DOT is for qp-states, man for findings\n");
    return 2;
}
