/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of the connection manager's messages, and of the private data of the RDMA IP CM service. The lists have the
 * same form as those of smp_fields.h. Sources: catalogue MD-54..MD-81. */
#ifndef CM_FIELDS_H
#define CM_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_CM_REQ(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "=infiniband.cm.req", "Local Communication ID") \
        F(h, U32, reserved1,           32, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bits)")             \
        F(h, U64, serviceid,           64, X16,  N, NONE,      ALWAYS,                  "serviceid", "ServiceID")                      \
        F(h, U64, localcaguid,         64, X16,  N, NONE,      ALWAYS,                  "localcaguid", "Local CA GUID")                \
        F(h, U32, reserved2,           32, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (32 bits)")             \
        F(h, U32, localqkey,           32, X8,   N, NONE,      ALWAYS,                  "localqkey", "Local Q_Key")                    \
        F(h, U32, localqpn,            24, X6,   N, NONE,      ALWAYS,                  "localqpn", "Local QPN")                       \
        F(h, U8,  responderres,         8, N2,   N, NONE,      ALWAYS,                  "responderres", "Responder Resources")         \
        F(h, U32, localeecn,           24, X6,   N, NONE,      ALWAYS,                  "localeecn", "Local EECN")                     \
        F(h, U8,  initdepth,            8, N2,   N, NONE,      ALWAYS,                  "initdepth", "Initiator Depth")                \
        F(h, U32, remoteeecn,          24, X6,   N, NONE,      ALWAYS,                  "remoteeecn", "Remote EECN")                   \
        F(h, U8,  remoteresptout,       5, X2,   N, TIMEOUT,   ALWAYS,                  "remoteresptout", "Remote CM Response Timeout") \
        F(h, U8,  transpsvctype,        2, X2,   N, CM_SERVICE, ALWAYS,                  "transpsvctype", "Transport Service Type")    \
        F(h, U8,  e2eflowctrl,          1, X2,   N, NONE,      ALWAYS,                  "e2eflowctrl", "End-to-End Flow Control")      \
        F(h, U32, startpsn,            24, N6,   N, NONE,      ALWAYS,                  "startpsn", "Starting PSN")                    \
        F(h, U8,  localresptout,        5, X2,   N, TIMEOUT,   ALWAYS,                  "localresptout", "Local CM Response Timeout")  \
        F(h, U8,  retrcount,            3, N2,   N, NONE,      ALWAYS,                  "retrcount", "Retry Count")                    \
        F(h, U16, pkey,                16, X4,   N, NONE,      ALWAYS,                  "pkey", "Partition Key")                       \
        F(h, U8,  pppmtu,               4, X2,   N, MTU,       ALWAYS,                  "pppmtu", "Path Packet Payload MTU")           \
        F(h, U8,  rdcexist,             1, X2,   N, NONE,      ALWAYS,                  "rdcexist", "RDC Exists")                      \
        F(h, U8,  rnrretrcount,         3, X2,   N, RNR_RETRY, ALWAYS,                  "rnrretrcount", "RNR Retry Count")             \
        F(h, U8,  maxcmretr,            4, N2,   N, NONE,      ALWAYS,                  "maxcmretr", "Max CM Retries")                 \
        F(h, U8,  srq,                  1, X2,   N, NONE,      ALWAYS,                  "srq", "SRQ")                                  \
        F(h, U8,  ext_transport,        3, X2,   N, CM_EXTENDED, ALWAYS,                  "ext_transport", "Extended Transport")       \
        F(h, U16, prim_locallid,       16, DEC,  N, NONE,      ALWAYS,                  "prim_locallid", "Primary Local Port LID")     \
        F(h, U16, prim_remotelid,      16, DEC,  N, NONE,      ALWAYS,                  "prim_remotelid", "Primary Remote Port LID")   \
        F(h, B,   prim_localgid,      128, IP6,  N, NONE,      ALWAYS,                  "prim_localgid", "Primary Local Port GID")     \
        F(h, B,   prim_remotegid,     128, IP6,  N, NONE,      ALWAYS,                  "prim_remotegid", "Primary Remote Port GID")   \
        F(h, U32, prim_flowlabel,      20, X8,   N, NONE,      ALWAYS,                  "prim_flowlabel", "Primary Flow Label")        \
        F(h, U8,  prim_reserved0,       6, X8,   R, NONE,      ALWAYS,                  "prim_reserved0", "Reserved (6 bits)")         \
        F(h, U8,  prim_pktrate,         6, X8,   N, RATE,      ALWAYS,                  "prim_pktrate", "Primary Packet Rate")         \
        F(h, U8,  prim_tfcclass,        8, X2,   N, NONE,      ALWAYS,                  "prim_tfcclass", "Primary Traffic Class")      \
        F(h, U8,  prim_hoplim,          8, N2,   N, NONE,      ALWAYS,                  "prim_hoplim", "Primary Hop Limit")            \
        F(h, U8,  prim_sl,              4, N2,   N, NONE,      ALWAYS,                  "prim_sl", "Primary SL")                       \
        F(h, U8,  prim_subnetlocal,     1, X2,   N, NONE,      ALWAYS,                  "prim_subnetlocal", "Primary Subnet Local")    \
        F(h, U8,  prim_reserved1,       3, X2,   R, NONE,      ALWAYS,                  "prim_reserved1", "Reserved (3 bits)")         \
        F(h, U8,  prim_localacktout,    5, X2,   N, TIMEOUT,   ALWAYS,                  "prim_localacktout", "Primary Local ACK Timeout") \
        F(h, U8,  prim_reserved2,       3, X2,   R, NONE,      ALWAYS,                  "prim_reserved2", "Reserved (3 bits)")         \
        F(h, U16, alt_locallid,        16, DEC,  N, NONE,      ALWAYS,                  "alt_locallid", "Alternate Local Port LID")    \
        F(h, U16, alt_remotelid,       16, DEC,  N, NONE,      ALWAYS,                  "alt_remotelid", "Alternate Remote Port LID")  \
        F(h, B,   alt_localgid,       128, BYTES, N, NONE,      ALWAYS,                  "alt_localgid", "Alternate Local Port GID")   \
        F(h, B,   alt_remotegid,      128, BYTES, N, NONE,      ALWAYS,                  "alt_remotegid", "Alternate Remote Port GID") \
        F(h, U32, alt_flowlabel,       20, X8,   N, NONE,      ALWAYS,                  "alt_flowlabel", "Alternate Flow Label")       \
        F(h, U8,  alt_reserved0,        6, X8,   R, NONE,      ALWAYS,                  "alt_reserved0", "Reserved (6 bits)")          \
        F(h, U8,  alt_pktrate,          6, X8,   N, RATE,      ALWAYS,                  "alt_pktrate", "Alternate Packet Rate")        \
        F(h, U8,  alt_tfcclass,         8, X2,   N, NONE,      ALWAYS,                  "alt_tfcclass", "Alternate Traffic Class")     \
        F(h, U8,  alt_hoplim,           8, N2,   N, NONE,      ALWAYS,                  "alt_hoplim", "Alternate Hop Limit")           \
        F(h, U8,  alt_sl,               4, N2,   N, NONE,      ALWAYS,                  "alt_sl", "Alternate SL")                      \
        F(h, U8,  alt_subnetlocal,      1, X2,   N, NONE,      ALWAYS,                  "alt_subnetlocal", "Alternate Subnet Local")   \
        F(h, U8,  alt_reserved1,        3, X2,   R, NONE,      ALWAYS,                  "alt_reserved1", "Reserved (3 bits)")          \
        F(h, U8,  alt_localacktout,     5, X2,   N, TIMEOUT,   ALWAYS,                  "alt_localacktout", "Alternate Local ACK Timeout") \
        F(h, U8,  alt_reserved2,        3, X2,   R, NONE,      ALWAYS,                  "alt_reserved2", "Reserved (3 bits)")          \
        V(h, alt_reserved2,             3, X2,   H, NONE,      ALWAYS,                  "=infiniband.cm.req.alt_reserved1", "Reserved (3 bits)")
#define IBA_CM_REQ_PRIVATE(F, V, h)                                                                                                    \
        F(h, B,   private_data,       736, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_IP_SERVICE(F, V, h)                                                                                                        \
        F(h, B,   prefix,              40, BYTES, N, NONE,      ALWAYS,                  "prefix", "Prefix")                           \
        F(h, U8,  protocol,             8, X2,   N, IPPROTO,   ALWAYS,                  "protocol", "Protocol")                        \
        F(h, U16, dport,               16, N4,   N, NONE,      ALWAYS,                  "dport", "Destination Port")
#define IBA_IP_GIDS(F, V, h)                                                                                                           \
        F(h, B,   reserved1,           96, BYTES, R, NONE,      ALWAYS,                  "prim_localgid_prefix", "Prefix of the IPv4 Address") \
        F(h, U32, prim_localgid_ipv4,   32, IP4,  N, NONE,      ALWAYS,                  "prim_localgid_ipv4", "Primary Local Port GID") \
        F(h, B,   reserved2,           96, BYTES, R, NONE,      ALWAYS,                  "prim_remotegid_prefix", "Prefix of the IPv4 Address") \
        F(h, U32, prim_remotegid_ipv4,   32, IP4,  N, NONE,      ALWAYS,                  "prim_remotegid_ipv4", "Primary Remote Port GID")
#define IBA_IP_CM(F, V, h)                                                                                                             \
        F(h, U8,  majv,                 4, N2,   N, NONE,      ALWAYS,                  "majv", "IP CM Major Version")                 \
        F(h, U8,  minv,                 4, N2,   N, NONE,      ALWAYS,                  "minv", "IP CM Minor Version")                 \
        F(h, U8,  ipv,                  4, N2,   N, NONE,      ALWAYS,                  "ipv", "IP CM IP Version")                     \
        F(h, U8,  reserved,             4, X2,   N, NONE,      ALWAYS,                  "reserved", "IP CM Reserved")                  \
        F(h, U16, sport,               16, N4,   N, NONE,      ALWAYS,                  "sport", "IP CM Source Port")
#define IBA_IP_CM6(F, V, h)                                                                                                            \
        F(h, B,   sip6,               128, IP6,  N, NONE,      ALWAYS,                  "sip6", "IP CM Source IP")                     \
        F(h, B,   dip6,               128, IP6,  N, NONE,      ALWAYS,                  "dip6", "IP CM Destination IP")
#define IBA_IP_CM4(F, V, h)                                                                                                            \
        F(h, B,   reserved1,           96, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (12 bytes)")           \
        F(h, U32, sip4,                32, IP4,  N, NONE,      ALWAYS,                  "sip4", "IP CM Source IP")                     \
        F(h, B,   reserved2,           96, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (12 bytes)")           \
        F(h, U32, dip4,                32, IP4,  N, NONE,      ALWAYS,                  "dip4", "IP CM Destination IP")
#define IBA_IP_CM_PRIVATE(F, V, h)                                                                                                     \
        F(h, B,   private_data,       448, BYTES, N, NONE,      ALWAYS,                  "private", "IP CM Consumer PrivateData")
#define IBA_CM_MRA(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U8,  msgmraed,             2, X2,   N, CM_MESSAGE, ALWAYS,                  "msgmraed", "Message MRAed")                  \
        F(h, U8,  reserved1,            6, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (6 bits)")              \
        F(h, U8,  servicetimeout,       5, X2,   N, TIMEOUT,   ALWAYS,                  "servicetimeout", "Service Timeout")           \
        F(h, U8,  reserved2,            3, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (3 bits)")              \
        F(h, B,   private_data,      1776, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_REJ(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U8,  msgrej,               2, X2,   N, CM_MESSAGE, ALWAYS,                  "msgrej", "Message REJected")                 \
        F(h, U8,  reserved0,            6, X2,   N, NONE,      ALWAYS,                  "reserved0", "Reserved")                       \
        F(h, U8,  rejinfolen,           7, N2,   N, NONE,      ALWAYS,                  "rejinfolen", "Reject Info Length")            \
        F(h, U8,  reserved1,            1, X2,   N, NONE,      ALWAYS,                  "reserved1", "Reserved")                       \
        F(h, U16, reason,              16, X4,   N, CM_REJECT, ALWAYS,                  "reason", "Reason")                            \
        F(h, B,   ari,                576, BYTES, N, NONE,      ALWAYS,                  "ari", "Additional Reject Information (ARI)") \
        F(h, B,   private_data,      1184, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_REP(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "=infiniband.cm.rep", "Local Communication ID") \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U32, localqkey,           32, X8,   N, NONE,      ALWAYS,                  "localqkey", "Local Q_Key")                    \
        F(h, U32, localqpn,            24, X6,   N, NONE,      ALWAYS,                  "localqpn", "Local QPN")                       \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U32, localeecn,           24, X6,   N, NONE,      ALWAYS,                  "localeecn", "Local EE Context Number")        \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U32, startpsn,            24, N6,   N, NONE,      ALWAYS,                  "startpsn", "Starting PSN")                    \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U8,  respres,              8, N2,   N, NONE,      ALWAYS,                  "respres", "Responder Resources")              \
        F(h, U8,  initdepth,            8, N2,   N, NONE,      ALWAYS,                  "initdepth", "Initiator Depth")                \
        F(h, U8,  tgtackdelay,          5, X2,   N, TIMEOUT,   ALWAYS,                  "tgtackdelay", "Target ACK Delay")             \
        F(h, U8,  failoveracc,          2, X2,   N, CM_FAILOVER, ALWAYS,                  "failoveracc", "Failover Accepted")          \
        F(h, U8,  e2eflowctrl,          1, X2,   N, NONE,      ALWAYS,                  "e2eflowctrl", "End-To-End Flow Control")      \
        F(h, U8,  rnrretrcount,         3, X2,   N, RNR_RETRY, ALWAYS,                  "rnrretrcount", "RNR Retry Count")             \
        F(h, U8,  srq,                  1, X2,   N, NONE,      ALWAYS,                  "srq", "SRQ")                                  \
        F(h, U8,  reserved,             4, X2,   N, NONE,      ALWAYS,                  "reserved", "Reserved")                        \
        F(h, U64, localcaguid,         64, X16,  N, NONE,      ALWAYS,                  "localcaguid", "Local CA GUID")                \
        F(h, B,   private_data,      1568, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_RTU(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, B,   private_data,      1792, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_DREQ(F, V, h)                                                                                                           \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U32, remoteqpn,           24, X6,   N, NONE,      ALWAYS,                  "=infiniband.cm.req.remoteqpneecn", "Remote QPN/EECN") \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, B,   private_data,      1760, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_DREP(F, V, h)                                                                                                           \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, B,   private_data,      1792, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_LAP(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U32, reserved1,           32, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bits)")             \
        F(h, U32, remoteqpn,           24, X6,   N, NONE,      ALWAYS,                  "remoteqpneecn", "Remote QPN/EECN")            \
        F(h, U8,  remoteresptout,       5, X2,   N, TIMEOUT,   ALWAYS,                  "remoteresptout", "Remote CM Response Timeout") \
        F(h, U8,  reserved2,            3, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (3 bits)")              \
        F(h, U32, reserved3,           32, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (32 bits)")             \
        F(h, U16, alt_locallid,        16, DEC,  N, NONE,      ALWAYS,                  "alt_locallid", "Alternate Local Port LID")    \
        F(h, U16, alt_remotelid,       16, DEC,  N, NONE,      ALWAYS,                  "alt_remotelid", "Alternate Remote Port LID")  \
        F(h, B,   alt_localgid,       128, IP6,  N, NONE,      ALWAYS,                  "alt_localgid", "Alternate Local Port GID")    \
        F(h, B,   alt_remotegid,      128, IP6,  N, NONE,      ALWAYS,                  "alt_remotegid", "Alternate Remote Port GID")  \
        F(h, U32, alt_flowlabel,       20, X8,   N, NONE,      ALWAYS,                  "alt_flowlabel", "Alternate Flow Label")       \
        F(h, U8,  reserved4,            4, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (4 bits)")              \
        F(h, U8,  alt_tfcclass,         8, X2,   N, NONE,      ALWAYS,                  "alt_tfcclass", "Alternate Traffic Class")     \
        F(h, U8,  alt_hoplim,           8, N2,   N, NONE,      ALWAYS,                  "alt_hoplim", "Alternate Hop Limit")           \
        F(h, U8,  reserved5,            2, DEC,  R, NONE,      ALWAYS,                  "reserved5", "Reserved (2 bits)")              \
        F(h, U8,  alt_pktrate,          6, X2,   N, RATE,      ALWAYS,                  "alt_pktrate", "Alternate Packet Rate")        \
        F(h, U8,  alt_sl,               4, N2,   N, NONE,      ALWAYS,                  "alt_sl", "Alternate SL")                      \
        F(h, U8,  alt_subnetlocal,      1, X2,   N, NONE,      ALWAYS,                  "alt_subnetlocal", "Alternate Subnet Local")   \
        F(h, U8,  reserved6,            3, DEC,  R, NONE,      ALWAYS,                  "reserved6", "Reserved (3 bits)")              \
        F(h, U8,  alt_localacktout,     5, X2,   N, TIMEOUT,   ALWAYS,                  "alt_localacktout", "Alternate Local ACK Timeout") \
        F(h, U8,  reserved7,            3, DEC,  R, NONE,      ALWAYS,                  "reserved7", "Reserved (3 bits)")              \
        F(h, B,   private_data,      1344, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_APR(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, U8,  infolen,              8, N2,   N, NONE,      ALWAYS,                  "infolen", "Additional Information Length")    \
        F(h, U8,  status,               8, X2,   N, CM_APR,    ALWAYS,                  "status", "AP Status")                         \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, B,   info,               576, BYTES, N, NONE,      ALWAYS,                  "info", "Additional Information")             \
        F(h, B,   private_data,      1184, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_SIDR_REQ(F, V, h)                                                                                                       \
        F(h, U32, requestid,           32, X8,   N, NONE,      ALWAYS,                  "requestid", "Request ID")                     \
        F(h, U16, pkey,                16, X4,   N, NONE,      ALWAYS,                  "pkey", "Partition Key")                       \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U64, serviceid,           64, X16,  N, NONE,      ALWAYS,                  "serviceid", "ServiceID")
#define IBA_CM_SIDR_PRIVATE(F, V, h)                                                                                                   \
        F(h, B,   private_data,      1728, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_SIDR_IP_SERVICE(F, V, h)                                                                                                   \
        F(h, B,   prefix,              40, BYTES, N, NONE,      ALWAYS,                  "prefix", "Prefix")                           \
        F(h, U8,  protocol,             8, X2,   N, IPPROTO,   ALWAYS,                  "protocol", "Protocol")                        \
        F(h, U16, dport,               16, N4,   N, NONE,      ALWAYS,                  "dport", "Destination Port")
#define IBA_SIDR_IP_CM(F, V, h)                                                                                                        \
        F(h, U8,  majv,                 4, N2,   N, NONE,      ALWAYS,                  "majv", "IP CM Major Version")                 \
        F(h, U8,  minv,                 4, N2,   N, NONE,      ALWAYS,                  "minv", "IP CM Minor Version")                 \
        F(h, U8,  ipv,                  4, N2,   N, NONE,      ALWAYS,                  "ipv", "IP CM IP Version")                     \
        F(h, U8,  reserved,             4, X2,   N, NONE,      ALWAYS,                  "reserved", "IP CM Reserved")                  \
        F(h, U16, sport,               16, N4,   N, NONE,      ALWAYS,                  "sport", "IP CM Source Port")
#define IBA_SIDR_IP_CM6(F, V, h)                                                                                                       \
        F(h, B,   sip6,               128, IP6,  N, NONE,      ALWAYS,                  "sip6", "IP CM Source IP")                     \
        F(h, B,   dip6,               128, IP6,  N, NONE,      ALWAYS,                  "dip6", "IP CM Destination IP")
#define IBA_SIDR_IP_CM4(F, V, h)                                                                                                       \
        F(h, B,   reserved1,           96, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (12 bytes)")           \
        F(h, U32, sip4,                32, IP4,  N, NONE,      ALWAYS,                  "sip4", "IP CM Source IP")                     \
        F(h, B,   reserved2,           96, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (12 bytes)")           \
        F(h, U32, dip4,                32, IP4,  N, NONE,      ALWAYS,                  "dip4", "IP CM Destination IP")
#define IBA_CM_SIDR_REP(F, V, h)                                                                                                       \
        F(h, U32, requestid,           32, X8,   N, NONE,      ALWAYS,                  "requestid", "Request ID")                     \
        F(h, U8,  status,               8, X2,   N, CM_SIDR,   ALWAYS,                  "status", "Status")                            \
        F(h, U8,  infolen,              8, N2,   N, NONE,      ALWAYS,                  "infolen", "Additional Information Length")    \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U32, qpn,                 24, X6,   N, NONE,      ALWAYS,                  "qpn", "QPN")                                  \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U64, serviceid,           64, X16,  N, NONE,      ALWAYS,                  "serviceid", "ServiceID")                      \
        F(h, U32, qkey,                32, X8,   N, NONE,      ALWAYS,                  "qkey", "Q_Key")                               \
        F(h, B,   info,               576, BYTES, N, NONE,      ALWAYS,                  "info", "Additional Information")             \
        F(h, B,   private_data,      1088, BYTES, N, NONE,      ALWAYS,                  "private", "PrivateData")
#define IBA_CM_SAP(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, B,   data,              1792, BYTES, N, NONE,      ALWAYS,                  "data", "Data")
#define IBA_CM_SPR(F, V, h)                                                                                                            \
        F(h, U32, localcommid,         32, X8,   N, NONE,      ALWAYS,                  "localcommid", "Local Communication ID")       \
        F(h, U32, remotecommid,        32, X8,   N, NONE,      ALWAYS,                  "remotecommid", "Remote Communication ID")     \
        F(h, B,   data,              1792, BYTES, N, NONE,      ALWAYS,                  "data", "Data")

/*        list                          name                   bytes prefix, title */
#define IBA_CM_LAYOUTS(H)                                                                                                              \
        H(IBA_CM_REQ,                  cm_req,                  140, "infiniband.cm.req", "CM REQ - Request for Communication")        \
        H(IBA_CM_REQ_PRIVATE,          cm_req_private,           92, "infiniband.cm.req", "CM REQ Private Data")                       \
        H(IBA_IP_SERVICE,              ip_service,                8, "infiniband.cm.req.serviceid", "Service ID of the RDMA IP CM Service") \
        H(IBA_IP_GIDS,                 ip_gids,                  32, "infiniband.cm.req", "GIDs that are IPv4 addresses")              \
        H(IBA_IP_CM,                   ip_cm,                     4, "infiniband.cm.req.ip_cm", "IP CM Request Message")               \
        H(IBA_IP_CM6,                  ip_cm6,                   32, "infiniband.cm.req.ip_cm", "IPv6 addresses")                      \
        H(IBA_IP_CM4,                  ip_cm4,                   32, "infiniband.cm.req.ip_cm", "IPv4 addresses")                      \
        H(IBA_IP_CM_PRIVATE,           ip_cm_private,            56, "infiniband.cm.req.ip_cm", "Private data of the consumer")        \
        H(IBA_CM_MRA,                  cm_mra,                  232, "infiniband.cm.mra", "CM MRA - Message Receipt Acknowledgment")   \
        H(IBA_CM_REJ,                  cm_rej,                  232, "infiniband.cm.rej", "CM REJ - Reject")                           \
        H(IBA_CM_REP,                  cm_rep,                  232, "infiniband.cm.rep", "CM REP - Reply to Request for Communication") \
        H(IBA_CM_RTU,                  cm_rtu,                  232, "infiniband.cm.rtu", "CM RTU - Ready To Use")                     \
        H(IBA_CM_DREQ,                 cm_dreq,                 232, "infiniband.cm.dreq", "CM DREQ - Request for Communication Release") \
        H(IBA_CM_DREP,                 cm_drep,                 232, "infiniband.cm.drsp", "CM DREP - Reply to Request for Communication Release") \
        H(IBA_CM_LAP,                  cm_lap,                  232, "infiniband.cm.lap", "CM LAP - Load Alternate Path")              \
        H(IBA_CM_APR,                  cm_apr,                  232, "infiniband.cm.apr", "CM APR - Alternate Path Response")          \
        H(IBA_CM_SIDR_REQ,             cm_sidr_req,              16, "infiniband.cm.sidr_req", "CM SIDR_REQ - Service ID Resolution Request") \
        H(IBA_CM_SIDR_PRIVATE,         cm_sidr_private,         216, "infiniband.cm.sidr_req", "CM SIDR_REQ Private Data")             \
        H(IBA_SIDR_IP_SERVICE,         sidr_ip_service,           8, "infiniband.cm.sidr_req.serviceid", "Service ID of the RDMA IP CM Service") \
        H(IBA_SIDR_IP_CM,              sidr_ip_cm,                4, "infiniband.cm.sidr_req.ip_cm", "IP CM Request Message")          \
        H(IBA_SIDR_IP_CM6,             sidr_ip_cm6,              32, "infiniband.cm.sidr_req.ip_cm", "IPv6 addresses")                 \
        H(IBA_SIDR_IP_CM4,             sidr_ip_cm4,              32, "infiniband.cm.sidr_req.ip_cm", "IPv4 addresses")                 \
        H(IBA_CM_SIDR_REP,             cm_sidr_rep,             232, "infiniband.cm.sidr_rep", "CM SIDR_REP - Service ID Resolution Response") \
        H(IBA_CM_SAP,                  cm_sap,                  232, "infiniband.cm.sap", "CM SAP - Suggest Alternate Path")           \
        H(IBA_CM_SPR,                  cm_spr,                  232, "infiniband.cm.spr", "CM SPR - Suggested Alternate Path Response")
/* clang-format on */
#endif
