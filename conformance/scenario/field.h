/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in packets: opcodes, fields, and words for the values of fields. They come from core's tables and from one
 * table of short names. */
#ifndef IBC_FIELD_H
#define IBC_FIELD_H
#include "scenario.h"

struct ibc_field_name {
    const char *name, *row; /* short name; core's name of the field in that header */
    uint8_t hdr;            /* enum iba_hdr */
    uint8_t attr;           /* enum ibc_attr that the name of an object alone means; IBC_A_ITSELF: none */
};
extern const struct ibc_field_name ibc_field_names[];
extern const size_t ibc_field_name_count;

/* Finds the field with that name, short or complete ("psn", "bth.psn"), in a packet with these headers from the BTH
 * on. If several fields have a short name, the first one that the packet has is found. Headers before the BTH
 * always exist. IBC_FIELD_ABSENT: the field exists, but not in this packet; *hdr is its header. */
enum ibc_field_found { IBC_FIELD_UNKNOWN, IBC_FIELD_ABSENT, IBC_FIELD_FOUND };
enum ibc_field_found ibc_field_find(const char *name, uint64_t hdrs, enum iba_hdr *hdr, const struct iba_field **field,
                                    uint8_t *attr);
/* Returns complete name i, such as "bth.psn", for messages; i is below ibc_field_count(). The text is valid until
 * the next call of this thread. */
const char *ibc_field_whole(size_t i, const void *unused);
size_t ibc_field_count(void);

/* Messages of a connection manager. Returns the attribute ID of a message by its name ("REQ"); 0: there is none. */
uint16_t ibc_message_find(const char *name);
const char *ibc_message_name(size_t i, const void *unused); /* name of the i-th of IBC_MESSAGES */
enum { IBC_MESSAGES = 13 };
/* Returns a field of the message, or of the header of its datagram ("tid", "version", "method"), by core's name or
 * a short one ("sid", "psn"). *at: the byte of the datagram where the field's layout begins. NULL: there is none. */
const struct iba_field *ibc_message_field(uint16_t message, const char *name, uint32_t *at);

/* Attributes of management agents, in datagrams on the wires of a subnet: "PortInfo", "PortCounters", and
 * "Notice:259" for a notice with that trap number, whose details a line may name. 0: there is none of that name.
 * Index i of a name is below ibc_smp_count(). */
uint16_t ibc_smp_find(const char *name);
size_t ibc_smp_count(void);
const char *ibc_smp_name(size_t i);
const struct iba_mad_attr *ibc_smp_attr(uint16_t message);
uint16_t ibc_smp_trap(uint16_t message); /* 0: the attribute is not "Notice:N" */
/* Finds a field of the datagram: a field of its header (also by the names "tid", "method", "class", "version",
 * "base", "attribute", "modifier", "status"), of the SMP ("mkey", "hops", "pointer", "d", "path[I]", "back[I]"), or
 * of the attribute by core's name, or an entry of the attribute's table ("pkey[I]", "vl[I]", "weight[I]",
 * "port[I]", "ports[I]", "guid[I]"). *at: the byte of the datagram from which the field's position counts. index
 * -1: no index. NULL: no such field. */
const struct iba_field *ibc_smp_field(uint16_t message, const char *name, int index, uint32_t *at);

/* Finds an opcode: "SEND_ONLY" of the service of `type` (enum iba_qp_type), "UD_SEND_ONLY", "ANY" or "RAW".
 * IBC_NO_OP: there is none of that name. */
uint16_t ibc_opcode_find(const char *name, uint8_t type);
/* Whether a QP of that type has packets without a BTH. */
bool ibc_type_is_raw(uint8_t type);
/* Whether some service has an opcode of that name. */
bool ibc_opcode_exists(const char *name);
/* Returns name i of an opcode, without the service in the first 256 names and with it in the next 256. Some are "". */
const char *ibc_opcode_name(size_t i, const void *unused);
/* Returns IBA_HDR_BIT of each header of the opcode's packets, from the BTH on. */
uint64_t ibc_opcode_hdrs(uint16_t op);

/* Finds a value by its name in files: small letters and digits, and '_' for other characters. */
const struct iba_value *ibc_value_find(enum iba_vocabulary w, const char *word);
const char *ibc_value_word(size_t i, const void *vocabulary); /* for messages; *vocabulary is an enum iba_vocabulary */
/* Words of fields whose value has two parts: "kind", "kind:number" or "kind.name". A kind alone means every number
 * of the kind in an expectation, and the number `usual` in a packet that is sent. */
struct ibc_kind_word {
    const char *word;
    uint8_t kind, mask, usual; /* kind: its bits; mask: the bits that distinguish kinds */
    uint8_t names;             /* enum iba_vocabulary of the words that may follow '.' */
};
/* Returns the kind words of the field, and their number in *n; NULL: it has none. */
const struct ibc_kind_word *ibc_kind_words(enum iba_hdr hdr, const struct iba_field *f, size_t *n);
#endif
