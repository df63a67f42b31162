"""PAI, OSS and TensorBoard apps on loopback, to try the cloud path with no account: `python -m pai_jupyter.emulator`."""
