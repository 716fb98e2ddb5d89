/* SPDX-License-Identifier: BSD-2-Clause */
/* The congestion control agent (annex A10): each row, the CC_Key with its protection and lease, what a Set leaves. */
#include "wired.h"

enum { GET = IBA_METHOD_GET, SET = IBA_METHOD_SET, SECOND = 1000000000 };
enum {
    INFO = 0x11,
    KEY = 0x12,
    LOG = 0x13,
    OF_SWITCH = 0x14,
    PORTS = 0x15,
    OF_ADAPTER = 0x16,
    TABLE = 0x17,
    TIME = 0x18
};
enum { LOG_AT = 32, DATA_AT = 64, ADAPTER_LID = FIRST_LID + 1 };

/* Sends the request; a `version` of 0 stands for version 2. */
static int ask(struct wired *w, const struct agent_request *a, uint8_t answer[IBA_MAD_BYTES])
{
    struct agent_request r = *a;

    r.mgmt_class = IBA_CLASS_CONGESTION;
    r.version = a->version ? a->version : 2;
    return wired_ask_agent(w, &r, answer);
}

/* Each row decides one request. */
Test(congestion, rows)
{
    static const struct {
        const char *row;
        struct agent_request a;
        int status;
    } cases[] = {
        {"other_version", {.dlid = SWITCH_LID, .attribute = INFO, .method = GET, .version = 1}, IBA_MAD_BAD_VERSION},
        {"key_for_change", {.dlid = ADAPTER_LID, .attribute = TABLE, .method = SET, .key = 8}, -1},
        {"key_for_get", {.dlid = ADAPTER_LID, .attribute = TABLE, .method = GET, .key = 8}, -1},
        {"other_method", {.dlid = SWITCH_LID, .attribute = INFO, .method = 0x07}, IBA_MAD_BAD_METHOD},
        {"unknown_attribute", {.dlid = SWITCH_LID, .attribute = 0x99, .method = GET}, IBA_MAD_BAD_ATTRIBUTE},
        {"unknown_attribute", {.dlid = SWITCH_LID, .attribute = OF_ADAPTER, .method = GET}, IBA_MAD_BAD_ATTRIBUTE},
        {"unknown_attribute",
         {.dlid = ADAPTER_LID, .attribute = OF_SWITCH, .method = GET, .key = 7},
         IBA_MAD_BAD_ATTRIBUTE},
        {"not_to_be_set", {.dlid = SWITCH_LID, .attribute = INFO, .method = SET}, IBA_MAD_BAD_ATTRIBUTE},
        {"no_such_block",
         {.dlid = ADAPTER_LID, .attribute = TABLE, .method = GET, .modifier = 2, .key = 7},
         IBA_MAD_BAD_VALUE},
        {"set", {.dlid = SWITCH_LID, .attribute = OF_SWITCH, .method = SET}, 0},
        {"get", {.dlid = ADAPTER_LID, .attribute = TABLE, .method = GET, .modifier = 1, .key = 7}, 0},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};
    uint8_t answer[IBA_MAD_BYTES];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        const struct iba_node *n = cases[i].a.dlid == SWITCH_LID ? &w->sw : &w->ca[1];
        w->ca[1].congestion[1].guard.key = 7;
        w->ca[1].congestion[1].guard.protect = true;
        cr_expect_eq(ask(w, &cases[i].a, answer), cases[i].status, "%s (%zu)", cases[i].row, i);
        cr_expect_eq(wired_hits(n, &iba_cca_rules, cases[i].row), 1, "%s (%zu)", cases[i].row, i);
        seen[wired_row(&iba_cca_rules, cases[i].row)] = true;
        wired_free(w);
    }
    for (unsigned i = 0; i < iba_cca_rules.n; i++)
        cr_expect(seen[i], "congestion.%s has no case", iba_fabric_row(&iba_cca_rules, i)->name);
}

/* A Get returns the bytes of the last Set, except for reserved bytes. */
Test(congestion, attributes_keep_what_is_set)
{
    static const struct {
        uint16_t dlid, attribute;
        uint32_t modifier;
        size_t bytes;
    } cases[] = {{SWITCH_LID, OF_SWITCH, 0, IBA_BYTES_cc_switch},
                 {SWITCH_LID, PORTS, 0, (SWITCH_PORTS + 1u) * IBA_BYTES_cc_switch_port},
                 {ADAPTER_LID, OF_ADAPTER, 0, IBA_BYTES_cc_ca + 16 * IBA_BYTES_cc_ca_entry},
                 {ADAPTER_LID, TABLE, 0, IBA_BYTES_cc_table + 128},
                 {ADAPTER_LID, TABLE, 1, IBA_BYTES_cc_table + 128}};
    struct wired *w = wired_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct agent_request a = {
            .dlid = cases[i].dlid, .attribute = cases[i].attribute, .modifier = cases[i].modifier, .method = SET};
        uint8_t set[IBA_MAD_BYTES], got[IBA_MAD_BYTES];
        for (size_t k = 0; k < sizeof a.data; k++)
            a.data[k] = (uint8_t)(k * 7 + i);
        if (a.attribute == TABLE)
            iba_cc_table_set_cctilimit(a.data, 100);
        cr_assert_eq(ask(w, &a, set), 0, "%zu", i);
        a.method = GET;
        memset(a.data, 0, sizeof a.data);
        cr_assert_eq(ask(w, &a, got), 0, "%zu", i);
        cr_expect_arr_eq(set + DATA_AT, got + DATA_AT, 192, "%zu", i);
        unsigned differ = 0;
        for (size_t k = 0; k < cases[i].bytes; k++)
            differ += got[DATA_AT + k] != (uint8_t)(k * 7 + i);
        cr_expect_leq(differ,
                      a.attribute == TABLE        ? 4
                      : a.attribute == OF_ADAPTER ? 48
                      : a.attribute == PORTS      ? 6
                                                  : 4,
                      "%zu: %u", i, differ);
        for (size_t k = cases[i].bytes; k < 192; k++)
            cr_expect_eq(got[DATA_AT + k], 0);
    }
    cr_expect_eq(w->ca[1].congestion[1].limit, 100);
    wired_free(w);
}

/* A CCTI_Limit beyond the end of the table is refused (MD-117). */
Test(congestion, limit)
{
    struct wired *w = wired_new();
    struct agent_request a = {.dlid = ADAPTER_LID, .attribute = TABLE, .method = SET};
    uint8_t answer[IBA_MAD_BYTES];

    iba_cc_table_set_cctilimit(a.data, 127);
    cr_expect_eq(ask(w, &a, answer), 0);
    iba_cc_table_set_cctilimit(a.data, 128);
    cr_expect_eq(ask(w, &a, answer), IBA_MAD_BAD_VALUE);
    cr_expect_eq(w->ca[1].congestion[1].limit, 127);
    wired_free(w);
}

/* MD-116: the CC_Key always protects Sets, and protects Gets if its protection bit is set. A violation starts the lease
 * period, whose end opens the agent to all. */
Test(congestion, key)
{
    struct wired *w = wired_new();
    struct agent_request set = {.dlid = ADAPTER_LID, .attribute = KEY, .method = SET},
                         get = {.dlid = ADAPTER_LID, .attribute = KEY, .method = GET};
    uint8_t answer[IBA_MAD_BYTES];

    iba_cc_key_info_set_key(set.data, 0x55);
    iba_cc_key_info_set_leaseperiod(set.data, 2);
    cr_expect_eq(ask(w, &set, answer), 0);
    cr_expect_eq(ask(w, &get, answer), 0, "not protected");
    cr_expect_eq(iba_cc_key_info_key(answer + DATA_AT), 0x55);
    cr_expect_eq(ask(w, &set, answer), -1);
    iba_cc_key_info_set_protectbit(set.data, 1);
    set.key = 0x55;
    cr_expect_eq(ask(w, &set, answer), 0);
    cr_expect_eq(ask(w, &get, answer), -1);
    get.key = 0x55;
    cr_expect_eq(ask(w, &get, answer), 0);
    cr_expect_eq(iba_cc_key_info_violations(answer + DATA_AT), 1, "that of the Set was set back");
    wired_wait(w, UINT64_C(3) * SECOND);
    get.key = 0;
    cr_expect_eq(ask(w, &get, answer), -1, "the right key stopped the lease");
    wired_wait(w, UINT64_C(3) * SECOND);
    cr_expect_eq(ask(w, &get, answer), 0, "it ran out");
    set.key = 0;
    cr_expect_eq(ask(w, &set, answer), -1, "the key itself stays");
    wired_free(w);
}

Test(congestion, what_can_only_be_read)
{
    struct wired *w = wired_new();
    struct agent_request a = {.dlid = ADAPTER_LID, .attribute = INFO, .method = GET};
    uint8_t answer[IBA_MAD_BYTES];

    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_eq(iba_cc_info_controltablecap(answer + DATA_AT), IBA_CCT_BLOCKS);
    a.dlid = SWITCH_LID;
    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_eq(iba_cc_info_controltablecap(answer + DATA_AT), 0);
    a.attribute = 1;
    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_eq(iba_classportinfo_classversion(answer + DATA_AT), 2);
    a.attribute = LOG;
    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_eq(iba_cc_log_logtype(answer + LOG_AT), 1);
    a.dlid = ADAPTER_LID;
    wired_wait(w, 10240);
    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_eq(iba_cc_log_logtype(answer + LOG_AT), 2);
    cr_expect_geq(iba_cc_log_ca_currenttimestamp(answer + LOG_AT + IBA_BYTES_cc_log), 10);
    a.attribute = TIME;
    cr_expect_eq(ask(w, &a, answer), 0);
    cr_expect_geq(iba_cc_timestamp_timestamp(answer + DATA_AT), 10);
    wired_free(w);
}
