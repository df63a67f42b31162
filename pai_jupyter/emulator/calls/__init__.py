"""Verified calls of a service, and helpers to read their parameters.

context     `EmulatorContext`: what all services share
calls       `ApiCall` and `OperationTable`, the parts of a service
tables      the operation tables of the services
checks      read and validate fields of a call's body
pagination  the query parameters that filter, sort and page a list
"""
