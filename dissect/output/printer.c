/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/printer.h"

const struct printer printers[] = {
    {"text", "one line a packet", NULL, print_text, NULL},
    {"tree", "every field, as -V", NULL, print_tree, NULL},
    {"fields", "the values of the -e fields", fields_begin, print_fields, NULL},
    {"json", "one JSON array, tshark's shape", json_begin, print_json, json_end},
    {"jsonl", "one flat JSON object a line, numbers as numbers", NULL, print_jsonl, NULL},
    {"ek", "newline-delimited JSON for Elasticsearch", NULL, print_ek, NULL},
    {"pdml", "XML, tshark's shape", pdml_begin, print_pdml, pdml_end},
    {NULL, NULL, NULL, NULL, NULL},
};
