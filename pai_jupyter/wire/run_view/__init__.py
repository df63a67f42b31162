"""Pushes about one run to one view.

rows     a run's head and its steps for the wire: clipped, without secrets
delta    what one view knows, and what is new for it
polling  looks for changes a few times a second, while a view is open
pushes   sends them to one view
runs     runs by their id: those of this machine and of services
"""
