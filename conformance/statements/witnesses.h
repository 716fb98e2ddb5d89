/* SPDX-License-Identifier: BSD-2-Clause */
/* Second sources of the statements: implementations and tests of others that were compared with the source that the
 * statement was taken from. statement.c uses the rows.
 *
 * CONFIRMS: does or expects the same. SETTLES: the same, and it made the statement certain (its column `seen` was K
 * before). CONTRADICTS: does or expects something else, so a device that deviates is not the only one.
 *
 * Columns: id; who; where. "qib 6.1" are Linux 6.1's drivers/infiniband/hw/qib and sw/rdmavt, "hfi1 6.1" hw/hfi1,
 * rdma-unit-test is google/rdma-unit-test at 1f368ab, roce-sim datenlord/roce-sim at 120df9e, blue-rdma
 * datenlord/blue-rdma at ffdcc15, Lumina lumina-test/lumina at 3df170f. Sorted by id. */
#ifndef IBC_STATEMENTS_WITNESSES_H
#define IBC_STATEMENTS_WITNESSES_H

/* clang-format off */
#define IBC_WITNESSES(CONFIRMS, SETTLES, CONTRADICTS) \
    CONTRADICTS("PV-07", "qib 6.1",         "qib_rc.c:2069 answers any opcode that it does not list with NAK 0x61") \
    CONFIRMS("PV-21",    "rdma-unit-test",  "ud_test.cc: the most significant bit must be unset") \
    CONTRADICTS("PV-25", "qib and hfi1 6.1", "qib_ruc.c:157 compares the source LID and the port, not the destination LID") \
    CONTRADICTS("QS-17", "mlx4 and mlx5 providers", "post in Reset without looking at the state; rdma-unit-test expects success") \
    CONTRADICTS("QS-18", "mlx4 and mlx5 providers", "post sends in Init without looking at the state; rdma-unit-test expects success") \
    CONFIRMS("QS-18",    "rdma-unit-test",  "quotes c10-96, and says that most drivers deviate") \
    CONTRADICTS("QS-19", "mlx4 and mlx5 providers", "post sends in RTR without looking at the state; rdma-unit-test expects success") \
    CONTRADICTS("QS-24", "qib, hfi1, rxe",  "no driver of Linux 6.1 ever enters SQE") \
    CONFIRMS("QS-32",    "NVIDIA RDMA Aware manual, RDMAmojo", "an overflowing queue is CQ_ERR, its QPs fail") \
    CONTRADICTS("QS-32", "rdma-unit-test",  "wants an overflowing queue to overwrite and go on") \
    SETTLES("QS-33",     "rdma-unit-test, ibv_req_notify_cq(3)", "comp_channel_test DowngradeRequest; manual page: one event a request") \
    SETTLES("QS-35",     "ibv_resize_cq(3)", "manual page: the new size must be at least the number of unpolled entries") \
    SETTLES("QS-42",     "qib 6.1, rdma-unit-test", "rdmavt qp.c:2277 takes the shared queue's domain; srq_test PdSrqTest") \
    SETTLES("QS-55",     "rdma-unit-test",  "rc_test SendInvalidLkey and BadRecvLkey") \
    CONFIRMS("QS-63",    "rdma-unit-test",  "mw_test quotes IBTA table 78") \
    CONFIRMS("QS-64",    "rdma-unit-test",  "pd_test PdBindTest") \
    CONFIRMS("QS-69",    "rdma-unit-test",  "mw_test CrossQpInvalidate; o10-2.2.5: a QP with a window bound may be destroyed") \
    SETTLES("QS-71",     "rdma-unit-test, ibv_bind_mw(3)", "buffer_test BufferMwTest; manual page: the bind is posted to the QP's send queue") \
    CONTRADICTS("QS-72", "mlx5, rdma-unit-test", "mr.c:83 gives a fresh window any key byte; mw_test DistinctRKeys binds 4096 of them with byte 0") \
    CONFIRMS("QS-76",    "bnxt_re, NVIDIA RDMA Aware manual", "bnxt_re_handle_qp_async_event; IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR") \
    SETTLES("QS-81",     "RDMAmojo",        "IBV_WC_LOC_LEN_ERR: greater than the maximum message") \
    CONTRADICTS("QS-83", "some NVIDIA adapters", "rc_test.cc:1708 of rdma-unit-test: take an ATOMIC of two entries and do it right") \
    CONFIRMS("RO-36",    "Linux 6.1",       "ib_verbs.h:795 quotes the annex") \
    CONTRADICTS("RO-50", "Intel E810",      "sends MigReq 0, as Lumina saw") \
    CONFIRMS("RQ-09",    "qib 6.1",         "qib_rc.c:297 holds a fenced request for READs and ATOMICs only") \
    CONTRADICTS("RQ-21", "qib, hfi1, roce-sim", "repeat the oldest alone and wait: rdmavt qp.c:2602, roce_sq.py:574") \
    CONFIRMS("RQ-23",    "blue-rdma",       "RetryHandleSQ.bsv:136: one count for NAK, implied NAK and timeout") \
    CONTRADICTS("RQ-23", "qib 6.1",         "qib_rc.c:1205 renews the count with each sequence NAK") \
    CONFIRMS("RQ-24",    "qib 6.1",         "qib_rc.c:1132") \
    CONFIRMS("RQ-29",    "qib 6.1",         "qib_rc.c:1147: without limit at 7") \
    CONFIRMS("RQ-30",    "qib 6.1",         "qib_rc.c:1137") \
    CONFIRMS("RQ-33",    "qib and hfi1 6.1, SpinalHDL RDMA", "qib_rc.c:1313, rc.c:2326: ignore invalid responses; RespVerifer discards ACKs of unsent PSNs") \
    CONFIRMS("RQ-36",    "qib 6.1",         "qib_rc.c:1055") \
    CONFIRMS("RQ-38",    "qib 6.1",         "qib_rc.c:1056: a plain ACK for a READ has it sent again") \
    CONTRADICTS("RQ-46", "qib 6.1",         "qib_rc.c:1369 takes a well-sized Middle without a First") \
    CONFIRMS("RQ-47",    "qib 6.1",         "qib_rc.c:1464") \
    CONTRADICTS("RQ-50", "mlx5 without atomic_req_8B_endianness_mode", "main.c:661") \
    CONTRADICTS("RQ-51", "qib and hfi1 6.1", "qib_rc.c:1201 drops NAK code 4 as reserved") \
    CONTRADICTS("RQ-52", "rxe",             "completes the request as success") \
    CONFIRMS("RQ-57",    "rdma-unit-test, bnxt_re", "rc_test; CQ_RES_RC_STATUS_*") \
    CONFIRMS("RR-02",    "qib 6.1",         "qib_rc.c:1752 compares PSNs as signed numbers of 24 bits") \
    CONFIRMS("RR-03",    "qib 6.1",         "qib_rc.c:1513") \
    CONFIRMS("RR-04",    "qib 6.1, Lumina", "qib_rc.c:1513; one NAK in flight") \
    CONFIRMS("RR-09",    "qib 6.1",         "qib_rc.c:1646") \
    SETTLES("RR-16",     "qib 6.1",         "qib_rc.c:1871, 1993: counted where a message is done or a READ is taken, 1532: not for duplicates") \
    CONFIRMS("RR-17",    "qib 6.1",         "qib_rc.c:1993") \
    CONFIRMS("RR-18",    "qib 6.1",         "qib_rc.c:640") \
    CONFIRMS("RR-19",    "qib 6.1, Shanley chapter 17", "rvt_compute_aeth; the responder of an HCA must report its credits") \
    CONFIRMS("RR-20",    "qib 6.1",         "rdmavt rc.c:52") \
    CONFIRMS("RR-24",    "qib 6.1",         "qib_rc.c:1532") \
    CONTRADICTS("RR-24", "bnxt_re, rxe",    "answer a repeated READ whose key is gone with an error") \
    CONFIRMS("RR-25",    "qib 6.1",         "qib_rc.c:1598: from an inner PSN") \
    CONFIRMS("RR-27",    "qib 6.1",         "qib_rc.c:1612") \
    CONFIRMS("RR-28",    "qib 6.1",         "qib_rc.c:1635: another opcode is not answered from what was saved") \
    CONFIRMS("RR-33",    "qib 6.1",         "qib_rc.c:1768") \
    CONFIRMS("RR-34",    "qib 6.1",         "qib_rc.c:1897, 1944, 2016") \
    CONTRADICTS("RR-36", "qib 6.1",         "qib_rc.c:1818 does not look at PadCnt in First and Middle") \
    CONFIRMS("RR-37",    "bnxt_re",         "PAYLOAD_LENGTH_MISMATCH") \
    CONTRADICTS("RR-37", "qib 6.1",         "qib_rc.c:1861 takes short WRITEs") \
    CONFIRMS("RR-38",    "rdma-unit-test, bnxt_re", "Local Length Error of the receive") \
    CONFIRMS("RR-39",    "Marvell manual",  "more than 2^31 is Remote Invalid Request") \
    CONTRADICTS("RR-39", "qib 6.1",         "does not look at it; the range gives NAK 0x62") \
    CONFIRMS("RR-40",    "qib 6.1",         "qib_rc.c:1905, 1963") \
    CONFIRMS("RR-41",    "qib 6.1",         "qib_rc.c:2121") \
    CONFIRMS("RR-42",    "qib 6.1",         "qib_rc.c:1911") \
    CONFIRMS("RR-43",    "qib 6.1",         "qib_rc.c:1969") \
    CONFIRMS("RR-44",    "qib 6.1",         "qib_rc.c:2034") \
    CONFIRMS("RR-51",    "qib 6.1, Shanley chapter 17, blue-rdma, roce-sim", "qib_rc.c:1513; no other NAK until the expected PSN comes") \
    CONTRADICTS("RR-52", "blue-rdma, roce-sim", "silent while their RNR timer runs: ReqHandleRQ.bsv:3602, roce_rq.py:785") \
    CONFIRMS("RR-53",    "qib 6.1",         "qib_rc.c:1826") \
    CONTRADICTS("RR-55", "rdma-unit-test, irdma", "rc_test.cc:633 wants no completion at the requester; irdma answers NAK 0x62") \
    CONFIRMS("RR-57",    "qib 6.1",         "qib_rc.c:2093, rdmavt qp.c:2267") \
    CONFIRMS("UU-03",    "qib 6.1",         "qib_uc.c:268") \
    CONFIRMS("UU-04",    "qib 6.1",         "qib_uc.c:268: any PSN may begin") \
    CONTRADICTS("UU-09", "qib and hfi1 6.1, rxe", "take up a shared receive again as well: qib_uc.c:274, 510") \
    CONFIRMS("UU-18",    "qib 6.1",         "qib_ud.c:483") \
    CONFIRMS("UU-20",    "qib 6.1",         "qib_ud.c:545 keeps the receive for the next") \
    CONFIRMS("UU-26",    "qib 6.1",         "qib_ud.c:464") \
    CONFIRMS("WF-07",    "hfi1 6.1",        "chip.c:859") \
    CONTRADICTS("WF-30", "Intel E810, rxe", "send MigReq 0 on RoCE") \
    CONTRADICTS("WF-32", "qib 6.1",         "qib_rc.c:1818 does not look at it") \
    CONFIRMS("WF-44",    "Marvell manual",  "more than 2^31 is Remote Invalid Request") \
    CONFIRMS("WF-48",    "qib 6.1, SpinalHDL RDMA", "qib_rc.c:1216; RespVerifer discards responses with a reserved code") \
    CONTRADICTS("WF-48", "rxe",             "completes the request as success") \
    CONFIRMS("WF-60",    "hfi1 6.1, rdma-unit-test", "qp_ok, verbs.c:274; rc_test RcSendToUd") \
    CONTRADICTS("WF-60", "qib 6.1",         "qib_rc.c:2069 answers any opcode that it does not list with NAK 0x61") \
    CONTRADICTS("WF-63", "qib and hfi1 6.1, rxe", "look at no payload in READs, ATOMICs and acknowledgements") \
    CONFIRMS("WF-68",    "rdma-unit-test, RDMAmojo", "rc_test CompareSwapInvalidSize: Local Length Error") \
    CONTRADICTS("WF-68", "qib 6.1, rxe",    "rdmavt qp.c:1876 asks for at least 8 bytes") \
    CONTRADICTS("WF-81", "hfi1 6.1",        "ud.c:653 sends CNPs without the 16 reserved bytes")
/* clang-format on */
#endif
