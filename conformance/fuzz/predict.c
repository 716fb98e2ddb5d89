/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the model's results of a case. The model plays the case with a pause after each input, in which all
 * effects of the input happen. The results become expectations, by the kind of the packet. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "known.h"
#include "predict.h"
#include "wire/iba_aeth.h"

enum { TRIES = 3 * FUZZ_INPUTS };
#define PAUSE "wait 1ms"
#define END "wait 20ms"

static void answers_of(struct predicting *f, uint32_t line)
{
    for (unsigned i = 0; i < f->n_answer; i++)
        if (f->answer[i].line == line || f->answer[i].line == line + 1)
            predict_print(f, "%s\n", f->answer[i].text);
}

/* Returns the input of that line; c.n: the line belongs to no input. */
static unsigned input_of(const struct predicting *f, unsigned long line)
{
    return line < f->first_line || line >= f->last_line ? f->c.n : (unsigned)(line - f->first_line) / 2;
}

/* Whether the play went on to its last line: otherwise it gives no expectations for the rest. */
static bool whole(const struct predicting *f, const struct run_player *p)
{
    return p->verdict == IBC_IS_PASS || (p->verdict == IBC_IS_FAIL && p->finding.line >= f->last_line);
}

/* Returns the input that posted a request which failed locally; c.n: there is none. Each work request of a
 * case has an id of its own. */
static unsigned failed_at_home(const struct predicting *f, const struct run_player *p)
{
    char id[32];

    for (unsigned k = 0; k < p->n_wc; k++) {
        const enum iba_wc_status s = (enum iba_wc_status)p->wc[k].wc.status;
        if (p->wc[k].wr->recv || (s != IBA_WC_LOCAL_LENGTH && s != IBA_WC_LOCAL_QP_OPERATION &&
                                  s != IBA_WC_LOCAL_PROTECTION && s != IBA_WC_MW_BIND))
            continue;
        snprintf(id, sizeof id, " id=%" PRIu64, p->wc[k].wr->id);
        for (unsigned i = 0; i < f->c.n; i++) {
            const char *at = strstr(f->c.input[i], id);
            if (at && (at[strlen(id)] == ' ' || at[strlen(id)] == '\0') && strstr(f->c.input[i], " post "))
                return i;
        }
    }
    return f->c.n;
}

static bool is_rnr(const struct run_packet *k)
{
    return k && !k->sent && iba_view_has(&k->view, IBA_H_aeth) &&
           iba_aeth_syn_kind(iba_view_hdr(&k->view, IBA_H_aeth)) == IBA_AETH_RNR;
}

/* Whether region m's key allows a WRITE to the whole range. */
static bool is_good_write(const struct run_player *p, const struct iba_view *v)
{
    const struct run_live *m = &p->live[RUN_M];
    const uint8_t *reth = iba_view_hdr(v, IBA_H_reth);
    const uint64_t at = iba_reth_va(reth) - m->mr[0].va;

    return iba_reth_dmalen(reth) == 0 ||
           (iba_reth_r_key(reth) == m->mr[0].rkey && at <= m->length && iba_reth_dmalen(reth) <= m->length - at);
}

/* Returns the input that is a WRITE with immediate data and has neither a receive nor, as far as this code can
 * know, a valid key. Sources differ on which of the two is checked first, and everything after it differs too. c.n:
 * there is none. */
static unsigned refused_or_not_ready(const struct predicting *f, const struct run_player *p)
{
    for (const struct run_packet *k = p->first; k; k = k->next) {
        const struct iba_view *v = &k->view;
        if (!k->sent || !is_rnr(k->next) || !iba_view_has(v, IBA_H_reth) || !iba_view_has(v, IBA_H_immdt) ||
            is_good_write(p, v))
            continue;
        return input_of(f, k->line);
    }
    return f->c.n;
}

static void ended(void *ctx, struct run_player *p)
{
    struct predicting *f = ctx;

    if (!whole(f, p) || !run_poll(p, NULL))
        return;
    f->local = f->c.is_free & FUZZ_FREE_local ? failed_at_home(f, p) : f->c.n;
    if (f->local == f->c.n)
        f->local = refused_or_not_ready(f, p);
    if (f->local < f->c.n)
        return;
    predict_packets(f, p);
    predict_print(f, "%s", f->c.head);
    for (unsigned i = 0; i < f->c.n; i++) {
        predict_print(f, "%s\n" PAUSE "\n", f->c.input[i]);
        answers_of(f, f->first_line + 2 * i);
    }
    predict_print(f, END "\n");
    answers_of(f, f->last_line);
    predict_after(f, p);
    f->had_play = true;
}

/* Writes the script: the inputs alone, each followed by a pause. */
static size_t script(struct predicting *f)
{
    size_t n = (size_t)snprintf(f->text, FUZZ_TEXT, "%s", f->c.head);

    f->first_line = 1;
    for (size_t i = 0; i < n; i++)
        f->first_line += f->text[i] == '\n';
    for (unsigned i = 0; i < f->c.n; i++)
        n += (size_t)snprintf(f->text + n, FUZZ_TEXT - n, "%s\n" PAUSE "\n", f->c.input[i]);
    f->last_line = f->first_line + 2 * f->c.n;
    return n + (size_t)snprintf(f->text + n, FUZZ_TEXT - n, END "\n");
}

static void leave_out(struct fuzz_case *c, unsigned i)
{
    c->n--;
    memmove(c->input[i], c->input[i + 1], (c->n - i) * sizeof c->input[0]);
}

/* Removes the input that the loader's message "FILE:LINE:..." names. */
static bool leave_out_nonsense(struct predicting *f)
{
    const char *at = strchr(f->err, ':');
    const unsigned i = at ? input_of(f, strtoul(at + 1, NULL, 10)) : f->c.n;

    if (i == f->c.n || f->c.n == 1)
        return false;
    leave_out(&f->c, i);
    return true;
}

/* Learns from a failure: if the model refuses a verb, the device must refuse it, for whatever reason. Inputs that
 * cannot be sent, or that the target does not support, are removed. */
static bool learn(struct predicting *f, const struct ibc_finding *is, enum ibc_verdict v)
{
    static const char refused[] = " error=any";
    const unsigned i = input_of(f, is->line);
    char *line = i < f->c.n ? f->c.input[i] : NULL;

    if (!line)
        return false;
    if (v == IBC_IS_FAIL && is->what == IBC_FOUND_REFUSAL && !strstr(line, refused) &&
        !(f->c.is_free & FUZZ_FREE_refused) && strlen(line) + sizeof refused < FUZZ_LINE) {
        snprintf(line + strlen(line), sizeof refused, "%s", refused);
        return true;
    }
    if (f->c.n == 1)
        return false;
    leave_out(&f->c, i);
    return true;
}

/* Plays the script against the model. True: it was changed, and must be played again. */
static bool try(struct predicting *f, struct ibc_target *model)
{
    const struct ibc_options o = {.seed = 1, .link = (uint32_t)f->c.link, .ended = ended, .ctx = f};
    const size_t n = script(f);
    struct ibc_scenario *s = ibc_load_text(f->text, n, "sequence.ibt", "sequence", f->err, 256);
    struct ibc_result r = {0};
    bool again;

    if (!s)
        return leave_out_nonsense(f);
    f->local = f->c.n;
    ibc_run(s, model, &o, &r);
    if (!f->had_play || f->full)
        snprintf(f->err, 256, "%.250s", f->full ? "it says too much" : r.finding.got);
    again = !f->had_play && !f->full;
    if (again && f->local < f->c.n && f->c.n > 1)
        leave_out(&f->c, f->local);
    else
        again = again && learn(f, &r.finding, r.verdict);
    ibc_result_clear(&r);
    ibc_free(s);
    return again;
}

/* Whether the results remain if keys, numbers and addresses change: results that depend on them do not follow from
 * the rules. */
static bool holds(const struct predicting *f, const struct ibc_scenario *s, struct ibc_target *model)
{
    const struct ibc_options o = {.seed = 2, .link = (uint32_t)f->c.link};
    struct ibc_result r = {0};
    bool good;

    ibc_run(s, model, &o, &r);
    good = r.verdict == IBC_IS_PASS;
    if (!good)
        snprintf(f->err, 256, "%.110s, then %.110s", r.finding.expected, r.finding.got);
    ibc_result_clear(&r);
    return good;
}

struct ibc_scenario *fuzz_predict(const struct fuzz_case *c, struct ibc_target *model, char text[FUZZ_TEXT],
                                  char err[256])
{
    static struct predict_answer answer[PREDICT_ANSWERS];
    static struct predicting f;
    struct ibc_scenario *s;

    f = (struct predicting){.c = *c, .text = text, .err = err, .answer = answer};
    for (unsigned i = 0; i < TRIES && try(&f, model); i++)
        ;
    if (!f.had_play || f.full)
        return NULL;
    s = ibc_load_text(text, f.used, "sequence.ibt", c->id, err, 256);
    if (s && holds(&f, s, model))
        return s;
    ibc_free(s);
    return NULL;
}
