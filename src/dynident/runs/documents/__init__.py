"""The documents of a run folder: its results as standard JSON, for people and other programs. They are made from results, never read back.

What the data don't determine, and what is infinite, is null. A document is declared once, as a record whose fields carry their sentences.
"""
