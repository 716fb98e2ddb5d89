/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks that do not need the values of variables ---- */
static bool object_named(struct ibc_loaded *l, struct ibc_fault *f, const struct ibc_text *t, unsigned *n)
{
    static const char *const taken[] = {"pd", "m", "l", "any", "none", "peer", "stranger"};
    const char *name;
    size_t len;

    if (t->n_word < 2)
        return ibc_fault(f, t->line, t->column, "a name is missing");
    name = t->word[1].s;
    len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (name[len] != '\0' || len == 0 || len >= IBC_NAME || (*name >= '0' && *name <= '9'))
        return ibc_fault(f, t->line, t->word[1].column,
                         "'%.40s': a name has 1 to %d small letters, digits and '_', a letter first", name,
                         IBC_NAME - 1);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return ibc_fault(f, t->line, t->word[1].column, i < 3 ? "'%s' is always there" : "'%s' is a word", name);
    if (ibc_is_node(t->kind) && (len > IBC_NAME - 5 || ibc_node_ports(t) == 0))
        return ibc_fault(f, t->line, t->column, "a node has a short name, and ports= is a plain number");
    if (!ibc_name_is_free(name))
        return ibc_fault(f, t->line, t->word[1].column, "'%s' is a word", name);
    for (const struct ibc_text *o = l->body; o < t; o++)
        if (o->form == IBC_FORM_OBJECT && strcmp(o->word[1].s, name) == 0)
            return ibc_fault(f, t->line, t->word[1].column, "'%s' was made in line %u already", name, o->line);
    *n += ibc_is_node(t->kind) ? ibc_node_ports(t) + 1 : 0; /* a node adds its wires to the objects */
    if (++*n > IBC_MAX_OBJECTS)
        return ibc_fault(f, t->line, t->column, "more than %d objects", IBC_MAX_OBJECTS - 3);
    return true;
}

/* An alternative belongs to the event before it, and has the same kind: one packet comes, or one verb returns. */
static bool alternative_placed(struct ibc_fault *f, const struct ibc_text *first, const struct ibc_text *t)
{
    const struct ibc_text *before = t - 1;
    const enum ibc_family family = ibc_line_family(t->kind);

    if (t == first || before->many == '*' || (before->form != IBC_FORM_PACKET && before->form != IBC_FORM_STEP) ||
        ibc_line_family(before->kind) == IBC_FAMILY_NONE)
        return ibc_fault(f, t->line, t->column, "an alternative belongs below what may come, or a verb");
    if (ibc_line_family(before->kind) == family && (family != IBC_FAMILY_VERB || before->kind == t->kind))
        return true;
    return ibc_fault(f, t->line, t->word[t->skip].column, "this is no alternative to '%s'",
                     ibc_step_names[before->kind]);
}

static bool role_has_object(uint8_t role, uint8_t kind)
{
    if (kind == IBC_O_manager || kind == IBC_O_partition)
        return role == IBC_ROLE_sm;
    return ibc_role_has_subnet(role) == (ibc_is_node(kind) || kind == IBC_O_cable);
}

static bool role_has(const struct ibc_scenario *s, struct ibc_fault *f, const struct ibc_text *t)
{
    const struct ibc_shape *shape = ibc_shape_of_step((enum ibc_step_kind)t->kind);

    if (t->form == IBC_FORM_OBJECT && t->kind == IBC_O_wire)
        return ibc_fault(f, t->line, t->column, "wires are made with their switch, adapter or router");
    if (t->form == IBC_FORM_OBJECT && !role_has_object(s->role, t->kind))
        return ibc_fault(f, t->line, t->column, "role %s has no '%s'", ibc_role_names[s->role],
                         ibc_object_names[t->kind]);

    if ((t->form != IBC_FORM_STEP && t->form != IBC_FORM_PACKET) || shape->roles == 0 ||
        (shape->roles >> s->role & 1) != 0)
        return true;
    return ibc_fault(f, t->line, t->column, "role %s has no '%s'", ibc_role_names[s->role], ibc_step_names[t->kind]);
}

/* Checks repeats and their ends, the names of objects, and the places of alternatives. */
static bool structure(struct ibc_loaded *l, struct ibc_fault *f, struct ibc_text *body)
{
    struct ibc_text *open[IBC_MAX_NEST];
    unsigned depth = 0, objects = 3;

    for (struct ibc_text *t = body; t < body + l->n_body; t++) {
        if (!ibc_line_classify(f, t))
            return false;
        if (!role_has(&l->s, f, t))
            return false;
        if (t->alternative && !alternative_placed(f, body, t))
            return false;
        if (t->form == IBC_FORM_OBJECT && depth > 0)
            return ibc_fault(f, t->line, t->column, "objects are not made in a repeat");
        if (t->form == IBC_FORM_OBJECT && !object_named(l, f, t, &objects))
            return false;
        if (t->form == IBC_FORM_REPEAT && depth == IBC_MAX_NEST)
            return ibc_fault(f, t->line, t->column, "more than %d repeats in each other", IBC_MAX_NEST);
        if (t->form == IBC_FORM_REPEAT)
            open[depth++] = t;
        if (t->form != IBC_FORM_END)
            continue;
        if (depth == 0 || t->n_word > 1)
            return ibc_fault(f, t->line, t->column, depth == 0 ? "there is no repeat to end" : "'end' stands alone");
        if (t == open[--depth] + 1)
            return ibc_fault(f, t->line, t->column, "there is nothing to repeat");
        open[depth]->end = (unsigned)(t - body);
    }
    return depth == 0 || ibc_fault(f, open[depth - 1]->line, open[depth - 1]->column, "the repeat has no end");
}

/* ---- unused variables ---- */
static bool mentions(const char *s, const char *name)
{
    const size_t n = strlen(name);

    for (s = strchr(s, '$'); s != NULL; s = strchr(s, '$')) {
        const bool brace = *++s == '{';
        const char *end = s + brace + n;

        if (strncmp(s + brace, name, n) == 0 &&
            strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == 0)
            return true;
    }
    return false;
}

static bool used(const struct ibc_loaded *l, const struct ibc_vary *v, unsigned i)
{
    for (const struct ibc_text *t = l->body; t < l->body + l->n_body; t++)
        if (t->dollar && mentions(t->text, v->name[i]))
            return true;
    for (const struct ibc_vary *w = v + 1; w < l->vary + l->n_vary; w++)
        for (unsigned k = 0; k < w->n_value * w->n_name; k++)
            if (mentions(w->value[k], v->name[i]))
                return true;
    return false;
}

static bool all_used(const struct ibc_loaded *l, struct ibc_fault *f)
{
    for (const struct ibc_vary *v = l->vary; v < l->vary + l->n_vary; v++)
        for (unsigned i = 0; i < v->n_name; i++)
            if (!used(l, v, i))
                return ibc_fault(f, v->line, v->column, "'%s' varies, and nothing uses it", v->name[i]);
    return true;
}

/* ---- the whole ---- */
static bool variations_bind(const struct ibc_loaded *l, struct ibc_fault *f)
{
    unsigned work = 0;

    for (unsigned service = 0; service < IBA_QPT_COUNT; service++)
        for (unsigned v = 0; (l->s.services >> service & 1) != 0 && v < l->s.n_variation; v++) {
            struct ibc_play *p = ibc_play_new(l, (enum iba_qp_type)service, v, f, &work);

            if (p == NULL)
                return false;
            if (p->n_step == 0)
                ibc_fault(f, 0, 0, "there is no step");
            ibc_play_free(p);
            if (work > IBC_MAX_LOAD)
                ibc_fault(f, 0, 0, "too many steps in all variations together");
            if (f->set)
                return false;
        }
    return true;
}

static bool ends_well(const char *path, struct ibc_fault *f)
{
    const size_t n = strlen(path);

    return (n > 4 && strcmp(path + n - 4, ".ibt") == 0) || ibc_fault(f, 0, 0, "a scenario's name ends in .ibt");
}

static bool read_all(struct ibc_loaded *l, struct ibc_fault *f, const char *text, size_t len)
{
    unsigned body;

    if (!ends_well(l->s.path, f) || !ibc_text_read(l->arena, f, text, len, &l->s.text, &l->s.n_line) ||
        !ibc_head_read(l, f, &body))
        return false;
    l->body = l->s.text + body;
    l->n_body = l->s.n_line - body;
    return structure(l, f, l->s.text + body) && variations_bind(l, f) && all_used(l, f);
}

struct ibc_scenario *ibc_load_text(const char *text, size_t len, const char *path, const char *id, char *err,
                                   size_t errlen)
{
    struct ibc_arena *arena = ibc_arena_new();
    struct ibc_loaded *l = ibc_arena_zero(arena, sizeof *l);
    struct ibc_fault f = {.path = path, .err = err, .errlen = errlen};

    l->arena = arena;
    l->s.path = ibc_arena_string(arena, path, strlen(path));
    l->s.id = ibc_arena_string(arena, id, strlen(id));
    if (read_all(l, &f, text, len))
        return &l->s;
    ibc_arena_free(arena);
    return NULL;
}

/* Whether the head has all required lines. If not, a line that is no step may be a misspelt line of the head. */
static bool head_is_complete(const char *text)
{
    static const char *const must[] = {"title", "spec", "role", "service"};
    unsigned n = 0;

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += strspn(line, " \t\n");
        for (size_t i = 0; i < sizeof must / sizeof *must; i++)
            if (strncmp(line, must[i], strlen(must[i])) == 0)
                n |= 1u << i;
    }
    return n == (1u << sizeof must / sizeof *must) - 1;
}

/* Whether later lines depend on this line, so that they cannot be checked without it. Later lines depend on no
 * other line of the head. */
static bool is_needed(const char *line, size_t n)
{
    static const char *const words[] = {"repeat", "end", "title", "spec", "role", "service", "vary"};
    const size_t from = strspn(line, " \t"), len = strcspn(line + from, " \t\n");
    char word[IBC_NAME] = "";

    if (from + len > n || len >= sizeof word)
        return true;
    memcpy(word, line + from, len);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    for (unsigned i = 0; i < IBC_O_COUNT; i++)
        if (strcmp(word, ibc_object_names[i]) == 0)
            return true;
    for (const char *at = line; at < line + n; at++)
        if (*at == '$' || (at + 4 < line + n && memcmp(at, " as=", 4) == 0))
            return true;
    /* the next line is an alternative of this one */
    return line[n] == '\n' && line[n + 1 + strspn(line + n + 1, " \t")] == '|';
}

/* Overwrites line `number` with blanks. False: later lines need it. */
static bool drop_line(char *text, size_t len, unsigned number)
{
    char *line = text, *end;
    size_t n;

    for (; number > 1 && line != NULL; number--) {
        line = memchr(line, '\n', len - (size_t)(line - text));
        line += line != NULL;
    }
    if (line == NULL || number != 1)
        return false;
    end = memchr(line, '\n', len - (size_t)(line - text));
    n = end == NULL ? len - (size_t)(line - text) : (size_t)(end - line);
    if (is_needed(line, n))
        return false;
    memset(line, ' ', n);
    return true;
}

static unsigned line_of(const char *err, const char *path)
{
    const size_t n = strlen(path);

    return strncmp(err, path, n) == 0 && err[n] == ':' ? (unsigned)strtoul(err + n + 1, NULL, 10) : 0;
}

/* Reports the faults of the lines after the first fault too, each in a line of its own. */
static void print_other_faults(char *text, size_t len, const char *path, const char *id, char *err, size_t errlen)
{
    unsigned line = head_is_complete(text) ? line_of(err, path) : 0;
    size_t used = strlen(err);

    while (line > 0 && used + 2 < errlen && drop_line(text, len, line)) { /* ends: each round blanks a line */
        struct ibc_scenario *s = ibc_load_text(text, len, path, id, err + used + 1, errlen - used - 1);
        const unsigned next = s == NULL ? line_of(err + used + 1, path) : 0;

        ibc_free(s);
        err[used] = next > 0 ? '\n' : '\0';
        line = next;
        used += strlen(err + used);
    }
}

struct ibc_scenario *ibc_load(const char *path, const char *id, char *err, size_t errlen)
{
    struct ibc_fault f = {.path = path, .err = err, .errlen = errlen};
    FILE *file = fopen(path, "rb");
    struct ibc_scenario *s = NULL;
    char *text;
    size_t n;

    if (file == NULL) {
        ibc_fault(&f, 0, 0, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    text = malloc(IBC_MAX_FILE + 1);
    n = text == NULL ? 0 : fread(text, 1, IBC_MAX_FILE + 1, file);
    if (text == NULL || ferror(file))
        ibc_fault(&f, 0, 0, "cannot be read");
    else
        s = ibc_load_text(text, n, path, id, err, errlen);
    if (s == NULL && text != NULL && n <= IBC_MAX_FILE && err != NULL) {
        text[n] = '\0';
        print_other_faults(text, n, path, id, err, errlen);
    }
    fclose(file);
    free(text);
    return s;
}

void ibc_free(struct ibc_scenario *s)
{
    if (s != NULL)
        ibc_arena_free(((struct ibc_loaded *)(void *)s)->arena);
}
