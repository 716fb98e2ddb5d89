/* SPDX-License-Identifier: BSD-2-Clause */
/* ibagent with an exploit where it reads a request: see dissect/system/test/confined.py. */
#include "agent/server.h"
#include "system/test/exploit.h"

size_t __real_ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE]);
size_t __wrap_ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE]);

size_t __wrap_ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE])
{
    exploit();
    return __real_ag_serve(s, line, len, reply);
}
