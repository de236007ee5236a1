"""`attncli tokens`: how a sentence is split, and what the tokenizer does to it."""

import sys
from dataclasses import asdict

from attncli.cli import options as opt
from attncli.cli.console import render, write_answer, write_notes
from attncli.cli.records import AnswerOptions, HubOptions


def tokens(
    *,
    sentence: str | None = opt.SENTENCE,
    weights: str = opt.WEIGHTS,
    pair: str | None = opt.PAIR,
    hub: HubOptions,
    output: AnswerOptions,
) -> None:
    """Show the tokens of a sentence: ids, pieces, places.

    Of a checkpoint, the files of its tokenizer are enough.

    \b
    attncli tokens "The Café is closed" -w path/to/checkpoint
    """
    from attncli.text.normaliser import describe_normaliser
    from attncli.text.source import read_text
    from attncli.text.tokenizer import encode, kind_of, load, vocabulary_size
    from attncli.weights.places import find_tokenizer

    screen = output.find_screen_or_json()
    text = read_text(sentence, sys.stdin.buffer)
    tokenizer = load(find_tokenizer(weights, **asdict(hub)))
    encoding = encode(tokenizer, text, pair)
    if screen is None:
        from attncli.exports.tokens_document import tokens_to_json

        answer = tokens_to_json(tokenizer, encoding, text, pair)
    else:
        from attncli.views.token_table import token_table, tokenizer_facts, tokenizer_title

        facts = tokenizer_facts(describe_normaliser(tokenizer.library), tokenizer.frames)
        top = tokenizer_title(weights, kind_of(tokenizer), vocabulary_size(tokenizer), screen)
        answer = render((top, "", token_table(encoding.tokens, facts, screen)), screen)
    write_answer(answer)
    write_notes(encoding.notes, output.lang)
