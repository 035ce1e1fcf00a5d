// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Bars: one for each label, stacked by group or side by side; a second figure
// as dots on an axis of its own.
import { legendOf, nameAxis, numberAxis, tellRow, tipOf, zoomOf } from "./axes.mjs";
import { theme } from "./theme.mjs";

// What is seen at once; the rest by the bar at the side.
const MOST = 40;

function seriesOf(table, chart, labels, groups) {
	return groups.names.map((name, g) => ({
		type: "bar",
		name,
		stack: chart.beside ? undefined : "all",
		barMaxWidth: 18,
		itemStyle: { color: theme.color(name) },
		data: labels.at.flatMap((label, row) =>
			groups.at[row] === g && label >= 0 ?
				[{ value: [table.value(row, chart.x), label],
				   row }] : []),
	}));
}

function dotsOf(table, chart, labels) {
	return {
		type: "scatter",
		name: table.title(chart.x2),
		xAxisIndex: 1,
		symbolSize: 8,
		itemStyle: { color: theme.color(table.title(chart.x2)) },
		data: labels.at.map((label, row) =>
			({ value: [table.value(row, chart.x2), label], row })),
	};
}

export function bars(table, chart) {
	const labels = table.groups(chart.label);
	const groups = chart.group === undefined ?
		{ names: [table.title(chart.x)], at: labels.at.map(() => 0) } :
		table.groups(chart.group);
	const n = labels.names.length, seen = Math.min(n, MOST);
	const series = seriesOf(table, chart, labels, groups);
	const sums = [];
	const two = chart.x2 !== undefined;

	labels.at.forEach((l, row) => {
		sums[l] = (sums[l] ?? 0) + table.value(row, chart.x);
	});
	const axes = [numberAxis(table.columns[chart.x], sums, chart.log_x,
				 { nameGap: 26 })];
	if (two) {
		const values = labels.at.map((_, row) =>
			table.value(row, chart.x2));

		series.push(dotsOf(table, chart, labels));
		axes.push(numberAxis(table.columns[chart.x2], values, false,
				     { position: "top", nameGap: 26,
				       splitLine: { show: false } }));
	}
	const legend = series.length > 1;
	return {
		height: seen * 24 * (chart.beside ? groups.names.length * 0.7 : 1) + 70 + (two ? 50 : 0) + (legend ? 30 : 0),
		option: {
			grid: { left: 8, right: n > MOST ? 40 : 24,
				top: (two ? 50 : 10) + (legend ? 30 : 0),
				bottom: 46, containLabel: true },
			xAxis: axes,
			yAxis: nameAxis(labels.names, { inverse: true }),
			legend: legend ? legendOf(series.map((s) => s.name)) :
				undefined,
			dataZoom: n > MOST ?
				zoomOf("y", { endValue: MOST - 1,
					      startValue: 0 }) : [],
			tooltip: tipOf((p) => tellRow(table, p.data.row,
				[chart.label, chart.group, chart.x, chart.x2])),
			series,
		},
	};
}
