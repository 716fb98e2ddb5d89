/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/undecided.h"
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
