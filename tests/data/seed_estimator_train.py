import argparse

def train(hps, train_data, test_data):
    """用户的模型训练代码"""
    pass

def save_model(model):
    """保存模型"""
    # 通过环境变量获取输出模型路径，默认为 `/ml/output/model/`
    output_model_path = os.environ.get("PAI_OUTPUT_MODEL")

    # 将模型写出到 output_model_path 路径下 ..
    pass

def load_hyperparameters():
    """读取输入超参"""
    # 通过环境变量 PAI_CONFIG_DIR 获取超参保存目录，默认为 `/ml/input/config/`
    hps_path = os.path.join(os.environ.get("PAI_CONFIG_DIR"), "hyperparameters.json")
    with open(hps_path, "r") as f:
        hyperparameters = json.load(f)
    return hyperparameters

def run():
    # 1. 加载用户训练作业的超参
    hps = load_hyperparameters()
    print("Hyperparameters: ", hps)

    # 2. 训练作业的输入数据
    # 通过est.fit()方法用户可以指定存储在 NAS 或是 OSS 上训练数据，将数据准备到训练容器中。
    # 训练脚本可以通过环境变量（PAI_INPUT_{CHANNEL_NAME}）获取输入数据的本地路径.
    train_data = os.environ.get("PAI_INPUT_TRAIN")
    test_data = os.environ.get("PAI_INPUT_TEST")

    model = train(hps, train_data, test_data)

    # 3. 作业训练代码，在训练结束之后，写出模型到输出模型路径
    save_model(model)


if __name__ == "__main__":
    run()
