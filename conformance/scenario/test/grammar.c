/* SPDX-License-Identifier: BSD-2-Clause */
/* Every row of the table of the language: valid keys are accepted, others are refused with an error for their line. */
#include "load.h"
#include "scenario/grammar.h"
#include "scenario/vocab.h"

/* Lines 5 to 16 of a scenario: an object of each kind. */
#define WORLD                                                                                                          \
    "pd p\nmr r\nmw w\ncq c\nxrcd k\nsrq s\ngroup g\nhandle h\ncm e\nqp a\nqp b type=ud\n> a SEND_ONLY "               \
    "as=known\nwait "                                                                                                  \
    "1s\nwait 1s\n"
/* The same for a scenario of a subnet, whose objects must stand above the first step. */
#define SUBNET_HEAD "title t\nspec RR-03\nrole fabric\n\n"
#define SUBNET "switch x ports=1\nadapter y ports=1\nrouter z ports=1\n\n\n\n\n\n\n\n\n\n\n\n"
/* The same for a scenario of a subnet's manager. */
#define MANAGER_HEAD "title t\nspec RR-03\nrole sm\n\n"
#define MANAGER "switch x ports=1\nadapter y ports=1\nmanager boss at=y.1\n\n\n\n\n\n\n\n\n\n\n\n"
enum { LINE = 19 };
static const char *const named[IBC_O_COUNT] = {"p", "r", "w", "c", "k", "s",   "g",   "h",
                                               "a", "e", "x", "y", "z", "x.1", "new", "boss"};

static bool of_manager(const struct ibc_shape *shape)
{
    return shape->roles == 1 << IBC_ROLE_sm || shape == ibc_shape_of_object(IBC_O_manager) ||
           shape == ibc_shape_of_object(IBC_O_partition);
}

static bool of_subnet(const struct ibc_shape *shape)
{
    return (shape->roles && !(shape->roles & ~(1 << IBC_ROLE_fabric | 1 << IBC_ROLE_sm))) || of_manager(shape) ||
           shape == ibc_shape_of_object(IBC_O_switch) || shape == ibc_shape_of_object(IBC_O_adapter) ||
           shape == ibc_shape_of_object(IBC_O_router) || shape == ibc_shape_of_object(IBC_O_cable);
}

/* Writes lines 1 to 18; the line that is tested follows them. */
static size_t begin(char *text, const struct ibc_shape *shape)
{
    if (of_manager(shape))
        return (size_t)sprintf(text, MANAGER_HEAD MANAGER);
    return (size_t)sprintf(text, "%s%s", of_subnet(shape) ? SUBNET_HEAD : HEAD, of_subnet(shape) ? SUBNET : WORLD);
}

static const char *first_word(enum ibc_vocab v)
{
    return ibc_vocab_name(0, &v);
}

static const char *first_of(unsigned kinds)
{
    for (unsigned k = 0; k < IBC_O_COUNT; k++)
        if ((kinds >> k & 1) != 0)
            return named[k];
    return "";
}

/* Returns a valid value for the row's type. */
static const char *good_value(const struct ibc_row *r, char out[64])
{
    static const char *const of[IBC_T_COUNT] = {
        [IBC_T_PLACE] = "r+4",     [IBC_T_PATTERN] = "x+1", [IBC_T_BYTES] = "0011", [IBC_T_PAYLOAD] = "hex:0011",
        [IBC_T_GID] = "fe80::1",   [IBC_T_TIME] = "1.5us",  [IBC_T_NEW] = "new",    [IBC_T_KNOWN] = "known",
        [IBC_T_NAME] = "rx_write", [IBC_T_DELTA] = "+1",    [IBC_T_CRC] = "bad",    [IBC_T_ERROR] = "any",
        [IBC_T_SPLICE] = "0:00ff", [IBC_T_REMOVE] = "0:1",  [IBC_T_SGE] = "r+1:4",  [IBC_T_PARTY] = "g"};

    switch ((enum ibc_type)r->type) {
    case IBC_T_FLAG: return ibc_key_names[r->key];
    case IBC_T_NUMBER:
    case IBC_T_EVERYWHERE: sprintf(out, "0x%llx", (unsigned long long)r->max); return out;
    case IBC_T_WORD: return strcpy(out, first_word((enum ibc_vocab)r->of));
    case IBC_T_WORDS: return strcpy(out, first_word((enum ibc_vocab)r->of));
    case IBC_T_OBJECT:
    case IBC_T_LATER: return first_of(r->of);
    default: return of[r->type];
    }
}

/* Returns an invalid value for the row's type. */
static const char *bad_value(const struct ibc_row *r, char out[64])
{
    if ((r->type == IBC_T_NUMBER || r->type == IBC_T_EVERYWHERE) && r->max < UINT64_MAX) {
        sprintf(out, "%llu", (unsigned long long)r->max + 1);
        return out;
    }
    if (r->type == IBC_T_NAME || r->type == IBC_T_NEW)
        return "a-name-that-is-longer-than-any-name-may-be";
    return "%";
}

static size_t key_put(char *at, const struct ibc_row *r, const char *value)
{
    if (r->type == IBC_T_FLAG || (r->flags & IBC_R_BARE) != 0)
        return (size_t)sprintf(at, " %s", value);
    return (size_t)sprintf(at, " %s%s=%s", ibc_key_names[r->key], (r->flags & IBC_R_INDEX) != 0 ? "[1]" : "", value);
}

/* Writes the part of the line before its keys. */
static size_t line_begin(char *at, const struct ibc_shape *shape, const char *word, const struct ibc_row *row)
{
    const char *object = first_of(shape->kinds);
    const bool smp = strcmp(word, "set") == 0 || strcmp(word, "get") == 0 || strcmp(word, "has") == 0;
    char *from = at;

    if (shape->object == IBC_OBJECT_BEFORE || shape->object == IBC_OBJECT_MAYBE)
        at += sprintf(at, "%s ", object);
    at += sprintf(at, "%s", word);
    if (shape->object == IBC_OBJECT_AFTER)
        at += sprintf(at, " %s", strcmp(word, "attach") == 0 || strcmp(word, "detach") == 0 ? "b" : object);
    if (shape->packet || smp)
        at += sprintf(at, smp ? " PortInfo" : " SEND_ONLY");
    if (strcmp(word, "gets") == 0)
        at += sprintf(at, " TRAP_REPRESS Notice");
    if (shape->op != 0 && shape->op_must) {
        unsigned op = 0;

        while (row->ops != 0 && (row->ops >> op & 1) == 0)
            op++;
        at += sprintf(at, " %s", ibc_vocabularies[shape->op].row[op].name);
    }
    return (size_t)(at - from);
}

/* Writes the tested line (number LINE) with that row's key and the required keys. */
static void line_put(char *at, const struct ibc_shape *shape, const char *word, const struct ibc_row *row,
                     const char *value, unsigned times)
{
    bool one = (row->flags & IBC_R_ONE) != 0;
    char out[64];

    at += line_begin(at, shape, word, row);
    for (unsigned i = 0; i < shape->n; i++) {
        const struct ibc_row *r = &shape->row[i];
        if (r == row) {
            for (unsigned k = 0; k < times; k++)
                at += key_put(at, row, value);
        } else if ((r->flags & IBC_R_MUST) != 0 || ((r->flags & IBC_R_ONE) != 0 && !one)) {
            one |= (r->flags & IBC_R_ONE) != 0;
            at += key_put(at, r, good_value(r, out));
        }
    }
    strcpy(at, "\nwait 1s\n");
}

static void taken(const char *text, const struct ibc_row *r, const char *value)
{
    char err[500];
    struct ibc_scenario *s = load_text(text, err);
    cr_assert_not_null(s, "%s", err);
    struct ibc_play *p = ibc_bind(s, ibc_role_has_subnet(s->role) ? IBA_QPT_UD : IBA_QPT_RC, 0);
    const struct ibc_arg *arg = NULL;

    for (unsigned i = 0; i < p->n_object && !arg; i++)
        if (ibc_role_has_subnet(s->role) && p->object[i].line == LINE)
            arg = ibc_arg(p->object[i].arg, p->object[i].n_arg, (enum ibc_key)r->key);
    for (unsigned i = 0; i < p->n_step; i++)
        if (p->step[i].line == LINE)
            arg = ibc_arg(p->step[i].arg, p->step[i].n_arg, (enum ibc_key)r->key);
    cr_assert_not_null(arg, "%s", text);
    cr_assert_eq(arg->n, 1);
    if (r->type == IBC_T_NUMBER || r->type == IBC_T_EVERYWHERE)
        cr_assert_eq(arg->v[0].n, r->max, "%s %s", text, value);
    cr_assert((r->flags & IBC_R_INDEX) == 0 || arg->at == 1);
    done(p, s);
}

static void loads(const char *text)
{
    char err[500];
    struct ibc_scenario *s = load_text(text, err);

    cr_assert_not_null(s, "%s", err);
    ibc_free(s);
}

static void refused(const char *text, const char *at)
{
    char err[500];

    cr_assert_null(load_text(text, err), "loads: %s", text);
    cr_assert_eq(strncmp(err, at, strlen(at)), 0, "%s: %s", text, err);
}

static unsigned rows_visit(const struct ibc_shape *shape, const char *word)
{
    char text[2000], line[64], out[64];
    const size_t n = begin(text, shape);

    sprintf(line, "f.ibt:%d:", LINE);
    for (unsigned i = 0; i < shape->n; i++) {
        const struct ibc_row *r = &shape->row[i];
        const char *value = good_value(r, out);

        line_put(text + n, shape, word, r, value, 1);
        taken(text, r, value);
        line_put(text + n, shape, word, r, value, 2);
        if ((r->flags & IBC_R_MANY) == 0 && (r->flags & IBC_R_BARE) == 0)
            refused(text, line);
        if (r->type != IBC_T_FLAG) {
            line_put(text + n, shape, word, r, bad_value(r, out), 1);
            refused(text, line);
            line_put(text + n, shape, word, r, "", (r->flags & IBC_R_BARE) == 0);
            if ((r->flags & IBC_R_BARE) == 0 || (r->flags & IBC_R_MUST) != 0)
                refused(text, line);
        }
    }
    return shape->n;
}

Test(grammar, each_key_of_each_step_is_taken_and_checked)
{
    unsigned rows = 0;

    for (int k = 0; k < IBC_S_COUNT; k++)
        rows += rows_visit(ibc_shape_of_step((enum ibc_step_kind)k), ibc_step_names[k]);
    cr_expect_gt(rows, 120);
}

Test(grammar, each_key_of_each_object_is_taken_and_checked)
{
    unsigned rows = 0;

    for (int k = 0; k < IBC_O_COUNT; k++) {
        char word[40];

        sprintf(word, "%s new", ibc_object_names[k]);
        rows += rows_visit(ibc_shape_of_object((enum ibc_object_kind)k), word);
    }
    cr_expect_gt(rows, 45);
}

Test(grammar, each_step_stands_without_what_may_be_left_out)
{
    char text[2000];

    for (int k = 0; k < IBC_S_object; k++) {
        const struct ibc_shape *shape = ibc_shape_of_step((enum ibc_step_kind)k);
        const struct ibc_row none = {0};
        const size_t n = begin(text, shape);

        line_put(text + n, shape, ibc_step_names[k], &none, "", 0);
        if (shape->some)
            refused(text, "f.ibt:19:");
        else
            loads(text);
    }
}

Test(grammar, an_operation_takes_its_own_keys_only)
{
    const struct ibc_shape *post = ibc_shape_of_step(IBC_S_post);
    const struct ibc_vocabulary *ops = &ibc_vocabularies[post->op];
    char text[2000], out[64];
    const size_t n = (size_t)sprintf(text, "%s%s", HEAD, WORLD);

    for (const struct ibc_row *r = post->row; r < post->row + post->n; r++)
        for (size_t i = 0; i < ops->n; i++) {
            char *at = text + n + sprintf(text + n, "a post %s", ops->row[i].name);

            at += key_put(at, r, good_value(r, out));
            if (r->ops == 0 || (r->ops >> ops->row[i].n & 1) != 0)
                loads(text);
            else
                refused(text, "f.ibt:19:");
        }
}

Test(grammar, each_word_of_each_vocabulary_is_found_by_its_name)
{
    for (unsigned v = 0; v < IBC_VOCAB_COUNT; v++)
        for (size_t i = 0; i < ibc_vocabularies[v].n; i++) {
            const enum ibc_vocab of = (enum ibc_vocab)v;
            const struct ibc_vocab_row *row = ibc_vocab_find(of, ibc_vocab_name(i, &of));

            cr_expect_eq(row, &ibc_vocabularies[v].row[i],
                         "word %s of conformance/scenario/vocab.c is not found, or is there twice",
                         ibc_vocab_name(i, &of));
        }
}

/* The expected bits are written by hand: attributes have their bits in modify's mask, access rights 0 to 4 have
 * libibverbs' bits, and all other rights have ours. */
Test(grammar, words_that_are_bits)
{
    static const struct {
        enum ibc_vocab of;
        const char *word;
        unsigned bit;
    } rows[] = {
        {IBC_VOCAB_ATTR, "cur_state", 1},
        {IBC_VOCAB_ATTR, "sqd_notify", 2},
        {IBC_VOCAB_ATTR, "access", 3},
        {IBC_VOCAB_ATTR, "pkey", 4},
        {IBC_VOCAB_ATTR, "port", 5},
        {IBC_VOCAB_ATTR, "qkey", 6},
        {IBC_VOCAB_ATTR, "av", 7},
        {IBC_VOCAB_ATTR, "pmtu", 8},
        {IBC_VOCAB_ATTR, "timeout", 9},
        {IBC_VOCAB_ATTR, "retry", 10},
        {IBC_VOCAB_ATTR, "rnr_retry", 11},
        {IBC_VOCAB_ATTR, "epsn", 12},
        {IBC_VOCAB_ATTR, "rd", 13},
        {IBC_VOCAB_ATTR, "alt", 14},
        {IBC_VOCAB_ATTR, "min_rnr", 15},
        {IBC_VOCAB_ATTR, "psn", 16},
        {IBC_VOCAB_ATTR, "dest_rd", 17},
        {IBC_VOCAB_ATTR, "mig", 18},
        {IBC_VOCAB_ATTR, "qpn", 20},
        {IBC_VOCAB_ACCESS, "local_write", 0},
        {IBC_VOCAB_ACCESS, "remote_write", 1},
        {IBC_VOCAB_ACCESS, "remote_read", 2},
        {IBC_VOCAB_ACCESS, "remote_atomic", 3},
        {IBC_VOCAB_ACCESS, "mw_bind", 4},
        {IBC_VOCAB_ACCESS, "zero_based", 5},
        {IBC_VOCAB_ACCESS, "flush_global", 6},
        {IBC_VOCAB_ACCESS, "flush_persistent", 7},
        {IBC_VOCAB_ACCESS, "on_demand", 8},
        {IBC_VOCAB_ACCESS, "invalidate", 9},
        {IBC_VOCAB_QP_ACCESS, "remote_write", 1},
        {IBC_VOCAB_QP_ACCESS, "remote_read", 2},
        {IBC_VOCAB_QP_ACCESS, "remote_atomic", 3},
        {IBC_VOCAB_QP_ACCESS, "flush_global", 6},
        {IBC_VOCAB_QP_ACCESS, "flush_persistent", 7},
    };

    cr_expect_eq(ibc_vocabularies[IBC_VOCAB_ATTR].n, 19);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_vocab_row *row = ibc_vocab_find(rows[i].of, rows[i].word);
        cr_expect(row && row->n == 1ull << rows[i].bit, "%s", rows[i].word);
    }
}

Test(grammar, every_key_is_used_somewhere)
{
    for (unsigned key = 0; key < IBC_K_COUNT; key++) {
        unsigned uses = key == IBC_K_FIELD;

        for (unsigned k = 0; k < (unsigned)IBC_S_COUNT + (unsigned)IBC_O_COUNT; k++) {
            const struct ibc_shape *shape = k < IBC_S_COUNT
                                                ? ibc_shape_of_step((enum ibc_step_kind)k)
                                                : ibc_shape_of_object((enum ibc_object_kind)(k - IBC_S_COUNT));

            for (unsigned i = 0; i < shape->n; i++)
                uses += shape->row[i].key == key;
        }
        cr_expect_gt(uses, 0, "key %s is used by no step and no object of conformance/scenario/grammar.c",
                     ibc_key_names[key]);
    }
}
