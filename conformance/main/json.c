/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fault.h"

cJSON *json_add_object(cJSON *to, const char *key)
{
    cJSON *one = cJSON_CreateObject();

    if (key)
        cJSON_AddItemToObject(to, key, one);
    else
        cJSON_AddItemToArray(to, one);
    return one;
}

static int put(cJSON *root, FILE *f)
{
    char *text = cJSON_Print(root);

    cJSON_Delete(root);
    if (!text)
        return wrong(EXIT_HARNESS, "out of memory");
    fputs(text, f);
    fputc('\n', f);
    cJSON_free(text);
    return EXIT_OK;
}

int json_print(cJSON *root)
{
    return put(root, stdout);
}

int json_write(cJSON *root, const char *path)
{
    if (strcmp(path, "-") == 0)
        return put(root, stdout);
    FILE *f = fopen(path, "w");
    if (!f) {
        cJSON_Delete(root);
        return wrong(EXIT_HARNESS, "%s: %s", path, strerror(errno));
    }
    const int rc = put(root, f);
    const bool bad = ferror(f) != 0;
    if ((fclose(f) != 0 || bad) && rc == EXIT_OK)
        return wrong(EXIT_HARNESS, "%s: not all could be written", path);
    return rc;
}

enum { MOST = 256 << 20 }; /* bytes of a file, with the 0 byte */

/* Reads the whole file and appends a 0 byte. *n becomes the length without this byte. */
static char *slurp(FILE *f, size_t *n)
{
    size_t room = 1 << 16;
    char *text = malloc(room), *more;

    for (*n = 0; text; room *= 2) {
        *n += fread(text + *n, 1, room - 1 - *n, f);
        if (*n < room - 1)
            break;
        more = room < MOST ? realloc(text, 2 * room) : NULL;
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        text[*n] = '\0';
    return text;
}

cJSON *json_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0;
    char *text = f ? slurp(f, &n) : NULL;
    const bool bad = !f || ferror(f);
    const int error = bad ? errno : n < MOST - 1 ? ENOMEM : EFBIG;
    cJSON *root = text && !bad ? cJSON_ParseWithLengthOpts(text, n + 1, NULL, 1) : NULL;

    if (!text || bad)
        wrong(EXIT_USAGE, "%s: %s", path, strerror(error));
    else if (!root)
        wrong(EXIT_USAGE, "%s: not JSON", path);
    free(text);
    if (f)
        fclose(f);
    return root;
}
