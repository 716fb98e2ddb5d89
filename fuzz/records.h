/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs that are sequences: FUZZ_HEAD bytes of settings, then records. A record is its kind, its length (two bytes,
 * low one first), and that many bytes; the last one may be cut. Kinds are taken modulo the number that the target has,
 * and the first kind is an unchanged packet, so that mutators recognize it. */
#ifndef FUZZ_RECORDS_H
#define FUZZ_RECORDS_H
#include "fuzz.h"
#include "wire/iba_view.h"

enum { FUZZ_HEAD = 8, FUZZ_RECORD_HEAD = 3, FUZZ_MOST_RECORDS = 256, FUZZ_RAW = 0 };

/* The link type for the first byte of a packet's or a sequence's settings. */
static inline enum iba_link fuzz_link(uint8_t b)
{
    static const uint8_t link[] = {IBA_LINK_ETHERNET, IBA_LINK_ETHERNET, IBA_LINK_ETHERNET, IBA_LINK_IB,
                                   IBA_LINK_IP,       IBA_LINK_SLL,      IBA_LINK_SLL2,     IBA_LINK_ERF,
                                   IBA_LINK_IPOIB,    IBA_LINK_IB_LINK,  IBA_LINK_NONE};

    return (enum iba_link)link[b % sizeof link];
}

/* Called for each packet that a target handles (packets.c). */
void fuzz_packet(enum iba_link link, const uint8_t *p, size_t n);

/* Called for an undamaged packet with an opcode that is not reserved, for `tools/fuzz coverage`. */
enum fuzz_opcode_table { FUZZ_OPCODES_READ, FUZZ_OPCODES_GIVEN, FUZZ_OPCODE_TABLES };
void fuzz_opcode(enum fuzz_opcode_table t, const struct iba_view *v);

/* Takes the next record of `in`. False: there is none. */
static inline bool fuzz_record(struct fuzz_in *in, uint8_t *kind, struct fuzz_in *body)
{
    if (in->n == 0)
        return false;
    *kind = fuzz_u8(in);
    const size_t said = fuzz_u16(in);
    body->p = in->p;
    body->n = said < in->n ? said : in->n;
    in->p += body->n;
    in->n -= body->n;
    return true;
}
#endif
