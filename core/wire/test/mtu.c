/* SPDX-License-Identifier: BSD-2-Clause */
/* Path MTUs and the number of packets of a message, against counting. */
#include "wire/iba_mtu.h"
#include "wire.h"

static const struct {
    enum iba_mtu code;
    uint32_t bytes;
} mtus[] = {{IBA_MTU_256, 256}, {IBA_MTU_512, 512}, {IBA_MTU_1024, 1024}, {IBA_MTU_2048, 2048}, {IBA_MTU_4096, 4096}};

Test(mtu, bytes_of_every_code)
{
    for (size_t i = 0; i < COUNT(mtus); i++) {
        cr_assert_eq(mtus[i].code, i + 1); /* WF-66 */
        cr_assert_eq(iba_mtu_bytes(mtus[i].code), mtus[i].bytes, "code %zu", i + 1);
    }
    cr_assert_eq((uint32_t)IBA_MTU_LEAST_BYTES, mtus[0].bytes);
    cr_assert_eq((uint32_t)IBA_MTU_MOST_BYTES, mtus[COUNT(mtus) - 1].bytes);
}

/* Counts packets as a sender does: one after another, until no byte is left. */
static uint32_t counted(uint64_t length, uint32_t mtu)
{
    uint32_t n = 1;

    for (; length > mtu; length -= mtu)
        n++;
    return n;
}

Test(mtu, packets_of_every_length_around_whole_packets)
{
    for (size_t i = 0; i < COUNT(mtus); i++)
        for (uint64_t whole = 0; whole <= 9; whole++)
            for (uint64_t length = whole ? whole * mtus[i].bytes - 1 : 0; length <= whole * mtus[i].bytes + 1; length++)
                cr_assert_eq(iba_mtu_packets(length, mtus[i].bytes), counted(length, mtus[i].bytes), "%lu bytes at %u",
                             (unsigned long)length, mtus[i].bytes);
}

Test(mtu, packets_of_the_longest_messages)
{
    cr_assert_eq(iba_mtu_packets(UINT64_C(1) << 31, 256), 1u << 23); /* WF-67 */
    cr_assert_eq(iba_mtu_packets((UINT64_C(1) << 31) + 1, 256), (1u << 23) + 1);
    cr_assert_eq(iba_mtu_packets(UINT32_MAX, 4096), 1u << 20);
}
