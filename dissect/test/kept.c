/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs give back memory and descriptors, also when they are played several times in one process, as fuzz targets do. */
#include "command.h"

TestSuite(kept, .init = command_begin, .fini = command_end);

/* A run gives back all that it opened; also one that cannot begin. */
Test(kept, nothing_of_a_run)
{
    char lines[][256] = {
        "acknowledges.pcap",
        "-2 -V -Y udp -Y infiniband -z icrc -z perf -z messages acknowledges.pcap rxe-rping.pcap",
        "-q -w %s --report %s.html --summary %s.json --metrics %s.prom rxe-rping.pcap",
        "-q --jobs 2 -z perf rxe-dup30-atomic.pcap",
        "-q --jobs 2 -z perf rxe-reorder-rc.pcap",
        "-q --every 1 --metrics %s.prom rxe-reorder-rc.pcap",
        "none",
        "-w %s --report no/x acknowledges.pcap",
        "-w %s --report %s.html none",
        "-q -w %s --report %s.html --summary no/x acknowledges.pcap",
        "-q --metrics no/x acknowledges.pcap",
        "-q --summary %s.json --metrics no/x acknowledges.pcap",
        "-q --metrics %s.prom --rows gen acknowledges.pcap",
        "-Y infiniband -z icrc -c none",
        "-z perf -z rails,none none",
        "acknowledges.pcap none rxe-rping.pcap",
    };

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[2048] = "";
        for (const char *s = lines[i]; *s; s++)
            if (strncmp(s, "%s", 2) == 0) {
                strcat(line, command_in("F"));
                s++;
            } else
                strncat(line, s, 1);
        cr_expect_eq(command_again("--no-sandbox %s", line), 0, "%s: %s", line, command_err);
    }
}

Test(kept, nothing_of_a_merge)
{
    COMMAND(0, 0, "", "-q --summary %s acknowledges.pcap", command_in("a"));
    COMMAND(0, 0, "", "-q --summary %s congestion.pcap", command_in("b"));
    cr_expect_eq(command_again("merge --no-sandbox -o %s --report %s %s %s", command_in("sum"), command_in("page"),
                               command_in("a"), command_in("b")),
                 0);
    cr_expect_eq(command_again("merge --no-sandbox -o %s --report %s %s none", command_in("sum"), command_in("page"),
                               command_in("a")),
                 0);
    cr_expect_eq(command_again("merge --no-sandbox -o %s --report no/x %s", command_in("sum"), command_in("a")), 0);
}
