/* SPDX-License-Identifier: BSD-2-Clause */
/* The baseboard management agent (KM-17): each row, the B_Key with its protection and lease. */
#include "wired.h"

enum { GET = IBA_METHOD_GET, SET = IBA_METHOD_SET, SECOND = 1000000000, CLASS_INFO = 1, KEY = 0x10, DATA_AT = 64 };

/* Sends the request to adapter 1; a `version` of 0 stands for version 1. */
static int ask(struct wired *w, const struct agent_request *a, uint8_t answer[IBA_MAD_BYTES])
{
    struct agent_request r = *a;

    r.dlid = FIRST_LID + 1;
    r.mgmt_class = IBA_CLASS_BASEBOARD;
    r.version = a->version ? a->version : 1;
    return wired_ask_agent(w, &r, answer);
}

/* Each row decides one request. Adapter 1 has the B_Key 7, protected. */
Test(baseboard, rows)
{
    static const struct {
        const char *row;
        struct agent_request a;
        int status;
    } cases[] = {
        {"other_version", {.attribute = KEY, .method = GET, .version = 2}, IBA_MAD_BAD_VERSION},
        {"other_method", {.attribute = KEY, .method = 3}, IBA_MAD_BAD_METHOD},
        {"unknown_attribute", {.attribute = 0x20, .method = GET}, IBA_MAD_BAD_ATTRIBUTE},
        {"key_for_change", {.attribute = KEY, .method = SET, .key = 8}, -1},
        {"not_to_be_set", {.attribute = CLASS_INFO, .method = SET, .key = 7}, IBA_MAD_BAD_ATTRIBUTE},
        {"set", {.attribute = KEY, .method = SET, .key = 7}, 0},
        {"key_hidden", {.attribute = KEY, .method = GET}, 0},
        {"get", {.attribute = KEY, .method = GET, .key = 7}, 0},
        {"class_info", {.attribute = CLASS_INFO, .method = GET}, 0},
    };
    uint8_t answer[IBA_MAD_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        w->ca[1].port[1].baseboard.key = 7;
        w->ca[1].port[1].baseboard.protect = true;
        cr_expect_eq(ask(w, &cases[i].a, answer), cases[i].status, "%s", cases[i].row);
        cr_expect_eq(wired_hits(&w->ca[1], &iba_bma_rules, cases[i].row), 1, "%s", cases[i].row);
        cr_expect_eq(wired_row(&iba_bma_rules, cases[i].row), i, "the rows are in this order");
        wired_free(w);
    }
    cr_expect_eq(iba_bma_rules.n, sizeof cases / sizeof *cases);
}

/* A violation starts the lease period. When the period ends, everybody may read the key; the key itself stays. */
Test(baseboard, key)
{
    struct wired *w = wired_new();
    struct agent_request set = {.attribute = KEY, .method = SET}, get = {.attribute = KEY, .method = GET};
    uint8_t answer[IBA_MAD_BYTES];

    iba_bm_key_info_set_key(set.data, 0x55);
    iba_bm_key_info_set_protectbit(set.data, 1);
    iba_bm_key_info_set_leaseperiod(set.data, 2);
    iba_bm_key_info_set_violations(set.data, 9);
    cr_expect_eq(ask(w, &set, answer), 0);
    cr_expect_eq(iba_bm_key_info_violations(answer + DATA_AT), 0, "can only be read");
    cr_expect_eq(iba_bm_key_info_leaseperiod(answer + DATA_AT), 2);
    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_bm_key_info_key(answer + DATA_AT), 0);
    cr_expect_eq(ask(w, &set, answer), -1);
    get.key = 0x55;
    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_bm_key_info_violations(answer + DATA_AT), 1);
    wired_wait(w, UINT64_C(3) * SECOND);
    get.key = 0;
    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_bm_key_info_key(answer + DATA_AT), 0, "the right key stopped the lease");
    cr_expect_eq(ask(w, &set, answer), -1);
    wired_wait(w, UINT64_C(3) * SECOND);
    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_bm_key_info_key(answer + DATA_AT), 0x55, "it ran out");
    cr_expect_eq(ask(w, &set, answer), -1, "the key itself stays");
    wired_free(w);
}

Test(baseboard, class_port_info)
{
    struct wired *w = wired_new();
    const struct agent_request get = {.attribute = CLASS_INFO, .method = GET};
    uint8_t answer[IBA_MAD_BYTES];

    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_classportinfo_classversion(answer + DATA_AT), 1);
    wired_free(w);
}
