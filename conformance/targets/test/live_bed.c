/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_bed.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Answers one line. False: the agent hangs up. */
static bool answer(struct live_bed *b, int fd, const char *line)
{
    static const char text[] = "text:";
    const bool hello = strstr(line, "\"do\":\"hello\"") != NULL, probe = strstr(line, "no_such_verb") != NULL;
    const char *rest = strchr(line, ','), *reply = hello ? b->hello : probe ? b->probe : b->reply;
    char out[4096];

    b->greetings += hello;
    if (!probe)
        (void)snprintf(b->asked, sizeof b->asked, "%s", rest ? rest + 1 : "");
    if (strcmp(reply, "close") == 0)
        return false;
    if (strncmp(reply, text, sizeof text - 1) == 0)
        (void)snprintf(out, sizeof out, "%s\n", reply + sizeof text - 1);
    else
        (void)snprintf(out, sizeof out, "%.*s,%s}\n", (int)strcspn(line, ","), line, reply);
    return !*reply || send(fd, out, strlen(out), MSG_NOSIGNAL) == (ssize_t)strlen(out);
}

static void *be_agent(void *ctx)
{
    struct live_bed *b = ctx;
    char *line = NULL;
    size_t room = 0;

    for (int fd; (fd = accept(b->listener, NULL, NULL)) >= 0;) {
        FILE *in = fdopen(fd, "r");
        while (in && getline(&line, &room, in) > 0 && answer(b, fd, line))
            ;
        (void)fclose(in);
    }
    free(line);
    return NULL;
}

struct live_bed *live_bed_new(void)
{
    struct live_bed *b = calloc(1, sizeof *b);
    static char folder[] = "live-XXXXXX", path[64], agent[80];
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    pthread_t thread;

    cr_assert(b && mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/agent", folder);
    (void)snprintf(agent, sizeof agent, "unix:%s", path);
    memcpy(a.sun_path, path, strlen(path));
    b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert(b->listener >= 0 && bind(b->listener, (const struct sockaddr *)&a, sizeof a) == 0);
    cr_assert_eq(listen(b->listener, 8), 0);
    b->o = (struct ibc_live){.agent = agent, .time_scale = 1};
    (void)snprintf(b->hello, sizeof b->hello, "%s", LIVE_BED_HELLO);
    (void)snprintf(b->probe, sizeof b->probe, "%s", LIVE_BED_UNSUPPORTED);
    cr_assert_eq(pthread_create(&thread, NULL, be_agent, b), 0);
    (void)pthread_detach(thread);
    return b;
}

bool live_bed_open(struct live_bed *b, unsigned wires)
{
    for (unsigned i = 0; i < wires; i++) {
        struct ibc_wire *end[2];
        if (b->tester[i])
            continue;
        cr_assert(ibc_wire_loop(end));
        b->o.wire[i] = b->tester[i] = end[0];
        b->device[i] = end[1];
    }
    b->t = ibc_live_open(&b->o, b->err, sizeof b->err);
    return b->t;
}

void live_bed_reset(struct live_bed *b, enum ibc_link link)
{
    (void)snprintf(b->reply, sizeof b->reply, "%s", LIVE_BED_RESET);
    cr_assert_eq(b->t->ops->reset(b->t, link, 77), IBC_OK, "%s", b->t->fault);
}

/* The thread stays at its listening socket, and ends with the process. */
void live_bed_free(struct live_bed *b)
{
    const char *path = b->o.agent + strlen("unix:");
    char folder[80];

    if (b->t)
        b->t->ops->close(b->t);
    for (unsigned i = 0; i < IBC_DEVICES; i++) {
        ibc_wire_close(b->tester[i]);
        ibc_wire_close(b->device[i]);
    }
    (void)unlink(path);
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    (void)rmdir(folder);
}
