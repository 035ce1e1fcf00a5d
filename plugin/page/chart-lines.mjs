// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Lines: one for each group, a point a row.
import { gridOf, legendOf, nameAxis, numberAxis, rangeOf, tipOf, zoomOf } from "./axes.mjs";
import { theme } from "./theme.mjs";

function seriesOf(table, chart, groups) {
	return groups.names.map((name, g) => ({
		type: "line",
		name,
		showSymbol: false,
		lineStyle: { width: 1.5 },
		itemStyle: { color: theme.color(name) },
		emphasis: { focus: "series" },
		data: groups.at.flatMap((at, row) => at !== g ? [] :
			[[table.value(row, chart.x),
			  table.value(row, chart.y)]]),
	}));
}

// All lines at the place that is pointed to, the highest first.
function tell(table, chart, points) {
	const list = [points].flat();
	const lines = list.filter((p) => p.value[1] !== null)
		.sort((a, b) => b.value[1] - a.value[1]).slice(0, 20)
		.map((p) => `${p.seriesName}: ` +
		     table.write(chart.y)(p.value[1]));

	if (!list.length)
		return [];
	return [`${table.title(chart.x)}: ` +
		table.write(chart.x)(list[0].value[0]), ...lines];
}

export function lines(table, chart) {
	const rows = [...Array(table.n).keys()];
	const xs = rows.map((row) => table.value(row, chart.x));
	const ys = rows.map((row) => table.value(row, chart.y));
	const groups = chart.group === undefined ?
		{ names: [table.title(chart.y)], at: rows.map(() => 0) } :
		table.groups(chart.group);
	const series = seriesOf(table, chart, groups);
	const legend = series.length > 1;
	const x = table.columns[chart.x].words ?
		nameAxis(table.groups(chart.x).names, { boundaryGap: false }) :
		numberAxis(table.columns[chart.x], xs, chart.log_x,
			   { nameGap: 26, ...rangeOf(chart) });

	return {
		height: 320,
		option: {
			grid: gridOf(chart, legend ? 40 : 16, 72),
			xAxis: x,
			yAxis: numberAxis(table.columns[chart.y], ys, chart.log_y,
					  { nameGap: 66 }),
			legend: legend ? legendOf(groups.names) : undefined,
			dataZoom: zoomOf("x"),
			tooltip: { ...tipOf((p) => tell(table, chart, p)),
				   trigger: "axis" },
			series,
		},
	};
}
