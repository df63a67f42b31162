"""One client's connection: its requests answered, its jobs and lists told as they change.

feed        requests in, answers and pushes out
answers     which function answers which request
listing     all jobs told to one client; selection: a page of them
sparklines  the course of a metric, for each row in sight
"""
