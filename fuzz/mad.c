/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams: their parts lie inside of the captured bytes, every row can be read, and tables are reassembled
 * from segments. An input has many datagrams, so that segments belong together. */
#include "mad/iba_rmpp.h"
#include "records.h"

const struct fuzz_target fuzz_target = {"mad", FUZZ_RECORDS, NULL};

enum { MOST_ROWS = 1 << 16 };
/* Bits of a record's kind: another kind of datagram, the other direction, the datagram before it again */
enum { OTHER_KIND = 4, OTHER_END = 8, AGAIN = 0x10 };

static void read_rows(const struct iba_mad *m)
{
    unsigned rows = 0;

    for (unsigned i = 0; i < m->n_part; i++) {
        const struct iba_mad_part *p = &m->part[i];
        const struct iba_hdr_info *l = &iba_mad_layouts[p->layout];
        size_t n = 0;
        const uint8_t *whole = iba_mad_part_bytes(m, p, &n);
        FUZZ_CHECK(!whole || (whole >= m->wire && whole + n <= m->wire + m->captured));
        for (unsigned k = 0; k < p->n; k++)
            for (unsigned f = 0; f < l->n_field; f++) {
                const uint8_t *at = iba_mad_row_at(m, p, k, &l->field[f]);
                FUZZ_CHECK(++rows < MOST_ROWS);
                if (at)
                    fuzz_note(l->field[f].bits > 64 ? at[l->field[f].at / 8] : iba_field_get(&l->field[f], at));
            }
    }
}

/* Reads the names of all bits of the component mask. */
static void read_components(const struct iba_mad *m)
{
    enum { MASK_BITS = 64 };
    size_t n;

    for (unsigned bit = 0; m->attr && bit < MASK_BITS; bit++) {
        const char *name = iba_mad_component(m->attr, bit, &n);
        FUZZ_CHECK(!name || (n > 0 && n <= strlen(name)));
    }
    for (unsigned l = 0; l < IBA_M_COUNT; l++) {
        const uint8_t *at = iba_mad_layout_at(m, (enum iba_mad_layout)l);
        FUZZ_CHECK(!at || at + iba_mad_layouts[l].bytes <= m->wire + m->captured);
    }
}

static void read_table(const struct iba_rmpp_transfer *t)
{
    struct iba_mad m;
    const uint32_t n = iba_rmpp_records(t);

    fuzz_note(n);
    FUZZ_CHECK(t->bytes <= sizeof t->data && (uint64_t)n * t->record_bytes <= t->bytes);
    for (uint32_t i = 0; i < n; i++) {
        iba_rmpp_record(t, i, &m);
        read_rows(&m);
    }
}

/* The datagram of a record: its bytes, or the datagram before it with changes. A change is two bytes: offset and value.
 */
struct datagram {
    uint8_t bytes[IBA_MAD_BYTES];
    size_t n;
};

static void take(struct datagram *d, uint8_t kind, struct fuzz_in *body)
{
    if (kind & AGAIN) {
        while (body->n >= 2) {
            const uint8_t at = fuzz_u8(body);
            d->bytes[at] = fuzz_u8(body);
        }
        return;
    }
    d->n = body->n < sizeof d->bytes ? body->n : sizeof d->bytes;
    memcpy(d->bytes, body->p, d->n);
}

static void receive(struct iba_rmpp_desk *desk, uint8_t kind, const struct datagram *d)
{
    const struct iba_rmpp_ends ends = {
        .kind = kind & OTHER_KIND ? 1 : 0, .src = {kind & 1}, .dst = {!(kind & 1), kind & OTHER_END ? kind : 0}};
    const size_t len = d->n + (kind & 2 ? IBA_MAD_BYTES : 0); /* the datagram may be cut */
    uint8_t *exact = malloc(d->n ? d->n : 1);
    struct iba_mad m;

    FUZZ_CHECK(exact);
    memcpy(exact, d->bytes, d->n);
    if (iba_mad_parse(&m, exact, d->n, len)) {
        fuzz_note(m.n_part);
        read_rows(&m);
        read_components(&m);
        const struct iba_rmpp_transfer *t = iba_rmpp_feed(desk, &ends, &m);
        if (t)
            read_table(t);
    }
    free(exact);
}

int fuzz_one(const uint8_t *data, size_t n)
{
    static struct iba_rmpp_desk desk; /* too big for a stack */
    static struct datagram d;
    struct fuzz_in in = {data, n}, body;
    uint8_t kind;

    memset(&desk, 0, sizeof desk);
    memset(&d, 0, sizeof d);
    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        (void)fuzz_u8(&in);
    for (unsigned i = 0; i < FUZZ_MOST_RECORDS && fuzz_record(&in, &kind, &body); i++) {
        take(&d, kind, &body);
        receive(&desk, kind, &d);
    }
    return 0;
}
