import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--learning_rate", type=float, default=0.01)
parser.add_argument("--training_method", type=str, default="lora")
args = parser.parse_args()

print(args.batch_size)
print(args.learning_rate)
print(args.training_method)
