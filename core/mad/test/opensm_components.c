/* SPDX-License-Identifier: BSD-2-Clause */
/* The components of each record against OpenSM's masks (ib_types.h): the bit is OpenSM's, the name is ours. */
#include <infiniband/iba/ib_types.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

/* A component of a record. NULL: OpenSM calls the component reserved, or we have no name for it. */
struct component {
    uint64_t mask;
    const char *name;
};
#define N(record, bit, name) {IB_##record##_COMPMASK_##bit, name},

/* clang-format off */
static const struct component of_path_record[] = {
    N(PR, SERVICEID_MSB, "ServiceIDHigh") N(PR, SERVICEID_LSB, "ServiceIDLow") N(PR, DGID, "DGID") N(PR, SGID, "SGID")
    N(PR, DLID, "DLID") N(PR, SLID, "SLID") N(PR, RAWTRAFFIC, "RawTraffic") N(PR, RESV0, NULL)
    N(PR, FLOWLABEL, "FlowLabel") N(PR, HOPLIMIT, "HopLimit") N(PR, TCLASS, "TClass") N(PR, REVERSIBLE, "Reversible")
    N(PR, NUMBPATH, "NumbPath") N(PR, PKEY, "P_Key") N(PR, QOS_CLASS, "QoSClass") N(PR, SL, "SL")
    N(PR, MTUSELEC, "MTUSelector") N(PR, MTU, "MTU") N(PR, RATESELEC, "RateSelector") N(PR, RATE, "Rate")
    N(PR, PKTLIFETIMESELEC, "PacketLifeTimeSelector") N(PR, PKTLIFETIME, "PacketLifeTime")
};
static const struct component of_link_record[] = {
    N(LR, FROM_LID, "FromLID") N(LR, FROM_PORT, "FromPort") N(LR, TO_PORT, "ToPort") N(LR, TO_LID, "ToLID")
};
static const struct component of_vlarb_record[] = {
    N(VLA, LID, "LID") N(VLA, OUT_PORT, "OutputPortNum") N(VLA, BLOCK, "BlockNum")
};
static const struct component of_slvl_record[] = {
    N(SLVL, LID, "LID") N(SLVL, IN_PORT, "InputPortNum") N(SLVL, OUT_PORT, "OutputPortNum")
};
static const struct component of_pkey_tbl_record[] = {
    N(PKEY, LID, "LID") N(PKEY, BLOCK, "BlockNum") N(PKEY, PORT, "PortNum")
};
static const struct component of_switch_info_record[] = {
    N(SWIR, LID, "LID") N(SWIR, RESERVED1, NULL)
};
static const struct component of_lft_record[] = {
    N(LFTR, LID, "LID") N(LFTR, BLOCK, "BlockNum")
};
static const struct component of_mft_record[] = {
    N(MFTR, LID, "LID") N(MFTR, POSITION, "Position") N(MFTR, RESERVED1, NULL) N(MFTR, BLOCK, "BlockNum")
    N(MFTR, RESERVED2, NULL)
};
static const struct component of_node_record[] = {
    N(NR, LID, "LID") N(NR, RESERVED1, NULL) N(NR, BASEVERSION, "BaseVersion") N(NR, CLASSVERSION, "ClassVersion")
    N(NR, NODETYPE, "NodeType") N(NR, NUMPORTS, "NumPorts") N(NR, SYSIMAGEGUID, "SystemImageGUID")
    N(NR, NODEGUID, "NodeGUID") N(NR, PORTGUID, "PortGUID") N(NR, PARTCAP, "PartitionCap") N(NR, DEVID, "DeviceID")
    N(NR, REV, "Revision") N(NR, PORTNUM, "LocalPortNum") N(NR, VENDID, "VendorID") N(NR, NODEDESC, "NodeDescription")
};
static const struct component of_service_record[] = {
    N(SR, SID, "ServiceID") N(SR, SGID, "ServiceGID") N(SR, SPKEY, "ServiceP_Key") N(SR, RES1, NULL)
    N(SR, SLEASE, "ServiceLease") N(SR, SKEY, "ServiceKey") N(SR, SNAME, "ServiceName")
    N(SR, SDATA8_0, "ServiceData8.1") N(SR, SDATA8_1, "ServiceData8.2") N(SR, SDATA8_2, "ServiceData8.3")
    N(SR, SDATA8_3, "ServiceData8.4") N(SR, SDATA8_4, "ServiceData8.5") N(SR, SDATA8_5, "ServiceData8.6")
    N(SR, SDATA8_6, "ServiceData8.7") N(SR, SDATA8_7, "ServiceData8.8") N(SR, SDATA8_8, "ServiceData8.9")
    N(SR, SDATA8_9, "ServiceData8.10") N(SR, SDATA8_10, "ServiceData8.11") N(SR, SDATA8_11, "ServiceData8.12")
    N(SR, SDATA8_12, "ServiceData8.13") N(SR, SDATA8_13, "ServiceData8.14") N(SR, SDATA8_14, "ServiceData8.15")
    N(SR, SDATA8_15, "ServiceData8.16") N(SR, SDATA16_0, "ServiceData16.1") N(SR, SDATA16_1, "ServiceData16.2")
    N(SR, SDATA16_2, "ServiceData16.3") N(SR, SDATA16_3, "ServiceData16.4") N(SR, SDATA16_4, "ServiceData16.5")
    N(SR, SDATA16_5, "ServiceData16.6") N(SR, SDATA16_6, "ServiceData16.7") N(SR, SDATA16_7, "ServiceData16.8")
    N(SR, SDATA32_0, "ServiceData32.1") N(SR, SDATA32_1, "ServiceData32.2") N(SR, SDATA32_2, "ServiceData32.3")
    N(SR, SDATA32_3, "ServiceData32.4") N(SR, SDATA64_0, "ServiceData64.1") N(SR, SDATA64_1, "ServiceData64.2")
};
static const struct component of_portinfo_record[] = {
    N(PIR, LID, "EndportLID") N(PIR, PORTNUM, "PortNum") N(PIR, OPTIONS, "Options") N(PIR, MKEY, "M_Key")
    N(PIR, GIDPRE, "GidPrefix") N(PIR, BASELID, "LID") N(PIR, SMLID, "MasterSMLID") N(PIR, CAPMASK, "CapabilityMask")
    N(PIR, DIAGCODE, "DiagCode") N(PIR, MKEYLEASEPRD, "M_KeyLeasePeriod") N(PIR, LOCALPORTNUM, "LocalPortNum")
    N(PIR, LINKWIDTHENABLED, "LinkWidthEnabled") N(PIR, LNKWIDTHSUPPORT, "LinkWidthSupported")
    N(PIR, LNKWIDTHACTIVE, "LinkWidthActive") N(PIR, LNKSPEEDSUPPORT, "LinkSpeedSupported")
    N(PIR, PORTSTATE, "PortState") N(PIR, PORTPHYSTATE, "PortPhysicalState")
    N(PIR, LINKDWNDFLTSTATE, "LinkDownDefaultState") N(PIR, MKEYPROTBITS, "M_KeyProtectBits") N(PIR, RESV2, NULL)
    N(PIR, LMC, "LMC") N(PIR, LINKSPEEDACTIVE, "LinkSpeedActive") N(PIR, LINKSPEEDENABLE, "LinkSpeedEnabled")
    N(PIR, NEIGHBORMTU, "NeighborMTU") N(PIR, MASTERSMSL, "MasterSMSL") N(PIR, VLCAP, "VLCap")
    N(PIR, INITTYPE, "InitType") N(PIR, VLHIGHLIMIT, "VLHighLimit") N(PIR, VLARBHIGHCAP, "VLArbitrationHighCap")
    N(PIR, VLARBLOWCAP, "VLArbitrationLowCap") N(PIR, INITTYPEREPLY, "InitTypeReply") N(PIR, MTUCAP, "MTUCap")
    N(PIR, VLSTALLCNT, "VLStallCount") N(PIR, HOQLIFE, "HOQLife") N(PIR, OPVLS, "OperationalVLs")
    N(PIR, PARENFIN, "PartitionEnforcementInbound") N(PIR, PARENFOUT, "PartitionEnforcementOutbound")
    N(PIR, FILTERRAWIN, "FilterRawInbound") N(PIR, FILTERRAWOUT, "FilterRawOutbound")
    N(PIR, MKEYVIO, "M_KeyViolations") N(PIR, PKEYVIO, "P_KeyViolations") N(PIR, QKEYVIO, "Q_KeyViolations")
    N(PIR, GUIDCAP, "GUIDCap") N(PIR, CLIENTREREG, "ClientReregister") N(PIR, RESV3, NULL)
    N(PIR, SUBNTO, "SubnetTimeOut") N(PIR, RESV4, NULL) N(PIR, RESPTIME, "RespTimeValue")
    N(PIR, LOCALPHYERR, "LocalPhyErrors") N(PIR, OVERRUNERR, "OverrunErrors") N(PIR, MAXCREDHINT, "MaxCreditHint")
    N(PIR, RESV5, NULL) N(PIR, LINKRTLAT, NULL) N(PIR, CAPMASK2, NULL) N(PIR, LINKSPDEXTACT, NULL)
    N(PIR, LINKSPDEXTSUPP, NULL) N(PIR, RESV7, NULL) N(PIR, LINKSPDEXTENAB, NULL)
};
static const struct component of_mcmember_record[] = {
    N(MCR, GID, "MGID") N(MCR, MGID, "MGID") N(MCR, PORT_GID, "PortGID") N(MCR, QKEY, "Q_Key") N(MCR, MLID, "MLID")
    N(MCR, MTU_SEL, "MTUSelector") N(MCR, MTU, "MTU") N(MCR, TCLASS, "TClass") N(MCR, PKEY, "P_Key")
    N(MCR, RATE_SEL, "RateSelector") N(MCR, RATE, "Rate") N(MCR, LIFE_SEL, "PacketLifeTimeSelector")
    N(MCR, LIFE, "PacketLifeTime") N(MCR, SL, "SL") N(MCR, FLOW, "FlowLabel") N(MCR, HOP, "HopLimit")
    N(MCR, SCOPE, "Scope") N(MCR, JOIN_STATE, "JoinState") N(MCR, PROXY, "ProxyJoin")
};
static const struct component of_guidinfo_record[] = {
    N(GIR, LID, "LID") N(GIR, BLOCKNUM, "BlockNum") N(GIR, RESV1, NULL) N(GIR, RESV2, NULL) N(GIR, GID0, "GID0")
    N(GIR, GID1, "GID1") N(GIR, GID2, "GID2") N(GIR, GID3, "GID3") N(GIR, GID4, "GID4") N(GIR, GID5, "GID5")
    N(GIR, GID6, "GID6") N(GIR, GID7, "GID7")
};
static const struct component of_multipath_record[] = {
    N(MPR, RAWTRAFFIC, "RawTraffic") N(MPR, RESV0, NULL) N(MPR, FLOWLABEL, "FlowLabel") N(MPR, HOPLIMIT, "HopLimit")
    N(MPR, TCLASS, "TClass") N(MPR, REVERSIBLE, "Reversible") N(MPR, NUMBPATH, "NumbPath") N(MPR, PKEY, "P_Key")
    N(MPR, QOS_CLASS, "QoSClass") N(MPR, SL, "SL") N(MPR, MTUSELEC, "MTUSelector") N(MPR, MTU, "MTU")
    N(MPR, RATESELEC, "RateSelector") N(MPR, RATE, "Rate") N(MPR, PKTLIFETIMESELEC, "PacketLifeTimeSelector")
    N(MPR, PKTLIFETIME, "PacketLifeTime") N(MPR, SERVICEID_MSB, "ServiceIDHigh")
    N(MPR, INDEPSELEC, "IndependenceSelector") N(MPR, RESV3, "GIDScope") N(MPR, SGIDCOUNT, "SGIDCount")
    N(MPR, DGIDCOUNT, "DGIDCount") N(MPR, SERVICEID_LSB, "ServiceIDLow")
};
static const struct component of_sminfo_record[] = {
    N(SMIR, LID, "LID") N(SMIR, RESV0, NULL) N(SMIR, GUID, "GUID") N(SMIR, SMKEY, "SM_Key")
    N(SMIR, ACTCOUNT, "ActCount") N(SMIR, PRIORITY, "Priority") N(SMIR, SMSTATE, "SMState")
};
static const struct component of_inform_info_record[] = {
    N(IIR, SUBSCRIBERGID, "SubscriberGID") N(IIR, ENUM, "Enum") N(IIR, RESV0, NULL) N(IIR, GID, "GID")
    N(IIR, LIDRANGEBEGIN, "LIDRangeBegin") N(IIR, LIDRANGEEND, "LIDRangeEnd") N(IIR, RESV1, NULL)
    N(IIR, ISGENERIC, "IsGeneric") N(IIR, SUBSCRIBE, "Subscribe") N(IIR, TYPE, "Type") N(IIR, TRAPNUMB, "TrapNumber")
    N(IIR, DEVICEID, "TrapNumber") N(IIR, QPN, "QPN") N(IIR, RESV2, NULL) N(IIR, RESPTIME, "RespTimeValue")
    N(IIR, RESV3, NULL) N(IIR, PRODTYPE, "ProducerType") N(IIR, VENDID, "ProducerType")
};
/* clang-format on */

static unsigned bit_of(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(cl_ntoh64(mask));
}

/* Checks that every bit that OpenSM knows has its name in our table, and that every name in our table has such a
 * bit. */
static void same_components(ib_net16_t id, const struct component *known, size_t n_known, unsigned n_others)
{
    const struct iba_mad_attr *a = iba_mad_attr(IBA_CLASS_SA, cl_ntoh16(id));
    uint64_t bits = 0;
    unsigned others = 0;
    size_t n;

    cr_assert_not_null(a, "no record %04x", cl_ntoh16(id));
    for (size_t i = 0; i < n_known; i++) {
        const unsigned bit = bit_of(known[i].mask);
        const char *ours = iba_mad_component(a, bit, &n);
        bits |= UINT64_C(1) << bit;
        if (!known[i].name)
            EXPECT(!ours, "%s: component %u has the name %.*s", a->name, bit, (int)n, ours);
        else
            EXPECT(ours && n == strlen(known[i].name) && memcmp(ours, known[i].name, n) == 0,
                   "%s: component %u is %.*s, not %s", a->name, bit, ours ? (int)n : 0, ours ? ours : "",
                   known[i].name);
    }
    for (unsigned bit = 0; bit < 64; bit++)
        others += !(bits >> bit & 1) && iba_mad_component(a, bit, &n);
    cr_expect_eq(others, n_others, "%s: %u components have a name here, and no mask there", a->name, others);
}
#define SAME(record, list, others) same_components(IB_MAD_ATTR_##record, list, COUNT(list), others)

Test(components, every_mask_of_opensm_has_our_name)
{
    SAME(PATH_RECORD, of_path_record, 1); /* Preference */
    SAME(LINK_RECORD, of_link_record, 0);
    SAME(VLARB_RECORD, of_vlarb_record, 0);
    SAME(SLVL_RECORD, of_slvl_record, 0);
    SAME(PKEY_TBL_RECORD, of_pkey_tbl_record, 0);
    SAME(SWITCH_INFO_RECORD, of_switch_info_record, 17); /* all after the reserved one */
    SAME(LFT_RECORD, of_lft_record, 0);
    SAME(MFT_RECORD, of_mft_record, 0);
    SAME(NODE_RECORD, of_node_record, 0);
    SAME(SERVICE_RECORD, of_service_record, 0);
    SAME(PORTINFO_RECORD, of_portinfo_record, 0);
    SAME(MCMEMBER_RECORD, of_mcmember_record, 0);
    SAME(GUIDINFO_RECORD, of_guidinfo_record, 0);
    SAME(MULTIPATH_RECORD, of_multipath_record, 1); /* SDGID */
    SAME(SMINFO_RECORD, of_sminfo_record, 0);
    SAME(INFORM_INFO_RECORD, of_inform_info_record, 0);
}
