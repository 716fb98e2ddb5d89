/* SPDX-License-Identifier: BSD-2-Clause */
/* completions SHELL PROGRAM: print the completion of a program for bash, zsh or fish, made from its table of options.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "conformance/agent/option_rows.h"
#include "conformance/fabric/option_rows.h"
#include "conformance/main/command_rows.h"
#include "conformance/scenario/words.h"
#include "dissect/option_rows.h"
#include "completions.h"

enum { no, optional, required };

static const struct option ibdissect[] = {
#define LETTER(l, a, w) {.letter = l[0], .takes = l[1] == ':' ? TAKES_VALUE : TAKES_NONE, .arg = a, .what = w},
#define LONG(id, n, v, a, w) {.name = n, .takes = (enum takes)v, .arg = a, .what = w},
    DISSECT_LETTERS(LETTER) DISSECT_LONGS(LONG)};
#define ROW(n, v, a, w) {.name = n, .takes = (enum takes)v, .arg = a, .what = w},
static const struct option help = {.name = "help", .letter = 'h', .what = "this"};
static const struct option ibagent[] = {IBAGENT_OPTIONS(ROW){.letter = 'h', .what = "help"}};
static const struct option ibfabric[] = {IBFABRIC_OPTIONS(ROW){.letter = 'h', .what = "help"}};
static const struct option ibconform[] = {
#define COMMAND_ROW(id, n, l, a, kind, member, w) {.name = n, .letter = l, .arg = a, .what = w},
    IBC_OPTIONS(COMMAND_ROW)};

static const struct command {
    const char *name, *summary;
    uint64_t options;
} commands[] = {
#define COMMAND(id, name, words, least, most, summary, options, examples) {name, summary, options},
    IBC_COMMANDS(COMMAND)};

#define LINK(id, w, encap) " " w
/* The values that an option takes, and the words of a program or command (NULL); the first row that fits counts. */
static const struct values {
    const char *program, *option;
    enum source source;
    const char *text;
} values[] = {
    {"ibdissect", "T", WORDS, "text tree fields json jsonl ek pdml"},
    {"ibdissect", "t", WORDS, "r a ad d dd e u ud"},
    {"ibdissect", "G", WORDS, "fields values opcodes findings statistics"},
    {"ibdissect", "E", WORDS,
     "header=y header=n separator= aggregator= occurrence=f occurrence=l occurrence=a quote=d quote=s quote=n"},
    {"ibdissect", "o", WORDS, "icrc:off icrc:on analysis:off analysis:on infiniband.rroce.port:"},
    {"ibdissect", "d", WORDS, "udp.port== user0, infiniband.bth.service==RD,dc infiniband.cm.serviceid== qp=="},
    {"ibdissect", "e", COMMAND_OUTPUT, "ibdissect -G fields 2>/dev/null | cut -f3"},
    {"ibdissect", "Y", COMMAND_OUTPUT, "ibdissect -G fields 2>/dev/null | cut -f3"},
    {"ibdissect", "z", COMMAND_OUTPUT, "ibdissect -G statistics 2>/dev/null | sed -n \"s/^-z \\([^ []*\\).*/\\1/p\""},
    {"ibdissect", "i", COMMAND_OUTPUT, "ls /sys/class/net 2>/dev/null"},
    {"ibdissect", "fail-on", WORDS, "note warn error"},
    {"ibdissect", "mtu", WORDS, "256 512 1024 2048 4096"},
    {"ibdissect", "r", FILES, ""},
    {"ibdissect", "w", FILES, ""},
    {"ibdissect", "report", FILES, ""},
    {"ibdissect", NULL, FILES, ""},
    {NULL, "color", WORDS, "auto always never"},
    {NULL, "user", COMMAND_OUTPUT, "getent passwd | cut -d: -f1"},
    {"ibconform", "link", WORDS, "all" IBC_LINKS(LINK)},
    {"ibconform", "target", WORDS, "reference live mutant:"},
    {"ibconform", "agent", WORDS, "exec: unix: tcp:"},
    {"ibconform", "wire", WORDS, "unix: dgram: afpacket:"},
    {"ibconform", "exclude", COMMAND_OUTPUT, "ibconform list 2>/dev/null | cut -d\" \" -f1"},
    {"ibconform", "rerun-failed", FILES, ""},
    {"ibconform", "agent-token-file", FILES, ""},
    {"ibconform", "junit", FILES, ""},
    {"ibconform", "json", FILES, ""},
    {"ibconform", "html", FILES, ""},
    {"ibconform", "waivers", FILES, ""},
    {"ibconform", "matrix", FILES, ""},
    {"ibconform", "out", FILES, ""},
    {"ibconform", "evidence", FOLDERS, ""},
    {"ibconform", "scenarios", FOLDERS, ""},
    {"check", NULL, FILES, ""},
    {"diff", NULL, FILES, ""},
    {"devices", NULL, FILES, ""},
    {"fuzz", NULL, NOTHING, ""},
    {"ibconform", NULL, COMMAND_OUTPUT, "ibconform list 2>/dev/null | cut -d\" \" -f1"},
    {"ibagent", "engine", WORDS, "reference mutant:"},
    {"ibagent", "wire", WORDS, "unix: dgram: afpacket:"},
    {"ibagent", "listen", WORDS, "unix: tcp:"},
    {"ibagent", "device", COMMAND_OUTPUT, "ls /sys/class/infiniband 2>/dev/null"},
    {"ibagent", "token-file", FILES, ""},
    {"ibfabric", "pcap", FILES, ""},
    {"ibfabric", "mutant", COMMAND_OUTPUT, "ibfabric --rules 2>/dev/null | cut -d\" \" -f1"},
    {"ibfabric", NULL, FILES, ""},
};

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void look_up(struct option *o, const char *program, const char *command)
{
    const char letter[] = {o->letter, '\0'};
    const char *name = o->name ? o->name : o->letter ? letter : NULL;

    o->source = NOTHING;
    o->text = "";
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct values *v = &values[i];
        if (same(v->option, name) && (!v->program || same(v->program, program) || same(v->program, command))) {
            o->source = v->source;
            o->text = v->text;
            return;
        }
    }
}

static void add(struct program *p, const char *command, const struct option *rows, size_t n, uint64_t which)
{
    struct section *s = &p->section[p->n_section++];

    s->command = command;
    for (size_t i = 0; i < n; i++)
        if (which >> i & 1) {
            s->option[s->n] = rows[i];
            if (command && rows[i].arg) /* ibconform's table says it by the argument */
                s->option[s->n].takes = rows[i].arg[0] == '[' ? TAKES_OPTIONAL : TAKES_VALUE;
            look_up(&s->option[s->n++], p->name, command);
        }
    look_up(&s->word, p->name, command);
}

static bool find(struct program *p, const char *name)
{
    enum { ALL_COMMANDS = sizeof commands / sizeof *commands };
#define TABLE(t)                                                                                                       \
    {                                                                                                                  \
#t, t, sizeof t / sizeof *t                                                                                    \
    }
    static const struct {
        const char *name;
        const struct option *rows;
        size_t n;
    } tables[] = {TABLE(ibdissect),
                  TABLE(ibagent),
                  TABLE(ibfabric),
                  {"ibagent-static", ibagent, sizeof ibagent / sizeof *ibagent}};

    p->name = name;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (same(tables[i].name, name)) {
            p->name = same(name, "ibagent-static") ? "ibagent" : name;
            add(p, NULL, tables[i].rows, tables[i].n, UINT64_MAX);
            p->name = name;
            return true;
        }
    for (size_t i = 0; same(name, "ibconform") && i < ALL_COMMANDS; i++) {
        add(p, commands[i].name, ibconform, sizeof ibconform / sizeof *ibconform, commands[i].options);
        struct section *s = &p->section[i];
        s->summary = commands[i].summary;
        s->option[s->n++] = help;
    }
    return p->n_section > 0;
}

int main(int argc, char **argv)
{
    static struct program p;
    static const struct {
        const char *name;
        void (*print)(const struct program *p);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; argc == 3 && i < sizeof shells / sizeof *shells; i++)
        if (same(shells[i].name, argv[1]) && find(&p, argv[2])) {
            shells[i].print(&p);
            return fflush(stdout) != 0;
        }
    (void)fputs("usage: completions bash|zsh|fish ibdissect|ibconform|ibfabric|ibagent|ibagent-static\n", stderr);
    return 2;
}
