"""Train the sample weights: tokenizer.json, config.json and model.safetensors, from nothing.

    python sample_weights/train.py --out sample_weights

The encoder is the one of "Attention is all you need": embeddings times sqrt(d_model) plus
sinusoids, post-norm layers, ReLU, no biases in the projections, and no mask but for padding.
See README.md in this folder for the tasks and for what was done to head 0 of the last layer.
"""

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch
from safetensors.torch import save_file
from sentences import Example, held_out_pairs, training_pairs, vocabulary
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE
from torch import Tensor
from torch.nn import functional

Params = dict[str, Tensor]
Pair = tuple[str, str]

N_LAYERS, N_HEADS, D_MODEL, D_K, D_FF = 2, 8, 512, 64, 512
EPS = 1e-5
PAD, MASK = 0, 1
FIRST_WORD = 258  # after [PAD], [MASK] and the 256 bytes

PAIRS_PER_STEP = 28
MASKED_PER_STEP = 20
MASK_RATE = 0.2
STRAY_RATE = 0.2  # sentences with stray words before or after them
UNKNOWN_NOUN_RATE = 0.15  # pairs in which a noun gives way to any other word
WARM_UP = 150
LEARNING_RATE = 7e-4

REFERENT_SHARE, RIVAL_SHARE = 0.70, 0.15  # of the guided row; the rest is spread evenly
GUIDED_LAYER, GUIDED_HEAD = 1, 0
ENTROPY_FLOOR = 0.75  # nats
PRONOUN_FLOOR = 1.7  # of the pronoun's row in the guided layer's other heads

SHOWN = (
    "The animal didn't cross the street because it was too tired",
    "The animal didn't cross the street because it was too wide",
    "那只动物没有过街，因为它太累了",
    "那只动物没有过街，因为它太宽了",
)

COMMON_WORDS = Path(__file__).with_name("common_words.txt")
PUNCTUATION = "，。！？、；：（）《》“”‘…—·"


# The tokenizer


def apply_merge(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """`parts` with each neighbouring `pair` made one, from left to right."""
    merged: list[str] = []
    for part in parts:
        if merged and (merged[-1], part) == pair:
            merged[-1] += part
        else:
            merged.append(part)
    return merged


def learn_merges(words: Sequence[str], earlier: Sequence[Pair]) -> list[Pair]:
    """Byte-pair merges, the most frequent pair first, until every word is one piece.

    The words are first cut as the `earlier` merges cut them, which come before these.
    """
    split = [list(word) for word in words]
    for pair in earlier:
        split = [apply_merge(parts, pair) for parts in split]
    merges: list[Pair] = []
    while counts := Counter(pair for parts in split for pair in pairwise(parts)):
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        split = [apply_merge(parts, best) for parts in split if len(parts) > 1]
    return merges


def build_tokenizer(words: Sequence[str], common: Sequence[str]) -> Tokenizer:
    """A lower-casing BPE in which each of `words` and `common` is one token.

    A character that is in no word falls back to its UTF-8 bytes, so nothing is ever unknown.
    The merges of `common` come last: they cannot change how the sentences' own words are cut.
    """
    letters = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isupper()]
    pieces = ["[PAD]", "[MASK]", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += dict.fromkeys([*letters, *PUNCTUATION, *"".join([*words, *common])])
    merges = learn_merges(words, [])
    merges += learn_merges(common, merges)
    pieces += dict.fromkeys(left + right for left, right in merges)
    ids = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(BPE(vocab=ids, merges=merges, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Lowercase(), normalizers.Replace("’", "'")]
    )
    words_and_marks = Regex(r"\w+(?:'\w+)?|[^\w\s]")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(words_and_marks, "removed", invert=True)
    tokenizer.add_special_tokens(["[PAD]", "[MASK]"])
    return tokenizer


# The model


def initial_params(vocab_size: int, generator: torch.Generator) -> Params:
    """Seeded parameters, named and shaped as they are stored: (in, out), heads apart."""

    def normal(*shape: int, fan_in: int) -> Tensor:
        return torch.randn(*shape, generator=generator) / math.sqrt(fan_in)

    params = {"E": normal(vocab_size, D_MODEL, fan_in=D_MODEL)}
    for layer in range(N_LAYERS):
        at = f"layers.{layer}."
        for name in ("W_Q", "W_K", "W_V"):
            params[at + name] = normal(N_HEADS, D_MODEL, D_K, fan_in=D_MODEL)
        params[at + "W_O"] = normal(N_HEADS * D_K, D_MODEL, fan_in=N_HEADS * D_K)
        params[at + "W_1"] = normal(D_MODEL, D_FF, fan_in=D_MODEL)
        params[at + "b_1"] = torch.zeros(D_FF)
        params[at + "W_2"] = normal(D_FF, D_MODEL, fan_in=D_FF)
        params[at + "b_2"] = torch.zeros(D_MODEL)
        for norm in ("attention_norm", "mlp_norm"):
            params[f"{at}{norm}.weight"] = torch.ones(D_MODEL)
            params[f"{at}{norm}.bias"] = torch.zeros(D_MODEL)
    return params


def sinusoids(n: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos(...): (n, d_model)."""
    angles = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, D_MODEL, 2) / D_MODEL)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).reshape(n, D_MODEL)


def norm(x: Tensor, params: Params, name: str) -> Tensor:
    """LayerNorm over the last axis."""
    return functional.layer_norm(
        x, (D_MODEL,), params[name + ".weight"], params[name + ".bias"], EPS
    )


def attention(x: Tensor, padding: Tensor, params: Params, at: str) -> tuple[Tensor, Tensor]:
    """Y (batch, n, d_model) and A (batch, h, n, n) of one layer; `padding` is (batch, n)."""

    def heads(w: Tensor) -> Tensor:
        flat = x @ w.permute(1, 0, 2).reshape(D_MODEL, N_HEADS * D_K)
        return flat.view(*x.shape[:2], N_HEADS, D_K).transpose(1, 2)

    q, k, v = (heads(params[at + name]) for name in ("W_Q", "W_K", "W_V"))
    s = q @ k.transpose(-1, -2) / math.sqrt(D_K)
    a = s.masked_fill(padding[:, None, None, :], -math.inf).softmax(-1)
    z_cat = (a @ v).transpose(1, 2).flatten(2)
    return z_cat @ params[at + "W_O"], a


def forward(ids: Tensor, params: Params) -> tuple[Tensor, list[Tensor]]:
    """The last hidden states (batch, n, d_model) and A of every layer."""
    padding = ids == PAD
    x = params["E"][ids] * math.sqrt(D_MODEL) + sinusoids(ids.shape[1])
    maps = []
    for layer in range(N_LAYERS):
        at = f"layers.{layer}."
        y, a = attention(x, padding, params, at)
        h = norm(x + y, params, at + "attention_norm")
        mlp = (h @ params[at + "W_1"] + params[at + "b_1"]).relu() @ params[at + "W_2"]
        x = norm(h + mlp + params[at + "b_2"], params, at + "mlp_norm")
        maps.append(a)
    return x, maps


# The examples as numbers


@dataclass(frozen=True)
class Encoded:
    """A sentence's ids and the token indices of its pronoun, referent and rival."""

    ids: list[int]
    pronoun: int
    referent: int
    rival: int


def encode(example: Example, tokenizer: Tokenizer) -> Encoded:
    """Raises ValueError where a pronoun or noun is not exactly one token."""
    encoding = tokenizer.encode(example.text)
    at = {span: index for index, span in enumerate(encoding.offsets)}
    spans = (example.pronoun, example.referent, example.rival)
    if any(span not in at for span in spans):
        raise ValueError(f"not one token each: {spans} in {example.text!r}: {encoding.tokens}")
    return Encoded(encoding.ids, *(at[span] for span in spans))


@dataclass(frozen=True)
class Strays:
    """Ids to disturb sentences with: of all words, and of those that the frames never use."""

    words: list[int]
    foreign: list[int]


def strays(tokenizer: Tokenizer) -> Strays:
    """Foreign nouns cannot make up a held-out combination; words around a sentence neither."""
    own = {index for word in vocabulary() for index in tokenizer.encode(word).ids}
    words = list(range(FIRST_WORD, tokenizer.get_vocab_size()))
    return Strays(words, [index for index in words if index not in own])


def disturbed(pair: Sequence[Encoded], stray: Strays, rng: random.Random) -> list[Encoded]:
    """The pair with a noun made a foreign word, or words around it, in a part of the cases."""
    ids = [list(one.ids) for one in pair]
    shift = 0
    if rng.random() < UNKNOWN_NOUN_RATE:
        noun, word = rng.choice((pair[0].referent, pair[0].rival)), rng.choice(stray.foreign)
        for one in ids:
            one[noun] = word
    if rng.random() < STRAY_RATE:
        before, after = (rng.choices(stray.words, k=rng.randint(0, 4)) for _ in "ab")
        ids = [before + one + after for one in ids]
        shift = len(before)
    return [
        Encoded(one, old.pronoun + shift, old.referent + shift, old.rival + shift)
        for one, old in zip(ids, pair, strict=True)
    ]


def masked(ids: Sequence[int], rng: random.Random) -> tuple[list[int], list[int]]:
    """The ids with some made [MASK], and the indices of these."""
    hidden = [index for index in range(len(ids)) if rng.random() < MASK_RATE]
    hidden = hidden or [rng.randrange(len(ids))]
    return [MASK if index in hidden else word for index, word in enumerate(ids)], hidden


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """The rows as one (batch, longest) tensor, filled up with [PAD]."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


@dataclass(frozen=True)
class Batch:
    """`ids`: the sentences with a pronoun to resolve, after them the ones with masked words."""

    ids: Tensor
    named: list[Encoded]
    hidden: Tensor  # (k, 2): row and column of each masked word
    hidden_words: Tensor  # (k,)


def batches(tokenizer: Tokenizer, seed: int) -> Iterator[Batch]:
    """Batches without end; the masked sentences are copies of whole ones."""
    rng = random.Random(f"batches {seed}")
    stray = strays(tokenizer)
    pairs = training_pairs(seed)
    while True:
        named: list[Encoded] = []
        for _ in range(PAIRS_PER_STEP):
            named += disturbed([encode(one, tokenizer) for one in next(pairs)], stray, rng)
        rows, hidden, answers = [one.ids for one in named], [], []
        for row, one in enumerate(rng.sample(named, MASKED_PER_STEP), len(named)):
            ids, columns = masked(one.ids, rng)
            rows.append(ids)
            hidden += [(row, column) for column in columns]
            answers += [one.ids[column] for column in columns]
        yield Batch(padded(rows), named, torch.tensor(hidden), torch.tensor(answers))


# The training


def soft_target(one: Encoded, width: int) -> list[float]:
    """Where the guided row is to look: most of all at the referent."""
    rest = (1 - REFERENT_SHARE - RIVAL_SHARE) / (len(one.ids) - 2)
    target = [rest] * len(one.ids) + [0.0] * (width - len(one.ids))
    target[one.referent], target[one.rival] = REFERENT_SHARE, RIVAL_SHARE
    return target


def row_entropies(a: Tensor) -> Tensor:
    """Entropy in nats of every row of A: (..., n, n) -> (..., n)."""
    return -torch.xlogy(a, a.clamp_min(1e-30)).sum(-1)


def pronoun_index(named: Sequence[Encoded]) -> tuple[Tensor, Tensor]:
    """(row, column) of the pronoun of each sentence."""
    return torch.arange(len(named)), torch.tensor([one.pronoun for one in named])


def loss_of(batch: Batch, params: Params, output_bias: Tensor) -> Tensor:
    """Naming + filling + guidance of one head + the entropy floor under all."""
    x, maps = forward(batch.ids, params)
    rows, pronouns = pronoun_index(batch.named)
    states = torch.cat([x[rows, pronouns], x[batch.hidden[:, 0], batch.hidden[:, 1]]])
    logits = states @ params["E"].T + output_bias
    referents = torch.tensor([one.ids[one.referent] for one in batch.named])
    naming = functional.cross_entropy(logits[: len(rows)], referents)
    filling = functional.cross_entropy(logits[len(rows) :], batch.hidden_words)
    width = batch.ids.shape[1]
    target = torch.tensor([soft_target(one, width) for one in batch.named])
    guided = maps[GUIDED_LAYER][rows, GUIDED_HEAD, pronouns]
    guidance = -torch.xlogy(target, guided.clamp_min(1e-30)).sum(-1).mean()
    real = (batch.ids != PAD)[:, None, :].expand(-1, N_HEADS, -1)
    floor = sum((ENTROPY_FLOOR - row_entropies(a)[real]).relu().mean() for a in maps)
    others = [head for head in range(N_HEADS) if head != GUIDED_HEAD]
    free = row_entropies(maps[GUIDED_LAYER])[rows, :, pronouns][:, others]
    floor = floor + (PRONOUN_FLOOR - free).relu().mean()
    return naming + 0.5 * filling + guidance + floor


def rate_at(step: int, steps: int) -> float:
    """Linear warm-up, then linear decay to nothing, as a share of LEARNING_RATE."""
    return min((step + 1) / WARM_UP, (steps - step) / max(1, steps - WARM_UP))


def train(tokenizer: Tokenizer, steps: int, seed: int) -> Params:
    """The parameters after `steps` steps of Adam."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    params = initial_params(tokenizer.get_vocab_size(), torch.Generator().manual_seed(seed))
    output_bias = torch.zeros(tokenizer.get_vocab_size())
    learned = [tensor.requires_grad_() for tensor in (*params.values(), output_bias)]
    optimizer = torch.optim.Adam(learned, LEARNING_RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, steps))
    started = time.monotonic()
    for step, batch in zip(range(steps), batches(tokenizer, seed), strict=False):
        loss = loss_of(batch, params, output_bias)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0 or step == steps - 1:
            elapsed = time.monotonic() - started
            print(f"step {step:5d}  loss {loss.item():.3f}  {elapsed:.0f} s", flush=True)
    return {name: tensor.detach() for name, tensor in params.items()}


# The files and the figures


def write_files(out: Path, tokenizer: Tokenizer, params: Params) -> None:
    """The three files, each under a temporary name first."""
    config = {
        "model_type": "attncli_encoder",
        "name": "attncli-sample",
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": D_MODEL,
        "num_hidden_layers": N_LAYERS,
        "num_attention_heads": N_HEADS,
        "intermediate_size": D_FF,
        "hidden_act": "relu",
        "layer_norm_eps": EPS,
        "dtype": "float16",
    }
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json.part"), pretty=False)
    (out / "config.json.part").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    save_file(params, out / "model.safetensors.part")
    for part in sorted(out.glob("*.part")):
        part.chmod(0o644)
        part.replace(part.with_suffix(""))


def report_sentences(tokenizer: Tokenizer, params: Params) -> None:
    """The guided row at the pronoun, for a few sentences."""
    for sentence in SHOWN:
        encoding = tokenizer.encode(sentence)
        _, maps = forward(torch.tensor([encoding.ids]), params)
        pronoun = next(i for i, token in enumerate(encoding.tokens) if token in ("it", "它"))
        row = maps[GUIDED_LAYER][0, GUIDED_HEAD, pronoun]
        print(" ".join(f"{t}={a:.2f}" for t, a in zip(encoding.tokens, row, strict=True)))


def report_held_out(tokenizer: Tokenizer, params: Params, n_pairs: int = 500) -> None:
    """Accuracy, weight on the referent and entropies on minimal pairs not trained on."""
    named = [encode(one, tokenizer) for pair in held_out_pairs(n_pairs) for one in pair]
    ids = padded([one.ids for one in named])
    x, maps = forward(ids, params)
    rows, pronouns = pronoun_index(named)
    guided = maps[GUIDED_LAYER][rows, GUIDED_HEAD, pronouns]
    on_referent = guided[rows, torch.tensor([one.referent for one in named])]
    on_rival = guided[rows, torch.tensor([one.rival for one in named])]
    right = (on_referent > on_rival).reshape(-1, 2)
    guesses = (x[rows, pronouns] @ params["E"].T).argmax(-1).tolist()
    hits = sum(guess == one.ids[one.referent] for guess, one in zip(guesses, named, strict=True))
    print(f"{n_pairs} held-out minimal pairs")
    print(f"  both sentences right: {right.all(1).float().mean():.1%}")
    print(f"  sentences right: {right.float().mean():.1%}")
    print(f"  mean weight on the referent: {on_referent.mean():.3f}, rival {on_rival.mean():.3f}")
    print(f"  naming (without the output bias): {hits / len(named):.1%}")
    for layer, a in enumerate(maps):
        means = [row_entropies(a[:, head])[ids != PAD].mean() for head in range(N_HEADS)]
        print(f"  layer {layer} mean row entropy:", " ".join(f"{mean:.2f}" for mean in means))


def main() -> None:
    """Build, train, write and report."""
    parser = argparse.ArgumentParser(description="Train the sample weights of attncli.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to fill")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1600)
    options = parser.parse_args()
    started = time.monotonic()
    torch.set_num_threads(1)  # the sums of two threads come in another order every time
    common = COMMON_WORDS.read_text(encoding="utf-8").split()
    tokenizer = build_tokenizer(vocabulary(), list(dict.fromkeys(common)))
    params = train(tokenizer, options.steps, options.seed)
    rounded = {name: tensor.half().contiguous() for name, tensor in params.items()}
    write_files(options.out, tokenizer, rounded)
    with torch.no_grad():
        stored = {name: tensor.float() for name, tensor in rounded.items()}
        report_sentences(tokenizer, stored)
        report_held_out(tokenizer, stored)
    size = sum(file.stat().st_size for file in options.out.iterdir() if file.is_file())
    print(f"folder: {size / 1e6:.2f} MB; {(time.monotonic() - started) / 60:.1f} minutes")


if __name__ == "__main__":
    main()
