"""`attncli export`: what was computed, as a file."""

from pathlib import Path

from attncli.cli import options as opt
from attncli.cli.answer import find_answer
from attncli.cli.console import write_answer, write_notes

STDOUT = Path("-")


def export(
    sentence: opt.Sentence = None,
    output: opt.Output = STDOUT,
    weights: opt.WeightsName = "sample",
    ids: opt.Ids = None,
    pair: opt.Pair = None,
    stack: opt.StackName = None,
    target: opt.Target = None,
    target_ids: opt.TargetIds = None,
    layer: opt.Layer = -1,
    head: opt.HeadList = None,
    show: opt.Show = None,
    token: opt.TokenName = None,
    causal: opt.Causal = False,
    attention_mask: opt.AttentionMask = None,
    dtype: opt.DtypeName = opt.Dtype.float32,
    seed: opt.Seed = None,
    d_model: opt.DModel = None,
    heads: opt.Heads = None,
    layers: opt.Layers = None,
    norm_first: opt.NormFirst = False,
    activation: opt.Activation = None,
    revision: opt.Revision = None,
    offline: opt.Offline = False,
) -> None:
    """Write a sentence's attention as JSON.

    All heads and all matrices of one layer, unless told otherwise.

    \b
    attncli export "The animal didn't cross the street" -o attention.json
    """
    from attncli.exports.files import check_writable, write_file
    from attncli.exports.json_document import to_json

    shown = opt.MATRICES if show is None else opt.parse_show(show)
    if output != STDOUT:
        check_writable(output)
    answer = find_answer(
        sentence,
        ids=ids,
        pair=pair,
        stack=stack,
        target=target,
        target_ids=target_ids,
        weights=weights,
        revision=revision,
        offline=offline,
        layer=layer,
        head=head or ["all"],
        every_head=False,
        token=token,
        causal=causal,
        attention_mask=attention_mask,
        dtype=dtype,
        seed=seed,
        d_model=d_model,
        heads=heads,
        layers=layers,
        norm_first=norm_first,
        activation=activation,
    )
    text = to_json(answer.inspection, answer.heads, shown, answer.derivations)
    if output == STDOUT:
        write_answer(text)
    else:
        write_file(output, text)
    write_notes(answer.inspection.notes)
