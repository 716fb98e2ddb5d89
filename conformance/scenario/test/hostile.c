/* SPDX-License-Identifier: BSD-2-Clause */
/* Random texts: each text loads, or fails with one line of error message that names the place. */
#include "load.h"
#include <stdlib.h>
#include <time.h>

enum { TEXTS = 100000, ROOM = 8192 };

/* Lines of all kinds that the sample scenarios lack. */
static const char everything[] =
    "title t\nspec A\nrole middle\nservice rc ud\nneeds rc\nlink roce1\nvary a 1 2\nvary b,c 3,4 5,6\nnote n\n"
    "pd p\nmr r length=4096 pd=p access=local_write,remote_read\nmw w type=2\ncq k\nsrq s recv=2\ngroup g\n"
    "qp q pmtu=$a epsn=$b+$c scq=k rcq=k srq=s access=none\nqp u type=ud\n"
    "> q 0x04 psn=+$a bth.fecn=1 payload=hex:0011 insert=4:00 remove=1:2 poke=3:ff repair icrc=bad as=x after=1us\n"
    "> u UD_SEND_ONLY to=g qkey=5 dgid=fe80::1 ip.src=1.2.3.4 ecn=ce via=roce2-ipv4-vlan\n"
    "< q ANY psn=+0|1..3 msn=!4 same=x within=1ms\n| tolerated \"why not\" < u 0x64 fill=p+4\n| fail q silence 1ms\n"
    "q post WRITE sge=r+4:5 to=0x1000 rkey=1 error=any\nq completion status=success|flushed bytes=5\n"
    "q modify state=rtr without=av,qpn only\nmemory r+4 u64=5\nwrite r+8 hex:00\npage r absent\nport pkey[1]=0x8001\n"
    "repeat 3\nrepeat $a\ncounter rx +$i\nwait 1.5ms*$j\nend\nend\nattach u g\nk arm solicited\ns limit 2\nscore qpns "
    "n=4\n";

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static const char alphabet[] = "abcdiqu0159 \n\t=+-*/.,:|!$#\"[]{}<>?_^%\x01\x7f\xc3";
static const char *const pieces[] = {"$i",
                                     "$a",
                                     "repeat 4096\n",
                                     "end\n",
                                     "qp a\n",
                                     "hex:",
                                     "99999999999999999999",
                                     "0x",
                                     "..",
                                     "|",
                                     "\"",
                                     "m.va",
                                     "any",
                                     "psn=",
                                     "KiB",
                                     "1/0",
                                     "payload=",
                                     "=",
                                     "access=none",
                                     "> q ",
                                     "vary z 1 2 3\n",
                                     "title"};

static size_t change(char *text, size_t len)
{
    const size_t at = len == 0 ? 0 : below((unsigned)len), n = len - at;
    const size_t cut = n == 0 ? 0 : below((unsigned)(n < 60 ? n : 60) + 1);
    const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
    const size_t more = strlen(piece);

    switch (below(6)) {
    case 0: return at; /* cut short */
    case 1: memmove(text + at, text + at + cut, n - cut); return len - cut;
    case 2:
    case 3:
        if (len + more > ROOM)
            return len;
        memmove(text + at + more, text + at, n);
        memcpy(text + at, piece, more);
        return len + more;
    case 4:
        if (len + cut > ROOM)
            return len;
        memmove(text + at + cut, text + at, n); /* said twice */
        return len + cut;
    default:
        if (len > 0)
            text[at] = alphabet[below(sizeof alphabet - 1)];
        return len;
    }
}

static bool one_line(const char *err)
{
    return strncmp(err, "f.ibt:", 6) == 0 && strlen(err) > 8 && strpbrk(err, "\n\r\t") == NULL;
}

static void load_and_play(const char *text, size_t len, unsigned *loaded)
{
    char err[500] = "";
    char *exact = malloc(len + (len == 0)); /* the sanitizer detects a read after the text */
    struct ibc_scenario *s;

    memcpy(exact, text, len);
    s = ibc_load_text(exact, len, "f.ibt", "f", err, sizeof err);
    free(exact);
    if (s == NULL) {
        cr_assert(one_line(err), "'%s' of: %.*s", err, (int)len, text);
        return;
    }
    (*loaded)++;
    for (unsigned service = 0; service < IBA_QPT_COUNT; service++)
        if ((s->services >> service & 1) != 0)
            ibc_play_free(ibc_bind(s, (enum iba_qp_type)service, s->n_variation - 1));
    ibc_free(s);
}

static size_t sample(char *text, unsigned which)
{
    FILE *f;
    size_t n;

    if (which == 0) {
        memcpy(text, everything, sizeof everything - 1);
        return sizeof everything - 1;
    }
    f = fopen(IBPROOF_SOURCE_DIR "/conformance/scenarios/rc/responder/psn-gap-one-nak.ibt", "r");
    cr_assert_not_null(f);
    n = fread(text, 1, ROOM, f);
    fclose(f);
    return n;
}

Test(hostile, changed_samples_load_or_say_why)
{
    char base[2][ROOM], text[ROOM];
    const size_t n[2] = {sample(base[0], 0), sample(base[1], 1)};
    unsigned loaded = 0;

    load_and_play(base[0], n[0], &loaded);
    cr_assert_eq(loaded, 1, "the sample itself");
    for (unsigned i = 0; i < TEXTS; i++) {
        const unsigned which = below(2);
        size_t len = n[which];

        memcpy(text, base[which], len);
        for (unsigned k = below(3) + 1; k > 0; k--)
            len = change(text, len);
        load_and_play(text, len, &loaded);
    }
    cr_expect(loaded > TEXTS / 50 && loaded < TEXTS, "%u", loaded);
}

Test(hostile, every_beginning_of_a_sample)
{
    char text[ROOM];
    unsigned loaded = 0;

    for (unsigned which = 0; which < 2; which++)
        for (size_t n = sample(text, which), k = 0; k <= n; k++)
            load_and_play(text, k, &loaded);
    cr_expect_gt(loaded, 10);
}

Test(hostile, noise)
{
    char text[600];
    unsigned loaded = 0;

    for (unsigned i = 0; i < 20000; i++) {
        const unsigned n = below(sizeof text);

        for (unsigned k = 0; k < n; k++)
            text[k] = i % 2 ? (char)below(256) : alphabet[below(sizeof alphabet - 1)];
        load_and_play(text, n, &loaded);
    }
    cr_expect_eq(loaded, 0);
}

Test(hostile, the_longest_file_is_quick)
{
    static char text[64 * 1024];
    const char *head = "title t\nspec A\nrole both\nservice rc uc ud\nvary a 1 2 3 4 5 6 7 8\nvary b 1 2 3 4 5 6 7 8\n"
                       "vary c 1 2 3 4 5 6 7 8\nrepeat 4096\nrepeat $a*0+$b*0+$c*0\n";
    size_t n = strlen(head);
    const clock_t from = clock();
    unsigned loaded = 0;

    strcpy(text, head);
    while (n + 40 < sizeof text)
        n += (size_t)sprintf(text + n, "wait 1s\n");
    n += (size_t)sprintf(text + n, "end\nend\n");
    load_and_play(text, n, &loaded);
    cr_expect_lt((double)(clock() - from) / CLOCKS_PER_SEC, 5.0);
}
