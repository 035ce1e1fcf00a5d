// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Shows one tab at a time: by mouse, by arrow keys, by the page's address.
// Tells who wants to know which one is shown.

export class Tabs {
	constructor(nav) {
		this.links = [...nav.querySelectorAll("a")];
		this.panels = this.links.map((a) =>
			document.getElementById(a.hash.slice(1)));
		this.onShow = () => {};
		nav.setAttribute("role", "tablist");
		this.links.forEach((a, i) => this.prepare(a, this.panels[i]));
		nav.addEventListener("keydown", (e) => this.key(e));
		window.addEventListener("hashchange", () => this.follow());
	}

	prepare(link, panel) {
		link.id = "to-" + panel.id;
		link.setAttribute("role", "tab");
		link.setAttribute("aria-controls", panel.id);
		panel.setAttribute("role", "tabpanel");
		panel.setAttribute("aria-labelledby", link.id);
		// not by the address itself, which would scroll to the panel
		link.addEventListener("click", (e) => {
			e.preventDefault();
			history.replaceState(null, "", link.hash);
			this.show(this.links.indexOf(link));
		});
	}

	follow() {
		const i = this.links.findIndex((a) => a.hash === location.hash);

		this.show(Math.max(i, 0));
	}

	show(at) {
		this.at = at;
		this.links.forEach((a, i) => {
			a.setAttribute("aria-selected", String(i === at));
			a.tabIndex = i === at ? 0 : -1;
			this.panels[i].hidden = i !== at;
		});
		this.onShow(this.panels[at]);
	}

	// Paper has them all.
	showAll() {
		for (const panel of this.panels) {
			panel.hidden = false;
			this.onShow(panel);
		}
	}

	key(e) {
		const n = this.links.length;
		const to = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1,
			     Home: 0, End: n - 1 }[e.key];

		if (to === undefined || e.ctrlKey || e.altKey || e.metaKey)
			return;
		e.preventDefault();
		this.links[(to + n) % n].click();
		this.links[this.at].focus();
	}
}
