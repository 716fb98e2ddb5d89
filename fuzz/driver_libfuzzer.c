/* SPDX-License-Identifier: BSD-2-Clause */
/* libFuzzer's driver, which calls the mutator of mutator.h before its own. */
#include "fuzz.h"
#include "time_limit.h"
#include "mutator.h"

uint64_t fuzz_trace, fuzz_steps;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most,
                                 unsigned seed);

/* As libFuzzer prints its own numbers; `tools/fuzz campaign` reads both. */
static void print_steps(void)
{
    fprintf(stderr, "stat::steps: %llu\n", (unsigned long long)fuzz_steps);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    (void)atexit(print_steps);
    fuzz_limits_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_trace = FUZZ_TRACE_START;
    fuzz_limits_input();
    return fuzz_one(data, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed)
{
    struct iba_random r;

    iba_random_seed(&r, seed);
    if (fuzz_target.form == FUZZ_BYTES || iba_random_below(&r, 4) == 0)
        return LLVMFuzzerMutate(data, n, most);
    return fuzz_mutate(fuzz_target.form, &r, data, n, most);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t na, const uint8_t *b, size_t nb, uint8_t *out, size_t most,
                                 unsigned seed)
{
    struct iba_random r;

    iba_random_seed(&r, seed);
    return fuzz_splice(fuzz_target.form, &r, a, na, b, nb, out, most);
}
