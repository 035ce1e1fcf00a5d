// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Shows a table that sorts by its columns, is filtered by words and is copied
// as CSV. Rows beyond the first few hundred come when asked for.
import { button, make } from "./dom.mjs";

const STEP = 300;
// Made once: in each comparison it took thirty times as long.
const collator = new Intl.Collator(undefined, { numeric: true });
// Of so few rows none need be looked for.
const FEW = 10;

function compare(a, b) {
	if (typeof a === "string" && typeof b === "string")
		return collator.compare(a, b);
	return a < b ? -1 : a > b ? 1 : 0;
}

function quoted(text) {
	return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A name that a spreadsheet would take for a formula is marked as text.
function plainText(text) {
	return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

export class TableView {
	constructor(table) {
		this.table = table;
		this.shown = [...table.shown()];
		this.order = [...Array(table.n).keys()];
		this.most = STEP;
		this.sortedBy = -1;
		this.count = make("span", { className: "count",
					    role: "status" });
		this.body = make("tbody");
		this.more = button("Show more", "the next rows", () => {
			this.most += 5 * STEP;
			this.draw();
		});
		this.element = make("div", { className: "view" }, this.tools(),
			make("div", { className: "wide rows", tabIndex: 0 },
			     make("table", {}, this.head(), this.body)),
			this.more);
		this.draw();
	}

	tools() {
		this.filter = make("input", {
			type: "search", placeholder: "Filter rows ( / )",
			oninput: () => this.applyFilter(),
			onkeydown: (e) => {
				if (e.key === "Escape") {
					this.filter.value = "";
					this.applyFilter();
				}
			},
		});
		this.filter.setAttribute("aria-label", "Filter rows");
		this.copyButton = button("Copy CSV",
			"the rows that are shown, and those that 'Show more' would show",
			() => this.copy());
		return make("div", { className: "tools" },
			    ...this.table.n > FEW ? [this.filter] : [],
			    this.copyButton, this.count);
	}

	head() {
		const row = make("tr");

		this.heads = this.shown.map((col) => {
			const c = this.table.columns[col];

			return make("th", { scope: "col",
					    className: c.right ? "n" : "" },
				    button(c.title, "sort by this column",
					   () => this.sort(col)));
		});
		row.append(...this.heads);
		return make("thead", {}, row);
	}

	// Numbers begin with the largest; empty cells are always last.
	sort(col) {
		const t = this.table;
		const first = t.columns[col].words ? 1 : -1;

		this.sign = this.sortedBy === col ? -this.sign : first;
		this.sortedBy = col;
		const keys = this.order.map((row) => [t.key(row, col), row]);
		keys.sort(([a, i], [b, j]) => {
			if (a === null || b === null)
				return (a === null) - (b === null) || i - j;
			return this.sign * compare(a, b) || i - j;
		});
		this.order = keys.map(([, row]) => row);
		this.heads.forEach((th, i) => {
			if (this.shown[i] === col)
				th.setAttribute("aria-sort", this.sign > 0 ?
					"ascending" : "descending");
			else
				th.removeAttribute("aria-sort");
		});
		this.draw();
	}

	applyFilter() {
		this.most = STEP;
		this.draw();
	}

	// The rows that have all words of the filter, in order.
	rows() {
		const words = this.filter.value.toLowerCase().split(/\s+/)
			.filter(Boolean);

		if (!words.length)
			return this.order;
		return this.order.filter((row) => {
			const text = this.shown.map((col) =>
				this.table.text(row, col)).join("\t")
				.toLowerCase();

			return words.every((w) => text.includes(w));
		});
	}

	row(row) {
		const tr = make("tr");

		for (const col of this.shown)
			tr.append(make("td", { className:
				this.table.columns[col].right ? "n" : "" },
				this.table.text(row, col)));
		return tr;
	}

	draw() {
		const rows = this.rows(), n = this.table.n;

		this.body.replaceChildren(...rows.slice(0, this.most)
			.map((row) => this.row(row)));
		this.more.hidden = rows.length <= this.most;
		this.count.textContent = (rows.length === n ? `${n}` :
			`${rows.length} of ${n}`) + (n === 1 ? " row" : " rows");
	}

	// Plain numbers in the unit that the heading tells.
	csv() {
		const t = this.table;
		const head = this.shown.map((col) => {
			const { title, unit } = t.columns[col];

			return quoted(unit && unit !== "hex" ?
				`${title} (${unit})` : title);
		});
		const lines = this.rows().map((row) => [
			...this.shown.map((col) => {
				const v = t.value(row, col);

				if (v === null)
					return "";
				return quoted(typeof v === "string" ?
					plainText(v) : String(v));
			}), ...t.units ? [t.unit(row)] : []].join(","));

		if (t.units)
			head.push("unit");

		return [head.join(","), ...lines].join("\n") + "\n";
	}

	async copy() {
		let done = "Copied";

		try {
			await navigator.clipboard.writeText(this.csv());
		} catch {
			done = "The browser forbids it";
		}
		this.copyButton.textContent = done;
		setTimeout(() => { this.copyButton.textContent = "Copy CSV"; },
			   1500);
	}
}
