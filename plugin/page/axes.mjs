// SPDX-License-Identifier: GPL-2.0-only OR MIT
// The parts of a drawing that all kinds of chart share: axes with units,
// zoom bars, legends, tool tips. Knows nothing of any one kind.
import { make } from "./dom.mjs";
import { theme } from "./theme.mjs";
import { writer } from "./units.mjs";

export function largest(values) {
	return values.reduce((m, v) => Math.max(m, Math.abs(v) || 0), 0);
}

// From when to when the time axes of all charts of the page reach.
const time = { min: Infinity, max: -Infinity };

// Before any of them is drawn.
export function noteTime(table, chart) {
	for (const col of [chart.x, chart.x2])
		for (let row = 0; col !== undefined && row < table.n; row++) {
			const v = table.value(row, col);

			if (v === null)
				continue;
			time.min = Math.min(time.min, v);
			time.max = Math.max(time.max, v);
		}
}

// What a chart's X axis of numbers is besides.
export function rangeOf(chart) {
	return chart.time ? { min: time.min, max: time.max, name: "Time" } :
		{ min: "dataMin", max: "dataMax" };
}

// Where the drawing lies. Time axes stand below each other, so that what
// happened at once is in one line.
export function gridOf(chart, top, bottom) {
	return chart.time ?
		{ left: 150, right: 24, top, bottom, containLabel: false } :
		{ left: 30, right: 24, top, bottom, containLabel: true };
}

// How many letters of a name such a drawing has room for.
export function lettersOf(chart) {
	return chart.time ? 20 : 40;
}

// Names in the order given. `long`: at most this many letters are shown.
export function nameAxis(names, more = {}, long = 40) {
	return {
		type: "category",
		data: names,
		axisLine: { lineStyle: { color: theme.line() } },
		axisTick: { show: false },
		axisLabel: {
			color: theme.text(),
			formatter: (s) => s.length > long ?
				s.slice(0, long - 1) + "\u2026" : s,
		},
		...more,
	};
}

export function numberAxis(column, values, log, more = {}) {
	const write = writer(column.unit, largest(values),
			     values.every(Number.isInteger));

	return {
		type: log ? "log" : "value",
		name: column.title,
		nameLocation: "middle",
		nameTextStyle: { color: theme.faint() },
		axisLine: { show: true, lineStyle: { color: theme.line() } },
		axisLabel: {
			color: theme.faint(),
			hideOverlap: true,
			// where a log axis ends is no round number
			showMaxLabel: log ? false : null,
			formatter: (v) => log ? writer(column.unit, v, true)(v) :
				write(v),
		},
		splitLine: { lineStyle: { color: theme.line(), opacity: 0.6 } },
		...more,
	};
}

// Wheel with Ctrl, drag, and a bar below; `axis`: "x" or "y".
export function zoomOf(axis, more = {}) {
	const key = axis + "AxisIndex";

	return [
		{ type: "inside", [key]: 0, filterMode: "weakFilter",
		  zoomOnMouseWheel: "ctrl", moveOnMouseMove: true,
		  moveOnMouseWheel: false, ...more },
		{ type: "slider", [key]: 0, filterMode: "weakFilter",
		  showDetail: false, brushSelect: false,
		  borderColor: theme.line(),
		  ...(axis === "x" ? { bottom: 6, height: 18 } :
		      { right: 6, width: 14 }),
		  ...more },
	];
}

export function legendOf(names) {
	return { type: "scroll", top: 0, left: 0, right: 40, data: names,
		 textStyle: { color: theme.text() },
		 pageTextStyle: { color: theme.faint() } };
}

// A tip of lines; the browser gets text, never markup.
export function tipOf(lines) {
	return {
		trigger: "item",
		confine: true,
		backgroundColor: theme.back(),
		borderColor: theme.line(),
		textStyle: { color: theme.text(), fontSize: 13 },
		formatter: (p) => make("div", { className: "tip" },
				       lines(p).filter(Boolean).join("\n")),
	};
}

// The cells of a row that play a part in a chart, as lines for its tip.
export function tellRow(table, row, cols) {
	return [...new Set(cols)].filter((c) => c !== undefined &&
					 table.value(row, c) !== null)
		.map((c) => `${table.title(c)}: ${table.text(row, c)}`);
}
