/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of files, each a list of packets (gen.h says how to read a line). */
#include "gen.h"

enum { ETHERNET = 1, RAW_IP = 101, LINUX_SLL = 113, ERF = 197, IPOIB = 242, INFINIBAND = 247, LINUX_SLL2 = 276 };

#define NATIVE_GOOD                                                                                                    \
    "ib-local RC_SEND_ONLY payload=61\n"                                                                               \
    "ib-local RC_ACKNOWLEDGE aeth.syndrome=0x1f aeth.msn=1 reverse=1\n"                                                \
    "ib-global UD_SEND_ONLY payload=100\n"                                                                             \
    "ib-local UD_SEND_ONLY payload=256 lrh.sl=5 lrh.vl=3 deth.q_key=0x80000001 bth.se=1\n"                             \
    "ib-local XRC_SEND_ONLY payload=16 xrceth.srqn=0x21\n"                                                             \
    "ib-local RD_SEND_ONLY payload=16 rdeth.eecnxt=0x31\n"                                                             \
    "ib-local CNP_IB bth.becn=1 reverse=1\n"                                                                           \
    "ib-local RC_SEND_ONLY payload=8 bth.fecn=1\n"                                                                     \
    "ib-raw-ethertype rwh.etype=0x88b5 payload=32\n"                                                                   \
    "ib-raw-ipv6 ipv6.nxt=59 payload=32\n"                                                                             \
    "ib-flow-control fc.op=0 fc.fctbs=100 fc.vl=2 fc.fccl=228\n"                                                       \
    "ib-flow-control fc.op=1 fc.fctbs=0xfff fc.vl=0 fc.fccl=0x7f\n"                                                    \
    "ib-flow-control fc.op=5\n"

#define NATIVE                                                                                                         \
    NATIVE_GOOD                                                                                                        \
    "ib-local RC_SEND_ONLY payload=61 icrc=bad\n"                                                                      \
    "ib-local RC_SEND_ONLY payload=61 vcrc=bad\n"                                                                      \
    "ib-global RC_SEND_ONLY payload=61 icrc=bad vcrc=bad\n"                                                            \
    "ib-flow-control fc.vl=1 vcrc=bad\n"                                                                               \
    "ib-local RC_SEND_ONLY payload=61 vcrc=none\n"                                                                     \
    "ib-local RC_SEND_ONLY payload=61 lrh.pktlen=100\n"                                                                \
    "ib-local RC_SEND_ONLY payload=61 lrh.lver=1\n"                                                                    \
    "ib-global RC_SEND_ONLY payload=61 grh.paylen=7\n"                                                                 \
    "ib-global RC_SEND_ONLY payload=61 grh.ipver=4\n"                                                                  \
    "ib-local RC_SEND_ONLY payload=200 cut=60\n"

#define TUNNELS                                                                                                        \
    "roce1-vlan RC_SEND_ONLY payload=29 vlan.priority=3\n"                                                             \
    "roce2-ipv4-vlan RC_SEND_ONLY payload=29 vlan.priority=3\n"                                                        \
    "roce2-ipv6-vlan RC_SEND_ONLY payload=29\n"                                                                        \
    "roce2-ipv4-qinq RC_SEND_ONLY payload=29\n"                                                                        \
    "roce2-ipv4-mpls RC_SEND_ONLY payload=29\n"                                                                        \
    "roce2-ipv4-mpls-pw RC_SEND_ONLY payload=29\n"                                                                     \
    "roce2-ipv4-vxlan RC_SEND_ONLY payload=29 udp#0.srcport=50000\n"                                                   \
    "roce2-ipv6-vxlan RC_SEND_ONLY payload=29\n"                                                                       \
    "roce2-ipv4-gre RC_SEND_ONLY payload=29\n"                                                                         \
    "roce2-ipv4-gre-ip RC_SEND_ONLY payload=29 grekey.key=77\n"                                                        \
    "roce1-gre RC_SEND_ONLY payload=29\n"                                                                              \
    "roce2-ipv4-erspan2 RC_SEND_ONLY payload=29 greseq.sequence_number=1 erspan2.vlan=100 erspan2.spanid=5\n"          \
    "roce2-ipv4-erspan3 RC_SEND_ONLY payload=29 greseq.sequence_number=2 erspan3.vlan=100 erspan3.spanid=6\n"          \
    "roce2-ipv6-erspan3-platform RC_SEND_ONLY payload=29 greseq.sequence_number=3\n"                                   \
    "roce2-ipv4-ipip RC_SEND_ONLY payload=29\n"                                                                        \
    "roce2-ipv4-vxlan RC_SEND_ONLY payload=29 icrc=bad\n"

#define CONGESTION                                                                                                     \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.dsfield.ecn=2 ipv4.dsfield.dscp=26 bth.psn=1\n"                           \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.dsfield.ecn=3 ipv4.dsfield.dscp=26 bth.psn=2\n"                           \
    "roce2-ipv4 CNP_ROCE bth.becn=1 ipv4.dsfield.dscp=48 reverse=1\n"                                                  \
    "roce2-ipv6 RC_SEND_ONLY payload=64 ipv6.tclass.ecn=3 bth.psn=3\n"                                                 \
    "roce2-ipv6 CNP_ROCE bth.becn=1 ipv6.tclass.dscp=48 reverse=1\n"                                                   \
    "roce2-ipv4 CNP_ROCE reverse=1\n"                                                                                  \
    "roce2-ipv4 CNP_IB bth.becn=1 reverse=1\n"                                                                         \
    "roce1 RC_SEND_ONLY payload=64 bth.fecn=1 bth.psn=4\n"                                                             \
    "roce1 CNP_IB bth.becn=1 reverse=1\n"

#define ACKNOWLEDGES                                                                                                   \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=1 aeth.syndrome=0x00 aeth.msn=1\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=2 aeth.syndrome=0x0e aeth.msn=2\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=3 aeth.syndrome=0x1f aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x20 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x2c aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x3f aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x40 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x60 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x61 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x62 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x63 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x64 aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=4 aeth.syndrome=0x7f aeth.msn=3\n"                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE reverse=1 bth.psn=5 aeth.syndrome=0x9f aeth.msn=4\n"

#define RESERVED                                                                                                       \
    "roce2-ipv4 0x15 payload=32\n"                                                                                     \
    "roce2-ipv4 0x1e payload=32\n"                                                                                     \
    "roce2-ipv4 0x2c payload=32\n"                                                                                     \
    "roce2-ipv6 0x66 payload=32\n"                                                                                     \
    "roce1 0x82 payload=32\n"                                                                                          \
    "roce2-ipv4 0xb5 payload=32\n"                                                                                     \
    "roce2-ipv4 0xc0 payload=32\n"                                                                                     \
    "roce2-ipv6 0xff payload=32\n"                                                                                     \
    "roce2-ipv4 0xc1 payload=32 icrc=bad\n"                                                                            \
    "roce1 0x15 payload=32 icrc=bad\n"                                                                                 \
    "roce2-ipv4 RC_SEND_ONLY payload=32 bth.tver=5 bth.reserved6=0x3f bth.reserved7=0x7f\n"

#define NOT_ROCE                                                                                                       \
    "raw:eth,ipv4,udp udp.dstport=4791 payload=0\n"                                                                    \
    "raw:eth,ipv4,udp udp.dstport=4791 payload=15\n"                                                                   \
    "raw:eth,ipv6,udp udp.dstport=4791 payload=8\n"                                                                    \
    "roce2-ipv4 0x15 payload=32 icrc=bad\n"                                                                            \
    "roce2-ipv4 0xbf payload=32 icrc=0\n"                                                                              \
    "roce2-ipv4 0x9a payload=3 icrc=none\n"                                                                            \
    "raw:eth,ipv4,udp udp.srcport=4791 udp.dstport=53 payload=40\n"                                                    \
    "raw:eth,ipv4,udp udp.dstport=4792 payload=64\n"                                                                   \
    "raw:eth,ipv4 ipv4.proto=6 payload=40\n"                                                                           \
    "raw:eth eth.type=0x0806 payload=46\n"                                                                             \
    "raw:eth eth.type=0x8914 payload=46\n"                                                                             \
    "raw:eth eth.type=100 payload=100\n"                                                                               \
    "raw:eth,ipv6 ipv6.nxt=58 payload=24\n"                                                                            \
    "raw:eth,ipv4,gre gre.proto=0x880b payload=20\n"                                                                   \
    "raw:eth,ipv4,udp udp.dstport=4789 payload=3\n"

#define LENGTHS                                                                                                        \
    "roce2-ipv4 RC_SEND_ONLY payload=64 frame_pad=6\n"                                                                 \
    "roce1 RC_ACKNOWLEDGE frame_pad=2\n"                                                                               \
    "roce2-ipv4 RC_SEND_ONLY payload=64 udp.length=200\n"                                                              \
    "roce2-ipv4 RC_SEND_ONLY payload=64 udp.length=60\n"                                                               \
    "roce2-ipv4 RC_SEND_ONLY payload=64 udp.length=4\n"                                                                \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.len=500\n"                                                                \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.len=60\n"                                                                 \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.len=0\n"                                                                  \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.hdr_len=3\n"                                                              \
    "roce2-ipv4 RC_SEND_ONLY payload=64 ipv4.version=5\n"                                                              \
    "roce2-ipv6 RC_SEND_ONLY payload=64 ipv6.plen=500\n"                                                               \
    "roce2-ipv6 RC_SEND_ONLY payload=64 ipv6.plen=40\n"                                                                \
    "roce2-ipv6 RC_SEND_ONLY payload=64 ipv6.plen=0\n"                                                                 \
    "roce1 RC_SEND_ONLY payload=64 grh.paylen=500\n"                                                                   \
    "roce1 RC_SEND_ONLY payload=64 grh.paylen=40\n"                                                                    \
    "roce1 RC_SEND_ONLY payload=64 grh.nxthdr=17\n"                                                                    \
    "roce2-ipv4 RC_ACKNOWLEDGE keep=4 bth.padcnt=3\n"                                                                  \
    "roce2-ipv4 RC_SEND_ONLY payload=61 keep=4\n"                                                                      \
    "roce2-ipv4 RC_WRITE_ONLY payload=64 drop=80\n"                                                                    \
    "roce2-ipv4 RC_SEND_ONLY payload=64 drop=1\n"                                                                      \
    "roce1 RC_WRITE_ONLY payload=64 drop=100\n"                                                                        \
    "roce1 RC_WRITE_ONLY payload=0 grh.paylen=20\n"                                                                    \
    "roce2-ipv4 RC_CMP_SWAP payload=5\n"                                                                               \
    "roce2-ipv4 RC_ATOMIC_WRITE payload=4\n"

#define DAMAGED                                                                                                        \
    "roce2-ipv4 RC_SEND_ONLY payload=61 icrc=bad\n"                                                                    \
    "roce2-ipv6 RC_SEND_ONLY payload=61 icrc=bad\n"                                                                    \
    "roce1 RC_SEND_ONLY payload=61 icrc=bad\n"                                                                         \
    "roce2-ipv4 UD_SEND_ONLY payload=61 icrc=0\n"                                                                      \
    "roce2-ipv4 RC_ACKNOWLEDGE icrc=0xffffffff reverse=1\n"                                                            \
    "roce2-ipv4 RC_SEND_ONLY payload=61 udp_checksum=1\n"                                                              \
    "roce2-ipv6 RC_SEND_ONLY payload=61 udp_checksum=1\n"                                                              \
    "roce2-ipv4 RC_SEND_ONLY payload=61 ipv4.checksum=0x1234\n"                                                        \
    "roce2-ipv4 RC_SEND_ONLY payload=61 icrc=none\n"

#define CUT                                                                                                            \
    "roce2-ipv4 RC_SEND_ONLY payload=8\n"                                                                              \
    "roce2-ipv4 RC_SEND_ONLY payload=64\n"                                                                             \
    "roce2-ipv4 RC_WRITE_ONLY payload=64\n"                                                                            \
    "roce2-ipv6 RC_SEND_ONLY payload=64\n"                                                                             \
    "roce1 RC_SEND_ONLY payload=64\n"                                                                                  \
    "roce1 RC_ACKNOWLEDGE\n"                                                                                           \
    "roce2-ipv4-vlan UD_SEND_ONLY payload=64\n"                                                                        \
    "roce2-ipv4-vxlan RC_SEND_ONLY payload=64\n"                                                                       \
    "roce2-ipv6-vxlan RC_SEND_ONLY payload=64\n"                                                                       \
    "roce2-ipv4-erspan3 RC_SEND_ONLY payload=64\n"                                                                     \
    "roce2-ipv4 0x15 payload=64\n"                                                                                     \
    "raw:eth,ipv4,udp udp.dstport=4792 payload=64\n"                                                                   \
    "raw:eth,ipv6 ipv6.nxt=6 payload=64\n"

/* After an IPv6 extension header: the content of a Fragment header */
#define FRAGMENTS                                                                                                      \
    "roce2-ipv4 RC_SEND_ONLY payload=256 fragment=64\n"                                                                \
    "roce2-ipv4 RC_SEND_ONLY payload=256 fragment=16\n"                                                                \
    "roce2-ipv4 RC_SEND_ONLY payload=29 ipv4.extra=01010101\n"                                                         \
    "roce2-ipv4 RC_SEND_ONLY payload=29 ipv4.extra=94040000070b04c00002fe000000000100000000\n"                         \
    "roce2-ipv6-ext RC_SEND_ONLY payload=29\n"                                                                         \
    "roce2-ipv6-ext RC_SEND_ONLY payload=29 ip6ext.extra=010c000000000000000000000000\n"                               \
    "roce2-ipv6-ext RC_SEND_ONLY payload=29 ipv6.nxt=44 ip6ext.len=0 ip6ext.extra=000000001234\n"                      \
    "roce2-ipv6-ext RC_SEND_ONLY payload=64 ipv6.nxt=44 ip6ext.len=0 ip6ext.extra=000100001235 icrc=none "             \
    "udp.length=284\n"                                                                                                 \
    "raw:eth,ipv6,ip6ext ipv6.nxt=44 ip6ext.nxt=17 ip6ext.len=0 ip6ext.extra=005800001235 payload=200\n"

#define SECTIONS                                                                                                       \
    "section little\n"                                                                                                 \
    "interface link=1 tsresol=9 snaplen=262144\n"                                                                      \
    "interface link=247 tsresol=6\n"                                                                                   \
    "interface link=101 tsresol=148 snaplen=65535\n"                                                                   \
    "roce2-ipv4 RC_SEND_ONLY payload=29 comment=on_an_Ethernet_port\n"                                                 \
    "ib-local RC_SEND_ONLY payload=29 iface=1\n"                                                                       \
    "ip-roce2-ipv6 RC_SEND_ONLY payload=29 iface=2\n"                                                                  \
    "block 0x0bad 00000000deadbeef\n"                                                                                  \
    "roce1 RC_SEND_ONLY payload=29\n"                                                                                  \
    "section big\n"                                                                                                    \
    "interface link=113 tsresol=3\n"                                                                                   \
    "interface link=242 tsresol=9 tsoffset=0\n"                                                                        \
    "sll-roce2-ipv4 RC_SEND_ONLY payload=29 comment=cooked,_in_a_big-endian_section\n"                                 \
    "ipoib-ipv4 udp.dstport=53 payload=20 iface=1\n"                                                                   \
    "sll-roce1 UD_SEND_ONLY payload=29\n"

#define PLAIN                                                                                                          \
    "roce2-ipv4 RC_SEND_ONLY payload=61 bth.psn=1 bth.a=1\n"                                                           \
    "roce2-ipv4 RC_ACKNOWLEDGE aeth.syndrome=0x1f aeth.msn=1 bth.psn=1 reverse=1\n"                                    \
    "roce2-ipv6 UD_SEND_ONLY payload=100\n"

#define MADS_SUBNET                                                                                                    \
    "mads 81 ib-local\n"                                                                                               \
    "mads 1 ib-local\n"                                                                                                \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020040 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020041 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020042 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020043 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020044 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020045 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020080 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020081 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020082 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020083 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020090 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:830000020091 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:800000020100 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:800000020101 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:800000020102 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:800000020103 bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:5:2 at=64:04000002000a bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=1:81:7f  bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=81:1:11 at=4:001c bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000\n"                    \
    "mads 3 ib-local\n"                                                                                                \
    "ib-local UD_SEND_ONLY mad=3:6:2 at=56:830000040040 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=3:6:2 at=56:830000040043 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=3:6:2 at=56:830000040044 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=3:6:2 at=56:830000040045 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=3:6:2 at=56:830000040103 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"             \
    "ib-local UD_SEND_ONLY mad=3:1:35  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                              \
    "ib-local UD_SEND_ONLY mad=3:12:11  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=3:14:3a at=56:0000000000000000000000000000 at=74:0201 bth.destqp=1 deth.srcqp=1 "       \
    "deth.q_key=0x80010000\n"                                                                                          \
    "ib-local UD_SEND_ONLY mad=3:81:7f  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=3:92:35 at=4:0300 at=28:0000000100000014 bth.destqp=1 deth.srcqp=1 "                    \
    "deth.q_key=0x80010000\n"                                                                                          \
    "ib-local UD_SEND_ONLY mad=3:92:35 at=24:0102000000000003 at=32:00000006 bth.destqp=1 deth.srcqp=1 "               \
    "deth.q_key=0x80010000\n"                                                                                          \
    "ib-local UD_SEND_ONLY mad=3:92:35 at=24:0103000100000000 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"       \
    "ib-local UD_SEND_ONLY mad=3:92:35 at=24:0104007e00000000 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"       \
    "ib-local UD_SEND_ONLY mad=3:92:35 at=24:0101010300000002 at=32:000000dc bth.destqp=1 deth.srcqp=1 "               \
    "deth.q_key=0x80010000\n"

#define MADS_GENERAL                                                                                                   \
    "mads 4 ib-local\n"                                                                                                \
    "mads 7 ib-local\n"                                                                                                \
    "ib-local UD_SEND_ONLY mad=7:3:10 at=32:0000000001064853 at=164:00401388000000000000000000000000 bth.destqp=1 "    \
    "deth.srcqp=1 deth.q_key=0x80010000\n"                                                                             \
    "ib-local UD_SEND_ONLY mad=7:3:10 at=32:0000000001064853 at=80:00000000000000000000ffff0a000001 "                  \
    "at=96:00000000000000000000ffff0a000002 "                                                                          \
    "at=164:0040138800000000000000000000000a000001000000000000000000000a0000020102030405 bth.destqp=1 deth.srcqp=1 "   \
    "deth.q_key=0x80010000\n"                                                                                          \
    "ib-local UD_SEND_ONLY mad=7:3:10 at=32:0000000001061389 at=164:00601389 bth.destqp=1 deth.srcqp=1 "               \
    "deth.q_key=0x80010000\n"                                                                                          \
    "ib-local UD_SEND_ONLY mad=7:3:12 at=32:0018001c bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                \
    "ib-local UD_SEND_ONLY mad=7:3:17 at=32:0000000001111389 at=40:00401389 bth.destqp=1 deth.srcqp=1 "                \
    "deth.q_key=0x80010000\n"                                                                                          \
    "mads 21 ib-local\n"                                                                                               \
    "ib-local UD_SEND_ONLY mad=21:81:13 at=32:01 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                    \
    "ib-local UD_SEND_ONLY mad=21:81:13 at=32:02 bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                    \
    "mads 5 ib-local\n"                                                                                                \
    "mads 6 ib-local\n"                                                                                                \
    "ib-local UD_SEND_ONLY mad=8:81:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=9:81:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=10:81:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                            \
    "ib-local UD_SEND_ONLY mad=30:81:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                            \
    "ib-local UD_SEND_ONLY mad=50:81:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                            \
    "ib-local UD_SEND_ONLY mad=4:81:99  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000\n"                             \
    "ib-local UD_SEND_ONLY mad=4:81:12  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000 cut=200\n"                     \
    "ib-local UD_SEND_ONLY mad=81:81:15  bth.destqp=0 deth.srcqp=0 deth.q_key=0x80010000 cut=120\n"                    \
    "ib-local UD_SEND_ONLY mad=7:3:10  bth.destqp=1 deth.srcqp=1 deth.q_key=0x80010000 cut=100\n"                      \
    "ib-local UD_SEND_ONLY mad=4:81:12 payload=100 bth.destqp=1 deth.srcqp=1\n"

const struct capture captures[] = {
    {"opcodes-roce1.pcap", FORM_PCAP, 0, ETHERNET, 0, "flow RC roce1\nflow UC roce1\nflow UD roce1\n", NULL},
    {"opcodes-roce2-v4.pcap", FORM_PCAP, 0, ETHERNET, 0, "flow RC roce2-ipv4\nflow UC roce2-ipv4\nflow UD roce2-ipv4\n",
     NULL},
    {"opcodes-roce2-v6.pcap", FORM_PCAP, 0, ETHERNET, 0, "flow RC roce2-ipv6\nflow UC roce2-ipv6\nflow UD roce2-ipv6\n",
     NULL},
    {"opcodes-xrc.pcap", FORM_PCAP, 0, ETHERNET, 0, "flow XRC roce2-ipv4\n", NULL},
    {"opcodes-rd-erf.pcap", FORM_PCAP_ERF, 0, ERF, 0, "flow RD ib-local\n", NULL},
    {"ib-native.pcap", FORM_PCAP, NANOSECONDS, INFINIBAND, 0, NATIVE, NULL},
    {"ib-native-erf.pcap", FORM_PCAP_ERF, 0, ERF, 0, NATIVE, NULL},
    {"mads-subnet.pcap", FORM_PCAP_ERF, 0, ERF, 0, MADS_SUBNET, NULL},
    {"mads-general.pcap", FORM_PCAP_ERF, 0, ERF, 0, MADS_GENERAL, NULL},
    {"cm-messages.pcap", FORM_PCAP, NANOSECONDS, ETHERNET, 0, "cm roce2-ipv4\n", NULL},
    {"cm-messages-ib.pcap", FORM_PCAP_ERF, 0, ERF, 0, "cm ib-local\n", NULL},
    {"mads-private.pcap", FORM_PCAP_ERF, 0, ERF, 0, mads_private, NULL},
    {"ib-native-record.erf", FORM_ERF, 0, ERF, 0, NATIVE_GOOD, NULL},
    {"erf-ethernet.pcap", FORM_PCAP_ERF, 0, ERF, 0,
     "erf-roce2-ipv4 RC_SEND_ONLY payload=29\n"
     "erf-ext-roce1 RC_SEND_ONLY payload=29\n"
     "erf-ib-global RC_SEND_ONLY payload=29\n"
     "roce2-ipv6 RC_SEND_ONLY payload=29\n",
     NULL},
    {"tunnels.pcap", FORM_PCAP, 0, ETHERNET, 0, TUNNELS, NULL},
    {"congestion.pcap", FORM_PCAP, 0, ETHERNET, 0, CONGESTION, NULL},
    {"acknowledges.pcap", FORM_PCAP, 0, ETHERNET, 0, ACKNOWLEDGES, NULL},
    {"field-bugs-order.pcap", FORM_PCAP, 0, ETHERNET, 0, field_bugs_order, NULL},
    {"field-bugs-content.pcap", FORM_PCAP, 0, ETHERNET, 0, field_bugs_content, NULL},
    {"field-bugs-agreed.pcap", FORM_PCAP, 0, ETHERNET, 0, "", field_bugs_agreed},
    {"field-bugs-path.pcap", FORM_PCAP, 0, ETHERNET, 0, "", field_bugs_path},
    {"connections.pcap", FORM_PCAP, 0, ETHERNET, 0, "", connections},
    {"xrc.pcap", FORM_PCAP, 0, ETHERNET, 0, "", xrc},
    {"hardware.pcap", FORM_PCAP, NANOSECONDS, ETHERNET, 0, "", hardware},
    {"reserved-opcodes.pcap", FORM_PCAP, 0, ETHERNET, 0, RESERVED, NULL},
    {"not-roce.pcap", FORM_PCAP, 0, ETHERNET, 0, NOT_ROCE, NULL},
    {"wrong-lengths.pcap", FORM_PCAP, 0, ETHERNET, 0, LENGTHS, NULL},
    {"damaged.pcap", FORM_PCAP, 0, ETHERNET, 0, DAMAGED, NULL},
    {"damaged-not-missing.pcap", FORM_PCAP, NANOSECONDS, ETHERNET, 0, damaged_not_missing, NULL},
    {"misread.pcap", FORM_PCAP, 0, ETHERNET, 0, misread, NULL},
    {"cut-60.pcap", FORM_PCAP, 0, ETHERNET, 60, CUT, NULL},
    {"cut-90.pcap", FORM_PCAP, 0, ETHERNET, 90, CUT, NULL},
    {"fragments-options.pcap", FORM_PCAP, 0, ETHERNET, 0, FRAGMENTS, NULL},
    {"sections.pcapng", FORM_PCAPNG, 0, ETHERNET, 0, SECTIONS, NULL},
    {"big-endian-ns.pcap", FORM_PCAP, BIG_ENDIAN_FILE | NANOSECONDS, ETHERNET, 0, PLAIN, NULL},
    {"stored.pcap.gz", FORM_PCAP, GZIP, ETHERNET, 0, PLAIN, NULL},
    {"raw-ip.pcap", FORM_PCAP, 0, RAW_IP, 0,
     "ip-roce2-ipv4 RC_SEND_ONLY payload=29\n"
     "ip-roce2-ipv6 RC_SEND_ONLY payload=29\n",
     NULL},
    {"cooked.pcap", FORM_PCAP, 0, LINUX_SLL, 0,
     "sll-roce2-ipv4 RC_SEND_ONLY payload=29\n"
     "sll-roce1 RC_SEND_ONLY payload=29\n",
     NULL},
    {"cooked2.pcap", FORM_PCAP, 0, LINUX_SLL2, 0, "sll2-roce2-ipv6 RC_SEND_ONLY payload=29\n", NULL},
    {"ipoib.pcap", FORM_PCAP, 0, IPOIB, 0,
     "ipoib-ipv4 udp.dstport=53 payload=20\n"
     "raw:ipoibph,ipoib ipoib.type=0x0806 payload=56\n"
     "raw:ipoibph,ipoib,ipv6 ipv6.nxt=58 payload=16\n",
     NULL},
};
const size_t n_captures = sizeof captures / sizeof *captures;
