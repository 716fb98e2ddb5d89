/* Management datagrams as they come: parts lie inside of what was captured, every row can be read, tables of segments
 * are put together. One after the other, so that segments meet. */
#include "mad/iba_rmpp.h"
#include "records.h"

const struct fuzz_target fuzz_target = {"mad", FUZZ_RECORDS, NULL};

enum { MOST_ROWS = 1 << 16 };

static void read_rows(const struct iba_mad *m)
{
    unsigned rows = 0;

    for (unsigned i = 0; i < m->n_part; i++) {
        const struct iba_mad_part *p = &m->part[i];
        const struct iba_hdr_info *l = &iba_mad_layouts[p->layout];
        size_t n = 0;
        const uint8_t *whole = iba_mad_whole(m, p, &n);
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

int fuzz_one(const uint8_t *data, size_t n)
{
    static struct iba_rmpp_desk desk; /* too big for a stack */
    struct fuzz_in in = {data, n}, body;
    uint8_t kind;

    memset(&desk, 0, sizeof desk);
    for (unsigned i = 0; i < FUZZ_HEAD; i++)
        (void)fuzz_u8(&in);
    for (unsigned i = 0; i < FUZZ_MOST_RECORDS && fuzz_record(&in, &kind, &body); i++) {
        const struct iba_rmpp_ends ends = {.src = {kind & 1}, .dst = {!(kind & 1)}};
        const size_t len = body.n + (kind & 2 ? IBA_MAD_BYTES : 0); /* cut */
        struct iba_mad m;
        if (!iba_mad_parse(&m, body.p, body.n, len))
            continue;
        fuzz_note(m.n_part);
        read_rows(&m);
        const struct iba_rmpp_transfer *t = iba_rmpp_feed(&desk, &ends, &m);
        if (t)
            read_table(t);
    }
    return 0;
}
