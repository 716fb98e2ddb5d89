/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/rails_list.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

/* Longer lines are an error, so that no file costs memory without limit. */
enum { LINE = 65536, SAID = 160 };

static struct stat_items addresses(struct rails_list *l)
{
    return (struct stat_items){l->address, sizeof *l->address, RAILS_ADDRESSES, &l->n_address, l->slot};
}

const struct rails_address *rails_list_find(const struct rails_list *l, uint8_t kind, const uint8_t addr[IBA_ADDR_MOST])
{
    struct stat_addr key = {.kind = kind};

    memcpy(key.addr, addr, sizeof key.addr);
    const size_t at =
        stat_item(l->slot, sizeof l->slot / sizeof *l->slot, l->address, sizeof *l->address, &key, sizeof key);
    return at ? &l->address[at - 1] : NULL;
}

/* Reads an IPv4 or IPv6 address, or a unicast LID (IBA 4.1.3: 1 to 0xbfff). */
static bool read_address(struct stat_addr *k, const char *text)
{
    char *end;

    *k = (struct stat_addr){.kind = IBA_ADDR_IPV4};
    if (strchr(text, ':')) {
        k->kind = IBA_ADDR_IPV6;
        return inet_pton(AF_INET6, text, k->addr) == 1;
    }
    if (strchr(text, '.'))
        return inet_pton(AF_INET, text, k->addr) == 1;
    k->kind = IBA_ADDR_LID;
    if (*text < '0' || *text > '9')
        return false;
    const unsigned long lid = strtoul(text, &end, 0);
    iba_bits_put(k->addr, 0, 16, lid & UINT16_MAX);
    return *end == '\0' && lid > 0 && lid <= 0xbfff;
}

/* Adds one address of the last host. False with the reason in `why`. */
static bool add_key(struct rails_list *l, const struct stat_addr *key, uint8_t rail, const char *text, char why[SAID])
{
    const struct stat_items all = addresses(l);
    const size_t before = l->n_address, at = stat_item_or_new(&all, key, sizeof *key);

    if (at == 0) {
        (void)snprintf(why, SAID, "more than %d addresses", RAILS_ADDRESSES);
        return false;
    }
    struct rails_address *a = &l->address[at - 1];
    if (l->n_address == before) {
        (void)snprintf(why, SAID, "%.40s is already rail %u of host %s", text, a->rail + 1u, l->host[a->host].name);
        return false;
    }
    a->host = (uint16_t)(l->n_host - 1);
    a->rail = rail;
    return true;
}

static bool add_address(struct rails_list *l, uint8_t rail, const char *text, char why[SAID])
{
    struct stat_addr key;

    if (!read_address(&key, text)) {
        (void)snprintf(why, SAID, "'%.40s' is no IPv4 or IPv6 address, GID or LID", text);
        return false;
    }
    if (!add_key(l, &key, rail, text, why))
        return false;
    if (key.kind != IBA_ADDR_IPV6)
        return true;
    key.kind = IBA_ADDR_GID;
    return add_key(l, &key, rail, text, why);
}

static bool add_rail(struct rails_list *l, char *text, char why[SAID])
{
    struct rails_host *h = &l->host[l->n_host - 1];
    char *rest;

    if (h->n == RAILS_MOST) {
        (void)snprintf(why, SAID, "host %s has more than %d rails", h->name, RAILS_MOST);
        return false;
    }
    bool any = false;
    for (char *a = strtok_r(text, ",", &rest); a; a = strtok_r(NULL, ",", &rest), any = true)
        if (!add_address(l, (uint8_t)h->n, a, why))
            return false;
    if (!any)
        (void)snprintf(why, SAID, "rail %u of host %s has no address", h->n + 1, h->name);
    h->n++;
    return any;
}

/* Whether the name can be printed as it is, in each form, and no other host has it. */
static bool name_fits(const struct rails_list *l, const char *name, char why[SAID])
{
    if (strlen(name) >= RAILS_NAME) {
        (void)snprintf(why, SAID, "a name has %d characters at most", RAILS_NAME - 1);
        return false;
    }
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~' || *c == '"' || *c == '\\') {
            (void)snprintf(why, SAID, "a name has printable ASCII characters, without quotes and backslashes");
            return false;
        }
    for (size_t i = 0; i < l->n_host; i++)
        if (strcmp(l->host[i].name, name) == 0) {
            (void)snprintf(why, SAID, "host %s has a line already", name);
            return false;
        }
    return true;
}

/* Adds the host of a line, unless the line is empty. */
static bool add_host(struct rails_list *l, char *line, char why[SAID])
{
    static const char blank[] = " \t\r\n";
    char *rest;

    line[strcspn(line, "#")] = '\0';
    const char *name = strtok_r(line, blank, &rest);
    if (!name)
        return true;
    if (l->n_host == RAILS_HOSTS) {
        (void)snprintf(why, SAID, "more than %d hosts", RAILS_HOSTS);
        return false;
    }
    if (!name_fits(l, name, why))
        return false;
    (void)snprintf(l->host[l->n_host++].name, RAILS_NAME, "%s", name);
    for (char *rail = strtok_r(NULL, blank, &rest); rail; rail = strtok_r(NULL, blank, &rest))
        if (!add_rail(l, rail, why))
            return false;
    if (l->host[l->n_host - 1].n == 0) {
        (void)snprintf(why, SAID, "host %s has no address", name);
        return false;
    }
    return true;
}

bool rails_list_read(struct rails_list *l, FILE *in, char *err, size_t errlen)
{
    char *line = malloc(LINE), why[SAID] = "";
    unsigned n = 0;
    bool good = line != NULL;

    if (!line) {
        (void)snprintf(err, errlen, "out of memory");
        return false;
    }
    while (good && fgets(line, LINE, in)) {
        n++;
        const size_t bytes = strlen(line);
        good = bytes + 1 < LINE || line[bytes - 1] == '\n';
        if (!good)
            (void)snprintf(why, SAID, "the line is longer than %d characters", LINE - 2);
        good = good && add_host(l, line, why);
    }
    free(line);
    if (!good)
        (void)snprintf(err, errlen, "line %u: %s", n, why);
    else if (ferror(in))
        (void)snprintf(err, errlen, "%s", strerror(errno));
    else if (l->n_host == 0)
        (void)snprintf(err, errlen, "names no host; a line is NAME ADDRESS ADDRESS ...");
    return good && !ferror(in) && l->n_host > 0;
}
