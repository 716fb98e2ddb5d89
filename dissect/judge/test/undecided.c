/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/undecided.h"
#include <malloc.h>
#include "wire.h"

static void push(struct undecided *h, uint64_t number, uint32_t bytes, const char *comment)
{
    static uint8_t data[CAP_MAX_RECORD];
    const struct cap_packet cap = {.data = data, .caplen = bytes, .len = bytes, .number = number, .comment = comment};
    const struct verdict verdict = {.request_in = number};
    const struct packet p = {.cap = &cap, .number = number, .verdict = &verdict};

    memset(data, (int)(number & 0xff), bytes);
    while (!undecided_fits(h, &p)) {
        cr_assert_not_null(undecided_first(h));
        undecided_drop_first(h);
    }
    undecided_push(h, &p);
}

static void check(const struct packet *p, uint64_t number, uint32_t bytes, const char *comment)
{
    cr_assert_eq(p->number, number);
    cr_assert_eq(p->cap->caplen, bytes);
    cr_assert_eq(p->view.wire, p->cap->data);
    for (uint32_t i = 0; i < bytes; i++)
        cr_assert_eq(p->cap->data[i], (uint8_t)number);
    cr_assert_eq(p->verdict->request_in, number);
    if (comment)
        cr_assert_str_eq(p->cap->comment, comment);
    else
        cr_assert_null(p->cap->comment);
}

Test(held, gives_back_what_came_in_with_its_own_bytes)
{
    struct undecided *h = undecided_open();

    cr_assert_null(undecided_first(h));
    push(h, 1, 100, NULL);
    push(h, 2, 0, "nothing but words");
    push(h, 5, 7, "x");
    check(undecided_first(h), 1, 100, NULL);
    undecided_drop_first(h);
    check(undecided_first(h), 2, 0, "nothing but words");
    cr_assert_eq(undecided_verdict(h, 5)->request_in, 5);
    cr_assert_null(undecided_verdict(h, 1));
    cr_assert_null(undecided_verdict(h, 3));
    undecided_drop_first(h);
    undecided_drop_first(h);
    cr_assert_null(undecided_first(h));
    undecided_close(h);
}

Test(held, bytes_of_packets_never_overlap)
{
    static uint32_t size[60000];
    struct undecided *h = undecided_open();
    uint64_t oldest = 0, random = 1;

    for (uint64_t n = 1; n < 60000; n++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size[n] = (uint32_t)((random >> 33) % (n % 1000 == 0 ? CAP_MAX_RECORD : n / 20000 ? 4000 : 70));
        push(h, n, size[n], n % 7 == 0 ? "seven" : NULL);
        const struct packet *p = undecided_first(h);
        if (p->number != oldest)
            check(p, p->number, size[p->number], p->number % 7 == 0 ? "seven" : NULL);
        oldest = p->number;
    }
    cr_assert_gt(oldest, 50000);
    undecided_close(h);
}

Test(held, holds_so_many_packets_and_no_more)
{
    struct undecided *h = undecided_open();

    for (uint64_t n = 1; n <= UNDECIDED_PACKETS + 1; n++)
        push(h, n, 60, NULL);
    cr_assert_eq(undecided_first(h)->number, 2);
    cr_assert_not_null(undecided_verdict(h, UNDECIDED_PACKETS + 1));
    undecided_close(h);
}

/* ---- what is kept beside the bytes ---- */

static void push_with(struct undecided *h, uint64_t number, const struct iba_rmpp_transfer *table, const char *options)
{
    static const uint8_t data[4];
    struct cap_packet cap = {.data = data, .caplen = sizeof data, .len = sizeof data, .number = number};
    const struct verdict verdict = {.request_in = number};

    cap.options.list = (const uint8_t *)options;
    cap.options.bytes = options ? (uint32_t)strlen(options) : 0;
    undecided_push(h, &(struct packet){.cap = &cap, .number = number, .verdict = &verdict, .table = table});
}

/* Each waiting packet keeps the table that it came with. There are only so many places for tables; one packet more gets
 * none. A place is free again when its packet has gone. */
Test(held, tables_stay_those_of_their_packets)
{
    static struct iba_rmpp_transfer table;
    struct undecided *h = undecided_open();

    memset(&table, 0x5a, sizeof table); /* no byte of it is 0 */
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t n = 1; n <= UNDECIDED_TABLES + 2; n++) {
            table.transaction = 100 * round + n;
            push_with(h, n, n == 3 ? NULL : &table, NULL);
        }
        memset(&table, 0xa5, sizeof table);
        for (uint64_t n = 1; n <= UNDECIDED_TABLES + 2; n++) {
            const struct iba_rmpp_transfer *t = undecided_first(h)->table;
            if (n == 3 || n == UNDECIDED_TABLES + 2)
                cr_expect_null(t, "packet %u", (unsigned)n);
            else
                cr_expect(t && t->transaction == 100 * round + n, "packet %u", (unsigned)n);
            undecided_drop_first(h);
        }
    }
    undecided_close(h);
}

Test(held, options_are_copied_behind_the_comment)
{
    struct undecided *h = undecided_open();
    char options[] = "options";

    push(h, 1, 9, "words");
    push_with(h, 2, NULL, options);
    push(h, 3, 9, "words");
    options[0] = 'X';
    undecided_drop_first(h);
    const struct cap_packet *c = undecided_first(h)->cap;
    cr_expect(c->options.bytes == 7 && memcmp(c->options.list, "options", 7) == 0);
    undecided_drop_first(h);
    check(undecided_first(h), 3, 9, "words");
    undecided_close(h);
}

/* Options follow the comment, if the packet has one. */
Test(held, a_comment_and_options)
{
    struct undecided *h = undecided_open();
    static const uint8_t data[5] = {1, 2, 3, 4, 5};
    struct cap_packet cap = {.data = data, .caplen = 5, .len = 5, .number = 1, .comment = "words"};
    const struct verdict verdict = {.request_in = 1};

    cap.options.list = (const uint8_t *)"options";
    cap.options.bytes = 7;
    undecided_push(h, &(struct packet){.cap = &cap, .number = 1, .verdict = &verdict});
    const struct cap_packet *c = undecided_first(h)->cap;
    cr_expect_arr_eq(c->data, data, 5);
    cr_expect_str_eq(c->comment, "words");
    cr_expect(c->options.bytes == 7 && memcmp(c->options.list, "options", 7) == 0);
    undecided_close(h);
}

/* Packets of 4096 bytes fill the ring except for one packet, because a packet never ends exactly at the ring's end.
 * When the first half has gone and the ring begins again at its start, a packet also leaves room before the oldest
 * one. */
Test(held, all_of_the_ring_is_used)
{
    enum { BYTES = 4096, ALL = UNDECIDED_BYTES / BYTES };
    struct undecided *h = undecided_open();
    uint64_t n = 0;

    for (unsigned round = 0; round < 5; round++) {
        static uint8_t data[BYTES];
        const struct cap_packet cap = {.data = data, .caplen = BYTES, .len = BYTES};
        const struct verdict verdict = {.request_in = 1};
        struct packet p = {.cap = &cap, .verdict = &verdict};
        while (undecided_fits(h, &p)) {
            p.number = ++n;
            undecided_push(h, &p);
        }
        const uint64_t held = n + 1 - undecided_first(h)->number;
        cr_expect(held == (round == 0 ? ALL - 1 : ALL - 2), "round %u: %u of %u", round, (unsigned)held, (unsigned)ALL);
        for (unsigned i = 0; i < ALL / 2; i++)
            undecided_drop_first(h);
    }
    undecided_close(h);
}

/* The first response to a datagram counts. A datagram that has gone, or that never came, gets no response. */
Test(held, first_response_of_a_datagram)
{
    struct undecided *h = undecided_open();

    push(h, 4, 9, NULL);
    push(h, 7, 9, NULL);
    undecided_response(h, 7, 9);
    undecided_response(h, 7, 11);
    undecided_response(h, 5, 13);
    cr_expect_eq(undecided_first(h)->mad_context.response_in, 0);
    undecided_drop_first(h);
    cr_expect_eq(undecided_first(h)->mad_context.response_in, 9);
    undecided_response(h, 4, 15);
    cr_expect_eq(undecided_first(h)->mad_context.response_in, 9);
    undecided_close(h);
}

Test(held, gives_its_memory_back)
{
    const struct mallinfo2 before = mallinfo2();
    struct undecided *h = undecided_open();

    push(h, 1, 100, "x");
    undecided_close(h);
    const struct mallinfo2 after = mallinfo2();
    cr_assert_eq(after.uordblks + after.hblkhd, before.uordblks + before.hblkhd);
}
