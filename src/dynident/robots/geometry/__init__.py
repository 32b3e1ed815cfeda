"""The shapes that a description gives its links, as they are there: forms, meshes, and one reader per format."""
