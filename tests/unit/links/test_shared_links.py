"""Links that robots share: the joint normal distribution of everything as the oracle, and short logs that gain by it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dynident import identify, load_robot
from dynident.core.records import read_record, write_record
from dynident.dynamics import inverse_dynamics
from dynident.errors import FileError, InputError
from dynident.links import retrieval_problem, solve_retrieval
from dynident.links.shared_links import _BELIEF, DESCRIBED, USUAL, SharedLinks, Sharer, estimate_weights, share_links
from dynident.motions.simulation.payload import vary_links
from dynident.robots.parameters.link_metric import link_metric, weight_of
from dynident.runs import read_parameters, write_result
from tests.facts import about, raises
from tests.logs import synthetic_log

ROBOT = load_robot("planar_2r")
NOMINAL = np.asarray(ROBOT.parameters)


def made_up(robots: int, rows: int, *, spread: float = 0.1, size: float = 1.0) -> tuple[SharedLinks, np.ndarray, np.ndarray]:
    """Two links, random rows T (robots, rows, 20) in the coordinates of the metric, and y = T (μ + d) + noise."""
    rng = np.random.default_rng(0)
    T = size * rng.normal(size=(robots, rows, 20))
    u = rng.normal(size=20) + spread * rng.normal(size=(robots, 20))
    y = np.einsum("rij,rj->ri", T, u) + rng.normal(size=(robots, rows))
    names = tuple(f"r{k}" for k in range(robots))
    return (
        SharedLinks(
            link_names=ROBOT.link_names,
            robots=names,
            digests=names,
            nominal=NOMINAL,
            roots=np.array([np.linalg.qr(link_metric(link, "entropic"))[1] for link in NOMINAL]),
            information=np.einsum("rij,rik->rjk", T, T),
            vectors=np.einsum("rij,ri->rj", T, y),
            weights=np.array([30.0, 80.0]),
        ),
        T,
        y,
    )


def dense(T: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Covariance of all rows of all robots together."""
    robots, rows, m = T.shape
    flat = T.reshape(-1, m)
    shared = flat @ flat.T / weight_of(DESCRIBED)
    own = np.zeros((robots * rows, robots * rows))
    for r in range(robots):
        at = slice(r * rows, (r + 1) * rows)
        own[at, at] = T[r] / np.repeat(weights, 10) @ T[r].T
    return shared + own + np.eye(robots * rows)


def test_the_next_robot_is_that_of_the_joint_normal_distribution():
    shared, T, y = made_up(4, 15)
    flat, K = T.reshape(-1, 20), dense(T, shared.weights)
    cross = flat.T / weight_of(DESCRIBED)  # of the next robot's links with all rows
    before = np.eye(20) / weight_of(DESCRIBED) + np.diag(1.0 / np.repeat(shared.weights, 10))
    mean, covariance = shared.posterior()
    np.testing.assert_allclose(mean, cross @ np.linalg.solve(K, y.ravel()), atol=1e-9)
    np.testing.assert_allclose(covariance, before - cross @ np.linalg.solve(K, cross.T), atol=1e-9)


def test_a_robots_own_data_are_left_out_of_what_the_others_say_of_it():
    shared, _, _ = made_up(4, 15)
    others = replace(
        shared, robots=shared.robots[1:], digests=shared.digests[1:], information=shared.information[1:], vectors=shared.vectors[1:]
    )
    for mine, theirs in zip(shared.posterior("r0"), others.posterior(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)


def test_the_weights_are_the_most_probable_ones():
    shared, T, y = made_up(8, 25)
    weights = estimate_weights(shared)

    def log_probability(log_weights: np.ndarray) -> float:
        w = np.exp(log_weights)
        said = multivariate_normal(cov=dense(T, w)).logpdf(y.ravel())
        return said + 0.5 * np.sum(_BELIEF * log_weights - _BELIEF * w / weight_of(USUAL))

    at = np.log(weights)
    slopes = [(log_probability(at + step) - log_probability(at - step)) / 2e-3 for step in 1e-3 * np.eye(2)]
    assert np.abs(slopes).max() < 0.5, "expectation and maximisation ended at a step of a thousandth"
    assert log_probability(at) > max(log_probability(at + step) for step in (*0.2 * np.eye(2), *-0.2 * np.eye(2)))


@pytest.mark.parametrize("spread", [0.05, 0.3])
def test_the_spread_between_robots_is_found(spread):
    shared, _, _ = made_up(40, 30, spread=spread, size=10.0)
    assert 1.0 / np.sqrt(estimate_weights(shared)) == pytest.approx([spread, spread], rel=0.15)


@cache
def estimate(seed: int, samples: int = 1200):
    """A robot of a model that is not quite as described, with links that differ by 3 %."""
    model = ROBOT.with_parameters(vary_links(ROBOT, spread=0.1, seed=7))
    real = ROBOT.with_parameters(vary_links(model, spread=0.03, seed=100 + seed))
    return identify(ROBOT, synthetic_log(real, samples=samples, noise=0.3, seed=seed), cutoff=None), real


@cache
def fleet() -> SharedLinks:
    return share_links(Sharer(name=f"r{k}", digest=f"r{k}", estimate=estimate(k)[0]) for k in range(6))


def test_a_short_log_gains_by_the_links_of_the_others():
    gains = []
    for seed in (10, 11, 12):
        short, real = estimate(seed, samples=250)
        new = synthetic_log(real, samples=800, seed=50 + seed)
        true = inverse_dynamics(ROBOT, real.parameters, new.q, new.dq, new.ddq)
        found = [solve_retrieval(retrieval_problem(short, prior=prior)) for prior in ("auto", fleet().prior_for(short))]
        errors = [np.linalg.norm(inverse_dynamics(ROBOT, links.parameters, new.q, new.dq, new.ddq) - true) for links in found]
        gains.append(errors[1] / errors[0])
        assert np.all(found[1].margins > 0.0)
        told = [np.diag(short.base.grouping @ links.covariance @ short.base.grouping.T) for links in found]
        assert np.all(told[1] < 1.001 * told[0]), "what moves the robot is known better"
    assert np.mean(gains) < 0.8


def test_the_prior_is_written_with_what_was_solved(tmp_path):
    short = estimate(10, samples=250)[0]
    links = solve_retrieval(retrieval_problem(short, prior=fleet().prior_for(short)))
    write_result(tmp_path, short)
    write_result(tmp_path, links)
    np.testing.assert_array_equal(read_parameters(tmp_path).covariance, links.covariance)
    assert about(links.notes, "6 robots", "model")


def test_the_file_has_every_digit(tmp_path):
    write_record(tmp_path / "links.safetensors", fleet())
    found = read_record(tmp_path / "links.safetensors", SharedLinks, remedy="share them again")
    for name in ("nominal", "roots", "information", "vectors", "weights"):
        np.testing.assert_array_equal(getattr(found, name), getattr(fleet(), name))
    assert (found.robots, found.digests, found.link_names) == (fleet().robots, fleet().digests, fleet().link_names)
    (tmp_path / "other.npz").write_bytes(b"?")
    with pytest.raises(FileError):
        read_record(tmp_path / "other.npz", SharedLinks, remedy="share them again")


def test_one_robot_other_models_and_known_parameters_are_refused():
    first = Sharer(name="a", digest="a", estimate=estimate(0)[0])
    with raises(InputError, "two", 1):
        share_links([first])
    pendulum = identify(load_robot("pendulum_1r"), synthetic_log("pendulum_1r", samples=400, noise=0.01), cutoff=None)
    with raises(InputError, "b", "model", "link1, link2"):
        share_links([first, Sharer(name="b", digest="b", estimate=pendulum)])
    with raises(InputError, "link1, link2", "pendulum_1r"):
        fleet().prior_for(pendulum)
    known = identify(ROBOT, synthetic_log(samples=400, noise=0.01), cutoff=None, known={"m2": 3.0})
    with raises(InputError, "c", "known", "m2"):
        share_links([first, Sharer(name="c", digest="c", estimate=known)])
