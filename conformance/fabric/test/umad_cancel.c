/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that cancels a thread which sends datagrams, as OpenSM cancels its receiver when it ends. The other threads
 * can still use the port. Exit code 0, or a signal after 20 seconds. */
#include <infiniband/umad.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { ROUNDS = 50, LIMIT_S = 20, STEP_US = 20 };

struct sender {
    int port, agent;
};

static void *send_for_ever(void *ctx)
{
    const struct sender *s = ctx;
    uint64_t umad[(sizeof(struct ib_user_mad) + 256) / 8] = {0};

    umad_set_addr(umad, 1, 1, 0, (int)UINT32_C(0x80010000));
    for (;;) {
        (void)umad_send(s->port, s->agent, umad, 256, 0, 0);
        pthread_testcancel();
    }
    return NULL;
}

int main(void)
{
    struct sender s;
    pthread_t thread;

    if (umad_init() < 0 || (s.port = umad_open_port(NULL, 0)) < 0)
        return 1;
    (void)alarm(LIMIT_S);
    for (unsigned i = 0; i < ROUNDS; i++) {
        s.agent = umad_register(s.port, 4, 1, 0, NULL);
        if (s.agent < 0 || pthread_create(&thread, NULL, send_for_ever, &s) != 0)
            return 2;
        (void)usleep(i * STEP_US);
        (void)pthread_cancel(thread);
        (void)pthread_join(thread, NULL);
        if (umad_unregister(s.port, s.agent) != 0)
            return 3;
    }
    return umad_close_port(s.port) == 0 ? 0 : 4;
}
