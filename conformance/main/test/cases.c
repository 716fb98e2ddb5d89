/* SPDX-License-Identifier: BSD-2-Clause */
/* Which links each scenario is played on, for targets with some of the links only. */
#include "main/cases.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "main/fault.h"
#include "parts.h"

#define ON(l) (1u << IBC_LINK_##l)

static uint32_t has;

static uint32_t links(struct ibc_target *t)
{
    (void)t;
    return has;
}

static const struct ibc_target_ops ops = {.name = "dut", .links = links};
static struct ibc_scenario scenario[] = {{.links = 0}, {.links = ON(roce1) | ON(ib_local)}, {.links = ON(ib_global)}};
static const struct ibc_scenario *selected[] = {&scenario[0], &scenario[1], &scenario[2]};

/* Writes the cases: the scenario's number and its link's, '+' if the findings name it. */
static void plays(uint32_t of, const char *link, int code, const char *text)
{
    const struct selection sel = {.s = selected, .n = 3};
    struct ibc_target t = {.ops = &ops, .virtual_time = link != NULL};
    struct cases c;
    char is[100] = "";
    size_t n = 0;

    has = of;
    parts_listen();
    const int got = cases_make(&c, &sel, &t, link);
    parts_hear();
    cr_expect_eq(got, code);
    for (size_t i = 0; got == EXIT_OK && i < c.n; i++)
        n += (size_t)snprintf(is + n, sizeof is - n, "%s%zu:%u%s", i ? " " : "", c.c[i].index, (unsigned)c.c[i].link,
                              c.c[i].named ? "+" : "");
    cr_expect_str_eq(got == EXIT_OK ? is : parts_said, text, "%s%s", is, parts_said);
    if (got == EXIT_OK) {
        cr_expect(c.first[0] == 0 && c.first[3] == c.n && c.c[c.first[1]].index == 1 && c.c[c.first[2]].index == 2);
        cr_expect(c.c[0].s == &scenario[0] && c.virtual_time == t.virtual_time);
        if (!link)
            cr_expect_str_eq(cases_link_name(&c), ibc_link_names[__builtin_ctz(of)]);
        else
            cr_expect_str_eq(cases_link_name(&c), link);
    }
    cases_free(&c);
}

Test(cases, links)
{
    cr_assert(IBC_LINK_roce2_ipv4 == 0 && IBC_LINK_roce1 == 2 && IBC_LINK_ib_local == 3 && IBC_LINK_ib_global == 4);
    plays(ON(roce1) | ON(ib_local), NULL, EXIT_OK, "0:2 1:2 2:2");
    plays(ON(ib_local), NULL, EXIT_OK, "0:3 1:3 2:3");
    plays(ON(roce2_ipv4) | ON(ib_local), "ib-local", EXIT_OK, "0:3 1:3 2:3");
    plays(ON(roce2_ipv4) | ON(roce1) | ON(ib_local), "all", EXIT_OK, "0:0+ 0:2+ 0:3+ 1:2+ 1:3+ 2:0");
    plays(ON(roce1) | ON(ib_global), "all", EXIT_OK, "0:2+ 0:4+ 1:2 2:4");
    plays(ON(roce1), "ib-global", EXIT_USAGE, "ibconform: --link ib-global: the target has no such link\n");
    plays(
        ON(roce1), "ib-globl", EXIT_USAGE,
        "ibconform: --link: no link \"ib-globl\"; nearest is \"ib-global\"; there are: all roce2-ipv4 roce2-ipv6 roce1 "
        "ib-local ib-global\n");
    plays(ON(roce1), "al", EXIT_USAGE,
          "ibconform: --link: no link \"al\"; nearest is \"all\"; there are: all roce2-ipv4 roce2-ipv6 roce1 ib-local "
          "ib-global\n");
    plays(ON(roce1), "qwertyuiop", EXIT_USAGE,
          "ibconform: --link: no link \"qwertyuiop\"; there are: all roce2-ipv4 roce2-ipv6 roce1 ib-local ib-global\n");
    plays(0, NULL, EXIT_HARNESS, "ibconform: dut: the target has no link\n");
}
