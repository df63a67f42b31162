"""What jobs of all services have in common.

lifecycle   a job, create to end
channels    its code, inputs and outputs
mounts      directories in the place of nas:// and others
validation  what bodies of all jobs must be like
machines    the machines that jobs can have; registry: the images
"""
