/* SPDX-License-Identifier: BSD-2-Clause */
#include "mutator.h"
#include <string.h>
#include "mutator_file.h"
#include "records.h"
#include "sim/iba_mutate.h"
#include "wire/iba_build.h"

/* So many of a million packets get repaired CRCs. Without them the packets would not get past the check of the ICRC. */
enum { REPAIR = 900000, PACKET_HEAD = 2, MOST_PACKET = 8192 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint64_t below(struct iba_random *r, uint64_t n)
{
    return iba_random_below(r, n);
}

/* ---- one packet ---- */

static size_t mutate_packet(struct iba_random *r, enum iba_link link, uint8_t *p, size_t n, size_t most)
{
    if (n == 0) {
        p[0] = (uint8_t)iba_random_next(r);
        n = 1;
    }
    for (uint64_t times = 1 + below(r, 3); times > 0; times--)
        n = iba_mutate(r, link, p, n, most, REPAIR, NULL);
    return n;
}

static size_t mutate_single(struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    if (n < PACKET_HEAD + 1 || most < PACKET_HEAD + 1 || below(r, 16) == 0) {
        data[below(r, n ? n : 1)] = (uint8_t)iba_random_next(r);
        return n ? n : 1;
    }
    return PACKET_HEAD +
           mutate_packet(r, fuzz_link(data[0]), data + PACKET_HEAD, n - PACKET_HEAD,
                         smaller(most, MOST_PACKET) > n ? smaller(most, MOST_PACKET) - PACKET_HEAD : n - PACKET_HEAD);
}

/* ---- sequences ---- */

size_t fuzz_borders(const uint8_t *data, size_t n, size_t *at, size_t cap)
{
    struct fuzz_in in = {data, n}, body;
    size_t count = 0;
    uint8_t kind;

    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        (void)fuzz_u8(&in);
    at[count++] = (size_t)(in.p - data);
    while (count < cap && fuzz_record(&in, &kind, &body))
        at[count++] = (size_t)(in.p - data);
    return count;
}

static void move(uint8_t *data, size_t n, size_t from, size_t to)
{
    memmove(data + to, data + from, n - from);
}

/* Sets one or more bytes to boundary values of numbers, or to characters that output has to escape. */
static void mutate_bytes(struct iba_random *r, uint8_t *p, size_t n)
{
    static const uint8_t interesting[] = {0,    1,    2,    4,    7,    8,   0x10, 0x1f, 0x20, 0x40, 0x60,
                                          0x7f, 0x80, 0xfe, 0xff, 0x1b, '"', '\\', '<',  '>',  '&',  '\''};

    for (uint64_t times = n ? 1 + below(r, 3) : 0; times > 0; times--) {
        uint8_t *b = &p[below(r, n)];
        switch (below(r, 4)) {
        case 0: *b = interesting[below(r, sizeof interesting)]; break;
        case 1: *b ^= (uint8_t)(1u << below(r, 8)); break;
        case 2: *b = (uint8_t)(*b + 1 - 2 * below(r, 2)); break;
        default: *b = (uint8_t)iba_random_next(r);
        }
    }
}

static void set_length(uint8_t *record, size_t n)
{
    record[1] = (uint8_t)n;
    record[2] = (uint8_t)(n >> 8);
}

/* Changes the length of record i to `len` bytes, and moves the records after it. Returns the new length of the input.
 */
static size_t resize(uint8_t *data, size_t n, const size_t *at, size_t i, size_t len)
{
    const size_t to = at[i] + FUZZ_RECORD_HEAD + len;

    move(data, n, at[i + 1], to);
    set_length(data + at[i], len);
    return n + to - at[i + 1];
}

static size_t mutate_record(struct iba_random *r, uint8_t *data, size_t n, size_t most, const size_t *at, size_t i)
{
    static uint8_t packet[MOST_PACKET];
    const size_t head = at[i] + FUZZ_RECORD_HEAD, len = at[i + 1] > head ? at[i + 1] - head : 0;

    if (at[i + 1] < head) { /* the record is cut inside of its head */
        data[at[i]] = (uint8_t)iba_random_next(r);
        return n;
    }
    if (data[at[i]] != FUZZ_RAW || len > sizeof packet) {
        if (len == 0 || below(r, 8) == 0)
            mutate_bytes(r, data + at[i], 1); /* changes the kind of the record */
        else
            mutate_bytes(r, data + head, len);
        return n;
    }
    memcpy(packet, data + head, len);
    const size_t now = mutate_packet(r, fuzz_link(data[0]), packet, len, sizeof packet);
    if (n - len + now > most)
        return n;
    n = resize(data, n, at, i, now);
    memcpy(data + head, packet, now);
    return n;
}

static size_t drop(uint8_t *data, size_t n, const size_t *at, size_t i, size_t k)
{
    move(data, n, at[k], at[i]);
    return n - (at[k] - at[i]);
}

static size_t repeat(struct iba_random *r, uint8_t *data, size_t n, size_t most, const size_t *at, size_t count,
                     size_t i)
{
    static uint8_t record[FUZZ_RECORD_HEAD + MOST_PACKET];
    const size_t len = at[i + 1] - at[i], to = at[below(r, count)];

    if (n + len > most || len > sizeof record)
        return n;
    memcpy(record, data + at[i], len);
    move(data, n, to, to + len);
    memcpy(data + to, record, len);
    return n + len;
}

static size_t swap(struct iba_random *r, uint8_t *data, size_t n, const size_t *at, size_t count, size_t i)
{
    static uint8_t record[FUZZ_RECORD_HEAD + MOST_PACKET];
    const size_t k = i + 1 + below(r, 3), len = at[i + 1] - at[i];

    if (k + 1 >= count || len > sizeof record)
        return n;
    memcpy(record, data + at[i], len);
    memmove(data + at[i], data + at[i + 1], at[k + 1] - at[i + 1]);
    memcpy(data + at[k + 1] - len, record, len);
    return n;
}

/* Inserts a short record of any kind at any place. */
static size_t insert(struct iba_random *r, uint8_t *data, size_t n, size_t most, const size_t *at, size_t count)
{
    const size_t len = below(r, 16), to = at[below(r, count)], all = FUZZ_RECORD_HEAD + len;

    if (n + all > most)
        return n;
    move(data, n, to, to + all);
    data[to] = (uint8_t)below(r, 32);
    set_length(data + to, len);
    for (size_t i = 0; i < len; i++)
        data[to + FUZZ_RECORD_HEAD + i] = (uint8_t)(below(r, 2) ? below(r, 8) : iba_random_next(r));
    return n + all;
}

/* Adds the same number to all PSNs from record i on. */
static void shift_psns(struct iba_random *r, uint8_t *data, const size_t *at, size_t count, size_t i)
{
    const uint32_t by = (uint32_t)(below(r, 2) ? below(r, 4) : iba_random_next(r)) - 2;
    struct iba_view v;

    for (; i + 1 < count; i++) {
        const size_t head = at[i] + FUZZ_RECORD_HEAD;
        if (at[i + 1] <= head || data[at[i]] != FUZZ_RAW)
            continue;
        (void)iba_view_parse(&v, fuzz_link(data[0]), data + head, at[i + 1] - head, at[i + 1] - head, NULL);
        if (!iba_view_has_bth(&v))
            continue;
        uint8_t *bth = data + head + v.bth_at;
        iba_bth_set_psn(bth, iba_bth_psn(bth) + by);
        iba_view_repair_crc(&v, data + head);
    }
}

static size_t mutate_sequence(struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    enum { RECORD, DROP = 8, REPEAT, SWAP, INSERT, SHIFT = 14, SETTINGS, CHOICES };
    size_t at[FUZZ_MOST_RECORDS + 1];
    const size_t count = fuzz_borders(data, n, at, sizeof at / sizeof *at);
    const uint64_t choice = below(r, CHOICES);

    if (choice >= SETTINGS || n < FUZZ_HEAD) {
        mutate_bytes(r, data, smaller(n, FUZZ_HEAD));
        return n ? n : 1;
    }
    if (count < 2 || (choice >= INSERT && choice < SHIFT))
        return insert(r, data, n, most, at, count);
    const size_t i = below(r, count - 1);
    switch (choice) {
    case DROP: return drop(data, n, at, i, i + 1 + below(r, count - 1 - i));
    case REPEAT: return repeat(r, data, n, most, at, count, i);
    case SWAP: return swap(r, data, n, at, count, i);
    case SHIFT: shift_psns(r, data, at, count, i); return n;
    default: return mutate_record(r, data, n, most, at, i);
    }
}

/* Changes a byte of the settings, or the file. The length of the first of two files, between them, belongs to neither.
 */
static size_t mutate_command(struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    enum { MERGE = 2, LENGTH = 2 }; /* COMMAND_MERGE of command.h */
    const size_t head = FUZZ_HEAD + (n > 1 && data[1] & MERGE ? LENGTH : 0);

    if (n <= head || below(r, 8) == 0) {
        mutate_bytes(r, data, smaller(n, head));
        return n ? n : 1;
    }
    return head + fuzz_mutate_file(r, data + head, n - head, most - head);
}

size_t fuzz_mutate(enum fuzz_form form, struct iba_random *r, uint8_t *data, size_t n, size_t most)
{
    switch (form) {
    case FUZZ_PACKET: return mutate_single(r, data, n, most);
    case FUZZ_RECORDS:
        for (uint64_t times = 1 + below(r, 4); times > 0; times--)
            n = mutate_sequence(r, data, n, most);
        return n;
    case FUZZ_FILE: return n ? fuzz_mutate_file(r, data, n, most) : 1;
    case FUZZ_COMMAND: return mutate_command(r, data, n, most);
    default: mutate_bytes(r, data, n); return n ? n : 1;
    }
}

/* ---- two inputs ---- */

static size_t cut_at(enum fuzz_form form, struct iba_random *r, const uint8_t *p, size_t n)
{
    size_t at[FUZZ_MOST_RECORDS + 1];

    if (form == FUZZ_RECORDS && n >= FUZZ_HEAD)
        return at[below(r, fuzz_borders(p, n, at, sizeof at / sizeof *at))];
    return below(r, n + 1);
}

size_t fuzz_splice(enum fuzz_form form, struct iba_random *r, const uint8_t *a, size_t na, const uint8_t *b, size_t nb,
                   uint8_t *out, size_t most)
{
    const size_t front = smaller(cut_at(form, r, a, na), most), from = cut_at(form, r, b, nb);
    const size_t back = smaller(nb - from, most - front);

    memcpy(out, a, front);
    memcpy(out + front, b + from, back);
    return front + back;
}
