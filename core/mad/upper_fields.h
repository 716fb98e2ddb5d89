/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of the private data that upper protocols put into REQ, REP and REJ. The lists have the same form as those of
 * smp_fields.h. Filter names are Wireshark's if Wireshark has the field. Sources: IPoIB: RFC 4755, section 6; SDP:
 * Annex A4; SRP: T10 SRP and SRP-2, annex on InfiniBand, and Linux' scsi/srp.h; iSER: Annex A12 and Linux' scsi/iser.h;
 * NVMe/RDMA: NVMe over Fabrics 1.1, section 7.3.6 (whose numbers have the low byte first); RPC-over-RDMA: RFC 8797. */
#ifndef UPPER_FIELDS_H
#define UPPER_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_IPOIB_CM(F, V, h)                                                                                                          \
        F(h, U8,  reserved,           8, X2,    R, NONE,       ALWAYS, "reserved", "Reserved (8 bits)")                                \
        F(h, U32, udqp,              24, X6,    N, NONE,       ALWAYS, "udqp", "QP for Datagrams")                                     \
        F(h, U32, mtu,               32, DEC,   N, NONE,       ALWAYS, "mtu", "Receive MTU")
#define IBA_SDP_BSDH(F, V, h)                                                                                                          \
        F(h, U8,  mid,                8, X2,    N, SDP_MID,    ALWAYS, "mid", "MID")                                                   \
        V(h, flags5,             8, X2,    N, NONE,       ALWAYS, "flags", "Flags")                                                    \
        F(h, U8,  flags5,             5, X2,    R, NONE,       ALWAYS, "reserved", "Reserved (5 bits)")                                \
        F(h, U8,  reqpipe,            1, X2,    N, NONE,       ALWAYS, "reqpipe", "REQ_PIPE")                                          \
        F(h, U8,  oobpend,            1, X2,    N, NONE,       ALWAYS, "oobpend", "OOB_PEND")                                          \
        F(h, U8,  oobpres,            1, X2,    N, NONE,       ALWAYS, "oobpres", "OOB_PRES")                                          \
        F(h, U16, bufs,              16, DEC,   N, NONE,       ALWAYS, "bufs", "Buffers")                                              \
        F(h, U32, len,               32, DEC,   N, NONE,       ALWAYS, "len", "Length")                                                \
        F(h, U32, mseq,              32, X8,    N, NONE,       ALWAYS, "mseq", "MSeq")                                                 \
        F(h, U32, mseqack,           32, X8,    N, NONE,       ALWAYS, "mseqack", "MSeqAck")
#define IBA_SDP_HH(F, V, h)                                                                                                            \
        F(h, U8,  majv,               4, X2,    N, NONE,       ALWAYS, "majv", "Major Protocol Version Number")                        \
        F(h, U8,  minv,               4, X2,    N, NONE,       ALWAYS, "minv", "Minor Protocol Version Number")                        \
        F(h, U8,  ipv,                4, X2,    N, NONE,       ALWAYS, "ipv", "IP Version")                                            \
        V(h, capreserved,        4, X2,    N, NONE,       ALWAYS, "cap", "Capabilities")                                               \
        F(h, U8,  capreserved,        2, X2,    R, NONE,       ALWAYS, "reserved1", "Reserved (2 bits)")                               \
        F(h, U8,  cap_extmaxadverts,  1, X2,    N, NONE,       ALWAYS, "cap_extmaxadverts", "EXTENDED_MAXADVERTS")                     \
        F(h, U8,  cap_invalidate,     1, X2,    N, NONE,       ALWAYS, "cap_invalidate", "INVALIDATE_CAP")                             \
        F(h, U8,  reserved2,          8, X2,    R, NONE,       ALWAYS, "reserved2", "Reserved (8 bits)")                               \
        F(h, U8,  maxadverts,         8, X2,    N, NONE,       ALWAYS, "maxadverts", "Maximum Advertisements")                         \
        F(h, U32, desremrcvsz,       32, DEC,   N, NONE,       ALWAYS, "desremrcvsz", "Desired Remote Receive Size")                   \
        F(h, U32, localrcvsz,        32, DEC,   N, NONE,       ALWAYS, "localrcvsz", "Local Receive Size")                             \
        F(h, U16, localport,         16, DEC,   N, NONE,       ALWAYS, "localport", "Local Port")                                      \
        F(h, U16, reserved3,         16, X4,    R, NONE,       ALWAYS, "reserved3", "Reserved (16 bits)")                              \
        F(h, B,   src_ip,           128, IP6,   N, NONE,       ALWAYS, "src_ip", "Source IP")                                          \
        F(h, B,   dst_ip,           128, IP6,   N, NONE,       ALWAYS, "dst_ip", "Destination IP")
#define IBA_SDP_HAH(F, V, h)                                                                                                           \
        F(h, U8,  majv,               4, X2,    N, NONE,       ALWAYS, "majv", "Major Protocol Version Number")                        \
        F(h, U8,  minv,               4, X2,    N, NONE,       ALWAYS, "minv", "Minor Protocol Version Number")                        \
        F(h, U8,  ipv,                4, X2,    N, NONE,       ALWAYS, "ipv", "IP Version")                                            \
        F(h, U8,  cap,                4, X2,    N, NONE,       ALWAYS, "cap", "Capabilities")                                          \
        F(h, U8,  reserved,           8, X2,    R, NONE,       ALWAYS, "reserved", "Reserved (8 bits)")                                \
        F(h, U8,  extmaxadverts,      8, DEC,   N, NONE,       ALWAYS, "extmaxadverts", "Extended Maximum Advertisements")             \
        F(h, U32, actrcvsz,          32, DEC,   N, NONE,       ALWAYS, "actrcvsz", "Actual Receive Size")
#define IBA_SRP_LOGIN_REQ(F, V, h)                                                                                                     \
        F(h, U8,  opcode,             8, X2,    N, NONE,       ALWAYS, "opcode", "Opcode")                                             \
        F(h, U64, reserved1,         56, X2,    R, NONE,       ALWAYS, "reserved1", "Reserved (7 bytes)")                              \
        F(h, U64, tag,               64, X16,   N, NONE,       ALWAYS, "tag", "Tag")                                                   \
        F(h, U32, it_iu,             32, DEC,   N, NONE,       ALWAYS, "max_it_iu_len", "Requested Maximum Initiator to Target IU Length")\
        F(h, U32, reserved2,         32, X8,    R, NONE,       ALWAYS, "reserved2", "Reserved (32 bits)")                              \
        F(h, U16, formats,           16, X4,    N, NONE,       ALWAYS, "buffer_formats", "Required Buffer Formats")                    \
        F(h, U8,  flags,              8, X2,    N, NONE,       ALWAYS, "flags", "Flags")                                               \
        F(h, U8,  reserved3,          8, X2,    R, NONE,       ALWAYS, "reserved3", "Reserved (8 bits)")                               \
        F(h, U16, immediate,         16, DEC,   N, NONE,       ALWAYS, "imm_data_offset", "Immediate Data Offset")                     \
        F(h, U16, reserved4,         16, X4,    R, NONE,       ALWAYS, "reserved4", "Reserved (16 bits)")                              \
        F(h, B,   initiator,        128, BYTES, N, NONE,       ALWAYS, "initiator_port_id", "Initiator Port Identifier")               \
        F(h, B,   target,           128, BYTES, N, NONE,       ALWAYS, "target_port_id", "Target Port Identifier")
#define IBA_SRP_LOGIN_RDMA(F, V, h)                                                                                                    \
        F(h, U64, tag,               64, X16,   N, NONE,       ALWAYS, "tag", "Tag")                                                   \
        F(h, U16, formats,           16, X4,    N, NONE,       ALWAYS, "buffer_formats", "Required Buffer Formats")                    \
        F(h, U8,  flags,              8, X2,    N, NONE,       ALWAYS, "flags", "Flags")                                               \
        F(h, U8,  opcode,             8, X2,    N, NONE,       ALWAYS, "opcode", "Opcode")                                             \
        F(h, U32, it_iu,             32, DEC,   N, NONE,       ALWAYS, "max_it_iu_len", "Requested Maximum Initiator to Target IU Length")\
        F(h, B,   initiator,        128, BYTES, N, NONE,       ALWAYS, "initiator_port_id", "Initiator Port Identifier")               \
        F(h, B,   target,           128, BYTES, N, NONE,       ALWAYS, "target_port_id", "Target Port Identifier")                     \
        F(h, U16, immediate,         16, DEC,   N, NONE,       ALWAYS, "imm_data_offset", "Immediate Data Offset")                     \
        F(h, B,   reserved,          48, BYTES, R, NONE,       ALWAYS, "reserved", "Reserved (6 bytes)")
#define IBA_SRP_LOGIN_RSP(F, V, h)                                                                                                     \
        F(h, U8,  opcode,             8, X2,    N, NONE,       ALWAYS, "opcode", "Opcode")                                             \
        F(h, U32, reserved1,         24, X6,    R, NONE,       ALWAYS, "reserved1", "Reserved (24 bits)")                              \
        F(h, U32, limit,             32, DEC,   N, NONE,       ALWAYS, "req_lim_delta", "Request Limit Delta")                         \
        F(h, U64, tag,               64, X16,   N, NONE,       ALWAYS, "tag", "Tag")                                                   \
        F(h, U32, it_iu,             32, DEC,   N, NONE,       ALWAYS, "max_it_iu_len", "Maximum Initiator to Target IU Length")       \
        F(h, U32, ti_iu,             32, DEC,   N, NONE,       ALWAYS, "max_ti_iu_len", "Maximum Target to Initiator IU Length")       \
        F(h, U16, formats,           16, X4,    N, NONE,       ALWAYS, "buffer_formats", "Supported Buffer Formats")                   \
        F(h, U8,  flags,              8, X2,    N, NONE,       ALWAYS, "flags", "Flags")                                               \
        F(h, B,   reserved2,        200, BYTES, R, NONE,       ALWAYS, "reserved2", "Reserved (25 bytes)")
#define IBA_SRP_LOGIN_REJ(F, V, h)                                                                                                     \
        F(h, U8,  opcode,             8, X2,    N, NONE,       ALWAYS, "opcode", "Opcode")                                             \
        F(h, U32, reserved1,         24, X6,    R, NONE,       ALWAYS, "reserved1", "Reserved (24 bits)")                              \
        F(h, U32, reason,            32, X8,    N, SRP_REJECT, ALWAYS, "reason", "Reason")                                             \
        F(h, U64, tag,               64, X16,   N, NONE,       ALWAYS, "tag", "Tag")                                                   \
        F(h, U64, reserved2,         64, X16,   R, NONE,       ALWAYS, "reserved2", "Reserved (64 bits)")                              \
        F(h, U16, formats,           16, X4,    N, NONE,       ALWAYS, "buffer_formats", "Supported Buffer Formats")                   \
        F(h, B,   reserved3,         48, BYTES, R, NONE,       ALWAYS, "reserved3", "Reserved (6 bytes)")
#define IBA_ISER_CM(F, V, h)                                                                                                           \
        V(h, zbva,               8, X2,    N, NONE,       ALWAYS, "flags", "Flags")                                                    \
        F(h, U8,  zbva,               1, FLAG,  N, NONE,       ALWAYS, "zbva_not_sup", "Zero-based Virtual Addresses not Supported")   \
        F(h, U8,  sendinv,            1, FLAG,  N, NONE,       ALWAYS, "send_w_inv_not_sup", "SEND with Invalidate not Supported")     \
        F(h, U8,  reserved1,          6, X2,    R, NONE,       ALWAYS, "reserved1", "Reserved (6 bits)")                               \
        F(h, U32, reserved2,         24, X6,    R, NONE,       ALWAYS, "reserved2", "Reserved (24 bits)")
#define IBA_NVME_REQ(F, V, h)                                                                                                          \
        F(h, U16, recfmt,            16, LE,    N, NONE,       ALWAYS, "recfmt", "Record Format")                                      \
        F(h, U16, qid,               16, LE,    N, NONE,       WHEN(h, recfmt, EQ, 0), "qid", "Queue Id")                              \
        F(h, U16, hrqsize,           16, LE,    N, NONE,       WHEN(h, recfmt, EQ, 0), "hrqsize", "RDMA QP Host Receive Queue Size")   \
        F(h, U16, hsqsize,           16, LE,    N, NONE,       WHEN(h, recfmt, EQ, 0), "hsqsize", "RDMA QP Host Send Queue Size")      \
        F(h, U16, cntlid,            16, LEX4,  N, NONE,       WHEN(h, recfmt, EQ, 0), "cntlid", "Controller ID")                      \
        F(h, B,   reserved,         176, BYTES, R, NONE,       WHEN(h, recfmt, EQ, 0), "reserved", "Reserved (22 bytes)")
#define IBA_NVME_RSP(F, V, h)                                                                                                          \
        F(h, U16, recfmt,            16, LE,    N, NONE,       ALWAYS, "recfmt", "Record Format")                                      \
        F(h, U16, crqsize,           16, LE,    N, NONE,       WHEN(h, recfmt, EQ, 0), "crqsize", "RDMA QP Controller Receive Queue Size")\
        F(h, B,   reserved,         224, BYTES, R, NONE,       WHEN(h, recfmt, EQ, 0), "reserved", "Reserved (28 bytes)")
#define IBA_NVME_REJ(F, V, h)                                                                                                          \
        F(h, U16, recfmt,            16, LE,    N, NONE,       ALWAYS, "recfmt", "Record Format")                                      \
        F(h, U16, status,            16, LEX4,  N, NVME_REJECT, WHEN(h, recfmt, EQ, 0), "status", "Status")
#define IBA_RPC_CM(F, V, h)                                                                                                            \
        F(h, U32, magic,             32, X8,    N, NONE,       ALWAYS, "format", "Format Identifier")                                  \
        F(h, U8,  version,            8, DEC,   N, NONE,       ALWAYS, "version", "Version")                                           \
        F(h, U8,  reserved,           7, X2,    R, NONE,       ALWAYS, "reserved", "Reserved (7 bits)")                                \
        F(h, U8,  invalidate,         1, FLAG,  N, NONE,       ALWAYS, "remote_inv", "Remote Invalidation Supported")                  \
        F(h, U8,  sendsize,           8, DEC,   N, NONE,       ALWAYS, "send_size", "Send Size (KiB less one)")                        \
        F(h, U8,  recvsize,           8, DEC,   N, NONE,       ALWAYS, "recv_size", "Receive Size (KiB less one)")

/*        list                          name                   bytes prefix, title */
#define IBA_UPPER_LAYOUTS(H)                                                                                                           \
        H(IBA_IPOIB_CM,             ipoib_cm,           8, "infiniband.ipoib_cm", "Private Data: IPoIB, connected mode")               \
        H(IBA_SDP_BSDH,             sdp_bsdh,          16, "infiniband_sdp.bsdh", "Private Data: SDP, Base Sockets Direct Header")     \
        H(IBA_SDP_HH,               sdp_hh,            48, "infiniband_sdp.hh", "Private Data: SDP Hello")                             \
        H(IBA_SDP_HAH,              sdp_hah,            8, "infiniband_sdp.hah", "Private Data: SDP HelloAck")                         \
        H(IBA_SRP_LOGIN_REQ,        srp_login_req,     64, "infiniband.srp.login_req", "Private Data: SRP_LOGIN_REQ")                  \
        H(IBA_SRP_LOGIN_RDMA,       srp_login_rdma,    56, "infiniband.srp.login_req", "Private Data: SRP_LOGIN_REQ, the short one of the RDMA IP CM service")\
        H(IBA_SRP_LOGIN_RSP,        srp_login_rsp,     52, "infiniband.srp.login_rsp", "Private Data: SRP_LOGIN_RSP")                  \
        H(IBA_SRP_LOGIN_REJ,        srp_login_rej,     32, "infiniband.srp.login_rej", "Private Data: SRP_LOGIN_REJ")                  \
        H(IBA_ISER_CM,              iser_cm,            4, "iser.cm", "Private Data: iSER")                                            \
        H(IBA_NVME_REQ,             nvme_req,          32, "nvme-rdma.cm.req", "Private Data: NVMe/RDMA Request")                      \
        H(IBA_NVME_RSP,             nvme_rsp,          32, "nvme-rdma.cm.rsp", "Private Data: NVMe/RDMA Accept")                       \
        H(IBA_NVME_REJ,             nvme_rej,           4, "nvme-rdma.cm.rej", "Private Data: NVMe/RDMA Reject")                       \
        H(IBA_RPC_CM,               rpc_cm,             8, "rpcordma.cm", "Private Data: RPC-over-RDMA")
/* clang-format on */
#endif
