/* page.js - draws a recording of `lanewise picture`, one step at a time.
 *
 * The recording is data alone (docs/picture.md). Each step is drawn from scratch: memory as all steps
 * up to it have left it, threads and lines as this one had them. Arrows are drawn last, between cells
 * where the browser has put them.
 */
"use strict";
(() => {
const recording = JSON.parse(document.getElementById("recording").textContent);
const CELLS_MAX = 1024;  // of an array; longer ones are told in words
const ARROWS_MAX = 96;   // more would hide what they point at: then those of the lane in hand
const WARP = 32;
const threadCount = recording.block.reduce((a, b) => a * b);
const warpCount = Math.ceil(threadCount / WARP);
const get = id => document.getElementById(id);
const state = { step: 0, lane: -1, line: 0 };

/* ---- small things --------------------------------------------------------------------------- */

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/* A number in the room of a cell; its title has it in full. */
function short(value) {
  const text = String(value);
  if (text.length <= 6 || typeof value !== "number") return text;
  if (Math.abs(value) >= 1000 && Math.abs(value) < 99999.5) return String(Math.round(value));
  const few = value.toPrecision(4);
  return few.includes("e") ? value.toExponential(1).replace("e+", "e") : String(Number(few));
}

const hasLane = (mask, thread) => {
  const word = parseInt(mask.substr(8 * Math.floor(thread / WARP), 8), 16);
  return (word >>> thread % WARP & 1) === 1;
};

const countLanes = mask => {
  let count = 0;
  for (const digit of mask) count += [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4][parseInt(digit, 16)];
  return count;
};

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;

/* "0-3, 8": consecutive numbers as ranges, at most some of them. */
function ranges(numbers, most = 6) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b), parts = [];
  for (let i = 0; i < sorted.length; i++) {
    const first = sorted[i];
    while (i + 1 < sorted.length && sorted[i + 1] === sorted[i] + 1) i++;
    parts.push(first === sorted[i] ? `${first}` : `${first}–${sorted[i]}`);
  }
  return parts.length > most ? `${parts.slice(0, most).join(", ")} …` : parts.join(", ");
}

/* The width of cells: as the page has room for so many, but not less than their texts need. Labels
 * are the small texts. */
function cellWidth(columns, texts, labels) {
  const longest = of => Math.max(0, ...of.flatMap(text => text.split("\n").map(line => line.length)));
  const room = Math.floor((get("threads").clientWidth - 72) / columns) - 2;
  return `${Math.max(20, longest(texts) * 7.3 + 8, longest(labels) * 6.1 + 6, Math.min(room, 52))}px`;
}

/* A part of the page that scrolls by itself, with the keyboard, too. */
function scroller(stage, label) {
  const box = make("div", "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  box.append(stage);
  return box;
}

/* Golden-angle hues: neighbours differ, and so do threads that are far apart. */
const hue = thread => Math.round(thread * 137.508) % 360;

/* ---- memory at a step ------------------------------------------------------------------------ */

/* Values and last writers of each array, as the steps up to `step` have left them. */
function memoryAt(step) {
  const memory = recording.arrays.map(array => {
    const count = array.shape.reduce((a, b) => a * b, 1);
    return { value: array.first ? [...array.first] : new Array(count), by: new Array(count) };
  });
  for (let k = 0; k <= step; k++)
    for (const access of recording.steps[k].access) {
      if (access.k === "r") {
        if (access.v) access.e.forEach((e, i) => memory[access.a].value[e] = access.v[i]);
        continue;
      }
      access.e.forEach((e, i) => {
        memory[access.a].value[e] = access.v[i];
        memory[access.a].by[e] = access.t[i];
      });
    }
  return memory;
}

/* "part[3]" or "part[1][2]". */
function nameOf(array, element) {
  if (array.shape.length < 2) return `${array.name}[${element}]`;
  const index = [];
  for (let axis = array.shape.length - 1, rest = element; axis >= 0; axis--) {
    index.unshift(rest % array.shape[axis]);
    rest = Math.floor(rest / array.shape[axis]);
  }
  return `${array.name}[${index.join("][")}]`;
}

/* ---- findings -------------------------------------------------------------------------------- */

const linear = thread => thread[0] + recording.block[0] * (thread[1] + recording.block[1] * thread[2]);
const isHere = block => block && block.every((b, i) => b === recording.at[i]);

const bad = { lines: new Set(), threads: new Set(), cells: new Set() };
for (const finding of recording.findings) {
  bad.lines.add(finding.line);
  if (finding.other_line) bad.lines.add(finding.other_line);
  if (isHere(finding.block)) bad.threads.add(linear(finding.thread));
  if (isHere(finding.other_block)) bad.threads.add(linear(finding.other_thread));
  if (finding.object) bad.cells.add(finding.object);
}

/* ---- source ---------------------------------------------------------------------------------- */

const sourceRows = recording.source.replace(/\n$/, "").split("\n").map((text, i) => {
  const row = make("li");
  row.append(make("span", "n", i + 1), make("span", "c", ""), make("code", "", text || " "));
  row.classList.toggle("bad", bad.lines.has(i + 1));
  const enter = () => light(-1, i + 1), leave = () => light(-1, 0);
  row.addEventListener("mouseenter", enter);
  row.addEventListener("mouseleave", leave);
  row.addEventListener("focus", enter);
  row.addEventListener("blur", leave);
  return row;
});
get("source").append(...sourceRows);

/* Lines may be told several times: of a helper, in each place where it is called. */
function linesOf(step) {
  const lines = new Map();
  for (const [line, mask] of step.lines) lines.set(line, mask);
  return lines;
}

function drawSource(step) {
  const lines = linesOf(step);
  sourceRows.forEach((row, i) => {
    const mask = lines.get(i + 1);
    row.classList.toggle("ran", mask !== undefined);
    row.children[1].textContent = mask === undefined ? "" : countLanes(mask);
    if (mask === undefined) row.removeAttribute("tabindex"); else row.tabIndex = 0;
    row.setAttribute("aria-label", mask === undefined ? `line ${i + 1}`
      : `line ${i + 1}, run by ${plural(countLanes(mask), "thread")}: ${row.children[2].textContent.trim()}`);
  });
  const first = sourceRows[Math.min(...lines.keys()) - 1], box = document.querySelector(".left");
  if (first && box.scrollHeight > box.clientHeight)
    box.scrollTop = Math.max(0, first.offsetTop - box.clientHeight / 3);
}

/* ---- threads --------------------------------------------------------------------------------- */

const WORDS = { a: "active", d: "apart: its warp ran a line that it did not, or the other way",
                w: "waits", x: "has returned" };
const SIGNS = { a: "", d: "≠", w: "‖", x: "×" };
const COMBINE = new Set(["warp_sum", "warp_max", "warp_min", "warp_prod", "block_sum", "block_max",
                         "block_min", "block_prod", "block_any", "block_all", "block_count",
                         "warp_any", "warp_all", "ballot"]);
let laneCells = [];

/* What each thread shows below its number: of a collective operand and result, else a trace. */
function laneTexts(step) {
  const texts = new Array(threadCount).fill("");
  for (const trace of step.trace)
    trace.t.forEach((t, i) => texts[t] = `${short(trace.v[i])}`);
  for (const collective of step.collectives) {
    if (!collective.value) continue;
    let k = 0;
    for (let t = collective.first; t < threadCount; t++) {
      if (!hasLane(collective.lanes, t - collective.first)) continue;
      texts[t] = collective.result ? `${short(collective.value[k])}\n→${short(collective.result[k])}` : short(collective.value[k]);
      k++;
    }
  }
  return texts;
}

function titleOf(step, thread) {
  const parts = [`thread ${thread}: ${WORDS[step.state[thread]]}`];
  const ran = step.lines.filter(([, mask]) => hasLane(mask, thread)).map(([line]) => line);
  if (ran.length) parts.push(`lines ${ranges(ran)}`);
  for (const trace of step.trace)
    trace.t.forEach((t, i) => t === thread && parts.push(`${trace.name} = ${trace.v[i]}`));
  for (const access of step.access)
    access.t.forEach((t, i) => t === thread && parts.push(
      `${{ r: "reads", w: "writes", a: "updates" }[access.k]} ${nameOf(recording.arrays[access.a], access.e[i])}`));
  return parts.join("\n");
}

function drawThreads(step) {
  const box = get("threads"), stage = make("div", "stage"), lanes = make("div", "lanes");
  const texts = laneTexts(step), columns = Math.min(threadCount, WARP);
  stage.style.setProperty("--columns", columns);
  const labels = texts.map((_, t) => laneLabel(step, t));
  stage.style.setProperty("--cell", cellWidth(columns, texts, labels));
  laneCells = [];
  for (let w = 0; w < warpCount; w++) {
    const row = make("div", "warp");
    row.append(make("span", "soft", `warp ${w}`));
    for (let t = w * WARP; t < Math.min(threadCount, (w + 1) * WARP); t++)
      row.append(laneCells[t] = laneCell(step, t, texts[t]));
    lanes.append(row);
  }
  stage.append(lanes);
  replace(box, scroller(stage, "threads"), legend([["ka", "active"], ["kd", "≠ apart from its warp"], ["kw", "‖ waits"],
                              ["kx", "× has returned"]]), traceNames(step));
  arrowsOfCollectives(step, stage);
}

const laneLabel = (step, t) => `${t}${SIGNS[step.state[t]]}${bad.threads.has(t) ? "✗" : ""}`;

function laneCell(step, t, text) {
  const cell = make("div", `lane ${step.state[t]}`, text || " ");
  cell.prepend(make("small", "", laneLabel(step, t)));
  cell.classList.toggle("bad", bad.threads.has(t));
  cell.title = titleOf(step, t);
  cell.tabIndex = t === 0 ? 0 : -1;
  cell.setAttribute("role", "img");
  cell.setAttribute("aria-label", cell.title.replaceAll("\n", ", "));
  cell.addEventListener("mouseenter", () => light(t, 0));
  cell.addEventListener("mouseleave", () => light(-1, 0));
  cell.addEventListener("focus", () => light(t, 0));
  cell.addEventListener("blur", () => light(-1, 0));
  cell.addEventListener("keydown", event => moveLane(event, t));
  return cell;
}

/* Up and down, and with Shift left and right, go from thread to thread; plain left and right stay
 * those of the steps. */
function moveLane(event, t) {
  const by = { ArrowUp: -WARP, ArrowDown: WARP }[event.key] ??
    (event.shiftKey ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined);
  if (by === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const next = laneCells[t + by];
  if (!next) return;
  laneCells[t].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function traceNames(step) {
  const names = [...new Set(step.trace.map(trace => trace.name))];
  const seen = [...new Set(step.collectives.filter(collective => collective.value).map(collective => collective.op))];
  const text = seen.length ? `In the cells: what each thread gave to ${seen.join(", ")} → what it got`
    : names.length ? `In the cells: trace of ${names.join(", ")}` : "";
  return make("div", "legend", text);
}

/* ---- arrows ---------------------------------------------------------------------------------- */

const SVG = "http://www.w3.org/2000/svg";

function arrowLayer(stage) {
  const svg = document.createElementNS(SVG, "svg"), id = `tip${stage.dataset.id ?? "T"}`;
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = `<defs><marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"
    markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="var(--arrow)"/></marker></defs>`;
  svg.style.width = `${stage.scrollWidth}px`;
  svg.style.height = `${stage.scrollHeight}px`;
  stage.append(svg);
  return { svg, id };
}

/* Where a cell is within its stage. */
function placeOf(cell, stage) {
  let x = 0, y = 0;
  for (let at = cell; at && at !== stage; at = at.offsetParent) x += at.offsetLeft, y += at.offsetTop;
  return { x: x + cell.offsetWidth / 2, top: y, bottom: y + cell.offsetHeight };
}

/* An arc above the cells of one row; between rows from edge to edge. */
function pathOf(from, to) {
  if (Math.abs(from.top - to.top) < 2) {
    const height = Math.min(24, 6 + Math.abs(from.x - to.x) / 12);
    return `M${from.x} ${from.top} C${from.x} ${from.top - height} ${to.x} ${to.top - height} ${to.x} ${to.top - 1}`;
  }
  const isDown = to.top > from.top, y0 = isDown ? from.bottom : from.top, y1 = isDown ? to.top : to.bottom;
  return `M${from.x} ${y0} L${to.x} ${y1}`;
}

function drawArrows(stage, pairs) {
  if (!pairs.length) return;
  stage.classList.add("arrows");
  const { svg, id } = arrowLayer(stage);
  for (const { from, to, thread } of pairs) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", pathOf(placeOf(from, stage), placeOf(to, stage)));
    path.setAttribute("fill", "none");
    path.setAttribute("stroke", "var(--arrow)");
    path.setAttribute("stroke-width", "1.5");
    path.setAttribute("marker-end", `url(#${id})`);
    path.setAttribute("class", "arrow");
    path.dataset.thread = thread;
    if (pairs.length > ARROWS_MAX) path.style.display = "none";
    svg.append(path);
  }
}

/* From which thread of the collective each takes its value; undefined: its own. */
function sourceOf(collective, lane, number) {
  switch (collective.op) {
    case "shuffle": case "warp_broadcast": return number;
    case "shuffle_up": return lane - number;
    case "shuffle_down": return lane + number;
    case "shuffle_xor": return lane ^ number;
    case "block_broadcast": return number;
    case "warp_partner": case "block_partner": return (lane & number) === 0 ? lane + number : undefined;
    default: return undefined;
  }
}

/* The tree of a reduction: place k takes k + d, for d = 1, 2, 4 ... */
function treeOf(collective, places) {
  const pairs = [], isBlock = collective.op.startsWith("block");
  const width = isBlock ? threadCount : WARP;
  for (let d = 1; d < width; d *= 2)
    for (let k = 0; k + d < width; k += 2 * d)
      if (places.has(k) && places.has(k + d)) pairs.push([k + d, k]);
  return pairs;
}

function arrowsOfCollectives(step, stage) {
  const pairs = [];
  const add = (from, to) => laneCells[from] && laneCells[to] &&
    pairs.push({ from: laneCells[from], to: laneCells[to], thread: to });
  stage.dataset.id = "T";
  for (const collective of step.collectives) {
    const places = new Set();
    for (let t = 0; t + collective.first < threadCount && t < 8 * collective.lanes.length / 2; t++)
      if (hasLane(collective.lanes, t)) places.add(t);
    if (COMBINE.has(collective.op))
      treeOf(collective, places).forEach(([from, to]) => add(collective.first + from, collective.first + to));
    let k = 0;
    for (const place of places) {
      const from = collective.number ? sourceOf(collective, place, collective.number[k]) : undefined;
      if (from !== undefined && from !== place && places.has(from)) add(collective.first + from, collective.first + place);
      k++;
    }
  }
  drawArrows(stage, pairs);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

let arrayCells = [];

function touchesOf(step, a) {
  const touched = new Map();
  for (const access of step.access)
    if (access.a === a)
      access.e.forEach((e, i) => {
        const touch = touched.get(e) ?? { read: [], write: [] };
        touch[access.k === "r" ? "read" : "write"].push(access.t[i]);
        touched.set(e, touch);
      });
  return touched;
}

function columnsOf(array) {
  const last = array.shape[array.shape.length - 1];
  return array.shape.length > 1 && last <= 64 ? last : Math.min(32, array.shape.reduce((x, y) => x * y, 1));
}

const isBad = (array, e) => bad.cells.has(nameOf(array, e)) || bad.cells.has(`${array.name}[${e}]`);

function cellOf(array, memory, touched, e) {
  const value = memory.value[e], by = memory.by[e], touch = touched.get(e);
  const cell = make("div", "cell", value === undefined ? "?" : short(value));
  const name = nameOf(array, e), notes = [`${name} = ${value === undefined ? "uninitialised" : value}`];
  cell.append(make("small", "", by === undefined ? " " : `t${by}`));
  if (value === undefined) cell.classList.add("none");
  if (by !== undefined) {
    cell.classList.add("by");
    cell.style.setProperty("--hue", hue(by));
    notes.push(`written by thread ${by}`);
  }
  if (touch?.read.length) cell.classList.add("read"), notes.push(`read here by thread ${ranges(touch.read)}`);
  if (touch?.write.length) cell.classList.add("write"), notes.push(`written here by thread ${ranges(touch.write)}`);
  if (isBad(array, e))
    cell.classList.add("bad"), notes.push("see Findings"), cell.prepend("✗");
  cell.title = notes.join("\n");
  return cell;
}

/* Rows of cells; of a long global array only those that the step touches. */
function drawCells(array, a, memory, touched) {
  const columns = columnsOf(array), count = memory.value.length, isLong = count > CELLS_MAX;
  const rows = new Set([...touched.keys()].map(e => Math.floor(e / columns)));
  const stage = make("div", "stage"), grid = make("div", "cells");
  const texts = memory.value.slice(0, CELLS_MAX).map((value, e) =>
    value === undefined ? "" : (isBad(array, e) ? "✗" : "") + short(value));
  const labels = memory.by.slice(0, CELLS_MAX).map(by => by === undefined ? "" : `t${by}`);
  stage.style.setProperty("--columns", columns);
  stage.style.setProperty("--cell", cellWidth(columns, texts, labels));
  stage.dataset.id = `A${a}`;
  arrayCells[a] = new Map();
  let drawn = 0;
  for (let row = 0; row * columns < count && drawn < CELLS_MAX; row++) {
    if ((isLong || array.space === "global") && count > columns && !rows.has(row)) continue;
    grid.append(make("span", "soft", array.shape.length > 1 ? `[${row}]` : `[${row * columns}]`));
    for (let c = 0; c < columns; c++) {
      const e = row * columns + c;
      if (e >= count) break;
      const cell = cellOf(array, memory, touched, e);
      arrayCells[a].set(e, cell);
      grid.append(cell);
      drawn++;
    }
  }
  for (const label of grid.querySelectorAll(":scope > .soft")) label.style.gridColumnStart = 1;
  stage.append(grid);
  return drawn ? stage : null;
}

/* Who writes a cell of the array also read others of it in this step: from there the arrows come. */
function arrowsOfArray(step, a, stage) {
  const reads = new Map(), pairs = [], seen = new Set();
  for (const access of step.access)
    if (access.a === a && access.k === "r")
      access.t.forEach((t, i) => reads.set(t, [...(reads.get(t) ?? []), access.e[i]]));
  for (const access of step.access) {
    if (access.a !== a || access.k === "r") continue;
    access.t.forEach((t, i) => {
      for (const from of reads.get(t) ?? []) {
        const to = access.e[i], key = `${t} ${from} ${to}`, cells = arrayCells[a];
        if (from === to || seen.has(key) || !cells.has(from) || !cells.has(to)) continue;
        seen.add(key);
        pairs.push({ from: cells.get(from), to: cells.get(to), thread: t });
      }
    });
  }
  drawArrows(stage, pairs);
}

/* What the warps' requests of the step cost, one line for each place in the source. */
function costsOf(step, a) {
  const isBlock = recording.arrays[a].space === "block", places = new Map();
  for (const [array, kind, line, warp, lanes, cost] of step.requests) {
    if (array !== a) continue;
    const key = `${line} ${kind}`, place = places.get(key) ??
      { line, kind, requests: 0, lanes: 0, cost: 0, worst: 0, warps: new Set() };
    place.requests++;
    place.lanes += lanes;
    place.cost += cost;
    place.worst = Math.max(place.worst, cost);
    place.warps.add(warp);
    places.set(key, place);
  }
  return [...places.values()].map(place => {
    const what = `${place.line ? `line ${place.line}: ` : ""}${plural(place.lanes, place.kind === "r" ? "read" : "write")} ` +
      `by warp ${ranges(place.warps)} in ${plural(place.requests, "request")}`;
    if (!isBlock) return make("li", "", `${what}: ${plural(place.cost, "sector")} of 32 bytes`);
    return place.worst > 1
      ? make("li", "bad-text", `${what}: bank conflict, ${place.worst}-way, ${place.cost} passes`)
      : make("li", "", `${what}: no bank conflict`);
  });
}

function drawArrays(step, memory, space) {
  const section = get(space), stages = [], boxes = [];
  recording.arrays.forEach((array, a) => {
    if (array.space !== space) return;
    const touched = touchesOf(step, a), costs = costsOf(step, a);
    if (space === "global" && !touched.size && !costs.length) return;
    const box = make("div", "array"), list = make("ul");
    const title = make("h3", "", `${array.type} ${array.name}`);
    title.append(...array.shape.map(n => `[${n}]`));
    box.append(title);
    const stage = drawCells(array, a, memory[a], touched);
    if (stage) {
      box.append(scroller(stage, `cells of ${array.name}`));
      stages.push([a, stage]);
    }
    list.append(...costs);
    if (costs.length) box.append(list);
    boxes.push(box);
  });
  const all = boxes.length ? boxes : [make("p", "soft", "not touched in this step")];
  section.hidden = !recording.arrays.some(array => array.space === space);
  replace(section.lastElementChild, ...all, boxes.length ? legend([["kn", "? uninitialised"],
    ["kr", "read in this step"], ["ko", "written in this step"]], "tN: the thread that wrote it") : "");
  for (const [a, stage] of stages) arrowsOfArray(step, a, stage);
}

/* ---- what belongs together ------------------------------------------------------------------- */

/* A lane lights its lines, cells and arrows; a line its lanes. */
function light(lane, line) {
  const step = recording.steps[state.step];
  state.lane = lane;
  const lines = linesOf(step);
  sourceRows.forEach((row, i) => row.classList.toggle("lit",
    line === i + 1 || (lane >= 0 && lines.has(i + 1) && hasLane(lines.get(i + 1), lane))));
  laneCells.forEach((cell, t) => cell.classList.toggle("lit",
    t === lane || (lines.has(line) && hasLane(lines.get(line), t))));
  arrayCells.forEach((cells, a) => {
    const lit = new Set();
    for (const access of step.access)
      if (access.a === a)
        access.t.forEach((t, i) => (t === lane || (line && access.l === line)) && lit.add(access.e[i]));
    cells?.forEach((cell, e) => cell.classList.toggle("lit", lit.has(e)));
  });
  for (const svg of document.querySelectorAll(".stage > svg")) {
    const paths = [...svg.querySelectorAll("path[data-thread]")];
    for (const path of paths) {
      path.style.display = paths.length > ARROWS_MAX && Number(path.dataset.thread) !== lane ? "none" : "";
      path.setAttribute("stroke-width", Number(path.dataset.thread) === lane ? "3" : "1.5");
    }
  }
}

/* ---- the page -------------------------------------------------------------------------------- */

function replace(box, ...children) {
  box.replaceChildren(...children.filter(child => child !== ""));
}

function legend(keys, more) {
  const box = make("div", "legend");
  for (const [className, text] of keys) box.append(make("span", className, text));
  if (more) box.append(make("i", "", more));
  return box;
}

function captionOf(step, number) {
  const seen = new Map();
  for (const collective of step.collectives) seen.set(`${collective.op}() in line ${collective.l}`, (seen.get(`${collective.op}() in line ${collective.l}`) ?? 0) + 1);
  const end = seen.size ? `ends at ${[...seen.keys()].join(" and ")}`
    : number === recording.steps.length ? "the last" : "ends with an iteration of a loop";
  return `Step ${number} of ${recording.steps.length}: ${end}`;
}

function draw() {
  const step = recording.steps[state.step], number = state.step + 1;
  const memory = memoryAt(state.step), top = document.documentElement.scrollTop;
  arrayCells = [];
  get("slider").value = number;
  get("slider").setAttribute("aria-valuetext", captionOf(step, number));
  get("caption").textContent = captionOf(step, number);
  get("back").disabled = state.step === 0;
  get("forth").disabled = number === recording.steps.length;
  drawSource(step);
  drawThreads(step);
  drawArrays(step, memory, "block");
  drawArrays(step, memory, "global");
  document.documentElement.scrollTop = top;
}

function go(step) {
  const to = Math.max(0, Math.min(recording.steps.length - 1, step));
  if (to === state.step) return;
  state.step = to;
  draw();
}

function onKey(event) {
  const isSlider = event.target === get("slider");
  const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 0,
               End: recording.steps.length - 1 }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || isSlider) return;
  event.preventDefault();
  go(to);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  get("theme").textContent = theme === "dark" ? "light" : "dark";
}

function drawCounts() {
  const c = recording.counts, table = get("counts"), head = make("tr");
  const row = (name, value, per) => {
    const tr = make("tr");
    tr.append(make("td", "", name), make("td", "", value.toLocaleString("en")),
              make("td", "", per === undefined ? "" : per));
    table.append(tr);
  };
  const per = (value, of, unit) => of ? `${Number((value / of).toPrecision(3))} ${unit}` : "";
  head.append(make("th", "", "all blocks"), make("th", "", "count"), make("th", "", ""));
  table.append(head);
  row("reads of global memory", c.global_reads, per(c.global_reads, c.threads, "a thread"));
  row("writes of global memory", c.global_writes, per(c.global_writes, c.threads, "a thread"));
  row("sectors of 32 bytes", c.sectors, per(c.sectors, c.global_requests, "a request"));
  row("reads of block memory", c.block_reads, per(c.block_reads, c.threads, "a thread"));
  row("writes of block memory", c.block_writes, per(c.block_writes, c.threads, "a thread"));
  row("passes over its banks", c.passes, per(c.passes, c.block_requests, "a request"));
  row("barriers, block operations", c.barriers);
  row("collectives of warps", c.collectives, per(c.collectives, c.warps, "a warp"));
  row("lanes idle in lines of their warp", c.lanes_idle,
      per(100 * c.lanes_idle, c.lanes + c.lanes_idle, "%"));
}

function drawFindings() {
  get("findings").hidden = !recording.findings.length;
  for (const finding of recording.findings)
  {
    const item = make("li");
    item.append(make("span", "bad-text", `✗ line ${finding.line}: ${finding.class}: `),
                `${finding.message}. Fix: ${finding.fix}`);
    get("findings").querySelector("ul").append(item);
  }
}

function start() {
  const threads = recording.block.filter((n, i) => i === 0 || n > 1).join(" × ");
  document.title = `${recording.kernel}: block ${recording.at.join(",")}`;
  document.querySelector("h1").textContent = recording.kernel;
  get("about").textContent = `${recording.file}: block ${recording.at.join(",")} of ` +
    `${recording.grid.join(" × ")}, ${threads} threads in ${plural(warpCount, "warp")}`;
  get("cut").hidden = !recording.cut;
  get("cut").textContent = recording.cut;
  get("slider").max = Math.max(1, recording.steps.length);
  get("slider").addEventListener("input", event => go(Number(event.target.value) - 1));
  get("back").addEventListener("click", () => go(state.step - 1));
  get("forth").addEventListener("click", () => go(state.step + 1));
  get("theme").addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  document.addEventListener("keydown", onKey);
  let waits = 0;
  addEventListener("resize", () => {
    clearTimeout(waits);
    waits = setTimeout(() => recording.steps.length && draw(), 100);
  });
  const asked = Number(location.hash.slice(1)); // page.html#3 begins at step 3
  if (asked >= 1 && asked <= recording.steps.length) state.step = asked - 1;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", follow);
  follow();
  addEventListener("message", event => { // a page that frames this one has its own choice
    if (["light", "dark"].includes(event.data?.theme)) setTheme(event.data.theme);
  });
  drawFindings();
  drawCounts();
  if (recording.steps.length) draw();
  else get("caption").textContent = "the block did nothing that is recorded";
}
start();
})();
