/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of a local network from any host. Address resolution is answered for our addresses only, and to the host that
 * asked. A frame that is answered does not count as a packet of the device. */
#include "targets/wire_neighbour.h"
#include "fuzz.h"

const struct fuzz_target fuzz_target = {"neighbour", FUZZ_BYTES, NULL};

enum { MAC = 6, OURS = 2 };

static const struct ibc_address ours[OURS] = {
    {.mac = 0x020000000001, .ipv4 = 0x0a000001, .ipv6 = {0xfe, 0x80, [15] = 1}, .gid = {0xfe, 0x80, [15] = 2}},
    {.mac = 0x020000000002, .ipv4 = 0x0a000002, .ipv6 = {0xfe, 0x80, [15] = 3}, .gid = {0xfe, 0x80, [15] = 4}},
};

static uint64_t mac_at(const uint8_t *p)
{
    uint64_t mac = 0;

    for (unsigned i = 0; i < MAC; i++)
        mac = mac << 8 | p[i];
    return mac;
}

static void check_answer(const uint8_t *frame, const uint8_t *answer, size_t n)
{
    uint8_t *exact = malloc(n);
    struct ibc_address other = {0};
    uint64_t mac = 0;

    FUZZ_CHECK(exact && n <= IBC_NEIGHBOUR_ANSWER && n > 2 * MAC);
    memcpy(exact, answer, n);
    FUZZ_CHECK(memcmp(exact, frame + MAC, MAC) == 0);
    const uint64_t from = mac_at(exact + MAC);
    const struct ibc_address *who = from == ours[0].mac ? &ours[0] : &ours[1];
    FUZZ_CHECK(from == who->mac);
    /* A host that reads the answer learns the address that was asked for, and no other. */
    FUZZ_CHECK(ibc_neighbour_claims(exact, n, who, &mac) && mac == who->mac);
    FUZZ_CHECK(!ibc_neighbour_claims(exact, n, &other, &mac));
    free(exact);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    uint8_t answer[IBC_NEIGHBOUR_ANSWER];
    size_t bytes = 0;
    uint64_t mac = 0;
    const bool resolution = ibc_neighbour(data, n, ours, OURS, answer, &bytes), roce = ibc_is_roce(data, n);

    FUZZ_CHECK(!(resolution && roce) && (resolution || bytes == 0));
    fuzz_note((uint64_t)resolution << 1 | roce);
    for (unsigned i = 0; i < OURS; i++)
        if (ibc_neighbour_claims(data, n, &ours[i], &mac))
            fuzz_note(mac);
    if (bytes > 0) {
        check_answer(data, answer, bytes);
        fuzz_note_bytes(answer, bytes);
    }
    return 0;
}
