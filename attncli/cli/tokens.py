"""`attncli tokens`: how a sentence is split, and what the tokenizer does to it."""

import sys

from attncli.cli import options as opt
from attncli.cli.console import Color, find_screen, render, write_answer, write_notes
from attncli.errors import UsageError


def tokens(
    sentence: opt.Sentence = None,
    weights: opt.WeightsName = "sample",
    pair: opt.Pair = None,
    revision: opt.Revision = None,
    offline: opt.Offline = False,
    width: opt.Width = None,
    color: opt.ColorWhen = Color.auto,
    json: opt.Json = False,
) -> None:
    """Show the tokens of a sentence: ids, pieces, places.

    Only the tokenizer.json of the weights is needed.

    \b
    attncli tokens "The Café is closed" -w path/to/checkpoint
    """
    from attncli.text.normaliser import describe_normaliser
    from attncli.text.source import read_text
    from attncli.text.tokenizer import encode, kind_of, load, vocabulary_size
    from attncli.weights.places import find_tokenizer_file

    if json and width:
        raise UsageError("--width has no effect on --json")
    text = read_text(sentence, sys.stdin.buffer)
    tokenizer = load(find_tokenizer_file(weights, revision=revision, offline=offline))
    encoding = encode(tokenizer, text, pair)
    if json:
        from attncli.exports.tokens_document import tokens_to_json

        answer = tokens_to_json(tokenizer, encoding, text, pair)
    else:
        from attncli.views.token_table import token_table, tokenizer_facts, tokenizer_title

        screen = find_screen(color, width)
        facts = tokenizer_facts(describe_normaliser(tokenizer.library), tokenizer.frames)
        top = tokenizer_title(weights, kind_of(tokenizer), vocabulary_size(tokenizer), screen)
        answer = render((top, "", token_table(encoding.tokens, facts, screen)), screen)
    write_answer(answer)
    write_notes(encoding.notes)
