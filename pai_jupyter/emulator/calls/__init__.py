"""A verified call of a service, and how it is read.

context     what all services share: `World`
calls       `Call` and `Table`: what services are made of; tables: those of the services
checks      what every service asks of a call before it does anything
pagination  the parameters of a call that choose, sort and cut into pages
"""
