/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of cJSON, printed and read. */
#ifndef IBC_JSON_H
#define IBC_JSON_H
#include <cjson/cJSON.h>

/* Adds a new object at the end of an array (key NULL), or as member `key` of an object. */
cJSON *json_add_object(cJSON *to, const char *key);
/* Prints the tree to the standard output, and frees it. Returns the exit code. */
int json_print(cJSON *root);
/* Writes the tree to a file ("-": the standard output), and frees it. Returns the exit code, after printing any
 * message. */
int json_write(cJSON *root, const char *path);
/* Reads a file of at most 256 MiB. NULL: the message was printed. */
cJSON *json_read(const char *path);
#endif
