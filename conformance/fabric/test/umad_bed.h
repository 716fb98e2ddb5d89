/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of libibfabric-umad.so in this process, and a server for them in a thread: one with a subnet
 * on virtual time, or one that answers by a script. */
#ifndef IBF_TEST_UMAD_BED_H
#define IBF_TEST_UMAD_BED_H
#include <pthread.h>
#include <sys/types.h>
#include "mad_server.h"
#include "two_hosts.h"

/* More adapters: D, whose 20 ports have no cable, and one whose name has 64 bytes. */
enum { D = B + 1, LONG };

struct bed {
    struct topology *t;
    struct subnet *s;
    struct mad_server server;
    char name[32];
    pthread_t thread;
    bool serves;
    pthread_mutex_t lock; /* of the subnet and of the server */
    int stop[2];          /* a pipe that ends the thread */
};
extern struct bed w;

/* Makes subnet and server; serve() starts the thread. A request with a time limit of a second or less that has no
 * answer times out at once. */
void begin(void);
void serve(void);
void step(void); /* without the thread: handles what has come */
void end(void);
struct iba_node_port *port_at(size_t node, unsigned port);
void be_at(const char *node); /* programs run at this node */
/* Returns a value of the subnet, with the lock: whether IsSM is set at that port. */
bool is_manager(size_t node, unsigned port);

/* ---- a server that answers by a script ---- */

enum { STEPS_MOST = 8, ASKED_MOST = 512 };
struct step { /* a request comes, this is the answer */
    const void *answer;
    size_t len;    /* 0: none */
    int fd;        /* a descriptor that goes with the answer; 0: none */
    bool and_more; /* the next request comes by the same connection */
};
struct script {
    const struct step *step;
    size_t n;
    int listener;
    pthread_t thread;
    uint8_t asked[STEPS_MOST][ASKED_MOST]; /* the requests */
    ssize_t n_asked[STEPS_MOST];
};
/* Listens under that name, and answers the requests of all steps. */
void play(struct script *s, const char *name, const struct step *step, size_t n);
void played(struct script *s); /* waits for the end of the script */
#endif
