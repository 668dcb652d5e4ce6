"""Parity: the numbers of one model, backend against backend.

`measure` collects what one backend computes, in `kzoo.parity.numbers`; `compare` sets
two such collections against each other, in `kzoo.parity.comparison`. Keras runs on one
backend per process, so `kzoo parity` and kzoo's own tests start a process for each.
"""
