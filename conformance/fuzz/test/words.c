/* SPDX-License-Identifier: BSD-2-Clause */
/* The grammar's own words: what they may say, how often, and what they remember for the next ones. */
#include "fuzz/making.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bed.h"

enum { PMTU = 256, DRAWS = 6000 };

static struct fuzz_case drawn_for;

static struct making fresh(uint64_t seed)
{
    struct making m = {.c = &drawn_for, .may = &all, .pmtu = PMTU};

    drawn_for.n = 0;
    iba_random_seed(&m.r, seed);
    return m;
}

static const char *draw(struct making *m, const char *word)
{
    static char text[MAKING_TEXT];

    cr_assert(making_word(m, word, strlen(word), text, sizeof text), "%s", word);
    return text;
}

static uint32_t number(struct making *m, const char *word)
{
    char *end;
    const char *text = draw(m, word);
    const unsigned long n = strtoul(text, &end, 0);

    cr_assert(end != text && *end == '\0', "{%s} is \"%s\"", word, text);
    return (uint32_t)n;
}

/* Whether a part of all draws is about as large as it should be. */
static void about(unsigned n, double share, const char *what)
{
    cr_expect(n > (share - 0.03) * DRAWS && n < (share + 0.03) * DRAWS, "%s: %u of %d, not %.2f", what, n, DRAWS,
              share);
}

Test(words, a_word_is_whole)
{
    struct making m = fresh(1);
    char text[MAKING_TEXT] = "as before";

    cr_expect_not(making_word(&m, "ne", 2, text, sizeof text));
    cr_expect_not(making_word(&m, "nextt", 5, text, sizeof text));
    cr_expect_str_eq(text, "as before");
    cr_expect(making_word(&m, "next?", 4, text, sizeof text));
    cr_expect_str_eq(text, "0");
}

Test(words, count_psns)
{
    struct making m = fresh(2);

    m.next = 5;
    cr_expect_eq(number(&m, "next"), 5);
    cr_expect_eq(number(&m, "now"), 6);
    cr_expect_eq(number(&m, "wild"), 0x800006);
    cr_expect_str_eq(draw(&m, "gap"), "");
    cr_expect_eq(m.next, 7);
    cr_expect_eq(number(&m, "mtu"), PMTU);
    cr_expect_eq(number(&m, "id"), 1);
    cr_expect_eq(number(&m, "id"), 2);
    m.n_open = m.answered = m.msn = m.read_done = 3;
    cr_expect_str_eq(draw(&m, "anew"), "");
    cr_expect(!m.next && !m.n_open && !m.answered && !m.msn && !m.read_done);
    cr_expect_eq(m.ids, 2);
}

/* Each number of a range comes, and no other. */
Test(words, ranges)
{
    static const struct {
        const char *word;
        uint32_t least, most;
    } rows[] = {{"old", 0, 9}, {"ahead", 10, 12}, {"len", 0, PMTU}, {"long", 0, 3 * PMTU}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct making m = fresh(3 + i);
        bool came[3 * PMTU + 1] = {false};
        m.next = 9;
        for (unsigned k = 0; k < 8 * DRAWS; k++) {
            const uint32_t n = number(&m, rows[i].word);
            cr_assert(n >= rows[i].least && n <= rows[i].most, "{%s} is %u", rows[i].word, n);
            came[n] = true;
        }
        for (uint32_t n = rows[i].least; n <= rows[i].most; n++)
            cr_expect(came[n], "{%s} was never %u", rows[i].word, n);
        cr_expect_eq(m.next, 9);
    }
}

Test(words, lengths_are_often_those_where_mistakes_are)
{
    struct making m = fresh(11);
    unsigned eight = 0, most = 0, one_less = 0, edge = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        const uint32_t n = number(&m, "len");
        eight += n == 8;
        most += n == PMTU;
        one_less += n == PMTU - 1;
        edge += n < 5 || n == 7 || n == 16 || n == 64;
    }
    about(eight, 0.1 + 1.0 / 3 / 257, "8");
    about(most, 1.0 / 12 + 1.0 / 3 / 257, "a packet");
    about(one_less, 1.0 / 12 + 1.0 / 3 / 257, "a packet but one byte");
    about(edge, 0.4 + 8.0 / 3 / 257, "an edge");
}

Test(words, a_span_skips_the_psns_of_its_responses)
{
    struct making m = fresh(12);

    for (unsigned k = 0; k < 500; k++) {
        m.next = 7;
        const uint32_t n = number(&m, "span");
        cr_assert_leq(n, 3 * PMTU);
        cr_assert_eq(m.next, 7 + (n > 2 * PMTU ? 2 : n > PMTU ? 1 : 0), "%u bytes", n);
    }
}

Test(words, places)
{
    struct making m = fresh(13);
    unsigned end = 0;
    bool last = false;

    for (unsigned k = 0; k < DRAWS; k++) {
        const uint32_t n = number(&m, "place");
        cr_assert((n % 8 == 0 && n < 4096) || (n > MAKING_REGION - PMTU && n <= MAKING_REGION), "%u", n);
        end += n >= 4096;
        last |= n == 4088;
    }
    about(end, 1.0 / 16, "the end of the region");
    cr_expect(last);
}

Test(words, first_psns_are_often_near_the_wrap)
{
    struct making m = fresh(14);
    unsigned near = 0, zero = 0, upper = 0, came = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        const uint32_t n = number(&m, "psn0");
        cr_assert_leq(n, 0xffffff);
        near += n >= 0xfffff8;
        came |= n >= 0xfffff8 ? 1u << (n - 0xfffff8) : 0;
        zero += n == 0;
        upper += n >= 0x800000 && n < 0xfffff8;
        cr_assert_eq(strlen(draw(&m, "psn0")), strlen("0x123456"));
    }
    about(near, 0.5, "near the wrap");
    cr_expect_eq(came, 0xff, "each of the eight PSNs before the wrap");
    about(zero, 0.125, "0");
    about(upper, 3.0 / 16, "any other of the upper half");
}

/* Numbers of so many bits: each bit is set now and then, and none above. */
Test(words, bits)
{
    static const struct {
        const char *word;
        unsigned bits, digits;
    } rows[] = {{"u16", 16, 4}, {"u20", 20, 5}, {"u32", 32, 8}, {"u64", 64, 16}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct making m = fresh(20 + i);
        uint64_t any = 0, always = UINT64_MAX;
        for (unsigned k = 0; k < 200; k++) {
            const char *text = draw(&m, rows[i].word);
            cr_assert_eq(strlen(text), 2 + rows[i].digits, "%s", text);
            any |= strtoull(text, NULL, 16);
            always &= strtoull(text, NULL, 16);
        }
        cr_expect_eq(any, UINT64_MAX >> (64 - rows[i].bits), "%s", rows[i].word);
        cr_expect_eq(always, 0, "%s", rows[i].word);
    }
}

Test(words, again_is_any_packet_sent_before)
{
    struct making m = fresh(30);
    unsigned first = 0;

    cr_expect_str_eq(draw(&m, "again"), "");
    drawn_for.n = 4;
    strcpy(drawn_for.input[0], "  a post SEND");
    cr_expect_str_eq(draw(&m, "again"), "");
    strcpy(drawn_for.input[1], "> a FIRST");
    strcpy(drawn_for.input[2], "  wait 1ms");
    strcpy(drawn_for.input[3], "> a SECOND");
    for (unsigned k = 0; k < DRAWS; k++) {
        const char *text = draw(&m, "again");
        first += strcmp(text, "> a FIRST") == 0;
        cr_assert(strcmp(text, "> a FIRST") == 0 || strcmp(text, "> a SECOND") == 0, "%s", text);
    }
    about(first, 0.5, "the first");
}

/* A message has two to four packets, of which one may be left out or of another kind. */
Test(words, messages)
{
    struct making m = fresh(31);
    unsigned whole = 0, writes = 0, short_ones = 0, imm = 0, lines[6] = {0}, kept_psn = 0, mixed = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        char text[MAKING_TEXT];
        uint32_t n = 0, psn = 100, others = 0;
        bool has_first = false, has_last = false;
        m.next = 100;
        strcpy(text, draw(&m, "message"));
        cr_assert_eq(text[strlen(text) - 1], '\n');
        const bool write = strncmp(text, "> a WRITE", 9) == 0;
        for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"), n++) {
            const uint32_t is = (uint32_t)strtoul(strstr(at, "psn=+") + 5, NULL, 10);
            cr_assert(strncmp(at, "> a SEND_", 9) == 0 || strncmp(at, "> a WRITE_", 10) == 0, "%s", at);
            others += (strncmp(at, "> a WRITE", 9) == 0) != write;
            has_first |= strstr(at, "_FIRST ") != NULL;
            has_last |= strstr(at, "_LAST") != NULL;
            imm += strstr(at, "_LAST_IMM ") != NULL;
            cr_assert_eq(strstr(at, "_LAST_IMM ") != NULL, strstr(at, " imm={u32}") != NULL, "%s", at);
            cr_assert_eq(strstr(at, "WRITE_FIRST ") != NULL, strstr(at, " va=m+") != NULL, "%s", at);
            cr_assert(!strstr(at, "_LAST") || strstr(at, " ackreq=1"), "%s", at);
            cr_assert(strstr(at, "_LAST") || strstr(at, " payload=256"), "%s", at);
            short_ones += strstr(at, " payload=256-1") != NULL;
            cr_assert_str_eq(at + strlen(at) - 8, "{spoil?}");
            cr_assert(is >= psn && is < 104, "%s", at);
            psn = is + 1;
        }
        cr_assert(n >= 1 && n <= 4);
        lines[n]++;
        mixed += others > 0;
        writes += write;
        whole += has_first && has_last && others == 0 && n == psn - 100;
        kept_psn += m.next - 100 - n;
        cr_assert(m.next - 100 >= n && m.next - 100 <= 4);
    }
    about(lines[1], 1.0 / 12, "one packet");
    about(lines[2], 1.0 / 3, "two packets");
    about(lines[3], 1.0 / 3, "three packets");
    about(lines[4], 0.25, "four packets");
    about(writes, 0.5, "a WRITE");
    about(mixed, 0.2, "a packet of another kind");
    about(imm, 11.0 / 36, "immediate data");
    about(kept_psn, 0.125, "a packet that is lost");
    cr_expect(whole > 0.45 * DRAWS && whole < 0.85 * DRAWS, "%u", whole);
    about(short_ones, 2.0 / 16 * 11.0 / 12, "too short a packet");
}

/* Where the text has little room, whole packets of a message are left out. */
Test(words, messages_in_a_small_room)
{
    for (size_t room = 200; room < 700; room++) {
        struct making m = fresh(room);
        char text[800];
        memset(text, '#', sizeof text);
        cr_assert(making_word(&m, "message", 7, text, room));
        const size_t n = strnlen(text, sizeof text);
        cr_assert_lt(n, room);
        cr_assert(n == 0 || text[n - 1] == '\n', "%zu: %s", room, text);
        cr_assert_eq(text[room], '#');
    }
}

/* The bytes that the first packet of a WRITE announces are those of all. */
Test(words, a_write_announces_its_bytes)
{
    struct making m = fresh(32);

    for (unsigned k = 0, seen = 0; seen < 200; k++) {
        const char *text = draw(&m, "message"), *len = strstr(text, "dmalen="), *last = strstr(text, "_LAST");
        unsigned packets = 0;
        if (strncmp(text, "> a WRITE_FIRST", 15) != 0 || !last || strstr(text, "SEND"))
            continue;
        for (const char *at = text; *at; at++)
            packets += *at == '>';
        const unsigned long whole = strtoul(len + 7, NULL, 10), end = strtoul(strstr(last, "payload=") + 8, NULL, 10);
        cr_assert(whole % PMTU == end % PMTU && end >= 1 && end <= PMTU, "%s", text);
        cr_assert(whole == (packets - 1) * PMTU + end || whole == packets * PMTU + end, "%s",
                  text); /* or one is lost */
        cr_assert_eq(strtoul(strstr(text, "va=m+") + 5, NULL, 10) % 8, 0);
        cr_assert_lt(strtoul(strstr(text, "va=m+") + 5, NULL, 10), 2048);
        seen++;
    }
}

/* ---- requests of the device ---- */

Test(words, requests_are_remembered)
{
    unsigned n[12] = {0};
    static const char *const names[] = {"SEND", "SEND_IMM", "SEND_INV",  "WRITE", "WRITE_IMM",
                                        "READ", "CMP_SWAP", "FETCH_ADD", "FLUSH", "ATOMIC_WRITE"};

    for (unsigned k = 0; k < DRAWS; k++) {
        struct making m = fresh(1000 + k);
        char name[32];
        unsigned len;
        m.next = 10;
        const char *text = draw(&m, "post");
        const struct making_request *q = &m.open[0];
        cr_assert_eq(sscanf(text, "  a post %31s len=%u id={id} ", name, &len), 2, "%s", text);
        cr_assert_eq(m.n_open, 1);
        cr_assert_eq(q->psn, 10);
        const bool flush = strcmp(name, "FLUSH") == 0, atomic = strstr(name, "CMP") || strstr(name, "ADD"),
                   eight = atomic || strcmp(name, "ATOMIC_WRITE") == 0;
        cr_assert_eq(q->read, strcmp(name, "READ") == 0 || flush || strcmp(name, "ATOMIC_WRITE") == 0, "%s", text);
        cr_assert_eq(q->atomic, atomic, "%s", text);
        cr_assert(!eight || len == 8);
        cr_assert(!flush || len == 64);
        cr_assert_eq(q->len, flush || (eight && !atomic) ? 0 : len, "%s", text);
        cr_assert_eq(q->psns, flush || eight || len <= PMTU ? 1u : len <= 2 * PMTU ? 2u : 3u, "%s", text);
        cr_assert_eq(m.next, 10 + q->psns);
        cr_assert_str_eq(text + strlen(text) - 8, "{flags?}");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            n[i] += strcmp(names[i], name) == 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        about(n[i], (strcmp(names[i], "READ") == 0 ? 2 : 1) / 11.0, names[i]);
}

Test(words, requests_need_what_the_device_has)
{
    static const struct fuzz_may none = {0, 1, 0};
    struct making m = fresh(40);

    m.may = &none;
    for (unsigned k = 0; k < 300; k++) {
        m.n_open = 0;
        const char *text = draw(&m, "post");
        cr_assert(*text == '\0' || strncmp(text, "  a post SEND ", 14) == 0 ||
                      strncmp(text, "  a post SEND_IMM ", 18) == 0,
                  "%s", text);
        cr_assert_eq(m.n_open, *text != '\0');
    }
    cr_expect_eq(m.needs, 0);
    m.may = &all;
    for (unsigned k = 0; k < 300; k++) {
        m.n_open = 0;
        draw(&m, "post");
    }
    cr_expect_eq(m.needs, FUZZ_CAP(send_inv) | FUZZ_CAP(write) | FUZZ_CAP(read) | FUZZ_CAP(atomic) |
                              FUZZ_CAP(persistent) | FUZZ_CAP(atomic_write));
    m.n_open = MAKING_OPEN;
    cr_expect_str_eq(draw(&m, "post"), "");
    m.n_open = MAKING_OPEN - 1;
    while (m.n_open < MAKING_OPEN)
        draw(&m, "post");
    cr_expect_eq(m.n_open, MAKING_OPEN);
}

/* ---- responses ---- */

/* Requests that wait for answers: a READ of three responses, one of one response, a SEND of two packets, an atomic. */
static struct making waiting(uint64_t seed)
{
    static const struct making_request open[] = {{.psn = 4, .psns = 3, .len = 600, .read = true},
                                                 {.psn = 7, .psns = 1, .len = 10, .read = true},
                                                 {.psn = 8, .psns = 2, .len = 300},
                                                 {.psn = 10, .psns = 1, .len = 8, .atomic = true}};
    struct making m = fresh(seed);

    memcpy(m.open, open, sizeof open);
    m.n_open = 4;
    m.next = 11;
    m.msn = 20;
    return m;
}

/* The answers come in order. Now and then one has another length, or is spoilt. */
Test(words, answers)
{
    static const char *const must[] = {"> a READ_RESP_FIRST psn=+4 syndrome=ack{credit} msn=20 payload=256",
                                       "> a READ_RESP_MIDDLE psn=+5 payload=256",
                                       "> a READ_RESP_LAST psn=+6 syndrome=ack{credit} msn=21 payload=88",
                                       "> a READ_RESP_ONLY psn=+7 syndrome=ack{credit} msn=22 payload=10",
                                       "> a ACKNOWLEDGE psn=+9 syndrome=ack{credit} msn=23{spoil?}"};
    unsigned exact[6] = {0}, spoilt = 0, longer = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        struct making m = waiting(k);
        unsigned orig;
        char end[16] = "";
        for (unsigned i = 0; i < 5; i++) {
            const char *text = draw(&m, "answer");
            exact[i] += strcmp(text, must[i]) == 0;
            cr_assert_eq(strncmp(text, must[i], strlen(must[i]) - 3), 0, "%s", text);
            spoilt += i == 1 && strstr(text, "{spoil}");
            longer += i == 1 && strstr(text, "payload=257");
            cr_assert_eq(m.read_done, i < 2 ? i + 1 : 0);
        }
        cr_assert_eq(sscanf(draw(&m, "answer"),
                            "> a ATOMIC_ACKNOWLEDGE psn=+10 syndrome=ack{credit} msn=24 orig=%u%15s", &orig, end),
                     2);
        cr_assert(orig < 100 && strcmp(end, "{spoil?}") == 0);
        cr_assert_eq(m.answered, 4);
        const char *text = draw(&m, "answer"); /* nothing waits: another request */
        cr_assert_eq(strncmp(text, "  a post ", 9), 0, "%s", text);
        cr_assert_eq(m.n_open, 5);
    }
    for (unsigned i = 0; i < 4; i++)
        about(exact[i], 15.0 / 16 * 11.0 / 12, must[i]);
    cr_expect_eq(exact[4], DRAWS);
    about(spoilt, 1.0 / 12, "spoilt");
    about(longer, 1.0 / 16, "one byte longer");
}

Test(words, one_acknowledgement_for_all)
{
    struct making m = waiting(1);

    m.answered = 1;
    m.read_done = 1;
    cr_expect_str_eq(draw(&m, "all"), "> a ACKNOWLEDGE psn=+10 syndrome=ack{credit} msn=23");
    cr_expect(m.answered == 4 && m.msn == 23 && m.read_done == 0);
    cr_expect_str_eq(draw(&m, "all"), "");
    cr_expect_eq(m.msn, 23);
}

Test(words, refusals)
{
    unsigned oldest = 0, later = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        struct making m = waiting(k);
        unsigned psn, msn;
        char syndrome[64], end[16] = "";
        m.answered = 2;
        cr_assert_eq(
            sscanf(draw(&m, "refusal"), "> a ACKNOWLEDGE psn=+%u syndrome=%63s msn=%u%15s", &psn, syndrome, &msn, end),
            4);
        cr_assert_str_eq(syndrome, "{rnr:{rnr}|rnr:{rnr}|nak:{0..4}|nak:0|nak:{0..31}}");
        cr_assert(msn == 20 && strcmp(end, "{spoil?}") == 0 && psn >= 8 && psn < 11);
        oldest += psn == 8;
        later += psn == 10;
        m.answered = 4; /* nothing waits */
        cr_assert_eq(sscanf(draw(&m, "refusal"), "> a ACKNOWLEDGE psn=+%u", &psn), 1);
        cr_assert_eq(psn, 11);
    }
    about(oldest, 2.0 / 3 + 1.0 / 9, "the oldest request");
    about(later, 1.0 / 9, "the newest request");
}

Test(words, storms)
{
    unsigned n[10] = {0}, naks = 0;

    for (unsigned k = 0; k < DRAWS; k++) {
        struct making m = waiting(k);
        unsigned lines = 0;
        char text[MAKING_TEXT];
        m.answered = 2;
        strcpy(text, draw(&m, "storm"));
        const bool nak = strstr(text, "nak:0") != NULL;
        for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"), lines++)
            cr_assert_str_eq(at, nak ? "> a ACKNOWLEDGE psn=+8 syndrome=nak:0 msn=20"
                                     : "> a ACKNOWLEDGE psn=+8 syndrome=rnr:1 msn=20");
        cr_assert(lines >= 2 && lines <= 8);
        n[lines]++;
        naks += nak;
        m.answered = 4;
        cr_assert_eq(strncmp(draw(&m, "storm"), "> a ACKNOWLEDGE psn=+11 ", 24), 0);
    }
    for (unsigned i = 2; i <= 8; i++)
        about(n[i], 1.0 / 7, "packets of a storm");
    about(naks, 1.0 / 3, "a NAK");
}

/* Answers that nothing asked for: of any kind, and half of them for the oldest request. */
Test(words, bad_answers)
{
    static const struct {
        const char *name, *end;
        double share;
    } rows[] = {{"ACKNOWLEDGE ", "", 3},
                {"READ_RESP_ONLY ", " payload=8", 1},
                {"READ_RESP_MIDDLE ", " payload=256", 1},
                {"READ_RESP_FIRST ", " payload=8", 1},
                {"ATOMIC_ACKNOWLEDGE ", "", 1}};
    static const char syndrome[] = " syndrome={ack|ack:{0..31}|nak:{0..31}|rnr:{rnr}|0x40} msn=";
    unsigned n[5] = {0}, oldest = 0;
    bool psns[14] = {false}, msns[3] = {false};

    for (unsigned k = 0; k < DRAWS; k++) {
        struct making m = waiting(k);
        char *end;
        size_t i = 0;
        m.answered = 2;
        const char *text = draw(&m, "bad_answer");
        while (i < 4 && strncmp(text + 4, rows[i].name, strlen(rows[i].name)) != 0)
            i++;
        n[i]++;
        cr_assert(strncmp(text, "> a ", 4) == 0 && strncmp(text + 4 + strlen(rows[i].name), "psn=+", 5) == 0, "%s",
                  text);
        const unsigned long psn = strtoul(text + 4 + strlen(rows[i].name) + 5, &end, 10);
        cr_assert_lt(psn, 14, "%s", text);
        psns[psn] = true;
        oldest += psn == 8;
        if (i != 2) {
            cr_assert_eq(strncmp(end, syndrome, strlen(syndrome)), 0, "%s", text);
            const unsigned long msn = strtoul(end + strlen(syndrome), &end, 10);
            cr_assert(msn >= 20 && msn <= 22, "%s", text);
            msns[msn - 20] = true;
        }
        cr_assert_str_eq(end, rows[i].end, "%s", text);
    }
    for (size_t i = 0; i < 5; i++)
        about(n[i], rows[i].share / 7, rows[i].name);
    for (unsigned i = 0; i < 14; i++)
        cr_expect(psns[i], "%u", i);
    cr_expect(msns[0] && msns[1] && msns[2]);
    about(oldest, 0.5 + 0.5 / 14, "the oldest request");
}
