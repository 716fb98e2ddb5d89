/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of every kind for the memory of a pair of adapters: each key gives access to the same bytes in the same
 * order. */
#ifndef IBA_TEST_KEYS_H
#define IBA_TEST_KEYS_H
#include "pair.h"

#define KEY_KINDS(K)                                                                                                   \
    K(PLAIN) K(ZERO_BASED) K(FAST) K(ON_DEMAND) K(PIECES) K(MW1) K(MW2A) K(MW2B) /* windows: R_Keys only */
enum key_kind {
#define KEY_ID(k) KEY_##k,
    KEY_KINDS(KEY_ID) KEYS,
    KEYS_LOCAL = KEY_MW1
};
extern const char *const key_names[KEYS];

enum { KEYS_PIECES = 5, KEYS_PAGES = 2048 };
struct keys {
    uint8_t kind[3]; /* of the sender's lists, of the receiver's lists, of the receiver's R_Key */
    uint32_t rkey;
    uint64_t remote_va;
    struct iba_piece piece[3][KEYS_PIECES];
    struct iba_pieces pieces[3];
    uint8_t present[3][KEYS_PAGES / 8];
    unsigned turns;
    struct pair *p;
    struct iba_random random;
};
/* Chooses three kinds of keys by the seed, registers their regions and binds their windows. Pages of on-demand regions
 * are removed and come back for a while; in the end all are present. `k` must stay at its address while the pair is
 * open. */
void keys_choose(struct keys *k, struct pair *p, const struct pair_config *c);
#endif
