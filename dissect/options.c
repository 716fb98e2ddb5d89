/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "elsewhere.h"
#include "field/distance.h"
#include "field/foreign.h"
#include "filter/filter.h"
#include "help.h"
#include "option_rows.h"
#include "options_check.h"
#include "seed.h"
#include "system/confine.h"
#include "system/text.h"

/* Reads a whole decimal number in [least, most]. */
static bool whole(const char *s, unsigned long least, unsigned long most, unsigned long *v)
{
    char *end;

    errno = 0;
    *v = strtoul(s, &end, 10);
    return *s >= '0' && *end == '\0' && errno == 0 && *v >= least && *v <= most;
}

static int add_file(struct options *opt, const char *path)
{
    if (opt->n_file == MAX_FILES)
        return options_wrong("more than %d files", MAX_FILES);
    opt->file[opt->n_file++] = path;
    return EXIT_OK;
}

static int add_field(struct options *opt, const char *name)
{
    const struct field *f = field_find(name);
    char what[256];

    if (!f) {
        field_unknown(what, sizeof what, name);
        return options_wrong("-e: %s", what);
    }
    if (opt->print.n_field == PRINT_MAX_FIELDS)
        return options_wrong("-e: more than %d fields", PRINT_MAX_FIELDS);
    opt->print.field[opt->print.n_field++] = f;
    return EXIT_OK;
}

static int set_printer(struct options *opt, const char *name)
{
    for (const struct printer *p = printers; p->name; p++)
        if (strcmp(p->name, name) == 0) {
            opt->printer = p;
            return EXIT_OK;
        }
    const char *instead = foreign_instead(name);
    return instead ? options_wrong("-T: no form \"%s\"; %s", name, instead)
                   : options_wrong("-T: no form \"%s\"; there are: text tree fields json jsonl ek pdml", name);
}

static int set_time(struct options *opt, const char *name)
{
    static const struct {
        const char *name;
        enum time_format format;
    } formats[] = {{"r", STAMP_RELATIVE}, {"a", STAMP_ABSOLUTE}, {"ad", STAMP_DATE}, {"d", STAMP_DELTA},
                   {"dd", STAMP_DELTA},   {"e", STAMP_EPOCH},    {"u", STAMP_UTC},   {"ud", STAMP_UTC_DATE}};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0) {
            opt->print.time = formats[i].format;
            return EXIT_OK;
        }
    return options_wrong("-t: no time format \"%s\" (tcpdump's -tttt is ad); there are: r a ad d dd e u ud", name);
}

/* -E key=value */
static int set_form(struct options *opt, const char *text)
{
    static const struct {
        const char *key;
        size_t to;           /* offset of a char in print_opts */
        const char *allowed; /* NULL: any character; /t is a tab, and /s a space */
    } keys[] = {
        {"separator", offsetof(struct print_opts, separator), NULL},
        {"aggregator", offsetof(struct print_opts, aggregator), NULL},
        {"quote", offsetof(struct print_opts, quote), "dsn"},
        {"occurrence", offsetof(struct print_opts, occurrence), "fla"},
    };
    const char *value = strchr(text, '=');

    if (!value)
        return options_wrong("-E %s: want key=value", text);
    const size_t n = (size_t)(value++ - text);
    if (n == strlen("header") && memcmp(text, "header", n) == 0) {
        opt->print.header = *value == 'y';
        return *value == 'y' || *value == 'n' ? EXIT_OK : options_wrong("-E %s: want y or n", text);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (n != strlen(keys[i].key) || memcmp(text, keys[i].key, n) != 0)
            continue;
        char c = *value;
        if (keys[i].allowed && (!c || !strchr(keys[i].allowed, c)))
            return options_wrong("-E %s: want one of %s", text, keys[i].allowed);
        if (keys[i].to == offsetof(struct print_opts, quote))
            c = c == 'd' ? '"' : c == 's' ? '\'' : '\0';
        else if (value[0] == '/' && value[1])
            c = value[1] == 't' ? '\t' : value[1] == 's' ? ' ' : value[1];
        else if (c == '\0')
            return options_wrong("-E %s: want a character", text);
        ((char *)&opt->print)[keys[i].to] = c;
        return EXIT_OK;
    }
    return options_wrong("-E %s: no such key; there are: header separator aggregator occurrence quote", text);
}

static int add_stat(struct options *opt, const char *text)
{
    char err[512];
    const char *arg = NULL;
    const struct stat_kind *kind = stat_find(text, &arg, err, sizeof err);
    void *state = kind ? kind->open(arg, err, sizeof err) : NULL;

    if (!state)
        return options_wrong("%s", err);
    if (opt->n_stat == MAX_STATS) {
        kind->close(state);
        return options_wrong("-z: more than %d statistics", MAX_STATS);
    }
    opt->stat[opt->n_stat++] = (struct run_stat){kind, state};
    return EXIT_OK;
}

static int add_port(struct options *opt, const char *text)
{
    unsigned long port;
    unsigned n = 0;

    if (!whole(text, 1, UINT16_MAX, &port))
        return options_wrong("--port %s: want a UDP port, 1 to 65535", text);
    while (n < IBA_MAX_PORTS && opt->view.port[n])
        n++;
    if (n == IBA_MAX_PORTS)
        return options_wrong("--port: more than %d ports", IBA_MAX_PORTS);
    opt->view.port[n] = (uint16_t)port;
    return EXIT_OK;
}

/* -d infiniband.cm.serviceid==ID,protocol */
static int add_service(struct options *opt, const char *text)
{
    static const struct {
        const char *name;
        enum iba_upper upper;
    } uppers[] = {{"sdp", IBA_UPPER_SDP},
                  {"ipoib", IBA_UPPER_IPOIB},
                  {"srp", IBA_UPPER_SRP},
                  {"iser", IBA_UPPER_ISER},
                  {"lnet", IBA_UPPER_LNET},
                  {"nvme-rdma", IBA_UPPER_NVME},
                  {"smb_direct", IBA_UPPER_SMB_DIRECT},
                  {"rpcordma", IBA_UPPER_RPC}};
    char *end;

    errno = 0;
    const unsigned long long id = strtoull(text, &end, 0);
    if (errno || end == text || *text == '-' || *end != ',' || opt->n_service == SERVICE_HINTS)
        return options_wrong("-d infiniband.cm.serviceid==%s: want ID,PROTOCOL, %d of them at most", text,
                             SERVICE_HINTS);
    for (size_t i = 0; i < sizeof uppers / sizeof *uppers; i++)
        if (strcmp(uppers[i].name, end + 1) == 0) {
            opt->service[opt->n_service++] = (struct service_hint){id, (uint8_t)uppers[i].upper};
            return EXIT_OK;
        }
    return options_wrong(
        "-d infiniband.cm.serviceid==%s: want srp, iser, nvme-rdma, rpcordma, smb_direct, sdp, ipoib or lnet", text);
}

/* -d qp==N,protocol */
static int add_qp(struct options *opt, const char *text)
{
    static const struct {
        const char *name;
        enum iba_holds holds;
    } protos[] = {{"mad", IBA_HOLDS_MAD}, {"ipoib", IBA_HOLDS_IPOIB}, {"tm", IBA_HOLDS_TM}, {"data", IBA_HOLDS_DATA}};
    enum { MOST_QPN = 0xffffff };
    unsigned at = 0;
    char *end;

    const unsigned long n = strtoul(text, &end, 0);
    while (at < IBA_MAX_QPS && opt->view.qp[at].holds != IBA_HOLDS_UNKNOWN)
        at++;
    if (at == IBA_MAX_QPS)
        return options_wrong("-d qp==: more than %d of them", IBA_MAX_QPS);
    for (size_t i = 0; *text >= '0' && n <= MOST_QPN && *end == ',' && i < sizeof protos / sizeof *protos; i++)
        if (strcmp(end + 1, protos[i].name) == 0) {
            opt->view.qp[at].qpn = (uint32_t)n;
            opt->view.qp[at].holds = (uint8_t)protos[i].holds;
            return EXIT_OK;
        }
    return options_wrong("-d qp==%s: want qp==N,mad|ipoib|tm|data, N below 0x1000000", text);
}

/* -d selector==value,protocol */
static int decode_as(struct options *opt, const char *text)
{
    static const struct {
        const char *name;
        enum iba_link link;
    } links[] = {{"infiniband", IBA_LINK_IB},
                 {"infiniband_link", IBA_LINK_IB_LINK},
                 {"eth", IBA_LINK_ETHERNET},
                 {"ip", IBA_LINK_IP},
                 {"erf", IBA_LINK_ERF}};
    static const char port[] = "udp.port==", user[] = "user", infiniband[] = ",infiniband";
    static const char service[] = "infiniband.cm.serviceid==", qp[] = "qp==";
    char number[8] = "";
    const char *comma = strchr(text, ',');
    const size_t head = comma ? (size_t)(comma - text) : 0;
    unsigned long n;

    if (strcmp(text, "infiniband.bth.service==RD,dc") == 0) {
        opt->view.dc = true;
        return EXIT_OK;
    }
    if (strncmp(text, service, sizeof service - 1) == 0)
        return add_service(opt, text + sizeof service - 1);
    if (strncmp(text, qp, sizeof qp - 1) == 0)
        return add_qp(opt, text + sizeof qp - 1);
    if (head > sizeof port - 1 && head - (sizeof port - 1) < sizeof number &&
        strncmp(text, port, sizeof port - 1) == 0 && strcmp(comma, infiniband) == 0) {
        memcpy(number, text + sizeof port - 1, head - (sizeof port - 1));
        return add_port(opt, number);
    }
    if (head > sizeof user - 1 && head - (sizeof user - 1) < sizeof number &&
        strncmp(text, user, sizeof user - 1) == 0) {
        memcpy(number, text + sizeof user - 1, head - (sizeof user - 1));
        for (size_t i = 0; whole(number, 0, 15, &n) && i < sizeof links / sizeof *links; i++)
            if (strcmp(links[i].name, comma + 1) == 0) {
                opt->user_link[n] = links[i].link;
                return EXIT_OK;
            }
    }
    return options_wrong(
        "-d %s: want udp.port==N,infiniband or user0..15,infiniband|infiniband_link|eth|ip|erf or "
        "infiniband.bth.service==RD,dc or infiniband.cm.serviceid==ID,PROTOCOL or qp==N,mad|ipoib|tm|data",
        text);
}

/* -o key:value */
static int set_preference(struct options *opt, const char *text)
{
    static const char port[] = "infiniband.rroce.port:";

    if (strncmp(text, port, sizeof port - 1) == 0)
        return add_port(opt, text + sizeof port - 1);
    if (strcmp(text, "icrc:off") == 0 || strcmp(text, "icrc:on") == 0) {
        opt->check_crc = strcmp(text, "icrc:on") == 0;
        return EXIT_OK;
    }
    if (strcmp(text, "analysis:off") == 0 || strcmp(text, "analysis:on") == 0) {
        opt->judge_printed = strcmp(text, "analysis:on") == 0;
        return EXIT_OK;
    }
    return options_wrong("-o %s: no such preference; there are: icrc:on|off analysis:on|off infiniband.rroce.port:N",
                         text);
}

static int set_color(struct options *opt, const char *when)
{
    const char *no = getenv("NO_COLOR");

    if (strcmp(when, "always") == 0)
        opt->print.color = true;
    else if (strcmp(when, "never") == 0)
        opt->print.color = false;
    else if (strcmp(when, "auto") == 0)
        opt->print.color = isatty(STDOUT_FILENO) && !(no && *no);
    else
        return options_wrong("--color=%s: want auto, always or never", when);
    return EXIT_OK;
}

static int set_filter(struct options *opt, const char *text)
{
    char err[512];

    filter_free(opt->filter);
    opt->filter = filter_compile(text, err, sizeof err);
    if (opt->filter)
        return EXIT_OK;
    (void)options_wrong("%s", err);
    return EXIT_INPUT;
}

static int set_count(struct options *opt, const char *text)
{
    unsigned long n;

    if (!whole(text, 1, UINT32_MAX, &n))
        return options_wrong("-c %s: want a number of packets, 1 or more", text);
    opt->count = n;
    return EXIT_OK;
}

static int set_edge(struct window_edge *e, const char *option, const char *text)
{
    if (!window_edge_parse(e, text))
        return options_wrong(
            "--%s %s: want a time: 2026-11-25T23:00:00 (with Z: UTC), 1764111600.5, or +10 (s after the first packet)",
            option, text);
    return EXIT_OK;
}

static int set_mtu(struct options *opt, const char *text)
{
    unsigned long n;

    if (!whole(text, 256, 4096, &n) || (n & (n - 1)) != 0)
        return options_wrong("--mtu %s: want 256, 512, 1024, 2048 or 4096", text);
    opt->pmtu = (uint32_t)n;
    return EXIT_OK;
}

static int set_jobs(struct options *opt, const char *text)
{
    enum { MOST = 64 };
    unsigned long n;

    if (!whole(text, 1, MOST, &n))
        return options_wrong("--jobs %s: want a number of threads, 1 to %d", text, MOST);
    opt->jobs = (unsigned)n;
    return EXIT_OK;
}

/* N or N,SEED */
static int set_sample(struct options *opt, const char *text)
{
    const char *comma = strchr(text, ',');
    char n[16] = "";
    unsigned long one_in, seed = 0;

    (void)snprintf(n, sizeof n, "%.*s", comma ? (int)(comma - text) : (int)strlen(text), text);
    if (!whole(n, 1, UINT32_MAX, &one_in) || (comma && !whole(comma + 1, 0, ULONG_MAX, &seed)))
        return options_wrong("--sample %s: want N or N,SEED: 1 in N pairs of hosts, N from 1 on", text);
    opt->sample = (struct sample){(uint32_t)one_in, seed};
    return EXIT_OK;
}

static int set_every(struct options *opt, const char *text)
{
    enum { DAY_S = 86400 };
    unsigned long n;

    if (!whole(text, 1, DAY_S, &n))
        return options_wrong("--every %s: want a number of seconds, 1 to %d", text, DAY_S);
    opt->every_s = (unsigned)n;
    return EXIT_OK;
}

static int set_fail_on(struct options *opt, const char *text)
{
    for (opt->fail_on = IBA_NOTE; opt->fail_on <= IBA_ERROR; opt->fail_on++)
        if (strcmp(text, iba_severity_name(opt->fail_on)) == 0)
            return EXIT_OK;
    return options_wrong("--fail-on=%s: want note, warn or error", text);
}

enum {
    AFTER_LETTERS = 255,
#define OPTION_ID(id, name, value, arg, what) OPT_##id,
    DISSECT_LONGS(OPTION_ID)
};
#define OPTION_LETTER(letter, arg, what) letter
static const char shorts[] = ":" DISSECT_LETTERS(OPTION_LETTER);

static int set_interface(struct options *opt, const char *arg)
{
    if (opt->iface)
        return options_wrong("-i %s: there is -i %s before it; one interface is captured, or any", arg, opt->iface);
    opt->iface = arg;
    return EXIT_OK;
}

static int one_option(struct options *opt, int c, const char *arg)
{
    switch (c) {
    case 'r': return add_file(opt, arg);
    case 'i': return set_interface(opt, arg);
    case 'f': opt->bpf = arg; return EXIT_OK;
    case 'Y': return set_filter(opt, arg);
    case 'c': return set_count(opt, arg);
    case 'n': return EXIT_OK; /* accepted for users of tshark, as names are never looked up */
    case 'V': return set_printer(opt, "tree");
    case 'x': opt->print.hex = true; return EXIT_OK;
    case 'l': opt->line_buffered = true; return EXIT_OK;
    case 'T': return set_printer(opt, arg);
    case 'e': return add_field(opt, arg);
    case 'E': return set_form(opt, arg);
    case 't': return set_time(opt, arg);
    case 'w': opt->write_path = arg; return EXIT_OK;
    case '2': opt->hold = true; return EXIT_OK;
    case 'P': opt->print_anyway = true; return EXIT_OK;
    case 'q': opt->quiet = true; return EXIT_OK;
    case 'z': return add_stat(opt, arg);
    case 'd': return decode_as(opt, arg);
    case 'o': return set_preference(opt, arg);
    case OPT_COLOR: return set_color(opt, arg ? arg : "auto");
    case OPT_FAIL_ON: return set_fail_on(opt, arg);
    case OPT_FROM: return set_edge(&opt->window.from, "from", arg);
    case OPT_TO: return set_edge(&opt->window.to, "to", arg);
    case OPT_MTU: return set_mtu(opt, arg);
    case OPT_PORT: return add_port(opt, arg);
    case OPT_REPORT: opt->report_path = arg; return EXIT_OK;
    case OPT_SUMMARY: opt->summary_path = arg; return EXIT_OK;
    case OPT_SAMPLE: return set_sample(opt, arg);
    case OPT_EVERY: return set_every(opt, arg);
    case OPT_METRICS: opt->metrics_path = arg; return EXIT_OK;
    case OPT_ROWS: opt->rows = arg; return EXIT_OK;
    case OPT_HOST: opt->host = arg; return EXIT_OK;
    case OPT_JOBS: return set_jobs(opt, arg);
    case OPT_USER: opt->user = arg; return EXIT_OK;
    case OPT_NO_SANDBOX: opt->no_sandbox = true; return EXIT_OK;
    default: return EXIT_USAGE; /* options_parse() has dealt with it */
    }
}

/* Prints a text; where it is NULL, the list of -G that `what` names. */
static int show(const char *what, const char *const *text)
{
    static struct out o;

    out_init(&o, STDOUT_FILENO);
    for (; text && *text; text++)
        out_str(&o, *text);
    if (what && !list_print(&o, what))
        return options_wrong("-G: no list \"%s\"; there are: fields values opcodes findings statistics", what);
    if (out_flush(&o) || o.error == EPIPE)
        return EXIT_OK;
    (void)options_wrong("standard output: %s", strerror(o.error));
    return EXIT_INPUT;
}

static const struct option longs[] = {
#define OPTION_LONG(id, name, value, arg, what) {name, value##_argument, NULL, OPT_##id},
    DISSECT_LONGS(OPTION_LONG){0}};

/* Reports a word that several options begin with, so that it is short for none of them. False: it is no such word. */
static bool is_ambiguous(const char *name)
{
    const char *first = NULL;

    for (const struct option *l = longs; strlen(name) > 2 && l->name; l++) {
        if (strncmp(name + 2, l->name, strlen(name) - 2) != 0)
            continue;
        if (first) {
            (void)options_wrong("%s may be --%s or --%s", name, first, l->name);
            return true;
        }
        first = l->name;
    }
    return false;
}

/* Reports an error of getopt_long(), which returned '?' or ':' for `word`, or for the letter optopt. */
static int bad_option(int got, const char *word)
{
    enum { SLIPS = 3 };
    const char *instead = elsewhere_of(optopt), *near = NULL;
    char name[64];
    unsigned least = SLIPS, d;

    if (got == ':' || optopt > AFTER_LETTERS)
        return options_wrong(got == ':' ? "%s: wants a value; see ibdissect --help" : "%s: takes no value", word);
    if (instead)
        return options_wrong("no option -%c: %s", optopt, instead);
    if (optopt)
        return options_wrong("no option -%c; see ibdissect --help", optopt);
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (is_ambiguous(name))
        return EXIT_USAGE;
    instead = elsewhere_called(strlen(name) > 2 ? name + 2 : "");
    if (instead)
        return options_wrong("no option %s: %s", name, instead);
    for (const struct option *l = longs; strlen(name) > 2 && l->name; l++)
        if ((d = name_distance(name + 2, l->name, false)) < least) {
            least = d;
            near = l->name;
        }
    return near ? options_wrong("no option %s; did you mean --%s?", name, near)
                : options_wrong("no option %s; see ibdissect --help", name);
}

int options_parse(struct options *opt, int argc, char **argv, bool *done)
{
    const char *const version[] = {"ibdissect " IBPROOF_VERSION "\nsandbox: ", confine_offer(), "\n", NULL};
    int c, rc = EXIT_OK;

    *opt = (struct options){.check_crc = true, .judge_printed = true, .printer = &printers[0]};
    opt->seed = seed_hashes(); /* before a statistic fills a table */
    opt->print = (struct print_opts){.separator = '\t', .aggregator = ',', .occurrence = 'a'};
    *done = false;
    (void)set_color(opt, "auto");
    while (rc == EXIT_OK && (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        *done = c == 'h' || c == OPT_HELP || c == 'v' || c == OPT_VERSION || c == 'G';
        if (c == 'G')
            return show(optarg, NULL);
        if (c == 'z' && strcmp(optarg, "help") == 0) {
            *done = true;
            return show("statistics", NULL);
        }
        if (c == '?' || c == ':')
            return bad_option(c, argv[optind - 1]);
        if (*done)
            return show(NULL, c == 'h' || c == OPT_HELP ? help_text : version);
        rc = one_option(opt, c, optarg);
    }
    for (; rc == EXIT_OK && optind < argc; optind++)
        rc = add_file(opt, argv[optind]);
    return rc != EXIT_OK ? rc : options_check(opt);
}

void options_free(struct options *opt)
{
    filter_free(opt->filter);
    for (size_t i = 0; i < opt->n_stat; i++)
        opt->stat[i].kind->close(opt->stat[i].state);
}
