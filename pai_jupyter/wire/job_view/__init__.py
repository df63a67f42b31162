"""Pushes about one job to one view, and the view's requests for lines and points.

facts       what does not change in a job, and why it failed
lines       windows of log lines, limited in bytes
job_events  a snapshot of a job, then its changes
poller      looks for changed files a few times a second, while a view is open
pushes      sends snapshot, changes, lines and points to one view
points      series from events and event files
decimate    reduces a series to what can be drawn
live        series of one view, pushed as they change
"""
