/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrong options, and the error line for each. */
#include "scenario/usage.h"
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>

Test(usage, a_wrong_option_names_the_nearest)
{
    static const struct option longs[] = {{"listen", required_argument, NULL, 0},
                                          {"real-time", no_argument, NULL, 0},
                                          {"help", no_argument, NULL, 0},
                                          {0}};
    static const struct {
        const char *word, *fault;
        bool lacks_value;
    } cases[] = {{"--lsten", "--lsten: no such option; did you mean --listen?", false},
                 {"--lsten=unix:x", "--lsten=unix:x: no such option; did you mean --listen?", false},
                 {"--relatime", "--relatime: no such option; did you mean --real-time?", false},
                 {"--qzqzqzqz", "--qzqzqzqz: no such option", false},
                 {"-x", "-x: no such option", false},
                 {"--help=1", "--help=1: takes no value", false},
                 {"--listen", "--listen: wants a value", true},
                 {"-listen", "-listen: no such option", false},
                 {"-help", "-help: no such option", false},
                 {"--hel", "--hel: no such option; did you mean --help?", false},
                 {"help", "help: no such option", false},
                 {"--hel=--listen", "--hel=--listen: no such option; did you mean --help?", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char fault[IBC_USAGE_FAULT];
        ibc_usage_fault(fault, longs, cases[i].word, cases[i].lacks_value);
        cr_expect_str_eq(fault, cases[i].fault);
    }
}

/* The message quotes only the beginning of a long word. */
Test(usage, a_long_word_is_cut)
{
    static const struct option longs[] = {{"help", no_argument, NULL, 0}, {0}};
    char word[1000], fault[IBC_USAGE_FAULT];

    memset(word, 'a', sizeof word);
    word[0] = word[1] = '-';
    word[sizeof word - 1] = '\0';
    ibc_usage_fault(fault, longs, word, false);
    cr_assert_eq(strlen(fault), 100 + strlen(": no such option"));
}

/* The second column of the help begins at the same place in every line. */
Test(usage, help_in_columns, .init = cr_redirect_stdout)
{
    static const struct ibc_usage rows[] = {{"-a X", "one\ntwo\n\nfour"}, {"--long", "five"}};

    ibc_usage_print(rows, 2, 8);
    fflush(stdout);
    cr_assert_stdout_eq_str("  -a X    one\n          two\n          \n          four\n  --long  five\n");
}
