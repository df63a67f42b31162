"""WebHDFS on loopback, as Hadoop 2.7.3 speaks it: a name node, and a data node at a port of its own.

name_node   answers what needs no content, and where content is to be sent or read
data_node   takes and gives content
namespace   files and directories in one SQLite file, content beside it
refusal     errors as Hadoop writes them

Faults are injected before both (`server.hdfs`); `data_node_away` and `cut` are theirs.
"""
