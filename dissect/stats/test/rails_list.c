/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of hosts of -z rails. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "stats/rails_list.h"

static struct rails_list list;
static char err[256];

static bool reads(const char *text)
{
    char *copy = strdup(text);
    FILE *in = fmemopen(copy, strlen(copy), "r");

    memset(&list, 0, sizeof list);
    err[0] = '\0';
    const bool good = rails_list_read(&list, in, err, sizeof err);
    (void)fclose(in);
    free(copy);
    return good;
}

static const struct rails_address *found(uint8_t kind, uint64_t first, unsigned bits)
{
    uint8_t addr[IBA_ADDR_MOST] = {0};

    iba_bits_put(addr, 0, bits, first);
    return rails_list_find(&list, kind, addr);
}

Test(rails_list, addresses)
{
    cr_assert(reads("# name rail rail\n\n  n1\t192.0.2.1,7 fe80::   # second port\r\nn2 0xbfff"), "%s", err);
    cr_expect_eq(list.n_host, 2);
    cr_expect_eq(list.n_address, 5);
    cr_expect_str_eq(list.host[0].name, "n1");
    cr_expect_eq(list.host[0].n, 2);
    cr_expect_eq(list.host[1].n, 1);
    const struct {
        const struct rails_address *is;
        unsigned host, rail;
    } rows[] = {{found(IBA_ADDR_IPV4, 0xc0000201, 32), 0, 0},
                {found(IBA_ADDR_LID, 7, 16), 0, 0},
                {found(IBA_ADDR_IPV6, 0xfe80, 16), 0, 1},
                {found(IBA_ADDR_GID, 0xfe80, 16), 0, 1},
                {found(IBA_ADDR_LID, 0xbfff, 16), 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert(rows[i].is, "row %zu", i);
        cr_expect_eq(rows[i].is->host, rows[i].host, "row %zu", i);
        cr_expect_eq(rows[i].is->rail, rows[i].rail, "row %zu", i);
    }
    cr_expect_null(found(IBA_ADDR_LID, 8, 16));
    cr_expect_null(found(IBA_ADDR_IPV4, 7 << 16, 32), "a LID is no IPv4 address");
}

Test(rails_list, wrong_lines)
{
    static const struct {
        const char *text, *err;
    } rows[] = {
        {"a 10.0.0.1\nb 10.0.0\n", "line 2: '10.0.0' is no IPv4 or IPv6 address, GID or LID"},
        {"a fe80:::1\n", "line 1: 'fe80:::1' is no IPv4 or IPv6 address, GID or LID"},
        {"a 0\n", "line 1: '0' is no IPv4 or IPv6 address, GID or LID"},
        {"a 0xc000\n", "line 1: '0xc000' is no IPv4 or IPv6 address, GID or LID"},
        {"a 65537\n", "line 1: '65537' is no IPv4 or IPv6 address, GID or LID"},
        {"a 12x\n", "line 1: '12x' is no IPv4 or IPv6 address, GID or LID"},
        {"a b\n", "line 1: 'b' is no IPv4 or IPv6 address, GID or LID"},
        {"a -1\n", "line 1: '-1' is no IPv4 or IPv6 address, GID or LID"},
        {"a 10.0.0.1\nb 5 10.0.0.1\n", "line 2: 10.0.0.1 is already rail 1 of host a"},
        {"a 1 2\na 3\n", "line 2: host a has a line already"},
        {"\n\na # 10.0.0.1\n", "line 3: host a has no address"},
        {"a 1 , 2\n", "line 1: rail 2 of host a has no address"},
        {"a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "line 1: host a has more than 16 rails"},
        {"a\033 1\n", "line 1: a name has printable ASCII characters, without quotes and backslashes"},
        {"a\" 1\n", "line 1: a name has printable ASCII characters, without quotes and backslashes"},
        {"a\\ 1\n", "line 1: a name has printable ASCII characters, without quotes and backslashes"},
        {"0123456789012345678901234567890123456789012345678901234567890123 1\n",
         "line 1: a name has 63 characters at most"},
        {"# nothing\n", "names no host; a line is NAME ADDRESS ADDRESS ..."},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect(!reads(rows[i].text), "row %zu", i);
        cr_expect_str_eq(err, rows[i].err, "row %zu: %s", i, err);
    }
    cr_expect(reads("012345678901234567890123456789012345678901234567890123456789012 1\n"));
    cr_expect(reads("a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"));
}

/* A list that is too long is an error, so that no host is missing in the output unnoticed. */
Test(rails_list, as_much_as_there_is_room_for)
{
    enum { MANY = 1 << 20 };
    char *text = malloc(MANY), line[64];
    size_t n = 0;

    for (unsigned i = 0; i < RAILS_HOSTS; i++)
        n += (size_t)snprintf(text + n, MANY - n, "h%u %u\n", i, i + 1);
    cr_expect(reads(text), "%s", err);
    (void)snprintf(text + n, MANY - n, "more 0x9000\n");
    cr_expect(!reads(text));
    (void)snprintf(line, sizeof line, "line %d: more than %d hosts", RAILS_HOSTS + 1, RAILS_HOSTS);
    cr_expect_str_eq(err, line);
    n = (size_t)snprintf(text, MANY, "a ");
    for (unsigned i = 1; n < 65536; i++)
        n += (size_t)snprintf(text + n, MANY - n, "%u,", i);
    cr_expect(!reads(text));
    cr_expect_str_eq(err, "line 1: the line is longer than 65534 characters");
    n = 0;
    for (unsigned i = 0; i <= RAILS_ADDRESSES; i++) {
        if (i % 4096 == 0)
            n += (size_t)snprintf(text + n, MANY - n, "\nh%u ", i);
        n += (size_t)snprintf(text + n, MANY - n, "1.0.%u.%u,", i / 256, i % 256);
    }
    cr_expect(!reads(text));
    (void)snprintf(line, sizeof line, "line 10: more than %d addresses", RAILS_ADDRESSES);
    cr_expect_str_eq(err, line);
    free(text);
}
