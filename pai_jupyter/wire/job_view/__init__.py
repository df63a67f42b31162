"""One job told to one view, and what the view asks of its log and its metrics.

facts       what does not change in a job, and why it failed
lines       windows of lines, within their budget
job_events  a job told to one view: everything, then the changes
poller      a look at the files, a few times a second, while somebody watches
pushes      what follows on the changes, as messages
points      series out of events and event files, decimated (decimate); live: for one view, as they change
"""
