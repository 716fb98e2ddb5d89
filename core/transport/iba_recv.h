/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the engine: the buffers of a receive, and receives that hold several messages. Not for users of libiba.
 *
 * Neither shows on the wire: it is software's way to say where bytes go. A receive of blocks (IBA_RECV_BLOCKS) places a
 * message in blocks of equal length at equal distances. A streaming receive (iba_recv_wr.most) holds message after
 * message. Its first message takes it from the shared receive queue. When the message ends, a row of iba_recv_rows
 * decides whether the receive is the next one of its queue again, or ends. Meanwhile other messages take the receives
 * after it, so the messages of one receive never mix. A message lies in one receive, and is never longer than `most`
 * units, however many bytes are left: which messages a sender may send does not depend on earlier ones.
 *
 * This is a model from public descriptions of adapters that do so; no statement of the architecture is about it. */
#ifndef IBA_RECV_H
#define IBA_RECV_H
#include "transport/iba_receiver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the receive is a list of buffers for one message, as most are. Each function below asks this first,
 * so that such receives cost no time for the other forms. */
static inline bool iba_recv_plain(const struct iba_recv_wr *wr)
{
    return __builtin_expect(wr->form == IBA_RECV_LIST && wr->most == 0, 1);
}

/* ---- buffers: iba_sgl.c ---- */
/* Bytes of all buffers. */
uint64_t iba_recv_bytes(const struct iba_recv_wr *wr);
enum iba_wc_status iba_recv_check_other(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr, uint64_t at,
                                        size_t len, bool *absent);
enum iba_wc_status iba_recv_scatter_other(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr, uint64_t at,
                                          const uint8_t *data, size_t len, bool *absent);
/* As iba_sgl_check() and iba_sgl_scatter(), from byte `at` of the receive's present message on. */
static inline enum iba_wc_status iba_recv_check(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr,
                                                uint64_t at, size_t len, bool *absent)
{
    return iba_recv_plain(wr) ? iba_sgl_check(ca, pd, wr->sge, wr->n_sge, at, len, true, absent)
                              : iba_recv_check_other(ca, pd, wr, at, len, absent);
}
static inline enum iba_wc_status iba_recv_scatter(struct iba_ca *ca, uint32_t pd, const struct iba_recv_wr *wr,
                                                  uint64_t at, const uint8_t *data, size_t len, bool *absent)
{
    return iba_recv_plain(wr) ? iba_sgl_scatter(ca, pd, wr->sge, wr->n_sge, at, data, len, absent)
                              : iba_recv_scatter_other(ca, pd, wr, at, data, len, absent);
}

/* ---- several messages: iba_recv.c ---- */
bool iba_recv_legal_other(const struct iba_recv_wr *wr);
uint64_t iba_recv_room_other(const struct iba_recv_wr *wr);
/* Returns whether the blocks have bytes, and a streaming receive has the units of at least one message. */
static inline bool iba_recv_legal(const struct iba_recv_wr *wr)
{
    return iba_recv_plain(wr) || iba_recv_legal_other(wr);
}
/* Bytes of the longest message that the receive takes. */
static inline uint64_t iba_recv_room(const struct iba_recv_wr *wr)
{
    return iba_recv_plain(wr) ? iba_sgl_length(wr->sge, wr->n_sge) : iba_recv_room_other(wr);
}
/* The message of the streaming receive in use ends: *wc will report it. The receive goes back to `srq`, or ends. */
void iba_recv_end_message(struct iba_rx *x, struct iba_srq *srq, struct iba_wc *wc);

/* The rows by which a streaming receive ends or stays: "the receive ...". The first row that applies decides. */
struct iba_recv_row {
    const char *name, *sentence;
    bool stays;
};
enum { IBA_RECV_ROWS = 5 };
extern const struct iba_recv_row iba_recv_rows[IBA_RECV_ROWS];
/* The row for a receive `wr` whose message has ended with `status`. */
const struct iba_recv_row *iba_recv_row_of(const struct iba_recv_wr *wr, const struct iba_srq *srq,
                                           enum iba_wc_status status);

#ifdef __cplusplus
}
#endif

#endif
