/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the connection manager that collide in the tables: chains stay short, and the last connection is found.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "track/cm_track.h"

enum { CAP = 14 + 20 + 8 + 12 + 8 + 256 + 4, MESSAGES = 20000, MOST = 32 };

static uint8_t frame[CAP];
static struct packet packet;
static struct cap_packet cap;

static void put(size_t at, unsigned bytes, uint64_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        frame[at + i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
}

/* Makes a datagram between two hosts over RoCEv2; its ICRC is not checked. */
static void make(uint32_t src, uint32_t dst, uint16_t attribute, uint32_t local_id, uint32_t remote_id)
{
    enum { IP = 14, UDP = 34, BTH = 42, DETH = 54, MAD = 62 };

    memset(frame, 0, sizeof frame);
    put(12, 2, 0x0800);
    put(IP, 4, 0x45000000 + CAP - IP);
    put(IP + 8, 2, 0x4011);
    put(IP + 12, 4, src);
    put(IP + 16, 4, dst);
    put(UDP, 4, 0xc00012b7);
    put(UDP + 4, 2, CAP - UDP);
    put(BTH, 4, 0x6440ffff);
    put(BTH + 4, 4, 1);
    put(DETH, 4, 0x80010000);
    put(DETH + 4, 4, 1);
    put(MAD, 4, 0x01070203);
    put(MAD + 16, 2, attribute);
    put(MAD + 24, 4, local_id);
    put(MAD + 28, 4, remote_id);
}

/* Fields of a REQ: service, QP, and the GID of its path. */
static void request(uint32_t src, uint32_t id, uint64_t service, uint32_t qpn, uint32_t gid)
{
    enum { MAD = 62, REQ = MAD + 24 };

    make(src, 0x0b000001, IBA_CM_ID_REQ, id, 0);
    put(REQ + 8, 8, service);
    put(REQ + 32, 3, qpn);
    if (gid) {
        put(REQ + 56, 8, UINT64_C(0xfe80000000000000));
        put(REQ + 64, 8, gid);
    }
}

static struct cm_connection *take(struct cm_track *t)
{
    cap = (struct cap_packet){.data = frame, .caplen = CAP, .len = CAP, .number = cap.number + 1};
    packet.cap = &cap;
    packet.number = cap.number;
    cr_assert_eq(iba_view_parse(&packet.view, IBA_LINK_ETHERNET, frame, CAP, CAP, NULL), IBA_OK);
    return cm_track_packet(t, &packet);
}

static unsigned longest_by_id(const struct cm_track *t)
{
    unsigned most = 0;

    for (size_t b = 0; b < CM_CONNECTIONS; b++) {
        unsigned n = 0;
        for (uint16_t at = t->bucket[b]; at; at = t->connection[at - 1].next)
            n++;
        most = n > most ? n : most;
    }
    return most;
}

static unsigned longest_by_qp(const struct cm_track *t)
{
    unsigned most = 0;

    for (size_t b = 0; b < CM_BUCKETS; b++) {
        unsigned n = 0;
        for (unsigned at = t->qp_bucket[b]; at; n++) {
            const unsigned end = (at - 1) / CM_KEYS;
            const struct cm_connection *c = &t->connection[end / 2];
            at = (end % 2 ? &c->passive : &c->active)->key[(at - 1) % CM_KEYS].next;
        }
        most = n > most ? n : most;
    }
    return most;
}

static const struct row {
    const char *name;
    bool sender, id, service, qpn, gid; /* which of them differ from message to message */
} rows[] = {
    {"ordinary", true, true, true, true, true},
    {"one QP of one host", false, true, true, false, false},
    {"one QP number of all hosts", true, true, true, false, false},
    {"one identifier of one host", false, false, true, true, false},
    {"one identifier of all hosts", true, false, true, true, false},
    {"one GID for all", true, true, true, false, false},
    {"nothing differs but the service", false, false, true, false, false},
    {"a GID for each message of one QP", false, true, true, false, true},
};

Test(bounds, chains_are_short)
{
    struct cm_track *t = malloc(sizeof *t);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct cm_connection *c = NULL;
        memset(t, 0, sizeof *t);
        for (uint32_t n = 0; n < MESSAGES; n++) {
            request(0x0a000000 + (r->sender ? n : 0), r->id ? n : 5, r->service ? n : 1, r->qpn ? n & 0xffffff : 9,
                    r->gid ? n + 1 : 77);
            c = take(t);
            cr_assert(c && c->begin_frame == packet.number, "%s", r->name);
        }
        cr_expect_leq(longest_by_id(t), MOST, "%s: %u", r->name, longest_by_id(t));
        cr_expect_leq(longest_by_qp(t), MOST, "%s: %u", r->name, longest_by_qp(t));
        take(t); /* the last one again */
        cr_expect_eq(c->again, 1, "%s", r->name);
        cr_expect_eq(t->begun, MESSAGES, "%s", r->name);
    }
    free(t);
}

/* Keys that collided under an earlier hash, in which bits 12 and up of the number repeat the low bits. */
Test(bounds, chosen_numbers)
{
    struct cm_track *t = calloc(1, sizeof *t);

    for (uint32_t n = 0; n < CM_CONNECTIONS; n++) {
        const uint32_t same = n << 12 | (n & 0xfff);
        request(0x0a000000, same, n, same & 0xffffff, 0);
        cr_assert(take(t));
    }
    cr_expect_leq(longest_by_id(t), MOST);
    cr_expect_leq(longest_by_qp(t), MOST);
    free(t);
}

/* The values with a key of zeros are those of CPython 3.11 (PYTHONHASHSEED=0 python3 -c
 * 'print(hash(bytes(range(40))))'), which uses the same function. Those with the other key are of a program in Python
 * that has the former values, too. */
Test(bounds, hashes_depend_on_their_key)
{
    static const uint64_t zero[2] = {0}, other[2] = {1, 2};
    static const struct {
        size_t bytes;
        uint64_t hash, with_other;
    } of[] = {{1, UINT64_C(0x68a914128e01e473), UINT64_C(0x361f4eac988a86f4)},
              {7, UINT64_C(0x2f098ab0c751325a), UINT64_C(0x0ec349aa2921b6c6)},
              {8, UINT64_C(0xead411e67ebe2eea), UINT64_C(0x8f1a9587b3958909)},
              {15, UINT64_C(0xf30eb725bb91c9ea), UINT64_C(0x9d7f23f05ffe0430)},
              {40, UINT64_C(0x95bc321ab41d8206), UINT64_C(0xb67c14af8412be14)}};
    uint8_t in[40];

    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)i;
    stat_hash_key(zero);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        cr_expect_eq(stat_hash(in, of[i].bytes), of[i].hash, "%zu bytes", of[i].bytes);
    stat_hash_key(other);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        cr_expect_eq(stat_hash(in, of[i].bytes), of[i].with_other, "%zu bytes", of[i].bytes);
}
