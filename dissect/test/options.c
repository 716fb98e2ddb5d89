/* SPDX-License-Identifier: BSD-2-Clause */
#include "../options.h"
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include "command.h"

TestSuite(options, .init = command_begin, .fini = command_end);

enum { TEXT = 2048 };

static struct options opt;
static char told[TEXT];

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    const size_t n = strlen(told);
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(told + n, sizeof told - n, format, ap);
    va_end(ap);
}

static void tell_text(const char *name, const char *value)
{
    if (value)
        tell(" %s=%s", name, value);
}

static void tell_number(const char *name, uint64_t value, uint64_t usual)
{
    if (value != usual)
        tell(" %s=%llu", name, (unsigned long long)value);
}

static void tell_set(const char *name, bool value)
{
    if (value)
        tell(" %s", name);
}

static void tell_edge(const char *name, const struct window_edge *e)
{
    if (e->set)
        tell(" %s=%s%llu", name, e->after_first ? "+" : "", (unsigned long long)e->ns);
}

static void tell_print(void)
{
    const struct print_opts *p = &opt.print;

    for (size_t i = 0; i < p->n_field; i++)
        tell(" e=%s", p->field[i]->name);
    tell_number("separator", (unsigned char)p->separator, '\t');
    tell_number("aggregator", (unsigned char)p->aggregator, ',');
    tell_number("quote", (unsigned char)p->quote, 0);
    tell_number("occurrence", (unsigned char)p->occurrence, 'a');
    tell_set("header", p->header);
    tell_set("hex", p->hex);
    tell_set("color", p->color);
    tell_set("sources", p->sources);
    tell_number("time", p->time, STAMP_RELATIVE);
}

static void tell_decoding(void)
{
    for (unsigned i = 0; i < 16; i++)
        if (opt.user_link[i] != IBA_LINK_NONE)
            tell(" user%u=%u", i, opt.user_link[i]);
    for (size_t i = 0; i < opt.n_service; i++)
        tell(" service=%llx,%u", (unsigned long long)opt.service[i].service_id, opt.service[i].upper);
    for (unsigned i = 0; i < IBA_MAX_QPS && opt.view.qp[i].holds != IBA_HOLDS_UNKNOWN; i++)
        tell(" qp=%x,%u", opt.view.qp[i].qpn, opt.view.qp[i].holds);
    for (unsigned i = 0; i < IBA_MAX_PORTS && opt.view.port[i]; i++)
        tell(" port=%u", opt.view.port[i]);
    tell_set("dc", opt.view.dc);
    tell_number("mtu", opt.pmtu, 0);
}

/* Writes down all that is not as without options. */
static void tell_all(void)
{
    told[0] = '\0';
    if (strcmp(opt.printer->name, "text") != 0)
        tell_text("form", opt.printer->name);
    tell_print();
    tell_decoding();
    for (size_t i = 0; i < opt.n_file; i++)
        tell_text("file", opt.file[i]);
    tell_text("iface", opt.iface);
    tell_text("bpf", opt.bpf);
    tell_text("user", opt.user);
    tell_set("filter", opt.filter != NULL);
    tell_number("count", opt.count, 0);
    tell_edge("from", &opt.window.from);
    tell_edge("to", &opt.window.to);
    if (opt.sample.one_in)
        tell(" sample=%u,%llu", opt.sample.one_in, (unsigned long long)opt.sample.seed);
    for (size_t i = 0; i < opt.n_stat; i++)
        tell_text("z", opt.stat[i].kind->name);
    tell_set("quiet", opt.quiet);
    tell_set("lines", opt.line_buffered);
    tell_set("unchecked", !opt.check_crc);
    tell_set("hold", opt.hold);
    tell_set("unjudged", !opt.judge);
    if (opt.fail_on != IBA_SEVERITY_NONE)
        tell_text("fail", iba_severity_name(opt.fail_on));
    tell_set("anyway", opt.print_anyway);
    tell_set("no-sandbox", opt.no_sandbox);
    tell_number("jobs", opt.jobs, 0);
    tell_text("w", opt.write_path);
    tell_text("report", opt.report_path);
    tell_text("summary", opt.summary_path);
    tell_number("every", opt.every_s, 0);
    tell_text("metrics", opt.metrics_path);
    tell_text("rows", opt.rows);
    tell_text("host", opt.host);
}

static int parse(const char *line)
{
    static char text[TEXT], *words[COMMAND_WORDS];
    bool done;

    cr_assert_lt((size_t)snprintf(text, sizeof text, "%s", line), sizeof text);
    const int n = command_words(text, words);
    optind = 0;
    return options_parse(&opt, n, words, &done);
}

/* Each command line, and the options that it sets. */
static const struct {
    const char *line, *sets;
} set_by[] = {
    {"a", " file=a"},
    {"-r a -r b", " sources file=a file=b"},
    {"a -", " sources file=a file=-"},
    {"-i lo -f udp --user nobody", " iface=lo bpf=udp user=nobody"},
    {"a -Y infiniband", " file=a filter"},
    {"a -Y udp -Y infiniband", " file=a filter"},
    {"a -c 1", " file=a count=1"},
    {"a -c 4294967295", " file=a count=4294967295"},
    {"a -n -x -l -P", " hex file=a lines anyway"},
    {"a -V", " form=tree file=a"},
    {"a -2", " file=a hold"},
    {"a -q", " file=a quiet unjudged"},
    {"a -T json", " form=json file=a"},
    {"a -T ek -T pdml", " form=pdml file=a"},
    {"a -T fields -e frame.number -e bth.psn", " form=fields e=frame.number e=infiniband.bth.psn file=a unjudged"},
    {"a -T jsonl -e infiniband.analysis", " form=jsonl e=infiniband.analysis file=a"},
    {"a -T json -e infiniband.mad.response_in", " form=json e=infiniband.mad.response_in file=a hold"},
    {"a -E header=y", " header file=a"},
    {"a -E header=y -E header=n", " file=a"},
    {"a -E separator=;", " separator=59 file=a"},
    {"a -E separator=/s", " separator=32 file=a"},
    {"a -E separator=; -E separator=/t", " file=a"},
    {"a -E separator=/", " separator=47 file=a"},
    {"a -E separator=/x", " separator=120 file=a"},
    {"a -E aggregator=;", " aggregator=59 file=a"},
    {"a -E aggregator=/s", " aggregator=32 file=a"},
    {"a -E quote=d", " quote=34 file=a"},
    {"a -E quote=s", " quote=39 file=a"},
    {"a -E quote=d -E quote=n", " file=a"},
    {"a -E occurrence=f", " occurrence=102 file=a"},
    {"a -E occurrence=l", " occurrence=108 file=a"},
    {"a -E occurrence=l -E occurrence=a", " file=a"},
    {"a -t a", " time=1 file=a"},
    {"a -t ad", " time=2 file=a"},
    {"a -t d", " time=3 file=a"},
    {"a -t dd", " time=3 file=a"},
    {"a -t e", " time=4 file=a"},
    {"a -t u", " time=5 file=a"},
    {"a -t ud", " time=6 file=a"},
    {"a -t ud -t r", " file=a"},
    {"a -w x", " file=a quiet w=x"},
    {"a -w x -P", " file=a anyway w=x"},
    {"a -w x -o analysis:off", " file=a quiet unjudged w=x"},
    {"a -z icrc -z opcode,tree", " file=a z=icrc z=opcode,tree"},
    {"a -q -z icrc", " file=a z=icrc quiet unjudged"},
    {"a -q -z expert", " file=a z=expert quiet"},
    {"a -o icrc:off", " file=a unchecked"},
    {"a -o icrc:off -o icrc:on", " file=a"},
    {"a -o analysis:off", " file=a unjudged"},
    {"a -o analysis:off -o analysis:on", " file=a"},
    {"a -o infiniband.rroce.port:1 --port 65535", " port=1 port=65535 file=a"},
    {"a -d udp.port==4000,infiniband -d udp.port==0005000,infiniband", " port=4000 port=5000 file=a"},
    {"a -d infiniband.bth.service==RD,dc", " dc file=a"},
    {"a --color=always", " color file=a"},
    {"a --color=always --color=never", " file=a"},
    {"a --color=always --color", " file=a"},
    {"a --fail-on=note -q", " file=a quiet fail=note"},
    {"a --fail-on warn -q", " file=a quiet fail=warn"},
    {"a --fail-on error -q -Y udp", " file=a filter quiet hold fail=error"},
    {"a --from 7.5", " file=a from=7500000000"},
    {"a --to +2", " file=a to=+2000000000"},
    {"a --mtu 256", " mtu=256 file=a"},
    {"a --mtu 4096", " mtu=4096 file=a"},
    {"a --sample 1", " file=a sample=1,0"},
    {"a --sample 4294967295,18446744073709551615", " file=a sample=4294967295,18446744073709551615"},
    {"a --jobs 1", " file=a jobs=1"},
    {"a --jobs 64", " file=a jobs=64"},
    {"a -q --report x", " file=a quiet report=x"},
    {"a -q --summary x --host h", " file=a quiet summary=x host=h"},
    {"a -q --rows x --host h", " file=a quiet rows=x host=h"},
    {"a -q --metrics x", " file=a quiet metrics=x"},
    {"a --every 1 --summary x", " file=a summary=x every=1"},
    {"a --every 86400 --metrics x", " file=a every=86400 metrics=x"},
    {"a --no-sandbox", " file=a no-sandbox"},
    {"a --met x", " file=a metrics=x"},
};

Test(options, what_each_sets)
{
    for (size_t i = 0; i < sizeof set_by / sizeof *set_by; i++) {
        cr_expect_eq(parse(set_by[i].line), EXIT_OK, "%s", set_by[i].line);
        tell_all();
        cr_expect_str_eq(told, set_by[i].sets, "%s: %s", set_by[i].line, told);
        options_free(&opt);
    }
}

/* -d user N: the numbers are those of enum iba_link in core/wire/iba_view.h. */
Test(options, what_a_user_link_type_holds)
{
    static const struct {
        const char *line, *sets;
    } rows[] = {
        {"a -d user0,infiniband", " user0=2 file=a"},
        {"a -d user15,infiniband_link", " user15=3 file=a"},
        {"a -d user7,eth", " user7=1 file=a"},
        {"a -d user10,ip -d user10,erf -d user11,ip", " user10=7 user11=4 file=a"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(parse(rows[i].line), EXIT_OK, "%s", rows[i].line);
        tell_all();
        cr_expect_str_eq(told, rows[i].sets, "%s: %s", rows[i].line, told);
        options_free(&opt);
    }
}

Test(options, what_a_queue_pair_or_a_service_holds)
{
    static const struct {
        const char *name;
        enum iba_holds holds;
    } qps[] = {{"mad", IBA_HOLDS_MAD}, {"ipoib", IBA_HOLDS_IPOIB}, {"tm", IBA_HOLDS_TM}, {"data", IBA_HOLDS_DATA}};
    static const struct {
        const char *name;
        enum iba_upper upper;
    } services[] = {{"sdp", IBA_UPPER_SDP},
                    {"ipoib", IBA_UPPER_IPOIB},
                    {"srp", IBA_UPPER_SRP},
                    {"iser", IBA_UPPER_ISER},
                    {"lnet", IBA_UPPER_LNET},
                    {"nvme-rdma", IBA_UPPER_NVME},
                    {"smb_direct", IBA_UPPER_SMB_DIRECT},
                    {"rpcordma", IBA_UPPER_RPC}};
    char line[TEXT] = "a", wants[TEXT] = "";
    size_t n = 1, m = 0;

    for (unsigned i = 0; i < sizeof services / sizeof *services; i++) {
        n += (size_t)snprintf(line + n, sizeof line - n, " -d infiniband.cm.serviceid==0x%x,%s", 0xa0 + i,
                              services[i].name);
        m += (size_t)snprintf(wants + m, sizeof wants - m, " service=%x,%u", 0xa0 + i, services[i].upper);
    }
    for (unsigned i = 0; i < sizeof qps / sizeof *qps; i++) {
        n += (size_t)snprintf(line + n, sizeof line - n, " -d qp==%u,%s", 0xfffffc + i, qps[i].name);
        m += (size_t)snprintf(wants + m, sizeof wants - m, " qp=%x,%u", 0xfffffc + i, qps[i].holds);
    }
    cr_expect_eq(parse(line), EXIT_OK);
    tell_all();
    (void)snprintf(wants + m, sizeof wants - m, " file=a");
    cr_expect_str_eq(told, wants, "%s", told);
    options_free(&opt);
}

#define DECODE                                                                                                         \
    ": want udp.port==N,infiniband or user0..15,infiniband|infiniband_link|eth|ip|erf or "                             \
    "infiniband.bth.service==RD,dc or infiniband.cm.serviceid==ID,PROTOCOL or qp==N,mad|ipoib|tm|data"
#define QP ": want qp==N,mad|ipoib|tm|data, N below 0x1000000"
#define SERVICE ": want ID,PROTOCOL, 64 of them at most"
#define PORT ": want a UDP port, 1 to 65535"
#define COUNT ": want a number of packets, 1 or more"
#define MTU ": want 256, 512, 1024, 2048 or 4096"
#define JOBS ": want a number of threads, 1 to 64"
#define SAMPLE ": want N or N,SEED: 1 in N pairs of hosts, N from 1 on"
#define EVERY ": want a number of seconds, 1 to 86400"
#define TIME ": want a time: 2026-11-25T23:00:00 (with Z: UTC), 1764111600.5, or +10 (s after the first packet)"
#define PREFERENCE ": no such preference; there are: icrc:on|off analysis:on|off infiniband.rroce.port:N"

static const struct {
    const char *line, *says;
    int code;
} refused[] = {
    {"", "no capture named; try ibdissect FILE, or --help", 1},
    {"a -T yaml", "-T: no form \"yaml\"; there are: text tree fields json jsonl ek pdml", 1},
    {"a -T psml", "-T: no form \"psml\"; -T text has the columns, -T pdml the XML", 1},
    {"a -t x", "-t: no time format \"x\" (tcpdump's -tttt is ad); there are: r a ad d dd e u ud", 1},
    {"a -e infiniband.bth.pns", "-e: no field \"infiniband.bth.pns\"; nearest is \"infiniband.bth.psn\"", 1},
    {"a -E header", "-E header: want key=value", 1},
    {"a -E header=", "-E header=: want y or n", 1},
    {"a -E heade=y", "-E heade=y: no such key; there are: header separator aggregator occurrence quote", 1},
    {"a -E headed=y", "-E headed=y: no such key; there are: header separator aggregator occurrence quote", 1},
    {"a -E quota=d", "-E quota=d: no such key; there are: header separator aggregator occurrence quote", 1},
    {"a -E quot=d", "-E quot=d: no such key; there are: header separator aggregator occurrence quote", 1},
    {"a -E quote=", "-E quote=: want one of dsn", 1},
    {"a -E quote=x", "-E quote=x: want one of dsn", 1},
    {"a -E occurrence=z", "-E occurrence=z: want one of fla", 1},
    {"a -E separator=", "-E separator=: want a character", 1},
    {"a -E aggregator=", "-E aggregator=: want a character", 1},
    {"a --port 0", "--port 0" PORT, 1},
    {"a --port 65536", "--port 65536" PORT, 1},
    {"a --port +1", "--port +1" PORT, 1},
    {"a --port 4791x", "--port 4791x" PORT, 1},
    {"a --port x", "--port x" PORT, 1},
    {"a -o infiniband.rroce.port:", "--port " PORT, 1},
    {"a -o infiniband.rroce.porT:1", "-o infiniband.rroce.porT:1" PREFERENCE, 1},
    {"a -o icrc:maybe", "-o icrc:maybe" PREFERENCE, 1},
    {"a -o analysis:", "-o analysis:" PREFERENCE, 1},
    {"a -d udp.port==4000", "-d udp.port==4000" DECODE, 1},
    {"a -d udp.port==,infiniband", "-d udp.port==,infiniband" DECODE, 1},
    {"a -d udp.port==00005000,infiniband", "-d udp.port==00005000,infiniband" DECODE, 1},
    {"a -d udp.port==5000,roce", "-d udp.port==5000,roce" DECODE, 1},
    {"a -d tcp.port==5000,infiniband", "-d tcp.port==5000,infiniband" DECODE, 1},
    {"a -d udp.port==0,infiniband", "--port 0" PORT, 1},
    {"a -d user16,infiniband", "-d user16,infiniband" DECODE, 1},
    {"a -d user,infiniband", "-d user,infiniband" DECODE, 1},
    {"a -d user00000001,infiniband", "-d user00000001,infiniband" DECODE, 1},
    {"a -d user1,roce", "-d user1,roce" DECODE, 1},
    {"a -d usex1,infiniband", "-d usex1,infiniband" DECODE, 1},
    {"a -d infiniband.bth.service==RD", "-d infiniband.bth.service==RD" DECODE, 1},
    {"a -d qp==0x1000000,mad", "-d qp==0x1000000,mad" QP, 1},
    {"a -d qp==7", "-d qp==7" QP, 1},
    {"a -d qp==7x,mad", "-d qp==7x,mad" QP, 1},
    {"a -d qp==,mad", "-d qp==,mad" QP, 1},
    {"a -d qp==-1,mad", "-d qp==-1,mad" QP, 1},
    {"a -d qp==7,nvme", "-d qp==7,nvme" QP, 1},
    {"a -d infiniband.cm.serviceid==1", "-d infiniband.cm.serviceid==1" SERVICE, 1},
    {"a -d infiniband.cm.serviceid==,srp", "-d infiniband.cm.serviceid==,srp" SERVICE, 1},
    {"a -d infiniband.cm.serviceid==-1,srp", "-d infiniband.cm.serviceid==-1,srp" SERVICE, 1},
    {"a -d infiniband.cm.serviceid==0x10000000000000000,srp",
     "-d infiniband.cm.serviceid==0x10000000000000000,srp" SERVICE, 1},
    {"a -d infiniband.cm.serviceid==1,nfs",
     "-d infiniband.cm.serviceid==1,nfs: want srp, iser, nvme-rdma, rpcordma, smb_direct, sdp, ipoib or lnet", 1},
    {"a --color=sometimes", "--color=sometimes: want auto, always or never", 1},
    {"a -Y infiniband.bth.pns", "-Y: column 1: no field \"infiniband.bth.pns\"; nearest is \"infiniband.bth.psn\"", 2},
    {"a -c 0", "-c 0" COUNT, 1},
    {"a -c 4294967296", "-c 4294967296" COUNT, 1},
    {"a -c 1.5", "-c 1.5" COUNT, 1},
    {"a --from noon", "--from noon" TIME, 1},
    {"a --to +-1", "--to +-1" TIME, 1},
    {"a --mtu 128", "--mtu 128" MTU, 1},
    {"a --mtu 300", "--mtu 300" MTU, 1},
    {"a --mtu 8192", "--mtu 8192" MTU, 1},
    {"a --mtu 99999999999999999999", "--mtu 99999999999999999999" MTU, 1},
    {"a --jobs 0", "--jobs 0" JOBS, 1},
    {"a --jobs 65", "--jobs 65" JOBS, 1},
    {"a --sample 0", "--sample 0" SAMPLE, 1},
    {"a --sample 4294967296", "--sample 4294967296" SAMPLE, 1},
    {"a --sample ,1", "--sample ,1" SAMPLE, 1},
    {"a --sample 2,", "--sample 2," SAMPLE, 1},
    {"a --sample 2,x", "--sample 2,x" SAMPLE, 1},
    {"a --sample 2,18446744073709551616", "--sample 2,18446744073709551616" SAMPLE, 1},
    {"a --every 0 --metrics x", "--every 0" EVERY, 1},
    {"a --every 86401 --metrics x", "--every 86401" EVERY, 1},
    {"a --fail-on=worse", "--fail-on=worse: want note, warn or error", 1},
    {"a --fail-on=none", "--fail-on=none: want note, warn or error", 1},
    {"-i lo -i any", "-i any: there is -i lo before it; one interface is captured, or any", 1},
    {"-i lo a", "-i and files do not go together", 1},
    {"a -f udp", "-f is a capture filter and needs -i; for files there is -Y", 1},
    {"a --user me", "--user is for -i: files are read as the user who starts the program", 1},
    {"a --from +2 --to +2", "--from is not before --to: no packet could be read", 1},
    {"a -T fields", "-T fields needs at least one -e FIELD; -G fields lists them", 1},
    {"a -e frame.number", "-e goes with -T fields, json, jsonl or ek", 1},
    {"a udp", "udp: no such file; a filter follows -Y: -Y 'udp'", 1},
    {"a --host h", "--host names the captures in a summary: it needs --summary FILE or --rows DIR", 1},
    {"a --summary x -c 1", "--summary sums up whole captures: -Y, -c, --from and --to do not go with it", 1},
    {"a --rows x --from +1", "--rows sums up whole captures: -Y, -c, --from and --to do not go with it", 1},
    {"a --metrics x -Y udp", "--metrics sums up whole captures: -Y, -c, --from and --to do not go with it", 1},
    {"a --metrics -", "--metrics writes a file, which other programs read while it is renewed: not -", 1},
    {"a --every 1", "--every SECONDS needs --summary DIR, a folder for the summaries, or --metrics FILE", 1},
    {"a --every 1 --summary -", "--every SECONDS needs --summary DIR, a folder for the summaries, or --metrics FILE",
     1},
    {"a --every 1 --metrics x -z icrc",
     "--every forgets what it has written: -z, --report and --rows do not go with it", 1},
    {"a --every 1 --metrics x -2", "--every does not go with -2, nor with fields that later packets determine", 1},
    {"a -z nonsense", "-z nonsense: no such statistic; -z help lists all", 1},
    {"-G nonsense", "-G: no list \"nonsense\"; there are: fields values opcodes findings statistics", 1},
    {"a -k", "no option -k; see ibdissect --help", 1},
    {"a -D", "no option -D: dumpcap -D lists the interfaces; -i NAME captures from one", 1},
    {"a -xu", "no option -u: -t r, a, ad, e, u, ud and d choose the time", 1},
    {"a -X", "no option -X: there are no scripts; pipe -T jsonl into one", 1},
    {"a -a", "no option -a: capture with dumpcap, and pipe it: dumpcap -w - ... | ibdissect -", 1},
    {"a --print", "no option --print: -P prints packets that -w writes", 1},
    {"a --hexdump=all", "no option --hexdump: -x prints the bytes", 1},
    {"a --merge", "no option --merge: the command is: ibdissect merge SUMMARY...", 1},
    {"a --xost h", "no option --xost; did you mean --host?", 1},
    {"a --reprot x", "no option --reprot; did you mean --report?", 1},
    {"a --r x", "--r may be --report or --rows", 1},
    {"a --m=256", "--m may be --mtu or --metrics", 1},
    {"a --hoxtxy h", "no option --hoxtxy; see ibdissect --help", 1},
    {"a --nonsense", "no option --nonsense; see ibdissect --help", 1},
    {"a --=x", "no option --; see ibdissect --help", 1},
    {"a --version=1", "--version=1: takes no value", 1},
    {"a --report", "--report: wants a value; see ibdissect --help", 1},
    {"a -Y", "-Y: wants a value; see ibdissect --help", 1},
};

/* Each line is refused with one line that says why. */
Test(options, what_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char wants[1024];
        (void)snprintf(wants, sizeof wants, "ibdissect: %s\n", refused[i].says);
        cr_expect_eq(command("%s", refused[i].line), refused[i].code, "%s", refused[i].line);
        cr_expect_str_eq(command_err, wants, "%s: %s", refused[i].line, command_err);
        cr_expect_str_eq(command_out, "", "%s", refused[i].line);
    }
}

/* How often an option may be repeated: its text, the most, and what one more says. */
Test(options, tables_have_an_end)
{
    static const struct {
        const char *word;
        unsigned most;
        const char *says;
    } rows[] = {
        {" a", 64, "more than 64 files"},
        {" --port 5000", 8, "--port: more than 8 ports"},
        {" -d qp==7,data", 16, "-d qp==: more than 16 of them"},
        {" -d infiniband.cm.serviceid==1,srp", 64,
         "-d infiniband.cm.serviceid==1,srp: want ID,PROTOCOL, 64 of them at most"},
        {" -z icrc", 32, "-z: more than 32 statistics"},
        {" -e frame.number", 1024, "-e: more than 1024 fields"},
    };
    static char line[COMMAND_TEXT], wants[256];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned more = 0; more < 2; more++) {
            strcpy(line, " -d infiniband.bth.service==RD,dc"); /* beside the ports */
            for (unsigned k = 0; k < rows[i].most + more; k++)
                strcat(line, rows[i].word);
            (void)snprintf(wants, sizeof wants, "ibdissect: %s\n",
                           more ? rows[i].says : "-f is a capture filter and needs -i; for files there is -Y");
            cr_expect_eq(command("%s -f udp", line), EXIT_USAGE, "%s", rows[i].word);
            cr_expect_str_eq(command_err, wants, "%s", command_err);
        }
}

Test(options, help_version_and_lists)
{
    cr_expect_eq(command("-h"), EXIT_OK);
    cr_expect(strncmp(command_out, "ibdissect - decode and judge InfiniBand", 39) == 0);
    cr_expect(strstr(command_out, "\nExamples\n  ibdissect trace.pcap\n"), "the last part of the text is there, too");
    char *help = strdup(command_out);
    cr_expect_eq(command("--help none"), EXIT_OK);
    cr_expect_str_eq(command_out, help);
    free(help);
    cr_expect_eq(command("-v"), EXIT_OK);
    cr_expect(strncmp(command_out, "ibdissect ", 10) == 0 && command_out[10] >= '0' && command_out[10] <= '9');
    cr_expect(strstr(command_out, "\nsandbox: "), "%s", command_out);
    char *version = strdup(command_out);
    cr_expect_eq(command("--version"), EXIT_OK);
    cr_expect_str_eq(command_out, version);
    free(version);
    cr_expect_eq(command("-z help"), EXIT_OK);
    cr_expect(strstr(command_out, "-z icrc"), "%s", command_out);
    char *statistics = strdup(command_out);
    cr_expect_eq(command("-G statistics"), EXIT_OK);
    cr_expect_str_eq(command_out, statistics);
    free(statistics);
    cr_expect_str_eq(command_err, "");
    command_to = open("/dev/full", O_WRONLY | O_CLOEXEC);
    cr_expect_eq(command("-G fields"), EXIT_INPUT);
    cr_expect_str_eq(command_err, "ibdissect: standard output: No space left on device\n");
}
