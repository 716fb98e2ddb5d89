/* SPDX-License-Identifier: BSD-2-Clause */
/* Records packets: if $IBFUZZ_PACKETS names a file, the packets that a target handles are written to it as a
 * capture. */
#include "records.h"
#include "test/recorder.h"

enum { SNAPLEN = 262144, HEADER_WORDS = 6, RECORD_WORDS = 4 };
#define MAGIC 0xa1b2c3d4u

static uint32_t linktype(enum iba_link link)
{
    static const uint16_t type[] = {
        [IBA_LINK_ETHERNET] = 1, [IBA_LINK_IB] = 247,   [IBA_LINK_IB_LINK] = 247, [IBA_LINK_IP] = 101,
        [IBA_LINK_SLL] = 113,    [IBA_LINK_SLL2] = 276, [IBA_LINK_ERF] = 197,     [IBA_LINK_IPOIB] = 242};

    return type[link];
}

void fuzz_packet(enum iba_link link, const uint8_t *p, size_t n)
{
    static const char *name;
    static bool asked;
    static FILE *f;
    static uint32_t number;

    if (!asked) {
        asked = true;
        name = getenv("IBFUZZ_PACKETS");
    }
    if (!name)
        return;
    if (!f && (f = fopen(name, "wb"))) {
        const uint32_t header[HEADER_WORDS] = {MAGIC, 2 | 4 << 16, 0, 0, SNAPLEN, linktype(link)};
        (void)fwrite(header, sizeof header, 1, f);
    }
    FUZZ_CHECK(f);
    const uint32_t record[RECORD_WORDS] = {0, number++, (uint32_t)n, (uint32_t)n};
    (void)fwrite(record, sizeof record, 1, f);
    (void)fwrite(p, n, 1, f);
    (void)fflush(f); /* the file is complete even if the next packet ends the process */
}

bool fuzz_recording(void)
{
    static int said; /* whether to record: 0 is not known yet, 1 no, 2 yes */

    if (said == 0)
        said = getenv("IBPROOF_HITS") ? 2 : 1;
    return said == 2;
}

/* libFuzzer counts this section as coverage: an input with a new opcode is kept. Other engines ignore it. */
__attribute__((used, section("__libfuzzer_extra_counters"))) static uint8_t reached[FUZZ_OPCODE_TABLES][256];

void fuzz_opcode(enum fuzz_opcode_table t, const struct iba_view *v)
{
    static const char *const name[] = {"opcode of a packet that was read",
                                       "opcode of a packet that an adapter was given"};

    if (!v->op || v->err != IBA_OK || v->icrc != IBA_CHECK_GOOD)
        return;
    reached[t][iba_bth_opcode(iba_view_bth(v))] = 1;
    if (fuzz_recording())
        record_hit(name[t], v->op->title);
}
