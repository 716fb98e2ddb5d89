/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads any text as a scenario. Either each variation of the scenario can be bound, or the loader reports one error in
 * one line. */
#include "scenario/scenario.h"
#include "fuzz.h"

const struct fuzz_target fuzz_target = {"scenario", FUZZ_BYTES, NULL};

enum { MOST_TEXT = 8192, MOST_VARIATIONS = 4 };

static void bind(const struct ibc_scenario *s)
{
    for (unsigned type = 0; type < IBA_QPT_COUNT; type++)
        for (unsigned v = 0; v < s->n_variation && v < MOST_VARIATIONS && (s->services >> type & 1); v++) {
            struct ibc_play *p = ibc_bind(s, (enum iba_qp_type)type, v);
            FUZZ_CHECK(p && p->n_step <= IBC_MAX_STEPS && p->n_object <= IBC_MAX_OBJECTS);
            fuzz_note((uint64_t)p->n_object << 16 | p->n_step);
            for (unsigned i = 0; i < p->n_step; i++)
                FUZZ_CHECK(p->step[i].object == UINT16_MAX || p->step[i].object < p->n_object);
            ibc_play_free(p);
        }
}

int fuzz_one(const uint8_t *data, size_t n)
{
    char err[500] = "";
    struct ibc_scenario *s =
        ibc_load_text((const char *)data, n < MOST_TEXT ? n : MOST_TEXT, "f.ibt", "f", err, sizeof err);

    FUZZ_CHECK((s == NULL) == (err[0] != '\0') && strchr(err, '\n') == NULL);
    fuzz_note_bytes(err, strlen(err));
    if (s)
        bind(s);
    ibc_free(s);
    return 0;
}
