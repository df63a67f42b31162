"""Fields, bodies and errors of calls and answers. No state.

refusal  error answers: `ApiRefusal`
fields   read and check fields of a body or a record
bodies   parse bodies of calls, build answers
times    parse and format times
"""
