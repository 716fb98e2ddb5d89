/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts with a host and a port: which are accepted, and which are refused. */
#include "system/address.h"
#include <criterion/criterion.h>
#include <stdio.h>

static const struct {
    const char *text, *host, *port; /* NULL: refused */
} rows[] = {
    {"dut:7471", "dut", "7471"},
    {"10.0.0.1:0", "10.0.0.1", "0"},
    {"[::1]:65535", "::1", "65535"},
    {"::1:4791", "::1", "4791"},
    {"dut:65536", NULL, NULL},
    {"dut:99999", NULL, NULL},
    {"dut:070000", NULL, NULL},
    {"dut:-1", NULL, NULL},
    {"dut:+1", NULL, NULL},
    {"dut:7471x", NULL, NULL},
    {"dut: 7471", NULL, NULL},
    {"dut:", NULL, NULL},
    {":7471", NULL, NULL},
    {"dut", NULL, NULL},
    {"", NULL, NULL},
    {"[]:7471", NULL, NULL},
    {"[::1:7471", "[::1", "7471"},
    {"dut:18446744073709551617", NULL, NULL},
    {"dut]:80", "dut]", "80"},
    {"[dut:80", "[dut", "80"},
    {"[a]b:80", "[a]b", "80"},
    {"a:00080", "a", "00080"},
    {"a:9", "a", "9"},
    {"a:59999", "a", "59999"},
    {"a:/", NULL, NULL},
    {"a:;", NULL, NULL},
};

Test(address, is_split_at_its_last_colon)
{
    char text[64], *host, *port;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s", rows[i].text);
        const bool good = address_split(text, &host, &port);
        cr_expect_eq(good, rows[i].host != NULL, "%s", rows[i].text);
        if (good && rows[i].host) {
            cr_expect_str_eq(host, rows[i].host);
            cr_expect_str_eq(port, rows[i].port);
        }
    }
}
