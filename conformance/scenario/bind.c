/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include "expr.h"
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* ---- variables ---- */
static bool var_add(struct ibc_binder *b, const struct ibc_vary *v, const char *name, const char *value)
{
    struct ibc_number n;
    char *sum;

    value = ibc_expand(b, value, v->line, v->column);
    if (value == NULL)
        return false;
    if (ibc_expr_is_compound(value)) { /* computed here, so that $x*2 is twice the whole value */
        ibc_expr(value, false, &n);
        sum = ibc_arena_take(b->arena, 24);
        snprintf(sum, 24, "%llu", (unsigned long long)n.n);
        value = sum;
    }
    if (b->n_var == IBC_MAX_VARS)
        return ibc_fault(b->fault, v->line, v->column, "more than %d names vary", IBC_MAX_VARS);
    b->var[b->n_var++] = (struct ibc_var){name, value};
    return true;
}

/* Sets the variables of a variation. The variable of the last `vary` line changes fastest from one variation to the
 * next. */
static bool vars(struct ibc_binder *b, unsigned variation)
{
    const struct ibc_loaded *l = b->loaded;
    unsigned rest = l->s.n_variation;

    for (const struct ibc_vary *v = l->vary; v < l->vary + l->n_vary; v++) {
        const unsigned at = variation / (rest /= v->n_value);

        variation %= rest;
        for (unsigned i = 0; i < v->n_name; i++)
            if (!var_add(b, v, v->name[i], v->value[at * v->n_name + i]))
                return false;
    }
    return true;
}

/* Returns the text of a variation, such as "pmtu=256 epsn=0x7fffff". */
static char *variation_text(struct ibc_binder *b, const char *before, const char *behind)
{
    size_t n = strlen(before) + strlen(behind) + 1;
    char *out, *at;

    for (unsigned i = 0; i < b->n_var; i++)
        n += strlen(b->var[i].name) + strlen(b->var[i].value) + 2;
    at = out = ibc_arena_take(b->arena, n);
    at += sprintf(at, "%s", before);
    for (unsigned i = 0; i < b->n_var; i++)
        at += sprintf(at, "%s%s=%s", i == 0 ? "" : " ", b->var[i].name, b->var[i].value);
    memcpy(at, behind, strlen(behind) + 1);
    return out;
}

/* ---- objects ---- */
static void object_add(struct ibc_play *p, const char *name, enum ibc_object_kind kind, uint32_t line)
{
    struct ibc_object *o = &p->object[p->n_object++];

    memcpy(o->name, name, strlen(name) + 1); /* structure() in load.c checked that it fits */
    o->kind = (uint8_t)kind;
    o->line = line;
}

/* Adds the tester's ends of the wires to a node: "s.1" is at port 1 of node s, and so on; "s.0" is the node's
 * software. */
static void wires_add(struct ibc_play *p, const struct ibc_text *t)
{
    char name[IBC_NAME];

    for (unsigned i = 0; i <= ibc_node_ports(t); i++) {
        snprintf(name, sizeof name, "%.*s.%u", IBC_NAME - 4, t->word[1].s, i);
        object_add(p, name, IBC_O_wire, t->line);
    }
}

/* Registers all objects of the play; their attributes are read when their line is reached. */
static void objects(struct ibc_binder *b)
{
    const struct ibc_loaded *l = b->loaded;

    b->play->object = ibc_arena_zero(b->arena, IBC_MAX_OBJECTS * sizeof *b->play->object);
    object_add(b->play, "pd", IBC_O_pd, 0);
    object_add(b->play, "m", IBC_O_mr, 0);
    object_add(b->play, "l", IBC_O_mr, 0);
    for (const struct ibc_text *t = l->body; t < l->body + l->n_body; t++) {
        if (t->form == IBC_FORM_OBJECT)
            object_add(b->play, t->word[1].s, (enum ibc_object_kind)t->kind, t->line);
        if (t->form == IBC_FORM_OBJECT && ibc_is_node(t->kind))
            wires_add(b->play, t);
    }
}

/* ---- steps ---- */
static struct ibc_step *step_new(struct ibc_binder *b)
{
    struct ibc_play *p = b->play;
    struct ibc_step *more;

    if (p->n_step == IBC_MAX_STEPS) {
        ibc_fault(b->fault, b->at->line, b->at->column, "more than %d steps", IBC_MAX_STEPS);
        return NULL;
    }
    if (p->n_step == b->room) {
        b->room = b->room == 0 ? 32 : 2 * b->room;
        more = ibc_arena_take(b->arena, b->room * sizeof *more);
        if (p->n_step > 0)
            memcpy(more, p->step, p->n_step * sizeof *more);
        p->step = more;
    }
    more = &p->step[p->n_step++];
    *more = (struct ibc_step){.kind = b->at->kind,
                              .many = b->at->many,
                              .says = b->at->says,
                              .why = b->at->why,
                              .is_alternative = b->at->alternative,
                              .object = UINT16_MAX,
                              .op = IBC_NO_OP,
                              .line = b->at->line};
    return more;
}

static const char *text_of_line(struct ibc_binder *b)
{
    const struct ibc_text *t = b->at;

    return t->dollar ? ibc_expand(b, t->text, t->line, t->column) : t->text;
}

static bool object_line(struct ibc_binder *b, bool above)
{
    struct ibc_play *p = b->play;
    uint16_t i = 0;
    struct ibc_step *s;

    while (p->object[i].line != b->at->line)
        i++;
    b->compares = b->packet = false;
    b->message = 0;
    if (!ibc_args(b, ibc_shape_of_object((enum ibc_object_kind)b->at->kind), 2, &p->object[i].arg, &p->object[i].n_arg))
        return false;
    if (above)
        return true;
    if (ibc_role_has_subnet(p->scenario->role))
        return ibc_fault(b->fault, b->at->line, b->at->column, "a %s stands above the first step",
                         ibc_object_names[b->at->kind]);
    s = step_new(b);
    if (s == NULL)
        return false;
    s->kind = IBC_S_object;
    s->object = i;
    s->arg = p->object[i].arg;
    s->n_arg = p->object[i].n_arg;
    s->text = text_of_line(b);
    return s->text != NULL;
}

static uint8_t service_of(const struct ibc_play *p, uint16_t object)
{
    const struct ibc_object *o = &p->object[object];

    return (uint8_t)ibc_arg_n(o->arg, o->n_arg, IBC_K_type, p->service);
}

/* Makes the step a management datagram, which is always a UD SEND Only (MD-12). */
static void datagram(struct ibc_binder *b, struct ibc_step *s)
{
    s->op = ibc_opcode_find("SEND_ONLY", IBA_QPT_UD);
    b->hdrs = ibc_opcode_hdrs(s->op);
}

/* Reads the name of a connection manager's message. */
static bool message(struct ibc_binder *b, struct ibc_step *s, const struct ibc_word *w)
{
    s->message = b->message = ibc_message_find(w->s);
    datagram(b, s);
    return s->message != 0 || ibc_fault_unknown(IBC_AT(b, w), "message", w->s, ibc_message_name, IBC_MESSAGES, NULL);
}

/* Returns the message whose fields a verb or event of a connection manager has. */
static uint16_t message_of(const struct ibc_step *s)
{
    static const uint8_t of_verb[IBC_CM_VERB_COUNT] = {
#define VERB_MESSAGE(name, message) [IBC_CM_##name] = IBA_CM_ID_##message,
        IBC_CM_VERBS(VERB_MESSAGE)};
    static const uint8_t of_event[IBA_CME_COUNT] = {
        [IBA_CME_REQ] = IBA_CM_ID_REQ,           [IBA_CME_REP] = IBA_CM_ID_REP,
        [IBA_CME_MRA] = IBA_CM_ID_MRA,           [IBA_CME_REJ] = IBA_CM_ID_REJ,
        [IBA_CME_ESTABLISHED] = IBA_CM_ID_RTU,   [IBA_CME_DREQ] = IBA_CM_ID_DREQ,
        [IBA_CME_DREP] = IBA_CM_ID_DREP,         [IBA_CME_LAP] = IBA_CM_ID_LAP,
        [IBA_CME_APR] = IBA_CM_ID_APR,           [IBA_CME_SAP] = IBA_CM_ID_SAP,
        [IBA_CME_SPR] = IBA_CM_ID_SPR,           [IBA_CME_SIDR_REQ] = IBA_CM_ID_SIDR_REQ,
        [IBA_CME_SIDR_REP] = IBA_CM_ID_SIDR_REP,
    };

    if (s->kind == IBC_S_call)
        return of_verb[s->op];
    return s->kind == IBC_S_told ? of_event[s->op] : 0;
}

static const char *smp_name(size_t i, const void *unused)
{
    (void)unused;
    return ibc_smp_name(i);
}

/* Reads the method and attribute of a datagram to or from a management agent: "GET PortInfo". `w` is the attribute. */
static bool smp(struct ibc_binder *b, struct ibc_step *s, const struct ibc_word *w)
{
    if (w >= b->word + b->n_word)
        return ibc_fault(IBC_AT(b, w - 1), "the attribute is missing");
    s->message = b->message = ibc_smp_find(w->s);
    datagram(b, s);
    return s->message != 0 || ibc_fault_unknown(IBC_AT(b, w), "attribute", w->s, smp_name, ibc_smp_count(), NULL);
}

static bool opcode(struct ibc_binder *b, struct ibc_step *s, const struct ibc_word *w)
{
    struct ibc_number n;

    if (b->play->object[s->object].kind == IBC_O_cm)
        return message(b, s, w);
    if (*w->s >= '0' && *w->s <= '9') {
        if (!ibc_expr(w->s, false, &n) || n.negative || n.n > UINT8_MAX)
            return ibc_fault(IBC_AT(b, w), "'%.40s' is no opcode", w->s);
        s->op = (uint16_t)n.n;
    } else {
        s->op = ibc_opcode_find(w->s, service_of(b->play, s->object));
    }
    if (s->op == IBC_NO_OP && ibc_opcode_exists(w->s))
        return ibc_fault(IBC_AT(b, w), "%s has no %s",
                         iba_qp_type_name((enum iba_qp_type)service_of(b->play, s->object)), w->s);
    if (s->op == IBC_NO_OP)
        return ibc_fault_unknown(IBC_AT(b, w), "opcode", w->s, ibc_opcode_name, 512, NULL);
    if (s->op == IBC_ANY_OPCODE && s->kind == IBC_S_send)
        return ibc_fault(IBC_AT(b, w), "ANY is to be expected, not sent");
    if (s->kind == IBC_S_send && b->play->object[s->object].kind != IBC_O_wire &&
        (s->op == IBC_RAW_OPCODE) != ibc_type_is_raw(service_of(b->play, s->object)))
        return ibc_fault(IBC_AT(b, w), "RAW is what raw queue pairs send, and all they send");
    b->hdrs = ibc_opcode_hdrs(s->op);
    return true;
}

/* Reads a packet on a wire of a subnet; *from moves past its words. */
static bool wire_packet(struct ibc_binder *b, struct ibc_step *s, unsigned *from)
{
    const struct ibc_word *w = &b->word[*from];
    const struct ibc_vocab_row *method = ibc_vocab_find(IBC_VOCAB_METHOD, w->s);

    if (s->kind == IBC_S_set || s->kind == IBC_S_get || s->kind == IBC_S_has) {
        ++*from;
        return smp(b, s, w);
    }
    if (method != NULL) {
        *from += 2;
        s->method = (uint8_t)method->n;
        return smp(b, s, w + 1);
    }
    if (s->kind == IBC_S_gets)
        return ibc_fault_unknown(IBC_AT(b, w), ibc_vocabularies[IBC_VOCAB_METHOD].what, w->s, ibc_vocab_name,
                                 ibc_vocabularies[IBC_VOCAB_METHOD].n, &(const enum ibc_vocab){IBC_VOCAB_METHOD});
    ++*from;
    if (strcmp(w->s, "FLOW") == 0) {
        s->op = IBC_FLOW_OPCODE;
        b->hdrs = 0;
        return true;
    }
    return opcode(b, s, w);
}

/* Reads the word that names the operation, after the word of the step; *from moves past it. */
static bool operation(struct ibc_binder *b, const struct ibc_shape *shape, struct ibc_step *s, unsigned *from)
{
    const struct ibc_word *w = &b->word[*from];
    enum ibc_vocab of = (enum ibc_vocab)shape->op;
    const struct ibc_vocab_row *row;

    if (!shape->op_must && of == IBC_VOCAB_NONE)
        return true;
    if (*from >= b->n_word)
        return !shape->op_must || ibc_fault(IBC_AT(b, w - 1), "the operation is missing");
    if (s->object != UINT16_MAX && b->play->object[s->object].kind == IBC_O_wire && shape->op_must)
        return wire_packet(b, s, from);
    if (shape->packet) {
        (*from)++;
        return opcode(b, s, w);
    }
    row = ibc_vocab_find(of, w->s);
    if (row == NULL)
        return !shape->op_must || ibc_fault_unknown(IBC_AT(b, w), ibc_vocabularies[of].what, w->s, ibc_vocab_name,
                                                    ibc_vocabularies[of].n, &of);
    (*from)++;
    s->op = (uint16_t)row->n;
    s->message = b->message = message_of(s);
    return true;
}

/* Reads the kind of the step and the object that it is for, in either order; *from moves past both words. */
static bool step_object(struct ibc_binder *b, const struct ibc_shape *shape, struct ibc_step *s, unsigned *from)
{
    const char *own = ibc_step_names[s->kind];
    const struct ibc_word *const first = &b->word[*from], *w = first;
    const bool before =
        shape->object == IBC_OBJECT_BEFORE || (shape->object == IBC_OBJECT_MAYBE && strcmp(w->s, own) != 0);

    *from += before ? 2 : 1;
    if (shape->object == IBC_OBJECT_NONE || (shape->object == IBC_OBJECT_MAYBE && !before))
        return true;
    if (!before)
        w++, (*from)++;
    if (*from > b->n_word)
        return ibc_fault(IBC_AT(b, first), "the object is missing");
    s->object = ibc_object_find(b, w, w->s, shape->kinds, false);
    return s->object != UINT16_MAX;
}

/* Joins an alternative to the event before it. A verb is called once: its alternatives differ in the result. */
static bool chain(struct ibc_binder *b)
{
    const unsigned last = b->play->n_step - 1u;
    struct ibc_step *s = b->play->step + last;

    if (!s->is_alternative)
        return true;
    if (ibc_line_family(s->kind) == IBC_FAMILY_VERB && (s->op != s[-1].op || s->object != s[-1].object))
        return ibc_fault(b->fault, b->at->line, b->at->word[b->at->skip].column,
                         "an alternative is what the same verb may answer");
    s[-1].alternative = (uint16_t)last;
    return true;
}

static bool step_line(struct ibc_binder *b)
{
    const struct ibc_shape *shape = ibc_shape_of_step((enum ibc_step_kind)b->at->kind);
    unsigned from = b->at->skip;
    struct ibc_step *s = step_new(b);

    b->message = 0;
    if (s == NULL || !step_object(b, shape, s, &from) || !operation(b, shape, s, &from))
        return false;
    b->compares = shape->compares;
    b->packet = shape->packet;
    b->op = s->op;
    if (!ibc_args(b, shape, from, &s->arg, &s->n_arg))
        return false;
    s->text = text_of_line(b);
    return s->text != NULL && chain(b);
}

/* ---- lines ---- */
static bool lines(struct ibc_binder *b, const struct ibc_text *from, const struct ibc_text *to, unsigned depth);

/* Unrolls a repeat. $i is the index of the innermost repeat, $j that of the repeat around it. */
static bool repeat(struct ibc_binder *b, const struct ibc_text *t, unsigned depth)
{
    const struct ibc_text *end = b->loaded->body + t->end;
    const unsigned outer = b->n_var;
    char *count = ibc_arena_take(b->arena, 12);
    struct ibc_number n;

    if (b->n_word != 2)
        return ibc_fault(b->fault, t->line, t->column, "repeat N");
    if (!ibc_expr(b->word[1].s, false, &n) || n.negative || n.n > IBC_MAX_STEPS)
        return ibc_fault(IBC_AT(b, &b->word[1]), "'%.40s': a number up to %d is wanted", b->word[1].s, IBC_MAX_STEPS);
    b->n_var++;
    if (depth > 0) {
        b->var[outer] = b->var[outer - 1];
        b->var[outer - 1].name = "j";
    }
    for (uint64_t i = 0; i < n.n; i++) {
        snprintf(count, 12, "%u", (unsigned)i);
        b->var[outer] = (struct ibc_var){"i", count};
        if (!lines(b, t + 1, end, depth + 1))
            return false;
    }
    b->n_var = outer;
    if (depth > 0)
        b->var[outer - 1].name = "i";
    return true;
}

static bool line(struct ibc_binder *b, unsigned depth)
{
    const struct ibc_text *t = b->at;

    if (++b->work > IBC_MAX_WORK)
        return ibc_fault(b->fault, t->line, t->column, "too much to repeat");
    b->fault->tail = t->dollar ? b->tail : "";
    if (!ibc_words(b))
        return false;
    if (b->n_word <= t->skip)
        return ibc_fault(b->fault, t->line, t->column, "nothing is left of the line");
    switch ((enum ibc_form)t->form) {
    case IBC_FORM_OBJECT: return object_line(b, b->play->n_step == 0 && depth == 0);
    case IBC_FORM_REPEAT: return repeat(b, t, depth);
    case IBC_FORM_STEP:
    case IBC_FORM_PACKET:
    case IBC_FORM_END: break;
    }
    return step_line(b);
}

static bool lines(struct ibc_binder *b, const struct ibc_text *from, const struct ibc_text *to, unsigned depth)
{
    for (const struct ibc_text *t = from; t < to; t++) {
        b->at = t;
        if (!line(b, depth))
            return false;
        if (t->form == IBC_FORM_REPEAT)
            t = b->loaded->body + t->end;
    }
    return true;
}

struct ibc_play *ibc_play_new(const struct ibc_loaded *l, enum iba_qp_type service, unsigned variation,
                              struct ibc_fault *f, unsigned *work)
{
    struct ibc_arena *arena = ibc_arena_new();
    struct ibc_play *p = ibc_arena_zero(arena, sizeof *p);
    struct ibc_binder b = {.loaded = l, .play = p, .arena = arena, .fault = f};
    bool good;

    *p = (struct ibc_play){.scenario = &l->s, .service = service, .arena = arena};
    good = vars(&b, variation);
    if (good) {
        p->variation = variation_text(&b, "", "");
        b.tail = f->err == NULL || b.n_var == 0 ? "" : variation_text(&b, " (with ", ")");
        objects(&b);
        good = lines(&b, l->body, l->body + l->n_body, 0);
    }
    *work += b.work;
    f->tail = ""; /* the text is stored in the play, which may be freed */
    if (good)
        return p;
    ibc_arena_free(arena);
    return NULL;
}

struct ibc_play *ibc_bind(const struct ibc_scenario *s, enum iba_qp_type service, unsigned variation)
{
    struct ibc_fault f = {.path = s->path};
    unsigned work = 0;

    assert((s->services >> service & 1) != 0 && variation < s->n_variation);
    return ibc_play_new((const struct ibc_loaded *)(const void *)s, service, variation, &f, &work);
}

void ibc_play_free(struct ibc_play *p)
{
    if (p != NULL)
        ibc_arena_free(p->arena);
}
