/* SPDX-License-Identifier: BSD-2-Clause */
/* Seeds of the engine's targets: each kind of request and response, with verbs before and after. */
#include "seed.h"
#include "wire/iba_opcode_rows.h"

size_t seed_crafted(uint8_t *frame, const uint8_t *head, const uint8_t *packet, size_t n)
{
    struct fuzz_in in = {head, FUZZ_HEAD}, body = {packet, n};
    struct world *w = world_open(&in, 1);

    return world_craft(w, 0, &body, frame, SEED_ROOM);
}

/* A request or response as world_craft() takes it: payload as the opcode wants it, then where it goes. */
size_t seed_craft(uint8_t *to, uint8_t qp, uint8_t opcode, uint8_t delta, uint8_t region, uint16_t length)
{
    const struct iba_opcode *op = &iba_opcodes[opcode];
    const bool whole = op->name && op->pay == IBA_PAY_PMTU, none = op->name && op->pay == IBA_PAY_NONE;
    const uint8_t bytes[] = {qp,
                             opcode,
                             delta,
                             CRAFT_ACKREQ,
                             (uint8_t)(whole  ? 0xff
                                       : none ? 0
                                              : 8),
                             whole ? 0xff : 0,
                             region,
                             0,
                             0,
                             (uint8_t)length,
                             (uint8_t)(length >> 8),
                             0,
                             0,
                             0};

    memcpy(to, bytes, sizeof bytes);
    return sizeof bytes;
}

static uint8_t qp_of(uint8_t opcode)
{
    return opcode >> 5 == 3 ? 3 : opcode >> 5 == 1 ? 2 : 0;
}

static void engine_seed(uint8_t link, uint8_t opcode, unsigned variant)
{
    static const uint8_t verbs[][16] = {{0, 0, 1, 1, 0, 0, 0, 16}, {0, 4, 1, 1, 0, 0, 0, 64}}, none[] = {0};
    const uint8_t recv[] = {qp_of(opcode), 1, 0, 0, 0, 0, 4}, pages[] = {MEMORY_PAGES, 0};
    uint8_t buf[SEED_ROOM], packet[32], frame[SEED_ROOM];
    size_t n = seed_settings(buf, link, variant), len = seed_craft(packet, qp_of(opcode), opcode, 0, 0, 8);

    n += seed_record(buf + n, WORLD_RECV, recv, sizeof recv);
    n += seed_record(buf + n, WORLD_SEND, verbs[opcode % 2], sizeof verbs[0]);
    n += seed_record(buf + n, WORLD_DRAIN, none, 0);
    n += seed_record(buf + n, FUZZ_RAW, frame,
                     seed_crafted(frame, buf, packet, len)); /* as a raw packet, whose fields mutators can change */
    n += seed_record(buf + n, WORLD_CRAFT, packet, len);
    len = seed_craft(packet, qp_of(opcode), opcode, 0, 2, 8);
    n += seed_record(buf + n, WORLD_MEMORY, pages, sizeof pages);
    n += seed_record(buf + n, WORLD_CRAFT, packet, len);
    n += seed_record(buf + n, WORLD_DRAIN, none, 0);
    n += seed_record(buf + n, WORLD_WAIT, none, 1);
    n += seed_record(buf + n, WORLD_COMPLETE, none, 0);
    seed_save_steps("engine", "step", link * 10u + variant, opcode, buf, n);
    seed_save_steps("observer", "step", link * 10u + variant, opcode, buf, n);
}

/* First, Middle, Last, of one operation or of two, and one of them missing. */
static void message_seed(uint8_t link, uint8_t first, uint8_t last, uint8_t service)
{
    const uint8_t recv[] = {service ? 2 : 0, 1, 0, 0, 0, 0, 4}, none[] = {0};
    uint8_t buf[SEED_ROOM], packet[32];
    size_t n = seed_settings(buf, link, 0);

    n += seed_record(buf + n, WORLD_RECV, recv, sizeof recv);
    for (uint8_t i = 0; i < 3; i++) {
        const uint8_t op = (uint8_t)(service | (i < 2 ? first + i : last));
        n += seed_record(buf + n, WORLD_CRAFT, packet, seed_craft(packet, recv[0], op, 0, 0, 520));
    }
    n += seed_record(buf + n, WORLD_CRAFT, packet, seed_craft(packet, recv[0], service | first, 2, 0, 520));
    n += seed_record(buf + n, WORLD_DRAIN, none, 0);
    seed_save_steps("engine", "message", link * 1000u + service, first * 32u + last, buf, n);
    seed_save_steps("observer", "message", link * 1000u + service, first * 32u + last, buf, n);
}

static void responder_seed(uint8_t link, uint8_t opcode, unsigned variant)
{
    enum { PILED = RESPONDER_PILED + 3 };
    _Static_assert(PILED % RESPONDER_KINDS == RESPONDER_REQUEST, "a request");
    static const uint8_t recv[] = {0, 1, 0, 0, 0, 0, 4}, none[] = {0};
    uint8_t buf[SEED_ROOM], packet[32];
    size_t n = seed_settings(buf, link, variant), len;

    n += seed_record(buf + n, RESPONDER_RECV, recv, sizeof recv);
    for (uint8_t delta = 0; delta < 4; delta++) { /* PSN as expected, of a duplicate, or ahead */
        len = seed_craft(packet, 0, opcode, (uint8_t)(delta == 1 ? -1 : delta), delta, 264);
        n += seed_record(buf + n, delta == 3 ? PILED : RESPONDER_REQUEST, packet + 1, len - 1);
    }
    n += seed_record(buf + n, RESPONDER_WAIT, none, 1);
    seed_save_steps("responder", "step", link * 10u + variant, opcode, buf, n);
}

static void requester_seed(uint8_t link, uint8_t op, uint8_t syndrome)
{
    const uint8_t work[] = {op, 1, 0, 0, 0, 0x08, 1}, ack[] = {0, syndrome, 1}, wait[] = {0};
    uint8_t buf[SEED_ROOM], packet[32];
    size_t n = seed_settings(buf, link, 0), len;

    n += seed_record(buf + n, REQUESTER_SEND, work, sizeof work);
    n += seed_record(buf + n, REQUESTER_SEND, work, sizeof work);
    n += seed_record(buf + n, REQUESTER_ACKNOWLEDGE, ack, sizeof ack);
    for (uint8_t i = 0; i < 6; i++) { /* responses to a READ and to an ATOMIC */
        len = seed_craft(packet, i, i == 0 || i == 1 ? IBA_RC_READ_RESP_FIRST : IBA_RC_READ_RESP_LAST, 0, 0, 0);
        packet[1] = 0;
        memmove(packet + 1, packet + 2, len - 2); /* which, distance, and the rest */
        n += seed_record(buf + n, REQUESTER_RESPONSE, packet, len - 1);
    }
    n += seed_record(buf + n, REQUESTER_WAIT, wait, 1);
    seed_save_steps("requester", "work", link * 16u + op, syndrome, buf, n);
}

static void network_seed(uint8_t link, uint8_t op, uint8_t fate)
{
    const uint8_t message[] = {op, 0x58, 2}, fates[] = {0, fate, 0, fate, 0x0b, 0x12};
    uint8_t buf[SEED_ROOM];
    size_t n = seed_settings(buf, link, 0);

    for (unsigned i = 0; i < 3; i++)
        n += seed_record(buf + n, NETWORK_MESSAGE, message, sizeof message);
    n += seed_record(buf + n, NETWORK_FATES, fates, sizeof fates);
    seed_save_steps("network", "message", link * 16u + op, fate, buf, n);
}

void seed_steps(uint8_t link)
{
    static const uint8_t syndromes[] = {0x1f, 0x05, 0x20, 0x3f, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x40, 0x7f};

    for (unsigned variant = 0; variant < SEED_VARIANTS; variant++)
        for (unsigned op = 0; op < 0x80; op++)
            if (iba_opcodes[op].name && op >> 5 != 2) {
                engine_seed(link, (uint8_t)op, variant);
                if (op < 0x20)
                    responder_seed(link, (uint8_t)op, variant);
            }
    for (uint8_t service = 0; service < 0x40; service += 0x20)
        for (uint8_t first = 0; first < 12; first += 6)
            for (uint8_t last = 2; last < 12; last++)
                message_seed(link, first, last, service);
    for (uint8_t op = 0; op < 10; op++)
        for (unsigned i = 0; i < sizeof syndromes; i++)
            requester_seed(link, op, syndromes[i]);
    for (uint8_t op = 0; op < 6; op++)
        for (uint8_t fate = 0; fate < 6; fate++)
            network_seed(link, op, (uint8_t)(fate + 0x20));
}
