"""Notebook cells as training jobs: in a local process, in Docker, on Alibaba Cloud PAI."""

__version__ = "0.1.0"
