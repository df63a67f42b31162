"""What calls and answers of the services are made of. No state.

refusal  fields, and what says no
fields   what the fields of a body or of a record hold
bodies   those of calls and of answers
times    as clients write them
"""
