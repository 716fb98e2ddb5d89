/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of ibfabric: what each sets, and the sentence for each that is wrong. */
#include "options.h"
#include <criterion/criterion.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char said[16384], complained[1024];

static void keep(int from, char *text, size_t room)
{
    const ssize_t n = pread(from, text, room - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    (void)close(from);
}

/* Reads the words of a line as ibfabric does; `said` and `complained` are what it prints. "''" is an empty word. */
static int reads(const char *line, struct options *o, bool *done)
{
    static char words[300];
    static char *argv[20];
    char *rest = words, *word;
    const int to = memfd_create("said", MFD_CLOEXEC), faults = memfd_create("complained", MFD_CLOEXEC);
    const int out = dup(1), err = dup(2);
    int argc = 0, code;

    (void)snprintf(words, sizeof words, "ibfabric %s", line);
    while ((word = strsep(&rest, " ")) != NULL) {
        if (strcmp(word, "''") == 0)
            *word = '\0';
        else if (!*word)
            continue;
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    optind = 0;
    (void)fflush(NULL);
    cr_assert(dup2(to, 1) == 1 && dup2(faults, 2) == 2);
    code = options_read(o, argc, argv, done);
    (void)fflush(NULL);
    cr_assert(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    keep(to, said, sizeof said);
    keep(faults, complained, sizeof complained);
    (void)close(out);
    (void)close(err);
    return code;
}

Test(options, wrong_ones)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {"", "want a topology file; see ibfabric --help"},
        {"--console", "want a topology file; see ibfabric --help"},
        {"net other", "other: one topology file only; see ibfabric --help"},
        {"net other third", "other: one topology file only; see ibfabric --help"},
        {"net --udp 1023", "--udp 1023: want a port, 1024 to 65000"},
        {"net --udp 65001", "--udp 65001: want a port, 1024 to 65000"},
        {"net --udp x", "--udp x: want a port, 1024 to 65000"},
        {"net --udp 2000x", "--udp 2000x: want a port, 1024 to 65000"},
        {"net --udp -2000", "--udp -2000: want a port, 1024 to 65000"},
        {"net --udp +2000", "--udp +2000: want a port, 1024 to 65000"},
        {"net --udp ''", "--udp : want a port, 1024 to 65000"},
        {"net --udp :2000", "--udp :2000: want a port, 1024 to 65000"},
        {"net --udp 18446744073709553616", "--udp 18446744073709553616: want a port, 1024 to 65000"},
        {"net --credits 67", "--credits 67: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits 2049", "--credits 2049: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits x", "--credits x: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits 100x", "--credits 100x: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits +100", "--credits +100: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits -100", "--credits -100: want blocks of 64 bytes, 68 to 2048"},
        {"net --credits ''", "--credits : want blocks of 64 bytes, 68 to 2048"},
        {"net --credits :100", "--credits :100: want blocks of 64 bytes, 68 to 2048"},
        {"net --sim ''", "--sim : want a name of 1 to 40 characters"},
        {"net --sim 12345678901234567890123456789012345678901",
         "--sim 12345678901234567890123456789012345678901: want a name of 1 to 40 characters"},
        {"- --console", "--console: the standard input is the topology already"},
        {"--console -", "--console: the standard input is the topology already"},
        {"net --nonsense", "--nonsense: no such option; see ibfabric --help"},
        {"net --mutants x", "--mutants: no such option; did you mean --mutant?; see ibfabric --help"},
        {"net -x", "-x: no such option; see ibfabric --help"},
        {"net --pcap", "--pcap: wants a value; see ibfabric --help"},
        {"net --sim", "--sim: wants a value; see ibfabric --help"},
        {"net --udp", "--udp: wants a value; see ibfabric --help"},
        {"net --credits", "--credits: wants a value; see ibfabric --help"},
        {"net --mutant", "--mutant: wants a value; see ibfabric --help"},
        {"net --console=1", "--console=1: takes no value; see ibfabric --help"},
        {"net --rules=1", "--rules=1: takes no value; see ibfabric --help"},
        {"--udp 7 --credits 7", "--udp 7: want a port, 1024 to 65000"}, /* the first fault */
    };
    struct options o;
    bool done;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[256];
        (void)snprintf(want, sizeof want, "ibfabric: %s\n", rows[i].says);
        cr_expect_eq(reads(rows[i].line, &o, &done), 2, "%s", rows[i].line);
        cr_expect_str_eq(complained, want, "%s: %s", rows[i].line, complained);
        cr_expect(*said == '\0' && !done, "%s", rows[i].line);
    }
}

Test(options, what_they_set)
{
    struct options o;
    bool done;

    cr_assert_eq(reads("net", &o, &done), 0);
    cr_expect(strcmp(o.topology, "net") == 0 && strcmp(o.sim, "sim") == 0 && !o.pcap && !o.mutant && !done);
    cr_expect(!o.console && !o.list_rules && o.udp_port == 0 && o.credits == 0);
    cr_assert_eq(reads("--sim lab --udp 1024 --pcap f --credits 68 net --mutant a.b --console", &o, &done), 0);
    cr_expect(strcmp(o.sim, "lab") == 0 && o.udp_port == 1024 && strcmp(o.pcap, "f") == 0 && o.credits == 68);
    cr_expect(strcmp(o.mutant, "a.b") == 0 && o.console && strcmp(o.topology, "net") == 0 && !o.list_rules);
    cr_assert_eq(reads("--udp 65000 --credits 2048 - --sim 1234567890123456789012345678901234567890", &o, &done), 0);
    cr_expect(o.udp_port == 65000 && o.credits == 2048 && strcmp(o.topology, "-") == 0 && strlen(o.sim) == 40);
    cr_assert_eq(reads("--sim n net", &o, &done), 0);
    cr_expect(strcmp(o.sim, "n") == 0 && *said == '\0' && *complained == '\0');
    cr_assert_eq(reads("--rules", &o, &done), 0);
    cr_expect(o.list_rules && !done && !o.topology, "it needs no topology");
}

Test(options, help_and_version)
{
    static const char *const ways[] = {"--help", "-h", "net --help", "--console -h"};
    static const char *const lines[] = {
        "Usage: ibfabric [option]... TOPOLOGY\n",
        "\n\nTOPOLOGY is a file as ibnetdiscover prints it, or a net file of ibsim; - is the standard input.\n",
        "(whole addresses, RMPP) or libumad2sim.so, which they preload.\n\nOptions\n  --sim NAME        serve under",
        "\n  --sim NAME        serve under this name: $IBFABRIC_SIM or $IBSIM_SOCKNAME of the\n"
        "                    programs; left out: sim\n  --udp PORT        serve UDP of 127.0.0.1 from this port on",
        "\n  --pcap FILE       write every packet of every wire: pcapng, link type 247, an interface\n",
        "\n  --console         commands from the standard input; its end ends the program\n",
        "\n  --credits BLOCKS  links count credits: each data lane has a receive buffer of so many blocks\n",
        "\n  --mutant ROW      every node lacks this row of its rules, TABLE.ROW\n",
        "\n  --rules           list the rows of all tables, and end\n  --help            this\n"
        "  --version         the version\n\nCommands of the console; an empty line ends each answer\n  nodes ",
        "\n  quit                                        end\n\nExit: 0 a signal, quit or the end of the console; 2",
        "\nExamples\n  ibfabric net --sim lab --pcap bring-up.pcapng &\n",
        "\n  ibfabric net --mutant agent.key_for_get      a subnet whose nodes answer every Get\n",
    };
    struct options o;
    bool done;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cr_assert(reads(ways[i], &o, &done) == 0 && done, "%s", ways[i]);
        cr_expect_eq(strncmp(said, "ibfabric - simulate an InfiniBand subnet", 40), 0);
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            cr_expect(strstr(said, lines[k]), "%s: no %s in\n%s", ways[i], lines[k], said);
        cr_expect_str_eq(complained, "");
    }
    cr_assert(reads("--version", &o, &done) == 0 && done);
    cr_expect(strncmp(said, "ibfabric ", 9) == 0 && said[9] >= '0' && said[9] <= '9' && strchr(said, '\n') &&
                  !strchr(said, '\n')[1],
              "%s", said);
    cr_assert_eq(reads("--udp 7 --help", &o, &done), 2);
    cr_expect_not(done);
}
