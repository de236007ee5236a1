"""The catalogue: every sentence of the narration, in English and in Chinese side by side.

The Chinese terms are the article's: 查询向量 query, 键向量 key, 值向量 value, 点积 dot product,
分数 score, 权重 weight, 注意力头 head. {s} is an English plural ending (`say`).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One sentence or phrase; the same placeholders in every language."""

    en: str
    zh: str


MESSAGES = {
    "layers": Message("{count} layer{s}", "{count} 层"),
    "heads": Message("{count} head{s}", "{count} 头"),
}
