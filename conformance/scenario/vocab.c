/* SPDX-License-Identifier: BSD-2-Clause */
#include "vocab.h"
#include "fabric/iba_node.h"
#include "scenario.h"
#include "transport/iba_wr_ops.h"
#include <ctype.h>
#include <string.h>

#define ROWS(name) static const struct ibc_vocab_row name[]

/* ---- core's lists ---- */
#define STATE(name, words) {#name, IBA_QPS_##name},
ROWS(STATE_rows) = {IBA_QP_STATES(STATE)};
#define STATUS(name, words) {#name, IBA_WC_##name},
ROWS(STATUS_rows) = {IBA_WC_STATUSES(STATUS)};
#define EVENT(name, words) {#name, IBA_EVENT_##name},
ROWS(EVENT_rows) = {IBA_EVENTS(EVENT)};
#define ENCAP(id, name, ...) {name, IBA_ENCAP_##id},
ROWS(ENCAP_rows) = {IBA_ENCAPS(ENCAP, )};
#define OP(name, words) {#name, IBA_WR_##name},
ROWS(DONE_rows) = {IBA_WR_OPS(OP)};
ROWS(POST_rows) = {IBA_WR_SEND_OPS(OP)};
#define WITHOUT_VERB(name) (#name) + sizeof "VERB_" - 1
#define VERB(name, text) {WITHOUT_VERB(name), IBA_##name},
#define MEM(name, text) {#name, IBA_##name},
#define CM_ERROR(name, text) {"CM_" #name, IBA_CM_##name},
ROWS(ERROR_rows) = {IBA_VERB_ERRS(VERB) IBA_MEM_ERRS(MEM) IBA_CM_ERRS(CM_ERROR)};

/* ---- the file's own words for core's numbers ---- */
#define SERVICE(id, word) {word, IBA_QPT_##id},
ROWS(SERVICE_rows) = {IBC_SERVICES(SERVICE)};
#define WINDOW(word, n) {word, n},
ROWS(WINDOW_rows) = {IBC_WINDOWS(WINDOW)};
ROWS(ACCESS_rows) = {{"local_write", IBA_ACCESS_LOCAL_WRITE},   {"remote_write", IBA_ACCESS_REMOTE_WRITE},
                     {"remote_read", IBA_ACCESS_REMOTE_READ},   {"remote_atomic", IBA_ACCESS_REMOTE_ATOMIC},
                     {"mw_bind", IBA_ACCESS_MW_BIND},           {"zero_based", IBA_ACCESS_ZERO_BASED},
                     {"flush_global", IBA_ACCESS_FLUSH_GLOBAL}, {"flush_persistent", IBA_ACCESS_FLUSH_PERSISTENT},
                     {"on_demand", IBA_ACCESS_ON_DEMAND},       {"invalidate", IBA_ACCESS_INVALIDATE},
                     {"unknown", IBC_ACCESS_UNKNOWN},           {"none", 0}};
ROWS(QP_ACCESS_rows) = {{"remote_write", IBA_ACCESS_REMOTE_WRITE},         {"remote_read", IBA_ACCESS_REMOTE_READ},
                        {"remote_atomic", IBA_ACCESS_REMOTE_ATOMIC},       {"flush_global", IBA_ACCESS_FLUSH_GLOBAL},
                        {"flush_persistent", IBA_ACCESS_FLUSH_PERSISTENT}, {"none", 0}};
ROWS(MIG_rows) = {{"migrated", IBA_PATH_MIGRATED}, {"rearm", IBA_PATH_REARM}, {"armed", IBA_PATH_ARMED}};
ROWS(SIG_rows) = {{"wr", 0}, {"all", 1}};
ROWS(CRC_rows) = {{"good", IBA_CRC_GOOD}, {"bad", IBA_CRC_BAD}, {"none", IBA_CRC_NONE}};
/* Attributes of `modify`, by the names of its keys */
ROWS(ATTR_rows) = {{"cur_state", IBA_QPA_CUR_STATE},
                   {"sqd_notify", IBA_QPA_SQD_NOTIFY},
                   {"access", IBA_QPA_ACCESS},
                   {"pkey", IBA_QPA_PKEY_INDEX},
                   {"port", IBA_QPA_PORT},
                   {"qkey", IBA_QPA_QKEY},
                   {"av", IBA_QPA_AV},
                   {"pmtu", IBA_QPA_PATH_MTU},
                   {"timeout", IBA_QPA_TIMEOUT},
                   {"retry", IBA_QPA_RETRY},
                   {"rnr_retry", IBA_QPA_RNR_RETRY},
                   {"epsn", IBA_QPA_RQ_PSN},
                   {"rd", IBA_QPA_MAX_RD},
                   {"alt", IBA_QPA_ALT_PATH},
                   {"min_rnr", IBA_QPA_MIN_RNR},
                   {"psn", IBA_QPA_SQ_PSN},
                   {"dest_rd", IBA_QPA_MAX_DEST_RD},
                   {"mig", IBA_QPA_PATH_MIG},
                   {"qpn", IBA_QPA_DEST_QPN}};

#define CM_VERB(name, message) {#name, IBC_CM_##name},
ROWS(CM_VERB_rows) = {IBC_CM_VERBS(CM_VERB)};
#define CM_EVENT(name, words) {IBA_CME_##name == IBA_CME_NONE ? "none" : #name, IBA_CME_##name},
ROWS(CM_EVENT_rows) = {IBA_CM_EVENTS(CM_EVENT)};

/* ---- words.h ---- */
#define THEN(w) {#w, IBC_THEN_##w},
ROWS(THEN_rows) = {IBC_THENS(THEN)};
ROWS(PARTY_rows) = {{"peer", IBC_PARTY_peer}, {"stranger", IBC_PARTY_stranger}};
#define PARTY(w) {#w, IBC_PARTY_##w},
ROWS(PATH_rows) = {IBC_PARTIES(PARTY)};
ROWS(ALT_rows) = {{"none", IBC_PARTY_none}, {"peer", IBC_PARTY_peer}, {"stranger", IBC_PARTY_stranger}};
#define SCORE(w) {#w, IBC_SCORE_##w},
ROWS(SCORE_rows) = {IBC_SCORES(SCORE)};
#define ROLE(w) {#w, IBC_ROLE_##w},
ROWS(ROLE_rows) = {IBC_ROLES(ROLE)};
#define CLASS(w) {#w, IBC_CLASS_##w},
ROWS(CLASS_rows) = {IBC_CLASSES(CLASS)};
#define LINK(id, w, encap) {w, IBC_LINK_##id},
ROWS(LINK_rows) = {IBC_LINKS(LINK)};
#define CAPABILITY(w, words) {#w, IBC_CAP_##w},
ROWS(CAPABILITY_rows) = {IBC_CAPABILITIES(CAPABILITY)};
ROWS(SAYS_rows) = {
    {"pass", IBC_SAYS_PASS}, {"tolerated", IBC_SAYS_TOLERATED}, {"fail", IBC_SAYS_FAIL}, {"done", IBC_SAYS_DONE}};
#define KIND(w) {#w, IBC_O_##w},
ROWS(KIND_rows) = {IBC_OBJECT_KINDS(KIND)};
ROWS(METHOD_rows) = {{"GET", 0x01},          {"SET", 0x02},    {"GET_RESP", 0x81},   {"TRAP", 0x05},
                     {"TRAP_REPRESS", 0x07}, {"DELETE", 0x15}, {"DELETE_RESP", 0x95}};
ROWS(PORT_rows) = {
    {"down", IBA_PORT_DOWN}, {"init", IBA_PORT_INIT}, {"armed", IBA_PORT_ARMED}, {"active", IBA_PORT_ACTIVE}};
#define CHECK(w, words) {#w, IBC_CHECK_##w},
ROWS(CHECK_rows) = {IBC_CHECKS(CHECK)};
ROWS(NONE_rows) = {{"none", 0}};

#define IS_SMALL(id)                                                                                                   \
    ((IBC_VOCAB_##id) == IBC_VOCAB_STATE || (IBC_VOCAB_##id) == IBC_VOCAB_STATUS ||                                    \
     (IBC_VOCAB_##id) == IBC_VOCAB_EVENT || (IBC_VOCAB_##id) == IBC_VOCAB_ERROR)
#define VOCAB(id, what) [IBC_VOCAB_##id] = {what, id##_rows, sizeof id##_rows / sizeof *id##_rows, IS_SMALL(id)},
const struct ibc_vocabulary ibc_vocabularies[IBC_VOCAB_COUNT] = {IBC_VOCABS(VOCAB)};

static bool same(const char *name, const char *word, bool small)
{
    for (; *name != '\0'; name++, word++)
        if ((small ? tolower((unsigned char)*name) : *name) != *word)
            return false;
    return *word == '\0';
}

const struct ibc_vocab_row *ibc_vocab_find(enum ibc_vocab v, const char *word)
{
    const struct ibc_vocabulary *w = &ibc_vocabularies[v];

    for (size_t i = 0; i < w->n; i++)
        if (same(w->row[i].name, word, w->small))
            return &w->row[i];
    return NULL;
}

const char *ibc_vocab_name(size_t i, const void *ctx)
{
    static _Thread_local char small[40];
    const struct ibc_vocabulary *w = &ibc_vocabularies[*(const enum ibc_vocab *)ctx];
    size_t k = 0;

    if (!w->small)
        return w->row[i].name;
    for (const char *c = w->row[i].name; *c != '\0' && k + 1 < sizeof small; c++)
        small[k++] = (char)tolower((unsigned char)*c);
    small[k] = '\0';
    return small;
}
