/* SPDX-License-Identifier: BSD-2-Clause */
/* Each message and each verb in each state of both ends (figures of section 12.9): the message that the CM sends, and
 * the state that follows. An input that the state does not allow must change nothing. */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

enum { CELL = 12, MOST_COLUMNS = 14, VERB_LAP_TIME = 11 };

/* A letter for each state, in the order of enum iba_cm_state; '-' is no connection. */
static const char letters[] = "-qQrRsSpPElLaAdDT";

/* A row of a table: a state, and for each column the letter of the next state. If the CM sends a message, '>' and its
 * name follow. '.': not allowed; '~': the test leaves it out. */
struct in_state {
    bool active;
    uint8_t state;
    const char *cells;
};

static void open_in(const struct in_state *r)
{
    hand_open(&h, IBA_PORT_IB);
    (r->active ? hand_active : hand_passive)(&h, (enum iba_cm_state)r->state);
}

static const char *name_of(unsigned attribute)
{
    static const char *const names[] = {"REQ",      "MRA",      "REJ", "REP", "RTU", "DREQ", "DREP",
                                        "SIDR_REQ", "SIDR_REP", "LAP", "APR", "SAP", "SPR"};

    return attribute ? names[attribute - IBA_CM_ID_REQ] : "";
}

/* Divides the row's cells. */
static void divide(const struct in_state *r, unsigned columns, char cell[MOST_COLUMNS][CELL])
{
    const char *p = r->cells;

    for (unsigned i = 0; i < columns; i++) {
        size_t n;
        p += strspn(p, " ");
        n = strcspn(p, " ");
        cr_assert(n > 0 && n < CELL, "state %u, column %u", r->state, i);
        memcpy(cell[i], p, n);
        cell[i][n] = '\0';
        p += n;
    }
    cr_assert_eq(*p, '\0');
}

/* Codes of times that the messages of hand.c give: of the REQ, for the way there and back; of our own REQ. */
enum { WAY = 10, OUR_TIME = 14 };

/* Returns when the timer of state `to` runs out, after an input in the state of `r`: 4.096 us * 2 to the power of a
 * code, and the time for the way. The code of an MRA counts after the MRA, that of our last LAP from the LAP on, that
 * of the REQ otherwise. In TimeWait, the active end adds the delay of the REP instead (MD-68, MD-69, MD-78). */
static iba_time ends(const struct in_state *r, enum iba_cm_state to)
{
    const iba_time unit = 4096, way = unit << WAY;
    const bool after_lap = r->state == IBA_CMS_LAP_SENT || r->state == IBA_CMS_MRA_LAP_RCVD;

    switch (to) {
    case IBA_CMS_REQ_SENT:
    case IBA_CMS_REP_SENT:
    case IBA_CMS_DREQ_SENT:
        return NOW + (unit << (after_lap ? HAND_LAP_TIME : r->active ? OUR_TIME : HAND_PEER_TIME)) + way;
    case IBA_CMS_LAP_SENT: return NOW + (unit << (after_lap ? HAND_LAP_TIME : VERB_LAP_TIME)) + way;
    case IBA_CMS_MRA_REQ_RCVD:
    case IBA_CMS_MRA_REP_RCVD:
    case IBA_CMS_MRA_LAP_RCVD: return NOW + (unit << HAND_SERVICE_TIME) + way;
    case IBA_CMS_TIMEWAIT: return NOW + way + (r->active && r->state >= IBA_CMS_REP_RCVD ? unit << HAND_ACK_DELAY : 0);
    default: return IBA_NEVER;
    }
}

/* Checks the message, the state and its timer after an input that was allowed. */
static void expect_cell(const struct in_state *r, unsigned column, const char *cell, unsigned sent)
{
    const char *message = strchr(cell, '>') ? strchr(cell, '>') + 1 : "";

    cr_expect_str_eq(name_of(sent), message, "%s end, %s, column %u", r->active ? "active" : "passive",
                     iba_cm_state_name((enum iba_cm_state)r->state), column);
    cr_expect_eq(letters[hand_state(&h)], cell[0], "%s end, %s, column %u: then %s", r->active ? "active" : "passive",
                 iba_cm_state_name((enum iba_cm_state)r->state), column, iba_cm_state_name(hand_state(&h)));
    cr_expect_eq(iba_cm_deadline(CM), ends(r, hand_state(&h)), "%s end, %s, column %u: timer",
                 r->active ? "active" : "passive", iba_cm_state_name((enum iba_cm_state)r->state), column);
}

/* ---- messages ---- */

static const struct {
    uint16_t attribute;
    uint8_t code; /* of an MRA the message that it answers, of a REJ the reason */
    uint8_t event;
} messages[] = {
    {IBA_CM_ID_REQ, 0, IBA_CME_REQ},   {IBA_CM_ID_MRA, 0, IBA_CME_MRA},         {IBA_CM_ID_MRA, 1, IBA_CME_MRA},
    {IBA_CM_ID_MRA, 2, IBA_CME_MRA},   {IBA_CM_ID_REJ, 28, IBA_CME_REJ},        {IBA_CM_ID_REJ, 10, IBA_CME_REJ},
    {IBA_CM_ID_REP, 0, IBA_CME_REP},   {IBA_CM_ID_RTU, 0, IBA_CME_ESTABLISHED}, {IBA_CM_ID_DREQ, 0, IBA_CME_DREQ},
    {IBA_CM_ID_DREP, 0, IBA_CME_DREP}, {IBA_CM_ID_LAP, 0, IBA_CME_LAP},         {IBA_CM_ID_APR, 0, IBA_CME_APR},
    {IBA_CM_ID_SAP, 0, IBA_CME_SAP},   {IBA_CM_ID_SPR, 0, IBA_CME_SPR},
};
enum { MESSAGES = sizeof messages / sizeof *messages };

/* clang-format off */
/* Before the REP, the active end does not know the ID of its peer: a DREQ or LAP with this ID belongs to no connection,
 * and the answer says so. A REQ of the same peer then asks for another connection. */
static const struct in_state on_message[] = {
    /*                           REQ     MRA(REQ) MRA(REP) MRA(LAP) REJ REJ(10) REP  RTU DREQ    DREP LAP    APR SAP SPR */
    {true,  IBA_CMS_REQ_SENT,     "~      Q . . - T p     . q>DREP . q>APR . . ."},
    {true,  IBA_CMS_MRA_REQ_RCVD, "~      . . . - T p     . Q>DREP . Q>APR . . ."},
    {false, IBA_CMS_REQ_RCVD,     ".      . . . - T .     . .      . .     . . ."},
    {false, IBA_CMS_MRA_REQ_SENT, "R>MRA  . . . - T .     . .      . .     . . ."},
    {false, IBA_CMS_REP_SENT,     "s>REP  . S . T T .     E D      . .     . . ."},
    {false, IBA_CMS_MRA_REP_RCVD, "S>REP  . . . T T .     E D      . .     . . ."},
    {true,  IBA_CMS_REP_RCVD,     ".      . . . T T .     . .      . .     . . ."},
    {true,  IBA_CMS_MRA_REP_SENT, ".      . . . T T P>MRA . .      . .     . . ."},
    {true,  IBA_CMS_ESTABLISHED,  ".      . . . T T E>RTU . D      . a     . E E"},
    {true,  IBA_CMS_LAP_SENT,     ".      . . L T T .     . D      . .     E l l"},
    {true,  IBA_CMS_MRA_LAP_RCVD, ".      . . . T T .     . D      . .     E L L"},
    {true,  IBA_CMS_LAP_RCVD,     ".      . . . T T .     . D      . .     . a a"},
    {true,  IBA_CMS_MRA_LAP_SENT, ".      . . . T T .     . D      . A>MRA . A A"},
    {true,  IBA_CMS_DREQ_SENT,    ".      . . . T T .     . T>DREP T .     . . ."},
    {true,  IBA_CMS_DREQ_RCVD,    ".      . . . . . .     . .      . .     . . ."},
    {true,  IBA_CMS_TIMEWAIT,     "T>REJ  . . . . . .     . T>DREP . .     . . ."},
    {false, IBA_CMS_ESTABLISHED,  ".      . . . T T .     . D      . a     . E E"},
    {false, IBA_CMS_LAP_SENT,     ".      . . L T T .     . D      . .     E l l"},
    {false, IBA_CMS_MRA_LAP_RCVD, ".      . . . T T .     . D      . .     E L L"},
    {false, IBA_CMS_LAP_RCVD,     ".      . . . T T .     . D      . .     . a a"},
    {false, IBA_CMS_MRA_LAP_SENT, ".      . . . T T .     . D      . A>MRA . A A"},
    {false, IBA_CMS_DREQ_SENT,    ".      . . . T T .     . T>DREP T .     . . ."},
    {false, IBA_CMS_DREQ_RCVD,    ".      . . . . . .     . .      . .     . . ."},
    {false, IBA_CMS_TIMEWAIT,     "T>REJ  . . . . . .     . T>DREP . .     . . ."},
};
/* clang-format on */

static void one_message(const struct in_state *r, unsigned i, const char *cell)
{
    uint64_t dropped;
    unsigned sent;

    open_in(r);
    dropped = CM->unexpected;
    sent = hand_say(&h, messages[i].attribute, messages[i].code);
    cr_expect_eq(CM->unexpected - dropped, *cell == '.', "%s, message %u",
                 iba_cm_state_name((enum iba_cm_state)r->state), i);
    if (*cell == '.') {
        cr_expect(sent == 0 && hand_state(&h) == r->state && h.e.kind == IBA_CME_NONE);
    } else {
        const bool only_answers = letters[r->state] == *cell && cell[1];
        expect_cell(r, i, cell, sent);
        if (sent == IBA_CM_ID_DREP || sent == IBA_CM_ID_APR || sent == IBA_CM_ID_REJ)
            cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID, "%s, message %u: as the message",
                         iba_cm_state_name((enum iba_cm_state)r->state), i);
        cr_expect_eq(h.e.kind, only_answers ? IBA_CME_NONE : messages[i].event, "%s, message %u: event %s",
                     iba_cm_state_name((enum iba_cm_state)r->state), i,
                     iba_cm_event_name((enum iba_cm_event_kind)h.e.kind));
    }
    hand_close(&h);
}

Test(states, each_message_in_each_state)
{
    for (const struct in_state *r = on_message; r < on_message + sizeof on_message / sizeof *on_message; r++) {
        char cell[MOST_COLUMNS][CELL];
        divide(r, MESSAGES, cell);
        for (unsigned i = 0; i < MESSAGES; i++)
            if (*cell[i] != '~')
                one_message(r, i, cell[i]);
    }
}

/* ---- verbs ---- */

static const struct iba_cm_private none;

static enum iba_cm_err accept(void)
{
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    return iba_cm_accept(CM, h.id, &rep, none, NOW);
}
static enum iba_cm_err confirm(void)
{
    return iba_cm_confirm(CM, h.id, none, NOW);
}
static enum iba_cm_err reject(void)
{
    return iba_cm_reject(CM, h.id, 28, none, none, NOW);
}
static enum iba_cm_err delay(void)
{
    return iba_cm_delay(CM, h.id, 16, none, NOW);
}
static enum iba_cm_err established(void)
{
    return iba_cm_established(CM, h.id, NOW);
}
static enum iba_cm_err disconnect(void)
{
    return iba_cm_disconnect(CM, h.id, none, NOW);
}
static enum iba_cm_err abandon(void)
{
    return iba_cm_abandon(CM, h.id, NOW);
}
static enum iba_cm_err load(void)
{
    const struct iba_cm_lap lap = {.remoteresptout = VERB_LAP_TIME, .alt_remotelid = 9};
    return iba_cm_load(CM, h.id, &lap, none, NOW);
}
static enum iba_cm_err loaded(void)
{
    return iba_cm_loaded(CM, h.id, 0, none, none, NOW);
}
static enum iba_cm_err suggest(void)
{
    return iba_cm_suggest(CM, h.id, none, NOW);
}
static enum iba_cm_err suggested(void)
{
    return iba_cm_suggested(CM, h.id, none, NOW);
}
static enum iba_cm_err resolved(void)
{
    const struct iba_cm_sidr_rep rep = {.qpn = 5};
    return iba_cm_resolved(CM, h.id, &rep, none, NOW);
}

static enum iba_cm_err (*const verbs[])(void) = {accept,  confirm, reject, delay,   established, disconnect,
                                                 abandon, load,    loaded, suggest, suggested,   resolved};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* clang-format off */
static const struct in_state on_verb[] = {
    /*                           accept confirm reject delay established disconnect abandon load loaded suggest suggested resolved */
    {true,  IBA_CMS_REQ_SENT,     ".     .     .     .     . .      ->REJ  .     .     .     .     ."},
    {true,  IBA_CMS_MRA_REQ_RCVD, ".     .     .     .     . .      ->REJ  .     .     .     .     ."},
    {false, IBA_CMS_REQ_RCVD,     "s>REP .     ->REJ R>MRA . .      ->REJ  .     .     .     .     ."},
    {false, IBA_CMS_MRA_REQ_SENT, "s>REP .     ->REJ .     . .      ->REJ  .     .     .     .     ."},
    {false, IBA_CMS_REP_SENT,     ".     .     .     .     E .      T>REJ  .     .     .     .     ."},
    {false, IBA_CMS_MRA_REP_RCVD, ".     .     .     .     E .      T>REJ  .     .     .     .     ."},
    {true,  IBA_CMS_REP_RCVD,     ".     E>RTU ->REJ P>MRA . .      ->REJ  .     .     .     .     ."},
    {true,  IBA_CMS_MRA_REP_SENT, ".     E>RTU ->REJ .     . .      ->REJ  .     .     .     .     ."},
    {true,  IBA_CMS_ESTABLISHED,  ".     .     .     .     . d>DREQ d>DREQ l>LAP .     E>SAP E>SPR ."},
    {true,  IBA_CMS_LAP_SENT,     ".     .     .     .     . d>DREQ d>DREQ .     .     l>SAP l>SPR ."},
    {true,  IBA_CMS_MRA_LAP_RCVD, ".     .     .     .     . d>DREQ d>DREQ .     .     L>SAP L>SPR ."},
    {true,  IBA_CMS_LAP_RCVD,     ".     .     .     A>MRA . d>DREQ d>DREQ .     E>APR a>SAP a>SPR ."},
    {true,  IBA_CMS_MRA_LAP_SENT, ".     .     .     .     . d>DREQ d>DREQ .     E>APR A>SAP A>SPR ."},
    {true,  IBA_CMS_DREQ_SENT,    ".     .     .     .     . .      T      .     .     .     .     ."},
    {true,  IBA_CMS_DREQ_RCVD,    ".     .     .     .     . T>DREP T>DREP .     .     .     .     ."},
    {true,  IBA_CMS_TIMEWAIT,     ".     .     .     .     . .      .      .     .     .     .     ."},
    {false, IBA_CMS_ESTABLISHED,  ".     .     .     .     . d>DREQ d>DREQ l>LAP .     E>SAP E>SPR ."},
    {false, IBA_CMS_LAP_RCVD,     ".     .     .     A>MRA . d>DREQ d>DREQ .     E>APR a>SAP a>SPR ."},
    {false, IBA_CMS_DREQ_RCVD,    ".     .     .     .     . T>DREP T>DREP .     .     .     .     ."},
    {false, IBA_CMS_TIMEWAIT,     ".     .     .     .     . .      .      .     .     .     .     ."},
};
/* clang-format on */

/* The connection is still in the transaction of our REQ. */
static bool asks(const struct in_state *r)
{
    return r->active && r->state < IBA_CMS_ESTABLISHED;
}

static void one_verb(const struct in_state *r, unsigned i, const char *cell)
{
    enum iba_cm_err e;
    unsigned sent;

    open_in(r);
    e = verbs[i]();
    sent = hand_take(&h);
    cr_expect_eq(e, *cell == '.' ? IBA_CM_WRONG_STATE : IBA_CM_OK, "%s, verb %u: %s",
                 iba_cm_state_name((enum iba_cm_state)r->state), i, iba_cm_err_name(e));
    if (*cell == '.')
        cr_expect(sent == 0 && hand_state(&h) == r->state);
    else
        expect_cell(r, i, cell, sent);
    if (sent == IBA_CM_ID_DREP || sent == IBA_CM_ID_APR || (sent == IBA_CM_ID_MRA && !asks(r)))
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID, "%s, verb %u: as the message that it answers",
                     iba_cm_state_name((enum iba_cm_state)r->state), i);
    cr_expect_eq(h.e.kind, verbs[i] == established && e == IBA_CM_OK ? IBA_CME_ESTABLISHED : IBA_CME_NONE);
    hand_close(&h);
}

Test(states, each_verb_in_each_state)
{
    for (const struct in_state *r = on_verb; r < on_verb + sizeof on_verb / sizeof *on_verb; r++) {
        char cell[MOST_COLUMNS][CELL];
        divide(r, VERBS, cell);
        for (unsigned i = 0; i < VERBS; i++)
            one_verb(r, i, cell[i]);
    }
}

/* An exchange of datagrams has two verbs: to abandon it, and to answer the peer's SIDR_REQ. */
Test(states, each_verb_in_an_exchange_of_datagrams)
{
    const struct iba_cm_resolve r = {.service_id = 7, .response = 10};
    uint8_t mad[IBA_MAD_BYTES];

    for (unsigned ours = 0; ours < 2; ours++)
        for (unsigned i = 0; i < VERBS; i++) {
            const bool allowed = verbs[i] == abandon || (!ours && verbs[i] == resolved);
            hand_open(&h, IBA_PORT_IB);
            iba_cm_sidr_req_set_serviceid(hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID), LAB_SERVICE);
            if (ours)
                cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &h.id), IBA_CM_OK);
            else
                (void)hand_feed(&h, mad);
            (void)hand_take(&h);
            const enum iba_cm_state before = hand_state(&h);
            cr_expect_eq(before, ours ? IBA_CMS_SIDR_REQ_SENT : IBA_CMS_SIDR_REQ_RCVD);
            cr_expect_eq(verbs[i](), allowed ? IBA_CM_OK : IBA_CM_WRONG_STATE, "%u, verb %u", ours, i);
            cr_expect_eq(hand_take(&h), allowed && !ours ? IBA_CM_ID_SIDR_REP : 0);
            cr_expect_eq(h.e.kind, IBA_CME_NONE);
            cr_expect_eq(hand_state(&h), allowed ? IBA_CMS_NONE : before);
            hand_close(&h);
        }
}

/* ---- timers ---- */

/* A timer runs while the CM waits for its peer, and ends exactly after the time that the messages gave: 4.096 us * 2 to
 * the power of the REQ's remote response timeout (15) or local one (13), of the MRA's service timeout (16), or of the
 * LAP's response timeout (14); and the same of the REQ's local ACK timeout (10) for the way there and back. In
 * TimeWait, the active end adds the delay that the REP gave (MD-68, MD-69, MD-78). */
Test(states, each_timer)
{
    static const struct {
        bool active;
        uint8_t state;
        uint8_t code; /* 255: no timer runs */
    } cases[] = {
        {true, IBA_CMS_REQ_SENT, 14},       {true, IBA_CMS_MRA_REQ_RCVD, 16},  {false, IBA_CMS_REQ_RCVD, 255},
        {false, IBA_CMS_MRA_REQ_SENT, 255}, {false, IBA_CMS_REP_SENT, 13},     {false, IBA_CMS_MRA_REP_RCVD, 16},
        {true, IBA_CMS_REP_RCVD, 255},      {true, IBA_CMS_MRA_REP_SENT, 255}, {true, IBA_CMS_ESTABLISHED, 255},
        {false, IBA_CMS_LAP_SENT, 12},      {true, IBA_CMS_MRA_LAP_RCVD, 16},  {true, IBA_CMS_LAP_RCVD, 255},
        {true, IBA_CMS_MRA_LAP_SENT, 255},  {true, IBA_CMS_DREQ_SENT, 14},     {false, IBA_CMS_DREQ_SENT, 13},
        {true, IBA_CMS_DREQ_RCVD, 255},
    };
    const iba_time way = 4096 << 10;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct in_state r = {cases[i].active, cases[i].state, ""};
        open_in(&r);
        if (cases[i].code == 255)
            cr_expect_eq(iba_cm_deadline(CM), IBA_NEVER, "case %zu", i);
        else
            cr_expect_eq(iba_cm_deadline(CM), NOW + ((iba_time)4096 << cases[i].code) + way, "case %zu", i);
        hand_close(&h);
    }
    for (unsigned active = 0; active < 2; active++) {
        const struct in_state r = {active, IBA_CMS_TIMEWAIT, ""};
        open_in(&r);
        cr_expect_eq(iba_cm_deadline(CM), NOW + way + (active ? 4096 << 9 : 0));
        hand_close(&h);
    }
}
