// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Spans: lanes, and in each what fills it from when to when.
import { gridOf, legendOf, lettersOf, nameAxis, numberAxis, rangeOf, tellRow, tipOf, zoomOf } from "./axes.mjs";
import { theme } from "./theme.mjs";

// How high a lane is: few are drawn higher.
function laneOf(n) {
	return Math.min(Math.max(240 / n, 22), 56);
}

// A piece stands on the floor of its lane, as high as its share.
function drawSpan(params, api) {
	const [x, y] = api.coord([api.value(0), api.value(2)]);
	const [end] = api.coord([api.value(1), api.value(2)]);
	const lane = api.size([0, 1])[1] * 0.84;
	const area = params.coordSys;
	const left = Math.max(x, area.x);
	const right = Math.min(Math.max(end, x + 1), area.x + area.width);
	const height = lane * api.value(3);

	if (right <= left)
		return null;
	return {
		type: "rect",
		shape: { x: left, y: y + lane / 2 - height,
			 width: right - left, height },
		style: { fill: api.visual("color") },
	};
}

function seriesOf(table, chart, lanes, groups) {
	const share = (row) => chart.value === undefined ? 1 :
		Math.min(table.value(row, chart.value) ?? 0, 1);

	return groups.names.map((name, g) => ({
		type: "custom",
		name,
		renderItem: drawSpan,
		encode: { x: [0, 1], y: 2 },
		itemStyle: { color: theme.color(name) },
		data: groups.at.flatMap((at, row) => at !== g ? [] : [{
			value: [table.value(row, chart.x),
				table.value(row, chart.x2), lanes.at[row],
				share(row)],
			row,
		}]),
	}));
}

export function spans(table, chart) {
	const lanes = table.groups(chart.label);
	const groups = chart.group === undefined ?
		{ names: [table.title(chart.label)], at: lanes.at.map(() => 0) } :
		table.groups(chart.group);
	const rows = [...Array(table.n).keys()];
	const ends = rows.map((row) => table.value(row, chart.x2));
	const legend = groups.names.length > 1;

	return {
		height: lanes.names.length * laneOf(lanes.names.length) + 90 +
			(legend ? 30 : 0),
		option: {
			grid: gridOf(chart, legend ? 36 : 10, 70),
			xAxis: numberAxis(table.columns[chart.x], ends, false,
					  { nameGap: 26, ...rangeOf(chart) }),
			yAxis: nameAxis(lanes.names, { inverse: true },
					lettersOf(chart)),
			legend: legend ? legendOf(groups.names) : undefined,
			dataZoom: zoomOf("x"),
			tooltip: tipOf((p) => tellRow(table, p.data.row,
				[chart.label, chart.group, chart.x, chart.x2,
				 chart.value])),
			series: seriesOf(table, chart, lanes, groups),
		},
	};
}
