"""The lines above everything else."""

from views_fixtures import make_spec, make_tokens, plain, printed_lines

from attncli.views.header import header

TOKENS = make_tokens("[CLS]", "the", "cat", "sat", special=("[CLS]",))


def lines_of(name, screen, heads=(0,), source="random weights", tokens=TOKENS, **spec):
    spec = make_spec(**{"n_heads": 4, "d_model": 8, "d_k": 2, **spec})
    return printed_lines(header(name, source, spec, 1, heads, tokens, screen), screen)


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


def test_one_is_not_many():
    assert lines_of("tiny", plain(), n_layers=1, n_heads=1)[0].startswith(
        "tiny · 1 layer × 1 head · d_model 8"
    )


def test_a_long_path_is_folded_and_keeps_its_end():
    source = "the folder /home/someone/checkpoints/bert-base-uncased/2024-01-01/step-1000"
    assert lines_of("tiny", plain(40), source=source)[1:4] == [
        "  · d_k 2 · the folder /home/someone/",
        "  checkpoints/bert-base-uncased/",
        "  2024-01-01/step-1000",
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


def test_fewer_key_value_heads_are_counted():
    assert lines_of("tiny", plain(), n_heads=8, n_kv_heads=2)[0].startswith(
        "tiny · 2 layers × 8 heads, 2 key/value heads · d_model 8"
    )


def test_in_cross_attention_both_lists_of_tokens_are_shown():
    screen, source = plain(30), make_tokens("le", "chat", "dort")
    view = header("tiny", "x", make_spec(n_heads=4), 1, [0], TOKENS, screen, keys=source)
    assert printed_lines(view, screen)[-5:] == [
        "layer 1, cross-attention, head",
        "L1H0",
        "target:  0 [CLS]  1 the  2 cat",
        "  3 sat",
        "source:  0 le  1 chat  2 dort",
    ]
