/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"
#include "command_rows.h"

const struct command commands[] = {
#define IBC_COMMAND_ROW(id, name, words, least, most, summary, options, examples)                                      \
    {name, words, least, most, summary, options, examples, command_##id},
    IBC_COMMANDS(IBC_COMMAND_ROW)};
const size_t command_count = sizeof commands / sizeof *commands;
