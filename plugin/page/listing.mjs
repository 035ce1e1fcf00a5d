// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Leads through a listing: from one hot or marked line to the next.
import { button, make } from "./dom.mjs";

function isMarked(tr) {
	return tr.matches(".left, .right, .guilty");
}

function shareOf(tr) {
	const cell = tr.querySelector("td.n");

	return cell ? parseFloat(cell.textContent) : 0;
}

export class Listing {
	constructor(element) {
		const lines = [...element.querySelectorAll("tbody tr")];

		this.at = -1;
		this.hot = lines.filter((tr) => shareOf(tr) >= 1)
			.sort((a, b) => shareOf(b) - shareOf(a));
		this.marked = lines.filter(isMarked);
		const tools = make("div", { className: "tools" });

		if (this.hot.length)
			tools.append(button("Hottest line", "then the next hottest",
				() => this.step(this.hot)));
		if (this.marked.length)
			tools.append(button("Next difference",
				"lines that only one side has",
				() => this.step(this.marked)));
		if (tools.children.length)
			element.querySelector(".wide").before(tools);
	}

	step(list) {
		this.at = list === this.list ? (this.at + 1) % list.length : 0;
		this.list?.forEach((tr) => tr.classList.remove("at"));
		this.list = list;
		list[this.at].classList.add("at");
		list[this.at].scrollIntoView({ block: "center" });
	}
}
