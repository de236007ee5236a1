"""200 sentences in ten scripts, with what tokenizers trip over: case, marks, digits, blanks."""

import random
import unicodedata

WORDS = {
    "Latin": "The animal didn't cross Straße naïve CAFÉ l'été Łódź İstanbul ﬁne x²",
    "Vietnamese": "Tiếng Việt không khó đọc nhưng dấu thanh ở đâu phở Huế",
    "Greek": "Η γάτα κοιμάται πάνω στο ΣΠΊΤΙ της Ἀθήνας ἄνθρωπος λόγος ς",
    "Cyrillic": "Кошка не перешла Улицу потому что ЁЖИК устал їжак Њ",
    "Hebrew": "החתול לא חצה את הרחוב כי הוא עייף שָׁלוֹם ירושלים",
    "Arabic": "القطة لم تعبر الشارع لأنها متعبة كتـــاب مُحَمَّد ١٢٣",
    "Devanagari": "बिल्ली ने सड़क पार नहीं की क्योंकि वह थकी क़लम हिन्दी १२३",
    "Chinese": "动物 没有 过街 因為 它 太累了 龍 𠮷野家 ，。「好」",
    "Japanese": "ネコ は 道路を 渡らなかった が ｶﾞｷﾞ ﾈｺ 疲れていた 「東京」",
    "Korean": "고양이는 길을 건너지 않았다 왜냐하면 피곤했기 때문이다 한글 각",
}
_MARKS = (
    " ",
    " ",
    " ",
    ", ",
    "  ",
    "-",
    "…",
    "! ",
    "\t",
    "\n",
    "\u00a0",
    " 🤗 ",
    " 3.14 ",
    " 2026",
)


def sentences(count: int = 200) -> list[str]:
    """As many of each script; every third one decomposed, every tenth with a blank in front."""
    draw = random.Random(0)
    made = []
    for nth in range(count):
        words = list(WORDS.values())[nth % len(WORDS)].split()
        chosen = draw.choices(words, k=draw.randint(3, 8))
        text = "".join(word + draw.choice(_MARKS) for word in chosen)
        text = unicodedata.normalize("NFD", text) if nth % 3 == 0 else text.strip()
        made.append(" " + text if nth % 10 == 7 else text)
    return made
