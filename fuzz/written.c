/* SPDX-License-Identifier: BSD-2-Clause */
#include "written.h"
#include <cjson/cJSON.h>
#include <expat.h>
#include <unistd.h>
#include "system/text.h"

struct written written_by(int fd)
{
    struct written t = {.n = (size_t)lseek(fd, 0, SEEK_END)};

    t.p = malloc(t.n + 1);
    FUZZ_CHECK(t.p && pread(fd, t.p, t.n, 0) == (ssize_t)t.n);
    t.p[t.n] = '\0';
    fuzz_note_bytes(t.p, t.n);
    return t;
}

const char *written_json_value(const char *p, size_t n)
{
    const char *end = NULL;
    cJSON *j = cJSON_ParseWithLengthOpts(p, n, &end, false);

    FUZZ_CHECK(j);
    cJSON_Delete(j);
    return end;
}

void written_json(const char *p, size_t n)
{
    FUZZ_CHECK(memchr(p, '\0', n) == NULL);
    for (const char *at = written_json_value(p, n); at < p + n; at++)
        FUZZ_CHECK(strchr(" \t\r\n", *at));
}

void written_json_lines(const char *p, size_t n)
{
    for (const char *at = p, *end; at < p + n; at = end + 1) {
        end = memchr(at, '\n', (size_t)(p + n - at));
        FUZZ_CHECK(end);
        written_json(at, (size_t)(end - at));
    }
}

void written_xml(const char *p, size_t n)
{
    static XML_Parser parser;

    FUZZ_CHECK(parser ? XML_ParserReset(parser, NULL) : (parser = XML_ParserCreate(NULL)) != NULL);
    if (XML_Parse(parser, p, (int)n, true) == XML_STATUS_OK)
        return;
    fprintf(stderr, "%s:%d: does not hold: XML: %s\n", __FILE__, __LINE__, XML_ErrorString(XML_GetErrorCode(parser)));
    abort();
}

/* ESC [ numbers m; 0: it is another one. */
static size_t color(const char *p)
{
    const size_t digits = p[0] == '\x1b' && p[1] == '[' ? strspn(p + 2, "0123456789;") : 0;

    return digits > 0 && p[2 + digits] == 'm' ? digits + 3 : 0;
}

void written_text(const char *p, size_t n, bool colors)
{
    uint32_t code;
    size_t taken;

    for (const char *end = p + n; p < end; p += taken) {
        taken = colors ? color(p) : 0;
        if (taken > 0)
            continue;
        if ((uint8_t)*p >= ' ' && (uint8_t)*p < 0x7f) { /* most of them */
            taken = 1;
            continue;
        }
        taken = text_char(p, (size_t)(end - p), &code);
        FUZZ_CHECK(taken > 0 && (text_is_plain(code) || code == '\n' || code == '\t'));
    }
}
