/* SPDX-License-Identifier: BSD-2-Clause */
/* The baseboard management agent (section 16.2). It has only the B_Key, since nodes have no board to manage. A B_Key
 * works as an M_Key does (KM-17): every Set needs it, and if it is protected, a Get without it reads a key of zero. */
#include "fabric/iba_hop.h"

enum { B_KEY_AT = 24, DATA_AT = 64, DATA_BYTES = 192, CLASS_VERSION = 1, ATTR_CLASS_INFO = 0x01, ATTR_KEY_INFO = 0x10 };

static struct iba_key_guard *guard_of(const struct iba_hop *h)
{
    return &iba_node_end_port(h->node, h->in)->baseboard;
}

/* ---- conditions ---- */

static unsigned method(const struct iba_hop *h)
{
    return iba_madhdr_method(h->mad);
}

static bool other_version(const struct iba_hop *h)
{
    return iba_madhdr_baseversion(h->mad) != 1 || iba_madhdr_classversion(h->mad) != CLASS_VERSION;
}

static bool other_method(const struct iba_hop *h)
{
    return method(h) != IBA_METHOD_GET && method(h) != IBA_METHOD_SET;
}

static bool about_key(const struct iba_hop *h)
{
    return iba_madhdr_attributeid(h->mad) == ATTR_KEY_INFO;
}

static bool unknown_attribute(const struct iba_hop *h)
{
    return !about_key(h) && iba_madhdr_attributeid(h->mad) != ATTR_CLASS_INFO;
}

static bool is_set(const struct iba_hop *h)
{
    return method(h) == IBA_METHOD_SET;
}

static bool key_fits(const struct iba_hop *h)
{
    const struct iba_key_guard *g = guard_of(h);

    return g->key == 0 || g->key == iba_bm_key_bkey(h->mad + B_KEY_AT);
}

static bool key_wrong_for_set(const struct iba_hop *h)
{
    return is_set(h) && !key_fits(h);
}

static bool not_to_be_set(const struct iba_hop *h)
{
    return is_set(h) && !about_key(h);
}

static bool key_hidden(const struct iba_hop *h)
{
    return about_key(h) && guard_of(h)->protect && !key_fits(h);
}

/* ---- actions ---- */

static void answer(struct iba_hop *h, uint16_t status)
{
    h->status = status;
    iba_hop_answer(h);
}

static void answer_bad_version(struct iba_hop *h)
{
    answer(h, IBA_MAD_BAD_VERSION);
}

static void answer_bad_method(struct iba_hop *h)
{
    answer(h, IBA_MAD_BAD_METHOD);
}

static void answer_bad_attribute(struct iba_hop *h)
{
    answer(h, IBA_MAD_BAD_ATTRIBUTE);
}

static void refuse_silently(struct iba_hop *h)
{
    iba_guard_violated(guard_of(h), h->now);
}

static void answer_class_info(struct iba_hop *h)
{
    enum { RESPONSE_TIME = 16 };

    memset(h->data, 0, DATA_BYTES);
    iba_classportinfo_set_baseversion(h->data, 1);
    iba_classportinfo_set_classversion(h->data, CLASS_VERSION);
    iba_classportinfo_set_resptimevalue(h->data, RESPONSE_TIME);
    answer(h, IBA_MAD_OK);
}

static void answer_key_info(struct iba_hop *h)
{
    const struct iba_key_guard *g = guard_of(h);

    memset(h->data, 0, DATA_BYTES);
    iba_bm_key_info_set_key(h->data, g->key);
    iba_bm_key_info_set_protectbit(h->data, g->protect);
    iba_bm_key_info_set_leaseperiod(h->data, g->lease_s);
    iba_bm_key_info_set_violations(h->data, g->violations);
    answer(h, IBA_MAD_OK);
}

static void answer_without_key(struct iba_hop *h)
{
    answer_key_info(h);
    iba_bm_key_info_set_key(h->data, 0);
}

/* A Set changes all but the count of violations. */
static void set_key_info(struct iba_hop *h)
{
    struct iba_key_guard *g = guard_of(h);

    g->key = iba_bm_key_info_key(h->data);
    g->protect = iba_bm_key_info_protectbit(h->data);
    g->lease_s = (uint16_t)iba_bm_key_info_leaseperiod(h->data);
    answer_key_info(h);
}

/* clang-format off */
/*    name               when               then                  the request ...                                            clause */
#define BMA_RULES(R)                                                                                                                        \
    R(other_version,     other_version,     answer_bad_version,   "has another base version than 1 or class version than 1", "MD-05")         \
    R(other_method,      other_method,      answer_bad_method,    "has a method that the agent does not have",               "MD-05")         \
    R(unknown_attribute, unknown_attribute, answer_bad_attribute, "is about an attribute that the node does not have",       "MD-05")         \
    R(key_for_change,    key_wrong_for_set, refuse_silently,      "is a Set without the B_Key",                              "KM-17")         \
    R(not_to_be_set,     not_to_be_set,     answer_bad_attribute, "sets an attribute that can only be read",                 "MD-05")         \
    R(set,               is_set,            set_key_info,         "sets the B_Key, its protection and its lease",            "KM-17")         \
    R(key_hidden,        key_hidden,        answer_without_key,   "is a Get of a protected B_Key without it: the key is 0",  "KM-17")         \
    R(get,               about_key,         answer_key_info,      "is a Get of the B_Key and its violations",                "KM-17")         \
    R(class_info,        iba_hop_any,       answer_class_info,    "is a Get of the versions",                                "MD-05")
/* clang-format on */
IBA_HOP_TABLE(BMA_RULES, iba_bma_rules, IBA_FABRIC_BASEBOARD, "baseboard", "Requests to the baseboard management agent")

void iba_bma_request(struct iba_hop *h)
{
    iba_guard_lease(guard_of(h), key_fits(h), h->now);
    h->data = h->mad + DATA_AT;
    iba_hop_apply(h, &iba_bma_rules);
}
