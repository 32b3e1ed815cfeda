"""Which tests stay together when several processes share them: those of a file, which share what they build, with two exceptions."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

#: Every test of these files is by itself, and some take long: the pages of the documentation, the notebooks, the example scripts, the
#: formats of damaged files.
ALONE = ("tests/docs/test_code_blocks.py", "tests/docs/test_notebooks.py", "tests/docs/test_examples.py", "tests/faults/test_reading.py")
#: Files that share a thing that takes long to build, with the file that stands for each group: the papers' experiments in their quick form,
#: the site of the documentation.
TOGETHER = {
    "tests/cli/test_reproduce.py": "tests/contracts/test_claims.py",
    "tests/browser/test_site.py": "tests/docs/test_site.py",
}


class Scheduling(LoadScopeScheduling):
    """Hands tests out in the order in which they are found: the many short ones of `unit/` come last and fill the gaps."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file in ALONE:
            return nodeid
        return TOGETHER.get(file, file)
