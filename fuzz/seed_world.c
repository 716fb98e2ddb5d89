/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeds of the engine's targets that need verbs: regions that are registered and deregistered, attributes, types of
 * QPs. Further seeds are for two adapters, one for each deviation. */
#include "seed.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

struct script {
    uint8_t bytes[SEED_ROOM];
    size_t n;
};

static void add(struct script *s, uint8_t kind, const void *body, size_t n)
{
    s->n += seed_record(s->bytes + s->n, kind, body, n);
}
#define ADD(s, kind, ...) add(s, kind, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Low bits of the opcode of a RESYNC; bits of the service; a QP of another service. */
enum { RESYNC = 0x15, RD = 0x40, WORLD_RC_QP = 1 };
/* Added to the kind of a step: it is one of the other adapter. */
enum { OTHER = WORLD_KINDS };

static void begin(struct script *s, uint8_t link, unsigned variant)
{
    s->n = seed_settings(s->bytes, link, variant);
}

static void done(const struct script *s, const char *target, const char *what, unsigned a, unsigned b)
{
    seed_save_steps(target, what, a, b, s->bytes, s->n);
}

static void modify(struct script *s, uint8_t kind, uint8_t qp, uint32_t mask, uint8_t state, uint8_t value)
{
    const uint8_t m[] = {(uint8_t)mask, (uint8_t)(mask >> 8), (uint8_t)(mask >> 16)};

    ADD(s, kind + WORLD_MODIFY, qp, m[0], m[1], m[2], 0, state, IBA_QPS_RTS, value, 0, value, value, value, value,
        value, 0, value, 0, 0, 0, value % 2, 0, value, 0, 0, 0, 1);
}

static void request(struct script *s, uint8_t opcode, int delta, uint8_t where, uint16_t at, uint16_t length)
{
    ADD(s, WORLD_CRAFT, 0, opcode, (uint8_t)delta, CRAFT_ACKREQ, opcode == IBA_RC_READ_REQUEST ? 0 : 8, 0, where,
        (uint8_t)at, (uint8_t)(at >> 8), (uint8_t)length, (uint8_t)(length >> 8));
}

/* ---- one adapter ---- */

/* Requests to memory of another domain, to a window of another QP, and to a region that was deregistered. */
static void memory(uint8_t link)
{
    struct script s;

    for (uint8_t domain = 0; domain < 2; domain++) {
        begin(&s, link, 0);
        ADD(&s, WORLD_MEMORY, MEMORY_REGISTER, domain, 0, 0, 0, 0, 16, 0xff, 0);
        request(&s, IBA_RC_WRITE_ONLY, 0, PLACE_SPARE, 0, 8);
        request(&s, IBA_RC_READ_REQUEST, 0, PLACE_SPARE, 0, 64);
        ADD(&s, WORLD_DRAIN, 0);
        ADD(&s, WORLD_MEMORY, MEMORY_DEREGISTER, 0, PLACE_SPARE, 0, 0, 0, 0);
        request(&s, IBA_RC_READ_REQUEST, -1, PLACE_SPARE, 0, 64);
        ADD(&s, WORLD_DRAIN, 0);
        done(&s, "engine", "spare", link, domain);
    }
    for (uint8_t kind = 0; kind < 6; kind++)
        for (uint8_t binder = 0; binder < 8; binder += 2) {
            begin(&s, link, 0);
            ADD(&s, WORLD_MEMORY, MEMORY_FREE, 0, 0, 0, 0, 0, 0);
            ADD(&s, WORLD_MEMORY, MEMORY_ALLOC, kind * 2, 0, 0, 0, 0, 0);
            ADD(&s, WORLD_MEMORY, MEMORY_BIND, (uint8_t)(6 + 8 * binder), 0, 0, 0, 0, 4, (uint8_t)(77 + kind), 0);
            request(&s, IBA_RC_WRITE_ONLY, 0, PLACE_WINDOW, 0, 8);
            request(&s, IBA_RC_SEND_ONLY_INV, 1, PLACE_WINDOW, 0, 8);
            ADD(&s, WORLD_MEMORY, MEMORY_INVALIDATE, 0, PLACE_WINDOW, 0, 0, 0, 0);
            ADD(&s, WORLD_DRAIN, 0);
            done(&s, "engine", "window", link * 16u + kind, binder);
        }
}

/* To a byte before the end of a region, to the end, and a byte further, by each kind of request and a WQE. */
static void edges(uint8_t link)
{
    enum { LENGTHS = 3 };
    static const uint16_t lengths[LENGTHS] = {8, 1, 256};
    static const uint8_t opcodes[] = {IBA_RC_WRITE_ONLY, IBA_RC_READ_REQUEST, IBA_RC_FETCH_ADD, IBA_RC_SEND_ONLY};
    struct script s;

    for (uint8_t at = 0; at < 3; at++)
        for (unsigned i = 0; i < sizeof opcodes; i++)
            for (unsigned l = 0; l < LENGTHS; l++) {
                const uint8_t low = (uint8_t)lengths[l], high = (uint8_t)(lengths[l] >> 8);
                begin(&s, link, 0);
                ADD(&s, WORLD_RECV, 0, 1, PLACE_NEAR_END, at, 0, low, high);
                ADD(&s, WORLD_SEND, 0, 0, 1, 1, PLACE_NEAR_END, at, 0, low, high);
                request(&s, opcodes[i], 0, PLACE_NEAR_END, at, lengths[l]);
                ADD(&s, WORLD_DRAIN, 0);
                done(&s, "engine", "edge", link * 16u + at, i * LENGTHS + l);
            }
}

/* More responses are pending again than may be remembered: this only happens after the depth was lowered. */
static void replays(uint8_t link)
{
    struct script s;

    begin(&s, link, 0);
    s.bytes[1] = 0; /* path MTU 256 */
    request(&s, IBA_RC_READ_REQUEST, 0, 0, 0, 512);
    request(&s, IBA_RC_READ_REQUEST, 0, 0, 0, 8);
    request(&s, IBA_RC_READ_REQUEST, 0, 0, 0, 16);
    ADD(&s, WORLD_DRAIN, 0);
    request(&s, IBA_RC_READ_REQUEST, -3, 0, 256, 256);
    request(&s, IBA_RC_READ_REQUEST, -2, 0, 0, 8);
    request(&s, IBA_RC_READ_REQUEST, -1, 0, 0, 16);
    modify(&s, 0, 0, IBA_QPA_STATE, IBA_QPS_SQD, 0);
    modify(&s, 0, 0, IBA_QPA_STATE | IBA_QPA_MAX_DEST_RD, IBA_QPS_SQD, 1);
    request(&s, IBA_RC_READ_REQUEST, -4, 0, 0, 512);
    ADD(&s, WORLD_DRAIN, 0);
    done(&s, "engine", "replays", link, 0);
}

/* Headers that no sender writes, and packets to wrong addresses. */
static void headers(uint8_t link)
{
    enum { OTHER_PORT = RAW_OTHER_PORT + 2, HEADERLESS = RAW_HEADERLESS + 8, FLAGS = 12 };
    _Static_assert(OTHER_PORT % WORLD_KINDS == WORLD_RAW && HEADERLESS % WORLD_KINDS == WORLD_RAW,
                   "packets as they are");
    static const uint8_t twists[FLAGS][3] = {{TWIST_KEEP, 0, 4},
                                             {TWIST_MAP_SOURCE, 1, 1},
                                             {TWIST_MAP_TARGET, 1, 1},
                                             {0, 3, 1},
                                             {0, 2, 0xff},
                                             {1, 1, 1},
                                             {1, 10, 1},
                                             {0, 5, 7},
                                             {TWIST_PAYLOAD, 1, 0xa3 /* a directed datagram */},
                                             {1, 15, 1},
                                             {2, 4, 1},
                                             {1, 31, 3}};
    struct script s;
    uint8_t frame[SEED_ROOM], packet[32];

    for (unsigned i = 0; i < FLAGS; i++)
        for (uint8_t qp = 0; qp < 6; qp++) {
            begin(&s, link, qp & 1 ? 3 : 0);
            s.bytes[5] |= 0x40; /* two LIDs */
            size_t n = seed_craft(packet, qp, qp == 2 ? 0x24 : IBA_RC_SEND_ONLY, 0, 0, 6);
            packet[4] = i == 0 ? 6 : packet[4];
            n = n > CRAFT_BYTES ? CRAFT_BYTES : n;
            if (qp >= 3 && qp <= 5) { /* DETH */
                packet[n++] = 0;
                packet[n++] = 1;
            }
            for (unsigned k = 0; k < 3; k++)
                packet[n++] = twists[i][k];
            add(&s, WORLD_CRAFT, packet, n);
            const size_t len = seed_crafted(frame, s.bytes, packet, n);
            add(&s, OTHER_PORT, frame, len);
            add(&s, HEADERLESS, frame, len);
            ADD(&s, WORLD_DRAIN, 0);
            done(&s, "engine", "header", link * 16u + i, qp);
        }
}

static void objects(uint8_t link)
{
    struct script s;

    for (uint8_t type = 0; type < (uint8_t)(IBA_QPT_COUNT + 1); type++)
        for (uint8_t flags = 0; flags < 4; flags++) {
            begin(&s, link, 0);
            ADD(&s, WORLD_OBJECT, OBJECT_DESTROY, 0);
            ADD(&s, WORLD_OBJECT, OBJECT_CREATE, 0, 0, type, flags == 3 ? 0x80 : flags, 0, 0, 0, flags == 2,
                flags == 1);
            ADD(&s, WORLD_OBJECT, OBJECT_CONNECT, 0);
            ADD(&s, WORLD_SEND, 0, 0, 1, 1, 0, 0, 0, 16);
            request(&s, IBA_RC_SEND_ONLY, 0, 0, 0, 8);
            ADD(&s, WORLD_DRAIN, 0);
            ADD(&s, WORLD_COMPLETE, 0);
            done(&s, "engine", "type", link * 16u + type, flags);
        }
    for (uint8_t field = 0; field < (uint8_t)(AV_FIELDS); field++)
        for (uint8_t value = 0; value < 5; value++) {
            static const uint8_t values[] = {0, 1, 3, 0x80, 0xff};
            begin(&s, link, value & 1 ? 3 : 0);
            ADD(&s, WORLD_OBJECT, OBJECT_ADDRESS, 0, 3, 0); /* handle 1, gone again */
            ADD(&s, WORLD_OBJECT, OBJECT_ADDRESS, 0, 0, 1, field, values[value]);
            ADD(&s, WORLD_SEND, 3, 0, 1, 1, 0, 0, 0, 16, 0, 0, 0, 0, 0, 1, 0, value == 3);
            ADD(&s, WORLD_DRAIN, 0);
            ADD(&s, WORLD_MODIFY, 0, IBA_QPA_STATE, 0, 0, 0, IBA_QPS_RESET);
            ADD(&s, WORLD_MODIFY, 0, 0x39, 0, 0, 0, IBA_QPS_INIT);
            ADD(&s, WORLD_MODIFY, 0, 0x81, 0x91, 0x12, 0, IBA_QPS_RTR, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0,
                0, 0, 0, 0, 1, field, values[value], 0);
            ADD(&s, WORLD_OBJECT, OBJECT_SRQ, value);
            ADD(&s, WORLD_OBJECT, OBJECT_CQ_AGAIN, value);
            ADD(&s, WORLD_MEMORY, MEMORY_DOMAIN, value, 0, 0, 0, 0, 0);
            done(&s, "engine", "address", link * 16u + field, value);
        }
}

/* Each opcode that has a name, also if no QP has its service. */
static void every_opcode(uint8_t link)
{
    struct script s;
    uint8_t packet[32];

    for (unsigned first = 0; first < 256; first += 64) {
        begin(&s, link, 0);
        for (unsigned op = first; op < first + 64; op++)
            if (iba_opcodes[op].name) {
                const size_t n = seed_craft(packet, 0, (uint8_t)op, 0, 0, 8);
                packet[3] = CRAFT_OTHER_SERVICE | CRAFT_ACKREQ;
                add(&s, WORLD_CRAFT, packet, n);
            }
        done(&s, "engine", "opcode", link, first);
    }
}

static void rd_request(struct script *s, uint8_t to, uint8_t opcode, int delta, uint8_t key, uint8_t context)
{
    const uint8_t how = CRAFT_ACKREQ | (to == WORLD_RC_QP ? CRAFT_OTHER_SERVICE : 0);
    const uint8_t bytes = opcode == RESYNC || opcode == IBA_RC_READ_REQUEST || opcode == IBA_RC_FETCH_ADD ? 0
                          : opcode == IBA_RC_SEND_FIRST                                                   ? 0xff
                                                                                                          : 8;

    ADD(s, WORLD_CRAFT, to, opcode, (uint8_t)delta, how, bytes, bytes == UINT8_MAX ? UINT8_MAX : 0, 0, 0, 0, 8, 0, key,
        1, context);
}

/* Reliable datagrams of one adapter: each operation sent and answered, requests, RESYNC, what is refused. */
static void reliable_datagrams(uint8_t link)
{
    static const uint8_t opcodes[] = {IBA_RC_SEND_ONLY,    IBA_RC_SEND_FIRST, IBA_RC_WRITE_ONLY_IMM,
                                      IBA_RC_READ_REQUEST, IBA_RC_FETCH_ADD,  RESYNC};
    static const uint8_t syndromes[] = {0x1f, 0x20, 0x60, 0x61, 0x64};
    struct script s;

    for (uint8_t op = 0; op < (uint8_t)(IBA_WR_RECV); op++)
        for (unsigned i = 0; i < sizeof syndromes; i++) {
            begin(&s, link, 0);
            s.bytes[1] |= WORLD_RD;
            for (uint8_t qp = WORLD_RD_QP; qp <= (uint8_t)WORLD_RD_OTHER; qp += WORLD_RD_OTHER)
                ADD(&s, WORLD_SEND, qp, op, 1, 1, 0, 0, 0, 8, 0, 0, 0, 4, 8, 0, 1, 2, 0, 8);
            ADD(&s, WORLD_DRAIN, 0);
            ADD(&s, WORLD_CRAFT, WORLD_RD_QP, IBA_RC_ACKNOWLEDGE, 0, 0, 0, 0, 0, 0, 0, 0, 0, syndromes[i], 1, 0);
            ADD(&s, WORLD_DRAIN, 0);
            ADD(&s, WORLD_WAIT, 0);
            ADD(&s, WORLD_DRAIN, 0);
            ADD(&s, WORLD_COMPLETE, 0);
            done(&s, "engine", "rd-send", link * 16u + op, i);
        }
    for (unsigned i = 0; i < sizeof opcodes; i++) {
        const uint8_t op = opcodes[i];
        begin(&s, link, 0);
        s.bytes[1] |= WORLD_RD;
        for (unsigned k = 0; k < 3; k++)
            ADD(&s, WORLD_RECV, WORLD_RD_QP, 1, 0, 0, 0, 0, 4);
        rd_request(&s, WORLD_RC_QP, RD | op, 0, 0, 0); /* no receiver, which is refused again until a RESYNC */
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 0);
        rd_request(&s, WORLD_RD_QP, RESYNC, 1, 0, 0);
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 0);
        rd_request(&s, WORLD_RD_QP, op, 0, 1, 0); /* another Q_Key, another context */
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 1);
        rd_request(&s, WORLD_RD_QP, RESYNC, 2, 0, 0);
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 0);
        rd_request(&s, WORLD_RD_OTHER, IBA_RC_SEND_LAST, 0, 0, 0);
        ADD(&s, WORLD_OBJECT, OBJECT_DESTROY, WORLD_RD_QP); /* a QP of another domain in its place */
        ADD(&s, WORLD_OBJECT, OBJECT_CREATE, 0, WORLD_RD_QP, 0, 2, 0, 0, 0, 0, 0);
        ADD(&s, WORLD_OBJECT, OBJECT_CONNECT, WORLD_RD_QP);
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 0);
        rd_request(&s, WORLD_RD_QP, RESYNC, 1, 0, 0);
        rd_request(&s, WORLD_RD_QP, op, 0, 0, 0);
        ADD(&s, WORLD_SEND, WORLD_RD_QP, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8);
        ADD(&s, WORLD_DRAIN, 0);
        ADD(&s, WORLD_COMPLETE, 0);
        done(&s, "engine", "rd-request", link, i);
    }
}

void seed_verbs(uint8_t link)
{
    struct script s;

    every_opcode(link);
    memory(link);
    edges(link);
    replays(link);
    headers(link);
    objects(link);
    reliable_datagrams(link);
    for (uint8_t state = 0; state < (uint8_t)(IBA_QPS_COUNT); state++)
        for (unsigned bit = 0; bit < 21; bit++) {
            begin(&s, link, state & 1 ? 3 : 0);
            ADD(&s, WORLD_SEND, 0, 0, 1, 1, 0, 0, 0, 16);
            modify(&s, 0, 0, IBA_QPA_STATE | 1u << bit, state, (uint8_t)bit);
            modify(&s, 0, 2, IBA_QPA_STATE | 1u << bit, state, (uint8_t)(bit ^ 0x80));
            ADD(&s, WORLD_DRAIN, 0);
            modify(&s, 0, 0, IBA_QPA_STATE | IBA_QPA_CUR_STATE, IBA_QPS_RTS, 0);
            done(&s, "engine", "modify", link * 16u + state, bit);
        }
}

/* ---- two, changed ---- */

/* In both directions, until nothing is left: twice, since responses cause responses. */
static void exchange(struct script *s, uint8_t lost, uint8_t twice)
{
    for (unsigned i = 0; i < 2; i++) {
        ADD(s, WORLD_DRAIN, i ? 0 : lost, twice);
        ADD(s, OTHER + WORLD_DRAIN, 0, twice);
    }
}

static void work(struct script *s, uint8_t from, uint8_t qp, uint8_t op, uint16_t length)
{
    const uint8_t low = (uint8_t)length, high = (uint8_t)(length >> 8);

    if (qp < 3)
        ADD(s, from + WORLD_SEND, qp, op, 3, 1, 0, 0, 0, low, high, 0, 0, 4, low, high, 1, 2);
    else
        ADD(s, from + WORLD_SEND, qp, op, 3, 1, 0, 0, 0, low, high, 0, 0, 4, low, high, 0, 0, 0, 0);
}

static void receives(struct script *s)
{
    for (uint8_t qp = 0; qp < (uint8_t)(WORLD_QPS); qp++)
        for (unsigned i = 0; i < 2; i++)
            ADD(s, OTHER + WORLD_RECV, qp, 1, 0, 0, 0, 0, 4);
}

/* Messages of a reliable QP. Frames are lost, and time passes. */
static void reliable(struct script *s, uint8_t qp, uint8_t lost)
{
    receives(s);
    for (uint8_t op = 0; op < (uint8_t)(IBA_WR_RECV); op++) {
        work(s, 0, qp, op, op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD || op == IBA_WR_ATOMIC_WRITE ? 8 : 700);
        exchange(s, lost, lost >> 4);
        if (lost) {
            ADD(s, WORLD_WAIT, 0);
            exchange(s, 0, 0);
        }
    }
    ADD(s, WORLD_COMPLETE, 0);
    ADD(s, OTHER + WORLD_COMPLETE, 0);
}

static void datagrams(struct script *s)
{
    ADD(s, OTHER + WORLD_OBJECT, OBJECT_ATTACH, 3);
    receives(s);
    for (uint8_t qp = 2; qp < (uint8_t)(WORLD_QPS); qp++)
        for (uint8_t op = 0; op < 2; op++)
            work(s, 0, qp, op, qp == 4 || qp == 5 ? 256 : 64);
    work(s, 0, 2, IBA_WR_WRITE_IMM, 700);
    exchange(s, 0, 0);
    ADD(s, OTHER + WORLD_OBJECT, OBJECT_PKEY, 0, 1, 0x80);
    work(s, 0, 3, 0, 64);
    exchange(s, 0, 0);
    ADD(s, OTHER + WORLD_CRAFT, 3, 4, 0, CRAFT_GROUP | CRAFT_MARKED, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    ADD(s, OTHER + WORLD_COMPLETE, 0);
}

/* Requests that verbs refuse, or in a broken device accept; and what follows then. */
static void refused(struct script *s)
{
    ADD(s, WORLD_MEMORY, MEMORY_REGISTER, 0, 0, 0, 0, 0, 16, 0xff, 3);
    ADD(s, WORLD_MEMORY, MEMORY_REGISTER, 0, 0, 0, 0, 0, 16, 0xff, 0xff);
    ADD(s, WORLD_MEMORY, MEMORY_REGISTER, 2, 0, 0, 0, 0, 16, 0x0e, 0);
    ADD(s, WORLD_MEMORY, MEMORY_FREE, 0, 0, 0, 0, 0, 0);
    ADD(s, WORLD_MEMORY, MEMORY_ALLOC, 4, 0, 0, 0, 0, 0);
    ADD(s, WORLD_MEMORY, MEMORY_BIND, 6, 0, 0, 0, 0, 64, 9, 0);
    ADD(s, WORLD_MEMORY, MEMORY_BIND, 6, 0, 0, 0, 0, 4, 9, 0);
    ADD(s, WORLD_MEMORY, MEMORY_INVALIDATE, 1, PLACE_WINDOW, 0, 0, 0, 0);
    ADD(s, WORLD_MEMORY, MEMORY_DEREGISTER, 0, 0, 0, 0, 0, 0);
    ADD(s, WORLD_MEMORY, MEMORY_DOMAIN, 0, 0, 0, 0, 0, 0);
    work(s, 0, 0, IBA_WR_READ, 64);
    ADD(s, WORLD_OBJECT, OBJECT_CQ_AGAIN, 0);
    ADD(s, WORLD_OBJECT, OBJECT_SRQ, 1);
    ADD(s, WORLD_OBJECT, OBJECT_CREATE, 0, 0, 1, 0);
    ADD(s, WORLD_OBJECT, OBJECT_ADDRESS, 0, 0, 2, 0, 3, 5, 200);
    ADD(s, WORLD_OBJECT, OBJECT_ATTACH, 0, 0x80, 0x80);
    ADD(s, WORLD_OBJECT, OBJECT_ATTACH, 3);
    ADD(s, WORLD_OBJECT, OBJECT_DESTROY, 3);
    ADD(s, WORLD_OBJECT, OBJECT_ARM, 200);
    modify(s, 0, 0, IBA_QPA_STATE, IBA_QPS_SQD, 0);
    modify(s, 0, 0, IBA_QPA_STATE | IBA_QPA_TIMEOUT | IBA_QPA_RETRY, IBA_QPS_SQD, 200);
    modify(s, 0, 0, IBA_QPA_STATE | IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG, IBA_QPS_RTS, 1);
    modify(s, 0, 1, IBA_QPA_STATE | IBA_QPA_QKEY, IBA_QPS_INIT, 1);
    modify(s, 0, 2, IBA_QPA_STATE, IBA_QPS_ERR, 0);
    work(s, 0, 2, 0, 64);
    ADD(s, WORLD_RECV, 2, 1, 0, 0, 0, 0, 4);
    modify(s, 0, 2, IBA_QPA_STATE, IBA_QPS_RESET, 0);
    exchange(s, 0, 0);
    ADD(s, WORLD_OBJECT, OBJECT_DESTROY, 0);
    ADD(s, WORLD_COMPLETE, 0);
}

/* Requests to the other adapter that differ from the expected one: a duplicate, one ahead, too long, of another kind.
 */
static void odd_requests(struct script *s)
{
    static const uint8_t opcodes[] = {IBA_RC_SEND_FIRST,  IBA_RC_WRITE_ONLY,     IBA_RC_READ_REQUEST, IBA_RC_FETCH_ADD,
                                      IBA_RC_ACKNOWLEDGE, IBA_RC_READ_RESP_ONLY, IBA_RC_SEND_ONLY_INV};

    receives(s);
    for (unsigned i = 0; i < sizeof opcodes; i++)
        for (uint8_t delta = 0; delta < 3; delta++) {
            ADD(s, OTHER + WORLD_CRAFT, 0, opcodes[i], (uint8_t)(delta - 1),
                (uint8_t)(delta == 2 ? CRAFT_ACKREQ | CRAFT_MARKED : CRAFT_ACKREQ), 0xff, 0xff, 0, 0, 0, 0, 1, 0x60, 1);
            ADD(s, OTHER + WORLD_DRAIN, 0);
        }
    work(s, OTHER, 0, IBA_WR_SEND, 64);
    ADD(s, OTHER + WORLD_DRAIN, 0xff);
    for (uint8_t syndrome = 0x60; syndrome < 0x66; syndrome++)
        ADD(s, OTHER + WORLD_CRAFT, 0, IBA_RC_ACKNOWLEDGE, 0, 0, 0, 0, 0, 0, 0, 0, 0, syndrome, 1);
    ADD(s, OTHER + WORLD_COMPLETE, 0);
}

static void (*const scripts[])(struct script *s) = {datagrams, refused, odd_requests};
enum { SCRIPTS = sizeof scripts / sizeof *scripts, LOSSES = 3 };

/* A seed for each row of each list, with each kind of change. */
void seed_changed(uint8_t link)
{
    static const uint8_t lost[LOSSES] = {0, 1, 0x16};
    unsigned rows = IBA_TABLE_COUNT * IBA_MAX_RULES;
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);
    struct script s;

    for (size_t i = 0; i < n; i++)
        rows += lists[i]->n;
    for (unsigned row = 0; row < rows; row++)
        for (uint8_t kind = 0; kind <= (uint8_t)(IBA_CHANGE_OTHER); kind++)
            for (unsigned i = 0; i < SCRIPTS + LOSSES; i++) {
                begin(&s, link, 3 * (row & 1));
                ADD(&s, 0, (uint8_t)row, (uint8_t)(row >> 8), kind, (uint8_t)i);
                if (i < SCRIPTS)
                    scripts[i](&s);
                else
                    reliable(&s, i & 1, lost[i - SCRIPTS]);
                done(&s, "changed", "row", row * 100u + link * 10u + kind, i);
            }
}
