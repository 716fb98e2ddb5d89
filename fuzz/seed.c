/* Seeds for corpora: what captures hold, and what the builder builds. tools/fuzz seed calls it, then adds what needs no
 * program. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "input/capture.h"
#include "records.h"
#include "wire/iba_build.h"

enum { ROOM = 4096, MOST_FRAME = 400, MOST_SEQUENCE = 12 };

static const char *folder;

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

static size_t settings(uint8_t *to, uint8_t link)
{
    const uint8_t head[FUZZ_HEAD] = {link, 0x08, 0xfe, 0xff, 0xff, 0x3f, 0x0f, 0x05};

    memcpy(to, head, sizeof head);
    return sizeof head;
}

static void engine_seed(uint8_t link, uint8_t opcode)
{
    static const uint8_t verbs[][16] = {{0, 0, 1, 1, 0, 0, 0, 16}, {0, 4, 1, 1, 0, 0, 0, 64}};
    const uint8_t packet[] = {
        (uint8_t)(opcode >> 5 == 3 ? 3 : opcode >> 5 == 1 ? 2 : 0), opcode, 0, 1, 8, 0, 0, 8, 0, 8, 0};
    const uint8_t recv[] = {packet[0], 1, 0, 0, 0, 0, 4}, none[] = {0};
    uint8_t buf[ROOM];
    char name[32];
    size_t n = settings(buf, link);

    n += record(buf + n, 3, recv, sizeof recv);
    n += record(buf + n, 2, verbs[opcode % 2], sizeof verbs[0]);
    n += record(buf + n, 4, none, 0);
    n += record(buf + n, 1, packet, sizeof packet);
    n += record(buf + n, 1, packet, sizeof packet);
    n += record(buf + n, 4, none, 0);
    n += record(buf + n, 5, none, 1);
    n += record(buf + n, 6, none, 0);
    (void)snprintf(name, sizeof name, "step-%u-%02x", link, opcode);
    save("engine", name, buf, n);
    save("requester", name, buf, n);
    save("responder", name, buf, n);
    save("network", name, buf, n);
    save("shadow", name, buf, n);
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
            n = settings(all, link_of(p.dlt));
        one[0] = link_of(p.dlt), one[1] = p.caplen < p.len ? 1 | 8 * 4 : 0;
        memcpy(one + 2, p.data, p.caplen);
        n += record(all + n, FUZZ_RAW, p.data, p.caplen);
        (void)snprintf(name, sizeof name, "%s-%zu", base, ++count);
        save("view", name, one, p.caplen + 2);
        save("crc", name, one, p.caplen + 2);
    }
    cap_close(c);
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
    for (unsigned link = 0; link < 4; link++)
        for (unsigned op = 0; op < 0x80; op++)
            if (iba_opcodes[op].name && op >> 5 != 2)
                engine_seed((uint8_t)link, (uint8_t)op);
    for (int i = 2; i < argc; i++)
        captured(argv[i]);
    return 0;
}
