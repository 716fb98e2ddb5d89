/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of an interface: whether it carries the suite's packets unchanged, and delivers them to this program
 * alone. */
#include <dirent.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "wire_adapters.h"

enum { MOST_FEATURES = 256, PATH = 512 };

static bool ask(const struct ibc_wire *w, unsigned long what, struct ifreq *r)
{
    memcpy(r->ifr_name, w->own, strnlen(w->own, IFNAMSIZ - 1));
    return ioctl(w->fd, what, r) == 0;
}

/* ---- frames that are joined ---- */

/* Whether the feature joins datagrams. GRO alone joins them only if no process of this machine listens for them;
 * these settings join them in any case. */
static bool joins(const char *feature)
{
    static const char *const names[] = {"rx-lro", "rx-gro-list", "rx-udp-gro-forwarding", "rx-gro-hw"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], feature) == 0)
            return true;
    return false;
}

static unsigned feature_count(const struct ibc_wire *w)
{
    struct ethtool_sset_info *count = calloc(1, sizeof *count + sizeof(uint32_t));
    struct ifreq r = {.ifr_data = (char *)count};
    unsigned n = 0;

    if (!count)
        return 0;
    count->cmd = ETHTOOL_GSSET_INFO;
    count->sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
    if (ask(w, SIOCETHTOOL, &r) && count->data[0] <= MOST_FEATURES)
        n = count->data[0];
    free(count);
    return n;
}

/* Returns the names of the interface's features, which the caller owns; NULL: it has none, or does not report them. */
static struct ethtool_gstrings *feature_names(const struct ibc_wire *w, unsigned n)
{
    struct ethtool_gstrings *all = calloc(1, sizeof *all + (size_t)n * ETH_GSTRING_LEN);
    struct ifreq r = {.ifr_data = (char *)all};

    if (!all)
        return NULL;
    *all = (struct ethtool_gstrings){.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES, .len = n};
    if (n > 0 && ask(w, SIOCETHTOOL, &r))
        return all;
    free(all);
    return NULL;
}

static struct ethtool_gfeatures *features(const struct ibc_wire *w, unsigned n)
{
    const unsigned blocks = (n + 31) / 32;
    struct ethtool_gfeatures *is = calloc(1, sizeof *is + blocks * sizeof is->features[0]);
    struct ifreq r = {.ifr_data = (char *)is};

    if (!is)
        return NULL;
    is->cmd = ETHTOOL_GFEATURES;
    is->size = blocks;
    if (ask(w, SIOCETHTOOL, &r))
        return is;
    free(is);
    return NULL;
}

static void find_joins(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    const unsigned n = feature_count(w);
    struct ethtool_gstrings *names = feature_names(w, n);
    struct ethtool_gfeatures *is = names ? features(w, n) : NULL;
    char name[ETH_GSTRING_LEN + 1] = "";
    size_t used = 0;

    for (unsigned i = 0; is && i < n && used < sizeof p->joins; i++) {
        memcpy(name, names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
        if (is->features[i / 32].active >> i % 32 & 1 && joins(name))
            used += (size_t)snprintf(p->joins + used, sizeof p->joins - used, "%s%s", used ? " " : "", name);
    }
    free(is);
    free(names);
}

/* ---- other responders ---- */

static bool first_line(const char *path, char *out, size_t n)
{
    FILE *f = fopen(path, "re");
    const bool good = f && fgets(out, (int)n, f);

    if (f)
        (void)fclose(f);
    out[good ? strcspn(out, "\n") : 0] = '\0';
    return good;
}

/* Looks for an RDMA device one of whose first GIDs belongs to this network interface. */
static void find_rdma(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    static const char all[] = "/sys/class/infiniband";
    DIR *d = opendir(all);
    char path[PATH], is[64];

    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        for (unsigned port = 1; port <= 2 && e->d_name[0] != '.' && !p->rdma[0]; port++) {
            snprintf(path, sizeof path, "%s/%s/ports/%u/gid_attrs/ndevs/0", all, e->d_name, port);
            if (first_line(path, is, sizeof is) && strcmp(is, w->own) == 0)
                snprintf(p->rdma, sizeof p->rdma, "%.60s", e->d_name);
        }
    if (d)
        (void)closedir(d);
}

void wire_port_look(const struct ibc_wire *w, struct ibc_wire_port *p)
{
    struct ifreq r = {0};

    snprintf(p->name, sizeof p->name, "%.15s", w->own);
    if (ask(w, SIOCGIFMTU, &r))
        p->mtu = (unsigned)r.ifr_mtu;
    r = (struct ifreq){0};
    if (ask(w, SIOCGIFHWADDR, &r))
        for (unsigned i = 0; i < 6; i++)
            p->mac = p->mac << 8 | (uint8_t)r.ifr_hwaddr.sa_data[i];
    r = (struct ifreq){0};
    if (ask(w, SIOCGIFFLAGS, &r)) {
        p->up = r.ifr_flags & IFF_UP;
        p->link = r.ifr_flags & IFF_RUNNING;
    }
    find_joins(w, p);
    find_rdma(w, p);
}
