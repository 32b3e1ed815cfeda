"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const plots = [...document.querySelectorAll(".plot")].map((element) => ({ element, figure: null }));

  // Colours in figures are names of the style sheet's, so that both themes have their own.
  const themed = (value, colour) => {
    if (typeof value === "string") return value.startsWith("@") ? colour(value.slice(1)) : value;
    if (Array.isArray(value)) return typeof value[0] === "object" && value[0] ? value.map((item) => themed(item, colour)) : value;
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, colour)]));
    return value;
  };

  const styled = (layout, colour) => {
    const line = { gridcolor: colour("rule"), zerolinecolor: colour("rule"), linecolor: colour("rule"), color: colour("soft") };
    const result = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true, uirevision: "keep",
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("ink") },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("rule"), font: { color: colour("ink") } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("rule"), activecolor: colour("accent") },
      ...layout,
      margin: { l: 58, r: 12, t: layout.title ? 34 : 14, b: 42, ...layout.margin },
    };
    if (result.title) result.title = { x: 0.01, xanchor: "left", font: { size: 13.5, color: colour("ink") }, ...result.title };
    for (const name of ["xaxis", "yaxis", "yaxis2"]) if (result[name]) result[name] = { ...line, zerolinewidth: 1, ...result[name] };
    if (result.scene) {
      for (const name of ["xaxis", "yaxis", "zaxis"]) result.scene[name] = { ...line, showbackground: false, ...result.scene[name] };
      result.scene.bgcolor = "rgba(0,0,0,0)";
    }
    return result;
  };

  // Nothing of the reader's may leave the page: the button that uploads a figure is not there, and has no address.
  const config = {
    displaylogo: false, responsive: true, showSendToCloud: false, plotlyServerURL: "", modeBarButtonsToRemove: ["lasso2d", "select2d"],
  };
  const draw = ({ element, figure }) => {
    const style = getComputedStyle(root);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const data = themed(figure.data, colour);
    // what the reader has hidden or shown since stays so
    if (element.data) data.forEach((trace, k) => { trace.visible = element.data[k].visible ?? true; });
    const layout = styled(themed(figure.layout, colour), colour);
    if (element.layout && element.layout.scene && element._fullLayout.scene._scene) {
      layout.scene.camera = element._fullLayout.scene._scene.getCamera();
    }
    return Plotly.react(element, data, layout, config);
  };

  const show = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(theme === "dark"));
    return Promise.all(plots.filter(({ element }) => element.data).map(draw));
  };

  const remembered = () => { try { return localStorage.getItem("dynident-theme"); } catch { return null; } };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let theme = remembered() || (dark.matches ? "dark" : "light");
  button.addEventListener("click", () => {
    theme = theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("dynident-theme", theme); } catch { /* a page from a file may not have a store */ }
    show(theme);
  });
  dark.addEventListener("change", () => { if (!remembered()) show((theme = dark.matches ? "dark" : "light")); });
  addEventListener("beforeprint", () => show("light"));
  addEventListener("afterprint", () => show(theme));

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.addEventListener("click", () => {
      const up = heading.getAttribute("aria-sort") !== "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(key(a, column), key(b, column)));
      body.append(...rows);
    }));
  });

  document.querySelectorAll(".key button").forEach((entry) => entry.addEventListener("click", () => {
    const on = entry.getAttribute("aria-pressed") !== "true";
    entry.setAttribute("aria-pressed", String(on));
    for (const { element } of plots) {
      if (!element.data || element.closest("section") !== entry.closest("section")) continue;
      const chosen = element.data.flatMap((trace, k) => (trace.meta === entry.dataset.trace ? [k] : []));
      if (chosen.length) Plotly.restyle(element, { visible: on ? true : "legendonly" }, chosen);
    }
  }));

  // One figure at a time, so that the page can be read while the rest is drawn.
  show(theme);
  const next = (k) => {
    if (k === plots.length) { root.dataset.drawn = "all"; return; }
    draw(plots[k]).then(() => setTimeout(() => next(k + 1), 0));
  };
  Promise.all([inflate("figures"), plotlyReady]).then(([figures]) => {
    JSON.parse(figures).forEach((figure, k) => { plots[k].figure = figure; });
    next(0);
  }, () => {});
})();
