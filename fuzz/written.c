/* SPDX-License-Identifier: BSD-2-Clause */
#include "written.h"
#include <cjson/cJSON.h>
#include <unistd.h>

enum { MOST_DEPTH = 64, MOST_NAME = 64 };

struct written written_by(int fd)
{
    struct written t = {.n = (size_t)lseek(fd, 0, SEEK_END)};

    t.p = malloc(t.n + 1);
    FUZZ_CHECK(t.p && pread(fd, t.p, t.n, 0) == (ssize_t)t.n);
    t.p[t.n] = '\0';
    fuzz_note_bytes(t.p, t.n);
    return t;
}

void written_json(const char *p, size_t n)
{
    const char *end = NULL;
    cJSON *j = cJSON_ParseWithLengthOpts(p, n, &end, false);

    FUZZ_CHECK(j && memchr(p, '\0', n) == NULL);
    cJSON_Delete(j);
}

void written_json_lines(const struct written *t)
{
    for (const char *at = t->p, *end; at < t->p + t->n; at = end + 1) {
        end = memchr(at, '\n', (size_t)(t->p + t->n - at));
        FUZZ_CHECK(end);
        written_json(at, (size_t)(end - at));
    }
}

/* One element's tag, from after its '<'; returns the text after its '>'. */
static const char *check_tag(const char *p, char open[MOST_DEPTH][MOST_NAME], unsigned *depth)
{
    const bool closes = *p == '/';
    const char *name = p + closes;
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    char quote = '\0';

    FUZZ_CHECK(n > 0 && n < MOST_NAME);
    for (p = name + n; *p && (quote || *p != '>'); p++)
        if (quote ? *p == quote : (*p == '"' || *p == '\''))
            quote = quote ? '\0' : *p;
        else
            FUZZ_CHECK(*p != '<');
    FUZZ_CHECK(*p == '>');
    if (closes)
        FUZZ_CHECK(*depth > 0 && strncmp(open[--*depth], name, n) == 0 && open[*depth][n] == '\0');
    else if (p[-1] != '/') {
        FUZZ_CHECK(*depth < MOST_DEPTH);
        memcpy(open[*depth], name, n);
        open[(*depth)++][n] = '\0';
    }
    return p + 1;
}

void written_xml(const struct written *t)
{
    static char open[MOST_DEPTH][MOST_NAME];
    unsigned depth = 0;

    for (const char *p = t->p; p < t->p + t->n;) {
        FUZZ_CHECK((uint8_t)*p >= ' ' || *p == '\n' || *p == '\t' || *p == '\r');
        if (*p == '&')
            FUZZ_CHECK(strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789#") > 0 &&
                       p[1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789#")] == ';');
        if (*p++ != '<')
            continue;
        p = *p == '?' || *p == '!' ? strchr(p, '>') : check_tag(p, open, &depth);
        FUZZ_CHECK(p);
    }
    FUZZ_CHECK(depth == 0);
}
