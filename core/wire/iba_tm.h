/* SPDX-License-Identifier: BSD-2-Clause */
/* Tag matching (VN-04, VN-05): the kinds of messages. The header of a message lies in the payload of an ordinary SEND
 * of RC or XRC; its layouts are IBA_TMOP, IBA_TMH and IBA_RVH in iba_fields.h. */
#ifndef IBA_TM_H
#define IBA_TM_H

/* clang-format off */
/*    name    code  words */
#define IBA_TM_OPS(T, V)                                                                                               \
    T(V, NO_TAG, 0, "No Tag")                                                                                          \
    T(V, RNDV,   1, "Rendezvous")                                                                                      \
    T(V, FIN,    2, "Rendezvous Finished")                                                                             \
    T(V, EAGER,  3, "Eager")
/* clang-format on */
enum iba_tm_op {
#define IBA_TM_OP_ID(V, name, code, words) IBA_TM_##name = (code),
    IBA_TM_OPS(IBA_TM_OP_ID, )
};
#endif
