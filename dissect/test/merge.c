/* SPDX-License-Identifier: BSD-2-Clause */
/* The command merge. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command.h"

static void begin(void)
{
    command_begin();
    COMMAND(0, 0, "", "-q --summary %s acknowledges.pcap", command_in("a"));
    COMMAND(0, 0, "", "-q --summary %s congestion.pcap", command_in("b"));
}
TestSuite(merge, .init = begin, .fini = command_end);

static void is(const char *name, const char *text)
{
    cr_expect_str_eq(command_file(name, NULL), text, "%s", name);
}

static char *copy(const char *name)
{
    return strdup(command_file(name, NULL));
}

Test(merge, where_the_sum_goes)
{
    char *a = copy("a"), *b = copy("b");

    cr_expect_eq(command("merge %s", command_in("a")), 0);
    cr_expect_str_eq(command_out, a, "the sum of one is the same");
    cr_expect_eq(command("merge -o - %s", command_in("a")), 0);
    cr_expect_str_eq(command_out, a);
    command_from = open(command_in("b"), O_RDONLY | O_CLOEXEC);
    cr_expect_eq(command("merge -"), 0);
    cr_expect_str_eq(command_out, b);
    cr_expect_eq(command("merge %s %s", command_in("a"), command_in("b")), 0);
    cr_expect(strstr(command_out, "\"counts\":{\"packets\":23,"), "%s", command_out);
    char *sum = strdup(command_out);
    COMMAND(0, 0, "", "merge -o %s %s %s", command_in("sum"), command_in("b"), command_in("a"));
    is("sum", sum);
    COMMAND(0, 0, "", "merge --no-sandbox --report %s %s %s", command_in("page"), command_in("b"), command_in("a"));
    char *page = copy("page");
    cr_expect(strncmp(page, "<!DOCTYPE html>", 15) == 0);
    COMMAND(0, 0, "", "merge -o %s --report %s %s %s", command_in("a"), command_in("page"), command_in("a"),
            command_in("b"));
    is("a", sum);
    is("page", page);
    cr_expect_eq(command("merge --report - %s", command_in("a")), 0);
    cr_expect_str_eq(command_out, page);
    free(page);
    free(sum);
    free(a);
    free(b);
}

Test(merge, usage)
{
    static const struct {
        const char *words, *says;
    } rows[] = {
        {"", "no summary named; see ibdissect merge --help"},
        {"-o x", "no summary named; see ibdissect merge --help"},
        {"-o", "-o: wants a value; see ibdissect merge --help"},
        {"--report", "--report: wants a value; see ibdissect merge --help"},
        {"-z a", "no option -z; see ibdissect merge --help"},
        {"--nope a", "no option --nope; see ibdissect merge --help"},
        {"-o - --report - a", "-: -o and --report are the same file"},
        {"-o x --report x a", "x: -o and --report are the same file"},
        {"-o x --report ./x a", "x: -o and --report are the same file"},
        {"--report README.md -o x a README.md", "README.md: is one of the summaries; the page would destroy it"},
        {"--report ./README.md README.md", "./README.md: is one of the summaries; the page would destroy it"},
    };
    char says[512];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(says, sizeof says, "ibdissect merge: %s\n", rows[i].says);
        COMMAND(1, 0, says, "merge %s", rows[i].words);
    }
    cr_expect_neq(access("x", F_OK), 0);
    cr_expect_eq(command("merge --help"), 0);
    cr_expect(strncmp(command_out, "ibdissect merge - add summaries", 31) == 0);
    char *help = strdup(command_out);
    cr_expect_eq(command("merge -h none"), 0);
    cr_expect_str_eq(command_out, help);
    free(help);
    command_to = open("/dev/full", O_WRONLY | O_CLOEXEC);
    COMMAND(2, 0, "", "merge --help");
}

/* A fault ends the command without a sum: earlier files stay, and nothing is left of the new ones. */
Test(merge, faults)
{
    static const struct {
        const char *words, *says;
    } rows[] = {
        {"none", "none: No such file or directory"},
        {"gen", "gen: Is a directory"},
        {"README.md", "README.md: line 1: an object is missing"},
    };
    char says[1024];

    command_put("old", "old", 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)snprintf(says, sizeof says, "ibdissect merge: %s\n", rows[i].says);
        COMMAND(2, 0, says, "merge -o %s --report %s %s %s", command_in("old"), command_in("page"), command_in("a"),
                rows[i].words);
        COMMAND(2, 0, says, "merge -o %s --report %s %s %s", command_in("old"), command_in("page"), rows[i].words,
                command_in("a"));
        is("old", "old");
        cr_expect_not(command_has_file("page"));
    }
    COMMAND(2, 0, "ibdissect merge: no/x: No such file or directory\n", "merge -o no/x %s", command_in("a"));
    COMMAND(2, 0, "ibdissect merge: no/x: No such file or directory\n", "merge -o %s --report no/x %s",
            command_in("old"), command_in("a"));
    is("old", "old");
    COMMAND(2, 0, "ibdissect merge: /dev/full: No space left on device\n", "merge -o /dev/full %s", command_in("a"));
    COMMAND(2, 0, "ibdissect merge: /dev/full: No space left on device\n", "merge --report /dev/full %s",
            command_in("a"));
    COMMAND(2, 0,
            "ibdissect merge: capture \"acknowledges.pcap\" of host \"\" is in two of the summaries: it would count "
            "twice\n",
            "merge -o %s --report %s %s %s", command_in("old"), command_in("page"), command_in("a"), command_in("a"));
    is("old", "old");
    cr_expect_not(command_has_file("page"));
}

Test(merge, connections_with_several_parts)
{
    COMMAND(0, 0, "", "-q --summary %s rxe-rping.pcap", command_in("b"));
    COMMAND(0, 0, "", "-q --host h --summary %s rxe-rping.pcap", command_in("c"));
    COMMAND(0, 0, "ibdissect merge: connections with several parts: 2; the parts are side by side, and not added\n",
            "merge -o %s %s %s", command_in("sum"), command_in("b"), command_in("c"));
    COMMAND(2, 0, "ibdissect merge: none: No such file or directory\n", "merge %s %s none", command_in("b"),
            command_in("c"));
}

/* Texts of more than a megabyte are read whole: white space stands where a summary begins and ends. */
Test(merge, long_texts)
{
    static const size_t sizes[] = {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20, 5 << 19};
    char *a = copy("a");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = malloc(sizes[i]);
        cr_assert(text);
        memset(text, ' ', sizes[i]);
        memcpy(text + sizes[i] - strlen(a), a, strlen(a));
        command_put("long", text, sizes[i]);
        free(text);
        cr_expect_eq(command("merge %s", command_in("long")), 0, "%zu: %s", sizes[i], command_err);
        cr_expect_str_eq(command_out, a);
    }
    cr_expect_eq(command("merge %s %s", command_in("long"), command_in("b")), 0);
    cr_expect(strstr(command_out, "\"counts\":{\"packets\":23,"), "a short text after a long one");
    free(a);
}
