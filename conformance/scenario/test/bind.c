/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a play: values, variables, repeats, alternatives, objects. */
#include "load.h"
#include "scenario/expr.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

static uint64_t number(const char *s, bool time)
{
    struct ibc_number n;

    cr_assert(ibc_expr(s, time, &n), "%s: %s", s, n.why);
    return n.negative ? (uint64_t) - (int64_t)n.n : n.n;
}

static const char *no_number(const char *s, bool time)
{
    struct ibc_number n;

    return ibc_expr(s, time, &n) ? "is one" : n.why;
}

Test(bind, sums_and_products)
{
    cr_expect_eq(number("12", false), 12);
    cr_expect_eq(number("0x0C", false), 12);
    cr_expect_eq(number("010", false), 10);
    cr_expect_eq(number("64KiB", false), 65536);
    cr_expect_eq(number("2MiB", false), 2097152);
    cr_expect_eq(number("2+3*4", false), 14);
    cr_expect_eq(number("2*3+4", false), 10);
    cr_expect_eq(number("7/2*2", false), 6);
    cr_expect_eq(number("10-2-3", false), 5);
    cr_expect_eq(number("1-2+3", false), 2);
    cr_expect_eq(number("1KiB*2-1", false), 2047);
    cr_expect_eq(number("-3+1", false), (uint64_t)-2);
    cr_expect_eq(number("+5", false), 5);
    cr_expect_eq(number("0xffffffffffffffff", false), UINT64_MAX);
    cr_expect_eq(number("10us", true), 10000);
    cr_expect_eq(number("1.5ms", true), 1500000);
    cr_expect_eq(number("1.123456789s", true), 1123456789);
    cr_expect_eq(number("1.9999999999s", true), 1999999999); /* a fraction of a nanosecond is cut off */
    cr_expect_eq(number("0.000000001s", true), 1);
    cr_expect_eq(number("0.25us", true), 250);
    cr_expect_eq(number("2s", true), 2000000000);
    cr_expect_eq(number("3ns", true), 3);
    cr_expect_eq(number("2*10us+5ns", true), 20005);
    cr_expect_eq(number("0", true), 0);
}

Test(bind, what_is_no_number)
{
    static const char *const bad[] = {"", "x", "1x", "0x", "1+", "*2", "1++2", "1.5", "1 2", "(1)", "1kib", "--1", "+"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_str_neq(no_number(bad[i], false), "is one", "%s", bad[i]);
    cr_expect_str_eq(no_number("0x10000000000000000", false), "more than 64 bits");
    cr_expect_str_eq(no_number("0xffffffffffffffff+1", false), "more than 64 bits");
    cr_expect_str_eq(no_number("0x100000000*0x100000000", false), "more than 64 bits");
    cr_expect_str_eq(no_number("1/0", false), "division by 0");
    cr_expect_str_eq(no_number("5", true), "a time ends in ns, us, ms or s");
    cr_expect_str_eq(no_number("5KiB", true), "a time ends in ns, us, ms or s");
}

static struct ibc_value value_of(const char *line)
{
    char text[400];
    struct ibc_scenario *s;
    struct ibc_play *p;
    struct ibc_value v;

    sprintf(text, "%sgroup g\nmw w\nqp a\n%s\nhealth\n", HEAD, line);
    p = play_of(text, &s);
    v = p->n_step > 1 ? p->step[0].arg[0].v[0] : p->object[p->n_object - 1].arg[0].v[0];
    done(p, s);
    return v;
}

static void is(const char *line, uint8_t kind, uint64_t n, uint64_t hi)
{
    const struct ibc_value v = value_of(line);

    cr_expect(v.kind == kind && v.n == n && v.hi == hi, "%s: kind %u, n 0x%llx, hi 0x%llx", line, v.kind,
              (unsigned long long)v.n, (unsigned long long)v.hi);
}

static void refers(const char *line, uint16_t object, uint8_t attr, char op, uint64_t n)
{
    const struct ibc_value v = value_of(line);

    cr_expect(v.kind == IBC_V_REF && v.object == object && v.attr == attr && v.op == op && v.n == n,
              "%s: kind %u, object %u, attr %u, op %d, n %llu", line, v.kind, v.object, v.attr, v.op,
              (unsigned long long)v.n);
}

Test(bind, values_have_kinds)
{
    is("< a ANY psn=5", IBC_V_NUMBER, 5, 0);
    is("< a ANY psn=+5", IBC_V_RELATIVE, 5, 0);
    is("< a ANY psn=-1", IBC_V_RELATIVE, (uint64_t)-1, 0);
    is("< a ANY psn=+0", IBC_V_RELATIVE, 0, 0);
    is("< a ANY psn=1..0x10", IBC_V_RANGE, 1, 16);
    is("< a ANY psn=any", IBC_V_ANY, 0, 0);
    is("< a ANY fill=x+100", IBC_V_PATTERN, 'x', 100);
    is("< a ANY payload=64", IBC_V_NUMBER, 64, 0);
    is("< a ANY within=1ms", IBC_V_TIME, 1000000, 0);
    is("a state rtr", IBC_V_NUMBER, IBA_QPS_RTR, 0);
    is("a modify without=av,qpn state=err", IBC_V_NUMBER, IBA_QPA_AV | IBA_QPA_DEST_QPN, 0);
    is("mr x access=local_write,remote_read", IBC_V_NUMBER, IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_READ, 0);
    is("counter rx +1..3", IBC_V_WORD, 0, 0);
    is("a silence 2ms", IBC_V_TIME, 2000000, 0);
    is("> a SEND_ONLY icrc=bad", IBC_V_WORD, IBA_CRC_BAD, 0);
    is("> a SEND_ONLY icrc=0x1234", IBC_V_NUMBER, 0x1234, 0);
    is("> a SEND_ONLY from=stranger", IBC_V_NUMBER, IBC_PARTY_stranger, 0);
    is("a completion status=flushed", IBC_V_NUMBER, IBA_WC_FLUSHED, 0);
    is("event srq_limit", IBC_V_NUMBER, IBA_EVENT_SRQ_LIMIT, 0);
    is("a destroy error=any", IBC_V_ANY, 0, 0);
}

Test(bind, live_values_name_objects)
{
    refers("> a WRITE_ONLY va=m", 1, IBC_A_va, 0, 0);
    refers("> a WRITE_ONLY va=m+100", 1, IBC_A_va, '+', 100);
    refers("> a WRITE_ONLY va=m.va-2*2", 1, IBC_A_va, '-', 4);
    refers("> a WRITE_ONLY va=m+100-4", 1, IBC_A_va, '+', 96);
    refers("> a WRITE_ONLY rkey=w", 4, IBC_A_rkey, 0, 0);
    refers("> a WRITE_ONLY rkey=l.lkey^1", 2, IBC_A_lkey, '^', 1);
    refers("> a SEND_ONLY destqp=a^1", 5, IBC_A_qpn, '^', 1);
    refers("> a SEND_ONLY psn=a.epsn+1", 5, IBC_A_epsn, '+', 1);
    refers("> a UD_SEND_ONLY srcqp=a.peer", 5, IBC_A_peer, 0, 0);
    refers("> a SEND_ONLY dgid=g", 3, IBC_A_ITSELF, 0, 0);
    refers("> a SEND_ONLY to=g", 3, IBC_A_ITSELF, 0, 0);
    refers("qp b peer=a", 5, IBC_A_ITSELF, 0, 0);
}

Test(bind, alternatives_and_negation)
{
    struct ibc_scenario *s;
    struct ibc_play *p =
        play_of(HEAD "qp a\n< a ANY psn=+1|5..9|any msn=!3\na completions send=1\ncounter rx +1|+3\n", &s);
    const struct ibc_arg *psn = &p->step[0].arg[0], *msn = &p->step[0].arg[1];

    cr_expect_eq(psn->n, 3);
    cr_expect(psn->v[0].kind == IBC_V_RELATIVE && psn->v[1].kind == IBC_V_RANGE && psn->v[2].kind == IBC_V_ANY);
    cr_expect(msn->n == 1 && msn->v[0].negated && msn->v[0].n == 3);
    cr_expect_eq(p->step[2].arg[1].n, 2);
    done(p, s);
}

Test(bind, splices_and_lists)
{
    struct ibc_scenario *s;
    struct ibc_play *p =
        play_of(HEAD "qp a\n> a SEND_ONLY poke=4:00ff poke=0x10:01 remove=2:3\na post READ sge=m+1:2 sge=5:6\n"
                     "port pkey[2]=0x8001 sl2vl[15]=1\n",
                &s);
    const struct ibc_arg *a = p->step[0].arg;

    cr_expect(a[0].at == 4 && a[0].v[0].n_bytes == 2 && a[0].v[0].bytes[1] == 0xff);
    cr_expect(a[1].key == IBC_K_poke && a[1].at == 16);
    cr_expect(a[2].at == 2 && a[2].v[0].n == 3);
    a = p->step[1].arg;
    cr_expect(p->step[1].op == IBA_WR_READ && a[0].v[0].kind == IBC_V_REF && a[0].at == 2);
    cr_expect(a[1].v[0].n == 5 && a[1].at == 6);
    a = p->step[2].arg;
    cr_expect(a[0].key == IBC_K_pkey && a[0].at == 2 && a[0].v[0].n == 0x8001 && a[1].at == 15);
    done(p, s);
}

Test(bind, every_combination_of_what_varies)
{
    char err[500];
    struct ibc_scenario *s = load_text("title t\nspec A\nrole both\nservice rc uc\nvary x 1 2 3\nvary y,z 4,x 5,y\n"
                                       "vary n $x*2+1\nqp a pmtu=$n\n> a SEND_ONLY psn=$x fill=$z payload=$n*2+$y\n",
                                       err);
    static const char *const variations[] = {"x=1 y=4 z=x n=3", "x=1 y=5 z=y n=3", "x=2 y=4 z=x n=5",
                                             "x=2 y=5 z=y n=5", "x=3 y=4 z=x n=7", "x=3 y=5 z=y n=7"};

    cr_assert_not_null(s, "%s", err);
    cr_expect_eq(s->n_variation, 6);
    cr_expect_eq(s->services, 1u << IBA_QPT_RC | 1u << IBA_QPT_UC);
    for (unsigned i = 0; i < 6; i++) {
        struct ibc_play *p = ibc_bind(s, i % 2 ? IBA_QPT_UC : IBA_QPT_RC, i);

        cr_expect_str_eq(p->variation, variations[i]);
        cr_expect_eq(p->step[0].op, i % 2 ? IBA_UC_SEND_ONLY : IBA_RC_SEND_ONLY);
        cr_expect_eq(p->step[0].arg[0].v[0].n, i / 2 + 1);
        cr_expect_eq(p->step[0].arg[2].v[0].n, (i / 2 + 1) * 4 + 2 + 4 + i % 2);
        cr_expect_eq(p->object[3].arg[0].v[0].n, (i / 2 + 1) * 2 + 1);
        ibc_play_free(p);
    }
    ibc_free(s);
}

Test(bind, a_variable_may_be_a_word_several_or_none)
{
    char err[500];
    struct ibc_scenario *s =
        load_text(HEAD "vary op SEND_ONLY WRITE_ONLY\nvary how \"se=1 ackreq=1\" \"\"\nvary f se tver\n"
                       "qp a\n> a $op $how bth.${f}=1 # none\n",
                  err);
    struct ibc_play *p;

    cr_expect_null(s);
    cr_expect_str_eq(err, "f.ibt:9:14: 'bth.se' is given twice (with op=SEND_ONLY how=se=1 ackreq=1 f=se)");
    s = load_text(HEAD "vary op SEND_ONLY WRITE_ONLY\nvary how \"se=1 ackreq=1\" \"\"\nvary f m tver\n"
                       "qp a\n> a $op $how bth.${f}=1 # none\n",
                  err);
    cr_assert_not_null(s, "%s", err);
    p = ibc_bind(s, IBA_QPT_RC, 0);
    cr_expect_eq(p->step[0].n_arg, 3);
    cr_expect_str_eq(p->step[0].text, "> a SEND_ONLY se=1 ackreq=1 bth.m=1");
    ibc_play_free(p);
    p = ibc_bind(s, IBA_QPT_RC, 7);
    cr_expect(p->step[0].n_arg == 1 && p->step[0].op == IBA_RC_WRITE_ONLY);
    cr_expect_str_eq(p->step[0].arg[0].name, "bth.tver");
    done(p, s);
}

Test(bind, repeats_count)
{
    struct ibc_scenario *s;
    struct ibc_play *p =
        play_of(HEAD "qp a\nrepeat 2\n> a SEND_ONLY psn=+$i\nrepeat 3\n> a SEND_ONLY psn=+$j*10+$i\nend\n"
                     "> a SEND_ONLY psn=-$i\nend\nrepeat 0\nhealth\nend\n",
                &s);
    static const int64_t psn[] = {0, 0, 1, 2, 0, 1, 10, 11, 12, -1};

    cr_assert_eq(p->n_step, 10);
    for (unsigned i = 0; i < 10; i++)
        cr_expect_eq((int64_t)p->step[i].arg[0].v[0].n, psn[i], "%u", i);
    cr_expect_str_eq(p->step[7].text, "> a SEND_ONLY psn=+1*10+1");
    cr_expect_eq(p->step[7].line, 9);
    done(p, s);
}

Test(bind, alternatives_hang_on_their_event)
{
    struct ibc_scenario *s;
    struct ibc_play *p = play_of(HEAD "qp a\n< a ANY\n| tolerated \"some do\" < a ACKNOWLEDGE\n| fail a silence 1s\n"
                                      "<? a ANY\n| a silence\n<* a ANY\n",
                                 &s);

    cr_assert_eq(p->n_step, 6);
    cr_expect(p->step[0].alternative == 1 && !p->step[0].is_alternative && p->step[0].says == IBC_SAYS_PASS);
    cr_expect(p->step[1].alternative == 2 && p->step[1].is_alternative && p->step[1].says == IBC_SAYS_TOLERATED);
    cr_expect_str_eq(p->step[1].why, "some do");
    cr_expect(p->step[2].alternative == 0 && p->step[2].says == IBC_SAYS_FAIL && p->step[2].kind == IBC_S_silence);
    cr_expect_null(p->step[2].why);
    cr_expect(p->step[3].many == '?' && p->step[3].alternative == 4 && p->step[4].says == IBC_SAYS_PASS);
    cr_expect(p->step[5].many == '*' && p->step[5].alternative == 0);
    done(p, s);
}

Test(bind, objects_are_made_where_they_stand)
{
    struct ibc_scenario *s;
    struct ibc_play *p = play_of(HEAD "mr r length=4KiB\nqp a type=ud\nwait 1s\nmw w type=2 error=any\nw free\n", &s);

    cr_assert_eq(p->n_object, 6);
    cr_expect(p->object[0].kind == IBC_O_pd && p->object[1].kind == IBC_O_mr && p->object[2].line == 0);
    cr_expect_str_eq(p->object[3].name, "r");
    cr_expect_eq(ibc_arg_n(p->object[3].arg, p->object[3].n_arg, IBC_K_length, 1), 4096);
    cr_expect_eq(ibc_arg_n(p->object[3].arg, p->object[3].n_arg, IBC_K_iova, 77), 77);
    cr_assert_eq(p->n_step, 3);
    cr_expect(p->step[1].kind == IBC_S_object && p->step[1].object == 5 && p->step[1].line == 8);
    cr_expect(p->step[1].arg == p->object[5].arg && p->step[1].n_arg == 2);
    cr_expect(p->step[2].kind == IBC_S_free && p->step[2].object == 5);
    done(p, s);
}

Test(bind, a_datagram_s_opcodes_are_its_service_s)
{
    struct ibc_scenario *s;
    struct ibc_play *p =
        play_of(HEAD "qp a\nqp u type=ud\nqp g type=gsi\nqp r type=raw-ipv6\n> a SEND_ONLY\n> u SEND_ONLY\n"
                     "> g SEND_ONLY_IMM\n> r RAW payload=4\n> a CNP_ROCE\n> a 0xff\n< a ANY\n",
                &s);
    static const uint16_t op[] = {
        IBA_RC_SEND_ONLY, IBA_UD_SEND_ONLY, IBA_UD_SEND_ONLY_IMM, IBC_RAW_OPCODE, IBA_CNP_ROCE, 0xff, IBC_ANY_OPCODE};

    for (unsigned i = 0; i < 7; i++)
        cr_expect_eq(p->step[i].op, op[i]);
    done(p, s);
}

Test(bind, the_head_is_kept)
{
    char err[500];
    struct ibc_scenario *s =
        load_text("# what\n\ntitle  a \"b\" c   # comment\nspec A B\nspec C\nclass security\nrole verbs\n"
                  "service rc ud\nlink roce1 ib-local\nneeds rc odp\ncovers x/y z\nnote one\nnote two\nhazard it "
                  "burns\nhazard and smokes\n"
                  "see 9.7\nwait 1s\n",
                  err);

    cr_assert_not_null(s, "%s", err);
    cr_expect_str_eq(s->title, "a \"b\" c");
    cr_expect(s->n_spec == 3 && strcmp(s->spec[2], "C") == 0);
    cr_expect(s->spec_at[1].line == 4 && s->spec_at[1].column == 8 && s->spec_at[2].line == 5);
    cr_expect(s->klass == IBC_CLASS_security && s->role == IBC_ROLE_verbs);
    cr_expect_eq(s->links, 1u << IBC_LINK_roce1 | 1u << IBC_LINK_ib_local);
    cr_expect_eq(s->needs, UINT64_C(1) << IBC_CAP_rc | UINT64_C(1) << IBC_CAP_odp);
    cr_expect_str_eq(s->note, "one\ntwo");
    cr_expect_str_eq(s->hazard, "it burns\nand smokes");
    cr_expect(s->n_covers == 2 && s->n_see == 1 && s->n_variation == 1);
    ibc_free(s);
}

Test(bind, patterns_differ)
{
    for (char a = 'a'; a <= 'z'; a++)
        for (char b = (char)(a + 1); b <= 'z'; b++) {
            unsigned same = 0;

            for (uint64_t i = 0; i < 4096; i++)
                same += ibc_pattern(a, i) == ibc_pattern(b, i);
            cr_expect_lt(same, 4096 / 32, "%c %c", a, b);
        }
    for (unsigned shift = 1; shift < 300; shift++) { /* a pattern does not repeat itself either */
        unsigned same = 0;

        for (uint64_t i = 0; i < 4096; i++)
            same += ibc_pattern('p', i) == ibc_pattern('p', i + shift);
        cr_expect_lt(same, 4096 / 32);
    }
    cr_expect_eq(ibc_pattern('p', 0), ibc_pattern('p', 0));
}

static const char *const fruit[] = {"apple", "banana", "cherry", ""};

static const char *fruit_name(size_t i, const void *unused)
{
    (void)unused;
    return fruit[i];
}

Test(bind, the_nearest_name)
{
    cr_expect_str_eq(ibc_nearest("aple", fruit_name, 4, NULL), "apple");
    cr_expect_str_eq(ibc_nearest("bnanaa", fruit_name, 4, NULL), "banana");
    cr_expect_str_eq(ibc_nearest("chrery", fruit_name, 4, NULL), "cherry");
    cr_expect_null(ibc_nearest("x", fruit_name, 4, NULL));
    cr_expect_null(ibc_nearest("zzzzzz", fruit_name, 4, NULL));
    cr_expect_null(ibc_nearest("", fruit_name, 4, NULL));
    cr_expect_null(ibc_nearest("a-word-that-is-far-too-long-to-be-compared-with-any-other", fruit_name, 4, NULL));
}
