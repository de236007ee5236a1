"""The catalogue's sentences for the quiz (`attncli step --quiz`): questions and their reasons."""

from attncli.language.message import Message

QUIZ = {
    "quiz.title": Message("Before step {step}: {title}", "第 {step} 步之前：{title}"),
    "quiz.right": Message("Right: {truth}.", "正确：{truth}。"),
    "quiz.wrong": Message("Not {given}: {truth}.", "不是 {given}，而是 {truth}。"),
    "quiz.skipped": Message("Skipped. The answer is {truth}.", "已跳过。答案是 {truth}。"),
    "quiz.final": Message(
        "Quiz: {right} of {answered} answered right, {skipped} skipped.",
        "答题结果：回答 {answered} 题，答对 {right} 题，跳过 {skipped} 题。",
    ),
    "quiz.yes": Message("yes", "是"),
    "quiz.no": Message("no", "否"),
    "quiz.ask_yes_no": Message("y or n", "y（是）或 n（否）"),
    "quiz.ask_number": Message(
        "A number; fractions and roots will do: 2/3, sqrt(5).",
        "请输入一个数，也可以用分数和平方根：2/3、sqrt(5)。",
    ),
    "quiz.ask_key": Message("A token, by its number or its text.", "请输入 token 的编号或文本。"),
    "quiz.ask_head": Message("The number of a head.", "请输入注意力头的编号。"),
    "quiz.not_yes_no": Message(
        "{given} is neither yes nor no: type y or n", "{given} 既不是“是”也不是“否”：请输入 y 或 n"
    ),
    "quiz.not_number": Message(
        "{given} is no number: type one such as 0.5, 3/4 or 1/sqrt(2)",
        "{given} 不是数：请输入例如 0.5、3/4 或 1/sqrt(2)",
    ),
    "quiz.not_head": Message(
        "{given} is no head: type a number from 0 to {last}",
        "{given} 不是注意力头：请输入 0 到 {last} 之间的数",
    ),
    "quiz.not_choice": Message(
        "{given} is not one of the two: type {j} or {k}", "{given} 不在两者之中：请输入 {j} 或 {k}"
    ),
    "quiz.size_of_q": Message(
        "x has {d_model} numbers; the layer has {count} head{s}. How many numbers has the query q "
        "of one head?",
        "x 有 {d_model} 个数，这一层有 {count} 个注意力头。一个头的查询向量 q 有多少个数？",
    ),
    "quiz.size_of_q.why": Message(
        "W_Q of one head is {d_model} × {d_k}: each head works with a query of its own, as long as "
        "d_k says.",
        "一个头的 W_Q 是 {d_model} × {d_k} 的矩阵：每个头都有自己的查询向量，维度为 d_k。",
    ),
    "quiz.turned": Message(
        "Before it is rotated by its position, q has length {before}. Does the rotation change "
        "that?",
        "按位置旋转之前，q 的长度是 {before}。旋转会改变这个长度吗？",
    ),
    "quiz.turned.why": Message(
        "{before} before, {after} after: a rotation changes the direction only.",
        "旋转前 {before}，旋转后 {after}：旋转只改变方向。",
    ),
    "quiz.stretched.why": Message(
        "{before} before, {after} after: this model stretches q as it rotates it.",
        "旋转前 {before}，旋转后 {after}：这个模型在旋转时还会拉伸 q。",
    ),
    "quiz.better_match": Message(
        "With whose key has the query of {token} the larger dot product: {j} or {k}?",
        "{token} 的查询向量与哪一个的键向量点积更大：{j} 还是 {k}？",
    ),
    "quiz.better_match.why": Message(
        "q·k is {at_j} for {j} and {at_k} for {k}.",
        "与 {j} 的点积是 {at_j}，与 {k} 的点积是 {at_k}。",
    ),
    "quiz.number_of_dots": Message(
        "How many dot products are needed for the row of {token}?",
        "计算 {token} 这一行需要多少个点积？",
    ),
    "quiz.number_of_dots.why": Message(
        "One for each token that can be looked at, {keys} in all; each of them adds up {d_k} "
        "products.",
        "每个可以关注的 token 一个，共 {keys} 个；每个点积是 {d_k} 个乘积之和。",
    ),
    "quiz.scale": Message(
        "q and k have {d_k} numbers each. By what is every dot product multiplied before the "
        "softmax?",
        "q 和 k 各有 {d_k} 个数。在 softmax 之前，每个点积要乘以多少？",
    ),
    "quiz.scale.why": Message(
        "1/√d_k = 1/√{d_k} = {scale}: the root of d_k, neither d_k itself nor the root of d_model.",
        "1/√d_k = 1/√{d_k} = {scale}：除以键向量维度 d_k 的平方根，"
        "不是除以 d_k，也不是除以 √d_model。",
    ),
    "quiz.other_scale.why": Message(
        "This model has {scale} in place of 1/√d_k = {usual}.",
        "这个模型用 {scale} 代替 1/√d_k = {usual}。",
    ),
    "quiz.scaled": Message(
        "The dot product with {j} is {dot}, and d_k is {d_k}. What does scaling make of it?",
        "与 {j} 的点积是 {dot}，d_k 是 {d_k}。缩放之后是多少？",
    ),
    "quiz.scaled.why": Message(
        "{dot} / √{d_k} = {dot} × {scale} = {scaled}.",
        "{dot} / √{d_k} = {dot} × {scale} = {scaled}。",
    ),
    "quiz.positive": Message(
        "Before this step the number of {j} is {before}. Is its score S positive after it?",
        "这一步之前，{j} 的数是 {before}。这一步之后，它的分数 S 是正数吗？",
    ),
    "quiz.positive_scaled.why": Message(
        "{before} × {by} = {score}: a positive factor keeps the sign.",
        "{before} × {by} = {score}：乘以正数不改变符号。",
    ),
    "quiz.positive_biased.why": Message(
        "{before} with {by} added is {score}.", "{before} 加上 {by} 等于 {score}。"
    ),
    "quiz.cap_moves": Message(
        "The soft-cap turns a score s into {softcap} · tanh(s / {softcap}). Does that move any "
        "score of this row by more than {least}?",
        "软上限把分数 s 变成 {softcap} · tanh(s / {softcap})。"
        "这一行有分数会因此改变超过 {least} 吗？",
    ),
    "quiz.cap_moves.why": Message(
        "The score that moves most, that of {j}, goes from {scaled} to {capped}.",
        "变化最大的是 {j} 的分数，从 {scaled} 变为 {capped}。",
    ),
    "quiz.bias_raises": Message(
        "The positions add a number to each score. Does it raise the score of {j}?",
        "位置会给每个分数加上一个数。{j} 的分数会因此升高吗？",
    ),
    "quiz.bias_raises.why": Message("{bias} is added to it.", "加上的数是 {bias}。"),
    "quiz.masked": Message(
        "Is {j} masked for {token}?",
        "对 {token} 来说，{j} 被屏蔽了吗？",
    ),
    "quiz.masked.why": Message(
        "−∞ is added to the score of {j}, so its weight is exactly 0.",
        "{j} 的分数加上 −∞，所以它的权重恰好是 0。",
    ),
    "quiz.visible.why": Message(
        "0 is added to the score of {j}: it stays as it is.",
        "{j} 的分数加上 0，保持不变。",
    ),
    "quiz.number_visible": Message(
        "Of {keys} keys, how many does the mask leave for {token} to look at?",
        "在 {keys} 个键向量中，掩码给 {token} 留下多少个可以关注？",
    ),
    "quiz.number_visible.why": Message(
        "{visible} of {keys}. The others lose their score before the softmax, so that the weights "
        "of those that are left still sum to 1.",
        "{keys} 个中的 {visible} 个。其余的在 softmax 之前就被屏蔽，所以留下的权重之和仍为 1。",
    ),
    "quiz.none_visible.why": Message(
        "{visible} of {keys}: every key of this row is masked, and it has no weights at all.",
        "{keys} 个中的 {visible} 个：这一行的键全部被屏蔽，完全没有权重。",
    ),
    "quiz.factor": Message(
        "S is {at_j} for {j} and {at_k} for {k}. About how many times the weight of {k} does {j} "
        "get?",
        "{j} 的分数 S 是 {at_j}，{k} 的是 {at_k}。{j} 的权重大约是 {k} 的多少倍？",
    ),
    "quiz.factor.why": Message(
        "The scores are {apart} apart, and e^{apart} = {factor}: only differences between scores "
        "count.",
        "两个分数相差 {apart}，e^{apart} = {factor}：只有分数之差起作用。",
    ),
    "quiz.largest_weight": Message(
        "Guess first: which token gets the largest weight from {token}?",
        "先猜一猜：{token} 给哪个 token 的权重最大？",
    ),
    "quiz.largest_weight.why": Message(
        "{best} gets {value}; next comes {second} with {other}.",
        "{best} 得到 {value}；其次是 {second}，得到 {other}。",
    ),
    "quiz.row_sum": Message(
        "What do the {keys} weights of this row add up to?", "这一行的 {keys} 个权重之和是多少？"
    ),
    "quiz.row_sum.why": Message(
        "The softmax works along the row: every row of A sums to 1, a column need not.",
        "softmax 沿着行计算：A 的每一行之和为 1，列则不一定。",
    ),
    "quiz.row_sum_masked.why": Message(
        "Every key of this row is masked: there is nothing to weigh, and all weights are 0.",
        "这一行的键全部被屏蔽：没有可以加权的内容，所有权重都是 0。",
    ),
    "quiz.unscaled": Message(
        "If the scale {scale} were left out, would {j} get a larger weight than it does?",
        "如果不乘以缩放因子 {scale}，{j} 的权重会比现在大吗？",
    ),
    "quiz.unscaled.why": Message(
        "{unscaled} without the scale, {a} with it. Without it the scores lie further apart, and "
        "the largest takes more from the others.",
        "不缩放时是 {unscaled}，缩放后是 {a}。"
        "不缩放时分数相差更大，最大的会从其他分数那里夺走更多权重。",
    ),
    "quiz.unscaled_above_1.why": Message(
        "{unscaled} without the scale, {a} with it. A scale above 1 drives the scores apart.",
        "不缩放时是 {unscaled}，缩放后是 {a}。大于 1 的缩放因子会拉开分数之间的差距。",
    ),
    "quiz.adds_most": Message(
        "Which token adds most to z: whose a v is longest?",
        "哪个 token 对 z 的贡献最大，也就是谁的 a v 最长？",
    ),
    "quiz.adds_most.why": Message(
        "{best}: a = {a} times a v of length {v} has length {value}. Next comes {second} with "
        "{other}.",
        "{best}：权重 a = {a}，值向量 v 的长度是 {v}，a v 的长度是 {value}。"
        "其次是 {second}，{other}。",
    ),
    "quiz.size_of_z": Message(
        "z is the weighted sum of {keys} value vectors. How many numbers has it?",
        "z 是 {keys} 个值向量的加权和。它有多少个数？",
    ),
    "quiz.size_of_z.why": Message(
        "As many as each v has: {d_v}. A sum of vectors is as long as one of them.",
        "与每个值向量 v 一样多：{d_v}。向量之和的维度与其中每一个相同。",
    ),
    "quiz.nearest_value": Message(
        "z is a mixture of the value vectors. Whose v does it lie nearest to?",
        "z 是各个值向量的混合。它离哪个 token 的值向量 v 最近？",
    ),
    "quiz.nearest_value.why": Message(
        "The v of {best} is {distance} away; its weight is {a}.",
        "与 {best} 的值向量相距 {distance}；它的权重是 {a}。",
    ),
    "quiz.size_of_z_cat": Message(
        "The z of {count} head{s}, {d_v} numbers each, stand side by side. How many numbers has "
        "z_cat?",
        "{count} 个注意力头各有一个 {d_v} 个数的 z。z_cat 有多少个数？",
    ),
    "quiz.size_of_z_cat.why": Message(
        "{count} × {d_v} = {total}: the heads are put side by side, not added up.",
        "{count} × {d_v} = {total}：各个头的输出拼接在一起，而不是相加。",
    ),
    "quiz.top_head": Message(
        "Each head adds its part to y. Whose part is longest?",
        "每个注意力头都给 y 贡献一部分。哪个头的贡献最长？",
    ),
    "quiz.top_head.why": Message(
        "{best} adds a vector of length {value}; next comes {second} with {other}.",
        "{best} 贡献的向量长度是 {value}；其次是 {second}，{other}。",
    ),
    "quiz.size_of_y": Message(
        "z_cat has {rows} numbers. How many has y?", "z_cat 有 {rows} 个数。y 有多少个数？"
    ),
    "quiz.size_of_y.why": Message(
        "W_O is {rows} × {d_model}: y is as long as the model is wide.",
        "W_O 是 {rows} × {d_model} 的矩阵：y 的维度等于 d_model。",
    ),
}
