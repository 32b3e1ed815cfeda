"""The report as data and as HTML; what a browser makes of it is in tests/browser."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from dynident.core.texts import short_number
from dynident.errors import FileError, InputError
from dynident.links import RetrievalStatus
from dynident.regression.vendor_model import VendorModelTest
from dynident.reports import SECTIONS, report
from dynident.reports.blocks import Cards, Figure, Table
from dynident.reports.html import typeset
from dynident.reports.robot_figures import ellipsoid
from dynident.reports.run_report import fill_section
from dynident.reports.sections.verdict import headline, what_not_to_trust, what_to_trust
from dynident.runs import Run, Stage, load_run, read_parameters, write_result
from dynident.runs.stages import StageContent
from dynident.validation import Validation
from dynident.validation.uncertainty import Departure
from tests.browser.arm import arm, complete_run, identified, log, validated
from tests.pages import unpack
from tests.whole_run import exchange


@pytest.fixture(scope="module")
def complete(tmp_path_factory) -> Path:
    return complete_run(tmp_path_factory.mktemp("complete"), unsigned=True)


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    identified(folder, arm(), log(arm(), seconds=12.0))
    return folder


def test_the_page_is_one_file_that_names_no_address_to_load(complete):
    page = report(load_run(complete)).html
    assert len(page.encode()) < 2_500_000
    assert unpack(page, "plotly") == get_plotlyjs()
    head = page.split("<script>")[0]  # what follows is Plotly's own text
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!#|data:)", head)
    assert "default-src 'none'" in head
    assert not re.search(r"@import|url\(", head)


def test_every_section_has_something_to_show(complete):
    run = replace(load_run(complete), beside=load_run(complete))
    for section in SECTIONS.values():
        assert section.applies(run), section.key
        found = fill_section(section, run)
        assert found.blocks, section.key
        assert found.command == ""
    assert len({section.title for section in SECTIONS.values()}) == len(SECTIONS)


def test_figures_are_what_plotly_understands_and_standard_json(complete):
    run = replace(load_run(complete), beside=load_run(complete))
    figures = [block for section in SECTIONS.values() for block in fill_section(section, run).blocks if isinstance(block, Figure)]
    assert len(figures) > 15
    for figure in figures:
        text = json.dumps({"data": figure.data, "layout": figure.layout}, allow_nan=False)
        go.Figure(json.loads(re.sub(r'"@\w+"', '"#123456"', text)))  # raises on an attribute that does not exist


def test_a_stage_that_is_not_there_names_its_command(bare):
    run = load_run(bare)
    by_key = {section.key: fill_section(section, run) for section in SECTIONS.values() if section.applies(run)}
    assert set(SECTIONS) - set(by_key) == {"signs", "beside", "payload"}
    assert by_key["torques"].command == f"dynident validate {bare} DATA"
    assert by_key["links"].command == by_key["robot"].command == f"dynident retrieve {bare}"
    assert by_key["verdict"].blocks
    assert by_key["friction"].blocks
    page = report(run).html
    assert "This step has not been done yet." in page
    assert "not known yet" in headline(run)


def test_what_belongs_to_another_estimate_does_not_count(complete, tmp_path):
    run = shutil.copytree(complete, tmp_path / "run")
    identified(run, arm(), log(arm(), seconds=16.0, seed=5))
    found = load_run(run)
    assert found.parameters is None
    assert found.validation is None
    assert "estimate.safetensors" in found.missing[Stage.VALIDATION]


def test_a_damaged_stage_is_an_error(complete, tmp_path):
    run = shutil.copytree(complete, tmp_path / "run")
    (run / "validation.safetensors").write_bytes(b"broken")
    with pytest.raises(FileError, match=r"validation\.safetensors"):
        load_run(run)
    (run / "validation.safetensors").unlink()
    (run / "parameters.json").write_text("{")
    assert load_run(run).stale == ("parameters.json",)


def test_the_verdict_follows_the_numbers(complete, bare, tmp_path):
    run = load_run(complete)
    assert "has not seen well" in headline(run)
    assert any("all joints" in sentence for sentence in what_to_trust(run))
    assert any("coefficients" in sentence and "doesn't determine" in sentence for sentence in what_not_to_trust(run))
    assert any("they count noise" in sentence and "leaves out all the time" in sentence for sentence in what_not_to_trust(run))
    assert any("dynident validate" in sentence for sentence in what_not_to_trust(load_run(bare)))
    seen = shutil.copytree(bare, tmp_path / "seen")
    from dynident.runs import read_estimate, write_result
    from dynident.validation import validate

    write_result(seen, validate(read_estimate(seen), log(arm(), seconds=12.0)))
    assert "own fit" in headline(load_run(seen))


def test_a_vendors_model_that_the_log_contradicts_is_not_trusted(bare):
    run = load_run(bare)
    for probability in (0.5, 1e-9):
        tested = VendorModelTest(coefficients=(), limit=3.0, chi_squared=9.0, freedom=3, probability=probability)
        both = exchange(run, estimate=replace(run.estimate, vendor_model=tested))
        assert any("contradict" in doubt for doubt in what_not_to_trust(both)) == tested.contradicted
        assert any("taken together" in sentence for sentence in what_to_trust(both)) != tested.contradicted


def with_errors(run: Run, percent: list[float], ratio: list[float]) -> Run:
    """The same run whose models have these errors, each so many times what was possible."""
    assert run.validation is not None
    models = tuple(replace(item, relative_percent=np.array(percent), ratio=np.array(ratio)) for item in run.validation.models)
    return exchange(run, validation=replace(run.validation, models=models))


def test_joints_are_judged_by_what_was_possible(complete):
    run = load_run(complete)
    assert any("Torques of all joints: about as near" in sentence for sentence in what_to_trust(run))
    run = with_errors(run, [4.6, 0.0, 12.0, 14.0, 34.0, 8.0], [1.2, 90.0, 1.9, 3.1, 2.5, 7.0])
    assert any("Torques of joint_1, joint_2, joint_3: about as near" in sentence for sentence in what_to_trust(run))
    doubts = list(what_not_to_trust(run))
    bad = "Torques of joint_5 (34 %, 2.5 times), joint_6 (8 %, 7.0 times): "
    assert any(doubt.startswith(bad) and "far more" in doubt for doubt in doubts)
    assert any(doubt.startswith("Torques of joint_4 (14 %, 3.1 times): ") and "visibly more" in doubt for doubt in doubts)


@pytest.mark.parametrize(
    ("percent", "ratio", "words", "tone"),
    [
        (0.8, 1.3, "it has not seen well: 1.3 times", "good"),
        (3.8, 3.2, "with visible errors", "fair"),
        (14.9, 6.0, "No model predicts", "bad"),
        (1.5, 6.0, "with visible errors", "fair"),
    ],
)
def test_a_small_error_is_not_good_where_a_much_smaller_one_was_possible(complete, percent, ratio, words, tone):
    """A model without friction leaves 3.8 % of the Panda's log and one of gravity alone 14.9 %, where 0.7 % is possible."""
    run = load_run(complete)
    assert run.validation is not None
    models = tuple(replace(item, overall_percent=percent, overall_ratio=ratio) for item in run.validation.models)
    run = exchange(run, validation=replace(run.validation, models=models))
    assert words in headline(run)
    cards = next(block for block in fill_section(SECTIONS["verdict"], run).blocks if isinstance(block, Cards)).cards
    assert (cards[0].value.startswith(f"{percent:.2g} ±"), cards[0].tone) == (True, tone)
    assert cards[0].detail.startswith("at 8 Hz; ")


def test_links_that_predict_worse_are_never_to_be_trusted(complete):
    run = load_run(complete)
    assert run.validation is not None
    assert run.parameters is not None

    def trusted(run: Run) -> bool:
        return any("link parameters" in sentence for sentence in what_to_trust(run))

    def with_links(factor: float) -> Validation:
        good = run.validation.coefficients.overall_percent
        models = tuple(replace(m, overall_percent=factor * good) if m.model == "links" else m for m in run.validation.models)
        return replace(run.validation, models=models)

    assert trusted(exchange(run, validation=with_links(1.1)))
    assert not trusted(exchange(run, validation=with_links(1.2)))
    assert Stage.VALIDATION.make_document(StageContent(result=with_links(1.2)))["links_hold"] is False
    assert Stage.VALIDATION.make_document(StageContent(result=with_links(1.2)))["recommended"] == "coefficients"
    for missing in (None, replace(run.validation, models=run.validation.models[:2])):  # only the data of the fit tell
        for percent, expected in ((1.1, True), (1.2, False)):
            links = replace(run.parameters, training=(1.0, percent))
            assert trusted(exchange(run, validation=missing, parameters=links)) is expected


def test_a_motion_beyond_that_of_the_fit_is_in_the_verdict(complete):
    run = load_run(complete)
    assert run.validation is not None
    band = replace(run.validation.band, departures=(Departure(joint="joint_2", share=0.4, since=1.5, factor=12.0),))
    doubts = list(what_not_to_trust(exchange(run, validation=replace(run.validation, band=band))))
    assert any("joint_2 (40% of the samples, from 1.5 s on)" in doubt for doubt in doubts)


@pytest.mark.parametrize(("times", "doubted"), [(1.4, False), (1.6, True)])
def test_a_held_out_error_below_that_of_the_cross_validation_is_no_forecast(complete, times, doubted):
    run = load_run(complete)
    assert run.validation is not None
    crossed = (times * run.validation.recommended.overall_percent, 0.25)
    validation = replace(run.validation, summary=replace(run.validation.summary, cross_validated=crossed))
    doubts = [doubt for doubt in what_not_to_trust(exchange(run, validation=validation)) if "as a forecast of other motions" in doubt]
    assert [doubt.endswith("have " + " ± ".join(map(short_number, crossed)) + " %.") for doubt in doubts] == [True] * doubted


@pytest.mark.parametrize(("status", "tone"), [(RetrievalStatus.OPTIMAL, "good"), (RetrievalStatus.FEASIBLE, "fair")])
def test_the_gap_is_a_share_and_its_colour_follows(complete, status, tone):
    run = load_run(complete)
    assert run.parameters is not None
    run = exchange(run, parameters=replace(run.parameters, status=status))
    cards = next(block for block in fill_section(SECTIONS["verdict"], run).blocks if isinstance(block, Cards)).cards
    card = next(card for card in cards if card.label == "Gap to the optimum")
    assert card.value.endswith(" %")
    assert card.detail.startswith("of the noise\n")
    assert card.tone == tone


def test_bounds_that_a_run_kept_are_drawn(complete, tmp_path):
    run = shutil.copytree(complete, tmp_path / "run")
    write_result(run, replace(read_parameters(run), bounds={10: (3.25, 9.5)}))
    section = SECTIONS["links"]
    masses = next(block for block in fill_section(section, load_run(run)).blocks if isinstance(block, Figure))
    assert [trace["x"] for trace in masses.data if trace["name"].startswith("bound")] == [[3.25], [9.5]]


def test_validations_without_link_parameters_are_shown_without_them(bare, tmp_path):
    run = shutil.copytree(bare, tmp_path / "run")
    validated(run, log(arm(), seconds=12.0))
    torques = SECTIONS["torques"]
    blocks = fill_section(torques, load_run(run)).blocks
    figure = next(block for block in blocks if isinstance(block, Figure))
    assert {trace["meta"] for trace in figure.data} == {"band", "measured", "coefficients", "coefficients_rigid", "nominal"}
    assert any(isinstance(block, Table) for block in blocks)


def test_the_ellipsoid_has_the_body_s_mass_and_inertia():
    """A solid ellipsoid with semi-axes a has the inertia m/5 · diag(a₂² + a₃², ...) about its centre."""
    from dynident.robots.parameters import from_com

    axes, centre, mass = np.array([0.1, 0.2, 0.35]), np.array([0.3, -0.1, 0.2]), 2.5
    R, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    inertia = R @ np.diag(mass / 5.0 * (np.sum(axes**2) - axes**2)) @ R.T
    found = ellipsoid(from_com(mass, centre, inertia))
    assert found is not None
    np.testing.assert_allclose(found[0], centre, atol=1e-12)
    np.testing.assert_allclose(found[1], axes, atol=1e-9)
    np.testing.assert_allclose(np.abs(np.diag(R.T @ found[2])), 1.0, atol=1e-6)
    assert ellipsoid(np.zeros(10)) is None


def test_a_link_that_would_hide_the_robot_is_left_out_and_named(complete):
    """Next to no mass puts a centre of mass anywhere; the picture must still show the rest."""
    from dataclasses import replace

    run = load_run(complete)
    x = run.parameters.x.copy()
    x[50], x[51] = 1e-9, 0.1  # the last link: a centre of mass 10⁸ m away
    run = exchange(run, parameters=replace(run.parameters, x=x))
    section = SECTIONS["robot"]
    *texts, figure = fill_section(section, run).blocks
    assert any("link_6" in block.text and "Not drawn" in block.text for block in texts)
    assert max(abs(value) for trace in figure.data for value in trace["x"] if value is not None) < 5.0


def test_a_page_made_in_memory_shows_the_figures_of_the_folder(complete, tmp_path):
    run = load_run(complete)
    names = ("signs", "parameters", "validation", "samples", "payload")
    page = report(run.estimate, **{name: getattr(run, name) for name in names})
    assert len(json.loads(unpack(page.html))) > 15
    assert unpack(page.html) == unpack(report(run).html)
    assert headline(run) in page.html
    assert str(complete) not in page.html
    assert page.save(tmp_path / "page.html").read_text() == page.html
    assert re.fullmatch(r"Page\(.*: identification report, \d\.\d MB\)", repr(page))
    assert "dynident retrieve RUN" in report(run.estimate).html
    with pytest.raises(InputError, match="a run has its own signs, parameters, validation, samples and payload"):
        report(run, parameters=run.parameters)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("J2xx - J2yy", "<var>J</var><sub>2xx</sub> \u2212 <var>J</var><sub>2yy</sub>"),
        ("0.632 mc3z", "0.632 <var>mc</var><sub>3z</sub>"),
        ("-0.5 m12", "\u22120.5 <var>m</var><sub>12</sub>"),
        ("1.5e-07 fv1", "1.5·10<sup>\u22127</sup> <var>fv</var><sub>1</sub>"),
        ("<b>m1</b>", "&lt;b&gt;<var>m</var><sub>1</sub>&lt;/b&gt;"),
        ("spring_2", "spring_2"),
    ],
)
def test_expressions_are_typeset_and_escaped(text, html):
    assert str(typeset(text)) == html
