// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Heat: a cell a row, coloured by its value; a second value fills the lower
// half. Axes are names, or numbers in bins. Of several maps one is shown.
import { gridOf, largest, lettersOf, nameAxis, numberAxis, rangeOf, tellRow, tipOf, zoomOf } from "./axes.mjs";
import { choice } from "./dom.mjs";
import { theme } from "./theme.mjs";
import { writer } from "./units.mjs";

// The least step between bins that tell no end of theirs.
function stepOf(values) {
	const sorted = [...new Set(values)].sort((a, b) => a - b);
	let step = Infinity;

	for (let i = 1; i < sorted.length; i++)
		step = Math.min(step, sorted[i] - sorted[i - 1]);
	return isFinite(step) ? step : 1;
}

// One axis: where each row's cell begins and ends on it.
function sideOf(table, from, to, log, rows) {
	const column = table.columns[from];

	if (column.words) {
		const groups = table.groups(from);

		return { names: groups.names,
			 begin: (row) => groups.at[row],
			 end: (row) => groups.at[row] };
	}
	const values = rows.map((row) => table.value(row, from));
	const step = to === undefined ? stepOf(values) : 0;
	const begin = (row) => table.value(row, from);
	const end = (row) => to === undefined ? begin(row) + step :
		table.value(row, to);
	const ends = rows.map(end);

	return { column, log, begin, end, values: [...values, ...ends],
		 min: Math.min(...values), max: Math.max(...ends) };
}

// Cells of names are drawn on an axis of numbers, so that both are alike.
function axisOf(side, more, long) {
	if (!side.names)
		return numberAxis(side.column, side.values, side.log,
				  { min: side.min, max: side.max,
				    splitLine: { show: false }, ...more });
	return nameAxis(side.names, more, long);
}

// From where to where a cell reaches in pixels.
function extent(api, side, axis, from, to) {
	const at = (v) => api.coord(axis ? [0, v] : [v, 0])[axis];

	if (side.names) {
		const half = api.size([1, 1])[axis] / 2;

		return [at(from) - half, at(from) + half];
	}
	return [at(from), at(to)].sort((p, q) => p - q);
}

function drawer(xs, ys, half) {
	return (params, api) => {
		const area = params.coordSys;
		const [left, right] = extent(api, xs, 0, api.value(0),
					     api.value(1));
		const [top, bottom] = extent(api, ys, 1, api.value(2),
					     api.value(3));
		const x0 = Math.max(left, area.x);
		const x1 = Math.min(right, area.x + area.width);
		// lanes of names stand apart
		const height = bottom - top - (ys.names ? 3 : 0);

		if (x1 <= x0)
			return null;
		return {
			type: "rect",
			shape: { x: x0, width: Math.max(x1 - x0 - 0.5, 0.5),
				 y: half === 1 ? top + height / 2 : top,
				 height: Math.max(height / (half < 0 ? 1 : 2) -
						  0.5, 0.5) },
			style: { fill: api.visual("color") },
		};
	};
}

// Colours go by the square root: where one cell has thousands, those with a few
// are still told from those with none.
const paint = Math.sqrt;
const unpaint = (v) => v * v;

function mapOf(table, col, index, n, rows) {
	const column = table.columns[col];
	const values = rows.map((row) => table.value(row, col) ?? 0);
	const max = largest(values);
	const write = writer(column.unit, max, values.every(Number.isInteger));

	return {
		type: "continuous",
		seriesIndex: index,
		dimension: 4,
		min: 0,
		max: paint(max) || 1,
		calculable: false,
		orient: "horizontal",
		top: 0,
		left: index ? "55%" : 4,
		itemHeight: 110,
		itemWidth: 12,
		text: [write(max), `${column.title}, by its root: 0`],
		textStyle: { color: theme.text() },
		formatter: (v) => write(unpaint(v)),
		inRange: { color: theme.heat(index === 1 && n > 1) },
	};
}

function seriesOf(table, chart, xs, ys, rows) {
	const values = [chart.value, chart.value2].filter((c) => c !== undefined);

	return values.map((col, i) => ({
		type: "custom",
		name: table.title(col),
		renderItem: drawer(xs, ys, values.length > 1 ? i : -1),
		encode: { x: [0, 1], y: [2, 3], tooltip: 4 },
		data: rows.map((row) => ({
			value: [xs.begin(row), xs.end(row), ys.begin(row),
				ys.end(row), paint(table.value(row, col) ?? 0)],
			row,
		})),
	}));
}

// Those of one of several maps.
function rowsOf(table, chart, shown) {
	const rows = [...Array(table.n).keys()];

	if (chart.group === undefined)
		return rows;
	const groups = table.groups(chart.group);

	return rows.filter((row) => groups.at[row] === shown);
}

export function heat(table, chart, state, redraw) {
	const all = [...Array(table.n).keys()];
	const rows = rowsOf(table, chart, state.map ?? 0);
	const xs = sideOf(table, chart.x, chart.x2, chart.log_x, all);
	const ys = sideOf(table, chart.y, chart.y2, chart.log_y, all);
	const series = seriesOf(table, chart, xs, ys, rows);
	const lanes = ys.names ? ys.names.length :
		new Set(all.map(ys.begin)).size;

	return {
		height: Math.min(Math.max(lanes * (ys.names ? 24 : 12), 120),
				 ys.names ? 900 : 420) + (xs.names ? 80 : 140),
		tools: chart.group === undefined ? [] : [
			choice("Map", table.groups(chart.group).names, (i) => {
				state.map = i;
				redraw();
			}),
		],
		option: {
			grid: gridOf(chart, 36, xs.names ? 10 : 74),
			xAxis: axisOf(xs, { nameGap: 26,
					    ...chart.time && rangeOf(chart) }, 40),
			yAxis: axisOf(ys, ys.names ? { inverse: true } :
				{ nameGap: 66 }, lettersOf(chart)),
			dataZoom: xs.names ? [] : zoomOf("x"),
			visualMap: series.map((_, i) => mapOf(table,
				i ? chart.value2 : chart.value, i,
				series.length, rows)),
			tooltip: tipOf((p) => tellRow(table, p.data.row,
				[chart.x, chart.x2, chart.y, chart.y2,
				 chart.value, chart.value2])),
			series,
		},
	};
}
