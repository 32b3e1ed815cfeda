"""Pictures of a robot in 3D, with each link's centre of mass and the solid ellipsoid of its inertia."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dynident.core.arrays import Array, IntArray
from dynident.reports.figures import Figure, numbers, plain
from dynident.robots.geometry.surfaces import turned_surface
from dynident.robots.kinematics import link_poses
from dynident.robots.parameters import to_com
from dynident.robots.robot import JointType, Robot

_RINGS, _SPOKES = 13, 24
_BEND = 0.5
#: A link is drawn while it ends within so many times the size of the robot.
_FAR = 1.5


def robot_figure(robot: Robot, parameters: Array | None = None) -> Figure:
    """The robot in the middle of its range. parameters : (n, 10) identified ones, drawn filled beside the nominal ones."""
    poses = link_poses(robot, shown_position(robot))
    data = [_skeleton(robot, poses)]
    if parameters is not None:
        shown = _without(parameters, outside(robot, parameters))
        data += _bodies(robot, poses, shown)
        data.append(_centres(robot, poses, shown, "centre of mass, identified", "circle", "@predicted"))
    if robot.parameters is not None:
        nominal = _without(robot.parameters, outside(robot, robot.parameters))
        data += _rings(poses, nominal)
        data.append(_centres(robot, poses, nominal, "centre of mass, nominal", "diamond-open", "@nominal"))
    view = {"eye": {"x": 1.6, "y": -1.6, "z": 0.65}, "center": {"x": 0.0, "y": 0.0, "z": -0.06}}
    axes = {f"{name}axis": {"title": {"text": f"{name} [m]"}} for name in "xyz"}
    layout = {
        "scene": {"aspectmode": "data", "camera": view, **axes},
        "margin": {"t": 10, "b": 10, "l": 10, "r": 10},
        "legend": {"x": 0, "y": 1, "itemsizing": "constant"},
    }
    return Figure(label="The robot with its inertia ellipsoids", data=data, layout=layout, height=620)


def shown_position(robot: Robot) -> Array:
    """(n,) the middle of each joint's limits; a revolute joint whose middle is zero is bent, so that links don't hide each other."""
    low, high = robot.position_limits.T
    limited = np.isfinite(low) & np.isfinite(high)
    middle = 0.5 * (np.where(limited, low, 0.0) + np.where(limited, high, 0.0))
    turning = np.array([joint.type is not JointType.PRISMATIC for joint in robot.joints])
    return np.where(turning & (np.abs(middle) < 1e-3), _BEND, middle)


def outside(robot: Robot, parameters: Array) -> tuple[int, ...]:
    """Links that would shrink the robot to a dot in the picture: centre of mass or ellipsoid beyond a few times its size."""
    corners = _corners(robot, link_poses(robot, shown_position(robot)))
    reach = _FAR * max(float(np.linalg.norm(np.nanmax(corners, axis=0) - np.nanmin(corners, axis=0))), 1e-3)
    bodies = [ellipsoid(row) for row in parameters]
    return tuple(i for i, body in enumerate(bodies) if body is not None and np.linalg.norm(body.centre) + body.axes.max() > reach)


def _without(parameters: Array, links: tuple[int, ...]) -> Array:
    """Parameters (n, 10) with no mass on some links, which are then not drawn."""
    return np.where(np.isin(np.arange(len(parameters)), links)[:, None], 0.0, parameters)


class Ellipsoid(NamedTuple):
    """A solid body of constant density. centre : (3,) [m]; axes : (3,) semi-axes [m]; directions : (3, 3) of these, in the columns."""

    centre: Array
    axes: Array
    directions: Array

    def place(self, points: Array) -> Array:
        """(k, 3) points of the unit sphere, or of circles on it, on the ellipsoid."""
        return self.centre + points * self.axes @ self.directions.T


def ellipsoid(row: Array) -> Ellipsoid | None:
    """The solid ellipsoid with these parameters; None without mass.

    A solid ellipsoid has the second moments ∫x² dm = m a²/5 about its centre; a negative one, which no body has, is drawn flat.
    """
    if row[0] <= 0.0:
        return None
    mass, com, inertia = to_com(row)
    moments, directions = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    return Ellipsoid(com, np.sqrt(5.0 * np.maximum(moments, 0.0) / float(mass)), directions)


def _corners(robot: Robot, poses: Array) -> Array:
    """(4 n, 3) from each parent's frame through the joint to the link's frame, then a gap."""
    points: list[Array] = []
    for i, joint in enumerate(robot.joints):
        parent = np.eye(4) if joint.parent < 0 else poses[joint.parent]
        points += [parent[:3, 3], (parent @ joint.placement)[:3, 3], poses[i][:3, 3], np.full(3, np.nan)]
    return np.array(points)


def _skeleton(robot: Robot, poses: Array) -> dict[str, Any]:
    style = {"line": {"color": "@bone", "width": 9}, "marker": {"color": "@bone", "size": 4}}
    return _points(_corners(robot, poses), mode="lines+markers", name="kinematics", hoverinfo="skip", **style)


def _bodies(robot: Robot, poses: Array, parameters: Array) -> Iterator[dict[str, Any]]:
    sphere, faces = _sphere()
    for i, link in enumerate(robot.links):
        body = ellipsoid(parameters[i])
        if body is None:
            continue
        yield {
            **_points(_place(poses[i], body.place(sphere)), type="mesh3d"),
            **dict(zip("ijk", (column.tolist() for column in faces.T), strict=True)),
            "color": "@predicted",
            "opacity": 0.4,
            "name": "inertia, identified",
            "legendgroup": "bodies",
            "showlegend": i == 0,
            "hovertext": f"{plain(link.name)}: {parameters[i, 0]:.3f} kg",
            "hoverinfo": "text",
            "lighting": {"ambient": 0.7, "diffuse": 0.5, "specular": 0.1},
        }


def _rings(poses: Array, parameters: Array) -> Iterator[dict[str, Any]]:
    """The three principal ellipses of each nominal body."""
    turn = np.linspace(0.0, 2.0 * np.pi, 37)
    c, s, o = np.cos(turn), np.sin(turn), np.zeros_like(turn)
    gap = np.full((1, 3), np.nan)
    circles = np.concatenate([part for ring in ([c, s, o], [c, o, s], [o, c, s]) for part in (np.stack(ring, axis=1), gap)])
    bodies = zip(poses, map(ellipsoid, parameters), strict=True)
    pieces = [_place(pose, body.place(circles)) for pose, body in bodies if body is not None]
    if pieces:
        style = {"color": "@nominal", "width": 2.5}
        yield _points(np.concatenate(pieces), mode="lines", name="inertia, nominal", line=style, hoverinfo="skip")


def _centres(robot: Robot, poses: Array, parameters: Array, name: str, symbol: str, colour: str) -> dict[str, Any]:
    chosen = [i for i in range(robot.n) if parameters[i, 0] > 0.0]
    points = np.array([_place(poses[i], parameters[i, 1:4] / parameters[i, 0]) for i in chosen]).reshape(-1, 3)
    texts = [f"{plain(robot.links[i].name)}, {parameters[i, 0]:.3f} kg" for i in chosen]
    marker = {"symbol": symbol, "size": 5, "color": colour, "line": {"width": 2, "color": colour}}
    return _points(points, mode="markers", name=name, marker=marker, hovertext=texts, hoverinfo="text")


def _points(points: Array, **more: Any) -> dict[str, Any]:
    return {"type": "scatter3d", **dict(zip("xyz", (numbers(column) for column in points.T), strict=True)), **more}


def _place(pose: Array, points: Array) -> Array:
    return points @ pose[:3, :3].T + pose[:3, 3]


def _sphere() -> tuple[Array, IntArray]:
    """Points (k, 3) on the unit sphere and triangles (t, 3) between them."""
    polar = np.linspace(0.0, np.pi, _RINGS)
    return turned_surface(np.sin(polar), np.cos(polar), _SPOKES)
