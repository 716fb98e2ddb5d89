/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken connection managers in captures: for each row of core/cm's tables and lists and each way to break it,
 * broken.golden says which findings show it, or why none does (test/golden.h says how to renew it). Two managers with
 * users that do what a seed says talk to each other, one of them broken, and the tracker sees what leaves each.
 *
 * A broken manager is caught by any finding where the network loses nothing and the users answer at once: there an
 * unbroken one has none. Where datagrams are lost, users are slow and the capture lacks some, an unbroken one has
 * notes, and no more: there only a warning or an error catches. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "cm/deviations_cm.h"
#include "cm/test/lab.h"
#include "observer/iba_finding_kinds.h"
#include "test/golden.h"
#include "track/cm_track.h"

enum {
    SEEDS = 200,
    PLAYS = 5,
    STEPS = 60,
    WAITING = 16,
    IDS = 8,
    MS = 1000000,
    HEADERS = 62,
    FRAME = HEADERS + IBA_MAD_BYTES + 4
};
enum { FIRST_KIND = IBA_FINDING_CM_VERSION, KINDS = IBA_FINDING_FIRST_FABRIC - FIRST_KIND };

static struct lab l;
static struct cm_track *track;
static struct iba_random dice;
static bool ending; /* nobody puts answers off any more */
static bool rough;  /* datagrams are lost, users are slow, the capture lacks some */
static uint32_t ids[2][IDS], psn[2], hosts = 0x0a000000;
static unsigned n_id[2], found[KINDS];
static uint8_t frame[FRAME];
static struct packet packet;
static struct cap_packet cap;

static unsigned below(unsigned n)
{
    return (unsigned)(iba_random_next(&dice) >> 33) % n;
}

static bool one_in(unsigned n)
{
    return below(n) == 0;
}

/* ---- the capture ---- */

static void put(size_t at, unsigned bytes, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        frame[at + i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
}

/* Captures a datagram as RoCEv2 over IPv4, whatever kind the ports have; its ICRC is not checked. */
static void capture(unsigned from, const uint8_t *mad)
{
    enum { IP = 14, UDP = 34, BTH = 42, DETH = 54 };

    put(12, 2, 0x0800);
    put(IP, 4, 0x45000000 + FRAME - IP);
    put(IP + 8, 2, 0x4011);
    put(IP + 12, 4, hosts + from);
    put(IP + 16, 4, hosts + !from);
    put(UDP, 4, 0xc00012b7);
    put(UDP + 4, 2, FRAME - UDP);
    put(BTH, 4, 0x6440ffff);
    put(BTH + 4, 4, 1);
    put(BTH + 8, 4, ++psn[from]);
    put(DETH, 4, 0x80010000);
    put(DETH + 4, 4, 1);
    memcpy(frame + HEADERS, mad, IBA_MAD_BYTES);
    cap = (struct cap_packet){
        .data = frame, .caplen = FRAME, .len = FRAME, .ts_ns = l.now, .has_ts = true, .number = cap.number + 1};
    packet = (struct packet){.cap = &cap, .number = cap.number};
    (void)iba_view_parse(&packet.view, IBA_LINK_ETHERNET, frame, FRAME, FRAME, NULL);
    (void)cm_track_packet(track, &packet);
    for (unsigned i = 0; i < track->n_said; i++)
        found[track->said[i].kind - FIRST_KIND]++;
}

static bool leaves(void *ctx, unsigned from, const struct iba_cm_datagram *d)
{
    (void)ctx;
    if (!rough || !one_in(10))
        capture(from, d->mad);
    return true;
}

/* ---- the users ---- */

static void know(unsigned end, uint32_t id)
{
    ids[end][n_id[end]++ % IDS] = id;
}

static void connect(unsigned end)
{
    struct iba_cm_request r = lab_request(&l, end, 0x100 + below(6));
    uint32_t id;

    r.req.serviceid = LAB_SERVICE + below(3);
    r.req.transpsvctype = one_in(8) ? (uint8_t)below(4) : 0;
    r.req.ext_transport = IBA_CM_EXT_XRC;
    r.req.startpsn = below(1 << 24);
    r.req.responderres = (uint8_t)below(8);
    r.req.initdepth = (uint8_t)below(8);
    r.req.remoteresptout = r.req.localresptout = (uint8_t)(12 + below(4));
    r.req.maxcmretr = (uint8_t)below(4);
    r.req.pppmtu = (uint8_t)(one_in(10) ? 1 + below(5) : r.req.pppmtu);
    r.req.prim_remotelid ^= one_in(16);
    r.req.prim_remotegid[15] ^= (uint8_t)(8 * one_in(16));
    if (one_in(5)) { /* an alternate path */
        memcpy(r.req.alt_localgid, r.req.prim_localgid, 16);
        memcpy(r.req.alt_remotegid, r.req.prim_remotegid, 16);
        r.req.alt_remotegid[15] ^= (uint8_t)(8 * one_in(4));
        r.req.alt_locallid = r.req.prim_locallid;
        r.req.alt_remotelid = (uint16_t)(r.req.prim_remotelid + one_in(3));
        r.req.alt_subnetlocal = r.req.prim_subnetlocal;
    }
    r.peer = rough && one_in(4);
    if (iba_cm_connect(&l.end[end].cm, &r, l.now, &id) == IBA_CM_OK)
        know(end, id);
}

static void resolve(unsigned end)
{
    const struct iba_cm_resolve r = {.service_id = LAB_SERVICE + below(3),
                                     .pkey = 0xffff,
                                     .response = (uint8_t)(12 + below(4)),
                                     .retries = (uint8_t)below(4),
                                     .av = l.end[end].to};
    uint32_t id;

    if (iba_cm_resolve(&l.end[end].cm, &r, l.now, &id) == IBA_CM_OK)
        know(end, id);
}

static void load(unsigned end, uint32_t id)
{
    struct iba_cm_lap lap = {.alt_remotelid = (uint16_t)(l.end[end].to.dlid + one_in(8)),
                             .alt_locallid = (uint16_t)(l.end[end].port[0].lid + one_in(2)),
                             .alt_subnetlocal = 1,
                             .remoteresptout = 14};
    const struct iba_cm_conn *c = iba_cm_find(&l.end[end].cm, id);

    memcpy(lap.alt_remotegid, l.end[end].to.dgid, 16);
    memcpy(lap.alt_localgid, l.end[end].port[0].gid[0], 16);
    lap.alt_remotegid[15] ^= (uint8_t)(8 * one_in(6));
    lap.remoteqpn = c ? c->remote_qpn : 0;
    (void)iba_cm_load(&l.end[end].cm, id, &lap, LAB_NOTHING, l.now);
}

static void accept(unsigned end, uint32_t id)
{
    struct iba_cm_rep rep = lab_rep(0x200 + below(6));

    rep.respres = (uint8_t)below(8), rep.initdepth = (uint8_t)below(8), rep.localeecn = 0x300 + below(4);
    while (iba_cm_accept(&l.end[end].cm, id, &rep, LAB_NOTHING, l.now) == IBA_CM_QP_BUSY)
        rep.localqpn++, rep.localeecn++;
}

/* Answers that are sent later, after an MRA that asks for 4 s. */
static struct {
    unsigned end;
    struct iba_cm_event e;
    iba_time at; /* 0: the place is free */
} waiting[WAITING];

static bool puts_off(unsigned end, const struct iba_cm_event *e)
{
    if (ending || !one_in(4) || iba_cm_delay(&l.end[end].cm, e->id, 20, LAB_NOTHING, l.now) != IBA_CM_OK)
        return false;
    for (unsigned i = 0; i < WAITING; i++)
        if (waiting[i].at == 0) {
            waiting[i].end = end, waiting[i].e = *e, waiting[i].at = l.now + (iba_time)300 * MS;
            return true;
        }
    return false;
}

static void answer_req(unsigned end, uint32_t id)
{
    struct iba_cm *cm = &l.end[end].cm;

    if (one_in(6))
        (void)iba_cm_reject(cm, id, IBA_CM_REJ_CONSUMER, LAB_NOTHING, LAB_NOTHING, l.now);
    else if (one_in(6))
        (void)iba_cm_abandon(cm, id, l.now);
    else
        accept(end, id);
}

static void answer_rep(unsigned end, uint32_t id)
{
    struct iba_cm *cm = &l.end[end].cm;

    if (one_in(8))
        (void)iba_cm_reject(cm, id, IBA_CM_REJ_CONSUMER, LAB_NOTHING, LAB_NOTHING, l.now);
    else
        (void)iba_cm_confirm(cm, id, LAB_NOTHING, l.now);
}

static void answer(unsigned end, const struct iba_cm_event *e)
{
    static const struct iba_cm_sidr_rep sidr = {.qpn = 0x77, .qkey = 0x88};
    struct iba_cm *cm = &l.end[end].cm;

    switch ((enum iba_cm_event_kind)e->kind) {
    case IBA_CME_REQ: answer_req(end, e->id); break;
    case IBA_CME_REP: answer_rep(end, e->id); break;
    case IBA_CME_DREQ: (void)iba_cm_disconnect(cm, e->id, LAB_NOTHING, l.now); break;
    case IBA_CME_LAP: (void)iba_cm_loaded(cm, e->id, (uint8_t)below(4), LAB_NOTHING, LAB_NOTHING, l.now); break;
    case IBA_CME_SAP: (void)iba_cm_suggested(cm, e->id, LAB_NOTHING, l.now); break;
    case IBA_CME_SIDR_REQ:
        if (one_in(4))
            (void)iba_cm_abandon(cm, e->id, l.now);
        else
            (void)iba_cm_resolved(cm, e->id, &sidr, LAB_NOTHING, l.now);
        break;
    default: break;
    }
}

static void user(void *ctx, unsigned end, const struct iba_cm_event *e)
{
    (void)ctx;
    if (e->kind == IBA_CME_REQ || e->kind == IBA_CME_SIDR_REQ)
        know(end, e->id);
    if (rough && one_in(4))
        return;
    if ((e->kind != IBA_CME_REQ && e->kind != IBA_CME_REP && e->kind != IBA_CME_LAP) || !puts_off(end, e))
        answer(end, e);
}

static void answer_those_that_wait(iba_time until)
{
    for (unsigned i = 0; i < WAITING; i++)
        if (waiting[i].at != 0 && waiting[i].at <= until) {
            waiting[i].at = 0;
            answer(waiting[i].end, &waiting[i].e);
        }
}

static void step(void)
{
    const unsigned end = below(2), what = below(13);
    const uint32_t id = ids[end][below(IDS)];
    struct iba_cm *cm = &l.end[end].cm;
    const struct iba_cm_conn *c = iba_cm_find(cm, id);
    const uint32_t peer = c ? c->remote_id : 0;

    if (what < 3)
        connect(end);
    else if (what == 3)
        resolve(end);
    else if (what < 6)
        (void)iba_cm_disconnect(cm, id, LAB_NOTHING, l.now);
    else if (what == 6)
        load(end, id);
    else if (what == 7)
        (void)iba_cm_suggest(cm, id, LAB_NOTHING, l.now);
    else if (what == 8 && one_in(2))
        (void)iba_cm_abandon(cm, id, l.now);
    else if (what == 9 && rough)
        accept(end, id);
    else if (what == 10 && rough)
        (void)iba_cm_established(cm, id, l.now);
    else if (what == 11 && peer != 0) { /* both at once */
        (void)iba_cm_disconnect(cm, id, LAB_NOTHING, l.now);
        if (one_in(3))
            (void)iba_cm_abandon(cm, id, l.now);
        (void)iba_cm_disconnect(&l.end[!end].cm, peer, LAB_NOTHING, l.now);
    }
    answer_those_that_wait(l.now);
    lab_run(&l, l.now + ((iba_time)2 * MS << (rough ? below(6) : one_in(4) * 6)));
}

/* ---- the broken ones ---- */

struct broken {
    const char *table, *name, *way, *clause, *hidden; /* hidden: why no capture shows it */
    enum iba_cm_table rows;
    const struct iba_cm_changed_rules *changed; /* NULL: not of a table */
    const struct iba_change *change;            /* NULL: not of a list */
};

static void talk(unsigned seed, const struct broken *b)
{
    static const struct iba_net_faults smooth_net = {.delay_ns = 20000},
                                       rough_net = {
                                           .lose = 80000, .duplicate = 40000, .delay_ns = 20000, .jitter_ns = 2 * MS};
    uint32_t number;

    iba_random_seed(&dice, seed);
    memset(ids, 0, sizeof ids);
    memset(n_id, 0, sizeof n_id);
    memset(waiting, 0, sizeof waiting);
    ending = false;
    hosts += 2; /* the tracker has never seen these two */
    lab_open(&l, (enum iba_port_kind)(seed % 3), LAB_CONNS, seed, rough ? &rough_net : &smooth_net);
    l.leaves = leaves;
    l.event = user;
    l.unchecked = true;
    if (b && b->changed)
        iba_cm_set_rules(&l.end[0].cm, b->rows, &b->changed->rules);
    if (b && b->change)
        iba_cm_change(&l.end[0].cm, b->change);
    for (unsigned end = 0; end < 2; end++) {
        struct iba_cm_listen what = {.service_id = LAB_SERVICE, .service_mask = UINT64_MAX, .backlog = rough ? 1 : 0};
        (void)iba_cm_listen(&l.end[end].cm, &what, &number);
        what = (struct iba_cm_listen){
            .service_id = LAB_SERVICE + 1, .service_mask = UINT64_MAX, .backlog = 1, .datagrams = true};
        (void)iba_cm_listen(&l.end[end].cm, &what, &number);
    }
    for (unsigned i = 0; i < STEPS; i++)
        step();
    ending = true;
    answer_those_that_wait(IBA_NEVER);
    lab_run(&l, l.now + (iba_time)20000 * MS);
}

/* For each seed: which rows decide when both managers are unbroken. */
static uint8_t hit[2][SEEDS][IBA_CM_TABLES][IBA_CM_MAX_RULES];

static void nobody_is_accused(bool in_rough)
{
    rough = in_rough;
    memset(found, 0, sizeof found);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        talk(seed, NULL);
        for (unsigned t = 0; t < IBA_CM_TABLES; t++)
            for (unsigned r = 0; r < IBA_CM_MAX_RULES; r++)
                hit[rough][seed][t][r] = l.end[0].cm.hits[t][r] != 0;
        for (unsigned k = 0; k < KINDS; k++)
            cr_assert(found[k] == 0 || (rough && iba_findings[FIRST_KIND + k].severity == IBA_NOTE),
                      "seed %u%s: an unbroken one has %s", seed, rough ? ", rough" : "",
                      iba_findings[FIRST_KIND + k].name);
        lab_close(&l);
    }
}

/* Plays the seeds in which the row decides; for a row of a list, the first seeds. */
static unsigned play(const struct broken *b, unsigned row, bool in_rough, bool shown[KINDS])
{
    unsigned played = 0;

    rough = in_rough;
    memset(found, 0, sizeof found);
    for (unsigned seed = 0; seed < SEEDS && played < PLAYS; seed++) {
        if (b->changed && !hit[rough][seed][b->rows][row])
            continue;
        played++;
        talk(seed, b);
        lab_close(&l);
    }
    for (unsigned k = 0; k < KINDS; k++)
        shown[k] |= found[k] > 0 && (!rough || iba_findings[FIRST_KIND + k].severity > IBA_NOTE);
    return played;
}

static void judge(struct golden *g, const struct broken *b, unsigned row)
{
    bool shown[KINDS] = {false}, any = false;
    char line[GOLDEN_LINE];
    int n;
    const unsigned played = play(b, row, false, shown) + play(b, row, true, shown);
    n = snprintf(line, sizeof line, "%s %s %s [%s]:", b->table, b->name, b->way, b->clause);
    for (unsigned k = 0; k < KINDS; k++)
        if (shown[k]) {
            n += snprintf(line + n, sizeof line - (size_t)n, " %s", iba_findings[FIRST_KIND + k].name);
            any = true;
        }
    if (!any)
        n += snprintf(line + n, sizeof line - (size_t)n, " not visible: %s",
                      played ? b->hidden : "only the message of a broken peer brings it about, or a full table");
    (void)snprintf(line + n, sizeof line - (size_t)n, "\n");
    golden_line(g, line);
}

static void judge_rows(struct golden *g)
{
    static const char *const hidden[IBA_CM_ROW_CHANGES] = {
        [IBA_CM_ROW_DROP] = "it says nothing, as if the datagram had been lost",
        [IBA_CM_ROW_SILENT] = "its answer may have been lost in front of the capture point",
        [IBA_CM_ROW_CODE] = "another code is as lawful, for all that the wire shows",
        [IBA_CM_ROW_STAYS] = "a later message is answered as by one that has ended the connection, or lost it",
        [IBA_CM_ROW_TIMER] = "a message that is not sent again may have been lost in front of the capture point",
        [IBA_CM_ROW_UNTOLD] = "what the user learns is not on the wire",
        [IBA_CM_ROW_FORGETS] = "what it names instead is as lawful, for all that the wire shows"};
    static const char *const table[IBA_CM_TABLES] = {"messages", "timers", "verbs"};
    static const struct iba_cm_rules *const rules[] = {&iba_cm_message_rules, &iba_cm_timer_rules, &iba_cm_verb_rules};
    static struct iba_cm_changed_rules changed;

    for (unsigned t = 0; t < IBA_CM_TABLES; t++)
        for (uint16_t r = 0; r < rules[t]->n; r++)
            for (unsigned c = 0; c < IBA_CM_ROW_CHANGES; c++) {
                const struct iba_cm_rule *row = &rules[t]->row[r];
                const struct broken b = {table[t],    row->name, iba_cm_row_change_name((enum iba_cm_row_change)c),
                                         row->clause, hidden[c], (enum iba_cm_table)t,
                                         &changed,    NULL};
                if (iba_cm_rules_change(&changed, (enum iba_cm_table)t, r, (enum iba_cm_row_change)c))
                    judge(g, &b, row->hit);
            }
}

static void judge_list(struct golden *g, const struct iba_behaviours *list, const char *hidden)
{
    static const char *const way[] = {[IBA_CHANGE_DROP] = "drop", [IBA_CHANGE_OTHER] = "other"};

    for (uint16_t r = 0; r < list->n; r++)
        for (unsigned k = IBA_CHANGE_DROP; k <= IBA_CHANGE_OTHER; k++) {
            const struct iba_change change = {.list = list, .row = r, .kind = (uint8_t)k};
            const struct broken b = {.table = list->name,
                                     .name = list->row[r].name,
                                     .way = way[k],
                                     .clause = list->row[r].clause,
                                     .hidden = hidden,
                                     .change = &change};
            if (list->row[r].kinds >> k & 1)
                judge(g, &b, 0);
        }
}

Test(broken, each_row_is_caught_or_hidden_for_a_reason)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/dissect/track/test/broken.golden");

    track = calloc(1, sizeof *track);
    cr_assert_not_null(track);
    nobody_is_accused(false);
    nobody_is_accused(true);
    judge_rows(&g);
    judge_list(&g, &iba_cm_field_behaviours, "only its sender knows which value is right");
    judge_list(&g, &iba_cm_behaviours, "it changes what the queue pair does, or how long its user waits");
    golden_close(&g);
    free(track);
}
