/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts of performance management, congestion control, and of the smaller classes. The lists have the same form as
 * those of smp_fields.h. Sources: catalogue MD-102..MD-108, MD-115..MD-117; libibmad for the optional counters. */
#ifndef PM_FIELDS_H
#define PM_FIELDS_H

/* clang-format off */
/*        hdr type name      bits show  vis values     condition                 filter name         label */
#define IBA_PM_SAMPLES_CONTROL(F, V, h)                                                                                                \
        F(h, U8,  opcode,               8, X2,   N, NONE,      ALWAYS,                  "opcode", "OpCode")                            \
        F(h, U8,  portselect,           8, N2,   N, NONE,      ALWAYS,                  "portselect", "PortSelect")                    \
        F(h, U8,  tick,                 8, X2,   N, NONE,      ALWAYS,                  "tick", "Tick")                                \
        F(h, U8,  reserved1,            5, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (5 bits)")              \
        F(h, U8,  counterwidth,         3, X2,   N, NONE,      ALWAYS,                  "counterwidth", "CounterWidth")                \
        F(h, U8,  reserved2,            2, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (2 bits)")              \
        F(h, U8,  countermask0,         3, X2,   N, NONE,      ALWAYS,                  "countermask0", "CounterMask0")                \
        F(h, U32, countermasks1to9,    27, X8,   N, NONE,      ALWAYS,                  "countermasks1to9", "CounterMasks1to9")        \
        F(h, U8,  reserved3,            1, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (1 bits)")              \
        F(h, U16, countermasks10to14,   15, X4,   N, NONE,      ALWAYS,                  "countermasks10to14", "CounterMasks10to14")   \
        F(h, U8,  samplemechanisms,     8, X2,   N, NONE,      ALWAYS,                  "samplemechanisms", "SampleMechanisms")        \
        F(h, U8,  reserved4,            6, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (6 bits)")              \
        F(h, U8,  samplestatus,         2, X2,   N, SAMPLE_STATUS, ALWAYS,                  "samplestatus", "SampleStatus")            \
        F(h, U64, optionmask,          64, X16,  N, NONE,      ALWAYS,                  "optionmask", "OptionMask")                    \
        F(h, U64, vendormask,          64, X16,  N, NONE,      ALWAYS,                  "vendormask", "VendorMask")                    \
        F(h, U32, samplestart,         32, DEC,  N, NONE,      ALWAYS,                  "samplestart", "SampleStart")                  \
        F(h, U32, sampleinterval,      32, DEC,  N, NONE,      ALWAYS,                  "sampleinterval", "SampleInterval")            \
        F(h, U16, tag,                 16, X4,   N, NONE,      ALWAYS,                  "tag", "Tag")                                  \
        F(h, U16, counterselect0,      16, X4,   N, NONE,      ALWAYS,                  "counterselect0", "CounterSelect0")            \
        F(h, U16, counterselect1,      16, X4,   N, NONE,      ALWAYS,                  "counterselect1", "CounterSelect1")            \
        F(h, U16, counterselect2,      16, X4,   N, NONE,      ALWAYS,                  "counterselect2", "CounterSelect2")            \
        F(h, U16, counterselect3,      16, X4,   N, NONE,      ALWAYS,                  "counterselect3", "CounterSelect3")            \
        F(h, U16, counterselect4,      16, X4,   N, NONE,      ALWAYS,                  "counterselect4", "CounterSelect4")            \
        F(h, U16, counterselect5,      16, X4,   N, NONE,      ALWAYS,                  "counterselect5", "CounterSelect5")            \
        F(h, U16, counterselect6,      16, X4,   N, NONE,      ALWAYS,                  "counterselect6", "CounterSelect6")            \
        F(h, U16, counterselect7,      16, X4,   N, NONE,      ALWAYS,                  "counterselect7", "CounterSelect7")            \
        F(h, U16, counterselect8,      16, X4,   N, NONE,      ALWAYS,                  "counterselect8", "CounterSelect8")            \
        F(h, U16, counterselect9,      16, X4,   N, NONE,      ALWAYS,                  "counterselect9", "CounterSelect9")            \
        F(h, U16, counterselect10,     16, X4,   N, NONE,      ALWAYS,                  "counterselect10", "CounterSelect10")          \
        F(h, U16, counterselect11,     16, X4,   N, NONE,      ALWAYS,                  "counterselect11", "CounterSelect11")          \
        F(h, U16, counterselect12,     16, X4,   N, NONE,      ALWAYS,                  "counterselect12", "CounterSelect12")          \
        F(h, U16, counterselect13,     16, X4,   N, NONE,      ALWAYS,                  "counterselect13", "CounterSelect13")          \
        F(h, U16, counterselect14,     16, X4,   N, NONE,      ALWAYS,                  "counterselect14", "CounterSelect14")          \
        F(h, U32, reserved5,           32, DEC,  R, NONE,      ALWAYS,                  "reserved5", "Reserved (32 bits)")             \
        F(h, U64, samplesonlyoptionmask,   64, X16,  N, NONE,      ALWAYS,                  "samplesonlyoptionmask", "SamplesOnlyOptionMask")
#define IBA_PM_SAMPLES_RESULT(F, V, h)                                                                                                 \
        F(h, U16, tag,                 16, X4,   N, NONE,      ALWAYS,                  "tag", "Tag")                                  \
        F(h, U16, reserved1,           14, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (14 bits)")             \
        F(h, U8,  samplestatus,         2, X2,   N, SAMPLE_STATUS, ALWAYS,                  "samplestatus", "SampleStatus")
#define IBA_PM_SAMPLE(F, V, h)                                                                                                         \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "Counter")
#define IBA_PM_SAMPLES_RESULT_EXT(F, V, h)                                                                                             \
        F(h, U16, tag,                 16, X4,   N, NONE,      ALWAYS,                  "tag", "Tag")                                  \
        F(h, U16, reserved1,           14, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (14 bits)")             \
        F(h, U8,  samplestatus,         2, X2,   N, SAMPLE_STATUS, ALWAYS,                  "samplestatus", "SampleStatus")            \
        F(h, U8,  extendedwidth,        2, X2,   N, NONE,      ALWAYS,                  "extendedwidth", "ExtendedWidth")              \
        F(h, U32, reserved2,           30, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (30 bits)")
#define IBA_PM_SAMPLE_EXT(F, V, h)                                                                                                     \
        F(h, U64, counter,             64, DEC,  N, NONE,      ALWAYS,                  "counter", "Counter")
#define IBA_PORTCOUNTERS(F, V, h)                                                                                                      \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U8,  portselect,           8, N2,   N, NONE,      ALWAYS,                  "portselect", "PortSelect")                    \
        F(h, U16, counterselect,       16, X4,   N, NONE,      ALWAYS,                  "counterselect", "CounterSelect")              \
        F(h, U16, symbolerrorcounter,   16, DEC,  N, NONE,      ALWAYS,                  "symbolerrorcounter", "SymbolErrorCounter")   \
        F(h, U8,  linkerrorrecoverycounter,    8, DEC,  N, NONE,      ALWAYS,                  "linkerrorrecoverycounter", "LinkErrorRecoveryCounter") \
        F(h, U8,  linkdownedcounter,    8, DEC,  N, NONE,      ALWAYS,                  "linkdownedcounter", "LinkDownedCounter")      \
        F(h, U16, portrcverrors,       16, DEC,  N, NONE,      ALWAYS,                  "portrcverrors", "PortRcvErrors")              \
        F(h, U16, portrcvremotephysicalerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portrcvremotephysicalerrors", "PortRcvRemotePhysicalErrors") \
        F(h, U16, portrcvswitchrelayerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portrcvswitchrelayerrors", "PortRcvSwitchRelayErrors") \
        F(h, U16, portxmitdiscards,    16, DEC,  N, NONE,      ALWAYS,                  "portxmitdiscards", "PortXmitDiscards")        \
        F(h, U8,  portxmitconstrainterrors,    8, DEC,  N, NONE,      ALWAYS,                  "portxmitconstrainterrors", "PortXmitConstraintErrors") \
        F(h, U8,  portrcvconstrainterrors,    8, DEC,  N, NONE,      ALWAYS,                  "portrcvconstrainterrors", "PortRcvConstraintErrors") \
        F(h, U8,  counterselect2,       8, X2,   N, NONE,      ALWAYS,                  "counterselect2", "CounterSelect2")            \
        F(h, U8,  locallinkintegrityerrors,    4, DEC,  N, NONE,      ALWAYS,                  "locallinkintegrityerrors", "LocalLinkIntegrityErrors") \
        F(h, U8,  excessivebufferoverrunerrors,    4, DEC,  N, NONE,      ALWAYS,                  "excessivebufferoverrunerrors", "ExcessiveBufferOverrunErrors") \
        F(h, U16, qp1dropped,          16, DEC,  N, NONE,      ALWAYS,                  "qp1dropped", "QP1Dropped")                    \
        F(h, U16, vl15dropped,         16, DEC,  N, NONE,      ALWAYS,                  "vl15dropped", "VL15Dropped")                  \
        F(h, U32, portxmitdata,        32, DEC,  N, NONE,      ALWAYS,                  "portxmitdata", "PortXmitData")                \
        F(h, U32, portrcvdata,         32, DEC,  N, NONE,      ALWAYS,                  "portrcvdata", "PortRcvData")                  \
        F(h, U32, portxmitpkts,        32, DEC,  N, NONE,      ALWAYS,                  "portxmitpkts", "PortXmitPkts")                \
        F(h, U32, portrcvpkts,         32, DEC,  N, NONE,      ALWAYS,                  "portrcvpkts", "PortRcvPkts")                  \
        F(h, U32, portxmitwait,        32, DEC,  N, NONE,      ALWAYS,                  "portxmitwait", "PortXmitWait")
#define IBA_PORTCOUNTERS_EXT(F, V, h)                                                                                                  \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U8,  portselect,           8, N2,   N, NONE,      ALWAYS,                  "portselect", "PortSelect")                    \
        F(h, U16, counterselect,       16, X4,   N, NONE,      ALWAYS,                  "counterselect", "CounterSelect")              \
        F(h, U32, counterselect2,      32, X8,   N, NONE,      ALWAYS,                  "counterselect2", "CounterSelect2")            \
        F(h, U64, portxmitdata,        64, DEC,  N, NONE,      ALWAYS,                  "portxmitdata", "PortXmitData")                \
        F(h, U64, portrcvdata,         64, DEC,  N, NONE,      ALWAYS,                  "portrcvdata", "PortRcvData")                  \
        F(h, U64, portxmitpkts,        64, DEC,  N, NONE,      ALWAYS,                  "portxmitpkts", "PortXmitPkts")                \
        F(h, U64, portrcvpkts,         64, DEC,  N, NONE,      ALWAYS,                  "portrcvpkts", "PortRcvPkts")                  \
        F(h, U64, portunicastxmitpkts,   64, DEC,  N, NONE,      ALWAYS,                  "portunicastxmitpkts", "PortUnicastXmitPkts") \
        F(h, U64, portunicastrcvpkts,   64, DEC,  N, NONE,      ALWAYS,                  "portunicastrcvpkts", "PortUnicastRcvPkts")   \
        F(h, U64, portmulticastxmitpkts,   64, DEC,  N, NONE,      ALWAYS,                  "portmulticastxmitpkts", "PortMulticastXmitPkts") \
        F(h, U64, portmulticastrcvpkts,   64, DEC,  N, NONE,      ALWAYS,                  "portmulticastrcvpkts", "PortMulticastRcvPkts") \
        F(h, U64, symbolerrorcounter,   64, DEC,  N, NONE,      ALWAYS,                  "symbolerrorcounter", "SymbolErrorCounter")   \
        F(h, U64, linkerrorrecoverycounter,   64, DEC,  N, NONE,      ALWAYS,                  "linkerrorrecoverycounter", "LinkErrorRecoveryCounter") \
        F(h, U64, linkdownedcounter,   64, DEC,  N, NONE,      ALWAYS,                  "linkdownedcounter", "LinkDownedCounter")      \
        F(h, U64, portrcverrors,       64, DEC,  N, NONE,      ALWAYS,                  "portrcverrors", "PortRcvErrors")              \
        F(h, U64, portrcvremotephysicalerrors,   64, DEC,  N, NONE,      ALWAYS,                  "portrcvremotephysicalerrors", "PortRcvRemotePhysicalErrors") \
        F(h, U64, portrcvswitchrelayerrors,   64, DEC,  N, NONE,      ALWAYS,                  "portrcvswitchrelayerrors", "PortRcvSwitchRelayErrors") \
        F(h, U64, portxmitdiscards,    64, DEC,  N, NONE,      ALWAYS,                  "portxmitdiscards", "PortXmitDiscards")        \
        F(h, U64, portxmitconstrainterrors,   64, DEC,  N, NONE,      ALWAYS,                  "portxmitconstrainterrors", "PortXmitConstraintErrors") \
        F(h, U64, portrcvconstrainterrors,   64, DEC,  N, NONE,      ALWAYS,                  "portrcvconstrainterrors", "PortRcvConstraintErrors") \
        F(h, U64, locallinkintegrityerrors,   64, DEC,  N, NONE,      ALWAYS,                  "locallinkintegrityerrors", "LocalLinkIntegrityErrors") \
        F(h, U64, excessivebufferoverrunerrors,   64, DEC,  N, NONE,      ALWAYS,                  "excessivebufferoverrunerrors", "ExcessiveBufferOverrunErrors") \
        F(h, U64, vl15dropped,         64, DEC,  N, NONE,      ALWAYS,                  "vl15dropped", "VL15Dropped")                  \
        F(h, U64, portxmitwait,        64, DEC,  N, NONE,      ALWAYS,                  "portxmitwait", "PortXmitWait")                \
        F(h, U64, qp1dropped,          64, DEC,  N, NONE,      ALWAYS,                  "qp1dropped", "QP1Dropped")
#define IBA_PM_SELECT(F, V, h)                                                                                                         \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U8,  portselect,           8, N2,   N, NONE,      ALWAYS,                  "portselect", "PortSelect")                    \
        F(h, U16, counterselect,       16, X4,   N, NONE,      ALWAYS,                  "counterselect", "CounterSelect")
#define IBA_PM_RCV_ERRORS(F, V, h)                                                                                                     \
        F(h, U16, portlocalphysicalerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portlocalphysicalerrors", "PortLocalPhysicalErrors") \
        F(h, U16, portmalformedpacketerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portmalformedpacketerrors", "PortMalformedPacketErrors") \
        F(h, U16, portbufferoverrunerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portbufferoverrunerrors", "PortBufferOverrunErrors") \
        F(h, U16, portdlidmappingerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portdlidmappingerrors", "PortDLIDMappingErrors") \
        F(h, U16, portvlmappingerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portvlmappingerrors", "PortVLMappingErrors") \
        F(h, U16, portloopingerrors,   16, DEC,  N, NONE,      ALWAYS,                  "portloopingerrors", "PortLoopingErrors")
#define IBA_PM_XMIT_DISCARDS(F, V, h)                                                                                                  \
        F(h, U16, portinactivediscards,   16, DEC,  N, NONE,      ALWAYS,                  "portinactivediscards", "PortInactiveDiscards") \
        F(h, U16, portneighbormtudiscards,   16, DEC,  N, NONE,      ALWAYS,                  "portneighbormtudiscards", "PortNeighborMTUDiscards") \
        F(h, U16, portswlifetimelimitdiscards,   16, DEC,  N, NONE,      ALWAYS,                  "portswlifetimelimitdiscards", "PortSwLifetimeLimitDiscards") \
        F(h, U16, portswhoqlifetimelimitdiscards,   16, DEC,  N, NONE,      ALWAYS,                  "portswhoqlifetimelimitdiscards", "PortSwHOQLifetimeLimitDiscards")
#define IBA_PM_OP_RCV(F, V, h)                                                                                                         \
        F(h, U32, portoprcvpkts,       32, DEC,  N, NONE,      ALWAYS,                  "portoprcvpkts", "PortOpRcvPkts")              \
        F(h, U32, portoprcvdata,       32, DEC,  N, NONE,      ALWAYS,                  "portoprcvdata", "PortOpRcvData")
#define IBA_PM_FLOW_CTL(F, V, h)                                                                                                       \
        F(h, U32, portxmitflowpkts,    32, DEC,  N, NONE,      ALWAYS,                  "portxmitflowpkts", "PortXmitFlowPkts")        \
        F(h, U32, portrcvflowpkts,     32, DEC,  N, NONE,      ALWAYS,                  "portrcvflowpkts", "PortRcvFlowPkts")
#define IBA_PM_VL_OP_PACKETS(F, V, h)                                                                                                  \
        F(h, U16, counter,             16, DEC,  N, NONE,      ALWAYS,                  "counter", "PortVLOpPackets")
#define IBA_PM_VL_OP_DATA(F, V, h)                                                                                                     \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortVLOpData")
#define IBA_PM_VL_UPDATE(F, V, h)                                                                                                      \
        F(h, U8,  even,                 2, DEC,  N, NONE,      ALWAYS,                  "counter0", "PortVLXmitFlowCtlUpdateErrors, VL 4n") \
        F(h, U8,  second,               2, DEC,  N, NONE,      ALWAYS,                  "counter1", "PortVLXmitFlowCtlUpdateErrors, VL 4n+1") \
        F(h, U8,  third,                2, DEC,  N, NONE,      ALWAYS,                  "counter2", "PortVLXmitFlowCtlUpdateErrors, VL 4n+2") \
        F(h, U8,  fourth,               2, DEC,  N, NONE,      ALWAYS,                  "counter3", "PortVLXmitFlowCtlUpdateErrors, VL 4n+3")
#define IBA_PM_VL_WAIT(F, V, h)                                                                                                        \
        F(h, U16, counter,             16, DEC,  N, NONE,      ALWAYS,                  "counter", "PortVLXmitWait")
#define IBA_PM_VL_CONGESTION(F, V, h)                                                                                                  \
        F(h, U16, counter,             16, DEC,  N, NONE,      ALWAYS,                  "counter", "SwPortVLCongestion")
#define IBA_PM_CON_CTRL(F, V, h)                                                                                                       \
        F(h, U32, portpktrcvfecn,      32, DEC,  N, NONE,      ALWAYS,                  "portpktrcvfecn", "PortPktRcvFECN")            \
        F(h, U32, portpktrcvbecn,      32, DEC,  N, NONE,      ALWAYS,                  "portpktrcvbecn", "PortPktRcvBECN")
#define IBA_PM_SL_FECN(F, V, h)                                                                                                        \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortSLRcvFECN")
#define IBA_PM_SL_BECN(F, V, h)                                                                                                        \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortSLRcvBECN")
#define IBA_PM_XMIT_CON(F, V, h)                                                                                                       \
        F(h, U32, portxmittimecong,    32, DEC,  N, NONE,      ALWAYS,                  "portxmittimecong", "PortXmitTimeCong")
#define IBA_PM_VL_TIME(F, V, h)                                                                                                        \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortVLXmitTimeCong")
#define IBA_PM_XMIT_SL(F, V, h)                                                                                                        \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortXmitDataSL")
#define IBA_PM_RCV_SL(F, V, h)                                                                                                         \
        F(h, U32, counter,             32, DEC,  N, NONE,      ALWAYS,                  "counter", "PortRcvDataSL")
#define IBA_PM_SPEEDS(F, V, h)                                                                                                         \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U8,  portselect,           8, N2,   N, NONE,      ALWAYS,                  "portselect", "PortSelect")                    \
        F(h, B,   reserved2,           48, BYTES, R, NONE,      ALWAYS,                  "reserved2", "Reserved (6 bytes)")            \
        F(h, U64, counterselect,       64, X16,  N, NONE,      ALWAYS,                  "counterselect", "CounterSelect")              \
        F(h, U16, syncheadererrorcounter,   16, DEC,  N, NONE,      ALWAYS,                  "syncheadererrorcounter", "SyncHeaderErrorCounter") \
        F(h, U16, unknownblockcounter,   16, DEC,  N, NONE,      ALWAYS,                  "unknownblockcounter", "UnknownBlockCounter")
#define IBA_PM_LANE_ERRORS(F, V, h)                                                                                                    \
        F(h, U16, errordetectioncounter,   16, DEC,  N, NONE,      ALWAYS,                  "errordetectioncounter", "ErrorDetectionCounterLane")
#define IBA_PM_LANE_CORRECTED(F, V, h)                                                                                                 \
        F(h, U32, correctable,         32, DEC,  N, NONE,      ALWAYS,                  "feccorrectableblockcounter", "FECCorrectableBlockCounterLane")
#define IBA_PM_LANE_UNCORRECTED(F, V, h)                                                                                               \
        F(h, U32, uncorrectable,       32, DEC,  N, NONE,      ALWAYS,                  "fecuncorrectableblockcounter", "FECUncorrectableBlockCounterLane")
#define IBA_CC_KEY(F, V, h)                                                                                                            \
        F(h, U64, cckey,               64, X16,  N, NONE,      ALWAYS,                  "cckey", "CC_Key")
#define IBA_CC_INFO(F, V, h)                                                                                                           \
        F(h, U8,  reserved1,            7, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (7 bits)")              \
        F(h, U8,  markingmode,          1, FLAG, N, NONE,      ALWAYS,                  "markingmode", "Credit Starvation")            \
        F(h, U8,  reserved2,            8, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (8 bits)")              \
        F(h, U8,  controltablecap,      8, DEC,  N, NONE,      ALWAYS,                  "controltablecap", "ControlTableCap")
#define IBA_CC_KEY_INFO(F, V, h)                                                                                                       \
        F(h, U64, key,                 64, X16,  N, NONE,      ALWAYS,                  "cckey", "CC_Key")                             \
        F(h, U8,  protectbit,           1, FLAG, N, NONE,      ALWAYS,                  "protectbit", "CC_KeyProtectBit")              \
        F(h, U16, reserved1,           15, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (15 bits)")             \
        F(h, U16, leaseperiod,         16, DEC,  N, NONE,      ALWAYS,                  "leaseperiod", "CC_KeyLeasePeriod")            \
        F(h, U16, violations,          16, DEC,  N, NONE,      ALWAYS,                  "violations", "CC_KeyViolations")
#define IBA_CC_LOG(F, V, h)                                                                                                            \
        F(h, U8,  logtype,              8, X2,   N, CC_LOG,    ALWAYS,                  "logtype", "LogType")                          \
        F(h, U8,  congestionflags,      8, X2,   N, NONE,      ALWAYS,                  "congestionflags", "CongestionFlags")          \
        F(h, U16, thresholdeventcounter,   16, DEC,  N, NONE,      ALWAYS,                  "thresholdeventcounter", "ThresholdEventCounter")
#define IBA_CC_LOG_SWITCH(F, V, h)                                                                                                     \
        F(h, U32, currenttimestamp,    32, DEC,  N, NONE,      ALWAYS,                  "currenttimestamp", "CurrentTimeStamp")        \
        F(h, B,   portmap,            256, BYTES, N, NONE,      ALWAYS,                  "portmap", "PortMap")
#define IBA_CC_LOG_CA(F, V, h)                                                                                                         \
        F(h, U16, eventmap,            16, X4,   N, NONE,      ALWAYS,                  "thresholdcongestioneventmap", "ThresholdCongestionEventMap") \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")             \
        F(h, U32, currenttimestamp,    32, DEC,  N, NONE,      ALWAYS,                  "currenttimestamp", "CurrentTimeStamp")
#define IBA_CC_EVENT_SWITCH(F, V, h)                                                                                                   \
        F(h, U16, slid,                16, DEC,  N, NONE,      ALWAYS,                  "slid", "SLID")                                \
        F(h, U16, dlid,                16, DEC,  N, NONE,      ALWAYS,                  "dlid", "DLID")                                \
        F(h, U8,  sl,                   4, DEC,  N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U32, reserved1,           28, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (28 bits)")             \
        F(h, U32, timestamp,           32, DEC,  N, NONE,      ALWAYS,                  "timestamp", "TimeStamp")
#define IBA_CC_EVENT_CA(F, V, h)                                                                                                       \
        F(h, U32, localqp,             24, X6,   N, NONE,      ALWAYS,                  "localqp", "LocalQP")                          \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U32, remoteqp,            24, X6,   N, NONE,      ALWAYS,                  "remoteqp", "RemoteQP")                        \
        F(h, U8,  sl,                   4, DEC,  N, NONE,      ALWAYS,                  "sl", "SL")                                    \
        F(h, U8,  servicetype,          4, DEC,  N, NONE,      ALWAYS,                  "servicetype", "ServiceType")                  \
        F(h, U16, remotelid,           16, DEC,  N, NONE,      ALWAYS,                  "remotelid", "RemoteLID")                      \
        F(h, U16, reserved2,           16, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (16 bits)")             \
        F(h, U32, timestamp,           32, DEC,  N, NONE,      ALWAYS,                  "timestamp", "TimeStamp")
#define IBA_CC_SWITCH(F, V, h)                                                                                                         \
        F(h, U32, controlmap,          32, X8,   N, NONE,      ALWAYS,                  "controlmap", "ControlMap")                    \
        F(h, B,   victimmask,         256, BYTES, N, NONE,      ALWAYS,                  "victimmask", "VictimMask")                   \
        F(h, B,   creditmask,         256, BYTES, N, NONE,      ALWAYS,                  "creditmask", "CreditMask")                   \
        F(h, U8,  threshold,            4, DEC,  N, NONE,      ALWAYS,                  "threshold", "Threshold")                      \
        F(h, U8,  reserved1,            4, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (4 bits)")              \
        F(h, U8,  packetsize,           8, DEC,  N, NONE,      ALWAYS,                  "packetsize", "PacketSize")                    \
        F(h, U8,  csthreshold,          4, DEC,  N, NONE,      ALWAYS,                  "csthreshold", "CS_Threshold")                 \
        F(h, U16, reserved2,           12, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (12 bits)")             \
        F(h, U16, csreturndelay,       16, X4,   N, NONE,      ALWAYS,                  "csreturndelay", "CS_ReturnDelay")             \
        F(h, U16, markingrate,         16, DEC,  N, NONE,      ALWAYS,                  "markingrate", "MarkingRate")
#define IBA_CC_SWITCH_PORT(F, V, h)                                                                                                    \
        F(h, U8,  valid,                1, FLAG, N, NONE,      ALWAYS,                  "valid", "Valid")                              \
        F(h, U8,  controltype,          1, FLAG, N, NONE,      ALWAYS,                  "controltype", "ControlType")                  \
        F(h, U8,  reserved1,            2, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (2 bits)")              \
        F(h, U8,  threshold,            4, DEC,  N, NONE,      ALWAYS,                  "threshold", "Threshold")                      \
        F(h, U8,  packetsize,           8, DEC,  N, NONE,      ALWAYS,                  "packetsize", "PacketSize")                    \
        F(h, U16, congparm,            16, X4,   N, NONE,      ALWAYS,                  "congestionparameter", "Cong_Parm_Marking_Rate")
#define IBA_CC_CA(F, V, h)                                                                                                             \
        F(h, U16, portcontrol,         16, X4,   N, NONE,      ALWAYS,                  "portcontrol", "Port_Control")                 \
        F(h, U16, controlmap,          16, X4,   N, NONE,      ALWAYS,                  "controlmap", "ControlMap")
#define IBA_CC_CA_ENTRY(F, V, h)                                                                                                       \
        F(h, U16, cctitimer,           16, DEC,  N, NONE,      ALWAYS,                  "cctitimer", "CCTI_Timer")                     \
        F(h, U8,  cctiincrease,         8, DEC,  N, NONE,      ALWAYS,                  "cctiincrease", "CCTI_Increase")               \
        F(h, U8,  triggerthreshold,     8, DEC,  N, NONE,      ALWAYS,                  "triggerthreshold", "TriggerThreshold")        \
        F(h, U8,  cctimin,              8, DEC,  N, NONE,      ALWAYS,                  "cctimin", "CCTI_Min")                         \
        F(h, U32, reserved1,           24, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (24 bits)")
#define IBA_CC_TABLE(F, V, h)                                                                                                          \
        F(h, U16, cctilimit,           16, DEC,  N, NONE,      ALWAYS,                  "cctilimit", "CCTI_Limit")                     \
        F(h, U16, reserved1,           16, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (16 bits)")
#define IBA_CC_TABLE_ENTRY(F, V, h)                                                                                                    \
        F(h, U8,  shift,                2, DEC,  N, NONE,      ALWAYS,                  "shift", "CCT_Shift")                          \
        F(h, U16, multiplier,          14, DEC,  N, NONE,      ALWAYS,                  "multiplier", "CCT_Multiplier")
#define IBA_CC_TIMESTAMP(F, V, h)                                                                                                      \
        F(h, U32, timestamp,           32, DEC,  N, NONE,      ALWAYS,                  "timestamp", "TimeStamp")
#define IBA_VENDOR_OUI(F, V, h)                                                                                                        \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U32, oui,                 24, X6,   N, NONE,      ALWAYS,                  "oui", "OUI")
#define IBA_BM_KEY(F, V, h)                                                                                                            \
        F(h, U64, bkey,                64, X16,  N, NONE,      ALWAYS,                  "bkey", "B_Key")                               \
        F(h, B,   reserved1,          256, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bytes)")
#define IBA_BM_KEY_INFO(F, V, h)                                                                                                       \
        F(h, U64, key,                 64, X16,  N, NONE,      ALWAYS,                  "bkey", "B_Key")                               \
        F(h, U8,  protectbit,           1, FLAG, N, NONE,      ALWAYS,                  "protectbit", "B_KeyProtectBit")               \
        F(h, U16, reserved1,           15, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (15 bits)")             \
        F(h, U16, leaseperiod,         16, DEC,  N, NONE,      ALWAYS,                  "leaseperiod", "B_KeyLeasePeriod")             \
        F(h, U16, violations,          16, DEC,  N, NONE,      ALWAYS,                  "violations", "B_KeyViolations")
#define IBA_DM_UNIT(F, V, h)                                                                                                           \
        F(h, U16, changeid,            16, X4,   N, NONE,      ALWAYS,                  "changeid", "Change_ID")                       \
        F(h, U8,  maxcontrollers,       8, DEC,  N, NONE,      ALWAYS,                  "maxcontrollers", "Max Controllers")           \
        F(h, U8,  reserved1,            6, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (6 bits)")              \
        F(h, U8,  optionrom,            1, FLAG, N, NONE,      ALWAYS,                  "optionrom", "Option ROM")                     \
        F(h, U8,  diagdeviceid,         1, FLAG, N, NONE,      ALWAYS,                  "diagdeviceid", "Diag DeviceID")               \
        F(h, B,   controllerlist,    1024, BYTES, N, NONE,      ALWAYS,                  "controllerlist", "ControllerList")
#define IBA_DM_PROFILE(F, V, h)                                                                                                        \
        F(h, U64, guid,                64, X16,  N, NONE,      ALWAYS,                  "guid", "GUID")                                \
        F(h, U32, vendorid,            24, X6,   N, NONE,      ALWAYS,                  "vendorid", "VendorID")                        \
        F(h, U8,  reserved1,            8, DEC,  R, NONE,      ALWAYS,                  "reserved1", "Reserved (8 bits)")              \
        F(h, U32, deviceid,            32, X8,   N, NONE,      ALWAYS,                  "deviceid", "DeviceID")                        \
        F(h, U16, deviceversion,       16, X4,   N, NONE,      ALWAYS,                  "deviceversion", "Device Version")             \
        F(h, U16, reserved2,           16, DEC,  R, NONE,      ALWAYS,                  "reserved2", "Reserved (16 bits)")             \
        F(h, U32, subsystemvendorid,   24, X6,   N, NONE,      ALWAYS,                  "subsystemvendorid", "Subsystem VendorID")     \
        F(h, U8,  reserved3,            8, DEC,  R, NONE,      ALWAYS,                  "reserved3", "Reserved (8 bits)")              \
        F(h, U32, subsystemid,         32, X8,   N, NONE,      ALWAYS,                  "subsystemid", "SubsystemID")                  \
        F(h, U16, ioclass,             16, X4,   N, NONE,      ALWAYS,                  "ioclass", "IO Class")                         \
        F(h, U16, iosubclass,          16, X4,   N, NONE,      ALWAYS,                  "iosubclass", "IO Subclass")                   \
        F(h, U16, protocol,            16, X4,   N, NONE,      ALWAYS,                  "protocol", "Protocol")                        \
        F(h, U16, protocolversion,     16, X4,   N, NONE,      ALWAYS,                  "protocolversion", "Protocol Version")         \
        F(h, U32, reserved4,           32, DEC,  R, NONE,      ALWAYS,                  "reserved4", "Reserved (32 bits)")             \
        F(h, U16, sendmessagedepth,    16, DEC,  N, NONE,      ALWAYS,                  "sendmessagedepth", "Send Message Depth")      \
        F(h, U8,  reserved5,            8, DEC,  R, NONE,      ALWAYS,                  "reserved5", "Reserved (8 bits)")              \
        F(h, U8,  rdmareaddepth,        8, DEC,  N, NONE,      ALWAYS,                  "rdmareaddepth", "RDMA Read Channel Depth")    \
        F(h, U32, sendmessagesize,     32, DEC,  N, NONE,      ALWAYS,                  "sendmessagesize", "Send Message Size")        \
        F(h, U32, rdmatransfersize,    32, DEC,  N, NONE,      ALWAYS,                  "rdmatransfersize", "RDMA Transfer Size")      \
        F(h, U8,  operations,           8, X2,   N, NONE,      ALWAYS,                  "operations", "Controller Operations Capability Mask") \
        F(h, U8,  reserved6,            8, DEC,  R, NONE,      ALWAYS,                  "reserved6", "Reserved (8 bits)")              \
        F(h, U8,  serviceentries,       8, DEC,  N, NONE,      ALWAYS,                  "serviceentries", "Service Entries")           \
        F(h, B,   reserved7,           72, BYTES, R, NONE,      ALWAYS,                  "reserved7", "Reserved (9 bytes)")            \
        F(h, B,   idstring,           512, TEXT, N, NONE,      ALWAYS,                  "idstring", "ID String")
#define IBA_DM_ENTRY(F, V, h)                                                                                                          \
        F(h, B,   name,               320, TEXT, N, NONE,      ALWAYS,                  "name", "Name")                                \
        F(h, U64, id,                  64, X16,  N, NONE,      ALWAYS,                  "id", "ServiceID")
#define IBA_SNMP_HEADER(F, V, h)                                                                                                       \
        F(h, B,   reserved1,          256, BYTES, R, NONE,      ALWAYS,                  "reserved1", "Reserved (32 bytes)")           \
        F(h, U32, raddress,            32, X8,   N, NONE,      ALWAYS,                  "raddress", "RAddress")                        \
        F(h, U8,  payloadlength,        8, DEC,  N, NONE,      ALWAYS,                  "payloadlength", "PayloadLength")              \
        F(h, U8,  segmentnumber,        8, DEC,  N, NONE,      ALWAYS,                  "segmentnumber", "SegmentNumber")              \
        F(h, U16, sourcelid,           16, DEC,  N, NONE,      ALWAYS,                  "sourcelid", "SourceLID")                      \
        F(h, B,   data,              1536, BYTES, N, NONE,      ALWAYS,                  "data", "Data")

/*        list                          name                   bytes prefix, title */
#define IBA_PM_LAYOUTS(H)                                                                                                              \
        H(IBA_PM_SAMPLES_CONTROL,      pm_samples_control,       80, "infiniband.portsamplescontrol", "PortSamplesControl")            \
        H(IBA_PM_SAMPLES_RESULT,       pm_samples_result,         4, "infiniband.portsamplesresult", "PortSamplesResult")              \
        H(IBA_PM_SAMPLE,               pm_sample,                 4, "infiniband.portsamplesresult", "Counter")                        \
        H(IBA_PM_SAMPLES_RESULT_EXT,   pm_samples_result_ext,     8, "infiniband.portsamplesresultext", "PortSamplesResultExtended")   \
        H(IBA_PM_SAMPLE_EXT,           pm_sample_ext,             8, "infiniband.portsamplesresultext", "Counter")                     \
        H(IBA_PORTCOUNTERS,            portcounters,             44, "infiniband.portcounters", "PortCounters")                        \
        H(IBA_PORTCOUNTERS_EXT,        portcounters_ext,        184, "infiniband.portcounters_ext", "PortCountersExtended")            \
        H(IBA_PM_SELECT,               pm_select,                 4, "infiniband.perfmgt", "Counters of a port")                       \
        H(IBA_PM_RCV_ERRORS,           pm_rcv_errors,            12, "infiniband.portrcverrordetails", "PortRcvErrorDetails")          \
        H(IBA_PM_XMIT_DISCARDS,        pm_xmit_discards,          8, "infiniband.portxmitdiscarddetails", "PortXmitDiscardDetails")    \
        H(IBA_PM_OP_RCV,               pm_op_rcv,                 8, "infiniband.portoprcvcounters", "PortOpRcvCounters")              \
        H(IBA_PM_FLOW_CTL,             pm_flow_ctl,               8, "infiniband.portflowctlcounters", "PortFlowCtlCounters")          \
        H(IBA_PM_VL_OP_PACKETS,        pm_vl_op_packets,          2, "infiniband.portvloppackets", "PortVLOpPackets")                  \
        H(IBA_PM_VL_OP_DATA,           pm_vl_op_data,             4, "infiniband.portvlopdata", "PortVLOpData")                        \
        H(IBA_PM_VL_UPDATE,            pm_vl_update,              1, "infiniband.portvlxmitflowctlupdateerrors", "PortVLXmitFlowCtlUpdateErrors") \
        H(IBA_PM_VL_WAIT,              pm_vl_wait,                2, "infiniband.portvlxmitwaitcounters", "PortVLXmitWaitCounters")    \
        H(IBA_PM_VL_CONGESTION,        pm_vl_congestion,          2, "infiniband.swportvlcongestion", "SwPortVLCongestion")            \
        H(IBA_PM_CON_CTRL,             pm_con_ctrl,               8, "infiniband.portrcvconctrl", "PortRcvConCtrl")                    \
        H(IBA_PM_SL_FECN,              pm_sl_fecn,                4, "infiniband.portslrcvfecn", "PortSLRcvFECN")                      \
        H(IBA_PM_SL_BECN,              pm_sl_becn,                4, "infiniband.portslrcvbecn", "PortSLRcvBECN")                      \
        H(IBA_PM_XMIT_CON,             pm_xmit_con,               4, "infiniband.portxmitconctrl", "PortXmitConCtrl")                  \
        H(IBA_PM_VL_TIME,              pm_vl_time,                4, "infiniband.portvlxmittimecong", "PortVLXmitTimeCong")            \
        H(IBA_PM_XMIT_SL,              pm_xmit_sl,                4, "infiniband.portxmitdatasl", "PortXmitDataSL")                    \
        H(IBA_PM_RCV_SL,               pm_rcv_sl,                 4, "infiniband.portrcvdatasl", "PortRcvDataSL")                      \
        H(IBA_PM_SPEEDS,               pm_speeds,                20, "infiniband.portextendedspeedscounters", "PortExtendedSpeedsCounters") \
        H(IBA_PM_LANE_ERRORS,          pm_lane_errors,            2, "infiniband.portextendedspeedscounters", "ErrorDetectionCounterLane") \
        H(IBA_PM_LANE_CORRECTED,       pm_lane_corrected,         4, "infiniband.portextendedspeedscounters", "FECCorrectableBlockCounterLane") \
        H(IBA_PM_LANE_UNCORRECTED,     pm_lane_uncorrected,       4, "infiniband.portextendedspeedscounters", "FECUncorrectableBlockCounterLane") \
        H(IBA_CC_KEY,                  cc_key,                    8, "infiniband.cc", "CC - Congestion Control Header")                \
        H(IBA_CC_INFO,                 cc_info,                   3, "infiniband.cc.congestioninfo", "CongestionInfo")                 \
        H(IBA_CC_KEY_INFO,             cc_key_info,              14, "infiniband.cc.congestionkeyinfo", "CongestionKeyInfo")           \
        H(IBA_CC_LOG,                  cc_log,                    4, "infiniband.cc.congestionlog", "CongestionLog")                   \
        H(IBA_CC_LOG_SWITCH,           cc_log_switch,            36, "infiniband.cc.congestionlog", "Log of a switch")                 \
        H(IBA_CC_LOG_CA,               cc_log_ca,                 8, "infiniband.cc.congestionlog", "Log of a channel adapter")        \
        H(IBA_CC_EVENT_SWITCH,         cc_event_switch,          12, "infiniband.cc.congestionlog.event", "Event at a switch")         \
        H(IBA_CC_EVENT_CA,             cc_event_ca,              16, "infiniband.cc.congestionlog.event", "Event at a channel adapter") \
        H(IBA_CC_SWITCH,               cc_switch,                76, "infiniband.cc.switchcongestionsetting", "SwitchCongestionSetting") \
        H(IBA_CC_SWITCH_PORT,          cc_switch_port,            4, "infiniband.cc.switchportcongestionsetting", "SwitchPortCongestionSetting, a port") \
        H(IBA_CC_CA,                   cc_ca,                     4, "infiniband.cc.cacongestionsetting", "CACongestionSetting")       \
        H(IBA_CC_CA_ENTRY,             cc_ca_entry,               8, "infiniband.cc.cacongestionsetting", "CACongestionSetting, an SL") \
        H(IBA_CC_TABLE,                cc_table,                  4, "infiniband.cc.congestioncontroltable", "CongestionControlTable") \
        H(IBA_CC_TABLE_ENTRY,          cc_table_entry,            2, "infiniband.cc.congestioncontroltable", "CongestionControlTable entry") \
        H(IBA_CC_TIMESTAMP,            cc_timestamp,              4, "infiniband.cc.timestamp", "TimeStamp")                           \
        H(IBA_VENDOR_OUI,              vendor_oui,                4, "infiniband.vendor2", "Vendor MAD with RMPP")                     \
        H(IBA_BM_KEY,                  bm_key,                   40, "infiniband.bm", "BM - Baseboard Management Header")              \
        H(IBA_BM_KEY_INFO,             bm_key_info,              14, "infiniband.bm.bkeyinfo", "BKeyInfo")                             \
        H(IBA_DM_UNIT,                 dm_unit,                 132, "infiniband.iounitinfo", "IOUnitInfo")                            \
        H(IBA_DM_PROFILE,              dm_profile,              128, "infiniband.ioccontrollerprofile", "IOControllerProfile")         \
        H(IBA_DM_ENTRY,                dm_entry,                 48, "infiniband.serviceentries", "ServiceEntry")                      \
        H(IBA_SNMP_HEADER,             snmp_header,             232, "infiniband.snmp", "SNMP Tunneling Header")
/* clang-format on */
#endif
