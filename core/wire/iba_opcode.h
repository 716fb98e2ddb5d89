/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of a BTH opcode: the headers after the BTH, whether it is a request or a response, its position in the
 * message, its payload. The rows are in iba_opcode_rows.h. */
#ifndef IBA_OPCODE_H
#define IBA_OPCODE_H
#include "iba_hdr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The service, bits 7 to 5 of the opcode (WF-59, catalogue 1.6). MSP is manufacturer specific. */
enum iba_svc { IBA_RC, IBA_UC, IBA_RD, IBA_UD, IBA_CNP, IBA_XRC, IBA_MSP0, IBA_MSP1 };
enum iba_dir { IBA_REQ, IBA_RSP };
enum iba_pos { IBA_FIRST, IBA_MIDDLE, IBA_LAST, IBA_ONLY };
/* The operation that a packet carries, whatever its service and its position in the message (WF-59): first requests,
 * then responses and the congestion notification. Only RD has RESYNC. O(name, words) */
#define IBA_OPERATIONS(O)                                                                                              \
    O(SEND, "SEND")                                                                                                    \
    O(WRITE, "WRITE")                                                                                                  \
    O(READ, "READ")                                                                                                    \
    O(ATOMIC, "ATOMIC")                                                                                                \
    O(FLUSH, "FLUSH")                                                                                                  \
    O(ATOMIC_WRITE, "ATOMIC WRITE")                                                                                    \
    O(RESYNC, "RESYNC") O(READ_RESPONSE, "READ response") O(ACK, "ACK") O(ATOMIC_ACK, "ATOMIC ACK") O(CNP, "CNP")
enum iba_operation {
    IBA_OPERATION_NONE, /* of a reserved or vendor opcode */
#define IBA_OPERATION_ID(name, words) IBA_OPERATION_##name,
    IBA_OPERATIONS(IBA_OPERATION_ID) IBA_OPERATION_COUNT
};
/* Which lengths the payload may have (WF-62, WF-63, WF-57) */
enum iba_pay { IBA_PAY_NONE, IBA_PAY_PMTU, IBA_PAY_1_TO_PMTU, IBA_PAY_0_TO_PMTU, IBA_PAY_EIGHT };

struct iba_opcode {
    const char *name;                      /* "RC_SEND_FIRST"; NULL: reserved or manufacturer specific */
    const char *title;                     /* "RC SEND First" */
    uint8_t svc, operation, dir, pos, pay; /* enum iba_svc, iba_operation, iba_dir, iba_pos, iba_pay */
    uint64_t hdrs;                         /* IBA_HDR_BIT of each header, BTH included */
};
extern const struct iba_opcode iba_opcodes[256];

/* Returns the title of any code; "RC reserved" or "Manufacturer specific" if the table has no row. Never NULL. */
const char *iba_opcode_title(uint8_t code);
/* Returns the name of a service: "RC", "UC", ... Never NULL. */
const char *iba_svc_name(enum iba_svc svc);
static inline bool iba_opcode_is_vendor(uint8_t code) /* manufacturer specific (WF-59) */
{
    return code >= 0xc0;
}
/* Returns the operation of any code; IBA_OPERATION_NONE if the table has no row. */
static inline enum iba_operation iba_opcode_operation(uint8_t code)
{
    return (enum iba_operation)iba_opcodes[code].operation;
}
/* Returns the name of an operation, such as "ATOMIC WRITE"; "none" for IBA_OPERATION_NONE. */
const char *iba_operation_name(enum iba_operation o);
/* Returns whether the packet is the first or only one of its message, or of the responses to a READ. */
static inline bool iba_opcode_begins(const struct iba_opcode *op)
{
    return op->pos == IBA_FIRST || op->pos == IBA_ONLY;
}
static inline bool iba_opcode_ends(const struct iba_opcode *op) /* last or only */
{
    return op->pos == IBA_LAST || op->pos == IBA_ONLY;
}
/* Returns the number of bytes of the headers in `hdrs`, BTH included. */
size_t iba_hdrs_bytes(uint64_t hdrs);
/* Returns whether a packet of opcode `op` may have `len` bytes of payload at a path MTU of `pmtu` bytes. */
bool iba_payload_allowed(const struct iba_opcode *op, size_t len, size_t pmtu);

#ifdef __cplusplus
}
#endif

#endif
