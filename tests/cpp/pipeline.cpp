// What of the GPU's pipeline is plain C++, tested without a GPU: compressed vectors against their reference, and plans of
// memory. Prints what is wrong and ends with 1. Built and started by tests/tests/pipeline_host.rs, which names the folder
// of the headers.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "compress.hpp"
#include "plan.hpp"

using namespace cuzk;

static int wrong = 0;

#define HOLDS(condition, ...)                                                   \
    do {                                                                        \
        if (!(condition)) {                                                     \
            wrong++;                                                            \
            std::printf("line %d: %s does not hold: ", __LINE__, #condition);   \
            std::printf(__VA_ARGS__);                                           \
            std::printf("\n");                                                  \
        }                                                                       \
    } while (0)

static const double GIB = (double)(1 << 30);

static bool same(const limbs_t& a, const limbs_t& b)
{   return std::memcmp(&a, &b, sizeof(a)) == 0;   }

static void compressed_vectors_expand_to_themselves()
{
    std::mt19937_64 random(1);
    auto any = [&] { limbs_t s; for (auto& v : s.v) v = random(); return s; };
    limbs_t values[SMALL_COUNT];
    for (auto& v : values)
        v = any();
    const small_ints_t ints{values};
    for (int i = 0; i < SMALL_COUNT; i++) {
        HOLDS(ints.code(values[i]) == i, "small integer %d", i);
        // One limb that differs is another scalar, whichever it is.
        for (int limb = 0; limb < 4; limb++) {
            limbs_t near = values[i];
            near.v[limb] ^= 1;
            HOLDS(ints.code(near) == WHOLE, "a neighbour of small integer %d in limb %d", i, limb);
        }
    }

    for (size_t n : {1, 255, 256, 257, 511, 4096, 5000})
        for (double whole : {0.0, 0.01, 0.5, 0.99, 1.0})
            for (size_t cut : {(size_t)0, (size_t)256, (size_t)1024}) {
                std::vector<limbs_t> in(n), room(n);
                size_t expect_dense = 0;
                for (auto& s : in) {
                    bool other = random() % 1000 < whole * 1000;
                    size_t small = random() % 8 ? CODE_ZERO + random() % 2 : random() % SMALL_COUNT;
                    s = other ? any() : values[small];
                    expect_dense += other || (small != CODE_ZERO && small != CODE_ONE);
                }
                std::vector<uint8_t> codes(n);
                std::vector<uint32_t> firsts(n / BLOCK + 1);
                compressed_t out{codes.data(), firsts.data(), room.data()};
                // In one piece, or in two as two threads would.
                size_t dense = 0, more = 0;
                cut = cut < n ? cut : 0;
                if (cut)
                    compress(out, in.data(), 0, cut, ints, dense);
                compress(out, in.data(), cut, n, ints, more);
                HOLDS(dense + more == expect_dense, "%zu of %zu values dense, counted %zu", expect_dense, n, dense + more);
                for (size_t i = 0; i < n; i++)
                    HOLDS(same(expand(out, i, ints), in[i]), "element %zu of %zu, %.2f whole", i, n, whole);
            }
}

// A circuit in the proportions of a PoRep.
static sizes_t circuit(size_t lg_domain)
{
    sizes_t s{};
    s.domain = (size_t)1 << lg_domain;
    s.inputs = 328;
    s.aux = s.domain - s.domain / 33;
    s.h = s.domain - 1;
    s.l = s.aux;
    s.a = s.aux + s.inputs;
    s.b = s.aux / 4;
    return s;
}

static void plans_stay_inside_their_memory()
{
    for (size_t lg = 4; lg <= 27; lg++)
        for (double gib : {0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 16.0, 24.0, 80.0, 139.0})
            for (size_t tables : {(size_t)1, (size_t)32}) {
                const size_t memory = (size_t)(gib * GIB);
                const plan_t plan = make_plan(circuit(lg), memory, true, tables);
                HOLDS(!plan.fits || plan.total() <= memory, "domain 2^%zu in %.1f GiB takes %zu bytes", lg, gib,
                      plan.total());
                HOLDS(plan.fits || plan.chunk == 1 << 12, "domain 2^%zu in %.1f GiB: given up early", lg, gib);
            }
}

static void the_largest_domain_fits_16_gib()
{
    const sizes_t s = circuit(27);
    const plan_t plan = make_plan(s, (size_t)15 << 30, true);
    std::printf("domain 2^27 in 15 GiB: %.2f GiB, chunks of 2^%d, %s bases stay\n", plan.total() / GIB,
                (int)__builtin_ctzll(plan.chunk), plan.h_stays || plan.w_stays ? "some" : "no");
    HOLDS(plan.fits, "it takes %zu bytes", plan.total());
}

static void more_memory_is_used()
{
    const sizes_t s = circuit(22);
    const plan_t small = make_plan(s, (size_t)2 << 30, true, 32), large = make_plan(s, (size_t)100 << 30, true, 32);
    HOLDS(small.fits && !small.h_stays, "2 GiB");
    HOLDS(large.h_stays && large.w_stays && large.three && large.h_cut.tables > 1, "100 GiB");
    HOLDS(!make_plan(s, (size_t)100 << 30, false).h_stays, "bases that may not stay");
}

static void windows_cover_every_scalar()
{
    for (size_t most = 1; most < (size_t)1 << 28; most = most * 3 / 2 + 1)
        for (size_t tables : {(size_t)1, (size_t)2, (size_t)5, (size_t)32}) {
            const cutting_t cut = choose_cutting(most, tables);
            HOLDS(cut.sets * cut.tables >= windows(cut.wbits), "%zu bases, %zu tables", most, tables);
            HOLDS(cut.tables <= tables, "%zu bases, %zu tables", most, tables);
            HOLDS(windows(cut.wbits) * cut.wbits >= DIGIT_BITS_TOTAL, "%zu bases", most);
            HOLDS(cut.tables * most < (size_t)1 << 31 || cut.tables == 1, "%zu bases", most);
        }
}

// A product of fewer scalars than planned takes a narrower window in the same memory.
static void narrower_windows_have_room()
{
    for (size_t jobs : {(size_t)1, (size_t)3})
        for (size_t most = 256; most < (size_t)1 << 23; most = most * 5 / 4) {
            const uint32_t wide = choose_window(most);
            const msm_size_t planned{jobs * most, jobs, wide, most};
            for (size_t fewer = most; fewer; fewer /= 2) {
                const uint32_t narrow = choose_window(fewer);
                if (narrow > wide || jobs * fewer * windows(narrow) > planned.entries)
                    continue;
                const msm_size_t size{jobs * fewer, jobs, narrow, fewer};
                HOLDS(size.buckets <= planned.buckets && size.groups <= planned.groups && size.steps <= planned.steps,
                      "%zu scalars in the room of %zu: %zu groups of %zu, %zu steps of %zu", fewer, most, size.groups,
                      planned.groups, size.steps, planned.steps);
            }
        }
}

int main()
{
    compressed_vectors_expand_to_themselves();
    plans_stay_inside_their_memory();
    the_largest_domain_fits_16_gib();
    more_memory_is_used();
    windows_cover_every_scalar();
    narrower_windows_have_room();
    return wrong ? 1 : 0;
}
