/* SPDX-License-Identifier: BSD-2-Clause */
#include "words.h"

#define NAME(w) #w,
const char *const ibc_role_names[] = {IBC_ROLES(NAME)};
const char *const ibc_class_names[] = {IBC_CLASSES(NAME)};
const char *const ibc_object_names[] = {IBC_OBJECT_KINDS(NAME)};
const char *const ibc_attr_names[] = {IBC_ATTRS(NAME)};
const char *const ibc_key_names[] = {IBC_KEYS(NAME)};
const char *const ibc_then_names[] = {IBC_THENS(NAME)};
const char *const ibc_party_names[] = {IBC_PARTIES(NAME)};
const char *const ibc_score_names[] = {IBC_SCORES(NAME)};

#define FIRST(w, words) #w,
#define SECOND(id, words) words,
#define SECOND_OF_3(id, words, more) words,
const char *const ibc_capability_names[] = {IBC_CAPABILITIES(FIRST)};
const char *const ibc_capability_words[] = {IBC_CAPABILITIES(SECOND)};
#define UNCLAIMED(w, why) [IBC_CAP_##w] = (why),
const char *const ibc_capability_unclaimed[IBC_CAP_COUNT] = {IBC_UNCLAIMED(UNCLAIMED)};
#define FIRST_OF_3(w, once, must) #w,
const char *const ibc_head_names[] = {IBC_HEADS(FIRST_OF_3)};
const char *const ibc_link_names[] = {IBC_LINKS(SECOND_OF_3)};
const char *const ibc_step_names[] = {IBC_STEPS(SECOND)};
