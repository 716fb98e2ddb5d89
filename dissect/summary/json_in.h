/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of JSON for files of a known form. The caller asks for the next element; if the file has another one there,
 * it is refused. Numbers are whole and below 2^64, exact to the last digit. Nothing is allocated. */
#ifndef DISSECT_JSON_IN_H
#define DISSECT_JSON_IN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_TEXT = 4096 }; /* bytes of the longest text, with the NUL that ends it */
struct json_in {
    const char *at, *end;
    size_t line;       /* from 1 */
    bool fresh;        /* the innermost object or list has just begun */
    const char *fault; /* the first fault; NULL: there was none */
    char text[JSON_TEXT];
};
void json_in_begin(struct json_in *j, const char *text, size_t n);
/* After a fault all functions do nothing and return false. The two functions that look for more also return false when
 * nothing more follows. */
bool json_in_object(struct json_in *j);
bool json_in_list(struct json_in *j);
/* moves to the next key of the object, in `text`; the value follows; false: the object has ended */
bool json_in_key(struct json_in *j);
bool json_in_item(struct json_in *j); /* moves to the next item of the list; false: the list has ended */
bool json_in_text(struct json_in *j); /* reads a text without NUL bytes into `text` */
bool json_in_u64(struct json_in *j, uint64_t *v);
bool json_in_null(struct json_in *j); /* true: it has read a null; false without a fault: another value follows */
bool json_in_bool(struct json_in *j, bool *v);
bool json_in_end(struct json_in *j); /* whether nothing but white space follows */
/* Notes the fault unless one was noted before; returns false. */
bool json_in_refuse(struct json_in *j, const char *fault);
#endif
