/* SPDX-License-Identifier: BSD-2-Clause */
/* ibagent: the program that runs on the device under test. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "client.h"
#include "listen.h"
#include "options.h"
#include "system/confine.h"
#include "system/descriptors.h"
#include "system/privileges.h"
#include "system/signals.h"
#ifdef IBAGENT_VERBS
#include "verbs.h"
#endif

/* ---- the device ---- */

#ifdef IBAGENT_VERBS
static struct ibc_target *open_device(const struct options *o, char *err, size_t errlen)
{
    const struct ibc_verbs_options v = {
        .device = o->device, .port = o->port, .tester = o->tester, .stranger = o->stranger};

    return ibc_verbs_open(&v, err, errlen);
}

static const char *describe(const struct ibc_target *t)
{
    static char name[AG_TEXT];

    ibc_verbs_describe(t, name, sizeof name);
    return name;
}
#else
static const char *describe(const struct ibc_target *t)
{
    return t->ops->name;
}

static struct ibc_target *open_device(const struct options *o, char *err, size_t errlen)
{
    (void)o;
    (void)snprintf(err, errlen, "built without libibverbs: there is --engine only");
    return NULL;
}
#endif

static bool open_wires(struct ag_server *s, const struct options *o, char *err, size_t errlen)
{
    for (; s->n_wire < o->n_wire; s->n_wire++) {
        s->wire[s->n_wire] = ibc_wire_open(o->wire[s->n_wire], err, errlen);
        if (!s->wire[s->n_wire])
            return false;
    }
    return true;
}

/* ---- confinement ---- */

static bool is_unix(const char *spec)
{
    return spec && strncmp(spec, "unix:", strlen("unix:")) == 0;
}

/* Confines an agent that serves the engine, which needs only its open sockets, and removes their names at the end.
 * A real device needs its driver, so its agent is not confined. Root stays root if it uses sockets with names: the
 * names may be in a folder of another user. */
static void confine_engine(const struct ag_server *s, const struct options *o)
{
    bool named = is_unix(o->listen);
    struct confine c;

    if (!o->engine)
        return;
    if (o->no_sandbox) {
        (void)fputs("ibagent: --no-sandbox: requests and frames are read with all rights of this user\n", stderr);
        return;
    }
    (void)ag_boot();
    confine_begin(&c);
    if (named)
        confine_allow_folder_of(&c, o->listen + strlen("unix:"), CONFINE_RENAME);
    for (unsigned d = 0; d < s->n_wire; d++)
        if (is_unix(s->wire[d]->spec)) {
            named = true;
            confine_allow_folder_of(&c, s->wire[d]->own, CONFINE_RENAME);
        }
    privileges_leave(named ? PRIVILEGES_KEEP_FILES : PRIVILEGES_KEEP_NONE, NULL);
    (void)confine_end(&c, CONFINE_TALK | CONFINE_NAMES);
}

/* ---- service ---- */

static int serve(struct ag_server *s, const struct options *o)
{
    struct ag_listener l;
    char err[AG_SENTENCE], token[AG_TEXT];
    bool good;

    s->rivals = -1;
    if (!o->listen) {
        confine_engine(s, o);
        ag_serve_client(s, STDIN_FILENO, STDOUT_FILENO);
        return EXIT_OK;
    }
    if (o->token_file && !ag_read_token(token, o->token_file, err, sizeof err))
        return wrong(EXIT_WRONG, "%s", err);
    if (!o->token_file && !ag_random_token(token))
        return wrong(EXIT_BROKEN, "no random numbers to be had");
    good = ag_listen(&l, o->listen, err, sizeof err);
    if (good) {
        s->token = l.tcp ? token : NULL;
        fprintf(stderr, "ibagent: listening on %s%s%s\n", l.name, l.tcp && !o->token_file ? ", token " : "",
                l.tcp && !o->token_file ? token : "");
        confine_engine(s, o);
        ag_serve_listener(s, &l);
    }
    ag_listen_end(&l);
    return good ? EXIT_OK : wrong(EXIT_BROKEN, "%s", err);
}

static int open_and_serve(struct ag_server *s, const struct options *o)
{
    char err[AG_SENTENCE] = "";
    int code = EXIT_BROKEN;

    s->target = o->engine ? ibc_target_open(o->engine, err, sizeof err) : open_device(o, err, sizeof err);
    s->real_time = o->real_time;
    s->engine = o->engine != NULL;
    s->name = o->engine ? o->engine : s->target ? describe(s->target) : "";
    if (s->target && open_wires(s, o, err, sizeof err))
        code = serve(s, o);
    else
        (void)wrong(code, "%s", err);
    for (unsigned d = 0; d < s->n_wire; d++)
        ibc_wire_close(s->wire[d]);
    ibc_target_close(s->target);
    return code;
}

int main(int argc, char **argv)
{
    static struct ag_server server;
    struct options o = {0};
    bool done = false;
    const int code = descriptors_fill() ? read_options(&o, argc, argv, &done) : EXIT_BROKEN;

    if (done && fflush(stdout) != 0)
        return wrong(EXIT_BROKEN, "standard output: %s", strerror(errno));
    if (code != EXIT_OK || done)
        return code;
    (void)signal(SIGPIPE, SIG_IGN);
    if (!signals_mind(NULL))
        return wrong(EXIT_BROKEN, "no descriptors are left");
    return open_and_serve(&server, &o);
}
