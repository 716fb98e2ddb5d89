/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole suite as data. loaded.golden has for each scenario the digest of its file, and a digest of everything that
 * the loader made of that file: the head, and all variations with their objects, steps and values.
 *
 * A scenario that is new, or whose file has changed since, is not compared (test/golden.h says how to renew the file).
 * IBPROOF_VERBOSE=ID prints what was made of that scenario. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include "load.h"
#include "test/golden.h"

enum { LEAST_PERCENT = 80, LINE = 256 };
#define GOLDEN IBPROOF_SOURCE_DIR "/conformance/scenario/test/loaded.golden"

static uint64_t digest;
static bool verbose;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    static char text[1 << 14];
    va_list args;

    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cr_assert(n >= 0 && (size_t)n < sizeof text);
    digest = golden_digest(digest, text, (size_t)n);
    if (verbose)
        fputs(text, stdout);
}

static const char *word(const char *s)
{
    return s ? s : "-";
}

static void note_value(const struct ibc_value *v)
{
    note(" %s%u", v->negated ? "!" : "", v->kind);
    switch ((enum ibc_value_kind)v->kind) {
    case IBC_V_REF: note(":%u.%u%c%" PRIu64, v->object, v->attr, v->op ? v->op : '.', v->n); break;
    case IBC_V_BYTES:
        note(":%u bytes %016" PRIx64, v->n_bytes, golden_digest(GOLDEN_EMPTY, v->bytes, v->n_bytes));
        break;
    case IBC_V_WORD: note(":%s %" PRIu64, word(v->text), v->n); break;
    default: note(":%" PRIx64 "..%" PRIx64 "&%" PRIx64, v->n, v->hi, v->mask); break;
    }
}

static void note_args(const struct ibc_arg *arg, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct ibc_arg *a = &arg[i];
        note("  %s %s at %u", a->key == IBC_K_FIELD ? "field" : ibc_key_names[a->key], word(a->name), a->at);
        if (a->key == IBC_K_FIELD)
            note(" %s %s@%u:%u", a->hdr == IBC_H_MAD ? "mad" : iba_headers[a->hdr].name, a->field->name, a->field->at,
                 a->field->bits);
        for (unsigned k = 0; k < a->n; k++)
            note_value(&a->v[k]);
        note("\n");
    }
}

static void note_play(const struct ibc_play *p)
{
    static const char *const kinds[] = {
#define STEP_NAME(w, text) [IBC_S_##w] = #w,
        IBC_STEPS(STEP_NAME)};

    note("service %u variation %s\n", (unsigned)p->service, p->variation);
    for (unsigned i = 0; i < p->n_object; i++) {
        const struct ibc_object *o = &p->object[i];
        note(" object %s %s line %u\n", o->name, ibc_object_names[o->kind], o->line);
        note_args(o->arg, o->n_arg);
    }
    for (unsigned i = 0; i < p->n_step; i++) {
        const struct ibc_step *s = &p->step[i];
        note(" step %s many %u says %u object %u op %u message %u method %u asks %d alternative %u %d line %u %s %s\n",
             kinds[s->kind], s->many, s->says, s->object, s->op, s->message, s->method, s->asks, s->alternative,
             s->is_alternative, s->line, word(s->text), word(s->why));
        note_args(s->arg, s->n_arg);
    }
}

static void note_scenario(const struct ibc_scenario *s)
{
    note("%s: %s; note %s; hazard %s; drawn %s\n", s->id, s->title, word(s->note), word(s->hazard), word(s->drawn));
    for (unsigned i = 0; i < s->n_spec; i++)
        note(" %s at %u:%u", s->spec[i], s->spec_at[i].line, s->spec_at[i].column);
    for (unsigned i = 0; i < s->n_covers; i++)
        note(" covers %s", s->covers[i]);
    for (unsigned i = 0; i < s->n_see; i++)
        note(" see %s", s->see[i]);
    for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
        if (s->needs >> i & 1)
            note(" needs %s", ibc_capability_names[i]);
    note(" class %u role %u services %x links %x variations %u lines %u\n", s->klass, s->role, s->services, s->links,
         s->n_variation, s->n_line);
    for (unsigned service = 0; service < 32; service++)
        for (unsigned i = 0; s->services >> service & 1 && i < s->n_variation; i++) {
            struct ibc_play *p = ibc_bind(s, (enum iba_qp_type)service, i);
            note_play(p);
            ibc_play_free(p);
        }
}

/* Writes the line "id digest-of-the-file digest". */
static void line_of(const struct ibc_scenario *s, char line[LINE])
{
    const char *const wanted = getenv("IBPROOF_VERBOSE");

    verbose = wanted && strcmp(wanted, s->id) == 0;
    digest = GOLDEN_EMPTY;
    note_scenario(s);
    (void)snprintf(line, LINE, "%s %08x %08x", s->id, golden_short(golden_file(s->path)), golden_short(digest));
}

Test(loaded, every_scenario)
{
    char err[512] = "", line[LINE];
    struct ibc_suite suite;
    struct golden_rows golden = golden_rows_open(GOLDEN);

    cr_assert(ibc_suite_load(&suite, IBPROOF_SOURCE_DIR "/conformance/scenarios", err, sizeof err), "%s", err);
    for (size_t i = 0; i < suite.n; i++) {
        line_of(suite.s[i], line);
        golden_row(&golden, line, (size_t)(strrchr(line, ' ') - line) + 1);
    }
    golden_rows_close(&golden, LEAST_PERCENT);
    ibc_suite_free(&suite);
}
