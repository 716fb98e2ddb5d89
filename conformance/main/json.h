/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of cJSON, printed and read. */
#ifndef IBC_JSON_H
#define IBC_JSON_H
#include <cjson/cJSON.h>

/* A new object at the end of an array (key NULL), or as member `key` of an object. */
cJSON *json_add_object(cJSON *to, const char *key);
/* To the standard output; frees it. The exit code. */
int json_print(cJSON *root);
/* To a file, "-" for the standard output; frees it. The exit code, the message printed. */
int json_write(cJSON *root, const char *path);
/* NULL with the message printed. Files of more than 256 MiB are refused. */
cJSON *json_read(const char *path);
#endif
