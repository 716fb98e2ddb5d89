/* SPDX-License-Identifier: BSD-2-Clause */
/* Which characters of a text are printed unchanged on a terminal, or in XML. */
#include "system/text.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *printed(const char *s, size_t n)
{
    char *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);

    text_print(f, s, n);
    cr_assert_eq(fclose(f), 0);
    return out;
}

static void prints(const char *s, const char *as)
{
    char *out = printed(s, strlen(s));

    cr_expect_str_eq(out, as);
    free(out);
}

Test(text, plain_text_stays)
{
    prints("", "");
    prints("C:\\x \"quoted\" \xc3\xa4\xe2\x86\x92\xf0\x9f\x98\x80",
           "C:\\x \"quoted\" \xc3\xa4\xe2\x86\x92\xf0\x9f\x98\x80");
}

Test(text, what_a_terminal_executes_is_escaped)
{
    char every[0x20 + 2] = "";

    prints("\x1b]0;pwn\x07\x1b[31m\n", "\\033]0;pwn\\007\\033[31m\\n");
    prints("\x7f\xc2\x9b"
           "31m\r\t",
           "\\177\\302\\23331m\\r\\t");
    for (char c = 1; c < 0x20; c++)
        every[c - 1] = c;
    char *out = printed(every, 0x20 - 1);
    for (const char *s = out; *s; s++)
        cr_expect_geq(*s, 0x20);
    free(out);
}

Test(text, what_turns_lines_around_is_escaped)
{
    prints("a\xe2\x80\xae"
           "b\xe2\x81\xa6"
           "c\xe2\x80\xa8",
           "a\\342\\200\\256b\\342\\201\\246c\\342\\200\\250");
    for (uint32_t c = 0x2020; c < 0x2070; c++)
        cr_expect_eq(text_is_plain(c), !((c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)), "%x", c);
}

Test(text, bytes_that_are_no_utf8_are_escaped)
{
    uint32_t code;

    prints("\xff\xc3(\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", "\\377\\303(\\300\\257\\355\\240\\200\\364\\220\\200\\200");
    cr_expect_eq(text_char("\xc3", 1, &code), 0); /* cut */
    cr_expect_eq(code, TEXT_BROKEN);
    cr_expect_eq(text_char("\xf0\x9f\x98\x80", 4, &code), 4);
    cr_expect_eq(code, 0x1f600);
}

Test(text, quotes_get_a_backslash)
{
    char out[TEXT_ESCAPED];
    size_t taken;

    cr_expect_eq(text_escape(out, "\"", 1, '"', &taken), 2);
    cr_expect_eq(memcmp(out, "\\\"", 2), 0);
    cr_expect_eq(text_escape(out, "\"", 1, '\'', &taken), 1);
    cr_expect_eq(text_escape(out, "\\", 1, '\0', &taken), 2);
}

Test(text, characters_of_xml)
{
    static const uint32_t in[] = {0x9, 0xa, 0xd, 0x20, 0xd7ff, 0xe000, 0xfffd, 0x10000, 0x10ffff},
                          not [] = {0, 8, 0xb, 0xc, 0xe, 0x1f, 0xd800, 0xdfff, 0xfffe, 0xffff, 0x110000};

    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        cr_expect(text_is_xml(in[i]), "%x", in[i]);
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        cr_expect_not(text_is_xml(not [i]), "%x", not [i]);
}

Test(text, columns_and_long_lines)
{
    char line[2048], *out = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&out, &size);

    cr_expect_eq(text_columns("\xc3\xa4\x1b\\", 4), 1 + 4 + 1);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    text_line(f, "%s\x1b", line);
    cr_assert_eq(fclose(f), 0);
    cr_expect_eq(size, sizeof line - 1 + strlen("\\033\n"));
    cr_expect_str_eq(out + sizeof line - 1, "\\033\n");
    free(out);
}
