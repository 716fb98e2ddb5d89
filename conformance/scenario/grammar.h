/* SPDX-License-Identifier: BSD-2-Clause */
/* The language as one table: the keys of each step and object, and the types of their values. Code that interprets
 * the table knows types, and nothing of the protocol. */
#ifndef IBC_GRAMMAR_H
#define IBC_GRAMMAR_H
#include "scenario.h"
#include "vocab.h"

/* Types of values. The meaning of the row's `of` depends on the type: a vocabulary, a set of object kinds, or the
 * attribute that the name of an object alone means. */
enum ibc_type {
    IBC_T_FLAG,       /* a bare word: 1 */
    IBC_T_NUMBER,     /* number up to max, or attribute `of` of an object */
    IBC_T_PLACE,      /* address: as above with IBC_A_va; `of` is not used */
    IBC_T_WORD,       /* one word of vocabulary `of` */
    IBC_T_WORDS,      /* several words with commas between them, whose numbers are or-ed */
    IBC_T_OBJECT,     /* object of one of the kinds `of` (1 << enum ibc_object_kind), defined above */
    IBC_T_LATER,      /* such an object, defined anywhere in the file */
    IBC_T_PARTY,      /* word of vocabulary `of`, or a group */
    IBC_T_PATTERN,    /* pattern, with an offset: x, x+100 */
    IBC_T_BYTES,      /* hex digits; as a value also hex:... */
    IBC_T_PAYLOAD,    /* number of bytes, or hex:... */
    IBC_T_GID,        /* IPv6 address, hex:..., or a group */
    IBC_T_TIME,       /* 10us */
    IBC_T_NEW,        /* a name for the packet */
    IBC_T_KNOWN,      /* such a name, defined above */
    IBC_T_NAME,       /* any word */
    IBC_T_DELTA,      /* +N */
    IBC_T_CRC,        /* word of vocabulary `of`, or a number up to max */
    IBC_T_ERROR,      /* any, or a word of vocabulary `of` */
    IBC_T_SPLICE,     /* AT:HEX */
    IBC_T_REMOVE,     /* AT:N */
    IBC_T_SGE,        /* ADDRESS:LENGTH */
    IBC_T_EVERYWHERE, /* a field that several headers have: width of max, words of core's vocabulary `of` */
    IBC_T_COUNT
};
enum ibc_row_flag {
    IBC_R_BARE = 1,     /* positional: the next word without '=' */
    IBC_R_MUST = 2,     /* required */
    IBC_R_MANY = 4,     /* may be given more than once */
    IBC_R_ONE = 8,      /* exactly one of the keys with this flag is required */
    IBC_R_INDEX = 16,   /* key[I]=value; I is below 256 and goes to arg.at */
    IBC_R_COLON = 32,   /* key:value means the same as key=value */
    IBC_R_PLAIN = 64,   /* an instruction even on an expectation line, so that it has only one value */
    IBC_R_SOME = 128,   /* a number of at least 1 */
    IBC_R_MIDDLE = 256, /* role middle only */
    IBC_R_FABRIC = 512, /* role fabric only: a subnet manager sets it */
};
struct ibc_row {
    uint8_t key, type;
    uint16_t flags;
    uint16_t of;
    uint32_t ops; /* in steps with an operation: 1 << each operation that takes the key; 0: all do */
    uint64_t max;
};
enum ibc_place_of_object {
    IBC_OBJECT_NONE,
    IBC_OBJECT_BEFORE, /* a state rts */
    IBC_OBJECT_MAYBE,  /* a event x; event x */
    IBC_OBJECT_AFTER,  /* attach a g */
};
struct ibc_shape {
    const struct ibc_row *row;
    uint8_t n;
    uint8_t object; /* enum ibc_place_of_object */
    uint16_t kinds; /* 1 << enum ibc_object_kind */
    uint8_t op;     /* enum ibc_vocab of the operation, the word after the step's; NONE: no operation */
    bool op_must, packet, compares;
    bool some;     /* the step needs at least one key */
    uint8_t roles; /* 1 << enum ibc_role of the scenarios that may have the step; 0: all */
};
const struct ibc_shape *ibc_shape_of_step(enum ibc_step_kind k);
const struct ibc_shape *ibc_shape_of_object(enum ibc_object_kind k);
#endif
