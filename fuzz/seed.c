/* Seeds for corpora: what captures hold, and what the builder builds. tools/fuzz seed calls it, then adds what needs no
 * program. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "input/capture.h"
#include "mad/iba_mad.h"
#include "records.h"
#include "world.h"

enum { ROOM = 4096, MOST_FRAME = 400, MOST_SEQUENCE = 12 };

static const char *folder;
uint64_t fuzz_trace;

static void save(const char *target, const char *name, const uint8_t *p, size_t n)
{
    char path[512];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

/* ---- built ---- */

static void packet_seed(enum iba_encap e, uint8_t link, uint8_t opcode)
{
    static const uint8_t payload[64] = {1, 2, 3};
    struct iba_recipe r;
    uint8_t buf[ROOM] = {link, 0};
    char name[80];
    size_t len;

    iba_recipe_init(&r, e, opcode);
    r.payload = payload;
    r.payload_len = iba_opcodes[opcode].name && iba_opcodes[opcode].pay == IBA_PAY_NONE ? 0 : 8;
    if (iba_build(&r, buf + 2, sizeof buf - 2, &len) != IBA_OK)
        return;
    (void)snprintf(name, sizeof name, "%s-%02x", iba_encaps[e].name, opcode);
    save("view", name, buf, len + 2);
    save("crc", name, buf, len + 2);
    const uint8_t recipe[] = {(uint8_t)e, opcode, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8,
                              1,          2,      1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9};
    save("roundtrip", name, recipe, sizeof recipe);
}

static uint8_t link_byte(uint8_t link)
{
    uint8_t b = 2;

    while (b < 16 && fuzz_link(b) != (enum iba_link)link)
        b++;
    return b;
}

static void built(void)
{
    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        packet_seed((enum iba_encap)e, link_byte(iba_encaps[e].link), IBA_RC_SEND_ONLY);
    for (unsigned op = 0; op < 256; op++)
        if (iba_opcodes[op].name)
            packet_seed(op % 2 ? IBA_ENCAP_ROCE2_V4 : IBA_ENCAP_IB_GLOBAL, op % 2 ? 0 : 3, (uint8_t)op);
}

/* ---- steps of the engine's targets: each kind of request and response, verbs around them ---- */

static size_t record(uint8_t *to, uint8_t kind, const uint8_t *body, size_t n)
{
    to[0] = kind;
    to[1] = (uint8_t)n;
    to[2] = (uint8_t)(n >> 8);
    memcpy(to + 3, body, n);
    return n + 3;
}

/* Settings: as they are; QPs that only receive; QPs that allow little; InfiniBand with GRHs, ready to migrate. */
enum { VARIANTS = 4, FAR = 6, LAST = 7 };
static size_t settings(uint8_t *to, uint8_t link, unsigned variant)
{
    const uint8_t head[FUZZ_HEAD] = {link, 0x08, 0xfe, 0xff, 0xff, 0x3f, 0x0f, 0x05};
    static const uint8_t far[VARIANTS] = {0, 0x10, 0, 0x40}, last[VARIANTS] = {0, 0, 0x20, 0x40};

    memcpy(to, head, sizeof head);
    to[FAR] |= far[variant];
    to[LAST] |= last[variant];
    return sizeof head;
}

/* The packet as it is, for mutators that know packets. */
static size_t raw_record(uint8_t *to, const uint8_t *head, const uint8_t *packet, size_t n)
{
    uint8_t frame[ROOM];
    struct fuzz_in in = {head, FUZZ_HEAD}, body = {packet, n};
    struct world *w = world_open(&in, 1);

    return record(to, FUZZ_RAW, frame, world_craft(w, 0, &body, frame, sizeof frame));
}

/* A request or response as world_craft() takes it: payload as the opcode wants it, then where it goes. */
static size_t craft(uint8_t *to, uint8_t qp, uint8_t opcode, uint8_t delta, uint8_t region, uint16_t length)
{
    const struct iba_opcode *op = &iba_opcodes[opcode];
    const bool whole = op->name && op->pay == IBA_PAY_PMTU, none = op->name && op->pay == IBA_PAY_NONE;
    const uint8_t bytes[] = {qp,
                             opcode,
                             delta,
                             1,
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

static void save_steps(const char *target, const char *what, unsigned a, unsigned b, const uint8_t *p, size_t n)
{
    char name[64];

    (void)snprintf(name, sizeof name, "%s-%u-%02x", what, a, b);
    save(target, name, p, n);
}

static void engine_seed(uint8_t link, uint8_t opcode, unsigned variant)
{
    static const uint8_t verbs[][16] = {{0, 0, 1, 1, 0, 0, 0, 16}, {0, 4, 1, 1, 0, 0, 0, 64}}, none[] = {0};
    const uint8_t recv[] = {qp_of(opcode), 1, 0, 0, 0, 0, 4}, pages[] = {4, 0};
    uint8_t buf[ROOM], packet[32];
    size_t n = settings(buf, link, variant), len = craft(packet, qp_of(opcode), opcode, 0, 0, 8);

    n += record(buf + n, 3, recv, sizeof recv);
    n += record(buf + n, 2, verbs[opcode % 2], sizeof verbs[0]);
    n += record(buf + n, 4, none, 0);
    n += raw_record(buf + n, buf, packet, len);
    n += record(buf + n, 1, packet, len);
    len = craft(packet, qp_of(opcode), opcode, 0, 2, 8);
    n += record(buf + n, 8, pages, sizeof pages);
    n += record(buf + n, 1, packet, len);
    n += record(buf + n, 4, none, 0);
    n += record(buf + n, 5, none, 1);
    n += record(buf + n, 6, none, 0);
    save_steps("engine", "step", link * 10u + variant, opcode, buf, n);
    save_steps("shadow", "step", link * 10u + variant, opcode, buf, n);
}

/* First, Middle, Last, of one operation or of two, and one of them missing. */
static void message_seed(uint8_t link, uint8_t first, uint8_t last, uint8_t service)
{
    const uint8_t recv[] = {service ? 2 : 0, 1, 0, 0, 0, 0, 4}, none[] = {0};
    uint8_t buf[ROOM], packet[32];
    size_t n = settings(buf, link, 0);

    n += record(buf + n, 3, recv, sizeof recv);
    for (uint8_t i = 0; i < 3; i++) {
        const uint8_t op = (uint8_t)(service | (i < 2 ? first + i : last));
        n += record(buf + n, 1, packet, craft(packet, recv[0], op, 0, 0, 520));
    }
    n += record(buf + n, 1, packet, craft(packet, recv[0], service | first, 2, 0, 520));
    n += record(buf + n, 4, none, 0);
    save_steps("engine", "message", link * 1000u + service, first * 32u + last, buf, n);
    save_steps("shadow", "message", link * 1000u + service, first * 32u + last, buf, n);
}

/* The responder's records: 1 a request (without its QP), 3 a receive, 4 time. */
static void responder_seed(uint8_t link, uint8_t opcode, unsigned variant)
{
    static const uint8_t recv[] = {0, 1, 0, 0, 0, 0, 4}, none[] = {0};
    uint8_t buf[ROOM], packet[32];
    size_t n = settings(buf, link, variant), len;

    n += record(buf + n, 3, recv, sizeof recv);
    for (uint8_t delta = 0; delta < 4; delta++) { /* as expected, again, ahead */
        len = craft(packet, 0, opcode, (uint8_t)(delta == 1 ? -1 : delta), delta, 264);
        n += record(buf + n, delta == 3 ? 0x41 : 1, packet + 1, len - 1);
    }
    n += record(buf + n, 4, none, 1);
    save_steps("responder", "step", link * 10u + variant, opcode, buf, n);
}

/* The requester's: 1 work, 2 a response, 3 an acknowledgement. */
static void requester_seed(uint8_t link, uint8_t op, uint8_t syndrome)
{
    const uint8_t work[] = {op, 1, 0, 0, 0, 0x08, 1}, ack[] = {0, syndrome, 1}, wait[] = {0};
    uint8_t buf[ROOM], packet[32];
    size_t n = settings(buf, link, 0), len;

    n += record(buf + n, 1, work, sizeof work);
    n += record(buf + n, 1, work, sizeof work);
    n += record(buf + n, 3, ack, sizeof ack);
    for (uint8_t i = 0; i < 6; i++) { /* responses of a READ, of an ATOMIC */
        len = craft(packet, i, i == 0 || i == 1 ? IBA_RC_READ_RESP_FIRST : IBA_RC_READ_RESP_LAST, 0, 0, 0);
        packet[1] = 0;
        memmove(packet + 1, packet + 2, len - 2); /* which, distance, and the rest */
        n += record(buf + n, 2, packet, len - 1);
    }
    n += record(buf + n, 4, wait, 1);
    save_steps("requester", "work", link * 16u + op, syndrome, buf, n);
}

static void network_seed(uint8_t link, uint8_t op, uint8_t fate)
{
    const uint8_t message[] = {op, 0x58, 2}, fates[] = {0, fate, 0, fate, 0x0b, 0x12};
    uint8_t buf[ROOM];
    size_t n = settings(buf, link, 0);

    for (unsigned i = 0; i < 3; i++)
        n += record(buf + n, 1, message, sizeof message);
    n += record(buf + n, 2, fates, sizeof fates);
    save_steps("network", "message", link * 16u + op, fate, buf, n);
}

static void steps(uint8_t link)
{
    static const uint8_t syndromes[] = {0x1f, 0x05, 0x20, 0x3f, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x40, 0x7f};

    for (unsigned variant = 0; variant < VARIANTS; variant++)
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

/* ---- captured ---- */

static uint8_t link_of(uint32_t dlt)
{
    switch (dlt) {
    case 1: return 0;
    case 247: return 3;
    case 101: return 4;
    case 113: return 5;
    case 276: return 6;
    case 197: return 7;
    case 242: return 8;
    default: return 10;
    }
}

/* Management datagrams of a capture, MOST_TOGETHER in a seed. */
static void datagrams(const char *path, const char *base)
{
    enum { MOST_TOGETHER = 6 };
    char err[256], name[160];
    struct capture *c = cap_open(path, err, sizeof err);
    uint8_t all[MOST_TOGETHER * (IBA_MAD_BYTES + 3) + FUZZ_HEAD] = {0};
    struct cap_packet p;
    struct iba_view v;
    size_t n = FUZZ_HEAD, count = 0;

    while (c && cap_next(c, &p) == CAP_PACKET) {
        (void)iba_view_parse(&v, fuzz_link(link_of(p.dlt)), p.data, p.caplen, p.len, NULL);
        if (!iba_mad_in(&v) || iba_view_payload_captured(&v) > IBA_MAD_BYTES)
            continue;
        n += record(all + n, count & 1, v.wire + v.payload_at, iba_view_payload_captured(&v));
        if (++count % MOST_TOGETHER != 0)
            continue;
        (void)snprintf(name, sizeof name, "%s-%zu", base, count);
        save("mad", name, all, n);
        n = FUZZ_HEAD;
    }
    cap_close(c);
    if (n > FUZZ_HEAD)
        save("mad", base, all, n);
}

static void captured(const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char err[256], name[160];
    struct capture *c = cap_open(path, err, sizeof err);
    uint8_t one[ROOM], all[MOST_SEQUENCE * (MOST_FRAME + 3) + FUZZ_HEAD];
    struct cap_packet p;
    size_t n = 0, count = 0;

    while (c && count < MOST_SEQUENCE && cap_next(c, &p) == CAP_PACKET) {
        if (p.caplen > MOST_FRAME)
            continue;
        if (n == 0)
            n = settings(all, link_of(p.dlt), 0);
        one[0] = link_of(p.dlt), one[1] = p.caplen < p.len ? 1 | 8 * 4 : 0;
        memcpy(one + 2, p.data, p.caplen);
        n += record(all + n, FUZZ_RAW, p.data, p.caplen);
        (void)snprintf(name, sizeof name, "%s-%zu", base, ++count);
        save("view", name, one, p.caplen + 2);
        save("crc", name, one, p.caplen + 2);
    }
    cap_close(c);
    datagrams(path, base);
    if (n == 0)
        return;
    save("shadow", base, all, n);
    all[1] = n % 4;
    save("output", base, all, n);
    all[1] = 8;
    save("engine", base, all, n);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: ibfuzz-seeds FOLDER [CAPTURE...]\n", stderr);
        return 2;
    }
    folder = argv[1];
    (void)mkdir(folder, 0777);
    built();
    for (uint8_t link = 0; link < 4; link++)
        steps(link);
    for (int i = 2; i < argc; i++)
        captured(argv[i]);
    return 0;
}
