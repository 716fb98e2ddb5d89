/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of JSON for files of a known form: the caller asks for the next thing, and it is there or the file is
 * refused. Numbers are whole and below 2^64, exact to the last digit; nothing is allocated. */
#ifndef DISSECT_JSON_IN_H
#define DISSECT_JSON_IN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_TEXT = 4096 }; /* bytes of the longest text, with its 0 */
struct json_in {
    const char *at, *end;
    size_t line;       /* from 1 */
    bool fresh;        /* the innermost object or list has just begun */
    const char *fault; /* NULL: none; the first one */
    char text[JSON_TEXT];
};
void json_in_begin(struct json_in *j, const char *text, size_t n);
/* All of these do nothing and return false after a fault. False from the two that look for more: there is no more, or
 * a fault. */
bool json_in_object(struct json_in *j);
bool json_in_list(struct json_in *j);
bool json_in_key(struct json_in *j);  /* the next key of the object, in text; its value follows; false: it has ended */
bool json_in_item(struct json_in *j); /* the next item of the list follows; false: it has ended */
bool json_in_text(struct json_in *j); /* in text, without NUL bytes */
bool json_in_u64(struct json_in *j, uint64_t *v);
bool json_in_null(struct json_in *j); /* a null was there; false without a fault: something else is */
bool json_in_bool(struct json_in *j, bool *v);
bool json_in_end(struct json_in *j); /* nothing but white space follows */
/* Notes the fault if it is the first; returns false. */
bool json_in_refuse(struct json_in *j, const char *fault);
#endif
