"use strict";

// Draws the figures of a report: curves, maps, and points in regions, from the data in the page. What they show, and in which colours, is
// decided there; here are axes, and what answers the pointer, the keyboard and the width of the window.

const data = JSON.parse(document.getElementById("data").textContent);

// Elements

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const svg = (name, attributes = {}, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const html = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);

/** Runs of letters of a label with their level: `_` lowers the next letter, `^` raises the number behind it. */
function runs(label) {
  const found = [...label.matchAll(/_(.)|\^([\d.−]+)|([^_^]+)/gu)];
  return found.map(([, low, high, plain]) => (low ? [low, -1] : high ? [high, 1] : [plain, 0]));
}

const plainText = (label) => runs(label).map(([text]) => text).join("");

/** A label in SVG. */
function written(label, attributes) {
  let depth = 0;
  const spans = runs(label).map(([text, level]) => {
    const wanted = level * -4;
    const span = svg("tspan", { dy: wanted - depth, "font-size": level ? 9 : 13 }, text);
    depth = wanted;
    return span;
  });
  return svg("text", attributes, ...spans);
}

/** A label in HTML. */
const marked = (label) => runs(label).map(([text, level]) => (level ? html(level < 0 ? "sub" : "sup", {}, text) : text));

// Numbers

const raised = (exponent) => String(exponent).replace(/./g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻");

/** A number as one reads it: whole numbers in full, others to five digits. */
function number(value) {
  if (value === null) return "no value";
  const size = Math.abs(value);
  let text = String(Number(value.toPrecision(5)));
  if (Number.isInteger(value) && size < 1e15) text = String(value);
  else if (size < 1e-4 || size >= 1e7) {
    const [factor, exponent] = value.toExponential(4).split("e");
    text = `${Number(factor)} × 10${raised(Number(exponent))}`;
  }
  return text.replace("-", "−");
}

/** `label = value unit`, of a label with its unit in brackets. */
function equation(label, value, error) {
  const [, name, unit] = label.match(/^(.*?)(?:  \[(.*)\])?$/u);
  const bar = error ? ` ± ${number(error)}` : "";
  return [...marked(name), ` = ${number(value)}${bar} `, ...marked(unit ?? "")];
}

// Axes

function linearTicks([lo, hi], wanted) {
  const decade = 10 ** Math.floor(Math.log10((hi - lo) / wanted));
  const step = decade * [1, 2, 5, 10].find((factor) => factor * decade * wanted >= (hi - lo) * (1 - 1e-9));
  const largest = Math.max(Math.abs(lo), Math.abs(hi));
  const exponent = largest >= 1e-2 && largest < 1e5 ? 0 : Math.floor(Math.log10(largest));
  const decimals = Math.max(0, Math.ceil(exponent - Math.log10(step) - 1e-9));
  const labelled = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) {
    const text = ((k * step) / 10 ** exponent).toFixed(decimals);
    labelled.push([k * step, (k === 0 ? text.replace("-", "") : text).replace("-", "−")]);
  }
  return { labelled, small: [], exponent };
}

function logTicks([lo, hi], wanted) {
  if (hi / lo < 3) return linearTicks([lo, hi], wanted);
  const all = [];
  for (let k = Math.floor(Math.log10(lo)); k <= Math.ceil(Math.log10(hi)); k++)
    for (let m = 1; m < 10; m++) all.push([Number(`${m}e${k}`), m, k]);
  const inside = all.filter(([value]) => value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9));
  const count = (multiples) => inside.filter(([, m]) => multiples.includes(m)).length;
  const multiples = [[1, 2, 3, 5], [1, 2, 5]].find((some) => count(some) <= 1.5 * wanted) ?? [1];
  const every = multiples.length > 1 ? 1 : Math.max(1, Math.ceil(count([1]) / wanted));
  const plain = lo >= 5e-4 && hi < 2e4;
  const text = (value, m, k) => (plain ? String(value) : `${m > 1 ? `${m} × ` : ""}10${raised(k)}`);
  const isLabelled = ([, m, k]) => multiples.includes(m) && k % every === 0;
  return {
    labelled: inside.filter(isLabelled).map(([value, m, k]) => [value, text(value, m, k)]),
    small: inside.filter((tick) => !isLabelled(tick)).map(([value]) => value),
    exponent: 0,
  };
}

/** An axis that lies from one place to another. */
function placed(axis, from, to) {
  const by = axis.log ? Math.log10 : (value) => value;
  const [lo, hi] = axis.range.map(by);
  const at = (value) => from + ((by(value) - lo) / (hi - lo)) * (to - from);
  const room = 1e-9 * (hi - lo);
  const holds = (value) => value !== null && (!axis.log || value > 0) && by(value) >= lo - room && by(value) <= hi + room;
  return { ...axis, at, holds };
}

/** The ticks of an axis that is so long. */
function ticksOf(axis, length, apart) {
  if (axis.ticks) return { labelled: axis.ticks, small: [], exponent: 0 };
  const wanted = Math.min(8, Math.max(2, Math.round(length / apart)));
  return (axis.log ? logTicks : linearTicks)(axis.range, wanted);
}

/** A label with the power of ten that its numbers are to be multiplied by. */
function withExponent(label, exponent) {
  if (!exponent) return label;
  const power = `10${raised(exponent)}`;
  return label.endsWith("]") ? label.replace(/  \[(.*)\]$/u, `  [${power} $1]`) : `${label}  [${power}]`;
}

/** Draws both axes; returns them in their places, and the layer between grid and frame that takes what they show. */
function drawAxes(root, [width, height], xAxis, yAxis, above, beside) {
  const bottom = height - 44;
  const yTicks = ticksOf(yAxis, bottom - above, 38);
  const widest = Math.max(1, ...yTicks.labelled.map(([, text]) => plainText(text).length));
  const [left, right] = [34 + 7.4 * widest, width - beside];
  const x = placed(xAxis, left, right);
  const y = placed(yAxis, bottom, above);
  const xTicks = ticksOf(xAxis, right - left, 62);
  const [grid, content, front] = [svg("g", { class: "grid" }), svg("g"), svg("g", { class: "frame" })];
  const texts = svg("g");
  const id = `area-${(drawAxes.areas = (drawAxes.areas ?? 0) + 1)}`;
  const area = { x: left, y: above, width: right - left, height: bottom - above };
  root.append(svg("clipPath", { id }, svg("rect", area)), grid, content, front, texts);
  content.setAttribute("clip-path", `url(#${id})`);
  for (const [ticks, length] of [[xTicks.small, 3], [xTicks.labelled.map(([value]) => value), 5.5]])
    for (const value of ticks.filter(x.holds)) front.append(svg("path", { d: `M${x.at(value)} ${bottom}v${-length}` }));
  for (const [ticks, length] of [[yTicks.small, 3], [yTicks.labelled.map(([value]) => value), 5.5]])
    for (const value of ticks.filter(y.holds)) front.append(svg("path", { d: `M${left} ${y.at(value)}h${length}` }));
  let free = -Infinity;
  for (const [value, text] of xTicks.labelled.filter(([value]) => x.holds(value))) {
    grid.append(svg("path", { d: `M${x.at(value)} ${above}V${bottom}` }));
    const half = 3.8 * plainText(text).length;
    if (x.at(value) - half < free) continue;
    free = x.at(value) + half + 3;
    texts.append(svg("text", { x: x.at(value), y: bottom + 17, "text-anchor": "middle" }, text));
  }
  free = Infinity;
  for (const [value, text] of yTicks.labelled.filter(([value]) => y.holds(value))) {
    grid.append(svg("path", { d: `M${left} ${y.at(value)}H${right}` }));
    if (y.at(value) > free) continue;
    free = y.at(value) - 13;
    texts.append(svg("text", { x: left - 6, y: y.at(value) + 4.5, "text-anchor": "end" }, text));
  }
  front.append(svg("rect", area));
  const middle = (above + bottom) / 2;
  texts.append(written(withExponent(xAxis.label, xTicks.exponent), { x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }));
  texts.append(written(withExponent(yAxis.label, yTicks.exponent), { "text-anchor": "middle", transform: `translate(14 ${middle}) rotate(-90)` }));
  return { x, y, area, content };
}

// What answers the pointer and the keyboard

/**
 * Lets one find out values in a drawing. `find` has the item at a place, `step` the one to which a key leads from another (undefined for
 * keys of no meaning): its place `at`, and the lines that it `says`. Returns what forgets the item, for the next drawing.
 */
function explorable(panel, root, label, find, step) {
  const tip = html("output", { class: "tip" });
  const ring = svg("circle", { class: "ring", r: 6 });
  tip.hidden = true;
  filled(root, { tabindex: 0, role: "application", "aria-roledescription": "figure", "aria-label": `${label}. Arrow keys move from point to point.` }, []);
  panel.append(tip);
  let item = null;
  const show = (next) => {
    item = next;
    tip.hidden = !item;
    ring.remove();
    if (!item) return;
    const [box, around] = [root.getBoundingClientRect(), panel.getBoundingClientRect()];
    const scale = box.width / root.viewBox.baseVal.width;
    const [x, y] = item.at.map((place) => place * scale);
    ring.setAttribute("transform", `translate(${item.at})`);
    root.append(ring);
    tip.replaceChildren(...item.says.flatMap((line, k) => (k ? ["\n", ...line] : line)));
    const left = x > panel.clientWidth / 2 ? x - tip.offsetWidth - 12 : x + 12;
    tip.style.left = `${Math.max(0, Math.min(left, panel.clientWidth - tip.offsetWidth))}px`;
    tip.style.top = `${box.top - around.top + Math.max(0, y - tip.offsetHeight - 8)}px`;
  };
  const pointed = (event) => {
    const box = root.getBoundingClientRect();
    const scale = root.viewBox.baseVal.width / box.width;
    show(find([(event.clientX - box.left) * scale, (event.clientY - box.top) * scale]));
  };
  root.addEventListener("pointermove", pointed);
  root.addEventListener("pointerdown", pointed);
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("blur", () => show(null));
  root.addEventListener("focus", () => root.matches(":focus-visible") && show(step(null, "Home") ?? null));
  root.addEventListener("keydown", (event) => {
    const next = event.key === "Escape" ? null : step(item, event.key);
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(next);
  });
  return () => show(null);
}

/** The item nearest to a place, not too far from it. */
function nearest(items, [x, y], reach = 40) {
  let [best, least] = [null, reach];
  for (const item of items) {
    const distance = Math.hypot(item.at[0] - x, item.at[1] - y);
    if (distance < least) [best, least] = [item, distance];
  }
  return best;
}

/** Draws now, and again when the width changes. */
function drawn(element, draw) {
  let width = element.clientWidth;
  draw();
  new ResizeObserver(() => {
    if (element.clientWidth !== width) requestAnimationFrame(draw);
    width = element.clientWidth;
  }).observe(element);
}

function checkbox(on, changed, ...label) {
  const box = html("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => changed(box.checked));
  return html("label", {}, box, html("span", {}, ...label));
}

/** The axis `k` of a panel or a map. */
const axisOf = (shown, k) => ({ label: shown.labels[k], log: shown.logarithmic[k], range: shown.ends[k] });

/** A label without its unit. */
const named = (label) => marked(label.replace(/  \[.*$/u, ""));

/** Adds switches between linear and logarithmic axes, those of one name together, where they have a meaning. */
function addSwitches(figure, axes, logs, changed) {
  const switches = [0, 1].filter((k) => !axes[k].edges || axes[k].edges[0] > 0).map((k) => {
    const both = axes.every((axis) => axis.label === axes[k].label) ? [0, 1] : [k];
    const set = (on) => (both.forEach((one) => (logs[one] = on)), changed());
    return both[0] === k ? [checkbox(logs[k], set, "log ", ...named(axes[k].label))] : [];
  });
  if (switches.flat().length) figure.append(html("div", { class: "switches", role: "group", "aria-label": "Axes" }, ...switches.flat()));
}

// Curves

/** Where the values of an axis lie; a logarithmic one shows absolute values. */
function rangeOf(ends, log, asked) {
  if (asked && (!log || asked[0] > 0)) return asked;
  const values = log ? ends.map(Math.abs).filter((value) => value > 0) : ends;
  const [lo, hi] = [Math.min(...values), Math.max(...values)];
  if (!values.length) return log ? [0.1, 10] : [0, 1];
  if (log) {
    const room = Math.max(1.15, (hi / lo) ** 0.06);
    return [lo / room, hi * room];
  }
  const room = lo === hi ? Math.max(Math.abs(lo), 1) / 2 : 0.07 * (hi - lo);
  return [lo >= 0 && lo < 0.02 * (hi - lo) ? 0 : lo - room, hi + room];
}

const finite = (value) => value !== null && value !== undefined;

function markerShape(marker, [x, y], attributes) {
  const corners = data.markers[(marker % (data.markers.length + 1)) - 1];
  if (!corners) return svg("circle", { cx: x, cy: y, r: 3.2, ...attributes });
  return svg("polygon", { points: corners.map(([a, b]) => [x + 3.2 * a, y + 3.2 * b]).join(" "), ...attributes });
}

const colourOf = (one) => `var(--curve-${one.colour % 6})`;

/** Draws one curve; returns its points, in order. */
function drawSeries(layer, one, spec, x, y) {
  const colour = colourOf(one);
  const open = (value) => y.log && value < 0;
  const [items, pieces] = [[], [[]]];
  one.x.forEach((place, k) => {
    const [value, error] = [one.y[k], one.error[k] ?? 0];
    const drawable = finite(value) && finite(place) && !(x.log && place <= 0) && !(y.log && value === 0);
    if (!drawable) return void pieces.push([]);
    const shown = open(value) ? -value : value;
    const ends = [shown - error, shown + error].map((end) => (y.log ? y.at(Math.max(end, y.range[0] / 1e3)) : y.at(end)));
    const at = [x.at(place), y.at(shown)];
    if (open(value)) pieces.push([]);
    else pieces.at(-1).push([...at, ...ends]);
    if (!x.holds(place)) return;
    if ((spec.markers || open(value)) && error)
      layer.append(svg("path", { d: `M${at[0] - 3} ${ends[0]}h6m-3 0V${ends[1]}m-3 0h6`, stroke: colour, fill: "none" }));
    const name = [one.source, one.label].filter(Boolean);
    const title = name.length ? [[...(one.source ? [`${one.source} `] : []), ...marked(one.label)]] : [];
    const says = [...title, equation(spec.x.label, place), equation(spec.y.label, value, error)];
    if (y.holds(shown)) items.push({ at, says, one, open: open(value) });
  });
  for (const piece of pieces.filter((piece) => piece.length > 1)) {
    const line = (points) => points.map((point) => point.map((v) => v.toFixed(2)).join(" ")).join("L");
    if (!spec.markers && one.error.length) {
      const [low, high] = [2, 3].map((side) => piece.map((point) => [point[0], point[side]]));
      layer.append(svg("path", { d: `M${line([...high, ...low.reverse()])}Z`, fill: colour, "fill-opacity": 0.2 }));
    }
    const d = `M${line(piece.map(([a, b]) => [a, b]))}`;
    layer.append(svg("path", { d, stroke: colour, "stroke-width": 1.6, fill: "none", "stroke-linejoin": "round" }));
  }
  for (const item of items.filter((item) => spec.markers || item.open))
    layer.append(markerShape(one.marker, item.at, { stroke: colour, fill: item.open ? "var(--paper)" : colour }));
  return items;
}

/** A piece of a curve, for the legend. */
function sample(one, markers) {
  const line = svg("path", { d: "M0 6H26", stroke: colourOf(one), "stroke-width": 2 });
  const marker = markers ? [markerShape(one.marker, [13, 6], { fill: colourOf(one) })] : [];
  return svg("svg", { viewBox: "0 0 26 12", "aria-hidden": "true" }, line, ...marker);
}

function curvesPanel(grid, spec, logs, hidden) {
  const panel = html("div", { class: "panel" }, ...(spec.name ? [html("h4", {}, spec.name)] : []));
  const root = svg("svg");
  panel.append(root);
  grid.append(panel);
  let lines = [];
  const visible = () => spec.curves.filter((one) => !hidden.has(one));
  const step = (item, key) => {
    const some = lines.filter((line) => line.length);
    if (!some.length) return undefined;
    const line = some.find((line) => item && line.includes(item)) ?? some[0];
    const k = item ? line.indexOf(item) : 0;
    const to = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: line.length - 1 }[key];
    if (to !== undefined) return line[Math.max(0, Math.min(line.length - 1, to))];
    const turn = { ArrowUp: some.length - 1, ArrowDown: 1 }[key];
    if (turn === undefined) return undefined;
    const other = some[(some.indexOf(line) + turn) % some.length];
    return other.reduce((best, one) => (Math.abs(one.at[0] - line[k].at[0]) < Math.abs(best.at[0] - line[k].at[0]) ? one : best));
  };
  const label = `${plainText(spec.y.label)} over ${plainText(spec.x.label)}`;
  const forget = explorable(panel, root, `${spec.name} ${label}`.trim(), (place) => nearest(lines.flat(), place), step);
  return () => {
    forget();
    const width = panel.clientWidth;
    const height = Math.round(Math.min(420, Math.max(215, 0.6 * width)));
    filled(root, { viewBox: `0 0 ${width} ${height}` }, []).replaceChildren();
    const points = visible().flatMap((one) => one.x.map((place, k) => [place, one.y[k], one.error[k] ?? 0]));
    const xRange = rangeOf(points.map(([place]) => place).filter(finite), logs[0], logs[0] === spec.x.log ? spec.x.range : null);
    const inside = points.filter(([place, value]) => finite(value) && place >= xRange[0] && place <= xRange[1]);
    const ends = inside.flatMap(([, value, error]) => (logs[1] ? [value] : [value - error, value + error]));
    if (spec.reference !== null && !logs[1]) ends.push(spec.reference);
    const yRange = rangeOf(ends, logs[1], spec.y.range);
    const xAxis = { ...spec.x, log: logs[0], range: xRange };
    const { x, y, area, content } = drawAxes(root, [width, height], xAxis, { ...spec.y, log: logs[1], range: yRange }, 10, 14);
    for (const level of new Set([0, spec.reference]))
      if (y.holds(level)) content.append(svg("path", { class: "dashed", d: `M${area.x} ${y.at(level)}h${area.width}` }));
    lines = visible().map((one) => drawSeries(content, one, spec, x, y));
  };
}

function drawCurves(figure, shown) {
  const { columns } = shown;
  const panels = shown.panels.map((panel) => {
    const [x, y] = [0, 1].map((k) => axisOf(panel, k));
    return { ...panel, x, y: { ...y, range: panel.y_range } };
  });
  const [first] = panels;
  const logs = [first.x.log, first.y.log];
  const hidden = new Set();
  const draws = [];
  const redraw = () => draws.forEach((draw) => draw());
  addSwitches(figure, [first.x, first.y], logs, redraw);
  const keyed = first.curves.filter((one) => one.label || one.source);
  if (panels.length === 1 && keyed.length) {
    const keys = keyed.map((one) => {
      const changed = (on) => (hidden[on ? "delete" : "add"](one), redraw());
      return checkbox(true, changed, sample(one, first.markers), one.source ? `${one.source} ` : "", ...marked(one.label));
    });
    figure.append(html("div", { class: "switches", role: "group", "aria-label": "Curves" }, ...keys));
  }
  const grid = html("div", { class: "panels", style: `grid-template-columns: repeat(${columns}, minmax(0, 1fr))` });
  figure.append(grid);
  for (const panel of panels) draws.push(curvesPanel(grid, panel, logs, hidden));
  const negative = panels.some((panel) => panel.curves.some((one) => one.y.some((value) => value < 0)));
  const remarks = [...new Set(panels.flatMap((panel) => panel.remarks)), ...(negative ? ["open markers on a logarithmic axis: negative, absolute value"] : [])];
  if (remarks.length) figure.append(html("figcaption", { class: "small" }, remarks.join("; ")));
  drawn(grid, redraw);
}

// Maps

/** Coloured rectangles as an image: `[left, top, width, height, colour]` each, in an area. */
function picture(area, rectangles) {
  const sharp = 2;
  const canvas = html("canvas", { width: Math.round(area.width * sharp), height: Math.round(area.height * sharp) });
  const ink = canvas.getContext("2d");
  for (const [left, top, width, height, colour] of rectangles) {
    const [a, b] = [Math.round((left - area.x) * sharp), Math.round((top - area.y) * sharp)];
    ink.fillStyle = colour;
    ink.fillRect(a, b, Math.round((left + width - area.x) * sharp) - a, Math.round((top + height - area.y) * sharp) - b);
  }
  return svg("image", { ...area, href: canvas.toDataURL(), preserveAspectRatio: "none" });
}

function drawMap(figure, shown) {
  const blocks = shown.blocks?.names;
  const [x, y] = [0, 1].map((k) => ({ ...axisOf(shown, k), edges: shown.edges[k], ticks: shown.blocks?.ticks ?? null }));
  const spec = { ...shown, x, y, blocks, label: shown.labels[2] };
  const logs = [spec.x.log, spec.y.log];
  const panel = html("div", { class: "panel" });
  const root = svg("svg");
  panel.append(root);
  const [columns, rows] = [spec.x.edges.length - 1, spec.y.edges.length - 1];
  let axes = null;
  const cell = (i, j) => {
    const middle = (axis, k) => (axis.at(axis.edges[k]) + axis.at(axis.edges[k + 1])) / 2;
    const between = (axis, k) => [...named(axis.label), ` from ${number(axis.edges[k])} to ${number(axis.edges[k + 1])}`];
    const name = (k) => spec.blocks?.find(([, [from, to]]) => k >= from && k < to)?.[0];
    const where = spec.blocks ? [[...marked(`${name(i)}, bin ${i}; ${name(j)}, bin ${j}`)]] : [between(spec.x, i), between(spec.y, j)];
    const value = [...marked(spec.label), ` = ${number(spec.values[i * rows + j])}`];
    return { i, j, at: [middle(axes.x, i), middle(axes.y, j)], says: [...where, value] };
  };
  const bin = (axis, place) => axis.edges.slice(1).findIndex((edge, k) => (place - axis.at(edge)) * (place - axis.at(axis.edges[k])) <= 0);
  const find = ([px, py]) => {
    const [i, j] = [bin(axes.x, px), bin(axes.y, py)];
    return i < 0 || j < 0 ? null : cell(i, j);
  };
  const step = (item, key) => {
    const { i, j } = item ?? { i: 0, j: 0 };
    const to = { ArrowRight: [i + 1, j], ArrowLeft: [i - 1, j], ArrowUp: [i, j + 1], ArrowDown: [i, j - 1], Home: [0, j], End: [columns - 1, j] }[key];
    return to && cell(Math.max(0, Math.min(columns - 1, to[0])), Math.max(0, Math.min(rows - 1, to[1])));
  };
  const forget = explorable(panel, root, `Map of ${plainText(spec.label)} over ${plainText(spec.x.label)} and ${plainText(spec.y.label)}`, find, step);
  const draw = () => {
    forget();
    const width = panel.clientWidth;
    const bar = Math.max(...spec.bar.map(([, text]) => text.length)) * 7.4 + 60;
    const range = (axis, log) => (axis.log === log ? axis.range : [axis.edges[0], axis.edges.at(-1)]);
    const [xAxis, yAxis] = [spec.x, spec.y].map((axis, k) => ({ ...axis, log: logs[k], range: range(axis, logs[k]) }));
    const isEqual = spec.equal && !logs[0] && !logs[1];
    const lengths = [xAxis, yAxis].map((axis) => (isEqual ? axis.range[1] - axis.range[0] : 1));
    const ratio = Math.min(5, Math.max(0.5, lengths[1] / lengths[0])) * (spec.equal ? 1 : 0.65);
    const across = Math.min(width - 75 - bar, 520, 560 / ratio);
    const full = 75 + bar + across;
    const height = Math.round(across * ratio + 70);
    filled(root, { viewBox: `0 0 ${full} ${height}`, style: `max-width: ${full}px` }, []).replaceChildren();
    axes = drawAxes(root, [full, height], xAxis, yAxis, 26, bar);
    const { x, y, area, content } = axes;
    const cells = spec.steps.map((colour, k) => {
      const [i, j] = [Math.floor(k / rows), k % rows];
      const [left, top] = [x.at(x.edges[i]), y.at(y.edges[j + 1])];
      return [left, top, x.at(x.edges[i + 1]) - left, y.at(y.edges[j]) - top, colour === null ? "rgba(128, 128, 128, 0.25)" : spec.ramp[colour]];
    });
    content.append(picture(area, cells));
    for (const line of spec.contours.flatMap(([, lines]) => lines)) content.append(svg("polyline", { class: "contour", points: line.map(([a, b]) => [x.at(a), y.at(b)]).join(" ") }));
    for (const [name, [from, to]] of spec.blocks ?? []) {
      root.append(written(name, { x: (x.at(from) + x.at(to)) / 2, y: 19, "text-anchor": "middle" }));
      if (from > 0) content.append(svg("path", { class: "contour", d: `M${x.at(from)} ${area.y}v${area.height}M${area.x} ${y.at(from)}h${area.width}` }));
    }
    const beside = { x: area.x + area.width + 14, y: area.y, width: 13, height: area.height };
    const part = area.height / spec.ramp.length;
    root.append(picture(beside, spec.ramp.map((colour, k) => [beside.x, beside.y + area.height - (k + 1) * part, 13, part, colour])));
    root.append(svg("rect", { ...beside, class: "frame" }));
    let last = Infinity;
    for (const [place, text] of [...spec.bar].sort((a, b) => a[0] - b[0])) {
      const at = beside.y + area.height * (1 - place);
      if (last - at < 13) continue;
      last = at;
      root.append(svg("text", { x: beside.x + 19, y: at + 4.5 }, text));
    }
    root.append(written(spec.label, { "text-anchor": "middle", transform: `translate(${full - 6} ${area.y + area.height / 2}) rotate(-90)` }));
  };
  if (!spec.blocks) addSwitches(figure, [spec.x, spec.y], logs, draw);
  figure.append(panel);
  drawn(panel, draw);
}

// Regions

function drawRegions(figure, spec) {
  const root = figure.querySelector("svg");
  const panel = html("div", { class: "panel", style: `max-width: ${Math.round(1.3 * root.viewBox.baseVal.width)}px` }, root);
  const layer = root.querySelector(".points");
  const items = spec.points.map(([x, y, region, first, second]) => {
    layer.append(svg("circle", { cx: x, cy: y, r: 1.3, fill: spec.colours[region] }));
    const [rows, weight] = spec.sums[region];
    const where = `${spec.labels[0]} ${number(first)}, ${spec.labels[1]} ${number(second)}`;
    return { region, at: [x, y], says: [[`region ${region}`], [where], [`${rows} rows, weight ${weight}`]] };
  });
  for (const [region, [x, y]] of spec.numbers) root.append(svg("text", { x, y: y + 3, class: "number" }, String(region)));
  const regions = [...new Map(items.map((item) => [item.region, item])).entries()].sort((a, b) => a[0] - b[0]).map(([, item]) => item);
  const step = (item, key) => {
    const k = item ? regions.findIndex((one) => one.region === item.region) : 0;
    const to = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1, Home: 0, End: regions.length - 1 }[key];
    return to === undefined ? undefined : regions[Math.max(0, Math.min(regions.length - 1, to))];
  };
  explorable(panel, root, `Map of ${regions.length} regions`, (place) => nearest(items, place, 10), step);
  const thinned = spec.rows > items.length ? `; ${items.length} of ${spec.rows} rows are drawn` : "";
  figure.append(panel, html("figcaption", { class: "small" }, `${regions.length} regions${thinned}`));
}

const draw = { curves: drawCurves, map: drawMap, regions: drawRegions, note: (figure, spec) => figure.append(html("p", {}, spec.text)) };
for (const figure of document.querySelectorAll("figure")) {
  const spec = data.figures[Number(figure.dataset.figure)];
  draw[spec.kind](figure, spec);
}
