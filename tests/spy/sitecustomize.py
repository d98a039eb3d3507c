"""Starts the spy in every process whose PYTHONPATH begins with this folder and whose environment names its output."""

import os

import engine_spy

if folder := os.environ.get(engine_spy.VARIABLE):
    engine_spy.install(folder)
