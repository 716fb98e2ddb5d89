/* SPDX-License-Identifier: BSD-2-Clause */
/* The program ibfabric: its console, its captures, its rules, what ends it, and its exit codes. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "ibsim.h"
#include "mad/iba_mad.h"

extern char **environ;

static char folder[64], name[32];
static const char net[] = "Switch 4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\nHca 1 \"A\"\nHca 1 \"B\"\n";

struct running {
    pid_t pid;
    int to, from, faults; /* its standard input, output and error */
    char said[1 << 16], complained[1024];
};

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void begin(void)
{
    (void)snprintf(folder, sizeof folder, "%s/fabric-XXXXXX", P_tmpdir);
    (void)snprintf(name, sizeof name, "program-%d", (int)getpid());
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    FILE *f = fopen("net", "w");
    cr_assert(f && fputs(net, f) >= 0 && fclose(f) == 0);
}

static pid_t children[4]; /* those that run */

static void end(void)
{
    for (unsigned i = 0; i < 4; i++) /* a test failed before they ended */
        if (children[i])
            (void)kill(children[i], SIGKILL);
    (void)unlink("net");
    (void)unlink("pcapng");
    cr_assert(chdir("/") == 0 && rmdir(folder) == 0);
}

/* Starts ibfabric with these words; NULL ends them. */
static void start(struct running *r, ...)
{
    static char path[4096];
    char *argv[16] = {path};
    posix_spawn_file_actions_t a;
    int in[2], out[2], err[2], n = 1;
    va_list args;

    (void)snprintf(path, sizeof path, "%s", getenv("IBPROOF_FABRIC"));
    va_start(args, r);
    while ((argv[n] = va_arg(args, char *)) != NULL)
        n++;
    va_end(args);
    cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    cr_assert_eq(posix_spawn_file_actions_init(&a), 0);
    (void)posix_spawn_file_actions_adddup2(&a, in[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&a, out[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_adddup2(&a, err[1], STDERR_FILENO);
    *r = (struct running){.to = in[1], .from = out[0], .faults = err[0]};
    cr_assert_eq(posix_spawn(&r->pid, path, &a, NULL, argv, environ), 0, "%s", path);
    (void)posix_spawn_file_actions_destroy(&a);
    for (n = 0; children[n];)
        n++;
    children[n] = r->pid;
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(err[1]);
}

static void say(const struct running *r, const char *text)
{
    cr_assert_eq(write(r->to, text, strlen(text)), (ssize_t)strlen(text));
}

static void collect(int fd, char *text, size_t room)
{
    size_t n = strlen(text);
    ssize_t got;

    while (n < room - 1 && (got = read(fd, text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    (void)close(fd);
}

/* Ends its input; waits for its end. Returns its exit code, or less than 0. */
static int ended(struct running *r)
{
    int status;

    if (r->to >= 0)
        (void)close(r->to);
    collect(r->from, r->said, sizeof r->said);
    collect(r->faults, r->complained, sizeof r->complained);
    cr_assert_eq(waitpid(r->pid, &status, 0), r->pid);
    for (unsigned i = 0; i < 4; i++)
        children[i] = children[i] == r->pid ? 0 : children[i];
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Reads from its standard error until the text has come. */
static void wait_for(struct running *r, const char *text)
{
    size_t n = 0;
    ssize_t got;

    while (!strstr(r->complained, text) &&
           (got = read(r->faults, r->complained + n, sizeof r->complained - 1 - n)) > 0) {
        n += (size_t)got;
        r->complained[n] = '\0';
    }
    cr_assert(strstr(r->complained, text), "%s", r->complained);
}

Test(program, a_console, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    char greeting[100];

    start(&r, "net", "--console", "--sim", name, NULL);
    say(&r, "port A 1\nsend A 1 2\n\nsend A 1 x\nquit\nnodes\n");
    cr_expect_eq(ended(&r), 0, "%s", r.complained);
    cr_expect(begins(r.said, "state\tInit\nphysical\t5\n"), "links are up before the first command");
    cr_expect(strstr(r.said, "\n\nA\t1\nlost\n\nerror: the number is none, or too large\n\n") ||
                  strstr(r.said, "\n\nlost\n\nerror: the number is none, or too large\n\n"),
              "%s", r.said);
    cr_expect(!strstr(r.said, "adapter"), "nothing after quit");
    (void)snprintf(greeting, sizeof greeting, "ibfabric: 3 nodes, serving %s\n", name);
    cr_expect_str_eq(r.complained, greeting);
    start(&r, "net", "--console", "--sim", name, "--credits", "80", NULL);
    say(&r, "credits A 1\n");
    cr_expect_eq(ended(&r), 0, "its end ends the program");
    cr_expect(begins(r.said, "lane\tsent\tlimit\tcredits\twaiting\tbuffer\theld\n0\t0\t80\t80\t0\t80\t0\n"), "%s",
              r.said);
}

/* A line longer than 1023 bytes is cut. */
Test(program, long_lines, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    char line[2000];

    memset(line, 'x', sizeof line);
    line[sizeof line - 2] = '\n';
    line[sizeof line - 1] = '\0';
    start(&r, "net", "--console", "--sim", name, NULL);
    say(&r, line);
    memset(line, ' ', 1018);
    (void)snprintf(line + 1018, sizeof line - 1018, "nodes\n");
    say(&r, line);
    memset(line, ' ', 1019);
    (void)snprintf(line + 1019, sizeof line - 1019, "nodes\n");
    say(&r, line);
    cr_expect_eq(ended(&r), 0);
    cr_expect(begins(r.said, "error: no such command; see help\n\nS\tswitch\t4\t"), "%s", r.said);
    cr_expect(strstr(r.said, "\n\nerror: no such command; see help\n\n"), "the last letter is cut: %s", r.said);
}

Test(program, rules, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    static char first[100];
    size_t rows = 0;

    start(&r, "--rules", NULL);
    cr_expect_eq(ended(&r), 0);
    for (const char *line = r.said; *line; line = strchr(line, '\n') + 1, rows++) {
        const char *tab = strchr(line, '\t'), *dot = strchr(line, '.');
        cr_assert(tab && dot && dot < tab && strchr(line, '\n'), "TABLE.ROW, a tab");
        cr_assert(strchr(tab + 1, '\t') && strchr(tab + 1, '\t') < strchr(line, '\n'), "a sentence, a tab, a clause");
    }
    cr_expect_gt(rows, 100);
    cr_expect_str_eq(r.complained, "");
    cr_expect(strstr(r.said, "\nagent.key_for_get\t"));
    /* the last row can be broken, too */
    const char *last = r.said + strlen(r.said) - 1;
    while (last[-1] != '\n')
        last--;
    (void)snprintf(first, sizeof first, "%.*s", (int)(strchr(last, '\t') - last), last);
    start(&r, "net", "--mutant", first, "--console", "--sim", name, NULL);
    cr_expect_eq(ended(&r), 0, "%s: %s", first, r.complained);
}

/* Each node lacks a row: without node.no_key they power up with a key. */
Test(program, mutants, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;

    start(&r, "net", "--mutant", "node.no_key", "--console", "--sim", name, NULL);
    say(&r, "port A 1\n");
    cr_expect_eq(ended(&r), 0, "%s", r.complained);
    cr_expect(strstr(r.said, "\nm_key\t0x") && !strstr(r.said, "\nm_key\t0x0000000000000000\n"), "%s", r.said);
    start(&r, "net", "--mutant", "node.no_keys", "--sim", name, NULL);
    cr_expect_eq(ended(&r), 2);
    cr_expect_str_eq(r.complained, "ibfabric: --mutant node.no_keys: no such row; ibfabric --rules lists them\n");
}

Test(program, what_cannot_be_used, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    static struct running first;
    char want[200];

    start(&r, "--udp", "7", "net", NULL);
    cr_expect_eq(ended(&r), 2);
    cr_expect_str_eq(r.complained, "ibfabric: --udp 7: want a port, 1024 to 65000\n");
    start(&r, "absent", NULL);
    cr_expect_eq(ended(&r), 2);
    cr_expect_str_eq(r.complained, "ibfabric: absent: No such file or directory\n");
    start(&r, "net", "--sim", name, "--pcap", "absent/x", NULL);
    cr_expect_eq(ended(&r), 4);
    cr_expect_str_eq(r.complained, "ibfabric: absent/x: No such file or directory\n");
    start(&r, "net", "--sim", name, "--pcap", "/dev/full", "--console", NULL);
    say(&r, "nodes\n");
    cr_expect_eq(ended(&r), 4, "the capture cannot be written");
    cr_expect(strstr(r.complained, "ibfabric: /dev/full: No space left on device\n"), "%s", r.complained);
    start(&first, "net", "--sim", name, NULL);
    wait_for(&first, "serving");
    start(&r, "net", "--sim", name, NULL);
    cr_expect_eq(ended(&r), 4);
    (void)snprintf(want, sizeof want, "ibfabric: --sim %s: another program serves this name; choose another one\n",
                   name);
    cr_expect_str_eq(r.complained, want);
    (void)close(first.to);
    first.to = -1;
    struct pollfd p = {.fd = first.from, .events = POLLIN};
    cr_expect_eq(poll(&p, 1, 20), 0, "without a console the end of its input does not end it");
    cr_expect_eq(kill(first.pid, SIGTERM), 0);
    cr_expect_eq(ended(&first), 0, "a signal ends it");
}

/* The topology comes from the standard input. Links that count credits exchange flow-control packets at once. */
Test(program, a_capture, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    struct stat bare, with_credits;

    start(&r, "-", "--sim", name, "--pcap", "pcapng", NULL);
    say(&r, net);
    (void)close(r.to);
    r.to = -1;
    wait_for(&r, "3 nodes, serving");
    cr_expect_eq(kill(r.pid, SIGINT), 0);
    cr_expect_eq(ended(&r), 0);
    cr_assert_eq(stat("pcapng", &bare), 0);
    start(&r, "net", "--console", "--sim", name, "--credits", "80", "--pcap", "pcapng", NULL);
    say(&r, "nodes\n");
    (void)poll(&(struct pollfd){.fd = r.from, .events = POLLIN}, 1, 5000);
    cr_assert_eq(stat("pcapng", &with_credits), 0);
    cr_expect_gt(with_credits.st_size, bare.st_size + 4 * 8 * 6, "it is written after each command");
    cr_expect_eq(ended(&r), 0, "%s", r.complained);
}

/* ---- programs at the subnet ---- */

enum { HOPS_AT = 7, PATH_AT = 128, NODE_INFO = 0x11, PERMISSIVE = 0xffff };

/* A Get(NodeInfo) by a directed route over these ports. */
static void directed(uint8_t *mad, uint8_t hops, uint8_t first, uint8_t second)
{
    memset(mad, 0, IBA_MAD_BYTES);
    memcpy(mad, (const uint8_t[]){1, IBA_CLASS_DIRECTED, 1, IBA_METHOD_GET}, 4);
    mad[HOPS_AT] = hops;
    mad[PATH_AT + 1] = first;
    mad[PATH_AT + 2] = second;
    iba_madhdr_set_transactionid(mad, 77);
    iba_madhdr_set_attributeid(mad, NODE_INFO);
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, PERMISSIVE);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, PERMISSIVE);
}

static uint64_t ms_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int asks(int fd, int agent, uint8_t hops, uint8_t first, uint8_t second, unsigned *status, uint8_t *type)
{
    union {
        struct ib_user_mad u;
        uint8_t bytes[sizeof(struct ib_user_mad) + IBA_MAD_BYTES];
    } b = {0};
    int length = IBA_MAD_BYTES, got;

    b.u.addr.lid = htobe16(PERMISSIVE);
    directed(b.u.data, hops, first, second);
    cr_assert_eq(umad_send(fd, agent, &b, IBA_MAD_BYTES, 20, 2), 0);
    got = umad_recv(fd, &b, &length, 10000);
    *status = b.u.status;
    *type = (uint8_t)iba_nodeinfo_nodetype(b.u.data + 64);
    return got;
}

/* Over libibfabric-umad.so's protocol: an answer comes; a request without one comes back in three times 20 ms. */
Test(program, a_program_asks, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    unsigned status;
    uint64_t begun;
    uint8_t type;
    int fd, agent;

    cr_assert(setenv("IBFABRIC_SIM", name, 1) == 0 && unsetenv("IBFABRIC_NODE") == 0);
    start(&r, "net", "--sim", name, NULL);
    wait_for(&r, "serving");
    fd = umad_open_port(NULL, 0);
    cr_assert_gt(fd, 0, "%d", fd);
    agent = umad_register(fd, IBA_CLASS_DIRECTED, 1, 0, NULL);
    cr_assert_eq(agent, 0);
    cr_expect(asks(fd, agent, 1, 1, 0, &status, &type) == agent && status == 0 && type == 2, "the switch answers");
    cr_expect(asks(fd, agent, 2, 1, 2, &status, &type) == agent && status == 0 && type == 1, "the other adapter");
    begun = ms_now();
    cr_expect(asks(fd, agent, 2, 1, 4, &status, &type) == agent && status == ETIMEDOUT, "no cable is there");
    cr_expect_geq(ms_now() - begun, 60);
    cr_expect_eq(umad_close_port(fd), 0);
    cr_expect_eq(kill(r.pid, SIGHUP), 0);
    cr_expect_eq(ended(&r), 0);
}

static void exchange(int fd, uint16_t port, void *bytes, size_t n)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};

    cr_assert_eq(sendto(fd, bytes, n, 0, (const struct sockaddr *)&to, sizeof to), (ssize_t)n);
    cr_assert_eq(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 10000), 1, "no answer");
    cr_assert_eq(recv(fd, bytes, n, 0), (ssize_t)n);
}

/* Over ibsim's protocol, by UDP. */
Test(program, udp, .init = begin, .fini = end, .timeout = 30)
{
    static struct running r;
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct ibsim_ctl m = {IBSIM_MAGIC, 0, IBSIM_CONNECT, IBSIM_CTL_DATA, {0}};
    struct ibsim_request q = {.dlid = htons(PERMISSIVE), .slid = htons(PERMISSIVE), .length = htobe64(IBSIM_MAD)};
    socklen_t len = sizeof own;
    uint16_t port = 0;
    char text[8];

    for (unsigned i = 0; i < 20 && !port; i++) {
        const uint16_t next = (uint16_t)(33000 + ((unsigned)getpid() * 16 + i * 37) % 20000);
        (void)snprintf(text, sizeof text, "%u", next);
        start(&r, "net", "--udp", text, NULL);
        if (poll(&(struct pollfd){.fd = r.faults, .events = POLLIN}, 1, 10000) == 1 &&
            read(r.faults, r.complained, sizeof r.complained - 1) > 0 && strstr(r.complained, "serving UDP\n"))
            port = next;
        else
            (void)ended(&r);
    }
    cr_assert(port, "%s", r.complained);
    cr_expect_str_eq(r.complained, "ibfabric: 3 nodes, serving UDP\n");
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert(bind(fd, (struct sockaddr *)&own, sizeof own) == 0 &&
              getsockname(fd, (struct sockaddr *)&own, &len) == 0);
    const struct ibsim_connect d = {.id = ntohs(own.sin_port), .node = "B"};
    memcpy(m.data, &d, sizeof d);
    exchange(fd, port, &m, sizeof m);
    cr_expect_eq(m.type, IBSIM_CONNECT);
    directed(q.mad, 1, 1, 0);
    exchange(fd, (uint16_t)(port + 1), &q, sizeof q);
    cr_expect(q.status == 0 && iba_nodeinfo_nodetype(q.mad + 64) == 2, "the switch answers");
    directed(q.mad, 2, 1, 4);
    exchange(fd, (uint16_t)(port + 1), &q, sizeof q);
    cr_expect_eq(ntohl(q.status), ETIMEDOUT);
    (void)close(fd);
    cr_expect_eq(kill(r.pid, SIGTERM), 0);
    cr_expect_eq(ended(&r), 0);
}
