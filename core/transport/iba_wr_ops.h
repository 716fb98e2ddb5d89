/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations of work requests. Only files that name an operation include this header, so that a new operation rebuilds
 * only those. */
#ifndef IBA_WR_OPS_H
#define IBA_WR_OPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/*     name          words */
/* Operations that send packets */
#define IBA_WR_SENT_OPS(W)                                                                                             \
    W(SEND,          "SEND")                                                                                           \
    W(SEND_IMM,      "SEND with Immediate")                                                                            \
    W(SEND_INV,      "SEND with Invalidate")                                                                           \
    W(WRITE,         "RDMA WRITE")                                                                                     \
    W(WRITE_IMM,     "RDMA WRITE with Immediate")                                                                      \
    W(READ,          "RDMA READ")                                                                                      \
    W(CMP_SWAP,      "Compare and Swap")                                                                               \
    W(FETCH_ADD,     "Fetch and Add")                                                                                  \
    W(FLUSH,         "FLUSH")                                                                                          \
    W(ATOMIC_WRITE,  "ATOMIC WRITE")
/* Operations of the send queue: each has a row in iba_send_forms.c (its opcodes) and one in iba_post.c (its services) */
#define IBA_WR_SEND_OPS(W)                                                                                             \
    IBA_WR_SENT_OPS(W)                                                                                                 \
    W(BIND_MW,       "Bind Memory Window")                                                                             \
    W(LOCAL_INV,     "Local Invalidate")
#define IBA_WR_OPS(W)                                                                                                  \
    IBA_WR_SEND_OPS(W)                                                                                                 \
    W(RECV,          "Receive")                                                                                        \
    W(RECV_WRITE_IMM, "Receive of an RDMA WRITE with Immediate")
/* clang-format on */
enum iba_wr_op {
#define IBA_WR_OP_ID(name, words) IBA_WR_##name,
    IBA_WR_OPS(IBA_WR_OP_ID) IBA_WR_OP_COUNT
};
const char *iba_wr_op_name(enum iba_wr_op op); /* the words above; never NULL */

#ifdef __cplusplus
}
#endif

#endif
