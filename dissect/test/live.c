/* SPDX-License-Identifier: BSD-2-Clause */
/* -i, with a file in the place of an interface. The linker puts the functions __wrap_... here in the place of those of
 * dissect/input and of the clock. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "command.h"
#include "input/capture.h"
#include "outputs.h"
#include "run.h"

static void begin(void)
{
    command_begin();
    if (geteuid() == 0) /* the command becomes the owner of its working directory, or nobody */
        cr_assert(chown(command_folder, 65534, 65534) == 0);
}
TestSuite(live, .init = begin, .fini = command_end);

static const char *opened;
static bool told;
static unsigned at, quiet_at; /* packets that came, and after which of them there is a pause; 0: none */
static int64_t clock_ms;      /* ms after 2023-11-14 22:13:20 UTC */

struct capture *__wrap_cap_open_live(const char *iface, const char *filter, char *err, size_t errlen);
struct capture *__wrap_cap_open_live(const char *iface, const char *filter, char *err, size_t errlen)
{
    if (filter)
        cr_assert_str_eq(filter, "udp");
    if (strcmp(iface, "lo") == 0)
        return cap_open(opened, err, errlen);
    (void)snprintf(err, errlen, "%s: no such interface", iface);
    return NULL;
}

void __wrap_cap_tell_quiet(struct capture *c);
void __wrap_cap_tell_quiet(struct capture *c)
{
    (void)c;
    told = true;
}

uint64_t __wrap_cap_dropped(const struct capture *c);
uint64_t __wrap_cap_dropped(const struct capture *c)
{
    (void)c;
    return 7;
}

static bool tells; /* which outputs have packets when the tenth one is read, and whether threads may be started */

static void tell_size(const char *what, struct stat st)
{
    enum { HEAD = 300 };

    (void)dprintf(STDERR_FILENO, "%s has %s\n", what, st.st_size > HEAD ? "packets" : "none");
}

static void tell_sizes(void)
{
    struct stat st;

    if (fstat(STDOUT_FILENO, &st) == 0)
        tell_size("output", st);
    if (stat(command_in("w"), &st) == 0)
        tell_size("file", st);
}

bool __wrap_cap_ready(const struct capture *c);
bool __wrap_cap_ready(const struct capture *c)
{
    (void)c;
    return false;
}

void __real_outputs_confine(const struct options *opt, bool threads);
void __wrap_outputs_confine(const struct options *opt, bool threads);
void __wrap_outputs_confine(const struct options *opt, bool threads)
{
    if (tells)
        (void)dprintf(STDERR_FILENO, "threads %d\n", threads);
    __real_outputs_confine(opt, threads);
}

enum cap_result __real_cap_next(struct capture *c, struct cap_packet *p);
enum cap_result __wrap_cap_next(struct capture *c, struct cap_packet *p);
enum cap_result __wrap_cap_next(struct capture *c, struct cap_packet *p)
{
    if (told && quiet_at > 0 && at == quiet_at) {
        quiet_at = 0;
        return CAP_QUIET;
    }
    if (++at == 10 && tells)
        tell_sizes();
    return __real_cap_next(c, p);
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){1700000000 + clock_ms / 1000, clock_ms % 1000 * 1000000};
    return 0;
}

Test(live, packets_are_counted)
{
    opened = "acknowledges.pcap";
    COMMAND(0, 14, "14 packets captured, 7 dropped by the kernel\n", "-i lo");
    COMMAND(0, 14, "14 packets captured, 7 dropped by the kernel\n", "-i lo -f udp");
    COMMAND(0, 0, "14 packets captured, 7 dropped by the kernel\n", "-q -i lo");
    COMMAND(3, 0, "14 packets captured, 7 dropped by the kernel\n", "-q -i lo --fail-on=error");
    COMMAND(2, 0, "ibdissect: eth9: no such interface\n", "-q -i eth9");
    if (geteuid() == 0)
        COMMAND(2, 0, "ibdissect: --user no-such-user: there is no such user\n", "-q -i lo --user no-such-user");
}

/* Packets of an interface are printed and written as they come, those of files on demand. */
Test(live, packets_do_not_wait)
{
    static const char captured[] = "14 packets captured, 7 dropped by the kernel\n";
    char says[256];

    tells = true;
    opened = "acknowledges.pcap";
    COMMAND(0, 14, "threads 0\noutput has none\n", "acknowledges.pcap");
    COMMAND(0, 14, "threads 0\noutput has packets\n", "-l acknowledges.pcap");
    (void)snprintf(says, sizeof says, "threads 0\noutput has packets\n%s", captured);
    COMMAND(0, 14, says, "-i lo");
    COMMAND(0, 0, "threads 0\noutput has none\nfile has none\n", "-w %s acknowledges.pcap", command_in("w"));
    COMMAND(0, 0, "threads 0\noutput has none\nfile has packets\n", "-l -w %s acknowledges.pcap", command_in("w"));
    (void)unlink(command_in("w"));
    (void)snprintf(says, sizeof says, "threads 0\noutput has none\nfile has packets\n%s", captured);
    COMMAND(0, 0, says, "-i lo -w %s", command_in("w"));
}

/* Only --jobs and much of a gzip file need threads. */
Test(live, who_needs_threads)
{
    enum { MUCH = 60000 };
    char line[512];

    tells = true;
    COMMAND(0, 1, "threads 0\noutput has none\n", "-q --jobs 1 -z icrc -T json acknowledges.pcap");
    cr_expect_eq(command("-q --jobs 2 -z perf -T json acknowledges.pcap"), 0);
    cr_expect(strncmp(command_err, "threads 1\n", 10) == 0, "%s", command_err);
    command_capture("many", COMMAND_ETHERNET, NULL, MUCH);
    (void)snprintf(line, sizeof line, "gzip -1 '%s'", command_in("many"));
    cr_assert_eq(system(line), 0);
    cr_expect_eq(command("-q -c 1 acknowledges.pcap %s", command_in("many.gz")), 0);
    cr_expect(strncmp(command_err, "threads 1\n", 10) == 0, "%s", command_err);
}

/* Writes what the summaries in the folder count. */
static const char *intervals(void)
{
    static char text[4096];
    struct dirent **name;
    const int n = scandir(command_in("d"), &name, NULL, alphasort);
    size_t used = 0;

    cr_assert(n >= 0);
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "d/%s", name[i]->d_name);
        const char *counts =
            name[i]->d_name[0] == '.' ? NULL : strstr(command_file(path, NULL), "\"counts\":{\"packets\":");
        if (counts)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %lu\n", name[i]->d_name,
                                     strtoul(counts + 20, NULL, 10));
        free(name[i]);
    }
    free(name);
    return text;
}

/* Without packets, the clock ends an interval, a second late. A packet that comes later than that is in an interval of
 * its own. */
Test(live, the_clock_ends_intervals)
{
    static const uint32_t us[] = {0, 9000000, 9500000};
    static const struct {
        int64_t ms;
        const char *has;
    } rows[] = {
        {10999, "20231114T221320Z.json 3\n"},
        {11000, "20231114T221320Z.json 2\n20231114T221330Z.json 1\n"},
        {25000, "20231114T221320Z-1.json 1\n20231114T221320Z.json 2\n"},
    };
    char line[512];

    command_capture("x", COMMAND_ETHERNET, us, 3);
    static char path[512];
    (void)snprintf(path, sizeof path, "%s", command_in("x")); /* the test has more paths than command_in() keeps */
    opened = path;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        quiet_at = 2;
        clock_ms = rows[i].ms;
        COMMAND(0, 0, "3 packets captured, 7 dropped by the kernel\n", "-q -i lo --every 10 --summary %s",
                command_in("d"));
        cr_expect_str_eq(intervals(), rows[i].has, "%lld: %s", (long long)rows[i].ms, intervals());
        (void)snprintf(line, sizeof line, "rm -r '%s'", command_in("d"));
        cr_assert_eq(system(line), 0);
    }
}
