/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-pcap-loop FILE: the minimum cost of reading a capture. The loop reads every packet and parses none. */
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *head;
    const u_char *bytes;
    uint64_t packets = 0, sum = 0;
    pcap_t *capture;
    int got;

    if (argc != 2) {
        fputs("usage: ibbench-pcap-loop FILE\n", stderr);
        return 1;
    }
    capture = pcap_open_offline(argv[1], error);
    if (!capture) {
        fprintf(stderr, "ibbench-pcap-loop: %s\n", error);
        return 2;
    }
    while ((got = pcap_next_ex(capture, &head, &bytes)) == 1) {
        packets++;
        sum += head->caplen;
    }
    if (got != PCAP_ERROR_BREAK) {
        fprintf(stderr, "ibbench-pcap-loop: %s: %s\n", argv[1], pcap_geterr(capture));
        return 2;
    }
    pcap_close(capture);
    printf("%" PRIu64 " packets, %" PRIu64 " bytes, %s\n", packets, sum, pcap_lib_version());
    return 0;
}
