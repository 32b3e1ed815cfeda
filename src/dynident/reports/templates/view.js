"use strict";
(() => {
  const data = JSON.parse(document.getElementById("content").textContent);
  const canvas = document.getElementById("scene");
  const gl = canvas.getContext("webgl", { alpha: false, antialias: true, preserveDrawingBuffer: true });
  const about = document.getElementById("about");
  if (!gl) { about.textContent = "This browser can't draw in 3D (WebGL is off)."; return; }
  gl.getExtension("OES_element_index_uint");

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const floats = (text) => new Float32Array(bytes(text));
  const q = data.q.slice();

  // 4x4 matrices as 16 numbers, column by column
  const multiply = (a, b) => {
    const m = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      m[4 * c + r] = sum;
    }
    return m;
  };
  const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  const motion = (c, x, turns) => {
    // the pose is affine in 1, cos q, sin q and q; see joint_constants
    const cos = turns ? Math.cos(x) : 0, sin = turns ? Math.sin(x) : 0, m = new Float32Array(identity);
    for (let r = 0; r < 3; r++) {
      for (let k = 0; k < 3; k++) m[4 * k + r] = c[3 * r + k] + cos * c[12 + 3 * r + k] + sin * c[24 + 3 * r + k];
      m[12 + r] = c[9 + r] + cos * c[21 + r] + sin * c[33 + r] + x * c[36 + r];
    }
    return m;
  };
  const poses = () => {
    const found = [];
    data.joints.forEach((joint, i) => {
      const own = motion(joint.constants, q[i], joint.turns);
      found.push(joint.parent < 0 ? own : multiply(found[joint.parent], own));
    });
    return found;
  };

  const compile = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, `
    attribute vec3 point; attribute vec3 normal; uniform mat4 camera, pose; varying vec3 facing;
    void main() { facing = mat3(pose) * normal; gl_Position = camera * pose * vec4(point, 1.0); gl_PointSize = 6.0; }`));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, `
    precision mediump float; uniform vec4 colour; uniform float lit; varying vec3 facing;
    void main() {
      float light = lit > 0.5 ? 0.45 + 0.55 * abs(dot(normalize(facing), normalize(vec3(0.4, -0.6, 0.7)))) : 1.0;
      gl_FragColor = vec4(colour.rgb * light, colour.a);
    }`));
  gl.linkProgram(program);
  gl.useProgram(program);
  const at = { point: gl.getAttribLocation(program, "point"), normal: gl.getAttribLocation(program, "normal") };
  const uniform = (name) => gl.getUniformLocation(program, name);
  const where = { camera: uniform("camera"), pose: uniform("pose"), colour: uniform("colour"), lit: uniform("lit") };

  const buffer = (array) => { const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b); gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW); return b; };
  const surface = (points, triangles) => {
    // three corners of its own for every triangle, so that faces are flat
    const corners = new Float32Array(9 * (triangles.length / 3)), normals = new Float32Array(corners.length);
    for (let t = 0; t < triangles.length / 3; t++) {
      const p = [0, 1, 2].map((k) => [0, 1, 2].map((x) => points[3 * triangles[3 * t + k] + x]));
      const u = p[1].map((x, k) => x - p[0][k]), v = p[2].map((x, k) => x - p[0][k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (let k = 0; k < 3; k++) for (let x = 0; x < 3; x++) { corners[9 * t + 3 * k + x] = p[k][x]; normals[9 * t + 3 * k + x] = n[x]; }
    }
    return { points: buffer(corners), normals: buffer(normals), count: corners.length / 3, mode: gl.TRIANGLES };
  };
  const lines = (array) => ({ points: buffer(new Float32Array(array)), count: array.length / 3, mode: gl.LINES });

  const ball = (() => {
    const points = [], triangles = [], rings = 12, spokes = 24;
    for (let i = 0; i <= rings; i++) for (let j = 0; j < spokes; j++) {
      const a = Math.PI * i / rings, b = 2 * Math.PI * j / spokes;
      points.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
    }
    for (let i = 0; i < rings; i++) for (let j = 0; j < spokes; j++) {
      const a = spokes * i + j, b = spokes * i + (j + 1) % spokes;
      triangles.push(a, b, a + spokes, b, b + spokes, a + spokes);
    }
    return surface(points, triangles);
  })();
  const rings = (() => {
    const found = [], steps = 48;
    for (const [a, b] of [[0, 1], [0, 2], [1, 2]]) for (let k = 0; k < steps; k++) for (const s of [k, k + 1]) {
      const p = [0, 0, 0]; p[a] = Math.cos(2 * Math.PI * s / steps); p[b] = Math.sin(2 * Math.PI * s / steps); found.push(...p);
    }
    return lines(found);
  })();
  const size = 0.08 * data.reach;
  const axes = [lines([0, 0, 0, size, 0, 0]), lines([0, 0, 0, 0, size, 0]), lines([0, 0, 0, 0, 0, size])];
  const floor = (() => {
    const found = [], z = data.floor, r = Math.max(1, Math.ceil(data.reach)), step = r > 4 ? 1 : 0.25;
    for (let x = -r; x <= r + 1e-9; x += step) found.push(x, -r, z, x, r, z, -r, x, z, r, x, z);
    return lines(found);
  })();
  const meshes = (list) => list.map((shape) => ({ ...shape, mesh: surface(floats(shape.points), new Uint32Array(bytes(shape.triangles))) }));
  const shapes = meshes(data.shapes), solids = meshes(data.solids);
  const solid = (body, centre, axes3, directions) => {
    const m = new Float32Array(identity);
    for (let k = 0; k < 3; k++) for (let r = 0; r < 3; r++) m[4 * k + r] = directions[3 * r + k] * axes3[k];
    for (let r = 0; r < 3; r++) m[12 + r] = centre[r];
    return m;
  };

  const colour = (name) => {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
  };
  const choices = {
    shapes: ["Shapes", "--bone", true], solids: ["Solids kept apart", "--rigid", true], frames: ["Frames", null, false], nominal: ["Nominal inertia", "--nominal", true],
    identified: ["Identified inertia", "--predicted", true], floor: ["Floor", null, true],
  };
  const has = { shapes: true, solids: solids.length > 0, frames: true, floor: true, nominal: data.nominal.some(Boolean), identified: data.identified.some(Boolean) };
  const shown = {};
  for (const [key, [label, name, on]] of Object.entries(choices)) {
    if (!has[key]) continue;
    const box = document.createElement("input"), line = document.createElement("label");
    box.type = "checkbox"; box.checked = shown[key] = on;
    box.addEventListener("change", () => { shown[key] = box.checked; draw(); });
    line.append(box);
    if (name) { const s = document.createElement("span"); s.className = "swatch"; s.style.background = `var(${name})`; line.append(s); }
    line.append(label);
    document.getElementById("show").append(line);
  }

  const view = { turn: -0.9, lift: 0.45, far: 2.0 * data.reach, middle: [0, 0, 0.35 * data.reach] };
  const camera = () => {
    const { turn, lift, far, middle } = view, c = Math.cos, s = Math.sin;
    const back = [c(lift) * c(turn), c(lift) * s(turn), s(lift)], right = [-s(turn), c(turn), 0];
    const up = [-s(lift) * c(turn), -s(lift) * s(turn), c(lift)], eye = middle.map((x, k) => x + far * back[k]);
    const dot = (a) => a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2];
    const look = new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0, -dot(right), -dot(up), -dot(back), 1]);
    const near = 0.02 * far, away = 20 * far, focus = 2.0, wide = canvas.clientWidth / canvas.clientHeight;
    const lens = new Float32Array([focus / wide, 0, 0, 0, 0, focus, 0, 0, 0, 0, -(away + near) / (away - near), -1, 0, 0, -2 * away * near / (away - near), 0]);
    return multiply(lens, look);
  };
  const paint = (mesh, pose, rgb, alpha, lit) => {
    gl.uniformMatrix4fv(where.pose, false, pose);
    gl.uniform4f(where.colour, ...rgb, alpha);
    gl.uniform1f(where.lit, lit ? 1 : 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.points);
    gl.enableVertexAttribArray(at.point); gl.vertexAttribPointer(at.point, 3, gl.FLOAT, false, 0, 0);
    if (mesh.normals) { gl.bindBuffer(gl.ARRAY_BUFFER, mesh.normals); gl.enableVertexAttribArray(at.normal); gl.vertexAttribPointer(at.normal, 3, gl.FLOAT, false, 0, 0); }
    else { gl.disableVertexAttribArray(at.normal); gl.vertexAttrib3f(at.normal, 0, 0, 1); }
    gl.drawArrays(mesh.mode, 0, mesh.count);
  };
  const draw = () => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...colour("--ground"), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniformMatrix4fv(where.camera, false, camera());
    const at = poses(), pose = (body) => (body < 0 ? identity : at[body]);
    if (shown.floor) paint(floor, identity, colour("--rule"), 1, false);
    if (shown.frames) at.forEach((p) => axes.forEach((axis, k) => paint(axis, p, [k === 0, k === 1, k === 2].map(Number), 1, false)));
    const inertias = (bodies, name, filled) => bodies.forEach((body, i) => {
      if (!body) return;
      const place = multiply(at[i], solid(body, body.centre, body.axes, body.directions));
      const dot = 0.012 * data.reach, point = solid(body, body.centre, [dot, dot, dot], [1, 0, 0, 0, 1, 0, 0, 0, 1]);
      paint(ball, multiply(at[i], point), colour(name), 1, true);
      if (filled) paint(ball, place, colour(name), 0.45, true); else paint(rings, place, colour(name), 1, false);
    });
    if (shown.nominal) inertias(data.nominal, "--nominal", false);
    if (shown.identified) inertias(data.identified, "--predicted", true);
    if (shown.shapes) {
      const clear = shown.nominal || shown.identified;
      gl.depthMask(!clear);
      shapes.forEach((shape) => paint(shape.mesh, pose(shape.body), colour("--bone"), clear ? 0.4 : 1, true));
      gl.depthMask(true);
    }
    if (shown.solids) {
      gl.depthMask(false);
      solids.forEach((shape) => paint(shape.mesh, pose(shape.body), colour("--rigid"), 0.3, true));
      gl.depthMask(true);
    }
  };

  const rows = data.joints.map((joint, i) => {
    const row = document.createElement("tr"), slider = document.createElement("input");
    const cells = { name: row.insertCell(), slider: row.insertCell(), value: row.insertCell(), speed: row.insertCell(), reserve: row.insertCell() };
    cells.name.textContent = joint.name; cells.name.title = `${joint.name} moves ${joint.link}`;
    slider.type = "range"; slider.min = joint.range[0]; slider.max = joint.range[1]; slider.step = "any"; slider.value = q[i];
    slider.setAttribute("aria-label", joint.name);
    slider.addEventListener("input", () => { q[i] = Number(slider.value); stop(); label(); draw(); });
    cells.slider.append(slider);
    for (const key of ["value", "speed", "reserve"]) cells[key].className = "number";
    cells.speed.hidden = cells.reserve.hidden = !data.motion;
    document.querySelector("#joints tbody").append(row);
    return { slider, ...cells };
  });
  let speeds = null;
  const label = () => rows.forEach((row, i) => {
    const joint = data.joints[i], [low, high, fastest] = joint.limits;
    row.value.textContent = joint.turns ? `${(q[i] * 180 / Math.PI).toFixed(1)}°` : `${q[i].toFixed(3)} m`;
    row.value.classList.toggle("bad", (low !== null && q[i] < low) || (high !== null && q[i] > high));
    if (speeds) {
      row.speed.textContent = speeds[i].toFixed(2); row.speed.title = joint.units[1];
      row.speed.classList.toggle("bad", fastest !== null && Math.abs(speeds[i]) > fastest);
    }
  });

  let playing = false, now = 0, before = null;
  const stop = () => { playing = false; document.getElementById("play").textContent = "Play"; };
  if (data.motion) {
    const m = data.motion, n = data.joints.length, Q = floats(m.q), dQ = floats(m.dq), end = m.time[m.time.length - 1];
    const bar = document.getElementById("time"), clock = document.getElementById("clock");
    document.getElementById("player").hidden = document.getElementById("speed-head").hidden = document.getElementById("reserve-head").hidden = false;
    bar.max = end;
    rows.forEach((row, i) => {
      const left = Object.entries(m.reserve).map(([name, values]) => [name, values[i]]).filter(([, value]) => value !== null);
      if (!left.length) { row.reserve.textContent = "–"; return; }
      const [name, least] = left.reduce((a, b) => (b[1] < a[1] ? b : a));
      row.reserve.textContent = `${(100 * least).toFixed(0)} %`; row.reserve.title = `of the ${name} limit`;
      row.reserve.classList.toggle("bad", least < 0);
    });
    const show = (t) => {
      now = Math.min(Math.max(t, 0), end);
      let low = 0, high = m.time.length - 1;
      while (high - low > 1) { const k = (low + high) >> 1; if (m.time[k] <= now) low = k; else high = k; }
      const share = high > low ? (now - m.time[low]) / (m.time[high] - m.time[low]) : 0;
      speeds = [];
      for (let i = 0; i < n; i++) {
        q[i] = Q[n * low + i] + share * (Q[n * high + i] - Q[n * low + i]);
        speeds.push(dQ[n * low + i] + share * (dQ[n * high + i] - dQ[n * low + i]));
        rows[i].slider.value = q[i];
      }
      bar.value = now; clock.textContent = `${now.toFixed(2)} of ${end.toFixed(2)} s`;
      label(); draw();
    };
    const tick = (stamp) => {
      if (!playing) return;
      if (before !== null) show(now + (stamp - before) / 1000 >= end ? 0 : now + (stamp - before) / 1000);
      before = stamp;
      requestAnimationFrame(tick);
    };
    document.getElementById("play").addEventListener("click", () => {
      playing = !playing; before = null;
      document.getElementById("play").textContent = playing ? "Pause" : "Play";
      requestAnimationFrame(tick);
    });
    bar.addEventListener("input", () => { stop(); show(Number(bar.value)); });
    window.showMotionAt = show;
    show(0);
    about.textContent = `Motion: ${m.source || "given"}. Speeds are in rad/s or m/s. Reserve is the least that the whole motion leaves of a limit of position, velocity or effort.`;
  }
  for (const note of data.notes) { const item = document.createElement("li"); item.textContent = note; document.getElementById("notes").append(item); }

  let held = null;
  canvas.addEventListener("pointerdown", (event) => { held = event; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const dx = event.clientX - held.clientX, dy = event.clientY - held.clientY;
    if (event.shiftKey || held.button === 1) {
      const k = view.far / canvas.clientHeight, s = Math.sin(view.turn), c = Math.cos(view.turn);
      view.middle[0] += k * s * dx; view.middle[1] -= k * c * dx; view.middle[2] += k * dy;
    } else { view.turn -= 0.008 * dx; view.lift = Math.min(1.5, Math.max(-1.5, view.lift + 0.008 * dy)); }
    held = event; draw();
  });
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); view.far *= Math.exp(0.001 * event.deltaY); draw(); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (step) { view.turn += step[0]; view.lift = Math.min(1.5, Math.max(-1.5, view.lift + step[1])); draw(); event.preventDefault(); }
  });
  const root = document.documentElement;
  root.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; draw(); });
  window.addEventListener("resize", draw);
  label(); draw();
  root.dataset.ready = "yes";
})();
