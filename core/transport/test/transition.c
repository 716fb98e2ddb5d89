/* SPDX-License-Identifier: BSD-2-Clause */
/* Every transition of every type, compared with a second table. That table was typed from catalogue 6.1, and not
 * derived from the first. RD and EE contexts share what a connection has: a context has the path, the PSNs, and what
 * the responder and the requester keep; the QP has keys, rights, and what is about its receives (UU-33). */
#include "transport/deviations_qp.h"
#include "verbs.h"

enum { UD, UC, RC, XI, XT, MG, RAW, RD, EE, COLUMNS };
static const struct {
    uint8_t from, to;
    const char *required[COLUMNS], *optional[COLUMNS];
} book[] = {
    /* QS-01, QS-12, QS-13 */
    {IBA_QPS_RESET,
     IBA_QPS_INIT,
     {"pkey port qkey", "pkey port access", "pkey port access", "pkey port access", "pkey port access", "pkey qkey",
      "port", "port qkey access", "pkey port"},
     {0}},
    /* QS-02 */
    {IBA_QPS_INIT,
     IBA_QPS_INIT,
     {0},
     {"pkey port qkey", "pkey port access", "pkey port access", "pkey port access", "pkey port access", "pkey qkey",
      NULL, "port qkey access", "pkey port"}},
    /* QS-03, QS-04 */
    {IBA_QPS_INIT,
     IBA_QPS_RTR,
     {NULL, "av mtu dest rqpsn", "av mtu dest rqpsn maxdest minrnr", "av mtu dest rqpsn",
      "av mtu dest rqpsn maxdest minrnr", NULL, NULL, "minrnr", "av mtu dest rqpsn maxdest"},
     {"pkey qkey", "alt access pkey", "alt access pkey", "alt access pkey", "alt access pkey", "pkey qkey", NULL,
      "qkey access", "pkey"}},
    /* QS-05, QS-06, QS-12 */
    {IBA_QPS_RTR,
     IBA_QPS_RTS,
     {"sqpsn", "sqpsn", "timeout retry rnrretry sqpsn maxrd", "timeout retry rnrretry sqpsn maxrd", "timeout sqpsn",
      "sqpsn", NULL, "rnrretry", "timeout retry sqpsn maxrd"},
     {"cur qkey", "cur alt access mig", "cur alt access mig minrnr", "cur alt access mig", "cur alt access mig minrnr",
      "cur qkey", NULL, "cur qkey access minrnr", "cur"}},
    /* QS-07 */
    {IBA_QPS_RTS,
     IBA_QPS_RTS,
     {0},
     {"cur qkey", "cur access alt mig", "cur access alt mig minrnr", "cur access alt mig", "cur access alt mig minrnr",
      "cur qkey", NULL, "cur qkey access minrnr", "cur"}},
    /* QS-08 */
    {IBA_QPS_RTS,
     IBA_QPS_SQD,
     {0},
     {"notify", "notify", "notify", "notify", "notify", "notify", NULL, "notify", "notify"}},
    /* QS-09 */
    {IBA_QPS_SQD,
     IBA_QPS_RTS,
     {0},
     {"cur qkey", "cur alt access mig", "cur alt access mig minrnr", "cur alt access mig", "cur alt access mig minrnr",
      "cur qkey", NULL, "cur qkey access minrnr", "cur"}},
    /* QS-10 */
    {IBA_QPS_SQD,
     IBA_QPS_SQD,
     {0},
     {"pkey qkey", "av alt access pkey mig", "port av timeout retry rnrretry maxrd maxdest alt access pkey minrnr mig",
      "port av timeout retry rnrretry maxrd alt access pkey mig", "port av timeout maxdest alt access pkey minrnr mig",
      "pkey qkey", NULL, "qkey access rnrretry minrnr", "pkey"}},
    /* QS-11 */
    {IBA_QPS_SQE, IBA_QPS_RTS, {0}, {"cur qkey", "cur access", NULL, NULL, NULL, "cur qkey", NULL, "cur qkey access"}},
};
enum { N_BOOK = sizeof book / sizeof *book };

static const uint8_t types[] = {IBA_QPT_RC,  IBA_QPT_UC,  IBA_QPT_UD,      IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE,
                                IBA_QPT_SMI, IBA_QPT_GSI, IBA_QPT_XRC_INI, IBA_QPT_XRC_TGT,  IBA_QPT_RD,
                                IBA_QPT_EE};
static const uint8_t column[IBA_QPT_COUNT] = {[IBA_QPT_RC] = RC,
                                              [IBA_QPT_UC] = UC,
                                              [IBA_QPT_UD] = UD,
                                              [IBA_QPT_RAW_IPV6] = RAW,
                                              [IBA_QPT_RAW_ETHERTYPE] = RAW,
                                              [IBA_QPT_SMI] = MG,
                                              [IBA_QPT_GSI] = MG,
                                              [IBA_QPT_XRC_INI] = XI,
                                              [IBA_QPT_XRC_TGT] = XT,
                                              [IBA_QPT_RD] = RD,
                                              [IBA_QPT_EE] = EE};
static const struct {
    const char *word;
    uint32_t bit;
} words[] = {
    {"cur", IBA_QPA_CUR_STATE},   {"notify", IBA_QPA_SQD_NOTIFY},   {"access", IBA_QPA_ACCESS},
    {"pkey", IBA_QPA_PKEY_INDEX}, {"port", IBA_QPA_PORT},           {"qkey", IBA_QPA_QKEY},
    {"av", IBA_QPA_AV},           {"mtu", IBA_QPA_PATH_MTU},        {"timeout", IBA_QPA_TIMEOUT},
    {"retry", IBA_QPA_RETRY},     {"rnrretry", IBA_QPA_RNR_RETRY},  {"rqpsn", IBA_QPA_RQ_PSN},
    {"maxrd", IBA_QPA_MAX_RD},    {"alt", IBA_QPA_ALT_PATH},        {"minrnr", IBA_QPA_MIN_RNR},
    {"sqpsn", IBA_QPA_SQ_PSN},    {"maxdest", IBA_QPA_MAX_DEST_RD}, {"mig", IBA_QPA_PATH_MIG},
    {"dest", IBA_QPA_DEST_QPN},
};

static uint32_t mask_of(const char *list)
{
    char copy[128];
    uint32_t mask = 0;

    snprintf(copy, sizeof copy, "%s", list ? list : "");
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        unsigned i = 0;
        while (i < sizeof words / sizeof *words && strcmp(words[i].word, word) != 0)
            i++;
        cr_assert_lt(i, sizeof words / sizeof *words, "%s", word);
        mask |= words[i].bit;
    }
    return mask;
}

/* Looks up a transition in the second table. Returns false if the table has no such transition. */
static bool look_up(uint8_t type, uint8_t from, uint8_t to, uint32_t *required, uint32_t *optional)
{
    *required = *optional = 0;
    if (to == IBA_QPS_RESET || to == IBA_QPS_ERR)
        return true; /* QS-14 */
    for (unsigned i = 0; i < N_BOOK; i++)
        if (book[i].from == from && book[i].to == to) {
            *required = mask_of(book[i].required[column[type]]);
            *optional = mask_of(book[i].optional[column[type]]);
            return true;
        }
    return false;
}

struct visit {
    struct desk *d;
    uint32_t qpn, required, optional;
    uint8_t type, from, to;
};

/* Creates a QP of this type in the state `from`. */
static void arrive(struct visit *v)
{
    v->d = desk_open();
    v->qpn = desk_qp_in(v->d, 0, (enum iba_qp_type)v->type, (enum iba_qp_state)v->from);
}
static enum iba_verb_err ask(struct visit *v, uint32_t mask)
{
    struct iba_qp_attr a = desk_attr(&v->d->qp[0]);

    a.state = v->to;
    return iba_modify_qp(&v->d->ca, v->qpn, &a, mask | IBA_QPA_STATE);
}
static const char *say(const struct visit *v)
{
    static char text[128];

    snprintf(text, sizeof text, "%s: %s to %s", iba_qp_type_name((enum iba_qp_type)v->type),
             iba_qp_state_name((enum iba_qp_state)v->from), iba_qp_state_name((enum iba_qp_state)v->to));
    return text;
}
static void refused(struct visit *v, uint32_t mask, enum iba_verb_err err, uint32_t bit)
{
    static struct desk before; /* QS-15: nothing has changed */
    enum iba_verb_err got;

    memcpy(&before, v->d, sizeof before);
    got = ask(v, mask);
    cr_assert_eq(got, err, "%s, %#x: %s", say(v), bit, iba_verb_strerror(got));
    cr_assert_arr_eq((uint8_t *)&before, (uint8_t *)v->d, sizeof before);
    cr_assert_eq(iba_query_qp(&v->d->ca, v->qpn)->state, v->from);
}
static void taken(struct visit *v, uint32_t mask, uint32_t bit)
{
    const enum iba_verb_err got = ask(v, mask);

    cr_assert_eq(got, IBA_VERB_OK, "%s, %#x: %s", say(v), bit, iba_verb_strerror(got));
    cr_assert_eq(v->d->qp[0].state, v->to, "%s", say(v));
}

static void each_visit(void (*visit)(struct visit *v, bool exists))
{
    for (unsigned t = 0; t < sizeof types; t++)
        for (uint8_t from = 0; from < IBA_QPS_COUNT; from++)
            for (uint8_t to = 0; to < IBA_QPS_COUNT; to++) {
                struct visit v = {.type = types[t], .from = from, .to = to};
                const bool exists = look_up(v.type, from, to, &v.required, &v.optional);
                visit(&v, exists);
            }
}

static unsigned visits;

static void in_the_matrix(struct visit *v, bool exists)
{
    visits++;
    arrive(v);
    if (exists)
        taken(v, v->required, 0);
    else
        refused(v, 0, IBA_VERB_TRANSITION, 0);
    if (v->to != IBA_QPS_SQE && (v->from != IBA_QPS_SQE || exists))
        iba_ca_check(&v->d->ca);
}

Test(transition, matrix)
{
    each_visit(in_the_matrix);
    cr_assert_eq(visits, sizeof types * 49);
}

static void one_left_out(struct visit *v, bool exists)
{
    for (unsigned bit = 1; exists && bit < 32; bit++)
        if (v->required >> bit & 1) {
            arrive(v);
            refused(v, v->required & ~(1u << bit), IBA_VERB_ATTR_MISSING, 1u << bit);
            taken(v, v->required, 0);
            visits++;
        }
}

Test(transition, each_required_left_out)
{
    each_visit(one_left_out);
    cr_assert_eq(visits, 2 * 1 + 2 * 2 + 3 + 4 * 3 + 4 * 2 + 6 * 2 + 1 * 2 + 1 + 1 + 5 * 2 + 2 + 5 + 11);
}

static void one_too_many(struct visit *v, bool exists)
{
    for (unsigned bit = 1; exists && bit < 32; bit++)
        if (!((v->required | v->optional) >> bit & 1)) {
            arrive(v);
            refused(v, v->required | 1u << bit, IBA_VERB_ATTR_FORBIDDEN, 1u << bit);
            visits++;
        }
}

Test(transition, each_forbidden_added)
{
    each_visit(one_too_many);
    cr_assert_gt(visits, 4000);
}

static void one_more(struct visit *v, bool exists)
{
    for (unsigned bit = 1; exists && bit < 32; bit++)
        if ((v->optional >> bit & 1) && (v->from != IBA_QPS_INIT || 1u << bit != IBA_QPA_CUR_STATE)) {
            arrive(v);
            taken(v, v->required | 1u << bit, 1u << bit);
            visits++;
        }
    if (exists) {
        arrive(v);
        taken(v, v->required | v->optional, v->optional);
    }
}

Test(transition, each_optional_added)
{
    each_visit(one_more);
    cr_assert_gt(visits, 100);
}

/* The printed table is the one that the engine uses, has no row twice, and cites a clause in each row. */
Test(transition, table)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    cr_assert_eq(n, N_BOOK + 14);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            cr_assert(t[k].from != t[i].from || t[k].to != t[i].to);
        cr_assert_eq(strncmp(t[i].clause, "QS-", 3), 0);
        for (unsigned q = 0; q < sizeof types; q++) {
            uint32_t required, optional;
            cr_assert(look_up(types[q], t[i].from, t[i].to, &required, &optional));
            cr_assert_eq(t[i].required[types[q]], required);
            cr_assert_eq(t[i].optional[types[q]], optional);
        }
    }
}

/* Without the state attribute the QP keeps its state. This is permitted only if the state has a transition to itself.
 */
Test(transition, without_state)
{
    for (uint8_t s = 0; s < IBA_QPS_COUNT; s++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UC, (enum iba_qp_state)s);
        const struct iba_qp_attr a = desk_attr(&d->qp[0]);
        const bool stays = s == IBA_QPS_INIT || s == IBA_QPS_RTS || s == IBA_QPS_SQD;

        if (stays)
            OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_ACCESS));
        else if (s == IBA_QPS_RESET || s == IBA_QPS_ERR)
            REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_ACCESS), ATTR_FORBIDDEN);
        else
            REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_ACCESS), TRANSITION);
        cr_assert_eq(d->qp[0].state, s);
    }
}

Test(transition, to_no_state)
{
    struct desk *d = desk_open();
    const struct iba_qp_attr a = {.state = IBA_QPS_COUNT};
    const uint32_t qpn = desk_qp(d, 0, IBA_QPT_RC);

    REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE), TRANSITION);
    REFUSED(d, iba_modify_qp(&d->ca, qpn + 1, &a, IBA_QPA_STATE), NO_QP);
}

/* QS-16: the current state attribute may be RTR, RTS, SQD or SQE, and must be the QP's state. */
Test(transition, current_state)
{
    static const uint8_t from[] = {IBA_QPS_RTR, IBA_QPS_RTS, IBA_QPS_SQD, IBA_QPS_SQE};

    for (unsigned i = 0; i < sizeof from; i++)
        for (uint8_t claim = 0; claim <= IBA_QPS_COUNT; claim++) {
            struct desk *d = desk_open();
            const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, (enum iba_qp_state)from[i]);
            struct iba_qp_attr a = desk_attr(&d->qp[0]);
            const uint32_t mask = IBA_QPA_STATE | IBA_QPA_CUR_STATE | (from[i] == IBA_QPS_RTR ? IBA_QPA_SQ_PSN : 0);

            a.state = IBA_QPS_RTS;
            a.cur_state = claim;
            if (claim == from[i])
                OK(iba_modify_qp(&d->ca, qpn, &a, mask));
            else if (memchr(from, claim, sizeof from))
                REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, mask), CUR_STATE);
            else
                REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, mask), ATTR_VALUE);
        }
}

/* A current state that is not given is not looked at, whatever is in the structure. */
Test(transition, current_state_not_given)
{
    for (uint8_t claim = 0; claim <= IBA_QPS_COUNT; claim++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
        const struct iba_qp_attr a = {.state = IBA_QPS_RTS, .cur_state = claim, .qkey = claim};

        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | IBA_QPA_QKEY));
        cr_assert_eq(d->qp[0].attr.qkey, claim);
    }
}

/* QS-16 on a device that accepts any value: one that no transition has does not count as a wrong state. */
Test(transition, current_state_of_any_value)
{
    const struct iba_change any_value = {.list = &iba_modify_behaviours, .row = IBA_ROW_modify_CUR_STATE_VALUES};

    for (uint8_t claim = 0; claim < IBA_QPS_COUNT; claim++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
        const struct iba_qp_attr a = {.state = IBA_QPS_RTS, .cur_state = claim};
        const bool counts = claim == IBA_QPS_RTR || claim == IBA_QPS_SQD || claim == IBA_QPS_SQE;

        iba_ca_change(&d->ca, &any_value);
        cr_expect_eq(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | IBA_QPA_CUR_STATE),
                     counts ? IBA_VERB_CUR_STATE : IBA_VERB_OK, "%u", claim);
    }
}

/* QS-09, QS-23: a QP may leave SQD with new attributes before it is drained, and its next drain begins again. */
Test(transition, leaves_before_it_is_drained)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    const struct iba_send_wr s = desk_send(d, 1);
    static uint8_t packet[IBA_TX_MOST];
    size_t len;

    OK(iba_post_send(&d->ca, qpn, &s));
    cr_assert_eq(iba_ca_poll(&d->ca, 1, packet, sizeof packet, &len, 1000), IBA_OK);
    for (unsigned round = 0; round < 2; round++) {
        OK(desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_SQD_NOTIFY));
        REFUSED(d, desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_MIN_RNR), STATE);
        if (round == 0)
            OK(desk_step(d, qpn, IBA_QPS_RTS, IBA_QPA_MIN_RNR));
    }
    cr_assert_eq(d->n_event, 0);
    iba_qp_drained(&d->ca, &d->qp[0]);
    for (unsigned round = 0; round < 3; round++) { /* QS-10: a drained queue stays drained */
        OK(desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_MIN_RNR));
        cr_assert_not(iba_qp_may_send(&d->qp[0]));
        iba_qp_drained(&d->ca, &d->qp[0]);
    }
    OK(desk_step(d, qpn, IBA_QPS_RTS, 0));
    OK(desk_step(d, qpn, IBA_QPS_SQD, 0)); /* the event is asked for each time */
    REFUSED(d, desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_MIN_RNR), STATE);
    iba_qp_drained(&d->ca, &d->qp[0]);
    cr_assert_eq(desk_events(d, IBA_EVENT_SQ_DRAINED, qpn), 1);
    cr_assert_eq(d->n_event, 1);
}

/* The attributes that a transition needs, and none for a transition that does not exist. */
Test(transition, required)
{
    cr_expect_eq(iba_qp_required(IBA_QPT_UD, IBA_QPS_RTR, IBA_QPS_RTS), IBA_QPA_SQ_PSN);
    cr_expect_eq(iba_qp_required(IBA_QPT_UD, IBA_QPS_INIT, IBA_QPS_RTR), 0);
    cr_expect_eq(iba_qp_required(IBA_QPT_RC, IBA_QPS_RESET, IBA_QPS_RTS), 0);
}

/* Each pair of states is a behaviour: a transition, or that there is none. */
Test(transition, behaviours)
{
    cr_assert_eq(iba_transition_behaviours.n, 49);
    for (unsigned i = 0; i < iba_transition_behaviours.n; i++)
        cr_expect_not_null(iba_transition_behaviours.row[i].name, "%u", i);
}
