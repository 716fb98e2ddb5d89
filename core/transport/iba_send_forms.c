/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of each kind of work request on the wire (WF-64, RQ-17). */
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

/* clang-format off */
/*   work request      First              Middle              Last                Only                  traits */
#define IBA_SEND_FORMS(F)                                                                                                     \
    F(SEND,          RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST,       RC_SEND_ONLY,       T(PAYLOAD) | T(RECEIVED)) \
    F(SEND_IMM,      RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST_IMM,   RC_SEND_ONLY_IMM,   T(PAYLOAD) | T(RECEIVED)) \
    F(SEND_INV,      RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST_INV,   RC_SEND_ONLY_INV,   T(PAYLOAD) | T(RECEIVED)) \
    F(WRITE,         RC_WRITE_FIRST,    RC_WRITE_MIDDLE,    RC_WRITE_LAST,      RC_WRITE_ONLY,      T(PAYLOAD))               \
    F(WRITE_IMM,     RC_WRITE_FIRST,    RC_WRITE_MIDDLE,    RC_WRITE_LAST_IMM,  RC_WRITE_ONLY_IMM,  T(PAYLOAD) | T(RECEIVED)) \
    F(READ,          RC_READ_REQUEST,   RC_READ_REQUEST,    RC_READ_REQUEST,    RC_READ_REQUEST,    T(ANSWERED) | T(RESOURCE)) \
    F(CMP_SWAP,      RC_CMP_SWAP,       RC_CMP_SWAP,        RC_CMP_SWAP,        RC_CMP_SWAP,        T(ANSWERED) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(FETCH_ADD,     RC_FETCH_ADD,      RC_FETCH_ADD,       RC_FETCH_ADD,       RC_FETCH_ADD,       T(ANSWERED) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(FLUSH,         RC_FLUSH,          RC_FLUSH,           RC_FLUSH,           RC_FLUSH,           T(RESOURCE) | T(ONE_PSN))  \
    F(ATOMIC_WRITE,  RC_ATOMIC_WRITE,   RC_ATOMIC_WRITE,    RC_ATOMIC_WRITE,    RC_ATOMIC_WRITE,    T(PAYLOAD) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(BIND_MW,       RC_SEND_ONLY,      RC_SEND_ONLY,       RC_SEND_ONLY,       RC_SEND_ONLY,       T(LOCAL))                 \
    F(LOCAL_INV,     RC_SEND_ONLY,      RC_SEND_ONLY,       RC_SEND_ONLY,       RC_SEND_ONLY,       T(LOCAL))
/* clang-format on */
#define ONE(...) +1
_Static_assert(IBA_SEND_FORMS(ONE) == IBA_WR_RECV,
               "core/transport/iba_send_forms.c: an operation of iba_wr.h has no row");
#define T(trait) IBA_FORM_##trait
#define FORM(op, first, middle, last, only, traits)                                                                    \
    [IBA_WR_##op] = {{IBA_##first, IBA_##middle, IBA_##last, IBA_##only}, traits},
const struct iba_send_form iba_send_forms[IBA_WR_RECV] = {IBA_SEND_FORMS(FORM)};
