"""The doctor: what the installed Keras and its backend really do, in small checks.

`PROMISES` are what kzoo builds on; one that is broken stops training. `TRAPS` are what
Keras does and kzoo works around; one that changed stops nothing, but is worth a look.
`kzoo doctor` runs both in a process per backend.
"""
