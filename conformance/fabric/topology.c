/* SPDX-License-Identifier: BSD-2-Clause */
#include "topology.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cable as a line describes it. The node at the other end may be defined in a later line. */
struct cable {
    size_t from;
    uint8_t port, to_port;
    char to[TOPOLOGY_NAME];
    unsigned line;
};
struct reader {
    const char *path;
    unsigned line;
    const char *at; /* the rest of the line */
    struct topology *t;
    struct cable *cable;
    size_t n_cable, room_cable, room_node;
    struct topology_node next; /* what the lines before the header of the next node say of that node */
    char *err;
};

static bool wrong(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool wrong(struct reader *r, const char *format, ...)
{
    const int n = snprintf(r->err, TOPOLOGY_ERROR, "%s:%u: ", r->path, r->line);
    va_list args;

    if (n < 0 || n >= TOPOLOGY_ERROR)
        return false;
    va_start(args, format);
    (void)vsnprintf(r->err + n, (size_t)(TOPOLOGY_ERROR - n), format, args);
    va_end(args);
    return false;
}

/* ---- words of a line ---- */

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static bool take(struct reader *r, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool number(struct reader *r, int base, uint64_t most, uint64_t *value)
{
    char *end;

    if (!(*r->at >= '0' && *r->at <= '9') && !(base == 16 && *r->at >= 'a' && *r->at <= 'f'))
        return false;
    errno = 0;
    *value = strtoull(r->at, &end, base);
    r->at = end;
    return errno == 0 && *value <= most;
}

/* Reads "NAME", which may contain any characters but quotes. */
static bool quoted(struct reader *r, char name[TOPOLOGY_NAME])
{
    const char *end;
    size_t n;

    skip_blanks(r);
    if (*r->at != '"' || !(end = strchr(r->at + 1, '"')))
        return false;
    n = (size_t)(end - r->at - 1);
    if (n == 0 || n >= TOPOLOGY_NAME)
        return false;
    memcpy(name, r->at + 1, n);
    name[n] = '\0';
    r->at = end + 1;
    return true;
}

/* Reads [PORT], and (GUID) if it follows. */
static bool port_number(struct reader *r, uint8_t *port)
{
    uint64_t n;

    skip_blanks(r);
    if (!take(r, "[") || !number(r, 10, TOPOLOGY_PORTS, &n) || n == 0 || !take(r, "]"))
        return false;
    *port = (uint8_t)n;
    if (*r->at == '(') {
        const char *end = strchr(r->at, ')');
        if (!end)
            return false;
        r->at = end + 1;
    }
    return true;
}

/* ---- nodes ---- */

static void *grow(void *array, size_t *room, size_t n, size_t bytes)
{
    if (n < *room)
        return array;
    *room = *room ? *room * 2 : 16;
    return realloc(array, *room * bytes);
}

static int32_t find(const struct topology *t, const char *id)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->node[i].id, id) == 0)
            return (int32_t)i;
    return -1;
}

/* Returns the GUID in an id that ibnetdiscover printed ("S-0002c90200424970"). For any other id makes a GUID from
 * the node's index. */
static uint64_t guid_of(const struct topology_node *n, size_t index)
{
    enum { DIGITS = 16, NODE_SPACING = 0x100 };
    const char *hex = n->id + 2;
    char *end;

    if (n->id[1] == '-' && strlen(hex) == DIGITS) {
        const uint64_t guid = strtoull(hex, &end, 16);
        if (*end == '\0' && guid)
            return guid;
    }
    return UINT64_C(0x0200000000000000) + (n->is_switch ? UINT64_C(0x80000000) : 0) + (index + 1) * NODE_SPACING;
}

enum kind { ADAPTER, SWITCH, ROUTER };

static bool add_node(struct reader *r, enum kind kind)
{
    struct topology *t = r->t;
    struct topology_node *n = &r->next;
    uint64_t ports;
    const char *comment;

    skip_blanks(r);
    if (!number(r, 10, TOPOLOGY_PORTS, &ports) || ports == 0)
        return wrong(r, "want the number of ports, 1 to %d", (int)TOPOLOGY_PORTS);
    if (!quoted(r, n->id))
        return wrong(r, "want the node's name in quotes, at most %d characters", TOPOLOGY_NAME - 1);
    if (find(t, n->id) >= 0)
        return wrong(r, "\"%s\" is there already", n->id);
    n->ports = (uint8_t)ports;
    n->is_switch = kind == SWITCH;
    n->is_router = kind == ROUTER;
    comment = strchr(r->at, '#');
    r->at = comment ? comment + 1 : "";
    if (!quoted(r, n->description))
        memcpy(n->description, n->id, sizeof n->id);
    if (!n->guid)
        n->guid = guid_of(n, t->n);
    if (!n->system_guid)
        n->system_guid = n->guid;
    n->end = calloc(ports + 1, sizeof *n->end);
    t->node = grow(t->node, &r->room_node, t->n, sizeof *t->node);
    if (!n->end || !t->node)
        return wrong(r, "no memory");
    for (size_t i = 0; i <= ports; i++)
        n->end[i].node = -1;
    t->node[t->n++] = *n;
    memset(n, 0, sizeof *n);
    return true;
}

static bool add_cable(struct reader *r)
{
    struct cable c = {.from = r->t->n - 1, .line = r->line};

    if (!port_number(r, &c.port))
        return wrong(r, "want [PORT], 1 to %d", (int)TOPOLOGY_PORTS);
    if (r->t->n == 0)
        return wrong(r, "a port before any node");
    if (c.port > r->t->node[c.from].ports)
        return wrong(r, "\"%s\" has %u ports, not %u", r->t->node[c.from].id, r->t->node[c.from].ports, c.port);
    if (!quoted(r, c.to) || !port_number(r, &c.to_port))
        return wrong(r, "want \"NODE\"[PORT] after the port");
    r->cable = grow(r->cable, &r->room_cable, r->n_cable, sizeof *r->cable);
    if (!r->cable)
        return wrong(r, "no memory");
    r->cable[r->n_cable++] = c;
    return true;
}

/* ---- lines ---- */

static bool hex_line(struct reader *r, uint64_t most, uint64_t *value)
{
    (void)take(r, "0x");
    return number(r, 16, most, value) ||
           wrong(r, "want a number in hexadecimal, 0x%llx at most", (unsigned long long)most);
}

/* Reads the lines that ibnetdiscover prints before a node's header. */
static bool property(struct reader *r, bool *known)
{
    uint64_t value;

    *known = true;
    if (take(r, "vendid="))
        return hex_line(r, 0xffffff, &value) && (r->next.vendor = (uint32_t)value, true);
    if (take(r, "devid="))
        return hex_line(r, 0xffff, &value) && (r->next.device = (uint16_t)value, true);
    if (take(r, "sysimgguid="))
        return hex_line(r, UINT64_MAX, &r->next.system_guid);
    if (take(r, "switchguid=") || take(r, "caguid=") || take(r, "rtguid="))
        return hex_line(r, UINT64_MAX, &r->next.guid);
    *known = false;
    return true;
}

static bool read_line(struct reader *r, const char *line)
{
    bool known, good;

    r->at = line;
    skip_blanks(r);
    if (*r->at == '\0' || *r->at == '#' || *r->at == '\n')
        return true;
    good = property(r, &known);
    if (known)
        return good;
    if (*r->at == '[')
        return add_cable(r);
    if (take(r, "Switch"))
        return add_node(r, SWITCH);
    if (take(r, "Hca") || take(r, "Ca"))
        return add_node(r, ADAPTER);
    if (take(r, "Router") || take(r, "Rt"))
        return add_node(r, ROUTER);
    return wrong(
        r, "want Switch, Hca, Ca, Router or Rt, [PORT], vendid=, devid=, sysimgguid=, switchguid=, caguid= or rtguid=");
}

/* ---- cables ---- */

static bool plug(struct reader *r, const struct cable *c)
{
    struct topology *t = r->t;
    const int32_t to = find(t, c->to);
    struct topology_end *here = &t->node[c->from].end[c->port], *there;

    r->line = c->line;
    if (to < 0)
        return wrong(r, "there is no node \"%s\"", c->to);
    if (c->to_port > t->node[to].ports)
        return wrong(r, "\"%s\" has %u ports, not %u", c->to, t->node[to].ports, c->to_port);
    there = &t->node[to].end[c->to_port];
    if (here->node >= 0 && (here->node != to || here->port != c->to_port))
        return wrong(r, "port %u of \"%s\" has another cable, to \"%s\"[%u]", c->port, t->node[c->from].id,
                     t->node[here->node].id, here->port);
    if (there->node >= 0 && (there->node != (int32_t)c->from || there->port != c->port))
        return wrong(r, "port %u of \"%s\" has another cable, to \"%s\"[%u]", c->to_port, c->to,
                     t->node[there->node].id, there->port);
    if (here == there)
        return wrong(r, "the cable of port %u has both ends in one port", c->port);
    *here = (struct topology_end){to, c->to_port, c->line};
    *there = (struct topology_end){(int32_t)c->from, c->port, there->line};
    return true;
}

static bool read_all(struct reader *r, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;

    while (good && getline(&line, &room, f) >= 0) {
        r->line++;
        good = read_line(r, line);
    }
    free(line);
    if (good && ferror(f))
        good = wrong(r, "%s", strerror(errno));
    for (size_t i = 0; good && i < r->n_cable; i++)
        good = plug(r, &r->cable[i]);
    if (good && r->t->n == 0)
        good = wrong(r, "no node is in the file");
    return good;
}

struct topology *topology_read(const char *path, char err[TOPOLOGY_ERROR])
{
    const bool standard = strcmp(path, "-") == 0;
    struct reader r = {.path = standard ? "stdin" : path, .err = err, .t = calloc(1, sizeof *r.t)};
    FILE *f = standard ? stdin : fopen(path, "r");
    bool good = false;

    if (!f)
        (void)snprintf(err, TOPOLOGY_ERROR, "%s: %s", path, strerror(errno));
    else if (!r.t)
        (void)wrong(&r, "no memory");
    else
        good = read_all(&r, f);
    if (f && !standard)
        (void)fclose(f);
    free(r.cable);
    if (good)
        return r.t;
    topology_free(r.t);
    return NULL;
}

void topology_free(struct topology *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n; i++)
        free(t->node[i].end);
    free(t->node);
    free(t);
}
