/* SPDX-License-Identifier: BSD-2-Clause */
/* ibconform with an exploit where it reads a reply of an agent: see dissect/system/test/confined.py. */
#include "agent/protocol.h"
#include "system/test/exploit.h"

bool __real_ag_read_reply(const char *line, size_t len, enum ag_verb verb, struct ag_reply *r, char *text, size_t cap);
bool __wrap_ag_read_reply(const char *line, size_t len, enum ag_verb verb, struct ag_reply *r, char *text, size_t cap);

bool __wrap_ag_read_reply(const char *line, size_t len, enum ag_verb verb, struct ag_reply *r, char *text, size_t cap)
{
    exploit();
    return __real_ag_read_reply(line, len, verb, r, text, cap);
}
