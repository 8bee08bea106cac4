// SPDX-License-Identifier: Apache-2.0
// The page of draw_html: @TITLE@ and @DATA@ are replaced. The data is one JSON object:
// title, result, end and bound (ns), paints [[name, colour]], groups [name], tiles [name], and
// rows [{name, group, steps}] with seven numbers a step in one flat array, sorted by begin:
// id, paint, begin ns, duration ns, tile, bytes, opcode.
#pragma once

#include <string_view>

namespace gemmill {

inline constexpr std::string_view html_page = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>@TITLE@</title>
<style>
html, body { margin: 0; height: 100%; }
body { display: flex; flex-direction: column; background: #fff; color: #222;
       font: 13px Helvetica, Arial, sans-serif; }
header { padding: 10px 16px 6px; border-bottom: 1px solid #d5d8dc; }
h1 { font-size: 16px; margin: 0 0 4px; }
#legend { margin-top: 6px; }
#legend span { margin-right: 18px; white-space: nowrap; }
#legend i { display: inline-block; width: 12px; height: 12px; margin-right: 5px;
            vertical-align: -2px; }
#legend b { color: #777; font-weight: normal; }
#view { flex: 1; position: relative; overflow-y: auto; overflow-x: hidden; outline: none; }
#space { width: 1px; }
canvas { position: sticky; top: 0; left: 0; display: block; cursor: grab; }
#tip { position: fixed; display: none; pointer-events: none; background: #222; color: #fff;
       padding: 6px 9px; border-radius: 4px; font-size: 12px; line-height: 1.5;
       white-space: pre; z-index: 2; }
</style>
</head>
<body>
<header><h1 id="title"></h1><div id="result"></div><div id="legend"></div></header>
<div id="view" tabindex="0"><canvas id="canvas"></canvas><div id="space"></div></div>
<div id="tip"></div>
<script id="data" type="application/json">@DATA@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view"), canvas = document.getElementById("canvas");
const space = document.getElementById("space"), tip = document.getElementById("tip");
const pen = canvas.getContext("2d");
const labelWidth = 160, axisHeight = 28, pitch = 22, bar = 16, groupGap = 8, fields = 7;
const whole = Math.max(data.end, 1) * 1.01;
let from = 0, to = whole;              // visible time, ns
let width = 0, height = 0;             // of the canvas, CSS pixels
let pending = false;

// Rows: top pixel below the axis, and number of steps.
let bottom = 4;
data.rows.forEach((row, i) => {
  if (i > 0 && data.rows[i - 1].group !== row.group) bottom += groupGap;
  row.top = bottom;
  row.count = row.steps.length / fields;
  bottom += pitch;
});

function text(id, value) { document.getElementById(id).textContent = value; }
text("title", data.title);
text("result", data.result);
for (const [name, colour] of data.paints) {
  const item = document.createElement("span"), box = document.createElement("i");
  box.style.background = colour;
  item.append(box, name);
  document.getElementById("legend").append(item);
}
const help = document.createElement("b");
help.textContent = "wheel or + - to zoom, drag or arrows to move, shift + wheel to scroll, 0 for all";
document.getElementById("legend").append(help);

function xOf(time) { return labelWidth + (time - from) / (to - from) * (width - labelWidth); }
function timeAt(x) { return from + (x - labelWidth) / (width - labelWidth) * (to - from); }

function timeText(ns, span) {
  const size = Math.max(Math.abs(ns), span || 0);
  const [unit, scale] = size < 1e3 ? ["ns", 1] : size < 1e6 ? ["us", 1e3]
                      : size < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  return String(+(ns / scale).toPrecision(7)) + " " + unit;
}
function bytesText(bytes) {
  for (const [unit, scale] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (bytes >= scale) return (bytes / scale).toPrecision(4) + " " + unit;
  return bytes + " B";
}

// The first step of a row that ends after a time. Steps of a queue do not overlap, so ends are
// sorted as begins are; one more is taken for clocks that are a little off.
function firstAfter(row, time) {
  let low = 0, high = row.count;
  while (low < high) {
    const middle = (low + high) >> 1, at = middle * fields;
    if (row.steps[at + 2] + row.steps[at + 3] < time) low = middle + 1; else high = middle;
  }
  return Math.max(0, low - 1);
}

function tickOf(span) {
  const rough = span / Math.max(2, (width - labelWidth) / 110);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  return [1, 2, 5, 10].map(f => f * power).find(t => t >= rough) || 10 * power;
}

function drawAxis() {
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, axisHeight);
  pen.textAlign = "center";
  const tick = tickOf(to - from);
  for (let i = Math.ceil(from / tick); i * tick <= to; ++i) {
    const x = Math.round(xOf(i * tick)) + 0.5;
    pen.fillStyle = "#555";
    if (x >= labelWidth) pen.fillText(timeText(i * tick, to), x, 12);
    pen.strokeStyle = "#e3e5e8";
    pen.beginPath(); pen.moveTo(x, 20); pen.lineTo(x, height); pen.stroke();
  }
}

function drawBound() {
  const x = xOf(data.bound);
  if (!(data.bound > 0) || x < labelWidth || x > width) return;
  pen.strokeStyle = "#c0392b";
  pen.setLineDash([5, 3]);
  pen.beginPath(); pen.moveTo(x, 18); pen.lineTo(x, height); pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = "#c0392b";
  pen.textAlign = "right";
  pen.fillText("bound", x - 4, 24);
}

function drawBars(row, top) {
  const steps = row.steps;
  let painted = -1;                    // pixels up to here are done: slivers inside are skipped
  for (let i = firstAfter(row, from); i < row.count; ++i) {
    const at = i * fields, begin = steps[at + 2];
    if (begin > to) break;
    const left = Math.max(xOf(begin), labelWidth - 2);
    const right = Math.min(xOf(begin + steps[at + 3]), width + 2);
    if (right < painted + 0.4 || right < labelWidth) continue;
    const wide = right - left;
    pen.fillStyle = data.paints[steps[at + 1]][1];
    pen.fillRect(left, top, wide > 4 ? wide - 0.7 : Math.max(wide, 0.5), bar);
    painted = Math.max(right, left + 0.5);
    const name = data.tiles[steps[at + 4]];
    if (name && wide > 6.2 * name.length + 8) {
      pen.fillStyle = "#222";
      pen.fillText(name, (left + right) / 2, top + bar - 4);
    }
  }
}

function drawRows() {
  const scroll = view.scrollTop;
  pen.save();
  pen.beginPath(); pen.rect(0, axisHeight, width, height); pen.clip();
  data.rows.forEach(row => {
    const top = axisHeight + row.top - scroll;
    if (top > height || top + pitch < axisHeight) return;
    pen.textAlign = "center";
    drawBars(row, top);
  });
  pen.fillStyle = "#fff";
  pen.fillRect(0, axisHeight, labelWidth, height);
  pen.textAlign = "right";
  data.rows.forEach(row => {
    const top = axisHeight + row.top - scroll;
    if (top > height || top + pitch < axisHeight) return;
    pen.fillStyle = "#222";
    pen.fillText(row.name, labelWidth - 8, top + bar - 3, labelWidth - 12);
  });
  pen.restore();
}

function drawBands() {
  pen.fillStyle = "#f4f5f7";
  for (let i = 0; i < data.rows.length;) {
    const first = i;
    while (i < data.rows.length && data.rows[i].group === data.rows[first].group) ++i;
    const top = axisHeight + data.rows[first].top - 3 - view.scrollTop;
    pen.fillRect(0, top, width, (i - first) * pitch + 1);
  }
}

function draw() {
  pending = false;
  const scale = window.devicePixelRatio || 1;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "12px Helvetica, Arial, sans-serif";
  pen.lineWidth = 1;
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  drawBands();
  drawAxis();
  drawRows();
  drawBound();
}
function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

function resize() {
  const scale = window.devicePixelRatio || 1;
  width = view.clientWidth; height = view.clientHeight;
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  space.style.height = Math.max(0, bottom + axisHeight + 8 - height) + "px";
  redraw();
}

function show(begin, end) {
  const span = Math.min(Math.max(end - begin, 10), whole);
  from = Math.min(Math.max(begin, 0), whole - span);
  to = from + span;
  tip.style.display = "none";
  redraw();
}
function zoom(factor, x) {
  const centre = timeAt(Math.max(x, labelWidth));
  const span = Math.min(Math.max((to - from) * factor, 10), whole);
  const part = (centre - from) / (to - from);
  show(centre - part * span, centre - part * span + span);
}
function move(part) { const d = part * (to - from); show(from + d, to + d); }

function stepAt(x, y) {
  const scroll = y - axisHeight + view.scrollTop, time = timeAt(x);
  if (x < labelWidth || y < axisHeight) return null;
  const row = data.rows.find(r => scroll >= r.top && scroll < r.top + bar);
  if (!row) return null;
  const slack = (to - from) / (width - labelWidth);     // one pixel
  for (let i = firstAfter(row, time - slack); i < row.count; ++i) {
    const at = i * fields, begin = row.steps[at + 2];
    if (begin > time + slack) break;
    if (begin + row.steps[at + 3] >= time - slack) return { row, at };
  }
  return null;
}

function tipText({ row, at }) {
  const [id, , begin, duration, tile, bytes, op] = row.steps.slice(at, at + fields);
  let lines = "step " + id + ": " + data.ops[op] + " " + (data.tiles[tile] || "") + "\n" + row.name +
    "\nbegin " + timeText(begin) + "\nend " + timeText(begin + duration) +
    "\nduration " + timeText(duration);
  if (bytes > 0) {
    lines += "\n" + bytesText(bytes);
    if (duration > 0) lines += ", " + (bytes / duration).toPrecision(3) + " GB/s";
  }
  return lines;
}

function hover(event) {
  const box = canvas.getBoundingClientRect();
  const found = stepAt(event.clientX - box.left, event.clientY - box.top);
  tip.style.display = found ? "block" : "none";
  if (!found) return;
  tip.textContent = tipText(found);
  const right = event.clientX + 14 + tip.offsetWidth > window.innerWidth;
  const low = event.clientY + 14 + tip.offsetHeight > window.innerHeight;
  tip.style.left = event.clientX + (right ? -14 - tip.offsetWidth : 14) + "px";
  tip.style.top = event.clientY + (low ? -14 - tip.offsetHeight : 14) + "px";
}

let drag = null;
canvas.addEventListener("pointerdown", event => {
  drag = { x: event.clientX, y: event.clientY, from, to, scroll: view.scrollTop };
  canvas.setPointerCapture(event.pointerId);
  canvas.style.cursor = "grabbing";
  view.focus({ preventScroll: true });
});
canvas.addEventListener("pointermove", event => {
  if (!drag) return hover(event);
  const shift = (drag.x - event.clientX) / (width - labelWidth) * (drag.to - drag.from);
  view.scrollTop = drag.scroll + drag.y - event.clientY;
  show(drag.from + shift, drag.to + shift);
});
function drop() { drag = null; canvas.style.cursor = "grab"; }
canvas.addEventListener("pointerup", drop);
canvas.addEventListener("pointercancel", drop);
canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
canvas.addEventListener("wheel", event => {
  if (event.shiftKey) return;          // the browser scrolls the rows
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return move(event.deltaX / 1000);
  const amount = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
  zoom(Math.exp(amount * 0.0015), event.clientX - canvas.getBoundingClientRect().left);
}, { passive: false });
window.addEventListener("keydown", event => {
  const centre = labelWidth + (width - labelWidth) / 2;
  const keys = {
    "+": () => zoom(1 / 1.5, centre), "=": () => zoom(1 / 1.5, centre), "-": () => zoom(1.5, centre),
    "0": () => show(0, whole), ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15),
    ArrowUp: () => { view.scrollTop -= 3 * pitch; }, ArrowDown: () => { view.scrollTop += 3 * pitch; },
  };
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
view.addEventListener("scroll", redraw);
window.addEventListener("resize", resize);
resize();
</script>
</body>
</html>
)html";

}  // namespace gemmill
