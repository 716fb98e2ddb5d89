/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes seeds for corpora: packets of captures and of the builder. tools/fuzz seed calls this program, then adds files
 * that need no program. */
#include <string.h>
#include "input/capture.h"
#include "mad/iba_mad.h"
#include "seed.h"
#include "wire/iba_opcode_rows.h"

enum { ROOM = SEED_ROOM, MOST_FRAME = 400, MOST_SEQUENCE = 12 };

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
    seed_save("view", name, buf, len + 2);
    seed_save("crc", name, buf, len + 2);
    buf[1] = (uint8_t)(opcode * 37 + e * 11);
    seed_save("hostile", name, buf, len + 2);
    const uint8_t recipe[] = {(uint8_t)e, opcode, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8,
                              1,          2,      1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9};
    seed_save("roundtrip", name, recipe, sizeof recipe);
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

/* Saves the management datagrams of a capture, MOST_TOGETHER in a seed. */
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
        n += seed_record(all + n, count & 1, v.wire + v.payload_at, iba_view_payload_captured(&v));
        if (++count % MOST_TOGETHER != 0)
            continue;
        (void)snprintf(name, sizeof name, "%s-%zu", base, count);
        seed_save("mad", name, all, n);
        n = FUZZ_HEAD;
    }
    cap_close(c);
    if (n > FUZZ_HEAD)
        seed_save("mad", base, all, n);
}

/* Saves a sequence of packets as seeds for the observer, the engine, and each output form. */
static void sequence(const char *base, unsigned window, uint8_t *all, size_t n)
{
    static const uint8_t ways[][7] = {{3, 0, 0, 0, 0, 0, 0},
                                      {1, 0x91, 0x51, 40, 1, 0x35, 9},
                                      {3, 0x22, 0xa2, 200, 2, 0x1f, 18},
                                      {0, 0x43, 0xf7, 90, 0, 0x2f, 27},
                                      {2, 0xd4, 0x08, 10, 4, 0x7f, 36},
                                      {3, 0x05, 0x1d, 250, 3, 0x4f, 45},
                                      {1, 0x0e, 0x60, 33, 5, 0x9f, 6},
                                      {3, 0x80, 0x91, 77, 6, 0x0f, 7}};
    char name[160];

    (void)snprintf(name, sizeof name, "%s-%u", base, window);
    seed_save("observer", name, all, n);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        memcpy(all + 1, ways[i], sizeof ways[i]);
        (void)snprintf(name, sizeof name, "%s-%u-%u", base, window, i);
        seed_save("output", name, all, n);
    }
    (void)seed_settings(all, all[0], 0);
    seed_save("engine", name, all, n);
}

static void captured(const char *path)
{
    enum { WINDOWS = 6 };
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char err[256], name[160];
    struct capture *c = cap_open(path, err, sizeof err);
    uint8_t one[ROOM], all[MOST_SEQUENCE * (MOST_FRAME + 3) + FUZZ_HEAD];
    struct cap_packet p;
    size_t n = 0, count = 0;

    while (c && count < WINDOWS * MOST_SEQUENCE && cap_next(c, &p) == CAP_PACKET) {
        if (p.caplen > MOST_FRAME)
            continue;
        if (n == 0)
            n = seed_settings(all, link_of(p.dlt), 0);
        one[0] = link_of(p.dlt), one[1] = p.caplen < p.len ? 1 | 8 * 4 : 0;
        memcpy(one + 2, p.data, p.caplen);
        n += seed_record(all + n, FUZZ_RAW, p.data, p.caplen);
        (void)snprintf(name, sizeof name, "%s-%zu", base, ++count);
        if (count <= MOST_SEQUENCE) {
            seed_save("view", name, one, p.caplen + 2);
            seed_save("crc", name, one, p.caplen + 2);
        }
        if (count % MOST_SEQUENCE == 0) {
            sequence(base, (unsigned)(count / MOST_SEQUENCE), all, n);
            n = 0;
        }
    }
    cap_close(c);
    datagrams(path, base);
    if (n > 0)
        sequence(base, 0, all, n);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: ibfuzz-seeds FOLDER [CAPTURE...]\n", stderr);
        return 2;
    }
    seed_folder(argv[1]);
    built();
    seed_frames();
    for (uint8_t link = 0; link < 4; link++) {
        seed_steps(link);
        seed_verbs(link);
        if (link % 3 == 0)
            seed_changed(link);
    }
    for (int i = 2; i < argc; i++) {
        captured(argv[i]);
        seed_whole(argv[i]);
    }
    return 0;
}
