"""What is said of custom components."""

_KINDS = {"input": "输入", "output": "输出", "parameter": "参数"}
_OF_A_KIND = {
    "the {a} has no name. Give one, e.g. {b}.": "{a}没有名称。请指定，例如 {b}。",
    "the {a} {b} begins with _. Remove it: {c}.": "{a} {b} 以 _ 开头。请去掉：{c}。",
    "the {a} {b} has other characters than letters, digits, _ and -. Rename it.": (
        "{a} {b} 含有字母、数字、_ 和 - 以外的字符。请重命名。"
    ),
    "the {a} {b} has a name that every job uses itself. Choose another.": (
        "{a} {b} 的名称由每个作业自己使用。请换一个名称。"
    ),
    "the {a} {b} is there twice. Rename or remove one of them.": "{a} {b} 出现了两次。请重命名或删除其一。",
    "the {a} names {b} and {c} become the same variable {d}{e}. Rename one of them.": (
        "{a}名称 {b} 和 {c} 会成为同一个变量 {d}{e}。请重命名其一。"
    ),
}
_TWO_KINDS = (
    "the name {a} is used for {b} and {c}; every channel and parameter needs one of its own. Rename one of them."
)
_TWO_KINDS_ZH = "名称 {a} 同时用于{b}和{c}；每个通道和参数都需要不同的名称。请重命名其一。"

COMPONENTS = {
    **_OF_A_KIND,
    **{
        english.replace("{a}", kind): chinese.replace("{a}", word)
        for kind, word in _KINDS.items()
        for english, chinese in _OF_A_KIND.items()
    },
    _TWO_KINDS: _TWO_KINDS_ZH,
    **{
        _TWO_KINDS.replace("{b}", one).replace("{c}", other): _TWO_KINDS_ZH.replace("{b}", of_one).replace(
            "{c}", of_other
        )
        for one, of_one in _KINDS.items()
        for other, of_other in _KINDS.items()
        if one != other
    },
    # name, version, command
    "the component has no name. Give one, e.g. iris-train.": "组件没有名称。请指定，例如 iris-train。",
    "the component cannot be called {a}: use letters, digits, _ and -, a letter or a digit first, and at most 128 characters.": (
        "组件不能命名为 {a}：请使用字母、数字、_ 和 -，以字母或数字开头，最多 128 个字符。"
    ),
    "the version {a} is not of the form x.y.z. Give three numbers, e.g. {b}.": (
        "版本 {a} 不是 x.y.z 的形式。请写三个数字，例如 {b}。"
    ),
    "the component has no command. Give one, e.g. python main.py $PAI_USER_ARGS": (
        "组件没有执行命令。请指定，例如 python main.py $PAI_USER_ARGS"
    ),
    "the command has $PAI_{a}_{b}, and there is no such {c}; it has: {d}. Correct the command, or add the {e}.": (
        "命令中有 $PAI_{a}_{b}，但没有这个通道（{c}）；已有：{d}。请更正命令，或添加该通道（{e}）。"
    ),
    # image
    "the component has no image. Give one, e.g. pytorch:latest, or that of your registry.": (
        "组件没有镜像。请指定，例如 pytorch:latest，或您的镜像仓库中的镜像。"
    ),
    "the image {a} is no address of an image. Write NAME:TAG or REGISTRY/NAMESPACE/NAME:TAG.": (
        "{a} 不是镜像地址。请写 NAME:TAG 或 REGISTRY/NAMESPACE/NAME:TAG。"
    ),
    "the image {a} is in the enterprise edition of ACR, and components take images of the personal edition only: "
    "registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG.": (
        "镜像 {a} 在 ACR 企业版中，而组件只支持个人版的镜像：registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG。"
    ),
    "the image {a} is in no registry that PAI reaches. Push it to ACR, personal edition, and give "
    "registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG.": (
        "镜像 {a} 不在 PAI 可以访问的镜像仓库中。请推送到 ACR 个人版，并写 "
        "registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG。"
    ),
    "the image {a} does not have the VPC address of its registry. Give that: registry-vpc.{b}.aliyuncs.com/{c}": (
        "镜像 {a} 使用的不是镜像仓库的 VPC 地址。请改用：registry-vpc.{b}.aliyuncs.com/{c}"
    ),
    "the image {a} is not here any more: the one with which {b} was saved is fetched, {c}": (
        "镜像 {a} 已不在本机：将拉取保存 {b} 时的镜像 {c}"
    ),
    "it is not known whether the tag of image {a} was moved since {b} was saved: no container engine here has the image. To be "
    "sure, give it as NAME@sha256:... in a new version.": (
        "不知道镜像 {a} 的标签在保存 {b} 之后是否已指向其他镜像：本机没有容器引擎有此镜像。如需确定，请在新版本中写成 NAME@sha256:...。"
    ),
    "the image {a} lacks {b}, which a component needs: its command is run by sh -c, and its requirements are installed by pip. "
    "Add it to the image.": ("镜像 {a} 缺少组件所需的 {b}：命令由 sh -c 执行，依赖由 pip 安装。请把它加入镜像。"),
    "the image {a} is in {b}, and the component in {c}: a job begins late, or fails, where the image comes from another region.": (
        "镜像 {a} 在 {b}，而组件在 {c}：从其他地域拉取镜像时，作业会延迟启动或失败。"
    ),
    "the image {a} is another one than when {b} was saved: its tag was moved, from {c} to {d}. Give the image as NAME@{e}, or "
    "save a new version.": (
        "镜像 {a} 与保存 {b} 时不同：其标签已从 {c} 指向 {d}。请把镜像写成 NAME@{e}，或保存为新版本。"
    ),
    # code
    "`source` is empty. Give a directory, oss://BUCKET/DIRECTORY/, or the address of a Git repository.": (
        "`source` 为空。请指定目录、oss://BUCKET/DIRECTORY/ 或 Git 仓库的地址。"
    ),
    "`source` is {a}. Write '{b}/' for a directory, or give an archive, whose name ends with .tar.gz.": (
        "`source` 是 {a}。目录请写成 '{b}/'，或指定以 .tar.gz 结尾的压缩包。"
    ),
    "`source` begins with {a}; code comes from a directory, from oss://BUCKET/DIRECTORY/, or from a Git repository at https:// or "
    "ssh://.": "`source` 以 {a} 开头；代码应来自目录、oss://BUCKET/DIRECTORY/，或 https://、ssh:// 的 Git 仓库。",
    "`source`: {a}": "`source`：{a}",
    "`branch` and `commit` are both given. Keep one: a commit says exactly which code it is.": (
        "同时给出了 `branch` 和 `commit`。请保留其一：commit 准确指明代码。"
    ),
    "`branch` is {a}, which no branch can be called. Give one, e.g. main.": (
        "`branch` 是 {a}，不能作为分支名。请指定，例如 main。"
    ),
    "`commit` is {a}; give 7 to 40 of its digits, 0 to 9 and a to f.": (
        "`commit` 是 {a}；请写其中 7 到 40 位，由 0 到 9 和 a 到 f 组成。"
    ),
    "`{a}` is {b}, which only the address of a Git repository has. Leave it out.": (
        "`{a}` 是 {b}，只能与 Git 仓库的地址一起使用。请去掉。"
    ),
    "the repository has submodules, which are not fetched: {a}. Copy what the code needs into it.": (
        "仓库含有子模块，不会被获取：{a}。请把代码所需的内容复制到仓库中。"
    ),
    "the repository has files in Git LFS, of which only the pointers are fetched: {a}. Give them as an input.": (
        "仓库含有 Git LFS 文件，只会获取其指针：{a}。请作为输入提供。"
    ),
    "git is not installed here, which fetches the code of the component. Install it.": (
        "本机没有安装 git，无法获取组件的代码。请安装。"
    ),
    "the code cannot be fetched with git: {a}. Check the address, the branch and the commit.": (
        "无法用 git 获取代码：{a}。请检查地址、分支和 commit。"
    ),
    "the code cannot be fetched with git {a}: {b}. Give one in the address, --source-dir https://TOKEN@HOST/..., also with the file "
    "of a saved component; or let git keep it (git credential).": (
        "无法用 git 获取代码（{a}）：{b}。请在地址中给出登录凭证：--source-dir https://TOKEN@HOST/...（运行已保存组件的文件时也可以），"
        "或由 git 保存（git credential）。"
    ),
    "with the login of the address": "使用地址中的登录凭证",
    "without a login": "没有登录凭证",
    "`source` has a query, or an @ or a secret in its path, which are not shown here. Write the plain address of the repository. A "
    "login stands before the host, https://TOKEN@HOST/..., with %2F for / and %40 for @.": (
        "`source` 含有查询参数，或路径中有 @ 或密钥（此处不显示）。请写仓库的普通地址。登录凭证写在主机名之前："
        "https://TOKEN@HOST/...，其中 / 写成 %2F，@ 写成 %40。"
    ),
    "the code of {a} stays at {b}, and every run takes what is there then. Keep it as it is, or give a directory of this machine, "
    "which is copied.": (
        "{a} 的代码留在 {b}，每次运行都使用届时那里的内容。请保持其不变，或指定本机目录（会被复制）。"
    ),
    "the description of the version is kept with the saved component only: PAI has one for the component.": (
        "版本描述只保存在已保存的组件中：PAI 只有组件的描述。"
    ),
    "the results of `pai_shards` go to the output model, which the component lacks: on PAI they would be lost. Declare it, -o "
    "model, or write them to another output: shards(..., to=os.environ['PAI_OUTPUT_NAME'])": (
        "`pai_shards` 的结果写入输出 model，而组件没有它：在 PAI 上会丢失。请声明：-o model，或写入其他输出："
        "shards(..., to=os.environ['PAI_OUTPUT_NAME'])"
    ),
    "the code of {a} was not copied: this run takes what is at {b} now.": "{a} 的代码没有被复制：此次运行使用 {b} 现在的内容。",
    "there is no {a} at {b}. Name the script with --entry-point.": "{b} 中没有 {a}。请用 --entry-point 指定脚本。",
    "values of lines such as `lr: float = 0.1` at {a} cannot be given: the code is not copied. Declare them with argparse, or give a "
    "directory of this machine.": (
        "{a} 中形如 `lr: float = 0.1` 的行不能作为参数：代码不会被复制。请用 argparse 声明，或指定本机目录。"
    ),
    "line {n}: this looks like a secret, and is kept in the component, where others read it. Take it out, and give it to a run: "
    "--env NAME=VALUE": "第 {n} 行：看起来是密钥，会保存在组件中并被他人读到。请删除，并在运行时给出：--env NAME=VALUE",
    "`{a}` holds a login or another secret, which everybody could read in the component. Take it out, and give it to a run: --env "
    "NAME=VALUE": "`{a}` 中有登录凭证或其他密钥，任何人都能在组件中读到。请删除，并在运行时给出：--env NAME=VALUE",
    "the digest of the image {a} is not known, for no container engine here has it: if its tag is moved later, that is not noticed.": (
        "不知道镜像 {a} 的摘要，因为本机没有容器引擎有此镜像：以后标签指向其他镜像时无法发现。"
    ),
    "the code in {a} is not the one with which {b} was saved{c}. Take the changes back, or save a new version.": (
        "{a} 中的代码与保存 {b} 时不同{c}。请撤销改动，或保存为新版本。"
    ),
    "the code in {a}{b} is 1 file of {c} bytes.": "{a}{b} 中的代码有 1 个文件，{c} 字节。",
    "the code in {a}{b} is {n} files of {c} bytes.": "{a}{b} 中的代码有 {n} 个文件，{c} 字节。",
    "the code has {n} files, all of which PAI downloads first: a job begins late. Keep only what it needs.": (
        "代码有 {n} 个文件，PAI 会先全部下载：作业会延迟启动。请只保留所需的文件。"
    ),
    "the code's directory {a} is not there. Give the directory of your code, e.g. ./src": (
        "代码目录 {a} 不存在。请指定代码所在的目录，例如 ./src"
    ),
    "there is no code at {a}. Check the address, and upload it first: %pai_oss cp SRC {b}": (
        "{a} 中没有代码。请检查地址，并先上传：%pai_oss cp SRC {b}"
    ),
    # parameters and channels
    "parameter {a} is of the type {b}; it must be one of {c}.": "参数 {a} 的类型是 {b}，应为以下之一：{c}。",
    "parameter {a} is no plain option of the script, and PAI passes parameters only as --name value. Declare it with a type and "
    "without action or nargs, or as a line of its own: name: type = value.": (
        "参数 {a} 不是脚本的普通选项，而 PAI 只以 --name value 的形式传递参数。请用 type 声明它，不用 action 或 nargs，"
        "或单独写一行：name: type = value。"
    ),
    "parameter {a} is a switch of the script, and PAI passes every parameter with a value: --name value. Declare it with type=int, "
    "0 or 1, or as a line of its own: name: bool = False.": (
        "参数 {a} 是脚本的开关，而 PAI 传递每个参数时都带值：--name value。请用 type=int 声明它（0 或 1），"
        "或单独写一行：name: bool = False。"
    ),
    "parameter {a} has type=bool, to which the text False is true, and PAI passes values as text. Declare it with type=int, 0 or 1, "
    "or as a line of its own: name: bool = False.": (
        "参数 {a} 使用 type=bool，它把文本 False 也当作真，而 PAI 以文本传递值。请用 type=int 声明它（0 或 1），"
        "或单独写一行：name: bool = False。"
    ),
    "parameter {a} takes several values, and PAI passes one: --name value. Declare it with type=str, without nargs or append, and "
    "split the text in the script.": (
        "参数 {a} 接受多个值，而 PAI 只传递一个：--name value。请用 type=str 声明它，不用 nargs 或 append，并在脚本中拆分文本。"
    ),
    "parameter {a} is of the type Bool, which has no constraint. Remove its range or values.": (
        "参数 {a} 的类型是 Bool，不能有约束。请去掉范围或枚举值。"
    ),
    "parameter {a} has a range and a list of values. Keep one of them.": "参数 {a} 同时有范围和枚举值。请保留其一。",
    "parameter {a} is text, whose range is its length; the least cannot be {b}. Give 0 or more.": (
        "参数 {a} 是文本，其范围是长度；最小值不能是 {b}。请给出 0 或更大的数。"
    ),
    "parameter {a} has the range {b} to {c}, in which nothing is. Swap the two.": (
        "参数 {a} 的范围是 {b} 到 {c}，其中没有任何值。请交换两者。"
    ),
    "parameter {a} has the bound {b}; it must be a number.": "参数 {a} 的边界是 {b}，应为数字。",
    "parameter {a} is of the type {b} and has the bound {c}; it must be a whole number.": (
        "参数 {a} 的类型是 {b}，其边界 {c} 应为整数。"
    ),
    "a value in the list of parameter {a} does not fit: {b}": "参数 {a} 的一个枚举值不符合要求：{b}",
    "parameter {a} has the value {b} twice in its list. Remove one.": "参数 {a} 的枚举值中有两个 {b}。请删除其一。",
    "the default of parameter {a} does not fit: {b}": "参数 {a} 的默认值不符合要求：{b}",
    "parameter {a} has a dot, which PAI's form of components may refuse. Write _ in its place.": (
        "参数 {a} 含有点号，PAI 的组件表单可能不接受。请改用 _。"
    ),
    "input {a} reads {b}; give one or more of {c}.": "输入 {a} 的来源无效（{b}）；请指定以下一个或多个：{c}。",
    "output {a} goes to {b}; it is one of {c}.": "输出 {a} 的存储类型是 {b}，应为以下之一：{c}。",
    # machines and regions
    "the machine is {a}; it is CPU or GPU.": "机器类型是 {a}，应为 CPU 或 GPU。",
    "a CPU machine has no cards. Leave `several_cards` out, or set the machine to GPU.": (
        "CPU 机器没有卡。请去掉 `several_cards`，或把机器类型设为 GPU。"
    ),
    "PAI has custom components in {a}, and this is {b}: there it may refuse them.": (
        "PAI 在 {a} 支持自定义组件，而当前地域是 {b}，可能不支持。"
    ),
    "the component runs on one machine, and {n} are asked for. Type --instance-count 1, or leave it out.": (
        "组件只能在一台机器上运行，而要求了 {n} 台。请写 --instance-count 1，或去掉该选项。"
    ),
    "the component needs a GPU, and {a} has none. Give a type with one, e.g. --instance-type {b}": (
        "组件需要 GPU，而 {a} 没有。请指定有 GPU 的类型，例如 --instance-type {b}"
    ),
    "the component runs on CPU machines, and {a} has GPUs. Give a type without, e.g. --instance-type {b}": (
        "组件只在 CPU 机器上运行，而 {a} 有 GPU。请指定没有 GPU 的类型，例如 --instance-type {b}"
    ),
    "the component uses one GPU, and {a} has {n}. Give a type with one, e.g. --instance-type {b}": (
        "组件只使用一张 GPU 卡，而 {a} 有 {n} 张。请指定单卡的类型，例如 --instance-type {b}"
    ),
    # the script of the command
    "the command runs {a}, and the component has no code. Give its directory, its oss:// address or its repository.": (
        "命令运行 {a}，而组件没有代码。请指定其目录、oss:// 地址或仓库。"
    ),
    "the command runs {a}, which is not in the code: a job of it would fail. Add it, or name a script that is there.": (
        "命令运行 {a}，而代码中没有它，作业会失败。请添加它，或写出代码中已有的脚本。"
    ),
    "PAI has no instance type {a} in this region. Type %pai_instances to see them, and give one, e.g. --instance-type ecs.c6.large": (
        "PAI 在此地域没有实例类型 {a}。用 %pai_instances 查看，并指定一个，例如 --instance-type ecs.c6.large"
    ),
    # runs
    "a registered component runs on PAI only, and backend {a} is asked for. Leave --backend out, or run a saved one: its YAML file "
    "in place of the name.": (
        "已注册的组件只能在 PAI 上运行，而指定了后端 {a}。请去掉 --backend，或运行已保存的组件：用 YAML 文件代替名称。"
    ),
    "component {a} has no input {b}; it has: {c}.": "组件 {a} 没有输入 {b}；已有：{c}。",
    "component {a} has no output {b}; it has: {c}.": "组件 {a} 没有输出 {b}；已有：{c}。",
    "component {a} has no parameter {b}; it has: {c}.": "组件 {a} 没有参数 {b}；已有：{c}。",
    "input {a} has no place, and the component needs one. Give it: -i {b}=./data": (
        "输入 {a} 没有位置，而组件需要它。请指定：-i {b}=./data"
    ),
    "input {a} is in {b}, and the component reads it from {c}.": "输入 {a} 在 {b} 中，而组件从 {c} 读取它。",
    "To take it as it is now, add --accept-changes.": "如需使用现在的内容，请加 --accept-changes。",
    "To run it as it is now, add --accept-changes.": "如需按现在的内容运行，请加 --accept-changes。",
    # of a cell or a directory
    "the code at {a} is not read here, so its parameters are not known. Declare them in Python: Component(...).": (
        "不会在此处读取 {a} 中的代码，因此不知道其参数。请在 Python 中声明：Component(...)。"
    ),
    "the code of a cell is added to a directory of this machine only: --source-dir ./src. For code elsewhere use %pai_component "
    "with one %, and --entry-point.": (
        "单元格的代码只能加入本机目录：--source-dir ./src。其他位置的代码请用一个 % 的 %pai_component，并加 --entry-point。"
    ),
    "{a} would be given to the script's parse_args(), which does not know it: PAI passes every parameter as an option. Write "
    "parse_known_args(), or add_argument for it.": (
        "{a} 会传给脚本的 parse_args()，而它不认识此选项："
        "PAI 把每个参数都作为选项传递。请改用 parse_known_args()，或用 add_argument 声明它。"
    ),
    "the code of the cell has {n} bytes with what it takes along, and a component holds {c}. Give large files as an input, or the "
    "directory with --source-dir.": (
        "单元格的代码连同其所需内容有 {n} 字节，而组件最多包含 {c} 字节。请把大文件作为输入，或用 --source-dir 指定目录。"
    ),
    "the cell uses PAI_{a}, and the component has no such channel. Declare it: {b} {c}": (
        "单元格使用了 PAI_{a}，而组件没有此通道。请声明：{b} {c}"
    ),
    "`{a} {b}` is not of the form NAME[:STORAGE][=PLACE], e.g. {c} train, {d} train:OSS or {e} train=./data": (
        "`{a} {b}` 不是 NAME[:STORAGE][=PLACE] 的形式，例如 {c} train、{d} train:OSS 或 {e} train=./data"
    ),
    "`{a}` belongs to a constraint. Add --machine CPU or --machine GPU.": (
        "`{a}` 属于训练约束。请加 --machine CPU 或 --machine GPU。"
    ),
    "machines: {a}; several machines: {b}; several cards: {c}": "机器：{a}；多机：{b}；多卡：{c}",
    "image: {a}": "镜像：{a}",
    "command: {a}": "命令：{a}",
    "input: {a} ({b}){c}": "输入：{a} ({b}){c}",
    "output: {a} ({b}){c}": "输出：{a} ({b}){c}",
    "parameter: {a} ({b}){c}": "参数：{a} ({b}){c}",
    "code: {a}": "代码：{a}",
    "versions: {a}; next: {b}": "版本：{a}；下一个：{b}",
    "to register: {a}": "注册前需解决：{a}",
    "no components yet. Make one of a cell: %%pai_component NAME --save": (
        "还没有组件。可由单元格创建：%%pai_component NAME --save"
    ),
    "Nothing was saved. Add --save FILE, --register or --run.": "没有保存任何内容。请加 --save FILE、--register 或 --run。",
    "a component needs a name: %%pai_component iris --save iris.yaml": (
        "组件需要名称：%%pai_component iris --save iris.yaml"
    ),
    "`--delete` takes the name of a component: %pai_component NAME --delete": (
        "`--delete` 需要组件的名称：%pai_component NAME --delete"
    ),
    "`{a}` is for the code of a cell: %%pai_component with two %. Leave it out.": (
        "`{a}` 只用于单元格的代码：两个 % 的 %%pai_component。请去掉。"
    ),
    "`--version` gives a new version its number, with --save or --register. Leave it out: a file holds one version.": (
        "`--version` 与 --save 或 --register 一起指定新版本的编号。请去掉：一个文件只有一个版本。"
    ),
    "`{a}` needs the name of a component: %pai_component NAME {b} ...": "`{a}` 需要组件的名称：%pai_component NAME {b} ...",
    "`{a}` would change {b}, which is made already. Leave it out, or make a new version: %%pai_component over the cell, or "
    "%pai_component with --source-dir.": (
        "`{a}` 会改变已创建的 {b}。请去掉，或创建新版本：在单元格上方使用 %%pai_component，或使用带 --source-dir 的 %pai_component。"
    ),
    "`{a}` is for a run. Add --run, or leave it out.": "`{a}` 只用于运行。请加 --run，或去掉该选项。",
    "`{a} {b}` is for a run. Add --run, or leave it out.": "`{a} {b}` 只用于运行。请加 --run，或去掉该选项。",
    "{a} is neither the name of a component nor the YAML file of one. Type %pai_component to see the names.": (
        "{a} 既不是组件的名称，也不是组件的 YAML 文件。输入 %pai_component 查看名称。"
    ),
    "no component {a} is saved, and registered ones cannot be listed: {b}": "没有已保存的组件 {a}，也无法列出已注册的组件：{b}",
    "`--source-dir` is not the address in {a}, which has code of its own. Leave it out, or give that address with a login: "
    "https://TOKEN@HOST/...": (
        "`--source-dir` 不是 {a} 中的地址，而它有自己的代码。请去掉，或给出带登录凭证的该地址：https://TOKEN@HOST/..."
    ),
    "Delete the saved component {a}? [y/N] ": "删除已保存的组件 {a}？[y/N] ",
    "{a} is deleted from the saved components. Its jobs stay.": "已从保存的组件中删除 {a}。其作业保留。",
    "the code of {a} is not here. Use %%pai_component with two % over the cell, or give --source-dir DIR.": (
        "{a} 的代码不在此处。请在单元格上方使用两个 % 的 %%pai_component，或指定 --source-dir DIR。"
    ),
    "{a} is saved in {b}": "{a} 已保存到 {b}",
    "{a} is registered.": "{a} 已注册。",
    "{a} is deleted. Its jobs and its code in the bucket stay.": "{a} 已删除。其作业和 Bucket 中的代码保留。",
    "Nothing was deleted.": "没有删除任何内容。",
    "Delete the registered component {a}? [y/N] ": "删除已注册的组件 {a}？[y/N] ",
    "nothing was deleted: you cannot be asked here. To delete without confirmation, add -y": (
        "没有删除任何内容：此处无法询问。如需不经确认直接删除，请加 -y"
    ),
    # saved and registered
    "no installed backend keeps components.": "已安装的后端都不保存组件。",
    "`{a}` is no name of a YAML file. Write e.g. {b}.yaml": "`{a}` 不是 YAML 文件名。请写例如 {b}.yaml",
    "'{a}' is too large for a saved component.": "'{a}' 太大，不是已保存的组件。",
    "there is no file '{a}'. Give one that `save` wrote, e.g. iris.yaml": "没有文件 '{a}'。请指定已保存的组件，例如 iris.yaml",
    "'{a}' cannot be read: {b}.": "无法读取 '{a}'：{b}。",
    "'{a}' holds no component: {b}.": "'{a}' 中没有组件：{b}。",
    "'{a}' holds no component: it has no fields, such as `name: iris`.": "'{a}' 中没有组件：没有 `name: iris` 这样的字段。",
    "'{a}' is no plain file. Give one that `save` wrote, e.g. iris.yaml": "'{a}' 不是普通文件。请指定已保存的组件，例如 iris.yaml",
    "'{a}' cannot be written: there is no directory '{b}'. Create it, or give another file.": (
        "无法写入 '{a}'：没有目录 '{b}'。请创建，或指定其他文件。"
    ),
    "'{a}' cannot be deleted: {b}. Look at what it is, and remove it yourself.": "无法删除 '{a}'：{b}。请查看它是什么，并自行删除。",
    "'{a}' is there already and holds no component that can be read. Give another file, or remove it.": (
        "'{a}' 已存在，其中没有可读取的组件。请指定其他文件，或删除它。"
    ),
    "'{a}' holds {b}, which would be lost. Give another file, e.g. {c}.yaml": (
        "'{a}' 中是 {b}，写入会使其丢失。请指定其他文件，例如 {c}.yaml"
    ),
    "'{a}' holds {b}, and its place is that of {c} {d}. Correct `name` and `version` in it, or move it.": (
        "'{a}' 中是 {b}，而其位置属于 {c} {d}。请更正其中的 `name` 和 `version`，或移动该文件。"
    ),
    "'{a}' held {b} until now.": "'{a}' 中原来是 {b}。",
    "{a} in '{b}' is no field of a component, and is ignored.": "'{b}' 中的 {a} 不是组件的字段，已忽略。",
    "'{a}' is not as it was saved: {b}. It runs as it is now.": "'{a}' 在保存后被修改过：{b}。将按现在的内容运行。",
    "`{a}` is there twice": "`{a}` 出现了两次",
    "is the number {a}; it must be of the form x.y.z, e.g. 1.0.0": "是数字 {a}，应为 x.y.z 的形式，例如 1.0.0",
    "the name {a} is taken: a name is there once in a region for all workspaces of an account. Choose another; or if it was "
    "registered here a moment ago, do it again, and it becomes the next version.": (
        "名称 {a} 已被使用：同一地域内，一个账号的所有工作空间中名称唯一。请换一个名称；"
        "如果它刚刚在此处注册，请再次执行，会成为下一个版本。"
    ),
    "{a} was registered by somebody else in the meantime. Do it again: then the next version is proposed.": (
        "{a} 刚刚已被他人注册。请再试一次：届时会建议下一个版本。"
    ),
    "it has an alias, which `save` never writes": "其中有 YAML 别名，保存的组件从不使用",
    "is {a}; it must be one of {b}": "是 {a}，应为以下之一：{b}",
    "must be a list": "应为列表",
    "must be text, a number, true or false": "应为文本、数字、true 或 false",
    "{a} has the place {b}, which is no path of this machine.": "{a} 的位置是 {b}，不是本机的路径。",
    '`form` must be a JSON object, e.g. {"name": "iris"}.': '`form` 必须是 JSON 对象，例如 {"name": "iris"}。',
    '`files_of` must be a JSON object, e.g. {"name": "iris", "version": "1.0.0"}.': (
        '`files_of` 必须是 JSON 对象，例如 {"name": "iris", "version": "1.0.0"}。'
    ),
    "is neither text nor base64": "既不是文本，也不是 base64",
    "{a} is saved already, and a version stays as it is. Give the next: {b}": (
        "{a} 已保存，已有的版本不能更改。请使用下一个版本：{b}"
    ),
    "{a} is saved already, and a version stays as it is. Give the next: --version {b}": (
        "{a} 已保存，已有的版本不能更改。请使用下一个版本：--version {b}"
    ),
    "{a} is registered already, and a version stays as it is. Register the next: --version {b}": (
        "{a} 已注册，已有的版本不能更改。请注册下一个版本：--version {b}"
    ),
    "component {a} has no saved version {b}; it has: {c}.": "组件 {a} 没有已保存的版本 {b}；已有：{c}。",
    "no component {a} is registered. Type %pai_component to see those that are.": (
        "没有已注册的组件 {a}。输入 %pai_component 查看已注册的组件。"
    ),
    "component {a} has no version {b}; it has: {c}.": "组件 {a} 没有版本 {b}；已有：{c}。",
    "component {a} cannot be read: {b}": "无法读取组件 {a}：{b}",
    "the service made an algorithm without returning its id. Look for it in the console.": (
        "服务创建了算法，但没有返回其 ID。请在控制台中查找。"
    ),
}
