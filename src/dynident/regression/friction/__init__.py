"""Friction that is not linear in all its parameters: fitting its shapes, choosing a model per joint, and fitting it again later."""
