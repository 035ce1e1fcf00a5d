// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Flame: call chains, the outermost frame at the top. A click makes a frame
// as wide as the chart; a word marks the frames that have it.
import { tipOf } from "./axes.mjs";
import { choice, make } from "./dom.mjs";
import { theme } from "./theme.mjs";

const ROW = 19;
// Frames narrower than this many pixels are left out until they are wider.
const THIN = 1.5;
// So many rows at once; what is deeper is seen when a frame above it is chosen.
const DEEP = 50;

// Frames with their own and their children's value. Parents come first.
function framesOf(table, chart, col) {
	const frames = [];

	for (let row = 0; row < table.n; row++) {
		const parent = table.value(row, chart.parent) ?? -1;

		frames.push({ row, parent, self: table.value(row, col) ?? 0,
			      children: [],
			      depth: parent < 0 ? 0 : frames[parent].depth + 1 });
		if (parent >= 0)
			frames[parent].children.push(row);
	}
	for (const f of frames)
		f.total = f.self;
	for (let i = frames.length - 1; i >= 0; i--)
		if (frames[i].parent >= 0)
			frames[frames[i].parent].total += frames[i].total;
	return frames;
}

// Puts frames side by side, the widest first: x and width as shares of all.
function layOut(frames) {
	const roots = frames.filter((f) => f.parent < 0);
	const whole = roots.reduce((sum, f) => sum + f.total, 0);
	const put = (list, x) => {
		for (const f of list.sort((a, b) => b.total - a.total)) {
			f.x = x;
			f.width = whole ? f.total / whole : 0;
			x += f.width;
		}
	};

	put(roots, 0);
	for (const f of frames)
		put(f.children.map((i) => frames[i]), f.x);
	return whole;
}

function related(frames, at) {
	const above = new Set();

	for (let i = at; i >= 0; i = frames[i].parent)
		above.add(i);
	return above;
}

// Those that are seen when frame `at` (-1: none) fills the width.
function visible(frames, at, pixels) {
	const focus = at < 0 ? { x: 0, width: 1, depth: 0 } : frames[at];
	const above = related(frames, at);

	return frames.filter((f) => above.has(f.row) ||
		(f.x >= focus.x - 1e-12 &&
		 f.x + f.width <= focus.x + focus.width + 1e-12 &&
		 f.depth >= focus.depth && f.depth < focus.depth + DEEP &&
		 f.width / focus.width * pixels > THIN))
		.map((f) => ({ frame: f, dim: above.has(f.row) && f.row !== at,
			       x: above.has(f.row) ? 0 :
				       (f.x - focus.x) / focus.width,
			       width: above.has(f.row) ? 1 :
				       f.width / focus.width }));
}

function drawer(table, chart, shown, state) {
	const word = (state.word ?? "").toLowerCase();

	return (params, api) => {
		const { frame, dim, x, width } = shown[params.dataIndex];
		const area = params.coordSys;
		const name = table.text(frame.row, chart.label);
		const group = chart.group === undefined ? "" :
			table.text(frame.row, chart.group);
		const found = word && name.toLowerCase().includes(word);
		const w = Math.max(width * area.width - 0.7, 0.5);

		return {
			type: "rect",
			shape: { x: area.x + x * area.width,
				 y: area.y + frame.depth * ROW,
				 width: w, height: ROW - 1 },
			style: { fill: found ? "#e6007e" : theme.color(group),
				 opacity: dim ? 0.45 : word && !found ? 0.4 :
					 0.85 },
			emphasis: { style: { opacity: 1 } },
			textContent: w < 30 ? undefined : {
				style: { text: name, width: w - 6,
					 overflow: "truncate",
					 fill: theme.dark ? "#101316" : "#fff",
					 fontSize: 12 },
			},
			textConfig: { position: "insideLeft" },
		};
	};
}

function toolsOf(table, chart, state, redraw) {
	const search = make("input", {
		type: "search", placeholder: "Mark frames", value: state.word ?? "",
		oninput: (e) => {
			state.word = e.target.value;
			redraw();
		},
	});
	const tools = [search];

	search.setAttribute("aria-label", "Mark frames that have a word");
	if (chart.value2 !== undefined)
		tools.unshift(choice("Value", [table.title(chart.value),
			table.title(chart.value2)], (i) => {
			state.second = i === 1;
			state.at = -1;
			redraw();
		}));
	return tools;
}

// Which colour is which kind of code.
function keyOf(table, chart) {
	if (chart.group === undefined)
		return "";
	const names = table.groups(chart.group).names;

	return make("span", { className: "key" }, ...names.map((name) => {
		const chip = make("i");

		chip.style.background = theme.color(name);
		return make("span", {}, chip, name);
	}));
}

function share(part, whole) {
	return whole ? `${(100 * part / whole).toFixed(1)} %` : "";
}

export function flame(table, chart, state, redraw, width) {
	const col = state.second ? chart.value2 : chart.value;
	const frames = framesOf(table, chart, col);
	const whole = layOut(frames);
	const shown = visible(frames, state.at ?? -1, width);
	const focusDepth = state.at >= 0 ? frames[state.at].depth : 0;
	const depth = shown.reduce((d, s) => Math.max(d, s.frame.depth), 0);
	const write = table.write(col);

	return {
		height: (depth + 1) * ROW + 12,
		tools: toolsOf(table, chart, state, redraw),
		hint: make("span", {}, keyOf(table, chart),
			   "A click on a frame shows it alone, a click on the first row shows all." +
			   (depth - focusDepth + 1 >= DEEP ?
				   " Some chains are deeper than is drawn: click a frame further down." : "")),
		onClick: (p) => {
			const { frame } = shown[p.dataIndex];

			state.at = state.at === frame.row || !frame.depth ? -1 :
				frame.row;
			redraw();
		},
		option: {
			grid: { left: 4, right: 4, top: 4, bottom: 4 },
			xAxis: { show: false, min: 0, max: 1 },
			yAxis: { show: false, min: 0, max: depth + 1 },
			tooltip: tipOf((p) => {
				const { frame } = shown[p.dataIndex];

				return [table.text(frame.row, chart.label),
					chart.group === undefined ? "" :
						table.text(frame.row, chart.group),
					`${table.title(col)}: ${write(frame.total)}` +
						` (${share(frame.total, whole)})`,
					`alone: ${write(frame.self)}` +
						` (${share(frame.self, whole)})`];
			}),
			series: [{
				type: "custom",
				renderItem: drawer(table, chart, shown, state),
				data: shown.map((s) => [s.x, s.frame.depth]),
			}],
		},
	};
}
