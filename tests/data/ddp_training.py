"""A training script of PyTorch's users: DistributedDataParallel in any number of processes, the same global batches.

Without RANK it trains as if there were nothing but one process, and so is its own referee.
"""

import gc
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn

ROWS, BATCH = 120, 12  # a batch divides among 1, 2, 3, 4 or 6 processes


def train(model: nn.Module, rank: int, size: int) -> None:
    torch.manual_seed(1)
    features = torch.randn(ROWS, 4)
    target = features.sum(1, keepdim=True).sin()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for start in range(0, ROWS, BATCH):
            own = slice(start + rank * BATCH // size, start + (rank + 1) * BATCH // size)
            loss = nn.functional.mse_loss(model(features[own]), target[own])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss={loss.item():.6f}")


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    rank, size = 0, 1
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
        rank, size = dist.get_rank(), dist.get_world_size()
        train(nn.parallel.DistributedDataParallel(model), rank, size)
    else:
        train(model, rank, size)
    weights = torch.cat([each.detach().flatten() for each in model.parameters()]).tolist()
    if "RANK" in os.environ:
        everyone = [None] * size
        dist.all_gather_object(everyone, weights)
        assert everyone == [weights] * size
        gc.collect()  # DDP's cycles keep the group, whose threads would abort the interpreter (pytorch/pytorch#190489)
        dist.destroy_process_group()
    if rank == 0:
        Path(os.environ["PAI_OUTPUT_MODEL"], "result.json").write_text(json.dumps(weights))
    print(f"rank {rank} of {size} is done")


main()
