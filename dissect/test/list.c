/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"
#include "finding_help.h"
#include "observer/iba_finding.h"
#include "wire/iba_opcode.h"

TestSuite(list, .init = command_begin, .fini = command_end);

static void has(const char *line)
{
    const char *at = strstr(command_out, line);

    cr_expect(at && (at == command_out || at[-1] == '\n') && at[strlen(line)] == '\n', "%s", line);
}

static size_t lines(void)
{
    size_t n = 0;

    for (const char *s = command_out; *s; s++)
        n += *s == '\n';
    return n;
}

/* The names and types of fields of the BTH, the RETH and of addresses are those of tshark -G fields. */
Test(list, fields_as_tshark_has_them)
{
    static const char *const rows[] = {
        "F\tSolicited Event\tinfiniband.bth.se\tFT_BOOLEAN\tinfiniband\t",
        "F\tPad Count\tinfiniband.bth.padcnt\tFT_UINT8\tinfiniband\tBASE_DEC",
        "F\tPartition Key\tinfiniband.bth.p_key\tFT_UINT16\tinfiniband\tBASE_DEC",
        "F\tDestination Queue Pair\tinfiniband.bth.destqp\tFT_UINT24\tinfiniband\tBASE_HEX",
        "F\tPacket Sequence Number\tinfiniband.bth.psn\tFT_UINT24\tinfiniband\tBASE_DEC",
        "F\tRemote Key\tinfiniband.reth.r_key\tFT_UINT32\tinfiniband\tBASE_HEX",
        "F\tVirtual Address\tinfiniband.reth.va\tFT_UINT64\tinfiniband\tBASE_HEX",
        "F\tDMA Length\tinfiniband.reth.dmalen\tFT_UINT32\tinfiniband\tBASE_DEC",
        "F\tSource\teth.src\tFT_ETHER\teth\t",
        "F\tSource Address\tip.src\tFT_IPv4\tip\t",
        "F\tSource Address\tipv6.src\tFT_IPv6\tipv6\t",
        "F\tEpoch Time\tframe.time_epoch\tFT_RELATIVE_TIME\tframe\t",
        "F\tComment\tframe.comment\tFT_STRING\tframe\t",
        "F\tEpoch Time in nanoseconds\tframe.time_ns\tFT_UINT64\tframe\tBASE_DEC",
        "F\tInfiniBand\tinfiniband\tFT_NONE\tinfiniband\t",
        "F\tRETH - RDMA Extended Transport Header\tinfiniband.reth\tFT_BYTES\tinfiniband\t",
        "F\tOpaque (8 bytes)\tinfiniband.dcbth.opaque\tFT_BYTES\tinfiniband\t",
    };
    size_t n;

    cr_assert_eq(command("-G fields"), EXIT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        has(rows[i]);
    (void)field_all(&n);
    cr_expect_eq(lines(), n);
}

Test(list, values_and_ranges_of_codes)
{
    unsigned opcodes = 0;
    size_t found = 0;

    cr_assert_eq(command("-G values"), EXIT_OK);
    has("V\tinfiniband.bth.opcode\t0\tRC SEND First");
    has("V\tinfiniband.bth.opcode\t129\tCNP (RoCEv2)");
    has("V\tinfiniband.aeth.syndrome.error_code\t4\tInvalid RD Request");
    has("R\tinfiniband.aeth.syndrome.error_code\t5\t31\treserved");
    has("R\tinfiniband.feth.sel\t2\t3\treserved");
    for (unsigned code = 0; code < 256; code++)
        opcodes += iba_opcodes[code].name != NULL;
    for (const char *s = command_out; (s = strstr(s, "V\tinfiniband.bth.opcode\t")); s++)
        found++;
    cr_expect_eq(found, opcodes, "each opcode once");
}

/* Rows of IBTA table 38, with the headers of table 39. */
Test(list, opcodes)
{
    static const char *const rows[] = {
        "0x01\tRC_SEND_MIDDLE\tRC\trequest\tmiddle\tPMTU\tbth\tRC SEND Middle",
        "0x02\tRC_SEND_LAST\tRC\trequest\tlast\t1..PMTU\tbth\tRC SEND Last",
        "0x05\tRC_SEND_ONLY_IMM\tRC\trequest\tonly\t0..PMTU\tbth immdt\tRC SEND Only with Immediate",
        "0x06\tRC_WRITE_FIRST\tRC\trequest\tfirst\tPMTU\tbth reth\tRC RDMA WRITE First",
        "0x0b\tRC_WRITE_ONLY_IMM\tRC\trequest\tonly\t0..PMTU\tbth reth immdt\tRC RDMA WRITE Only with Immediate",
        "0x0c\tRC_READ_REQUEST\tRC\trequest\tonly\tnone\tbth reth\tRC RDMA READ Request",
        "0x11\tRC_ACKNOWLEDGE\tRC\tresponse\tonly\tnone\tbth aeth\tRC Acknowledge",
        "0x64\tUD_SEND_ONLY\tUD\trequest\tonly\t0..PMTU\tbth deth\tUD SEND Only",
    };
    unsigned opcodes = 0;

    cr_assert_eq(command("-G opcodes"), EXIT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        has(rows[i]);
    for (unsigned code = 0; code < 256; code++)
        opcodes += iba_opcodes[code].name != NULL;
    cr_expect_eq(lines(), opcodes);
}

Test(list, findings)
{
    char row[4096];

    cr_assert_eq(command("-G findings"), EXIT_OK);
    cr_expect_eq(lines(), IBA_FINDING_COUNT);
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++) {
        const struct iba_finding_info *f = &iba_findings[i];
        (void)snprintf(row, sizeof row, "%s\t%s\tinfiniband.analysis.%s\t%s\t%s\t%s\t%s\t%s", f->name,
                       iba_severity_name(f->severity), f->field, f->sentence, f->clause, finding_help[i].means,
                       finding_help[i].causes, finding_help[i].advice);
        has(row);
    }
}

Test(list, statistics)
{
    cr_assert_eq(command("-G statistics"), EXIT_OK);
    cr_expect_eq(lines(), 17);
}
