// SPDX-License-Identifier: GPL-2.0-only OR MIT
// A chart in the page: draws it when it is first seen, again when size, theme
// or choice change, and keeps the time axes of all charts at one zoom.
import { make } from "./dom.mjs";
import { noteTime } from "./axes.mjs";
import { bars } from "./chart-bars.mjs";
import { flame } from "./chart-flame.mjs";
import { heat } from "./chart-heat.mjs";
import { init } from "./echarts.mjs";
import { lines } from "./chart-lines.mjs";
import { spans } from "./chart-spans.mjs";
import { theme } from "./theme.mjs";

const KINDS = { bars, lines, heat, spans, flame };

// The part of the time axis that is seen, as values; null: all of it.
const zoom = { from: null, to: null, views: new Set() };

export class ChartView {
	// The title may be said already, by what the chart stands in.
	constructor(table, chart, said) {
		const title = chart.title === said ? "" : chart.title ?? "";

		this.table = table;
		this.chart = chart;
		this.state = {};
		this.tools = make("div", { className: "tools" });
		this.canvas = make("div", { className: "chart", role: "img",
			"aria-label": `Chart: ${chart.title ?? chart.kind}; its numbers are in the table` });
		this.hint = make("p", { className: "hint" });
		this.element = make("div", { className: "drawing" },
			make("h4", {}, title), this.tools,
			this.canvas, this.hint);
		if (chart.time)
			noteTime(table, chart);
		theme.listeners.push(() => {
			this.stale = true;
			this.draw();
		});
	}

	// Does nothing while it is not seen, or all is as it was.
	draw() {
		const width = this.canvas.clientWidth;

		if (!width || (width === this.width && !this.stale))
			return;
		this.width = width;
		this.redraw();
	}

	redraw() {
		const made = KINDS[this.chart.kind](this.table, this.chart,
			this.state, () => this.redraw(), this.width);

		this.canvas.style.height = `${Math.round(made.height)}px`;
		this.canvas.classList.toggle("tall", made.height > 700);
		this.hint.replaceChildren(made.hint ?? "");
		this.stale = false;
		if (!this.echart)
			this.begin(made);
		else
			this.echart.resize();
		this.onClick = made.onClick;
		this.echart.setOption({ animation: false, ...made.option },
				      { notMerge: true });
		if (this.chart.time)
			this.applyZoom();
		this.tellZoom();
	}

	// For who wants to know without looking: where the marks begin, in pixels,
	// and which part is seen, in percent.
	tellZoom() {
		const option = this.echart.getOption();
		const seen = option.dataZoom?.[0];

		this.canvas.dataset.top = option.grid?.[0]?.top ?? 0;
		if (seen)
			this.canvas.dataset.zoom = `${seen.start} ${seen.end}`;
	}

	// The tools stay as the reader left them.
	begin(made) {
		this.tools.append(...made.tools ?? []);
		this.echart = init(this.canvas);
		this.echart.on("click", (p) => this.onClick?.(p));
		this.echart.on("datazoom", () => {
			this.tellZoom();
			if (this.chart.time)
				this.zoomed();
		});
		if (this.chart.time)
			zoom.views.add(this);
	}

	zoomed() {
		const { startValue, endValue } =
			this.echart.getOption().dataZoom[0];

		if (startValue === zoom.from && endValue === zoom.to)
			return;
		zoom.from = startValue;
		zoom.to = endValue;
		for (const view of zoom.views)
			if (view !== this)
				view.applyZoom();
	}

	applyZoom() {
		if (zoom.from === null)
			return;
		const now = this.echart.getOption().dataZoom[0];

		if (now.startValue !== zoom.from || now.endValue !== zoom.to)
			this.echart.dispatchAction({
				type: "dataZoom", startValue: zoom.from,
				endValue: zoom.to,
			});
	}
}
