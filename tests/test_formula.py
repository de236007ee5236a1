"""Formulas in TeX, read off as text."""

import pytest

from attncli.narration.formula import plain, subscript


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"S_{7j} = q_{7} \cdot k_j \div \sqrt{64}", "S₇ⱼ = q₇·kⱼ ÷ √64"),
        (r"a_{12j} = \exp(S_{12j} - \text{max}) / \text{sum}", "a₁₂ⱼ = exp(S₁₂ⱼ − max) / sum"),
        (r"q_{0}[3] = \sum_{t} x_{0}[t]\ W_Q[t,3] + b_Q[3]", "q₀[3] = Σ x₀[t] W_Q[t,3] + b_Q[3]"),
        (r"z_{1} = \sum_{j} a_{1j} v_j", "z₁ = Σ a₁ⱼ vⱼ"),
        (r"y_{1} = z_\text{cat} W_O", "y₁ = z_cat W_O"),
        (r"(1 \times 512)\ (512 \times 64) \to (1 \times 64)", "(1 × 512) (512 × 64) → (1 × 64)"),
        (r"q_{2} / \sqrt{\text{mean}(q^2) + \varepsilon} \times w", "q₂ / √(mean(q²) + ε) × w"),
        (r"\exp(S{-}\text{最大})", "exp(S−最大)"),
    ],
)
def test_text(tex, text):
    assert plain(tex) == text


def test_subscripts():
    assert subscript(10) == "₁₀"
