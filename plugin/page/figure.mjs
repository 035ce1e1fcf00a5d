// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Puts life into a table of the page: its charts, and its rows as a table
// that sorts in place of the first of them that stood there.
import { button } from "./dom.mjs";
import { ChartView } from "./chart-view.mjs";
import { TableView } from "./table-view.mjs";

export class Figure {
	constructor(element, table) {
		this.element = element;
		this.table = table;
		this.caption = element.querySelector("figcaption");
		this.charts = table.charts.map((c) => new ChartView(table, c,
			this.caption?.textContent));
	}

	// When it is seen for the first time.
	begin() {
		this.begun = true;
		for (const old of this.element.querySelectorAll(".wide, .more"))
			old.remove();
		this.element.append(...this.charts.map((c) => c.element));
		if (!this.table.drawn) {
			this.showRows();
			return;
		}
		this.toggle = button("As table", "the numbers of the chart",
				     () => this.toggleRows());
		this.toggle.setAttribute("aria-expanded", "false");
		this.charts[0]?.tools.append(this.toggle);
		if (!this.charts.length)
			this.showRows();
	}

	showRows() {
		this.view = new TableView(this.table);
		this.element.append(this.view.element);
	}

	toggleRows() {
		if (!this.view)
			this.showRows();
		else
			this.view.element.hidden = !this.view.element.hidden;
		const open = !this.view.element.hidden;

		this.toggle.textContent = open ? "Without table" : "As table";
		this.toggle.setAttribute("aria-expanded", String(open));
	}

	show() {
		if (!this.begun)
			this.begin();
		for (const c of this.charts)
			c.draw();
	}
}
