"""What jobs of all services have in common.

lifecycle   a job from its creation to its end
channels    its code, inputs and outputs
mounts      local directories for nas:// and other addresses
validation  checks that apply to all jobs
machines    the instance types
registry    checks images of PAI's registry
"""
