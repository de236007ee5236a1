"""Sentences whose pronoun has one referent that a single word decides, in English and Chinese.

A frame is a small story with two nouns, A and B, and a list of word pairs. The first word of a
pair can only be said of A, the second only of B: "The animal didn't cross the street because it
was too tired" / "... too wide". Filling a frame twice, alike but for that word, gives a minimal
pair. Every choice comes from a seed; the standard library is all that is needed.

Template language: words are set apart by blanks (in Chinese too, where the blanks are dropped
when the sentence is written), `[a|b|]` is a choice, `{A}` and `{B}` are the nouns, `{P}` the
pronoun, `{W}` the deciding word, `{be}` "was" or "is".
"""

import hashlib
import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

Span = tuple[int, int]
HELD_OUT_SHARE = 0.15


@dataclass(frozen=True)
class Example:
    """One sentence; the spans are (start, end) in characters of `text`, end exclusive."""

    text: str
    language: str
    frame: str
    pronoun: Span
    referent: Span
    rival: Span


@dataclass(frozen=True)
class Frame:
    """A story: nouns for A and B, deciding words (for A, for B) and the ways to tell it.

    `present` repeats `past` in the present tense, where there is one. `links` join the main
    clause to the reason that follows it; `fronts` open a reason that comes first (none: never).
    """

    name: str
    language: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    past: tuple[str, ...]
    present: tuple[str, ...]
    reason: str
    pronouns: tuple[str, ...]
    links: tuple[str, ...]
    fronts: tuple[str, ...]


@dataclass(frozen=True)
class Combination:
    """What the split into training and held-out goes by: a frame and the words that fill it."""

    frame: Frame
    first: str
    second: str
    pair: tuple[str, str]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((left, right) for left, right in (item.split("/") for item in text.split()))


def _english(
    name: str,
    first: str,
    second: str,
    pairs: str,
    past: tuple[str, ...],
    present: tuple[str, ...] = (),
    reason: str = "{P} {be} [too|too|so|very] {W}",
) -> Frame:
    """A frame whose reason follows with "because" (or the like) or comes first."""
    links = ("because", "because", "because", ", because", "since", "as", ".")
    return Frame(
        name, "en", _words(first), _words(second), _pairs(pairs), past, present, reason,
        ("it",), links, ("because", "because", "since", "as"),
    )  # fmt: skip


def _chinese(
    name: str,
    first: str,
    second: str,
    pairs: str,
    past: tuple[str, ...],
    reason: str = "{P} [太 {W} 了|太 {W} 了|太 {W}|很 {W}|非常 {W}|十分 {W}]",
) -> Frame:
    """The Chinese counterpart of `_english`; the language has no tenses to vary."""
    links = ("， 因为", "， 因为", "， 因为", "， 由于", ", 因为", "因为", "。")
    return Frame(
        name, "zh", _words(first), _words(second), _pairs(pairs), past, (), reason,
        ("它",), links, ("因为", "因为", "由于"),
    )  # fmt: skip


def _about_people(frame: Frame) -> Frame:
    return replace(frame, pronouns=("he", "she") if frame.language == "en" else ("他", "她"))


def _until(frame: Frame) -> Frame:
    links = ("until", "until", ", until") if frame.language == "en" else ("， 直到", "直到")
    return replace(frame, links=links, fronts=())


EN_ANIMALS = "animal dog cat horse cow goat sheep rabbit fox bear monkey donkey lion wolf puppy"
ZH_ANIMALS = "动物 狗 猫 兔子 羊 猴子 狐狸 熊 老虎 狮子 小狗 小猫 山羊 驴"
EN_FOOD = "meat fish bread cake cheese soup apple rice egg pie carrot sandwich"
ZH_FOOD = "肉 鱼 面包 蛋糕 奶酪 苹果 米饭 鸡蛋 胡萝卜 饼干 香肠 玉米"
EN_PEOPLE = "teacher doctor nurse lawyer farmer driver student cook pilot singer painter writer"
ZH_PEOPLE = "老师 医生 护士 律师 农民 司机 学生 厨师 警察 歌手 画家 作家"
EN_VESSELS = "bottle jug bucket kettle barrel can"
EN_CUPS = "cup glass bowl mug pot tank vase jar"
ZH_VESSELS = "瓶子 水壶 水桶 茶壶 罐子 木桶"
ZH_CUPS = "杯子 碗 锅 盆子 花瓶 水缸 鱼缸 水槽"
EN_THE = "[the|the|the|a|this|that]"
EN_NOT = "[didn't|did not|couldn't|could not|wouldn't|would not]"
EN_NOT_NOW = "[doesn't|does not|can't|cannot|won't|will not]"
EN_POSITIVE = "{P} {be} [so|very|really|] {W}"
ZH_POSITIVE = "{P} [很 {W}|非常 {W}|十分 {W}|太 {W} 了|特别 {W}]"
ZH_ONLY = "[那只|那只|这只|一只|]"
ZH_ONE = "[那个|这个|一个||]"
ZH_NOT = "[没有|没有|没|没能|不能|不想|不肯]"
EN_POUR = (
    "[he|she|we|they|someone|the man|the girl] poured [water|milk|juice|tea] from "
    f"{EN_THE} {{A}} into {EN_THE} {{B}}"
)
ZH_POUR = (
    "[他|她|我们|他们|妈妈|有人] 把 [水|牛奶|果汁|茶] 从 "
    f"{ZH_ONE} {{A}} [里|] [倒进|倒入] {ZH_ONE} {{B}} [里|]"
)

ENGLISH_FRAMES = (
    _english(
        "street", EN_ANIMALS, "street road highway bridge avenue lane square path field alley",
        "tired/wide sleepy/busy exhausted/broad weak/icy lazy/muddy sick/crowded scared/slippery "
        "hungry/steep weary/long ill/flooded",
        (f"{EN_THE} {{A}} {EN_NOT} [cross|cross|cross|walk across|go across] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} [cross|cross|walk across|go across] {EN_THE} {{B}}",),
    ),
    _english(
        "river", EN_ANIMALS, "river lake stream canal pond bay creek sea",
        "tired/wide weak/deep exhausted/cold young/rough sleepy/broad old/fast lazy/muddy",
        (f"{EN_THE} {{A}} {EN_NOT} [cross|swim across|swim over] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} [cross|swim across] {EN_THE} {{B}}",),
    ),
    _english(
        "container", "trophy ball book lamp toy laptop violin statue guitar clock helmet pillow",
        "suitcase box bag drawer backpack crate basket case chest trunk",
        "big/small large/little wide/narrow long/short huge/tiny thick/tight bulky/cramped",
        (f"{EN_THE} {{A}} [didn't|did not|wouldn't|couldn't] fit [in|into|inside] {EN_THE} {{B}}",),
        (
            f"{EN_THE} {{A}} [doesn't|does not|won't|can't] fit [in|into|inside] {EN_THE} {{B}}",
            f"{EN_THE} {{A}} [doesn't|does not] go into {EN_THE} {{B}}",
        ),
    ),
    _english(
        "refuse_food", EN_ANIMALS, EN_FOOD,
        "tired/salty sick/spoiled sleepy/stale nervous/bitter shy/sour scared/burnt ill/rotten "
        "lazy/frozen",
        (f"{EN_THE} {{A}} {EN_NOT} [eat|eat|touch|finish] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} [eat|eat|touch|finish] {EN_THE} {{B}}",),
    ),
    _english(
        "eat_food", EN_ANIMALS, EN_FOOD,
        "hungry/tasty greedy/delicious starving/fresh thin/sweet ravenous/ripe famished/juicy",
        (f"{EN_THE} {{A}} [ate|ate|quickly ate|finished|swallowed] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [eats|is eating|finishes] {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _about_people(_english(
        "thank", EN_PEOPLE, EN_PEOPLE,
        "grateful/helpful thankful/generous relieved/kind touched/thoughtful pleased/reliable",
        ("the {A} [thanked|praised|smiled at|hugged] the {B}",),
        ("the {A} [thanks|praises|smiles at|hugs] the {B}",),
        EN_POSITIVE,
    )),
    _about_people(_english(
        "help", EN_PEOPLE, EN_PEOPLE,
        "kind/hurt generous/poor strong/weak friendly/lost caring/sick skilled/helpless",
        ("the {A} [helped|saved|assisted|rescued] the {B}",),
        ("the {A} [helps|saves|assists|is helping] the {B}",),
        EN_POSITIVE,
    )),
    _about_people(_english(
        "ask", EN_PEOPLE, EN_PEOPLE,
        "confused/wise unsure/experienced lost/clever worried/smart puzzled/skilled",
        ("the {A} asked the {B} for [help|advice]", "the {A} [called|consulted] the {B}"),
        ("the {A} asks the {B} for [help|advice]", "the {A} [calls|consults] the {B}"),
        EN_POSITIVE,
    )),
    _english(
        "vehicle", "truck bus van lorry coach trailer tractor wagon crane jeep",
        "tunnel gate bridge arch passage doorway garage gateway",
        "tall/low wide/narrow big/small high/little bulky/tight long/winding large/cramped",
        (f"{EN_THE} {{A}} {EN_NOT} [pass|go|drive] [through|under] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} [pass|go|drive] [through|under] {EN_THE} {{B}}",),
    ),
    _english(
        "break", "hammer rock stone ball brick axe stick pan bat log",
        "window vase plate mirror glass cup bottle bowl lamp jar",
        "heavy/fragile hard/thin solid/delicate strong/weak massive/brittle big/cracked",
        (f"{EN_THE} {{A}} [broke|smashed|shattered|cracked] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [breaks|smashes] {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _english(
        "roll", "ball egg apple orange marble coin pencil melon bead",
        "table desk shelf roof bench board counter tray",
        "round/tilted spherical/uneven light/steep rounded/crooked",
        (f"{EN_THE} {{A}} [rolled|slid|fell] [off|from] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [rolls|slides|falls] [off|from] {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _english(
        "hide_view", "tree wall hedge hill tower fence building rock",
        "house cottage garden car hut barn shed tent",
        "tall/small big/low huge/tiny high/little broad/short",
        (f"{EN_THE} {{A}} [hid|covered|shaded] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [hides|covers|shades] {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _english(
        "sleep", EN_ANIMALS, "sofa bed carpet cushion pillow blanket mat rug chair couch",
        "tired/soft sleepy/comfortable lazy/warm exhausted/cozy weary/roomy weak/flat",
        (f"{EN_THE} {{A}} [slept|lay|rested] on {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [sleeps|lies|rests|is sleeping] on {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _english(
        "weather", "storm wind flood hurricane wave gale tornado",
        "roof bridge hut tent boat fence wall tree",
        "strong/weak violent/old fierce/flimsy powerful/rotten severe/unsafe heavy/light",
        (f"{EN_THE} {{A}} [destroyed|damaged|broke|carried away] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [destroys|damages|breaks|carries away] {EN_THE} {{B}}",),
        EN_POSITIVE,
    ),
    _until(_english(
        "pour_until", EN_VESSELS, EN_CUPS, "empty/full drained/overflowing",
        (EN_POUR,),
        (),
        "{P} was [|almost|completely] {W}",
    )),
    _english(
        "pour_because", EN_VESSELS, EN_CUPS, "full/empty heavy/dry",
        (EN_POUR,),
        (),
        "{P} was [|almost|completely|too|so] {W}",
    ),
    _english(
        "carry", EN_ANIMALS, "sack box load stone barrel log trunk crate rock",
        "weak/heavy tired/big old/bulky sick/huge exhausted/massive lazy/large",
        (f"{EN_THE} {{A}} {EN_NOT} [carry|pull|move|lift] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} [carry|pull|move|lift] {EN_THE} {{B}}",),
    ),
    _english(
        "climb", EN_ANIMALS, "hill mountain tree wall rock fence tower ladder cliff",
        "tired/steep lazy/high weak/icy scared/slippery exhausted/tall ill/smooth",
        (f"{EN_THE} {{A}} {EN_NOT} climb [|up|over] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} {EN_NOT_NOW} climb [|up|over] {EN_THE} {{B}}",),
    ),
    _english(
        "cut", "knife saw axe blade sword razor dagger",
        "bread meat rope wood cheese bone cake branch cloth",
        "blunt/hard dull/tough rusty/thick small/frozen bent/solid",
        (f"{EN_THE} {{A}} [didn't|did not|couldn't|could not] cut [|through] {EN_THE} {{B}}",),
        (f"{EN_THE} {{A}} [doesn't|does not|can't|cannot] cut [|through] {EN_THE} {{B}}",),
    ),
)  # fmt: skip

CHINESE_FRAMES = (
    _chinese(
        "street", ZH_ANIMALS, "街道 马路 街 大街 公路 小路 桥 大桥 广场 小巷",
        "累/宽 困/长 疲倦/宽阔 虚弱/滑 懒/拥挤 疲惫/泥泞 胆小/陡峭 饿/宽敞 害怕/陡",
        (f"{ZH_ONLY} {{A}} {ZH_NOT} [穿过|穿过|过|过|走过|横穿|穿越] [那条|这条||] {{B}}",),
    ),
    _chinese(
        "river", ZH_ANIMALS, "河 小溪 湖 大河 江 运河 池塘 海湾",
        "累/宽 虚弱/深 疲倦/宽阔 年幼/急 困/冷 老/浑浊 疲惫/冰冷",
        (f"{ZH_ONLY} {{A}} {ZH_NOT} [游过|渡过|过|穿过] [那条|这条||] {{B}}",),
    ),
    _chinese(
        "container", "奖杯 球 书 台灯 玩具 电脑 小提琴 雕像 吉他 头盔 枕头 篮球",
        "箱子 盒子 袋子 抽屉 背包 篮子 柜子 书包 行李箱 纸箱",
        "大/小 宽/窄 长/短 巨大/狭小 厚/紧 粗大/紧凑 高/矮",
        (
            f"{ZH_ONE} {{A}} [放不进|装不进|塞不进] {ZH_ONE} {{B}}",
            f"{ZH_ONE} {{A}} [不能|没法|无法] [放进|装进|塞进] {ZH_ONE} {{B}}",
        ),
    ),
    _chinese(
        "refuse_food", ZH_ANIMALS, ZH_FOOD,
        "累/咸 困/臭 饱/苦 害怕/酸 虚弱/硬 紧张/辣 懒/烫",
        (f"{ZH_ONLY} {{A}} {ZH_NOT} [吃|吃|吃掉|碰|吃完] [那个|这个|那块|这块||] {{B}}",),
    ),
    _chinese(
        "eat_food", ZH_ANIMALS, ZH_FOOD,
        "饿/香 贪吃/好吃 饥饿/新鲜 瘦/甜 馋/美味 贪嘴/可口",
        (f"{ZH_ONLY} {{A}} [吃 了|吃掉 了|吃完 了|咬 了|吞下 了] [那个|这个|那块|这块||] {{B}}",),
        ZH_POSITIVE,
    ),
    _about_people(_chinese(
        "thank", ZH_PEOPLE, ZH_PEOPLE, "感激/热心 感动/善良 满意/大方 欣慰/体贴 高兴/可靠",
        ("[那位|这位||] {A} [感谢|感谢 了|称赞 了|拥抱 了|夸奖 了] [那位|这位||] {B}",),
        ZH_POSITIVE,
    )),
    _about_people(_chinese(
        "help", ZH_PEOPLE, ZH_PEOPLE, "善良/可怜 大方/贫穷 强壮/虚弱 热心/无助 友好/困难 勇敢/危险",
        ("[那位|这位||] {A} [帮助 了|帮助|救 了|照顾 了] [那位|这位||] {B}",),
        ZH_POSITIVE,
    )),
    _about_people(_chinese(
        "ask", ZH_PEOPLE, ZH_PEOPLE, "困惑/聪明 迷茫/有经验 担心/博学 疑惑/专业 着急/能干",
        ("[那位|这位||] {A} [向] [那位|这位||] {B} [请教|求助|提问]",
         "[那位|这位||] {A} [咨询 了|询问 了] [那位|这位||] {B}"),
        ZH_POSITIVE,
    )),
    _chinese(
        "vehicle", "卡车 公交车 货车 面包车 拖车 大巴 拖拉机 吉普车 吊车",
        "隧道 大门 桥洞 拱门 通道 车库 城门 栏杆",
        "高/低 宽/窄 大/小 高大/矮小 庞大/狭窄 长/弯",
        ("[那辆|这辆|] {A} [没有|没能|不能|无法|没] [通过|穿过|开过|驶过] " + ZH_ONE + " {B}",),
    ),
    _chinese(
        "break", "锤子 石头 球 砖头 斧头 棍子 木头 铁锅 足球",
        "窗户 花瓶 盘子 镜子 玻璃 杯子 瓶子 碗 台灯",
        "重/脆 硬/薄 结实/脆弱 沉/旧 坚硬/易碎",
        (f"{ZH_ONE} {{A}} [打碎 了|打破 了|砸碎 了|砸坏 了] {ZH_ONE} {{B}}",),
        ZH_POSITIVE,
    ),
    _chinese(
        "roll", "球 鸡蛋 苹果 橙子 弹珠 硬币 铅笔 西瓜 珠子",
        "桌子 书桌 架子 屋顶 长凳 木板 柜台 托盘",
        "圆/斜 滚圆/不平 轻/陡 圆溜溜/歪",
        (f"{ZH_ONE} {{A}} 从 {ZH_ONE} {{B}} [上 滚 了 下来|上 掉 了 下来|上 滑 了 下来|上 滚下]",),
        ZH_POSITIVE,
    ),
    _chinese(
        "hide_view", "大树 围墙 树篱 山丘 高塔 篱笆 大楼 岩石",
        "房子 小屋 花园 汽车 木屋 谷仓 棚子 帐篷",
        "高/小 大/矮 高大/低 宽大/短 庞大/狭小",
        (f"{ZH_ONE} {{A}} [挡住 了|遮住 了|盖住 了] {ZH_ONE} {{B}}",),
        ZH_POSITIVE,
    ),
    _chinese(
        "sleep", ZH_ANIMALS, "沙发 床 地毯 垫子 枕头 毯子 椅子 被子 草席",
        "累/软 困/舒服 懒/暖和 疲惫/柔软 疲倦/舒适 虚弱/平整",
        (f"{ZH_ONLY} {{A}} [睡 在|躺 在|趴 在] {ZH_ONE} {{B}} 上",),
        ZH_POSITIVE,
    ),
    _chinese(
        "weather", "暴风雨 大风 洪水 台风 海浪 狂风 龙卷风",
        "屋顶 木桥 小屋 帐篷 小船 栅栏 围墙 大树",
        "强/弱 猛烈/旧 凶猛/单薄 强大/破旧 可怕/轻 急/松",
        (f"[那场|这场|一场|] {{A}} [摧毁 了|毁坏 了|冲走 了|破坏 了] {ZH_ONE} {{B}}",),
        ZH_POSITIVE,
    ),
    _until(_chinese(
        "pour_until", ZH_VESSELS, ZH_CUPS, "空/满 见底/溢出来",
        (ZH_POUR,),
        "{P} [{W} 了|已经 {W} 了|完全 {W} 了|快 {W} 了]",
    )),
    _chinese(
        "pour_because", ZH_VESSELS, ZH_CUPS, "满/空 重/干",
        (ZH_POUR,),
        "{P} [{W} 了|已经 {W} 了|太 {W} 了|很 {W}]",
    ),
    _chinese(
        "carry", ZH_ANIMALS, "麻袋 箱子 货物 石头 木桶 木头 行李 包裹",
        "虚弱/重 累/大 老/笨重 疲倦/沉 疲惫/巨大 懒/沉重",
        (f"{ZH_ONLY} {{A}} [搬不动|拉不动|背不动|拖不动] {ZH_ONE} {{B}}",
         f"{ZH_ONLY} {{A}} {ZH_NOT} [搬|拉|背|拖] {ZH_ONE} {{B}}"),
    ),
    _chinese(
        "climb", ZH_ANIMALS, "山坡 高山 大树 围墙 岩石 篱笆 高塔 梯子 悬崖",
        "累/陡 懒/高 虚弱/滑 害怕/险 疲惫/陡峭 困/光滑",
        (f"{ZH_ONLY} {{A}} {ZH_NOT} [爬上|爬|登上|爬过] {ZH_ONE} {{B}}",
         f"{ZH_ONLY} {{A}} [爬不上|登不上] {ZH_ONE} {{B}}"),
    ),
    _chinese(
        "cut", "刀 锯子 斧头 刀片 剑 剪刀 菜刀",
        "面包 肉 绳子 木头 奶酪 骨头 蛋糕 树枝 布",
        "钝/硬 旧/韧 小/厚 破旧/坚硬 短/粗",
        ("[那把|这把|一把|] {A} [切不开|切不断|割不断|砍不断] " + ZH_ONE + " {B}",
         "[那把|这把|一把|] {A} [没有|没|没能|不能] [切开|切断|割断|砍断] " + ZH_ONE + " {B}"),
    ),
)  # fmt: skip

FRAMES = ENGLISH_FRAMES + CHINESE_FRAMES


def combinations(frame: Frame) -> list[Combination]:
    """All ways to fill the frame's nouns and deciding words, in a fixed order."""
    filled = itertools.product(frame.first, frame.second, frame.pairs)
    return [Combination(frame, a, b, pair) for a, b, pair in filled if a != b]


def is_held_out(combination: Combination) -> bool:
    """Whether the combination is kept from training: decided by a hash, the same everywhere."""
    frame = combination.frame
    key = (frame.name, frame.language, combination.first, combination.second, *combination.pair)
    digest = hashlib.sha256("|".join(key).encode()).digest()
    return int.from_bytes(digest[:4], "big") < HELD_OUT_SHARE * 2**32


def _choose(template: str, rng: random.Random) -> str:
    return re.sub(r"\[([^]]*)\]", lambda match: rng.choice(match[1].split("|")), template)


def _layout(frame: Frame, rng: random.Random) -> list[str]:
    """The words of one telling of the frame, its placeholders not yet filled."""
    english = frame.language == "en"
    now = bool(frame.present) and rng.random() < 0.4
    main = _choose(rng.choice(frame.present if now else frame.past), rng)
    reason = _choose(frame.reason, rng).replace("{be}", "is" if now else "was")
    reason = reason.replace("{P}", "{P:" + rng.choice(frame.pronouns) + "}")
    comma, stop = (",", ".") if english else ("，", "。")
    if frame.fronts and rng.random() < 0.3:
        so = "" if english else rng.choice(("", "", "所以"))
        sentence = f"{rng.choice(frame.fronts)} {reason} {comma} {so} {main}"
    else:
        sentence = f"{main} {rng.choice(frame.links)} {reason}"
    return [*sentence.split(), *([stop] if rng.random() < 0.65 else [])]


def _blank(before: str, word: str, language: str) -> str:
    return " " if language == "en" and before and word not in (",", ".") else ""


def _write(combination: Combination, layout: list[str], word: int, capital: bool) -> Example:
    """Fill the layout; `word` is 0 where the deciding word speaks of A, 1 where of B."""
    frame = combination.frame
    nouns = {"{A}": combination.first, "{B}": combination.second}
    spans: dict[str, Span] = {}
    text, starts = "", True
    for item in layout:
        piece = nouns.get(item, combination.pair[word] if item == "{W}" else item)
        piece = piece[3:-1] if item.startswith("{P:") else piece
        if frame.language == "en" and text.split(" ")[-1] in ("a", "A") and piece[0] in "aeiou":
            text += "n"
        text += _blank(text, piece, frame.language)
        spans[item[:2]] = (len(text), len(text) + len(piece))
        text += piece[0].upper() + piece[1:] if starts and capital else piece
        starts = piece == "."
    referent, rival = (spans["{A"], spans["{B"])[:: -1 if word else 1]
    return Example(text, frame.language, frame.name, spans["{P"], referent, rival)


def minimal_pair(combination: Combination, rng: random.Random) -> tuple[Example, Example]:
    """Two sentences alike but for the deciding word; the first speaks of A, the second of B."""
    layout = _layout(combination.frame, rng)
    capital = rng.random() < 0.8
    return _write(combination, layout, 0, capital), _write(combination, layout, 1, capital)


def training_pairs(seed: int = 0) -> Iterator[tuple[Example, Example]]:
    """Minimal pairs without end, of combinations that are not held out.

    A frame whose A and B are the same nouns comes twice as often as the others: there the noun
    itself says nothing about its role, and such frames are the slowest to learn.
    """
    rng = random.Random(f"train {seed}")
    pools = [[c for c in combinations(frame) if not is_held_out(c)] for frame in FRAMES]
    shares = [2 if frame.first == frame.second else 1 for frame in FRAMES]
    while True:
        yield minimal_pair(rng.choice(rng.choices(pools, shares)[0]), rng)


def held_out_pairs(n: int, seed: int = 0) -> list[tuple[Example, Example]]:
    """`n` different minimal pairs of held-out combinations, going round all frames in turn."""
    rng = random.Random(f"held out {seed}")
    pools = [[c for c in combinations(frame) if is_held_out(c)] for frame in FRAMES]
    found: dict[str, tuple[Example, Example]] = {}
    for pool in itertools.cycle(pools):
        if len(found) >= n:
            break
        pair = minimal_pair(rng.choice(pool), rng)
        found.setdefault(pair[0].text, pair)
    return list(found.values())


def vocabulary() -> list[str]:
    """Every word the sentences are made of, in lower case, in the order of its first use."""
    texts: list[str] = []
    for frame in FRAMES:
        texts += [*frame.past, *frame.present, frame.reason, *frame.first, *frame.second]
        texts += [*frame.pronouns, *frame.links, *frame.fronts, *itertools.chain(*frame.pairs)]
    texts += ["an is was 所以 。"]
    words = re.sub(r"\{\w+\}|[\[\]|]", " ", " ".join(texts)).split()
    return list(dict.fromkeys(words))
