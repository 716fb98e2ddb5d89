/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/show.h"

static void number(struct out *o, uint64_t v, unsigned base, unsigned digits)
{
    if (base == 16)
        out_hex(o, v, digits);
    else
        out_u64(o, v);
}

/* Prints values whose format is the same for scripts and for people; false for other values. */
static bool common(struct out *o, const struct value *v)
{
    switch (v->type) {
    case FIELD_ETHER: out_mac(o, v->u); return true;
    case FIELD_IPV4: out_ip4(o, (uint32_t)v->u); return true;
    case FIELD_IPV6: out_ip6(o, v->bytes); return true;
    case FIELD_BYTES:
    case FIELD_PRESENCE: out_hex_bytes(o, v->bytes, v->len); return true;
    case FIELD_TEXT: out_text(o, (const char *)v->bytes, v->len); return true;
    case FIELD_TIME: out_time(o, v->ns); return true;
    default: return false;
    }
}

void show_script(struct out *o, const struct value *v)
{
    if (common(o, v))
        return;
    if (v->row)
        number(o, v->u, iba_shows[v->row->show].script_base, iba_shows[v->row->show].script_digits);
    else
        out_u64(o, v->u);
}

void show_quoted(struct out *o, const struct value *v, char quote)
{
    if (v->type == FIELD_TEXT)
        out_quoted(o, (const char *)v->bytes, v->len, quote);
    else
        show_script(o, v);
}

void show_human(struct out *o, const struct value *v)
{
    if (common(o, v))
        return;
    if (v->type == FIELD_BOOL)
        out_str(o, v->u ? "True" : "False");
    else if (v->row)
        number(o, v->u, iba_shows[v->row->show].human_base, iba_shows[v->row->show].human_digits);
    else
        out_u64(o, v->u);
}

const char *show_name(const struct value *v)
{
    return v->row ? iba_value_name((enum iba_vocabulary)v->row->values, v->u) : NULL;
}
