"""The search of Algorithm 1: annealing and local searches within the box of the papers' parameters."""
