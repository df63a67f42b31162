"""One client's connection: it answers requests and pushes changes of jobs and lists.

feed        requests in, answers and pushes out
answers     the handler of each kind of request
listing     the list of all jobs, pushed to one client
selection   filter, order and page of the list
sparklines  sampled values of a metric, for each visible row
"""
