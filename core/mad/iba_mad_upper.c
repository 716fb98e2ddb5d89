/* Upper protocols: whose a service is. */
#include "iba_mad.h"

/* Ports of the IP CM service that everyone uses for one thing (IANA). */
static const struct {
    uint16_t port;
    uint8_t upper;
} ports[] = {{445, IBA_UPPER_SMB_DIRECT},
             {987, IBA_UPPER_LNET},
             {3260, IBA_UPPER_ISER},
             {4420, IBA_UPPER_NVME},
             {20049, IBA_UPPER_RPC}};

enum iba_upper iba_upper_of(uint64_t service_id)
{
    enum { TCP = 6 };

    if (service_id >> 16 == 1) /* Annex A4 */
        return IBA_UPPER_SDP;
    if (service_id >> 24 == UINT64_C(0x1000000000)) /* RFC 4755 */
        return IBA_UPPER_IPOIB;
    if (!iba_mad_is_ip_service(service_id) || (service_id >> 16 & 0xff) != TCP)
        return IBA_UPPER_NONE;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        if (ports[i].port == (service_id & 0xffff))
            return (enum iba_upper)ports[i].upper;
    return IBA_UPPER_NONE;
}

const char *iba_upper_name(enum iba_upper u)
{
    static const char *const name[IBA_UPPERS] = {"",           "SDP",  "IPoIB",     "SRP",          "iSER",
                                                 "SMB Direct", "LNet", "NVMe/RDMA", "RPC-over-RDMA"};

    return name[u];
}
