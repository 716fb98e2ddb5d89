/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of somebody who has installed libiba-dev: what does an opcode mean? */
#include <stdio.h>
#include <string.h>
#include <wire/iba_opcode.h>
#include <wire/iba_version.h>

#if IBA_VERSION < IBA_VERSION_OF(0, 1, 0)
#error "an older version than the one that was asked for"
#endif

int main(void)
{
    const char *title = iba_opcode_title(0x04);

    return strcmp(title, "RC SEND Only") != 0 || puts(title) < 0;
}
