"""The lines above everything else."""

from views_fixtures import make_tokens, plain, printed_lines

from attncli.views.header import header

TOKENS = make_tokens("[CLS]", "the", "cat", "sat", special=("[CLS]",))


def lines_of(name, screen, heads=(0,), n_heads=4, tokens=TOKENS):
    view = header(
        name,
        "random weights",
        n_layers=2,
        n_heads=n_heads,
        d_model=8,
        d_k=2,
        layer=1,
        heads=heads,
        tokens=tokens,
        screen=screen,
    )
    return printed_lines(view, screen)


def test_header():
    assert lines_of("tiny", plain(80)) == [
        "tiny · 2 layers × 4 heads · d_model 8 · d_k 2 · random weights",
        "layer 1, head L1H0",
        "0 [CLS]  1 the  2 cat  3 sat",
    ]


def test_lines_break_between_facts_and_between_tokens():
    assert lines_of("tiny", plain(24)) == [
        "tiny",
        "  · 2 layers × 4 heads",
        "  · d_model 8 · d_k 2",
        "  · random weights",
        "layer 1, head L1H0",
        "0 [CLS]  1 the  2 cat",
        "  3 sat",
    ]


def test_several_heads_are_named():
    assert lines_of("tiny", plain(), heads=(0, 3))[1] == "layer 1, heads L1H0, L1H3"
    assert lines_of("tiny", plain(), heads=(0, 1, 2, 3))[1] == "layer 1, all 4 heads"


def test_text_from_elsewhere_is_shown_as_it_is_and_steers_nothing():
    lines = lines_of("[/]\x1b[2J:smile:", plain(), tokens=make_tokens("[bold]", "\x07"))
    assert lines[0].startswith(r"[/]\x1b[2J:smile: ·")
    assert lines[2] == r"0 [bold]  1 \x07"


def test_special_tokens_stand_in_brackets():
    tokens = make_tokens("<s>", "▁end", special=("<s>", "▁end"))
    assert lines_of("tiny", plain(), tokens=tokens)[2] == "0 <s>  1 [▁end]"


def test_ascii():
    lines = lines_of("é", plain(unicode=False), tokens=make_tokens("日本", " the"))
    assert lines[0].startswith(r"\xe9 . 2 layers x 4 heads")
    assert lines[2] == r"0 \u65e5\u672c  1 _the"
