/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the dictionary of both fuzzing engines from the tables: names of fields and opcodes, the agent's verbs, the
 * words of scenarios and topologies, and characters that output forms have to escape. */
#include <ctype.h>
#include <stdio.h>
#include "agent/protocol.h"
#include "field/field.h"
#include "scenario/vocab.h"

static void word(const char *s)
{
    putchar('"');
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || !isprint((unsigned char)*s))
            printf("\\x%02x", (unsigned)(unsigned char)*s);
        else
            putchar(*s);
    puts("\"");
}

int main(void)
{
    static const char *const unsafe[] = {"\x1b[31m",     "\xc2\x9b", "\xef\xbf\xbe", "\xed\xa0\x80",
                                         "\xe2\x80\xae", "]]>",      "<x",           "\"x="};
    static const char *const topology[] = {"Switch\t",      "Hca\t",     "Rt\t",          "\n\n[1]\t\"S\"[2]",
                                           "switchguid=0x", "caguid=0x", "sysimgguid=0x", "vendid=0x"};
    size_t n;
    const struct field *f = field_all(&n);

    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        word(unsafe[i]);
    for (size_t i = 0; i < sizeof topology / sizeof *topology; i++)
        word(topology[i]);
    for (size_t i = 0; i < n; i++)
        word(f[i].name);
    for (unsigned i = 0; i < 256; i++)
        if (iba_opcodes[i].name)
            word(iba_opcodes[i].name);
    for (unsigned v = 0; v < AG_V_COUNT; v++) {
        const struct ag_shape *s = ag_args_shape((enum ag_verb)v);
        word(ag_verb_name((enum ag_verb)v));
        for (unsigned i = 0; i < s->n; i++)
            word(s->field[i].name);
    }
    for (unsigned w = 0; w < AG_W_COUNT; w++)
        for (size_t i = 0; i < ag_words[w].n; i++)
            word(ag_words[w].v[i].word);
    for (unsigned v = 0; v < IBC_VOCAB_COUNT; v++)
        for (size_t i = 0; i < ibc_vocabularies[v].n; i++)
            word(ibc_vocab_name(i, &(enum ibc_vocab){(enum ibc_vocab)v}));
    return 0;
}
