/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the syndrome against independent formulas for the specification's rows. */
#include "wire/iba_aeth.h"
#include "wire.h"
#include "wire/iba_values.h"

#define HERE "core/wire/iba_aeth.h"

/* Returns the value of a code. Both tables have the values 1, 2, 3, 4, 6, 8, 12, ...: powers of two, and one and a half
 * times each. */
static uint32_t step(unsigned code)
{
    return code < 2 ? code : code % 2 == 0 ? 1u << code / 2 : 3u << (code - 3) / 2;
}

Test(aeth, credits_of_every_code)
{
    for (unsigned code = 0; code < IBA_SYNDROME_CODES; code++) {
        const uint32_t is = iba_credit_count((uint8_t)code), expected = code == IBA_CREDIT_NO_LIMIT ? 0 : step(code);
        const char *words = iba_value_name(IBA_VALUES_CREDITS, code);
        cr_assert_eq(is, expected, HERE ": credit code %u is %u messages, not %u", code, is, expected);
        if (code == IBA_CREDIT_NO_LIMIT)
            cr_assert_str_eq(words, "no credit limit");
        else
            cr_assert_eq(strtoul(words, NULL, 10), is, HERE ": credit code %u is called '%s'", code, words);
    }
    cr_assert_eq(iba_credit_count(0xe0 | 5), 6);
}

Test(aeth, time_of_every_rnr_timer)
{
    for (unsigned code = 0; code < IBA_SYNDROME_CODES; code++) {
        const iba_time is = iba_rnr_timer_ns((uint8_t)code), expected = step(code ? code : 32) * UINT64_C(10000);
        const char *words = iba_value_name(IBA_VALUES_RNR_MS, code);
        cr_assert_eq(is, expected, HERE ": RNR timer %u is %lu ns, not %lu", code, (unsigned long)is,
                     (unsigned long)expected);
        cr_assert_eq((iba_time)(strtod(words, NULL) * 100 + 0.5) * UINT64_C(10000), is,
                     HERE ": RNR timer %u is called '%s'", code, words);
    }
    cr_assert_eq(iba_rnr_timer_ns(0x20 | 1), 10000);
}

Test(aeth, kinds_and_nak_codes_as_the_book_numbers_them)
{
    static const char *const kind[] = {"Ack", "RNR Nak", "Reserved", "Nak"};
    static const char *const nak[] = {"PSN Sequence Error", "Invalid Request", "Remote Access Error",
                                      "Remote Operational Error", "Invalid RD Request"};

    cr_assert(IBA_AETH_ACK == 0 && IBA_AETH_RNR == 1 && IBA_AETH_RESERVED == 2 && IBA_AETH_NAK == 3);
    cr_assert(IBA_NAK_SEQUENCE == 0 && IBA_NAK_INVALID_REQUEST == 1 && IBA_NAK_REMOTE_ACCESS == 2);
    cr_assert(IBA_NAK_REMOTE_OPERATION == 3 && IBA_NAK_INVALID_RD == 4 && IBA_NAK_CODES == COUNT(nak));
    for (unsigned k = 0; k < COUNT(kind); k++)
        cr_assert_str_eq(iba_value_name(IBA_VALUES_AETH_KIND, k), kind[k]);
    for (unsigned code = 0; code < IBA_SYNDROME_CODES; code++)
        cr_assert_str_eq(iba_value_name(IBA_VALUES_NAK, code), code < COUNT(nak) ? nak[code] : "reserved");
}

Test(aeth, a_syndrome_is_its_kind_and_its_code)
{
    cr_assert_eq(iba_syndrome(IBA_AETH_ACK, IBA_CREDIT_NO_LIMIT), 0x1f);
    cr_assert_eq(iba_syndrome(IBA_AETH_RNR, 13), 0x2d);
    cr_assert_eq(iba_syndrome(IBA_AETH_NAK, IBA_NAK_REMOTE_ACCESS), 0x62);
    cr_assert_eq(iba_syndrome(IBA_AETH_NAK, 32 + 1), 0x61);
}

Test(aeth, every_byte_splits_as_its_fields_do)
{
    for (unsigned s = 0; s < 256; s++) {
        const uint8_t aeth[IBA_BYTES_aeth] = {(uint8_t)s};
        const unsigned kind = iba_syndrome_kind((uint8_t)s);
        cr_assert_eq(iba_syndrome_code((uint8_t)s), iba_aeth_syn_value(aeth), "0x%02x", s);
        cr_assert_eq(kind & 3, iba_aeth_syn_kind(aeth), "0x%02x", s);
        cr_assert_eq(kind > IBA_AETH_NAK, iba_aeth_syn_reserved(aeth), "0x%02x", s);
    }
}
