/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of an interface, as a kernel of the test's own reports them: ioctl(), and the folder of RDMA devices in
 * /sys, are replaced. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../wire_adapters.h"
#include "held.h"

enum { FD = 12345, MOST = 300 };

/* ---- the kernel ---- */

static struct {
    const char *name; /* of the interface */
    bool refuses_count, refuses_names, refuses_features, refuses_mtu, refuses_mac, refuses_flags;
    unsigned n; /* features */
    char feature[MOST][ETH_GSTRING_LEN];
    bool active[MOST];
    int mtu;
    short flags;
} kernel;

static int ethtool(void *data)
{
    struct ethtool_sset_info *count = data;
    struct ethtool_gstrings *names = data;
    struct ethtool_gfeatures *is = data;

    switch (*(uint32_t *)data) {
    case ETHTOOL_GSSET_INFO:
        cr_assert_eq(count->sset_mask, UINT64_C(1) << ETH_SS_FEATURES);
        count->data[0] = kernel.n;
        return kernel.refuses_count ? -1 : 0;
    case ETHTOOL_GSTRINGS:
        cr_assert(names->string_set == ETH_SS_FEATURES && names->len == kernel.n);
        memcpy(names->data, kernel.feature, (size_t)kernel.n * ETH_GSTRING_LEN);
        return kernel.refuses_names ? -1 : 0;
    case ETHTOOL_GFEATURES:
        cr_assert_eq(is->size, (kernel.n + 31) / 32);
        for (unsigned i = 0; i < kernel.n; i++)
            is->features[i / 32].active |= (uint32_t)kernel.active[i] << i % 32;
        return kernel.refuses_features ? -1 : 0;
    default: return -1;
    }
}

int ioctl(int fd, unsigned long what, ...)
{
    va_list args;

    va_start(args, what);
    struct ifreq *r = va_arg(args, struct ifreq *);
    va_end(args);
    if (fd != FD)
        return (int)syscall(SYS_ioctl, fd, what, r);
    cr_assert_str_eq(r->ifr_name, kernel.name, "%.16s", r->ifr_name);
    switch (what) {
    case SIOCETHTOOL: return ethtool(r->ifr_data);
    case SIOCGIFMTU: r->ifr_mtu = kernel.mtu; return kernel.refuses_mtu ? -1 : 0;
    case SIOCGIFHWADDR:
        memcpy(r->ifr_hwaddr.sa_data, "\x82\x01\xf3\x04\x05\xfe", 6);
        return kernel.refuses_mac ? -1 : 0;
    case SIOCGIFFLAGS: r->ifr_flags = kernel.flags; return kernel.refuses_flags ? -1 : 0;
    default: return -1;
    }
}

static struct ibc_wire_port looked(void)
{
    struct ibc_wire w = {.fd = FD};
    struct ibc_wire_port p = {.up = true, .link = true};

    (void)snprintf(w.own, sizeof w.own, "%s", kernel.name);
    wire_port_look(&w, &p);
    return p;
}

static void begin(void)
{
    memset(&kernel, 0, sizeof kernel);
    kernel.name = "eth7";
    kernel.mtu = 9000;
    kernel.n = 70;
    kernel.flags = IFF_UP | IFF_RUNNING;
    for (unsigned i = 0; i < MOST; i++)
        (void)snprintf(kernel.feature[i], ETH_GSTRING_LEN, "rx-other-%u", i);
}

TestSuite(wire_port, .init = begin);

static void name(unsigned i, const char *text)
{
    memset(kernel.feature[i], 0, ETH_GSTRING_LEN);
    memcpy(kernel.feature[i], text, strnlen(text, ETH_GSTRING_LEN));
}

/* ---- cases ---- */

Test(wire_port, address_and_state)
{
    static const struct {
        short flags;
        bool up, link;
    } rows[] = {{0, false, false},
                {IFF_UP, true, false},
                {IFF_RUNNING, false, true},
                {IFF_UP | IFF_RUNNING | IFF_PROMISC, true, true},
                {IFF_BROADCAST | IFF_LOOPBACK, false, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kernel.flags = rows[i].flags;
        const struct ibc_wire_port p = looked();
        cr_expect(p.up == rows[i].up && p.link == rows[i].link, "row %zu", i);
        cr_expect(p.mtu == 9000 && p.mac == 0x8201f30405fe, "row %zu", i);
        cr_expect_str_eq(p.name, "eth7");
    }
    kernel.refuses_mtu = kernel.refuses_mac = kernel.refuses_flags = true;
    const struct ibc_wire_port p = looked();
    cr_expect(p.mtu == 0 && p.mac == 0 && p.up && p.link, "as before");
    kernel.name = "fifteen-letters"; /* no interface has a longer name */
    cr_expect_str_eq(looked().name, "fifteen-letters");
}

Test(wire_port, settings_that_join_frames)
{
    static const char *const names[] = {"rx-lro", "rx-gro-list", "rx-udp-gro-forwarding", "rx-gro-hw"};
    static const unsigned at[] = {0, 31, 32, 69};

    cr_expect_str_eq(looked().joins, "");
    for (unsigned i = 0; i < 4; i++) {
        name(at[i], names[i]);
        cr_expect_str_eq(looked().joins, "", "%s is off", names[i]);
        kernel.active[at[i]] = true;
        cr_expect_str_eq(looked().joins, names[i], "%s", looked().joins);
        kernel.active[at[i]] = false;
    }
    for (unsigned i = 0; i < 70; i++)
        kernel.active[i] = true;
    cr_expect_str_eq(looked().joins, "rx-lro rx-gro-list rx-udp-gro-forwarding rx-gro-hw", "%s", looked().joins);
    kernel.refuses_features = true;
    cr_expect_str_eq(looked().joins, "");
    kernel.refuses_features = false;
    kernel.refuses_names = true;
    cr_expect_str_eq(looked().joins, "");
    kernel.refuses_names = false;
    kernel.refuses_count = true;
    cr_expect_str_eq(looked().joins, "");
    kernel.refuses_count = false;
    kernel.n = 0;
    cr_expect_str_eq(looked().joins, "");
}

/* A name may fill all 32 bytes of its field, without a zero at the end. If there are more than 256 settings, none is
 * read. */
Test(wire_port, limits_of_settings)
{
    name(255, "rx-lro");
    kernel.active[255] = true;
    kernel.n = 256;
    cr_expect_str_eq(looked().joins, "rx-lro");
    kernel.n = 257;
    cr_expect_str_eq(looked().joins, "", "more are not read");
    kernel.n = 255;
    cr_expect_str_eq(looked().joins, "", "the last one is not among them");
    kernel.n = 256;
    name(254, "rx-lro-with-a-name-of-32-bytes--");
    kernel.active[254] = true;
    cr_expect_str_eq(looked().joins, "rx-lro");
    for (unsigned i = 0; i < 9; i++) {
        name(i, "rx-gro-hw");
        kernel.active[i] = true;
    }
    const struct ibc_wire_port p = looked();
    cr_expect_str_eq(p.joins, "rx-gro-hw rx-gro-hw rx-gro-hw rx-gro-hw rx-gro-hw rx-gro-hw rx-", "%s", p.joins);
    cr_expect_str_eq(p.rdma, "");
}

Test(wire_port, nothing_stays)
{
    const unsigned before = held_descriptors();
    size_t held[HELD_ROUNDS];

    for (unsigned i = 0; i < HELD_ROUNDS; i++) {
        for (unsigned k = 0; k < 4; k++) {
            kernel.refuses_count = k == 1;
            kernel.refuses_names = k == 2;
            kernel.refuses_features = k == 3;
            (void)looked();
        }
        held[i] = held_bytes();
    }
    held_the_same(held);
    cr_expect_eq(held_descriptors(), before);
}

/* ---- RDMA devices ---- */

static char folder[] = "wire-port-XXXXXX";
static bool replaced;

/* The file below the test's own folder that stands for one of /sys. */
static const char *instead(const char *path)
{
    static const char all[] = "/sys/class/infiniband";
    static char other[600];

    if (!replaced || strncmp(path, all, sizeof all - 1) != 0)
        return path;
    (void)snprintf(other, sizeof other, "%s%s", folder, path + sizeof all - 1);
    return other;
}

DIR *opendir(const char *path)
{
    DIR *(*real)(const char *);

    *(void **)&real = dlsym(RTLD_NEXT, "opendir");
    return real(instead(path));
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *(*real)(const char *, const char *);

    *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return real(instead(path), mode);
}

static void has(const char *device, const char *port, const char *text)
{
    char command[400];

    (void)snprintf(command, sizeof command,
                   "mkdir -p %s/%s/ports/%s/gid_attrs/ndevs && printf '%s' >%s/%s/ports/%s/gid_attrs/ndevs/0", folder,
                   device, port, text, folder, device, port);
    cr_assert_eq(system(command), 0);
}

static void forget(void)
{
    char command[100];

    (void)snprintf(command, sizeof command, "rm -rf %s/* %s/.x*", folder, folder);
    cr_assert_eq(system(command), 0);
}

Test(wire_port, an_rdma_device_that_answers_too)
{
    static const struct {
        const char *device, *port, *text, *is;
    } rows[] = {
        {"roce0", "1", "eth7\\n", "roce0"},  {"roce0", "2", "eth7\\n", "roce0"}, {"roce0", "1", "eth7", "roce0"},
        {"roce0", "1", "eth7\\nx", "roce0"}, {"roce0", "3", "eth7\\n", ""},      {"roce0", "0", "eth7\\n", ""},
        {"roce0", "1", "eth70\\n", ""},      {"roce0", "1", "eth\\n", ""},       {"roce0", "1", "", ""},
        {".x", "1", "eth7\\n", ""},
    };
    replaced = true;
    cr_assert_not_null(mkdtemp(folder));
    cr_expect_str_eq(looked().rdma, "", "no device");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        has(rows[i].device, rows[i].port, rows[i].text);
        cr_expect_str_eq(looked().rdma, rows[i].is, "row %zu: '%s'", i, looked().rdma);
        forget();
    }
    const unsigned before = held_descriptors();
    has("one", "1", "eth6\\n");
    has("other", "2", "eth7\\n");
    has("third", "1", "eth8\\n");
    cr_expect_str_eq(looked().rdma, "other");
    cr_expect_eq(held_descriptors(), before);
    forget();
    cr_expect_eq(rmdir(folder), 0);
    cr_expect_str_eq(looked().rdma, "", "no folder");
}
