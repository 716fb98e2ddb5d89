/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of spoiled subnet managers, for sm_spoil.c and for the page of docs/tables. */
#ifndef IBC_SM_SPOIL_ROWS_H
#define IBC_SM_SPOIL_ROWS_H

/* clang-format off */
/*    name             method attribute change         a manager ... */
#define SM_SPOILS(S)                                                                                                   \
    S(one-lid,         SET,   PORTINFO, one_lid,       "gives each port the LID 1")                                    \
    S(no-portinfo,     SET,   PORTINFO, NULL,          "sets no PortInfo")                                             \
    S(never-armed,     SET,   PORTINFO, never_armed,   "sets no port to Armed")                                        \
    S(never-active,    SET,   PORTINFO, never_active,  "sets no port to Active")                                       \
    S(half-routes,     SET,   LFT,      half_routes,   "gives a switch the routes to LIDs 1 and 2 only")               \
    S(no-routes,       SET,   LFT,      NULL,          "sets no forwarding table")
/* clang-format on */
#endif
