"""The tutorial of the papers: the page of one of them, and what Algorithm 1 reaches with the authors' own samples."""

from __future__ import annotations

from pathlib import Path

from documentation.pictures.shots import make_narrow, narrow
from documentation.pictures.tutorial import recorded, run
from tests.browser import chromium

#: The figure of the runs of Algorithm 1, by what its legend says.
ALGORITHM_1 = "[...document.querySelectorAll('figure')].find((f) => f.textContent.includes('Algorithm 1')).id = 'algorithm-1'"


def make(work: Path, browser) -> dict[str, bytes]:
    make_narrow(browser)
    run(work, "dynident reproduce gaz2016 -o reproduction --quick")
    chromium.open_page(browser, work / "reproduction" / "reproduction.html")
    made = {"reproduce-summary.png": narrow(browser, "#summary", "#summary .listing")}
    data = recorded("panda_gaz2019", "reproduce-algorithm1.png")
    if data is not None:
        run(work, f"dynident reproduce gaz2019/retrieval -o panda --data '{data}/derived_M_g_1010.npz'")
        chromium.open_page(browser, work / "panda" / "reproduction.html")
        browser.execute_script(ALGORITHM_1)
        made["reproduce-algorithm1.png"] = narrow(browser, "#algorithm-1", "#algorithm-1")
    return made
