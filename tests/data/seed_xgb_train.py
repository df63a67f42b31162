import argparse
import os


import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn import metrics

from xgboost import XGBClassifier

TRAINING_BASE_DIR = "/ml/"
TRAINING_CODE_DIR = os.path.join(TRAINING_BASE_DIR, "code/")
TRAINING_OUTPUT_MODEL_DIR = os.path.join(TRAINING_BASE_DIR, "output/model/")
TRAINING_OUTPUT_PARAMETER_DIR = os.path.join(TRAINING_BASE_DIR, "output/output_parameters/")


def load_train_test(data_path):
    df = pd.read_csv(data_path, sep=",")
    train, test = train_test_split(df, test_size=0.3)
    train_y = train["target"]
    train_x = train.drop(["target"], axis=1)
    test_y = test["target"]
    test_x = test.drop(["target"], axis=1)
    return train_x, train_y, test_x, test_y


def main():
    parser = argparse.ArgumentParser(description="XGBoost train example")
    # 用户指定的任务参数
    parser.add_argument(
        "--n_estimators", type=int, default=500, help="The number of base model."
    )
    parser.add_argument(
        "--objective", type=str, default="multi:softmax", choices=["multi:softmax", "multi:softprob"],
        help="Objective function used by XGBoost, supported objective: {'multi:softmax', 'multi:softprob'}", )

    parser.add_argument(
        "--max_depth", type=int, default=3, help="The maximum depth of the tree.",
    )

    parser.add_argument(
        "--eta", type=float, default=0.2, help="Step size shrinkage used in update to prevents overfitting.",
    )

    # 作业数据的数据，也通过arguments的方式传递给到训练脚本.
    parser.add_argument(
        "--train_data", type=str, help="Input train data path."
    )
    args, _ = parser.parse_known_args()


    # 读取传入到容器内的数据
    train_x, train_y, test_x, test_y = load_train_test(args.train_data)

    # 这里使用XGBoost的SKLearn API进行作业训练.
    clf = XGBClassifier(max_depth=args.max_depth,
                        eta=args.eta,
                        n_estimators=args.n_estimators,
                        objective=args.objective)
    clf.fit(train_x, train_y)
    y_pred = clf.predict(test_x)
    accuracy = metrics.accuracy_score(test_y, y_pred)

    # 写出作业在测试集上的精度到 /ml/output/output_parameters/test-accuracy 文件
    print("Output model accuracy=%s" % accuracy)
    os.makedirs(TRAINING_OUTPUT_PARAMETER_DIR, exist_ok=True)
    with open(os.path.join(TRAINING_OUTPUT_PARAMETER_DIR, "test-accuracy"), "w") as f:
        f.write(str(accuracy))

    # 写出作业产出模型到 /ml/output/model/
    os.makedirs(TRAINING_OUTPUT_MODEL_DIR, exist_ok=True)
    clf.save_model(f"{TRAINING_OUTPUT_MODEL_DIR}xgb_model")
    print(f"Save model succeed: model_path={TRAINING_OUTPUT_MODEL_DIR}xgb_model")


if __name__ == "__main__":
    main()
