// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Begins when the page is there: unpacks its data and puts life into its tabs,
// tables, charts and listings. Without it the page is plain HTML.
import { Figure } from "./figure.mjs";
import { Listing } from "./listing.mjs";
import { Tabs } from "./tabs.mjs";
import { theme, themeSwitch } from "./theme.mjs";
import { unpack } from "./unpack.mjs";

function figuresOf(tables) {
	const figures = [];

	for (const element of document.querySelectorAll("figure.table"))
		if (tables.has(element.id))
			figures.push(new Figure(element, tables.get(element.id)));
	return figures;
}

// "/" leads to the filter of the tab that is seen.
function onKey(e) {
	if (e.key !== "/" || e.target.matches("input, select, textarea"))
		return;
	const filter = document.querySelector(".tab:not([hidden]) .view input");

	if (!filter)
		return;
	e.preventDefault();
	filter.focus();
}

// Paper is light and narrow, and has all tabs.
function onPaper(tabs, show) {
	const page = document.documentElement.classList;
	let dark;

	window.addEventListener("beforeprint", () => {
		dark = theme.dark;
		page.add("paper");
		theme.set(false);
		tabs.showAll();
	});
	window.addEventListener("afterprint", () => {
		page.remove("paper");
		tabs.show(tabs.at);
		theme.set(dark);
		show(tabs.panels[tabs.at]);
	});
}

async function begin() {
	const figures = figuresOf(await unpack(document.getElementById("data")));
	const tabs = new Tabs(document.querySelector("nav"));
	const show = (panel) => figures
		.filter((f) => panel.contains(f.element))
		.forEach((f) => f.show());

	document.querySelector("header").append(themeSwitch());
	document.querySelectorAll("figure.listing")
		.forEach((e) => new Listing(e));
	tabs.onShow = show;
	tabs.follow();
	document.addEventListener("keydown", onKey);
	window.addEventListener("resize", () => show(tabs.panels[tabs.at]));
	onPaper(tabs, show);
	document.documentElement.dataset.ready = "yes";
}

begin();
