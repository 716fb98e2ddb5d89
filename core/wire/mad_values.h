/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the codes in management datagrams, in the form of iba_values.h.
 * Sources: catalogue MD-03..MD-05, MD-34, MD-35, MD-38, MD-45, MD-61, MD-74, MD-79, MD-80, MD-89, KM-29, KM-34, KM-52.
 */
#ifndef MAD_VALUES_H
#define MAD_VALUES_H

/* clang-format off */
#define IBA_MGMT_CLASS_VALUES(V)                                                                                       \
    V(0x01, 0x01, "SubnMgmt (LID routed)") V(0x03, 0x03, "SubnAdm") V(0x04, 0x04, "PerfMgt") V(0x05, 0x05, "BM")       \
    V(0x06, 0x06, "DevMgt") V(0x07, 0x07, "ComMgt") V(0x08, 0x08, "SNMP") V(0x09, 0x0f, "Vendor")                      \
    V(0x10, 0x10, "DevAdm") V(0x11, 0x11, "BootMgt") V(0x12, 0x12, "BIS") V(0x13, 0x20, "Application")                 \
    V(0x21, 0x21, "CongestionControl") V(0x22, 0x2f, "Application") V(0x30, 0x4f, "Vendor with OUI")                   \
    V(0x81, 0x81, "SubnMgmt (directed route)")
#define IBA_MAD_METHOD_VALUES(V)                                                                                       \
    V(0x01, 0x01, "Get") V(0x02, 0x02, "Set") V(0x03, 0x03, "Send") V(0x05, 0x05, "Trap") V(0x06, 0x06, "Report")      \
    V(0x07, 0x07, "TrapRepress") V(0x12, 0x12, "GetTable") V(0x13, 0x13, "GetTraceTable") V(0x14, 0x14, "GetMulti")    \
    V(0x15, 0x15, "Delete") V(0x81, 0x81, "GetResp") V(0x86, 0x86, "ReportResp") V(0x92, 0x92, "GetTableResp")         \
    V(0x94, 0x94, "GetMultiResp") V(0x95, 0x95, "DeleteResp")
#define IBA_MAD_STATUS_VALUES(V)                                                                                       \
    V(0, 0, "ok") V(1, 1, "bad version") V(2, 2, "method not supported") V(3, 3, "method/attribute not supported")     \
    V(4, 6, "reserved") V(7, 7, "invalid attribute or modifier value")
#define IBA_SA_STATUS_VALUES(V)                                                                                        \
    V(0, 0, "ok") V(1, 1, "no resources") V(2, 2, "request invalid") V(3, 3, "no records") V(4, 4, "too many records") \
    V(5, 5, "invalid GID") V(6, 6, "insufficient components") V(7, 7, "request denied") V(8, 8, "priority suggested")
#define IBA_DIRECTION_VALUES(V) V(0, 0, "outbound") V(1, 1, "returning")
#define IBA_NODE_TYPE_VALUES(V) V(1, 1, "channel adapter") V(2, 2, "switch") V(3, 3, "router")
#define IBA_WIDTH_VALUES(V)                                                                                            \
    V(0, 0, "no change") V(1, 1, "1x") V(2, 2, "4x") V(3, 3, "1x or 4x") V(4, 4, "8x") V(5, 5, "1x or 8x")             \
    V(6, 6, "4x or 8x") V(7, 7, "1x, 4x or 8x") V(8, 8, "12x") V(9, 9, "1x or 12x") V(10, 10, "4x or 12x")             \
    V(11, 11, "1x, 4x or 12x") V(12, 12, "8x or 12x") V(13, 13, "1x, 8x or 12x") V(14, 14, "4x, 8x or 12x")            \
    V(15, 15, "1x, 4x, 8x or 12x") V(16, 16, "2x") V(17, 17, "1x or 2x") V(18, 18, "2x or 4x")                         \
    V(19, 19, "1x, 2x or 4x") V(20, 20, "2x or 8x") V(21, 21, "1x, 2x or 8x") V(22, 22, "2x, 4x or 8x")                \
    V(23, 23, "1x, 2x, 4x or 8x") V(24, 24, "2x or 12x") V(25, 25, "1x, 2x or 12x") V(26, 26, "2x, 4x or 12x")         \
    V(27, 27, "1x, 2x, 4x or 12x") V(28, 28, "2x, 8x or 12x") V(29, 29, "1x, 2x, 8x or 12x")                           \
    V(30, 30, "2x, 4x, 8x or 12x") V(31, 31, "1x, 2x, 4x, 8x or 12x") V(255, 255, "all that are supported")
#define IBA_SPEEDS_VALUES(V)                                                                                           \
    V(0, 0, "none or extended") V(1, 1, "SDR") V(2, 2, "DDR") V(3, 3, "SDR or DDR") V(4, 4, "QDR")                     \
    V(5, 5, "SDR or QDR") V(6, 6, "DDR or QDR") V(7, 7, "SDR, DDR or QDR") V(15, 15, "all that are supported")
#define IBA_EXT_SPEEDS_VALUES(V)                                                                                       \
    V(0, 0, "none") V(1, 1, "FDR") V(2, 2, "EDR") V(3, 3, "FDR or EDR") V(4, 4, "HDR") V(5, 5, "FDR or HDR")           \
    V(6, 6, "EDR or HDR") V(7, 7, "FDR, EDR or HDR") V(8, 8, "NDR") V(9, 9, "FDR or NDR") V(10, 10, "EDR or NDR")      \
    V(11, 11, "FDR, EDR or NDR") V(12, 12, "HDR or NDR") V(13, 13, "FDR, HDR or NDR") V(14, 14, "EDR, HDR or NDR")     \
    V(15, 15, "FDR, EDR, HDR or NDR")
#define IBA_EXT_ENABLED_VALUES(V)                                                                                      \
    IBA_EXT_SPEEDS_VALUES(V) V(30, 30, "no extended speed") V(31, 31, "all that are supported")
#define IBA_MLNX_SPEED_VALUES(V) V(0, 0, "none") V(1, 1, "FDR10")
#define IBA_FEC_VALUES(V) V(0, 0, "none") V(1, 1, "FireCode") V(2, 2, "RS-FEC") V(3, 3, "RS-FEC with low latency")
#define IBA_PORT_STATE_VALUES(V) V(0, 0, "no change") V(1, 1, "Down") V(2, 2, "Init") V(3, 3, "Armed") V(4, 4, "Active")
#define IBA_PHYS_STATE_VALUES(V)                                                                                       \
    V(0, 0, "no change") V(1, 1, "Sleep") V(2, 2, "Polling") V(3, 3, "Disabled") V(4, 4, "Training")                   \
    V(5, 5, "LinkUp") V(6, 6, "LinkErrorRecovery") V(7, 7, "PhyTest")
#define IBA_DOWN_STATE_VALUES(V) V(0, 0, "no change") V(1, 1, "Sleep") V(2, 2, "Polling")
#define IBA_MTU_VALUES(V) V(1, 1, "256") V(2, 2, "512") V(3, 3, "1024") V(4, 4, "2048") V(5, 5, "4096")
#define IBA_VLS_VALUES(V)                                                                                              \
    V(0, 0, "no change") V(1, 1, "VL0") V(2, 2, "VL0 to VL1") V(3, 3, "VL0 to VL3") V(4, 4, "VL0 to VL7")              \
    V(5, 5, "VL0 to VL14")
#define IBA_RATE_VALUES(V)                                                                                             \
    V(2, 2, "2.5 Gb/s") V(3, 3, "10 Gb/s") V(4, 4, "30 Gb/s") V(5, 5, "5 Gb/s") V(6, 6, "20 Gb/s") V(7, 7, "40 Gb/s")  \
    V(8, 8, "60 Gb/s") V(9, 9, "80 Gb/s") V(10, 10, "120 Gb/s") V(11, 11, "14 Gb/s") V(12, 12, "56 Gb/s")              \
    V(13, 13, "112 Gb/s") V(14, 14, "168 Gb/s") V(15, 15, "25 Gb/s") V(16, 16, "100 Gb/s") V(17, 17, "200 Gb/s")       \
    V(18, 18, "300 Gb/s") V(19, 19, "28 Gb/s") V(20, 20, "50 Gb/s") V(21, 21, "400 Gb/s") V(22, 22, "600 Gb/s")        \
    V(23, 23, "800 Gb/s") V(24, 24, "1200 Gb/s")
#define IBA_TIMEOUT_VALUES(V)                                                                                          \
    V(0, 0, "4.096 us") V(1, 1, "8.192 us") V(2, 2, "16.38 us") V(3, 3, "32.77 us") V(4, 4, "65.54 us")                \
    V(5, 5, "131.1 us") V(6, 6, "262.1 us") V(7, 7, "524.3 us") V(8, 8, "1.049 ms") V(9, 9, "2.097 ms")                \
    V(10, 10, "4.194 ms") V(11, 11, "8.389 ms") V(12, 12, "16.78 ms") V(13, 13, "33.55 ms") V(14, 14, "67.11 ms")      \
    V(15, 15, "134.2 ms") V(16, 16, "268.4 ms") V(17, 17, "536.9 ms") V(18, 18, "1.074 s") V(19, 19, "2.147 s")        \
    V(20, 20, "4.295 s") V(21, 21, "8.59 s") V(22, 22, "17.18 s") V(23, 23, "34.36 s") V(24, 24, "68.72 s")            \
    V(25, 25, "137.4 s") V(26, 26, "274.9 s") V(27, 27, "549.8 s") V(28, 28, "1100 s") V(29, 29, "2199 s")             \
    V(30, 30, "4398 s") V(31, 31, "8796 s")
#define IBA_MEMBERSHIP_VALUES(V) V(0, 0, "limited") V(1, 1, "full")
#define IBA_NO_PORT_VALUES(V) V(255, 255, "no path")
#define IBA_SM_STATE_VALUES(V) V(0, 0, "not active") V(1, 1, "discovering") V(2, 2, "standby") V(3, 3, "master")
#define IBA_NOTICE_TYPE_VALUES(V)                                                                                      \
    V(0, 0, "fatal") V(1, 1, "urgent") V(2, 2, "security") V(3, 3, "subnet management") V(4, 4, "informational")       \
    V(0x7f, 0x7f, "empty")
#define IBA_TRAP_VALUES(V)                                                                                             \
    V(64, 64, "GID in service") V(65, 65, "GID out of service") V(66, 66, "multicast group created")                   \
    V(67, 67, "multicast group deleted") V(68, 68, "paths are no longer valid") V(69, 69, "paths changed")             \
    V(128, 128, "link state of a switch changed") V(129, 129, "local link integrity threshold reached")                \
    V(130, 130, "excessive buffer overrun threshold reached") V(131, 131, "flow control watchdog expired")             \
    V(144, 144, "capability, description or enabled speed changed") V(145, 145, "system image GUID changed")           \
    V(256, 256, "bad M_Key") V(257, 257, "bad P_Key") V(258, 258, "bad Q_Key") V(259, 259, "bad P_Key at a switch port")
#define IBA_RMPP_TYPE_VALUES(V) V(1, 1, "DATA") V(2, 2, "ACK") V(3, 3, "STOP") V(4, 4, "ABORT")
#define IBA_RMPP_STATUS_VALUES(V)                                                                                      \
    V(0, 0, "normal") V(1, 1, "resources exhausted") V(118, 118, "total time too long")                                \
    V(119, 119, "inconsistent Last and PayloadLength") V(120, 120, "inconsistent First and SegmentNumber")             \
    V(121, 121, "bad RMPPType") V(122, 122, "NewWindowLast too small") V(123, 123, "SegmentNumber too big")            \
    V(124, 124, "illegal status") V(125, 125, "unsupported version") V(126, 126, "too many retries")                   \
    V(127, 127, "unspecified")
#define IBA_SELECTOR_VALUES(V) V(0, 0, "greater than") V(1, 1, "less than") V(2, 2, "exactly") V(3, 3, "largest")
#define IBA_GID_SCOPE_VALUES(V) V(2, 2, "link-local") V(5, 5, "site-local") V(8, 8, "organization-local") V(14, 14, "global")
#define IBA_CM_SERVICE_VALUES(V) V(0, 0, "RC") V(1, 1, "UC") V(2, 2, "RD") V(3, 3, "see Extended Transport")
#define IBA_CM_EXTENDED_VALUES(V) V(1, 1, "XRC")
#define IBA_RNR_RETRY_VALUES(V) V(7, 7, "for ever")
#define IBA_CM_MESSAGE_VALUES(V) V(0, 0, "REQ") V(1, 1, "REP") V(2, 2, "other")
#define IBA_CM_FAILOVER_VALUES(V) V(0, 0, "accepted") V(1, 1, "not supported") V(2, 2, "rejected")
#define IBA_CM_REJECT_VALUES(V)                                                                                        \
    V(1, 1, "no QP available") V(2, 2, "no EEC available") V(3, 3, "no resources available") V(4, 4, "timeout")        \
    V(5, 5, "unsupported request") V(6, 6, "invalid communication ID") V(7, 7, "invalid communication instance")       \
    V(8, 8, "invalid service ID") V(9, 9, "invalid transport service type") V(10, 10, "stale connection")              \
    V(11, 11, "RDC does not exist") V(12, 12, "primary remote port GID rejected")                                      \
    V(13, 13, "primary remote port LID rejected") V(14, 14, "invalid primary SL")                                      \
    V(15, 15, "invalid primary traffic class") V(16, 16, "invalid primary hop limit")                                  \
    V(17, 17, "invalid primary packet rate") V(18, 18, "alternate remote port GID rejected")                           \
    V(19, 19, "alternate remote port LID rejected") V(20, 20, "invalid alternate SL")                                  \
    V(21, 21, "invalid alternate traffic class") V(22, 22, "invalid alternate hop limit")                              \
    V(23, 23, "invalid alternate packet rate") V(24, 24, "port and CM redirection") V(25, 25, "port redirection")      \
    V(26, 26, "invalid path MTU") V(27, 27, "insufficient responder resources") V(28, 28, "consumer reject")           \
    V(29, 29, "RNR retry count rejected") V(30, 30, "duplicate local communication ID")                                \
    V(31, 31, "invalid class version") V(32, 32, "invalid primary flow label")                                         \
    V(33, 33, "invalid alternate flow label") V(35, 35, "vendor option not supported")
#define IBA_CM_APR_VALUES(V)                                                                                           \
    V(0, 0, "alternate path loaded") V(1, 1, "invalid communication instance") V(2, 2, "not supported")                \
    V(3, 3, "rejected") V(4, 4, "redirect") V(5, 5, "duplicate of the current path") V(6, 6, "QPN does not match")     \
    V(7, 7, "LID rejected") V(8, 8, "GID rejected") V(9, 9, "flow label rejected") V(10, 10, "traffic class rejected") \
    V(11, 11, "hop limit rejected") V(12, 12, "packet rate rejected") V(13, 13, "SL rejected")
#define IBA_CM_SIDR_VALUES(V)                                                                                          \
    V(0, 0, "valid QPN") V(1, 1, "service ID not supported") V(2, 2, "rejected by the service provider")               \
    V(3, 3, "no QP available") V(4, 4, "redirect") V(5, 5, "class version not supported")
#define IBA_SAMPLE_STATUS_VALUES(V) V(0, 0, "done") V(1, 1, "armed") V(2, 2, "running") V(3, 3, "reserved")
#define IBA_CC_LOG_VALUES(V) V(1, 1, "switch") V(2, 2, "channel adapter")
#define IBA_SDP_MID_VALUES(V) V(0, 0, "Hello") V(1, 1, "HelloAck")
#define IBA_SRP_REJECT_VALUES(V)                                                                                       \
    V(0x10000, 0x10000, "unable to establish the channel") V(0x10001, 0x10001, "insufficient resources")               \
    V(0x10002, 0x10002, "requested IU length too large") V(0x10003, 0x10003, "unable to associate the channel")        \
    V(0x10004, 0x10004, "unsupported descriptor format") V(0x10005, 0x10005, "no multi-channel support")               \
    V(0x10006, 0x10006, "channel limit reached")
#define IBA_NVME_REJECT_VALUES(V)                                                                                      \
    V(1, 1, "invalid private data length") V(2, 2, "invalid record format") V(3, 3, "invalid queue ID")                \
    V(4, 4, "invalid host receive queue size") V(5, 5, "invalid host send queue size") V(6, 6, "no resources")         \
    V(7, 7, "invalid initiator depth") V(8, 8, "invalid controller ID")

#define IBA_MAD_VOCABULARIES(W)                                                                                        \
    W(MGMT_CLASS) W(MAD_METHOD) W(MAD_STATUS) W(SA_STATUS) W(DIRECTION) W(NODE_TYPE) W(WIDTH) W(SPEEDS) W(EXT_SPEEDS) W(EXT_ENABLED) \
    W(MLNX_SPEED) W(FEC) W(PORT_STATE) W(PHYS_STATE) W(DOWN_STATE) W(MTU) W(VLS) W(RATE) W(TIMEOUT) W(MEMBERSHIP)      \
    W(NO_PORT) W(SM_STATE) W(NOTICE_TYPE) W(TRAP) W(RMPP_TYPE) W(RMPP_STATUS) W(SELECTOR) W(GID_SCOPE) W(CM_SERVICE)   \
    W(CM_EXTENDED) W(RNR_RETRY) W(CM_MESSAGE) W(CM_FAILOVER) W(CM_REJECT) W(CM_APR) W(CM_SIDR) W(SAMPLE_STATUS)        \
    W(CC_LOG) W(SDP_MID) W(SRP_REJECT) W(NVME_REJECT)
/* clang-format on */
#endif
