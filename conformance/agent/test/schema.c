/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints docs/schemas/agent.schema.json: the lines of the protocol as a JSON Schema, made of the protocol's table. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include "agent/protocol.h"

static void word(const char *s)
{
    putchar('"');
    for (; *s; s++)
        putchar(tolower((unsigned char)*s));
    putchar('"');
}

static void words(const struct ag_words *w)
{
    printf("{\"enum\": [");
    for (size_t i = 0; i < w->n; i++) {
        printf("%s", i ? ", " : "");
        word(w->v[i].word);
    }
    printf("]}");
}

static const char *shape_name(unsigned id)
{
    static const char *const names[] = {
#define NAME(shape) [AG_S_##shape] = #shape,
        AG_LEAVES(NAME) AG_BRANCHES(NAME)};

    return names[id];
}

static void number(size_t size)
{
    if (size == sizeof(uint64_t))
        printf("{\"$ref\": \"#/$defs/number\"}");
    else
        printf("{\"type\": \"integer\", \"minimum\": 0, \"maximum\": %" PRIu64 "}", (UINT64_C(1) << 8 * size) - 1);
}

static void value(const struct ag_field *f)
{
    const uint8_t of = ag_of[f->kind];

    switch ((enum ag_form)ag_form[f->kind]) {
    case AG_H_NUMBER: number(f->size); break;
    case AG_H_FLAG: printf("{\"type\": \"boolean\"}"); break;
    case AG_H_TEXT: printf("{\"type\": \"string\"}"); break;
    case AG_H_LETTER: printf("{\"type\": \"string\", \"pattern\": \"^.$\"}"); break;
    case AG_H_MTU: printf("{\"type\": \"integer\", \"minimum\": 128, \"maximum\": 16384}"); break;
    case AG_H_GID: printf("{\"type\": \"string\", \"pattern\": \"^[0-9a-fA-F:.]+$\"}"); break;
    case AG_H_IPV4: printf("{\"type\": \"string\", \"pattern\": \"^[0-9]+([.][0-9]+){3}$\"}"); break;
    case AG_H_MAC: printf("{\"type\": \"string\", \"pattern\": \"^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$\"}"); break;
    case AG_H_BYTES: printf("{\"type\": \"string\", \"pattern\": \"^([0-9a-fA-F]{2})*$\"}"); break;
    case AG_H_COUNTERS:
        printf("{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}");
        break;
    case AG_H_WORD: words(&ag_words[of]); break;
    case AG_H_WORDS:
        printf("{\"type\": \"array\", \"items\": ");
        words(&ag_words[of]);
        printf("}");
        break;
    case AG_H_MEMBERS:
        if (f->need == AG_OR_NULL)
            printf("{\"anyOf\": [{\"type\": \"null\"}, {\"$ref\": \"#/$defs/%s\"}]}", shape_name(of));
        else
            printf("{\"$ref\": \"#/$defs/%s\"}", shape_name(of));
        break;
    case AG_H_LIST: printf("{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}}", shape_name(of)); break;
    }
}

/* Members of the shape, each with a comma before it unless it is the first of the object. */
static void properties(const struct ag_shape *s, const char *comma)
{
    for (unsigned i = 0; i < s->n; i++) {
        printf("%s\n        \"%s\": ", comma, s->field[i].name);
        value(&s->field[i]);
        comma = ",";
    }
}

static void required(const struct ag_shape *s, const char *comma)
{
    for (unsigned i = 0; i < s->n; i++)
        if (s->field[i].need != AG_MAY) {
            printf("%s\"%s\"", comma, s->field[i].name);
            comma = ", ";
        }
}

static void shape(const char *name, const struct ag_shape *s)
{
    printf(
        ",\n    \"%s\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      \"required\": [",
        name);
    required(s, "");
    printf("],\n      \"properties\": {");
    properties(s, "");
    printf("\n      }\n    }");
}

static void request(const char *name, const struct ag_shape *args)
{
    printf(",\n    \"request_%s\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n      "
           "\"required\": "
           "[\"id\", \"do\"",
           name);
    required(args, ", ");
    printf("],\n      \"properties\": {\n        \"id\": {\"$ref\": \"#/$defs/number\"},\n        \"do\": {\"const\": "
           "\"%s\"},\n"
           "        \"device\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 255}",
           name);
    properties(args, ",");
    printf("\n      }\n    }");
}

static void reply(const char *name, const struct ag_shape *ok)
{
    printf(",\n    \"reply_%s\": {\n      \"type\": \"object\",\n      \"required\": [\"id\", \"ok\"],\n      "
           "\"properties\": {\n"
           "        \"id\": {\"$ref\": \"#/$defs/number\"},\n        \"ok\": {\n      \"type\": \"object\",\n      "
           "\"required\": [",
           name);
    required(ok, "");
    printf("],\n      \"properties\": {");
    properties(ok, "");
    printf("\n      }}\n      }\n    }");
}

static void errors(void)
{
    printf(",\n    \"error\": {\n      \"description\": \"of the agent: ");
    for (unsigned e = AG_FINE + 1; e < AG_E_COUNT; e++)
        printf("%s%s", e > AG_FINE + 1 ? ", " : "", ag_error_word((enum ag_error)e));
    printf("; any other word is the device's. id is null where the request had none that could be read.\",\n"
           "      \"type\": \"object\",\n      \"required\": [\"id\", \"error\", \"text\"],\n      \"properties\": {\n"
           "        \"id\": {\"anyOf\": [{\"type\": \"null\"}, {\"$ref\": \"#/$defs/number\"}]},\n"
           "        \"error\": {\"type\": \"string\", \"pattern\": \"^[a-z][a-z0-9_]*$\"},\n"
           "        \"text\": {\"type\": \"string\"}\n      }\n    }");
}

static void alternatives(const char *before, const char *end)
{
    printf("%s{\"anyOf\": [", before);
    for (unsigned v = 0; v < AG_V_COUNT; v++)
        printf("%s\n      {\"$ref\": \"#/$defs/%s_%s\"}", v ? "," : "", end, ag_verb_name((enum ag_verb)v));
}

int main(void)
{
    printf(
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"A line between ibconform and an agent\",\n"
        "  \"description\": \"A request, or a reply; a reply does not name its verb: it has the id of its request, and "
        "follows "
        "reply_VERB. A reader ignores unknown members of a reply. conformance/agent/README.md has the meaning. "
        "Made by conformance/agent/test/schema.c from conformance/agent/protocol.h.\",\n"
        "  \"anyOf\": [{\"$ref\": \"#/$defs/request\"}, {\"$ref\": \"#/$defs/reply\"}, {\"$ref\": "
        "\"#/$defs/error\"}],\n"
        "  \"$defs\": {\n"
        "    \"number\": {\"description\": \"above 2^53 a text\", \"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, "
        "{\"type\": \"string\", \"pattern\": \"^0x[0-9a-fA-F]{1,16}$\"}]}");
    alternatives(",\n    \"request\": ", "request");
    printf("]}");
    alternatives(",\n    \"reply\": ", "reply");
    printf("]}");
    errors();
#define PRINT_SHAPE(name) shape(#name, &ag_shapes[AG_S_##name]);
    AG_LEAVES(PRINT_SHAPE)
    AG_BRANCHES(PRINT_SHAPE)
#define PRINT_VERB(verb)                                                                                               \
    request(#verb, ag_args_shape(AG_V_##verb));                                                                        \
    reply(#verb, ag_ok_shape(AG_V_##verb));
    AG_VERBS(PRINT_VERB)
    printf("\n  }\n}\n");
    return 0;
}
