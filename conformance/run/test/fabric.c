/* SPDX-License-Identifier: BSD-2-Clause */
/* Subnets under test: what the lines on their wires send and expect, and what a finding says. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "cases.h"

#define P IBC_IS_PASS
#define F IBC_IS_FAIL
#define E IBC_IS_ERROR
#define HEAD "title a test\nspec KM-16\nrole fabric\nswitch s ports=3\n"

#define SIXTEEN "00000000000000000000000000000000"
#define ZEROS SIXTEEN SIXTEEN SIXTEEN SIXTEEN /* as many bytes as a NodeDescription has */

#define run_subnets(c) run_cases_on(IBC_LINK_ib_local, (c), sizeof(c) / sizeof *(c))

Test(fabric, packets)
{
    static const struct run_case c[] = {
        {HEAD "> s.2 SEND_ONLY dlid=13 payload=32 as=it\n< s.3 SEND_ONLY same=it slid=12\n", P, "", ""},
        {HEAD "> s.2 SEND_ONLY dlid=13\n", F, "no more packets", "SEND_ONLY psn 0x000000"},
        {HEAD "> s.2 SEND_ONLY dlid=13\n s.1 silence\n< s.3 SEND_ONLY\n", P, "", ""},
        {HEAD "> s.2 SEND_ONLY dlid=13\n< s.3 SEND_ONLY dlid=12\n", F, "lrh.dlid 12", "lrh.dlid 13"},
        {HEAD "> s.2 SEND_ONLY dlid=12\n< s.2 SEND_ONLY\n", F, "SEND_ONLY", "nothing for 1000 ms"},
        {HEAD "> s.2 RAW dlid=13 payload=40\n< s.3 RAW\n", P, "", ""},
        {HEAD "> s.2 SEND_ONLY dlid=13 grh.hoplmt=5\n< s.3 SEND_ONLY grh.hoplmt=5\n", P, "", ""},
        {HEAD "> s.2 SEND_ONLY dlid=13 hop=5\n< s.3 SEND_ONLY grh.hoplmt=5\n", P, "", ""},
        {HEAD "> s.2 SEND_ONLY dlid=13\n< s.3 SEND_ONLY grh.hoplmt=5\n", F, NULL, NULL},
        {HEAD "> s.2 FLOW infiniband_link.fccl=3\n silence\n", P, "", ""},
    };
    run_subnets(c);
}

Test(fabric, datagrams)
{
    static const struct run_case c[] = {
        {HEAD "> s.1 GET NodeInfo\n< s.1 GET_RESP NodeInfo numports=3\n", P, "", ""},
        {HEAD "> s.1 GET NodeInfo\n< s.1 GET_RESP NodeInfo numports=4\n", F, "numports 4", "numports 3"},
        {HEAD "> s.1 GET NodeInfo\n< s.1 GET_RESP PortInfo\n", F, "attribute 0x15", "attribute 0x11"},
        {HEAD "> s.1 GET NodeInfo method=0x33\n< s.1 GET_RESP NodeInfo\n", F, "status 0x0", "status 0x8"},
        {HEAD "> s.1 GET NodeInfo\n< s.1 GET_RESP NodeInfo tid=1\n", F, "tid 1", "tid 8193"},
        {HEAD " s.1 set PortInfo modifier=2 vlhighlimit=7\n s.1 get PortInfo modifier=2 vlhighlimit=7\n", P, "", ""},
        {HEAD " s.1 get PortInfo modifier=2 vlhighlimit=7\n", F, "vlhighlimit 7", "vlhighlimit 0"},
        {HEAD " s.1 get PortInfo modifier=9\n", F, "status 0x0", "status 0x1c"},
        {HEAD " s.1 set PortInfo modifier=9\n", F, "status 0", "status 0x1c"},
        {HEAD "> s.1 GET NodeInfo\n", F, "no more packets", NULL}, /* the answer was not expected */
        {HEAD " s.1 get NodeDescription nodestring=hex:" ZEROS "\n", F, NULL, NULL},
        {HEAD " s.1 get NodeDescription nodestring=!hex:" ZEROS "\n", P, "", ""},
        {HEAD " s.1 pull\n s.1 get NodeInfo\n", F, "an answer of the agent", "nothing"},
        {HEAD " s.2 pull\n s.1 get PortInfo modifier=2 portstate=1\n", P, "", ""}, /* no line asks for the trap */
        /* a manager that changes another field orders nothing by those that it has read */
        {HEAD " s.1 set SwitchInfo portstatechange=1\n s.2 pull\n s.1 set SwitchInfo lifetimevalue=7\n"
              " s.1 get SwitchInfo lifetimevalue=7 portstatechange=1\n",
         P, "", ""},
        {HEAD " s.1 set SwitchInfo portstatechange=1\n s.1 get SwitchInfo portstatechange=0\n", P, "", ""},
        {HEAD " s.2 pull\n< s.1 TRAP Notice:129\n", F, "trap 0x81", "trap 0x80"},
    };
    run_subnets(c);
}

Test(fabric, cables)
{
    static const struct run_case c[] = {
        {HEAD "adapter h lid=40\ncable c s.3 h.1\n> s.2 SEND_ONLY dlid=40\n silence\n", P, "", ""}, /* no route */
        {HEAD "adapter h lid=13\ncable c s.3 h.1\n> s.2 SEND_ONLY dlid=13\n< h.0 SEND_ONLY\n", P, "", ""},
        {HEAD "cable c s.3 s.3\n s.1 get NodeInfo\n", E, NULL, "a cable leads from one free port to another"},
        {HEAD "cable c s.3 s.0\n s.1 get NodeInfo\n", E, NULL, "a cable leads from one free port to another"},
        {HEAD "cable c s.0 s.3\n s.1 get NodeInfo\n", E, NULL, "a cable leads from one free port to another"},
        {HEAD "cable c s.2 s.3\ncable d s.2 s.1\n s.1 get NodeInfo\n", E, NULL,
         "a cable leads from one free port to another"},
        {HEAD "cable c s.2 s.3\ncable d s.1 s.3\n s.1 get NodeInfo\n", E, NULL,
         "a cable leads from one free port to another"},
        {HEAD "cable c s.2 s.3\n s.1 get NodeInfo\n", P, "", ""},
    };
    run_subnets(c);
}

static enum ibc_rc refuses(struct ibc_target *t, unsigned end, bool in)
{
    (void)end;
    snprintf(t->refusal, sizeof t->refusal, "%s", in ? "no_plug" : "no_pull");
    return IBC_REFUSED;
}

Test(fabric, cables_that_a_target_refuses)
{
    static const struct {
        const char *text, *expected, *got;
    } c[] = {{HEAD " s.2 pull\n", "pull", "refused: no_pull"}, {HEAD " s.2 plug\n", "plug", "refused: no_plug"}};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_changed();
        changed.fabric_plug = refuses;
        struct ibc_result r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1, .link = IBC_LINK_ib_local});
        cr_expect_eq(r.verdict, F);
        cr_expect_str_eq(r.finding.expected, c[i].expected, "%s", r.finding.expected);
        cr_expect_str_eq(r.finding.got, c[i].got, "%s", r.finding.got);
        close_changed(t, &r);
    }
}
