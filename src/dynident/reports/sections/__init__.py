"""The sections of the report: for each a function from a run to its blocks, which `dynident.reports.registry` lists."""
