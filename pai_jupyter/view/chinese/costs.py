"""What jobs cost, and what is wrong with prices and limits."""

COSTS = {
    "cost": "费用",
    "cost ({name})": "费用（{name}）",
    "prices": "价格",
    "settings file": "设置文件",
    "No job has a cost until this is corrected.": "更正之前，作业没有费用信息。",
    "price per hour": "每小时价格",
    "cost: {a}": "费用：{a}",
    "at most {a} ({b} limit × {c})": "最多 {a}（时限 {b} × {c}）",
    "{a} an hour, no time limit": "每小时 {a}，无时限",
    "{a}; less for preemptible machines, whose discount is not known": "{a}；抢占式实例更低，其折扣未知",
    "{a}; nothing is charged for a rehearsal at the emulator": "{a}；在模拟器上模拟运行，不收费",
    "not known: {a}": "未知：{a}",
    "{a} has no price": "{a} 没有价格",
    "not known: {a} in prices.json": "未知：{a}（prices.json）",
    "its machines have prices in several currencies, {a}": "其机器的价格使用多种货币（{a}）",
    "what the job costs is not known: {a}": "作业费用未知：{a}",
    "the cost limit {a} ends the job after {b}, at {c} an hour.": "费用上限 {a}：按每小时 {c}，作业将在 {b} 后终止。",
    "Cost limit {a} reached ({b})": "已达到费用上限 {a}（{b}）",
    "Cost limit {a} reached ({b}): {c}": "已达到费用上限 {a}（{b}）：{c}",
    "`max_cost` is {a}, which is no amount of money. Write 30, ¥30 or 30CNY.": (
        "`max_cost` 的值 {a} 不是金额。请写 30、¥30 或 30CNY。"
    ),
    "`{a} {b}` is no amount of money. Write {c} 30, ¥30 or 30CNY.": "`{a} {b}` 不是金额。请写 {c} 30、¥30 或 30CNY。",
    "`--max-cost {a}` is in {b}, and the prices in {c} are in {d}. Give the limit in {e}.": (
        "`--max-cost {a}` 的货币是 {b}，而 {c} 中价格的货币是 {d}。请用 {e} 给出上限。"
    ),
    "`--max-cost {a}` works by a time limit, and {b} ends no job at one. Leave it out.": (
        "`--max-cost {a}` 通过时限实现，而 {b} 不会按时限终止作业。请去掉此选项。"
    ),
    "`--max-cost {a}` does not pay for {b} s of this job, which costs {c} an hour. Give more.": (
        "`--max-cost {a}` 不够支付此作业 {b} 秒的费用，其价格为每小时 {c}。请提高上限。"
    ),
    "`--max-cost {a}` needs a price, and {b}. Correct {c}.": "`--max-cost {a}` 需要价格，而{b}。请改正 {c}。",
    "`--max-cost {a}` needs a price, and {b}. Write what it costs an hour into {c}, e.g. {d}": (
        "`--max-cost {a}` 需要价格，而 {b}。请把每小时的价格写入 {c}，例如 {d}"
    ),
    # prices.json
    "{a} is empty: no prices": "{a} 为空：没有价格",
    "Write {a}": "请写 {a}",
    "{a} is too large for a price list.": "{a} 太大，不是价格表。",
    "{a} is no price list. Write {b}": "{a} 不是价格表。请写 {b}",
    "{a} line {n}: {b}. Write {c}": "{a} 第 {n} 行：{b}。请写 {c}",
    "{a}: {b} Write {c}": "{a}：{b}请写 {c}",
    "is not known; there are `currency` and `per_hour`": "未知；可用的有 `currency` 和 `per_hour`",
    'is no currency; it has three capital letters, e.g. "CNY"': '不是货币；应为三个大写字母，例如 "CNY"',
    'must be prices by instance type, e.g. {"ecs.c6.large": 0.8}': '必须是各实例类型的价格，例如 {"ecs.c6.large": 0.8}',
    "must be a price: a number from 0, with at most {a} digits behind the point": (
        "必须是价格：不小于 0 的数字，小数点后最多 {a} 位"
    ),
    "is no currency": "不是货币",
    "is no amount of money": "不是金额",
    "is there twice": "出现了两次",
}
