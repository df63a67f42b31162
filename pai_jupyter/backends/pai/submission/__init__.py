"""A new job, from its spec to the service's id, in the order in which it happens.

spec_check        what PAI cannot honour; option_check: the options `pai.<key>`. Nothing is asked
input_check       whether data in OSS are there at all
uploads           code and data into the bucket, under names of their content
training_request  the body of CreateTrainingJob; dlc_request: that of DLC's CreateJob. Pure
creation          one job of the service for one of ours, whatever gets lost
"""
