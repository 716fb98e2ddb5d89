/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of fields that broken devices send or read wrong, as `ibconform mutants --list` prints it: each field of
 * each header that the engine sends, by the order of the headers, then the fields of each class of packets. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "targets/emit.h"
#include "targets/hear.h"

static char text[16384];
static size_t used;

static void add(const char *klass, const char *field, const char *change)
{
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s=%s", used ? " " : "", klass, *klass ? "/" : "",
                             field, change);
    cr_assert_lt(used, sizeof text);
}

/* Writes the next rows of the list, as long as they are of one kind. */
static void list(size_t from, size_t n)
{
    used = 0;
    for (size_t i = from; i < from + n && i < emit_row_count; i++)
        add(emit_rows[i].klass == EMIT_any ? "" : emit_class_names[emit_rows[i].klass], emit_rows[i].field,
            emit_rows[i].change);
}

static const char everywhere[] =
    "eth.dst=^1 eth.src=^1 eth.type=+1 vlan.id=^1 vlan.priority=^1 vlan.dei=^1 vlan.etype=+1 "
    "ip.version=+1 ip.hdr_len=+1 ip.dsfield.dscp=+1 ip.dsfield.ecn=^3 ip.len=+1 ip.id=+1 "
    "ip.flags.rb=^1 ip.flags.df=^1 ip.flags.mf=^1 ip.frag_offset=+1 ip.ttl=+1 ip.proto=+1 "
    "ip.checksum=+1 ip.src=^1 ip.dst=^1 ipv6.version=^1 ipv6.tclass.dscp=+1 ipv6.tclass.ecn=^3 "
    "ipv6.flow=+1 ipv6.plen=+1 ipv6.nxt=+1 ipv6.hlim=+1 ipv6.src=^1 ipv6.dst=^1 udp.srcport=+1 "
    "udp.srcport=*1 udp.dstport=+1 udp.length=+1 udp.checksum=+1 lrh.vl=^1 lrh.lver=+1 lrh.sl=+1 "
    "lrh.reserved2=^1 lrh.lnh=^1 lrh.dlid=^1 lrh.reserved5=^1 lrh.pktlen=+1 lrh.slid=^1 "
    "grh.ipver=^1 grh.tclass=+1 grh.flowlabel=+1 grh.paylen=+1 grh.nxthdr=+1 grh.hoplmt=+1 "
    "grh.sgid=^1 grh.dgid=^1 rwh.reserved=^1 rwh.etype=+1 bth.opcode=^1 bth.se=^1 bth.m=^1 "
    "bth.padcnt=+1 bth.tver=+1 bth.p_key=^1 bth.p_key=^0x8000 bth.fecn=^1 bth.becn=^1 "
    "bth.reserved6=^1 bth.destqp=+1 bth.a=^1 bth.reserved7=^1 bth.psn=+1 deth.q_key=^1 "
    "deth.reserved8=^1 deth.srcqp=+1 xrceth.reserved8=^1 xrceth.srqn=+1 feth.reserved26=^1 "
    "feth.selectivity=^1 feth.placement=^3 reth.va=+1 reth.r_key=^1 reth.dmalen=+1 "
    "atomiceth.va=+8 atomiceth.r_key=^1 atomiceth.swapdt=+1 atomiceth.cmpdt=+1 "
    "aeth.syndrome.reserved=^1 aeth.syndrome.opcode=^2 aeth.syndrome.value=+1 aeth.msn=+1 "
    "atomicacketh.origremdt=+1 immdt.data=^1 ieth.r_key=^1 cnp.reserved=^1 icrc=^1 vcrc=^1 "
    "payload=^1";
static const char bth[][2][16] = {{"bth.psn", "+1"},       {"bth.se", "^1"},       {"bth.m", "^1"},
                                  {"bth.padcnt", "+1"},    {"bth.tver", "+1"},     {"bth.p_key", "^1"},
                                  {"bth.destqp", "+1"},    {"bth.fecn", "^1"},     {"bth.becn", "^1"},
                                  {"bth.reserved6", "^1"}, {"bth.reserved7", "^1"}};
static const char aeth[] = "%s/aeth.syndrome.reserved=^1 %s/aeth.syndrome.opcode=^2 %s/aeth.syndrome.value=+1 "
                           "%s/aeth.msn=+1";
static const char more[] =
    "request_first/reth.va=+1 request_first/reth.dmalen=+1 request_only/reth.dmalen=+1 read_request/reth.va=+1 "
    "read_request/reth.dmalen=+1 extended_request/reth.va=+8 extended_request/reth.dmalen=+8 request_first/payload=^1 "
    "request_middle/payload=^1 request_last/payload=^1 request_only/payload=^1 extended_request/payload=^1 "
    "read_response/payload=^1 datagram/payload=^1 ack/packet=-1 nak/packet=-1 rnr_nak/packet=-1 "
    "read_response/packet=-1 atomic_ack/packet=-1 cnp/packet=-1";
enum {
    N_BTH = sizeof bth / sizeof *bth,
    N_AETH = 4,
    N_EVERYWHERE = 95,
    N_MORE = 20,
    CLASSES = EMIT_CLASS_COUNT - 1, /* without EMIT_any */
    WITH_AETH = EMIT_atomic_ack - EMIT_ack + 1,
    BTH_AT = N_EVERYWHERE,
    A_AT = BTH_AT + CLASSES * N_BTH,
    AETH_AT = A_AT + CLASSES,
    MORE_AT = AETH_AT + WITH_AETH * N_AETH,
    ALL = MORE_AT + N_MORE,
};

Test(emit_rows, every_field_alone)
{
    cr_assert_eq(emit_row_count, ALL, "%zu rows, not %d", emit_row_count, (int)ALL);
    list(0, N_EVERYWHERE);
    cr_expect_str_eq(text, everywhere, "%s", text);
    list(MORE_AT, N_MORE + 1);
    cr_expect_str_eq(text, more, "%s", text);
}

/* Each class has every field of its BTH but the opcode; AckReq comes in a list of its own. */
Test(emit_rows, every_field_of_the_bth_by_class)
{
    for (unsigned k = 0; k < CLASSES; k++) {
        const struct emit_row *a = &emit_rows[A_AT + k];
        for (unsigned i = 0; i < N_BTH; i++) {
            const struct emit_row *r = &emit_rows[BTH_AT + k * N_BTH + i];
            cr_expect_eq(r->klass, EMIT_any + 1 + k, "%s %s", emit_class_names[r->klass], r->field);
            cr_expect_str_eq(r->field, bth[i][0]);
            cr_expect_str_eq(r->change, bth[i][1], "%s", r->field);
        }
        cr_expect_eq(a->klass, EMIT_any + 1 + k, "%s", emit_class_names[a->klass]);
        cr_expect(strcmp(a->field, "bth.a") == 0 && strcmp(a->change, "^1") == 0);
    }
}

/* The five kinds of responses have an AETH. */
Test(emit_rows, every_field_of_the_aeth_by_class)
{
    for (unsigned k = 0; k < WITH_AETH; k++) {
        const char *c = emit_class_names[EMIT_ack + k];
        char wanted[400];
        (void)snprintf(wanted, sizeof wanted, aeth, c, c, c, c);
        list(AETH_AT + k * N_AETH, N_AETH);
        cr_expect_str_eq(text, wanted, "%s", text);
    }
}

/* Four changes break no rule: the identification of a packet that may not be fragmented, and AckReq of requests that
 * are answered in either case. */
Test(emit_rows, fields_that_may_have_any_value)
{
    used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < emit_row_count; i++)
        if (emit_rows[i].allowed)
            add(emit_rows[i].klass == EMIT_any ? "" : emit_class_names[emit_rows[i].klass], emit_rows[i].field,
                emit_rows[i].change);
    cr_expect_str_eq(text, "ip.id=+1 read_request/bth.a=^1 atomic_request/bth.a=^1 extended_request/bth.a=^1", "%s",
                     text);
    for (size_t i = 0; i < emit_row_count; i++)
        if (emit_rows[i].allowed)
            cr_expect(strstr(emit_rows[i].allowed, i < N_EVERYWHERE ? "identification" : "AckReq"), "%s",
                      emit_rows[i].field);
}

Test(emit_rows, fields_that_are_read_wrong)
{
    used = 0;
    for (size_t i = 0; i < hear_row_count; i++)
        add("", hear_rows[i].name, hear_rows[i].change);
    cr_expect_str_eq(text,
                     "ip.ttl=!64 ip.dsfield.dscp=!0 ip.dsfield.ecn=3 ipv6.hlim=!64 ipv6.flow=!0 grh.hoplmt=!64 "
                     "grh.tclass=!0 grh.flowlabel=!0 vlan.priority=!0 bth.reserved6=!0 bth.reserved7=!0 "
                     "lrh.reserved5=!0 lrh.sl=!0 trailer=!0 pad=!0 unknown_qp=1 short=1 faults=!4",
                     "%s", text);
}
