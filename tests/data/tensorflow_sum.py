"""A script of TensorFlow's users: the workers of a TFJob find each other through TF_CONFIG and add up a number each."""

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=resolver)


def add_up() -> tf.Tensor:
    each = strategy.run(lambda: tf.constant(resolver.task_id + 1.0))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, each, axis=None)


total = float(tf.function(add_up)())
workers = len(resolver.cluster_spec().as_dict()["worker"])
print(f"{resolver.task_type} {resolver.task_id} of {workers}: sum {total}")
