"""Nearest centroid on a CSV file, with nothing but the standard library, so that any image with Python can run it."""

import argparse
import csv
import json
import os
from pathlib import Path
from statistics import fmean


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=5, help="every so-manieth row is kept for the test")
    train_data = os.environ.get("PAI_INPUT_TRAIN_DATA", "/ml/input/data/train_data/iris.csv")
    parser.add_argument("--train_data", default=train_data, help="the CSV file: features, then the class; one header line")
    args = parser.parse_args()

    with open(args.train_data, newline="") as file:
        rows = [[float(value) for value in row] for row in list(csv.reader(file))[1:]]
    accuracies = []
    for fold in range(args.folds):
        test = rows[fold :: args.folds]
        train = [row for place, row in enumerate(rows) if place % args.folds != fold]
        centroids = {}
        for label in sorted({row[-1] for row in train}):
            members = [row[:-1] for row in train if row[-1] == label]
            centroids[label] = [fmean(column) for column in zip(*members)]
        hits = sum(row[-1] == nearest(row[:-1], centroids) for row in test)
        accuracies.append(hits / len(test))
        print(f"epoch {fold + 1}/{args.folds} accuracy={accuracies[-1]:.3f}")

    model = Path(os.environ.get("PAI_OUTPUT_MODEL", "/ml/output/model/"))
    (model / "centroids.json").write_text(json.dumps(centroids))
    parameters = Path(os.environ.get("PAI_OUTPUT_OUTPUT_PARAMETERS", "/ml/output/output_parameters/"))
    (parameters / "test-accuracy").write_text(f"{fmean(accuracies):.3f}")


def nearest(features: list[float], centroids: dict[float, list[float]]) -> float:
    return min(centroids, key=lambda label: sum((a - b) ** 2 for a, b in zip(features, centroids[label])))


if __name__ == "__main__":
    main()
