/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of a play, by name. */
#include "bind.h"
#include <stdlib.h>
#include <string.h>

unsigned ibc_node_ports(const struct ibc_text *t)
{
    static const char key[] = "ports=";
    unsigned n = 2;
    char *end;

    for (unsigned i = 2; i < t->n_word; i++)
        if (strncmp(t->word[i].s, key, sizeof key - 1) == 0) {
            n = (unsigned)strtoul(t->word[i].s + sizeof key - 1, &end, 0);
            n = *end == '\0' && n < IBC_MAX_OBJECTS ? n : 0;
        }
    return n;
}

static const char *object_name(size_t i, const void *binder)
{
    return ((const struct ibc_binder *)binder)->play->object[i].name;
}

uint16_t ibc_object_find(struct ibc_binder *b, const struct ibc_word *w, const char *name, unsigned kinds, bool later)
{
    for (uint16_t i = 0; i < b->play->n_object; i++) {
        const struct ibc_object *o = &b->play->object[i];

        if (strcmp(o->name, name) != 0)
            continue;
        if ((kinds >> o->kind & 1) == 0)
            ibc_fault(IBC_AT_VALUE(b, w), "'%s' is a %s, which cannot stand here", name, ibc_object_names[o->kind]);
        else if (o->line >= b->at->line && !later)
            ibc_fault(IBC_AT_VALUE(b, w), "'%s' is made in line %u, not yet here", name, o->line);
        else
            return i;
        return UINT16_MAX;
    }
    ibc_fault_unknown(IBC_AT_VALUE(b, w), "object", name, object_name, b->play->n_object, b);
    return UINT16_MAX;
}
