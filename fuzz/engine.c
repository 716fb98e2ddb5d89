/* One adapter under packets, verbs and the clock, in any order: every invariant holds after each step. */
#include "world.h"

const struct fuzz_target fuzz_target = {"engine", FUZZ_RECORDS, NULL};

enum { RAW = FUZZ_RAW, CRAFT, SEND, RECV, DRAIN, WAIT, COMPLETE, MODIFY, MEMORY, OBJECT, KINDS };
enum { MOST_STEPS = 200, MOST_POLLS = 16 };

static uint8_t frame[IBA_TX_MOST];

static void craft(struct world *w, struct fuzz_in *in)
{
    const size_t len = world_craft(w, 0, in, frame, sizeof frame);

    if (len > 0)
        world_feed(w, 0, frame, len);
}

static void drain(struct world *w)
{
    for (unsigned i = 0; i < MOST_POLLS && world_poll(w, 0, frame, sizeof frame) > 0; i++)
        ;
}

static void step(struct world *w, uint8_t kind, struct fuzz_in *in)
{
    switch (kind % KINDS) {
    case RAW: world_feed_raw(w, 0, kind, in); break;
    case CRAFT: craft(w, in); break;
    case SEND: world_post_send(w, 0, in); break;
    case RECV: world_post_recv(w, 0, in); break;
    case DRAIN: drain(w); break;
    case WAIT: world_wait(w, in); break;
    case COMPLETE: world_complete(w, 0); break;
    case MODIFY: world_modify(w, 0, in); break;
    case MEMORY: world_memory(w, 0, in); break;
    default: world_object(w, 0, in); break;
    }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n}, body;
    struct world *w = world_open(&in, 1);
    uint8_t kind;

    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++) {
        step(w, kind, &body);
        world_check(w);
    }
    world_close(w);
    return 0;
}
