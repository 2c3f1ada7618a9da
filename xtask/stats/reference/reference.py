"""What other people's code says about the statistics of cuzk-stats.

    python -m venv VENV && VENV/bin/pip install -r requirements.txt
    VENV/bin/python reference.py           writes expected.json beside this file
    VENV/bin/python reference.py --check   computes every value of expected.json again and compares

expected.json has a section for each statistic: which function gave the values, and cases with input and answer. The
test tests/reference.rs holds the Rust code to those answers. No section is computed by a copy of the Rust code:

    median              numpy.median
    quantile            numpy.quantile, method "linear" (Hyndman and Fan's definition 7)
    standard_deviation  numpy.std, ddof 1
    signed_rank         scipy.stats.wilcoxon, method "exact"; zero_method "wilcox" for the sum of ranks
    signed_rank_tied    scipy.stats.wilcoxon, method PermutationMethod over every assignment of signs, which is exact
                        with ties and zeros as well
    signed_rank_large   the number of subsets of scipy.stats.rankdata's ranks with a sum as extreme, counted in whole
                        numbers of any length: what no function of scipy gives for many tied pairs
    signed_rank_published  worked examples as they are printed, each with its source
    holm                statsmodels.stats.multitest.multipletests, method "holm"
    holm_published      worked examples as they are printed
    normal_quantile     scipy.stats.norm.ppf
    smallest_p          scipy.stats.wilcoxon of differences of one sign
    fewest_pairs        the first number of pairs for which that passes
    detectable          statsmodels.stats.power.normal_sample_size_one_tail, solved for the difference; times pi/3
    pairs_to_detect     the same, as it stands; times pi/3
    pairs_to_fit        scipy.stats.norm.interval and the variance of the median of a normal sample, pi/2n
    rank_sum            scipy.stats.mannwhitneyu, method "exact"
    rank_sum_large      scipy.stats.mannwhitneyu, method "asymptotic", with ties and continuity corrected
    bootstrap           numpy.median and numpy.quantile over draws by ChaCha with 8 rounds, written anew below after
                        RFC 8439 and the published description of the seeding
    bootstrap_closed_form  scipy.stats.binom: the exact distribution of the bootstrap median of an odd number of values
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import normal_sample_size_one_tail

HERE = Path(__file__).parent
TOLERANCE = 1e-12


# --- Signed ranks ---------------------------------------------------------------------------------------------------


def signed_rank(case):
    """Zeros are left out, as zero_method "wilcox" does; the p of scipy's exact method is right without ties only."""
    values = np.array(case["values"])
    kept = values[values != 0]
    found = stats.wilcoxon(kept, method="exact", zero_method="wilcox")
    return {"used": len(kept), "w_plus": plus(kept), "p": float(found.pvalue)}


def signed_rank_tied(case):
    values = np.array(case["values"])
    kept = values[values != 0]
    every = stats.PermutationMethod(n_resamples=2 ** len(kept))
    found = stats.wilcoxon(kept, method=every, zero_method="wilcox")
    return {"used": len(kept), "w_plus": plus(kept), "p": float(found.pvalue)}


def signed_rank_large(case):
    values = np.array(case["values"])
    kept = values[values != 0]
    ranks = [round(2 * rank) for rank in stats.rankdata(np.abs(kept))]
    total = sum(ranks)
    # The coefficient of x^s in the product of (1 + x^rank) is the number of subsets with sum s; one long integer
    # holds them all, each in a field wide enough for the largest.
    width = len(ranks) + 1
    product = 1
    for rank in ranks:
        product += product << (rank * width)
    mask = (1 << width) - 1
    counts = [(product >> (s * width)) & mask for s in range(total + 1)]
    observed = round(2 * plus(kept))
    extreme = sum(c for s, c in enumerate(counts) if abs(2 * s - total) >= abs(2 * observed - total))
    return {"used": len(kept), "w_plus": plus(kept), "p": extreme / 2 ** len(ranks)}


def plus(kept):
    return float(stats.rankdata(np.abs(kept))[kept > 0].sum())


# --- Power ----------------------------------------------------------------------------------------------------------


def rank_sum(case, method):
    found = stats.mannwhitneyu(case["first"], case["second"], alternative="two-sided", method=method)
    return float(found.pvalue)


def smallest_p(pairs):
    """All negative: for a sum of ranks at the other end scipy subtracts from 1, which leaves nothing from 54 pairs on."""
    return float(stats.wilcoxon(-np.arange(1, pairs + 1), method="exact").pvalue)


def fewest_pairs(case):
    pairs = 1
    while smallest_p(pairs) * max(case["rows"], 1) > case["alpha"]:
        pairs += 1
    return pairs


def unit_sample(case):
    """Observations of a z test that finds a difference of one, half of alpha on each side; as many as ranks need."""
    alpha = case["alpha"] / case["rows"] / 2
    return normal_sample_size_one_tail(1.0, case["power"], alpha, std_null=case["deviation"]) * math.pi / 3


def detectable(case):
    return math.sqrt(unit_sample(case) / case["pairs"])


def pairs_to_detect(case):
    return max(math.ceil(unit_sample(case) / case["effect"] ** 2), fewest_pairs(case))


def pairs_to_fit(case):
    room = case["margin"] - abs(case["centre"])
    if room <= 0:
        return None
    half = stats.norm.interval(case["confidence"], scale=case["deviation"])[1]
    return math.ceil((half / room) ** 2 * math.pi / 2)


# --- The bootstrap --------------------------------------------------------------------------------------------------


def rotate(words, bits):
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))


def chacha8(key, stream, blocks):
    """Words of ChaCha with 8 rounds, a 64-bit counter from 0 and a 64-bit stream in place of a nonce."""
    counter = np.arange(blocks, dtype=np.uint64)
    state = [np.full(blocks, word, dtype=np.uint32) for word in (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key)]
    state += [counter.astype(np.uint32), (counter >> np.uint64(32)).astype(np.uint32)]
    state += [np.full(blocks, part, dtype=np.uint32) for part in (stream & 0xFFFFFFFF, stream >> 32)]
    x = [words.copy() for words in state]
    columns = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)]
    diagonals = [(0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]
    for a, b, c, d in (columns + diagonals) * 4:
        x[a] += x[b]
        x[d] = rotate(x[d] ^ x[a], 16)
        x[c] += x[d]
        x[b] = rotate(x[b] ^ x[c], 12)
        x[a] += x[b]
        x[d] = rotate(x[d] ^ x[a], 8)
        x[c] += x[d]
        x[b] = rotate(x[b] ^ x[c], 7)
    return np.stack([words + start for words, start in zip(x, state)], axis=1).reshape(-1)


def key_of(seed):
    """Eight words from 64 bits: PCG32 as rand_core 0.6 documents it for seed_from_u64."""
    words = []
    for _ in range(8):
        seed = (seed * 6364136223846793005 + 11634580027462260723) % 2**64
        mixed = (((seed >> 18) ^ seed) >> 27) % 2**32
        turn = seed >> 59
        words.append(((mixed >> turn) | (mixed << (32 - turn))) % 2**32)
    return words


def stream_of(label):
    """FNV-1a, 64 bits."""
    state = 0xCBF29CE484222325
    for byte in label.encode():
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


def bootstrap(case):
    values = np.array(case["values"])
    size, resamples = len(values), case["resamples"]
    draws = size * resamples
    words = chacha8(key_of(case["seed"]), stream_of(case["label"]), -(-draws // 8)).astype(np.uint64)
    numbers = (words[0::2] | (words[1::2] << np.uint64(32)))[:draws]
    # The upper half of the 128-bit product number * size, from two halves that fit.
    low = (numbers & np.uint64(0xFFFFFFFF)) * np.uint64(size)
    high = (numbers >> np.uint64(32)) * np.uint64(size)
    index = (high + (low >> np.uint64(32))) >> np.uint64(32)
    fraction = numbers * np.uint64(size)
    # A word is refused once in more than 2^56; here none is, so that the draws are simply the words in order.
    assert (fraction >= np.uint64((2**64 - size) % size)).all()
    medians = np.median(values[index].reshape(resamples, size), axis=1)
    tail = (1 - case["confidence"]) / 2
    return [float(end) for end in np.quantile(medians, [tail, 1 - tail])]


def bootstrap_closed_form(case):
    """The median of n draws is at most the k-th value when at least (n + 1) / 2 of them are: a binomial tail."""
    values = np.sort(case["values"])
    size = len(values)
    at_most = stats.binom.sf(size // 2, size, np.arange(1, size + 1) / size)
    tail = (1 - case["confidence"]) / 2
    return [float(values[np.argmax(at_most >= q)]) for q in (tail, 1 - tail)]


# --- Sections -------------------------------------------------------------------------------------------------------

# Name: the function that gave the values, in words, and the code that calls it. None: the values are printed ones.
SECTIONS = {
    "median": ("numpy.median", lambda c: float(np.median(c["values"]))),
    "quantile": (
        'numpy.quantile(method="linear")',
        lambda c: float(np.quantile(c["values"], c["q"], method="linear")),
    ),
    "standard_deviation": ("numpy.std(ddof=1)", lambda c: float(np.std(c["values"], ddof=1))),
    "signed_rank": ('scipy.stats.wilcoxon(method="exact")', signed_rank),
    "signed_rank_tied": ("scipy.stats.wilcoxon(method=PermutationMethod(2**n))", signed_rank_tied),
    "signed_rank_large": ("subsets of scipy.stats.rankdata's ranks, counted", signed_rank_large),
    "signed_rank_published": ("printed; the source is in the case", None),
    "holm": (
        'statsmodels.stats.multitest.multipletests(method="holm")',
        lambda c: [float(p) for p in multipletests(c["p"], method="holm")[1]],
    ),
    "holm_published": ("printed; the source is in the case", None),
    "normal_quantile": ("scipy.stats.norm.ppf", lambda c: float(stats.norm.ppf(c["p"]))),
    "smallest_p": ("scipy.stats.wilcoxon of differences of one sign", lambda c: smallest_p(c["pairs"])),
    "fewest_pairs": ("scipy.stats.wilcoxon of differences of one sign", fewest_pairs),
    "detectable": ("statsmodels.stats.power.normal_sample_size_one_tail, pi/3", detectable),
    "pairs_to_detect": ("statsmodels.stats.power.normal_sample_size_one_tail, pi/3", pairs_to_detect),
    "pairs_to_fit": ("scipy.stats.norm.interval, pi/2", pairs_to_fit),
    "rank_sum": ('scipy.stats.mannwhitneyu(method="exact")', lambda c: rank_sum(c, "exact")),
    "rank_sum_large": ('scipy.stats.mannwhitneyu(method="asymptotic")', lambda c: rank_sum(c, "asymptotic")),
    "bootstrap": ("numpy.median and numpy.quantile of draws by ChaCha8", bootstrap),
    "bootstrap_closed_form": ("scipy.stats.binom.sf", bootstrap_closed_form),
}


def inputs():
    """The cases of each section, without answers where code gives them."""
    rng = np.random.default_rng(20261129)

    def sample(size, scale=1.0, shift=0.0, digits=6):
        return [round(float(v), digits) for v in rng.normal(shift, scale, size)]

    def tied(size, shift=0.0):
        return [float(v) / 4 for v in np.rint(rng.normal(shift, 6, size))]

    darwin = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    hamilton = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01]
    plans = [(20, 0.01, 2), (40, 0.01, 2), (60, 0.05, 6), (80, 0.01, 2), (300, 0.05, 1)]
    return {
        "median": [{"values": v} for v in ([0.5], sample(2), sample(9), sample(60), sample(301, 40.0, 7.0), tied(30))],
        "quantile": [
            {"values": sorted(v), "q": q}
            for v in ([0.5], sample(2), sample(9), sample(300), tied(41))
            for q in (0.0, 0.005, 0.025, 0.25, 1 / 3, 0.5, 0.9, 0.975, 1.0)
        ],
        "standard_deviation": [
            {"values": v} for v in ([1.0, 1.0], sample(2), sample(9), sample(300, 0.03), sample(60, 1e-3, 1e3, 9))
        ],
        "signed_rank": [
            {"values": sample(size, 1.0, shift)}
            for size in (1, 2, 3, 5, 6, 7, 9, 10, 12, 15, 20, 25, 30, 40, 50, 51, 55, 60)
            for shift in (0.0, 0.4)
        ]
        + [{"values": v} for v in (darwin, hamilton, [0.0, *sample(11), 0.0, 0.0], sample(80), sample(300, 1.0, 0.2))],
        "signed_rank_tied": [
            {"values": v}
            for v in (
                [1, -1, 2, 2, 2, -3, 0, 4],
                [0.5] * 7,
                [1, 1, -1, 3, -3, 5, 6, 6, 7, -8],
                [-2, -2, -1, 0, 0],
                [1.2, 1.0, -0.3, 0.3, 0.7, 0.8, 1.2, 0.6, 0.2],
                [1, -1],
                tied(8),
                tied(12),
                tied(14, 2.0),
                tied(16),
                tied(17, -1.0),
                [*tied(15), 0, 0, 0],
            )
        ],
        "signed_rank_large": [
            {"values": v}
            for v in (
                tied(20),
                tied(25, 2.0),
                tied(30, -2.0),
                tied(40, 1.0),
                tied(50),
                tied(60, 1.5),
                [*tied(57, -1.0), 0, 0, 0],
                [1.0] * 30 + [-1.0] * 20,
                sample(60),
                sample(60, 1.0, 2.0),
                tied(120, 0.5),
            )
        ],
        "signed_rank_published": [
            {
                "source": "R. A. Fisher, The Design of Experiments (1935), Darwin's maize; scipy.stats.wilcoxon's page",
                "values": darwin,
                "expected": {"used": 15, "w_plus": 96, "p": 0.041259765625},
            },
            {
                "source": "Hollander and Wolfe, Nonparametric Statistical Methods (1973), table 3.1; R's wilcox.test:"
                " V = 40, one-sided p 0.01953",
                "values": hamilton,
                "expected": {"used": 9, "w_plus": 40, "p": 0.0390625},
            },
        ],
        "holm": [
            {"p": p}
            for p in (
                [0.03125],
                [0.9, 0.8],
                [0.01, 0.04, 0.03, 0.005],
                [0.0004, 0.02, 0.02, 0.3, 0.011, 0.9],
                [0.05] * 5,
                [0.0, 1.0, 0.5],
                [1e-90, 2e-90, 0.6],
                [round(float(v), 9) for v in rng.uniform(0, 1, 20) ** 3],
            )
        ],
        "holm_published": [
            {
                "source": "the encyclopedia article on the Holm-Bonferroni method: p of 0.01, 0.04, 0.03, 0.005",
                "p": [0.01, 0.04, 0.03, 0.005],
                "expected": [0.03, 0.06, 0.06, 0.02],
            }
        ],
        "normal_quantile": [
            {"p": p}
            for p in (1e-300, 1e-20, 1e-10, 1e-5, 0.001, 0.0025, 0.005, 0.025, 0.0749, 0.0751, 0.1, 0.25, 0.4, 0.5)
            + (0.6, 0.75, 0.9, 0.925, 0.95, 0.975, 0.995, 0.9975, 0.999, 1 - 1e-5, 1 - 1e-10)
        ],
        "smallest_p": [{"pairs": n} for n in (1, 2, 5, 6, 7, 8, 12, 20, 40, 60)],
        "fewest_pairs": [{"alpha": a, "rows": r} for a in (0.05, 0.02, 0.01, 0.001) for r in (0, 1, 2, 3, 6, 54)],
        "detectable": [
            {"deviation": d, "pairs": n, "alpha": a, "rows": r, "power": p}
            for n, a, r in plans
            for d in (0.003, 0.04)
            for p in (0.8, 0.9)
        ],
        "pairs_to_detect": [
            {"effect": e, "deviation": d, "alpha": a, "rows": r, "power": 0.9}
            for e, d in ((0.02, 0.03), (-0.02, 0.04), (0.5, 0.01), (0.007, 0.0123))
            for a, r in ((0.05, 1), (0.01, 2), (0.01, 6))
        ],
        "pairs_to_fit": [
            {"centre": c, "margin": m, "deviation": d, "confidence": q}
            for c, m in ((0.0, 0.02), (-0.005, 0.02), (0.03, 0.02), (0.0013, 0.001))
            for d in (0.003, 0.04)
            for q in (0.95, 0.99)
        ],
        "bootstrap": [
            {"values": v, "confidence": q, "resamples": 10000, "seed": s, "label": label}
            for v, q, s, label in (
                (sample(9, 0.02, -0.1), 0.95, 7, "row"),
                (sample(20, 0.03), 0.95, 20261129, "synth/sha256 wall_s.cold pristine patched false"),
                (sample(41, 0.03), 0.99, 2**53 - 1, "synth/sha256 wall_s.warm pristine patched true"),
                (sample(80, 0.03), 0.95, 2**64 - 1, ""),
                (tied(60), 0.9, 0, "ties"),
            )
        ],
        "bootstrap_closed_form": [
            {"values": sample(n, 0.02), "confidence": q} for n, q in ((9, 0.95), (15, 0.9), (21, 0.95), (61, 0.95))
        ],
        "rank_sum": [
            {"first": sample(n), "second": sample(m, 1.0, shift)}
            for n, m in ((1, 1), (3, 5), (6, 6), (9, 20), (30, 12), (25, 30))
            for shift in (0.0, 0.6)
        ],
        "rank_sum_large": [
            {"first": sample(n), "second": sample(m, 1.0, shift)}
            for n, m in ((60, 60), (200, 60))
            for shift in (0.0, 0.3, 1.0)
        ]
        + [{"first": tied(80), "second": tied(80, 1.0)}],
    }


def answered(cases):
    """Every case with the answer of today's code; printed answers stay as they are."""
    done = {}
    for name, (source, function) in SECTIONS.items():
        todo = cases[name]
        if function is not None:
            todo = [{**case, "expected": function(case)} for case in todo]
        done[name] = {"from": source, "cases": todo}
    return done


def differences(path, committed, today):
    """Every place at which two answers are further apart than rounding explains."""
    if isinstance(committed, dict) and isinstance(today, dict) and committed.keys() == today.keys():
        for key in committed:
            yield from differences(f"{path}.{key}", committed[key], today[key])
    elif isinstance(committed, list) and isinstance(today, list) and len(committed) == len(today):
        for place, (a, b) in enumerate(zip(committed, today)):
            yield from differences(f"{path}[{place}]", a, b)
    elif isinstance(committed, (int, float)) and isinstance(today, (int, float)):
        if not math.isclose(committed, today, rel_tol=TOLERANCE, abs_tol=1e-300):
            yield f"{path}: committed {committed!r}, today {today!r}"
    elif committed != today:
        yield f"{path}: committed {committed!r}, today {today!r}"


def main():
    arguments = argparse.ArgumentParser(description="Other people's answers for the statistics of cuzk-stats.")
    arguments.add_argument("--check", action="store_true", help="compare expected.json with what is installed here")
    check = arguments.parse_args().check
    path = HERE / "expected.json"
    versions = {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__}
    if not check:
        written = path.with_suffix(".new")
        written.write_text(text_of(versions, answered(inputs())))
        written.replace(path)
        return 0
    committed = json.loads(path.read_text())["sections"]
    today = answered({name: section["cases"] for name, section in committed.items()})
    found = list(differences("", committed, today))
    print("\n".join(found) or f"{sum(len(s['cases']) for s in today.values())} answers are the same with {versions}")
    return 1 if found else 0


def text_of(versions, sections):
    """JSON with one case a line."""
    line = lambda value: json.dumps(value, allow_nan=False)
    parts = []
    for name, section in sections.items():
        cases = ",\n".join(line(case) for case in section["cases"])
        parts.append(f'{line(name)}: {{"from": {line(section["from"])}, "cases": [\n{cases}\n]}}')
    return f'{{"versions": {line(versions)}, "sections": {{\n' + ",\n".join(parts) + "\n}}\n"


if __name__ == "__main__":
    sys.exit(main())
