/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of dynamic connections: each row of its tables alone, by scripts of events. A script notices each row that
 * is left out. */
#include "transport/iba_dc.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { KEY = 0x5eed, TIMEOUT = 1000, IDLE = 5000, LEASE = 100000, LONGEST = 32 };

struct script {
    const char *row;
    bool full;
    const char *steps, *expected;
};

/* ---- scripts of an initiator ---- */

static char letter_of(enum iba_dc_kind kind)
{
    static const char letters[IBA_DC_KIND_COUNT + 1] = "codAENKX";

    return letters[kind];
}

/* Steps: 1, 2: an operation for that target is posted. p: the next message is taken. A, E, N, K, X: an answer arrives:
 * accepted, done, CNAK, bad key, closed. a, e, n, k, x: the same of another connection. r: a request arrives. t, q: the
 * timer of answers, or of idleness, runs out. */
static void initiator_step(struct iba_dc_initiator *i, char step, iba_time *now, char **out)
{
    static const char answers[] = "AENKX", others[] = "aenkx";
    struct iba_dc_message m = {.initiator = i->number, .target = 1, .connection = i->connection};
    const struct iba_dc_operation op = {.target = (uint32_t)(step - '0'), .key = KEY};
    const char *answer = strchr(answers, step), *other = strchr(others, step);

    if (step == '1' || step == '2') {
        cr_assert(iba_dc_post(i, &op));
    } else if (step == 'p') {
        *(*out)++ = iba_dc_poll(i, &m, *now) ? letter_of((enum iba_dc_kind)m.kind) : '-';
    } else if (step == 't' || step == 'q') {
        *now = step == 't' ? i->due : i->idle_due;
        cr_assert_neq(*now, IBA_NEVER);
        iba_dc_advance(i, *now);
    } else {
        m.kind = answer  ? (uint8_t)(IBA_DC_ACCEPTED + (answer - answers))
                 : other ? (uint8_t)(IBA_DC_ACCEPTED + (other - others))
                         : IBA_DC_CONNECT;
        m.connection += other != NULL;
        m.sequence = i->first + 1;
        iba_dc_initiator_receive(i, &m, *now);
    }
}

/* Plays the script; writes a letter for each message that is sent, and the first letter of each completion's status. */
static void play_initiator(const struct script *s, uint32_t left_out, char *out, uint32_t *hits)
{
    static const char statuses[] = "SNKT";
    const struct iba_dc_config c = {.full = s->full, .retry = 1, .window = 2, .timeout_ns = TIMEOUT, .idle_ns = IDLE};
    struct iba_dc_operation ring[4], op;
    struct iba_dc_initiator i;
    iba_time now = 1;

    iba_dc_initiator_init(&i, &c, 7, ring, 4);
    i.left_out = left_out;
    for (const char *step = s->steps; *step; step++) {
        initiator_step(&i, *step, &now, &out);
        while (iba_dc_take(&i, &op))
            *out++ = statuses[op.status];
    }
    *out = 0;
    memcpy(hits, i.hits, sizeof i.hits);
}

static const struct script initiator_scripts[] = {
    {"connect", true, "p1pp", "-c-"},          {"connected", true, "1pAp", "co"},
    {"half", false, "11pppp", "coo-"},         {"accepted", true, "1pApp", "co-"},
    {"accepted_stray", true, "1papAp", "cdo"}, {"accepted_again", true, "1pAAp", "co"},
    {"other_connection", true, "1pnAp", "co"}, {"done", false, "1ppEp", "coS-"},
    {"done_again", true, "1pApEEp", "coS-"},   {"cnak", true, "1pN1p", "cNc"},
    {"bad_key", true, "1pK1p", "cKc"},         {"refused_late", true, "1pANKp", "co"},
    {"closed", true, "1pApEqpX1p", "coSdc"},   {"closed_early", true, "1pAXp", "co"},
    {"request", true, "1pArp", "co"},          {"resend", false, "1pptppp", "coco-"},
    {"no_answer", true, "1ptptp", "ccTd"},     {"end_unconfirmed", true, "1pApEqptpt1p", "coSddc"},
    {"idle", true, "1pApEqp", "coSd"},         {"other_target", true, "12pApEpXp", "coSdc"},
    {"connected", true, "1pApE1qp", "coSo"},   {"cnak", false, "1ppN1p", "coNc"},
};

/* ---- scripts of a target with one responder ---- */

struct heard {
    uint64_t token;
    unsigned stored;
};

static void note_store(void *ctx, const struct iba_dc_message *m)
{
    (void)m;
    ((struct heard *)ctx)->stored++;
}

static uint64_t next_token(void *ctx)
{
    static uint64_t token = 100;

    (void)ctx;
    return token++;
}

/* A lease is LEASE long. Steps: c, l, n: initiator 7 asks for connection 5, 4, 6. C: initiator 8 does. k, K: connect
 * and operation with a wrong key. o: the next operation of connection 5; u, g: the one before, and after. w, v: o and u
 * with another token. O: of another connection; W: with another token, too. a: an answer with the fields of an
 * operation. d, D: connection 5, or 9, ends. L: the lease passes. H: most of it does. */
static void target_step(const struct iba_dc_target *t, char step, uint64_t token, struct iba_dc_message *m, bool full)
{
    const uint32_t next = t->pool[0].executed;

    *m = (struct iba_dc_message){.kind = strchr("clnCk", step) ? IBA_DC_CONNECT
                                         : strchr("dD", step)  ? IBA_DC_DISCONNECT
                                         : step == 'a'         ? IBA_DC_DONE
                                                               : IBA_DC_OPERATION,
                                 .full = full,
                                 .initiator = step == 'C' ? 8 : 7,
                                 .target = 1,
                                 .connection = step == 'l'           ? 4
                                               : step == 'n'         ? 6
                                               : strchr("OWD", step) ? 9
                                                                     : 5,
                                 .sequence = step == 'u' || step == 'v' ? next - 1 : next + (step == 'g'),
                                 .key = step == 'd' || step == 'D' ? 0 : KEY + (uint64_t)(step == 'k' || step == 'K'),
                                 .token = token + (uint64_t)(strchr("wvW", step) != NULL)};
}

/* Writes ! for each operation that is executed, and a letter for each answer. */
static void play_target(const struct script *s, uint32_t left_out, char *out, uint32_t *hits)
{
    struct heard heard = {0};
    struct iba_dc_responder pool[1];
    struct iba_dc_target t = {
        .number = 1, .key = KEY, .lease_ns = LEASE, .store = note_store, .random = next_token, .ctx = &heard};
    struct iba_dc_message m, answer;
    iba_time now = 1;
    bool has_token = false;

    iba_dc_target_init(&t, pool, 1);
    t.left_out = left_out;
    for (const char *step = s->steps; *step; step++) {
        if (*step == 'L' || *step == 'H') {
            now += *step == 'H' ? LEASE - 1 : LEASE;
            continue;
        }
        target_step(&t, *step, heard.token, &m, s->full);
        heard.stored = 0;
        const bool answered = iba_dc_target_receive(&t, &m, now, &answer);
        if (answered && answer.kind == IBA_DC_ACCEPTED && !has_token) {
            heard.token = answer.token;
            has_token = true;
        }
        if (heard.stored > 0)
            *out++ = '!';
        *out++ = answered ? letter_of((enum iba_dc_kind)answer.kind) : '-';
    }
    *out = 0;
    memcpy(hits, t.hits, sizeof t.hits);
}

static const struct script target_scripts[] = {
    {"connect", true, "c", "A"},
    {"pool_empty", true, "cC", "AN"},
    {"wrong_key", true, "kcKo", "KAK!E"},
    {"connect_again", true, "cco", "AA!E"},
    {"connect_late", true, "nl", "A-"},
    {"connect_next", true, "cn", "AA"},
    {"close", true, "cdC", "AXA"},
    {"close_unknown", true, "cDC", "AXN"},
    {"other_connection", false, "ocO", "-A-"},
    {"wrong_token", true, "cwo", "A-!E"},
    {"duplicate", false, "cou", "A!EE"},
    {"gap", false, "cg", "A-"},
    {"operation", false, "coo", "A!E!E"},
    {"answer", true, "ca", "A-"},
    {"operation", false, "cHoHo", "A!E!E"}, /* each request extends the lease */
    {"connect_again", false, "cHcHo", "AA!E"},
    {"duplicate", false, "coHuHo", "A!EE!E"},
    {"connect", true, "cLC", "AA"}, /* the lease of the first initiator has ended */
};

/* ---- every message in every state ---- */

/* The acts of an initiator in each state after each answer, of its connection and of another one, and after a request:
 * completions, then the next two messages. The second operation shows whether it is connected. */
static const char initiator_events[] = "AENKXaenkxr";
static const struct {
    bool full;
    const char *steps, *sent, *after[sizeof initiator_events - 1];
} initiator_states[] = {
    /* not connected: every answer is of another connection */
    {true, "11", "", {"dc", "c-", "c-", "c-", "c-", "dc", "c-", "c-", "c-", "c-", "c-"}},
    /* it has asked for a connection */
    {true, "11p", "c", {"oo", "--", "Nc-", "Kc-", "--", "d-", "--", "--", "--", "--", "--"}},
    /* the same, and both operations were sent */
    {false, "11ppp", "coo", {"--", "S--", "NN--", "KK--", "--", "d-", "--", "--", "--", "--", "--"}},
    /* connected, and both operations were sent */
    {true, "11pApp", "coo", {"--", "S--", "--", "--", "--", "d-", "--", "--", "--", "--", "--"}},
    /* connected, and nothing was sent yet */
    {true, "11pA", "c", {"oo", "oo", "oo", "oo", "oo", "do", "oo", "oo", "oo", "oo", "oo"}},
    /* it has asked for the end of the connection, and has other work */
    {true, "1pApEq11p", "coSd", {"--", "--", "--", "--", "c-", "d-", "--", "--", "--", "--", "--"}},
};

Test(dc, an_initiator_after_each_answer_in_each_state)
{
    for (size_t k = 0; k < sizeof initiator_states / sizeof *initiator_states; k++)
        for (size_t event = 0; initiator_events[event]; event++) {
            char steps[LONGEST], expected[LONGEST], out[LONGEST];
            uint32_t hits[32];
            snprintf(steps, sizeof steps, "%s%cpp", initiator_states[k].steps, initiator_events[event]);
            snprintf(expected, sizeof expected, "%s%s", initiator_states[k].sent, initiator_states[k].after[event]);
            const struct script s = {.full = initiator_states[k].full, .steps = steps};
            play_initiator(&s, 0, out, hits);
            cr_expect_str_eq(out, expected, "%s: %s for %s", steps, out, expected);
        }
}

/* The answers of a target in each state to each message, and then to the next operation of connection 5. */
static const char target_events[] = "clnCkKougwvOadD";
static const struct {
    bool full;
    const char *steps, *answers, *after[sizeof target_events - 1];
} target_states[] = {
    /* nobody is connected */
    {true, "", "", {"A!E", "A-", "A-", "A-", "K-", "K-", "--", "--", "--", "--", "--", "--", "--", "X-", "X-"}},
    /* connection 5, after an operation, with a half handshake, which needs no token, and a full one */
    {false,
     "co",
     "A!E",
     {"A!E", "-!E", "A-", "N!E", "K!E", "K!E", "!E!E", "E!E", "-!E", "!E!E", "E!E", "-!E", "-!E", "X-", "X!E"}},
    {true,
     "co",
     "A!E",
     {"A!E", "-!E", "A-", "N!E", "K!E", "K!E", "!E!E", "E!E", "-!E", "-!E", "-!E", "-!E", "-!E", "X-", "X!E"}},
    /* another initiator has the only responder */
    {true, "C", "A", {"N-", "N-", "N-", "A-", "K-", "K-", "--", "--", "--", "--", "--", "--", "--", "X-", "X-"}},
};

Test(dc, a_target_after_each_message_in_each_state)
{
    for (size_t k = 0; k < sizeof target_states / sizeof *target_states; k++)
        for (size_t event = 0; target_events[event]; event++) {
            char steps[LONGEST], expected[LONGEST], out[LONGEST];
            uint32_t hits[32];
            snprintf(steps, sizeof steps, "%s%co", target_states[k].steps, target_events[event]);
            snprintf(expected, sizeof expected, "%s%s", target_states[k].answers, target_states[k].after[event]);
            const struct script s = {.full = target_states[k].full, .steps = steps};
            play_target(&s, 0, out, hits);
            cr_expect_str_eq(out, expected, "%s: %s for %s", steps, out, expected);
        }
}

/* ---- rows ---- */

enum { INITIATOR_SCRIPTS = sizeof initiator_scripts / sizeof *initiator_scripts };
enum { TARGET_SCRIPTS = sizeof target_scripts / sizeof *target_scripts };
typedef void player(const struct script *s, uint32_t left_out, char *out, uint32_t *hits);

static void play_all(player *play, const struct script *s, unsigned n, const struct iba_dc_row *rows, unsigned n_rows)
{
    bool hit[32] = {false};

    for (unsigned k = 0; k < n; k++) {
        char out[LONGEST];
        uint32_t hits[32] = {0};
        play(&s[k], 0, out, hits);
        cr_expect_str_eq(out, s[k].expected, "%s: steps %s", s[k].row, s[k].steps);
        for (unsigned row = 0; row < n_rows; row++)
            hit[row] |= hits[row] > 0 && strcmp(rows[row].name, s[k].row) == 0;
    }
    for (unsigned row = 0; row < n_rows; row++)
        cr_expect(hit[row], "%s", rows[row].name);
}

Test(dc, each_row)
{
    play_all(play_initiator, initiator_scripts, INITIATOR_SCRIPTS, iba_dc_initiator_rows, IBA_DC_INITIATOR_ROWS);
    play_all(play_target, target_scripts, TARGET_SCRIPTS, iba_dc_target_rows, IBA_DC_TARGET_ROWS);
}

static bool noticed(player *play, const struct script *s, unsigned n, unsigned row)
{
    char out[LONGEST];
    uint32_t hits[32];
    bool differs = false;

    for (unsigned k = 0; k < n && !differs; k++) {
        play(&s[k], UINT32_C(1) << row, out, hits);
        differs = strcmp(out, s[k].expected) != 0;
    }
    return differs;
}

/* Without one of these rows no other row applies, so nothing happens either: the rows only
 * name and count what is ignored. */
static bool only_drops(const char *name)
{
    static const char *const rows[] = {"request", "accepted_again", "done_again", "refused_late", "closed_early"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i]) == 0)
            return true;
    return false;
}

Test(dc, each_row_left_out_is_noticed)
{
    for (unsigned row = 0; row < IBA_DC_TARGET_ROWS; row++)
        cr_expect(noticed(play_target, target_scripts, TARGET_SCRIPTS, row), "%s", iba_dc_target_rows[row].name);
    for (unsigned row = 0; row < IBA_DC_INITIATOR_ROWS; row++) {
        const char *name = iba_dc_initiator_rows[row].name;
        cr_expect_neq(noticed(play_initiator, initiator_scripts, INITIATOR_SCRIPTS, row), only_drops(name), "%s", name);
    }
}

static uint32_t sum(const uint32_t *hits, unsigned n)
{
    uint32_t all = 0;

    for (unsigned i = 0; i < n; i++)
        all += hits[i];
    return all;
}

/* Each of two responders has its own lease. */
Test(dc, leases)
{
    struct heard heard = {0};
    struct iba_dc_responder pool[2];
    struct iba_dc_target t = {
        .number = 1, .key = KEY, .lease_ns = LEASE, .store = note_store, .random = next_token, .ctx = &heard};
    struct iba_dc_message m = {.kind = IBA_DC_CONNECT, .target = 1, .key = KEY}, answer;

    iba_dc_target_init(&t, pool, 2);
    for (m.initiator = 7; m.initiator < 9; m.initiator++)
        cr_assert(iba_dc_target_receive(&t, &m, 10 * m.initiator, &answer));
    cr_expect_eq(iba_dc_serving(&t), 2);
    m.kind = IBA_DC_OPERATION; /* of initiator 9, which has no connection */
    cr_expect_not(iba_dc_target_receive(&t, &m, LEASE + 79, &answer));
    cr_expect_eq(iba_dc_serving(&t), 1);
    cr_expect_not(iba_dc_target_receive(&t, &m, LEASE + 80, &answer));
    cr_expect_eq(iba_dc_serving(&t), 0);
}

/* iba_dc_target_init() sets all that matters, whatever the memory held before. */
Test(dc, a_target_begins_with_all_rows_and_free_responders)
{
    struct heard heard = {0};
    struct iba_dc_responder pool[2];
    struct iba_dc_target t;

    memset(&t, 0xee, sizeof t);
    memset(pool, 0xee, sizeof pool);
    t.store = note_store, t.random = next_token, t.ctx = &heard;
    iba_dc_target_init(&t, pool, 2);
    cr_expect(t.left_out == 0 && t.bad_keys == 0 && t.cnaks == 0 && t.n == 2 && t.pool == pool);
    for (unsigned i = 0; i < IBA_DC_TARGET_ROWS; i++)
        cr_expect_eq(t.hits[i], 0, "row %u", i);
    cr_expect_eq(iba_dc_serving(&t), 0);
}

/* A target that gets an answer of any kind, also with the wrong key, keeps silent and executes nothing. */
Test(dc, a_target_ignores_every_answer)
{
    struct heard heard = {0};
    struct iba_dc_responder pool[1];
    struct iba_dc_target t = {
        .number = 1, .key = KEY, .lease_ns = IBA_NEVER, .store = note_store, .random = next_token, .ctx = &heard};
    struct iba_dc_message m = {.kind = IBA_DC_CONNECT, .initiator = 7, .target = 1, .key = KEY}, answer;

    iba_dc_target_init(&t, pool, 1);
    cr_assert(iba_dc_target_receive(&t, &m, 1, &answer));
    for (m.kind = IBA_DC_ACCEPTED; m.kind < IBA_DC_KIND_COUNT; m.kind++)
        for (unsigned wrong = 0; wrong < 2; wrong++) {
            m.key = KEY + wrong;
            cr_expect_not(iba_dc_target_receive(&t, &m, 2, &answer), "kind %u", m.kind);
            cr_expect(t.bad_keys == 0 && heard.stored == 0 && iba_dc_serving(&t) == 1, "kind %u", m.kind);
        }
}

/* Messages for others are ignored, and a full ring takes no operation. */
Test(dc, others_messages_and_a_full_ring)
{
    const struct iba_dc_config c = {.window = 1, .timeout_ns = TIMEOUT, .idle_ns = IDLE};
    const struct iba_dc_operation op = {.target = 1, .key = KEY};
    struct heard heard = {0};
    struct iba_dc_responder pool[1];
    struct iba_dc_target t = {
        .number = 1, .key = KEY, .lease_ns = IBA_NEVER, .store = note_store, .random = next_token, .ctx = &heard};
    struct iba_dc_operation ring[2];
    struct iba_dc_initiator i;
    struct iba_dc_message m = {.kind = IBA_DC_CONNECT, .initiator = 8, .target = 2, .key = KEY}, answer;

    iba_dc_target_init(&t, pool, 1);
    cr_expect_not(iba_dc_target_receive(&t, &m, 1, &answer));
    cr_expect_eq(iba_dc_serving(&t), 0);
    m.target = 1;
    cr_expect(iba_dc_target_receive(&t, &m, IBA_NEVER - 1, &answer));
    cr_expect(answer.initiator == 8 && answer.target == 1 && answer.token == 0 && iba_dc_serving(&t) == 1);
    iba_dc_initiator_init(&i, &c, 7, ring, 2);
    cr_expect(iba_dc_post(&i, &op) && iba_dc_post(&i, &op) && !iba_dc_post(&i, &op));
    cr_expect_eq(iba_dc_deadline(&i), IBA_NEVER);
    cr_expect(iba_dc_poll(&i, &m, 5));
    cr_expect(m.kind == IBA_DC_CONNECT && m.initiator == 7 && m.target == 1 && m.key == KEY && !m.full);
    cr_expect_eq(iba_dc_deadline(&i), 5 + TIMEOUT);
    answer.connection = m.connection;
    iba_dc_initiator_receive(&i, &answer, 5);
    cr_expect_eq(sum(i.hits, IBA_DC_INITIATOR_ROWS), 1, "connect, and nothing for initiator 8");
}

/* The rows that the public description has (VN-02, VN-03 and the sentences at the head of iba_dc.h); all others are
 * choices of ours, and the table of rules says so. */
Test(dc, rows_of_the_description)
{
    static const char initiator[] = " accepted done cnak bad_key closed idle connect half connected other_target ";
    static const char target[] = " wrong_key pool_empty connect close other_connection operation ";
    const struct {
        const struct iba_dc_row *rows;
        unsigned n;
        const char *described;
    } tables[] = {{iba_dc_initiator_rows, IBA_DC_INITIATOR_ROWS, initiator},
                  {iba_dc_target_rows, IBA_DC_TARGET_ROWS, target}};

    for (size_t t = 0; t < 2; t++)
        for (unsigned i = 0; i < tables[t].n; i++) {
            char word[40];
            snprintf(word, sizeof word, " %s ", tables[t].rows[i].name);
            cr_expect_eq(tables[t].rows[i].described, strstr(tables[t].described, word) != NULL, "%s", word);
        }
}

/* A target that lacks the last row decides nothing about the next operation: it executes nothing, and keeps silent. */
Test(dc, a_target_without_rows_is_silent)
{
    struct heard heard = {0};
    struct iba_dc_responder pool[1];
    struct iba_dc_target t = {
        .number = 1, .key = KEY, .lease_ns = LEASE, .store = note_store, .random = next_token, .ctx = &heard};
    struct iba_dc_message m = {.kind = IBA_DC_CONNECT, .initiator = 7, .target = 1, .key = KEY}, answer;

    iba_dc_target_init(&t, pool, 1);
    cr_assert(iba_dc_target_receive(&t, &m, 1, &answer));
    t.left_out = (UINT32_C(1) << IBA_DC_TARGET_ROWS) - 1;
    for (m.kind = 0; m.kind < IBA_DC_KIND_COUNT; m.kind++)
        cr_expect_not(iba_dc_target_receive(&t, &m, 1, &answer), "kind %u", m.kind);
    cr_expect(heard.stored == 0 && sum(t.hits, IBA_DC_TARGET_ROWS) == 1 && iba_dc_serving(&t) == 1);
}

/* A broken target without the row for it executes no operation without a connection, and answers nothing. */
Test(dc, no_answer_without_a_connection)
{
    const struct script s = {.full = true, .steps = "oO"};
    char out[LONGEST];
    uint32_t hits[32];
    unsigned row = 0;

    while (strcmp(iba_dc_target_rows[row].name, "other_connection") != 0)
        row++;
    play_target(&s, UINT32_C(1) << row, out, hits);
    cr_expect_str_eq(out, "--");
}

/* Where several rows apply, the first one counts the message, also when all of them drop it. */
Test(dc, the_first_row_counts)
{
    static const struct {
        const char *steps, *row;
    } cases[] = {{"coO", "other_connection"}, {"coW", "other_connection"}, {"cow", "wrong_token"},
                 {"cov", "wrong_token"},      {"cou", "duplicate"},        {"cog", "gap"},
                 {"cok", "wrong_key"},        {"coK", "wrong_key"},        {"coa", "answer"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct script s = {.full = true, .steps = cases[i].steps};
        char out[LONGEST];
        uint32_t hits[32];
        play_target(&s, 0, out, hits);
        for (unsigned row = 0; row < IBA_DC_TARGET_ROWS; row++) {
            const char *name = iba_dc_target_rows[row].name;
            const bool before = strcmp(name, "connect") == 0 || strcmp(name, "operation") == 0;
            cr_expect_eq(hits[row], before || strcmp(name, cases[i].row) == 0, "%s: %s", cases[i].steps, name);
        }
    }
}

/* ---- the order of the rows ---- */

static const char *const initiator_order[] = {
    "request",   "accepted_stray", "other_connection", "accepted", "accepted_again", "done",        "done_again",
    "cnak",      "bad_key",        "refused_late",     "closed",   "closed_early",   "resend",      "end_unconfirmed",
    "no_answer", "idle",           "connect",          "half",     "connected",      "other_target"};
static const char *const target_order[] = {
    "answer",        "wrong_key", "connect_again",    "connect_late", "connect_next", "pool_empty", "connect",
    "close_unknown", "close",     "other_connection", "wrong_token",  "duplicate",    "gap",        "operation"};

/* The first row that applies decides, so the order of the rows is a part of the model. */
Test(dc, rows_in_their_order)
{
    for (unsigned i = 0; i < IBA_DC_INITIATOR_ROWS; i++) {
        cr_expect_str_eq(iba_dc_initiator_rows[i].name, initiator_order[i]);
        cr_expect(iba_dc_initiator_rows[i].sentence[0]);
    }
    for (unsigned i = 0; i < IBA_DC_TARGET_ROWS; i++) {
        cr_expect_str_eq(iba_dc_target_rows[i].name, target_order[i]);
        cr_expect(iba_dc_target_rows[i].sentence[0]);
    }
}

/* The row by which an initiator takes a message that confirms no operation. */
static const char *row_for(enum iba_dc_state state, enum iba_dc_kind kind, bool other)
{
    if (kind <= IBA_DC_DISCONNECT)
        return "request";
    if (state == IBA_DC_IDLE || other)
        return kind == IBA_DC_ACCEPTED ? "accepted_stray" : "other_connection";
    switch (kind) {
    case IBA_DC_ACCEPTED: return state == IBA_DC_OPENING ? "accepted" : "accepted_again";
    case IBA_DC_CNAK: return state == IBA_DC_OPENING ? "cnak" : "refused_late";
    case IBA_DC_BAD_KEY: return state == IBA_DC_OPENING ? "bad_key" : "refused_late";
    case IBA_DC_CLOSED: return state == IBA_DC_CLOSING ? "closed" : "closed_early";
    default: return "done_again";
    }
}

/* In each state, each kind of message, of this connection and of another one, counts in its row. */
Test(dc, the_row_for_each_message_and_state)
{
    static const char *const states[] = {"", "1p", "1pA", "1pApEqp"};
    const struct iba_dc_config c = {.full = true, .retry = 1, .window = 2, .timeout_ns = TIMEOUT, .idle_ns = IDLE};

    for (unsigned k = 0; k < IBA_DC_STATE_COUNT * 2 * IBA_DC_KIND_COUNT; k++) {
        const unsigned state = k / 2 / IBA_DC_KIND_COUNT, kind = k / 2 % IBA_DC_KIND_COUNT;
        const char *expected = row_for((enum iba_dc_state)state, (enum iba_dc_kind)kind, k % 2);
        struct iba_dc_operation ring[4];
        struct iba_dc_initiator i;
        char out[LONGEST], *at = out;
        iba_time now = 1;
        iba_dc_initiator_init(&i, &c, 7, ring, 4);
        for (const char *step = states[state]; *step; step++)
            initiator_step(&i, *step, &now, &at);
        cr_assert_eq(i.state, state);
        memset(i.hits, 0, sizeof i.hits);
        const struct iba_dc_message m = {.kind = (uint8_t)kind,
                                         .initiator = 7,
                                         .target = 1,
                                         .connection = i.connection + k % 2,
                                         .sequence = i.first};
        iba_dc_initiator_receive(&i, &m, now);
        for (unsigned row = 0; row < IBA_DC_INITIATOR_ROWS; row++)
            cr_expect_eq(i.hits[row], strcmp(iba_dc_initiator_rows[row].name, expected) == 0, "state %u, kind %u: %s",
                         state, kind, iba_dc_initiator_rows[row].name);
    }
}
