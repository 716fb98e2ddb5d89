/* SPDX-License-Identifier: BSD-2-Clause */
/* Only for ibdissect-static. Debian's libpcap can also capture messages of D-Bus, for which it needs libraries that
 * have no static version. The functions here replace that part of libpcap: they report that there is no such interface.
 */
#include <pcap/pcap.h>

/* The names are libpcap's. */
pcap_t *dbus_create(const char *device, char *error, int *ours);
int dbus_findalldevs(void *devices, char *error);

pcap_t *dbus_create(const char *device, char *error, int *ours)
{
    (void)device, (void)error;
    *ours = 0;
    return NULL;
}

int dbus_findalldevs(void *devices, char *error)
{
    (void)devices, (void)error;
    return 0;
}
