/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in scenarios: of objects and of their attributes, words that are meant instead, and the longest texts that are
 * taken. */
#include <stdlib.h>
#include <unistd.h>
#include "load.h"
#include "scenario/field.h"
#include "scenario/grammar.h"
#include "scenario/vocab.h"

#define SUBNET "title t\nspec RR-03\nrole fabric\n"

/* ---- attributes ---- */

static bool lists(const char *words, const char *word)
{
    char padded[64], with[32];

    snprintf(padded, sizeof padded, " %s ", words);
    snprintf(with, sizeof with, " %s ", word);
    return strstr(padded, with);
}

/* Each kind of object has the attributes that docs/scenarios.md lists, and no other. */
Test(names, attributes_of_objects)
{
    static const char *const all[] = {"va",   "lkey", "rkey", "length", "qpn",  "peer",
                                      "epsn", "psn",  "id",   "tid",    "srqn", "lid"};
    static const struct {
        const char *head, *object, *kind, *name, *use, *at, *attributes;
    } rows[] = {
        {HEAD, "qp q\nmr x\n", "mr", "x", "> q SEND_ONLY psn=", "7:19", "va lkey rkey length"},
        {HEAD, "qp q\nmw x\n", "mw", "x", "> q SEND_ONLY psn=", "7:19", "va rkey length"},
        {HEAD, "qp q\nsrq x\n", "srq", "x", "> q SEND_ONLY psn=", "7:19", "srqn"},
        {HEAD, "qp q\ncm x\n", "cm", "x", "> q SEND_ONLY psn=", "7:19", "id peer tid"},
        {HEAD, "qp q\nqp x\n", "qp", "x", "> q SEND_ONLY psn=", "7:19", "qpn peer epsn psn"},
        {HEAD, "qp q\npd x\n", "pd", "x", "> q SEND_ONLY psn=", "7:19", ""},
        {HEAD, "qp q\ncq x\n", "cq", "x", "> q SEND_ONLY psn=", "7:19", ""},
        {HEAD, "qp q\nxrcd x\n", "xrcd", "x", "> q SEND_ONLY psn=", "7:19", ""},
        {HEAD, "qp q\nhandle x\n", "handle", "x", "> q SEND_ONLY psn=", "7:19", ""},
        {HEAD, "qp q\ngroup x\n", "group", "x", "> q SEND_ONLY psn=", "7:19", ""},
        {SUBNET, "adapter q\nswitch x\n", "switch", "x", "> q.1 GET PortInfo lid=", "6:24", "lid"},
        {SUBNET, "switch q\nadapter x\n", "adapter", "x", "> q.1 GET PortInfo lid=", "6:24", "lid"},
        {SUBNET, "switch q\nrouter x\n", "router", "x", "> q.1 GET PortInfo lid=", "6:24", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
            char text[300], says[100];
            snprintf(text, sizeof text, "%s%s%s%s.%s\n", rows[i].head, rows[i].object, rows[i].use, rows[i].name,
                     all[a]);
            snprintf(says, sizeof says, "f.ibt:%s: a %s has no %s", rows[i].at, rows[i].kind, all[a]);
            gives(text, lists(rows[i].attributes, all[a]) ? NULL : says);
        }
}

/* ---- opcodes ---- */

/* An opcode has a short name in its service, and its whole name in each. The numbers are those of table 35. */
Test(names, opcodes_of_services)
{
    static const struct {
        const char *name;
        uint8_t code;
    } whole[] = {{"RC_SEND_ONLY", 0x04}, {"RC_ACKNOWLEDGE", 0x11}, {"UC_SEND_ONLY", 0x24}, {"RD_SEND_ONLY", 0x44},
                 {"UD_SEND_ONLY", 0x64}, {"XRC_SEND_ONLY", 0xa4},  {"XRC_FETCH_ADD", 0xb4}};
    static const struct {
        uint8_t type, code;
    } send_only[] = {{IBA_QPT_RC, 0x04},      {IBA_QPT_UC, 0x24},      {IBA_QPT_UD, 0x64},
                     {IBA_QPT_SMI, 0x64},     {IBA_QPT_GSI, 0x64},     {IBA_QPT_RD, 0x44},
                     {IBA_QPT_XRC_INI, 0xa4}, {IBA_QPT_XRC_TGT, 0xa4}, {IBA_QPT_EE, 0x44}};

    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        for (unsigned type = 0; type < IBA_QPT_COUNT; type++)
            cr_expect_eq(ibc_opcode_find(whole[i].name, (uint8_t)type), whole[i].code, "%s of type %u", whole[i].name,
                         type);
    for (size_t i = 0; i < sizeof send_only / sizeof *send_only; i++)
        cr_expect_eq(ibc_opcode_find("SEND_ONLY", send_only[i].type), send_only[i].code, "type %u", send_only[i].type);
    cr_expect_eq(ibc_opcode_find("SEND_ONLY", IBA_QPT_RAW_IPV6), IBC_NO_OP);
    cr_expect_eq(ibc_opcode_find("ACKNOWLEDGE", IBA_QPT_UC), IBC_NO_OP);
    cr_expect_eq(ibc_opcode_find("RC", IBA_QPT_RC), IBC_NO_OP);
    cr_expect_eq(ibc_opcode_find("RC_", IBA_QPT_RC), IBC_NO_OP);
    cr_expect_eq(ibc_opcode_find("ANY", IBA_QPT_UD), IBC_ANY_OPCODE);
    cr_expect_eq(ibc_opcode_find("RAW", IBA_QPT_UD), IBC_RAW_OPCODE);
    cr_expect(ibc_opcode_exists("SEND_ONLY") && ibc_opcode_exists("ACKNOWLEDGE") && ibc_opcode_exists("RESYNC"));
    cr_expect(!ibc_opcode_exists("SEND") && !ibc_opcode_exists("RC_SEND_ONLY") && !ibc_opcode_exists(""));
}

/* Only these steps name an operation: a work request, a completion, a verb or an event of a connection manager, and a
 * check of the subnet. */
Test(names, steps_with_an_operation)
{
    static const struct {
        const char *step;
        enum ibc_vocab of;
    } rows[] = {{"post", IBC_VOCAB_POST},
                {"completion", IBC_VOCAB_DONE},
                {"call", IBC_VOCAB_CM_VERB},
                {"told", IBC_VOCAB_CM_EVENT},
                {"subnet", IBC_VOCAB_CHECK}};

    for (unsigned k = 0; k < IBC_S_COUNT; k++) {
        unsigned of = 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (strcmp(rows[i].step, ibc_step_names[k]) == 0)
                of = (unsigned)rows[i].of;
        cr_expect_eq(ibc_shape_of_step((enum ibc_step_kind)k)->op, of, "%s", ibc_step_names[k]);
    }
}

/* ---- objects ---- */

/* A name has up to 31 letters. The wires of a node have its name, a dot and a number, so that of a node has up to 27.
 */
Test(names, how_long_names_of_objects_are)
{
    static const struct {
        const char *head, *object;
        unsigned most;
        const char *says;
    } rows[] = {
        {HEAD, "qp", 31, NULL},
        {HEAD, "mr", 31, NULL},
        {SUBNET, "switch", 27, "f.ibt:4:1: a node has a short name, and ports= is a plain number"},
        {SUBNET, "adapter", 27, "f.ibt:4:1: a node has a short name, and ports= is a plain number"},
        {SUBNET, "router", 27, "f.ibt:4:1: a node has a short name, and ports= is a plain number"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned more = 0; more < 2; more++) {
            char text[200], name[40], says[200];
            memset(name, 'a', sizeof name);
            name[rows[i].most + more] = '\0';
            snprintf(text, sizeof text, "%s%s %s\nwait 1s\n", rows[i].head, rows[i].object, name);
            snprintf(says, sizeof says,
                     "f.ibt:5:4: '%s': a name has 1 to 31 small letters, digits and '_', a letter first", name);
            gives(text, !more ? NULL : rows[i].says ? rows[i].says : says);
        }
}

Test(names, which_names_are_taken)
{
    static const struct {
        const char *name, *says;
    } rows[] = {
        {"pd", "f.ibt:5:4: 'pd' is always there"},
        {"m", "f.ibt:5:4: 'm' is always there"},
        {"l", "f.ibt:5:4: 'l' is always there"},
        {"any", "f.ibt:5:4: 'any' is a word"},
        {"none", "f.ibt:5:4: 'none' is a word"},
        {"peer", "f.ibt:5:4: 'peer' is a word"},
        {"qp", "f.ibt:5:4: 'qp' is a word"},
        {"wait", "f.ibt:5:4: 'wait' is a word"},
        {"n", NULL},
        {"mm", NULL},
        {"a0_z9", NULL},
        {"pd1", NULL},
        {"stranger", "f.ibt:5:4: 'stranger' is a word"},
        {"0a", "f.ibt:5:4: '0a': a name has 1 to 31 small letters, digits and '_', a letter first"},
        {"9a", "f.ibt:5:4: '9a': a name has 1 to 31 small letters, digits and '_', a letter first"},
        {"a-b", "f.ibt:5:4: 'a-b': a name has 1 to 31 small letters, digits and '_', a letter first"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "mr %s\nwait 1s\n", rows[i].name);
        gives(text, rows[i].says);
    }
}

/* ---- words that are meant ---- */

static const char *one_word;
static const char *the_word(size_t i, const void *unused)
{
    (void)i;
    (void)unused;
    return one_word;
}

/* Two words are alike if few letters were changed, added, left out, or swapped: a third of them, and one more. At least
 * one letter is the same. */
Test(names, words_that_are_alike)
{
    static const struct {
        const char *word, *name;
        bool alike;
    } rows[] = {
        {"ax", "ab", true},
        {"xy", "ab", false},
        {"ba", "ab", true},
        {"a", "b", false},
        {"a", "ab", true},
        {"xbz", "abc", true},
        {"xyz", "abc", false},
        {"abcxyz", "abcdef", true},
        {"abxyzw", "abcdef", false},
        {"abcdefghi", "abcdeXYZW", true},
        {"abcdefghi", "abcdXYZWV", false},
        {"badcfe", "abcdef", true},
        {"abcd", "abcd", false},
        {"abcd", "", false},
        {"", "a", false},
    };
    char word[60], name[60];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        one_word = rows[i].name;
        cr_expect_eq(ibc_nearest(rows[i].word, the_word, 1, NULL) != NULL, rows[i].alike, "%s for %s", rows[i].name,
                     rows[i].word);
    }
    for (size_t n = 47; n < 50; n++) { /* longer words are not compared */
        memset(word, 'a', sizeof word);
        memset(name, 'a', sizeof name);
        one_word = name;
        word[n] = name[n] = '\0';
        word[5] = 'b';
        cr_expect_eq(ibc_nearest(word, the_word, 1, NULL) != NULL, n <= 48, "%zu", n);
        word[47] = '\0';
        cr_expect_eq(ibc_nearest(word, the_word, 1, NULL) != NULL, n <= 48, "47 and %zu", n);
    }
}

/* ---- the most that is taken ---- */

/* Makes a text of a head, and of n times the same. */
static const char *many(const char *head, const char *each, size_t n, const char *last)
{
    static char text[1 << 17];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", head);

    for (; n > 0; n--)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", each);
    snprintf(text + used, sizeof text - used, "%s", last);
    return text;
}

Test(names, the_longest_texts)
{
    static const char end[] = "wait 1s\n";

    gives(many(HEAD "note ", "x", 995, "\nwait 1s\n"), NULL); /* a line of 1000 bytes */
    gives(many(HEAD "note ", "x", 996, "\nwait 1s\n"), "f.ibt:5:1001: the line has more than 1000 bytes");
    gives(many(HEAD, "\n", (64 << 10) - strlen(HEAD) - strlen(end), end), NULL);
    gives(many(HEAD, "\n", (64 << 10) - strlen(HEAD) - strlen(end) + 1, end), "f.ibt: more than 64 KiB");
    gives(many(HEAD, end, 4096, ""), NULL);
    gives(many(HEAD, end, 4097, ""), "f.ibt:4101:1: more than 4096 steps");
    gives(many(HEAD "qp a\n> a SEND_ONLY", " poke=0:00", 24, "\n"), NULL);
    gives(many(HEAD "qp a\n> a SEND_ONLY", " poke=0:00", 25, "\n"), "f.ibt:6:255: more than 24 words");
    gives(HEAD "vary a 1s 2s 3s 4s 5s 6s 7s 8s\nvary b 1s 2s 3s 4s 5s 6s 7s 8s\n"
               "vary c 1s 2s 3s 4s 5s 6s 7s 8s\nwait $a\nwait $b\nwait $c\n",
          NULL); /* 512 variations */
    gives(HEAD "vary a 1s 2s 3s\nvary b 1s 2s 3s\nvary c 1s 2s 3s\nvary d 1s 2s 3s\nvary e 1s 2s 3s\nvary f 1s 2s 3s\n"
               "wait $a\nwait $b\nwait $c\nwait $d\nwait $e\nwait $f\n",
          "f.ibt:10:1: more than 512 variations");
}

/* All faults of a file are reported, as many as there is room for; nothing is written after the room. */
Test(names, room_for_messages)
{
    enum { ROOM = 300, AFTER = 400 };
    char path[] = "names-XXXXXX.ibt", whole[ROOM + AFTER], err[ROOM + AFTER], want[ROOM];
    const int fd = mkstemps(path, 4);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

    cr_assert_not_null(f);
    cr_assert_null(ibc_load("/", "x", err, sizeof err));
    cr_expect_str_eq(err, "/: cannot be read", "%s", err);
    fputs(HEAD "slience\nwait 5\nhealth now\n", f);
    fclose(f);
    cr_expect_null(ibc_load(path, "x", whole, ROOM));
    snprintf(want, sizeof want,
             "%s:5:1: unknown step 'slience'; did you mean 'silence'?\n%s:6:6: '5': a time ends in ns, us, ms or s\n"
             "%s:7:8: unknown word 'now'",
             path, path, path);
    cr_expect_str_eq(whole, want, "%s", whole);
    for (size_t room = 1; room < ROOM; room++) {
        memset(err, 0x5a, sizeof err);
        cr_expect_null(ibc_load(path, "x", err, room));
        const size_t n = strnlen(err, sizeof err);
        cr_expect_lt(n, room);
        cr_expect_eq(strncmp(err, want, n), 0, "%zu: %s", room, err);
        for (size_t i = room; i < sizeof err; i++)
            cr_assert_eq(err[i], 0x5a, "%zu of %zu", i, room);
    }
    unlink(path);
}

/* Lines of a note and of a hazard are joined, however short they are. */
Test(names, lines_of_notes)
{
    struct ibc_scenario *s;
    struct ibc_play *p = play_of("title t\nspec A\nrole both\nservice rc\nnote x\nnote yz\nhazard one\n"
                                 "hazard 2\nnote 3\nwait 1s\n",
                                 &s);

    cr_expect_str_eq(s->note, "x\nyz\n3", "%s", s->note);
    cr_expect_str_eq(s->hazard, "one\n2", "%s", s->hazard);
    done(p, s);
}
