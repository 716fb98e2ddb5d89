/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a run whose statistics are added: the directions of all parts get the numbers that one judge would give
 * them, and parts that depend on each other are not added. */
#include "../join.h"
#include <stdlib.h>
#include "frames.h"

enum { PARTS = 3 };

static struct team team;
static struct worker worker[PARTS], *const list[PARTS] = {&worker[0], &worker[1], &worker[2]};
static struct options opt;
static struct join join;
static uint64_t frames;

/* ---- a statistic that keeps what it is given ---- */

struct counted {
    unsigned parts;
    const struct direction *first[PARTS]; /* the first direction of each part, as the whole run has it */
    const struct verdict_names *names;
    bool refuses;
};
static unsigned n_open;

static void *count_open(const char *arg, char *err, size_t errlen)
{
    (void)err;
    (void)errlen;
    cr_expect_null(arg);
    n_open++;
    return calloc(1, sizeof(struct counted));
}
static void count_close(void *state)
{
    n_open--;
    free(state);
}
static bool count_join(void *state, void *part, const struct stat_part *as)
{
    struct counted *c = state;
    const struct counted *p = part;

    c->first[c->parts++] = *as->direction;
    c->names = as->names;
    return !p->refuses;
}
static const struct stat_kind kind = {.open = count_open, .close = count_close, .join = count_join};

static void begin(void)
{
    static const struct options none;
    char err[64];

    opt = none;
    opt.judge = true;
    opt.n_stat = 2;
    join = (struct join){0};
    frames = n_open = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        worker[i] = (struct worker){.team = &team, .judge = judge_open(&(struct judge_config){.part = true})};
        cr_assert_not_null(worker[i].judge);
        for (size_t k = 0; k < opt.n_stat; k++)
            worker[i].state[k] = count_open(NULL, err, sizeof err);
    }
    for (size_t k = 0; k < opt.n_stat; k++)
        opt.stat[k] = (struct run_stat){&kind, count_open(NULL, err, sizeof err)};
}

static void end(void)
{
    for (unsigned i = 0; i < PARTS; i++) {
        judge_close(worker[i].judge);
        for (size_t k = 0; k < opt.n_stat; k++)
            count_close(worker[i].state[k]);
    }
    for (size_t k = 0; k < opt.n_stat; k++)
        count_close(opt.stat[k].state);
    join_close(&join);
    cr_expect_eq(n_open, 0, "each state is closed once");
}

TestSuite(join, .init = begin, .fini = end);

/* Judges the next packet of the run in this part. */
static void judged(unsigned part, const struct frame *f)
{
    static uint8_t bytes[FRAME_MOST];
    const uint32_t n = frame_put(bytes, f);
    const uint64_t number = ++frames;
    const struct cap_packet cap = {
        .data = bytes, .caplen = n, .len = n, .has_ts = true, .ts_ns = 1000 * number, .number = number};
    struct packet p = {.cap = &cap, .number = number, .source_name = "a.pcap"};

    (void)iba_view_parse(&p.view, IBA_LINK_ETHERNET, bytes, n, n, NULL);
    iba_view_check(&p.view);
    (void)judge_packet(worker[part].judge, &p);
}

static bool joins(bool several)
{
    return join_all(&join, &opt, list, PARTS, 0, several);
}

static const struct counted *sum(void)
{
    return opt.stat[0].state;
}

/* Directions are numbered in the order of their first packets, and name each other by these numbers. */
Test(join, numbers_of_directions)
{
    static const struct {
        unsigned part;
        struct frame f;
    } rows[] = {{1, {.src = 3, .dst = 4, .qp = 10, .psn = 1, .bytes = 8}},
                {0, {.src = 1, .dst = 2, .qp = 11, .psn = 1, .bytes = 8}},
                {2, {.src = 5, .dst = 6, .qp = 12, .psn = 1, .bytes = 8}},
                {1, {.src = 4, .dst = 3, .qp = 13, .psn = 1, .opcode = IBA_RC_ACKNOWLEDGE}},
                {0, {.src = 2, .dst = 1, .qp = 14, .psn = 1, .opcode = IBA_RC_ACKNOWLEDGE}},
                {1, {.src = 3, .dst = 4, .qp = 10, .psn = 2, .bytes = 8}}};
    static const uint32_t peer[] = {4, 5, 0, 1, 2};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        judged(rows[i].part, &rows[i].f);
    cr_assert(joins(false));
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(join.direction[i].key.qpn, 10 + i);
        cr_expect_eq(join.direction[i].id, i);
        cr_expect_eq(join.direction[i].peer, peer[i], "direction %u", i);
    }
    for (size_t k = 0; k < opt.n_stat; k++) {
        const struct counted *c = opt.stat[k].state;
        cr_assert_eq(c->parts, PARTS);
        cr_expect_eq(c->first[0], &join.direction[1]);
        cr_expect_eq(c->first[1], &join.direction[0]);
        cr_expect_eq(c->first[2], &join.direction[2]);
        cr_expect_eq(c->names, &join.names);
    }
    cr_expect_eq(join.names.direction, join.direction);
}

/* Two senders in different parts to one queue pair of a connected service: the observer would compare their packets. */
Test(join, senders_to_one_queue_pair)
{
    static const struct {
        const char *what;
        struct frame f;
        bool joins;
    } rows[] = {
        {"the same", {.src = 3, .dst = 9, .qp = 10, .psn = 1, .bytes = 8}, false},
        {"another queue pair", {.src = 3, .dst = 9, .qp = 11, .psn = 1, .bytes = 8}, true},
        {"a lower one", {.src = 3, .dst = 9, .qp = 9, .psn = 1, .bytes = 8}, true},
        {"another host", {.src = 3, .dst = 8, .qp = 10, .psn = 1, .bytes = 8}, true},
        {"UC", {.src = 3, .dst = 9, .qp = 10, .psn = 1, .bytes = 8, .opcode = IBA_UC_SEND_ONLY}, false},
        {"UD", {.src = 3, .dst = 9, .qp = 10, .psn = 1, .bytes = 8, .opcode = IBA_UD_SEND_ONLY}, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        judged(0, &(struct frame){.src = 1, .dst = 9, .qp = 10, .psn = 1, .bytes = 8});
        judged(0, &(struct frame){.src = 2, .dst = 9, .qp = 20, .psn = 1, .bytes = 8});
        judged(2, &rows[i].f);
        cr_expect_eq(joins(false), rows[i].joins, "%s", rows[i].what);
        end();
        begin();
    }
    judged(1, &(struct frame){.src = 1, .dst = 9, .qp = 10, .psn = 1, .bytes = 8});
    judged(1, &(struct frame){.src = 2, .dst = 9, .qp = 10, .psn = 1, .bytes = 8});
    cr_expect(joins(false), "both in one part");
}

/* With several capture points a damaged packet may be a copy of a packet in another part; without them it is none. */
Test(join, damaged_packets)
{
    const struct frame bad = {.src = 1, .dst = 2, .qp = 10, .psn = 1, .bytes = 8, .bad_icrc = true};

    for (unsigned several = 0; several < 2; several++) {
        judged(2, &bad);
        cr_assert_eq(judge_part(worker[2].judge).observer.damaged, 1);
        cr_expect_eq(joins(several), !several);
        end();
        begin();
    }
}

/* A part whose decisions depend on other packets cannot be added; the statistics stay as they were. */
Test(join, parts_that_depend_on_others)
{
    static const uint32_t psn[] = {1, 3, 2, 4};
    void *const before = opt.stat[1].state;

    for (size_t i = 0; i < sizeof psn / sizeof *psn; i++)
        judged(1, &(struct frame){.src = 1, .dst = 2, .qp = 10, .psn = psn[i], .bytes = 8});
    cr_assert(judge_part(worker[1].judge).observer.depends, "the network reorders packets");
    cr_expect_not(joins(false));
    cr_expect_eq(opt.stat[1].state, before);
    cr_expect_eq(sum()->parts, 0);
}

/* When one statistic cannot be added, none is. */
Test(join, a_statistic_that_refuses)
{
    for (size_t k = 0; k < opt.n_stat; k++) {
        void *const before[] = {opt.stat[0].state, opt.stat[1].state};
        ((struct counted *)worker[1].state[k])->refuses = true;
        cr_expect_not(joins(false));
        cr_expect(opt.stat[0].state == before[0] && opt.stat[1].state == before[1]);
        cr_expect_eq(sum()->parts, 0);
        ((struct counted *)worker[1].state[k])->refuses = false;
        join_close(&join);
    }
    cr_expect(joins(false));
    cr_expect_eq(sum()->parts, PARTS);
}
